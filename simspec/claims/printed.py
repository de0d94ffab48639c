"""What the papers print: each statement's sentence, shortly, with its place, how it is read here, what was restored.

From ``printed.toml``.  ``python -m simspec.claims.printed docs/printed.md`` writes the page of all of them.
"""

from __future__ import annotations

import sys
import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from simspec.claims import PAPERS, registry, statement_of
from simspec.files import write_text

__all__ = ["Printed", "anchor", "page", "printed", "sentences"]


class Printed(NamedTuple):
    """A printed sentence.

    Attributes
    ----------
    text : str
        as it is printed; an ellipsis stands for what is left out, or for a formula.
    place : str
        paper and number.
    read : str
        in which sense it is decided.
    restored : str
        what the text at hand had lost, "" where nothing.
    """

    text: str
    place: str
    read: str
    restored: str = ""

    def __str__(self) -> str:
        restored = f" Restored: {self.restored}." if self.restored else ""
        return f"“{self.text}” ({self.place}). {self.read}{restored}"


@cache
def sentences() -> dict[str, Printed]:
    """Every recorded sentence, by statement or by one reading of it.

    >>> sentences()["rdk.percentage"].text
    'pruning to 0.00025% of the vocabulary (500 tokens from an original 200k)'
    """
    text = resources.files("simspec.claims").joinpath("printed.toml").read_text(encoding="utf-8")
    return {name: Printed(**fields) for name, fields in tomllib.loads(text).items()}


def printed(name: str) -> Printed | None:
    """The sentence behind a claim, its correction or its sharper form; None for a statement that no paper prints.

    >>> printed("rdk.percentage-corrected").place, printed("rdk.gain")
    ('RDK 6.2', None)
    """
    return sentences().get(name) or sentences().get(statement_of(name))


def anchor(name: str) -> str | None:
    """Where the page of sentences shows the one behind a claim, as Markdown names its headings; None where none is printed.

    >>> anchor("rdk.percentage-corrected"), anchor("rdk.gain")
    ('rdkpercentage', None)
    """
    about = next((n for n in (name, statement_of(name)) if n in sentences()), None)
    return None if about is None else "".join(c for c in about if c.isalnum() or c in "-_")


def page() -> str:
    """The sentences as a Markdown page, by paper.

    >>> page().splitlines()[0]
    '# As the papers print it'
    """
    from simspec.claims.deciding.recorded import expected

    verdicts = expected()["verdicts"]
    papers = {name.split(".")[0] for name in sentences()}
    claims = [name for name in registry() if name.split(".")[0] in papers]
    told = sum(printed(name) is not None for name in claims)
    lines = [
        "# As the papers print it",
        "",
        "The sentence behind each statement, quoted shortly with its place; how it is read here; what was restored where",
        f"the text at hand had lost a formula.  {told} of {len(claims)} claims, with corrections and sharper forms, rest on",
        f"these {len(sentences())} sentences; the others are own statements, or a formula of another work.",
        "EARS is quoted from a summary of the paper.",
        "",
        "What is drawn to try a statement includes the values that a paper prints for it: β of EARS, η and α of C-SQS. What is",
        "printed of RDK's and PAD's parameters are sizes of models and corpora, of which no law is drawn. Of a refuted statement",
        "its page says where it fails within the paper's own range, or why no such place is shown.",
    ]
    for drawer in (d for d in PAPERS if d in papers):
        lines += ["", f"## {PAPERS[drawer]}"]
        for name, sentence in sentences().items():
            if name.split(".")[0] == drawer:
                found = ", ".join(f"`{n}` {verdicts[n]}" for n in claims if printed(n) is sentence)
                restored = [f"- restored: {sentence.restored}"] if sentence.restored else []
                lines += ["", f"### `{name}`", "", f"> “{sentence.text}” ({sentence.place})", ""]
                lines += [f"- read as: {sentence.read}", *restored, f"- decided: {found}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for target in sys.argv[1:]:
        write_text(page(), Path(target))
