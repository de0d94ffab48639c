"""The page of a pair shows hostile names, texts and tokens, and nothing of them lives."""

from __future__ import annotations

import random
from html.parser import HTMLParser

import pytest

from simspec.html.escaping import visible
from simspec.tools.pair.acceptance import ALL, SETTINGS
from simspec.tools.pair.page import render

HOSTILE = (
    "<script>alert(1)</script>", "</style><script>x</script>", "\"><img src=x onerror=alert(1)>", "'; DROP TABLE--",
    "{{ 7 * 7 }}", "{% include '/etc/passwd' %}", "&lt;b&gt;", "\x1b[31mred\x1b[0m", "\u202egnp.exe", "\x00\x07", "]]>",
    "<!--", "--><svg onload=alert(1)>", "javascript:alert(1)", "\ud800", "\u2028", "https://evil.example/", "café ☃ ß", "\t",
)  # fmt: skip
ALLOWED = set(
    "html head meta link title style body header h1 p ul li b main section h2 h3 figure figcaption svg g line path text "
    "circle rect polyline polygon desc span table thead tbody tr th td code br div".split()
)
ATTRIBUTES = {
    "class",
    "title",
    "scope",
    "id",
    "lang",
    "charset",
    "name",
    "content",
    "http-equiv",
    "rel",
    "href",
    "colspan",
}


class Reader(HTMLParser):
    """Elements, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data) -> None:
        self.text.append(data)


def parts_with(word) -> dict:
    rows = [
        {"temperature": t, "top_p": p, "kind": kind, "contexts": 3, "answers": 2, "acceptance": [0.5, None, None]}
        for t, p in SETTINGS
        for kind in (ALL, word())
    ]
    along = [
        {
            "temperature": t,
            "top_p": p,
            "kind": ALL,
            "gamma": g,
            "tokens": [1.5, 1.4, 1.6],
            "independent": 1.6,
            "lasting": 1.4,
        }
        for t, p in SETTINGS
        for g in (1, 2)
    ]
    side = {"gamma": 1, "tokens": [1.5, None, None], "speedup": [1.2, None, None]}
    settings = [{"temperature": t, "machine": side, "engine": side, "run": None} for t in (0.0, 1.0)]
    ran = {"predicted": [1.5, 1.4, 1.6], "measured": [1.5, None, None], "agree": False}
    run = {"tokens": ran, "speedup": ran}
    row = {"acceptance": [0.5, 0.25, 0.75], "gamma": 2, "tokens": [1.5, None, None], "missing": None}
    compared = [
        {"rule": word(), "temperature": 0.0, "run": None, **row},
        {"rule": word(), "temperature": 1.0, "run": run, **row},
        {"rule": word(), "temperature": 1.0, "missing": word()},
    ]
    costs = {"cost": 0.5, "counted": 0.1, "bits": [5.0, 4.0], "words": word()}
    evidence = [{"data": word(), "estimate": 0.5, "interval": [0.25, 0.75]}]
    claims = [
        {"id": word(), "verdict": "supported", "kind": "empirical", "evidence": evidence, "message": None},
        {"id": word(), "verdict": "error", "kind": "empirical", "evidence": None, "message": word()},
    ]
    return {
        "acceptance": {"rows": rows},
        "lengths": {"rows": along},
        "speed": {"settings": settings, "costs": costs, "sentence": word()},
        "rules": {"rows": compared, "tokens": {"target": 9, "draft": 5, "shared": 3, "mass": 0.5}},
        "verdicts": {"claims": claims},
    }


def page_of(word) -> str:
    answers = [{"kind": word(), "prompt": word(), "tokens": [(word(), 0.5), (word(), 1.0)]}]
    return render(parts_with(word), {word(): word(), "target": word()}, answers)


def test_nothing_of_300_hostile_pages_lives() -> None:
    rng = random.Random(0)

    def word() -> str:
        return "".join(rng.choice(HOSTILE) for _ in range(rng.randint(1, 3)))

    plain = Reader(page_of(lambda: "plain"))
    assert plain.tags <= ALLOWED
    for _ in range(300):
        page = page_of(word)
        page.encode()  # no lone surrogate is left
        read = Reader(page)
        assert read.tags == plain.tags
        assert not any(name.startswith("on") for _, name, _ in read.attributes)
        assert {value for _, name, value in read.attributes if name in ("href", "src")} <= {"data:,"}
        assert "\x1b" not in page and "\u202e" not in page and "\x00" not in page


def test_a_page_that_does_not_escape_would_be_caught() -> None:
    """The control: the same word put in without escaping gives an element that is not allowed."""
    page = page_of(lambda: "plain").replace("plain", HOSTILE[0], 1)
    assert "script" in Reader(page).tags


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_it_is(text) -> None:
    read = Reader(page_of(lambda: text))
    assert visible(text) in "".join(read.text) or visible(text).strip() in "".join(read.text)
