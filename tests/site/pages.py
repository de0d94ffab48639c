"""What a built page refers to: links within the site that lead nowhere, addresses outside of it that would be fetched."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["Page", "dead", "fetched", "read"]

FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}
"""Elements that make a browser fetch something, and where they say what."""
NAMES = {"canonical", "search", "prev", "next", "index"}
"""Kinds of <link> that name another page and fetch nothing."""


class Page(HTMLParser):
    """Links, anchors and fetched addresses of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.fetches: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        if FETCHED.get(tag) in given and given.get("rel", "") not in NAMES:
            self.fetches.add(given[FETCHED[tag]])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)


@cache
def read(path: Path) -> Page:
    """A page, read once."""
    return Page(path.read_text(encoding="utf-8"))


def dead(page: Path) -> list[str]:
    """Links and fetched files of a page, within its site, that lead to no file or to no anchor of it."""
    found = []
    for address in sorted(read(page).links | read(page).fetches):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc or address in ("", "#"):
            continue
        file = (page.parent / unquote(parts.path)) if parts.path else page
        anchor = "" if "=" in parts.fragment else unquote(parts.fragment)  # a state, as the explorable page has it
        there = file.is_file() and (file.suffix != ".html" or not anchor or anchor in read(file.resolve()).anchors)
        found += [] if there else [address]
    return found


def fetched(page: Path) -> list[str]:
    """Addresses outside the site that a browser would fetch for a page, or for a style sheet."""
    if page.suffix == ".css":
        text = re.sub(r"/\*.*?\*/", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        found = re.findall(r"(?:url\(|@import\s+)[\"']?((?:https?:)?//[^\"')]+)", text)
    else:
        found = [a for a in read(page).fetches if urlsplit(a).netloc]
    return sorted(found)
