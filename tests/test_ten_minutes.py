"""The tour of one's own model: from the download to the page, and no number in its prose that no example shows.

`tests/test_readme.py` executes the examples.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOUR = ROOT / "docs" / "tours" / "ten-minutes.md"
PAGE = ROOT / "simspec" / "tools" / "pair" / "pair.html.j2"
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")


def executed(text: str) -> str:
    """The examples that tests execute, with their outputs."""
    return "\n".join(re.findall(r"^```pycon[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


def prose(text: str) -> str:
    """What is neither a block nor code in a line, nor the address of a link."""
    without_blocks = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`]*`|\]\([^)]*\)|Apache-2\.0|SmolLM2-135M", "", without_blocks)


def unshown(text: str) -> list[str]:
    """Numbers in the prose that no executed example shows."""
    shown = set(NUMBER.findall(executed(text)))
    return [number for number in NUMBER.findall(prose(text)) if number not in shown]


def sections(text: str) -> list[str]:
    """First column of the table under the last heading."""
    last = text.rpartition("\n## ")[2]
    return re.findall(r"^\| ([^|]+?) \|", last, re.MULTILINE)[1:]


def test_every_number_is_shown_by_an_example() -> None:
    text = TOUR.read_text(encoding="utf-8")
    assert NUMBER.findall(prose(text))
    assert unshown(text) == []
    assert unshown(text.replace("98 MB from PyPI", "97 MB from PyPI")) == ["97"]


def test_it_starts_with_the_download_and_ends_with_the_page() -> None:
    text = TOUR.read_text(encoding="utf-8")
    commands = [
        line
        for block in re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
    ]
    assert commands[1] == "make smollm2"
    assert commands.index("simspec pair smollm2 quantised:4 --chat prompts.jsonl --out mine") == 2
    assert text.rpartition("\n## ")[2].startswith("Open the page\n\nOpen `mine/index.html` in a browser.")


def test_the_sections_of_the_page_are_those_of_its_template() -> None:
    headings = re.findall(r"<h2[^>]*>([^<]+)</h2>", PAGE.read_text(encoding="utf-8"))
    assert sections(TOUR.read_text(encoding="utf-8")) == headings
