"""The works that claims and code rest on, from ``references.bib``: whose statement a claim is, and what it cites.

``python -m simspec.claims.references docs/references.md`` writes the page of all works.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from simspec.claims.claim import Claim
from simspec.files import write_text

__all__ = ["Work", "cited", "find_works", "mentioned", "page", "works"]

_ENTRY = re.compile(r"^@(\w+)\{([^,]+),\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)
_YEAR = r"(?: et al\.)?[^.;\n]{0,40}?\b(%s)\b"


class Work(NamedTuple):
    """A work: its key, kind and fields, and its entry as it stands in the file.

    Attributes
    ----------
    key : str
        first author's name and year.
    fields : {name: text}
        as in BibTeX; ``keywords`` are the papers whose statements are this work's, ``repository`` is where its threads stand.
    bibtex : str
    """

    key: str
    kind: str
    fields: dict[str, str]
    bibtex: str

    @property
    def names(self) -> list[str]:
        """Family names of the authors."""
        return [author.split(",")[0] for author in self.fields["author"].split(" and ")]

    @property
    def address(self) -> str:
        """Where it can be read, or "" where no number is known."""
        if "repository" in self.fields:
            return f"https://github.com/{self.fields['repository']}"
        if "eprint" in self.fields:
            return f"https://arxiv.org/abs/{self.fields['eprint']}"
        return f"https://doi.org/{self.fields['doi']}" if "doi" in self.fields else ""

    def __str__(self) -> str:
        names = self.names
        authors = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        title = self.fields["title"].replace("{", "").replace("}", "")
        where = next((self.fields[n] for n in ("journal", "booktitle", "institution") if n in self.fields), "")
        number = f"arXiv {self.fields['eprint']}" if "eprint" in self.fields else ""
        return ". ".join(field for field in (f"{authors} ({self.fields['year']})", title, where, number) if field) + "."


@cache
def works() -> dict[str, Work]:
    """Every work by key, the five papers first.

    >>> print(works()["tsur2026tasc"])
    Tsur, Adar and Levy (2026). Task-Centric Acceleration of Small-Language Models. arXiv 2602.24174v1.
    """
    text = resources.files("simspec.claims").joinpath("references.bib").read_text(encoding="utf-8")
    entries = (Work(m[2], m[1], dict(_FIELD.findall(m[3])), m[0]) for m in _ENTRY.finditer(text))
    return {work.key: work for work in entries}


def mentioned(text: str) -> list[Work]:
    """Works that a text names by an author and the year or by the arXiv number, and projects of which it names a thread.

    >>> [work.key for work in mentioned("as Leviathan et al. 2023 show")]
    ['leviathan2023']
    >>> [work.key for work in mentioned("asked in vLLM #40819")]
    ['vllm2026']
    """
    return [work for work in works().values() if any(re.search(pattern, text) for pattern in _mentions(work))]


def _mentions(work: Work) -> list[str]:
    """What names a work in a text: authors and year, its number, or a project and the number of a thread."""
    names = [re.escape(name) for name in work.names]
    if work.kind == "online":
        return [rf"(?<![\w-]){name} #\d" for name in names]
    number = [rf"\b{re.escape(work.fields['eprint'])}\b"] if "eprint" in work.fields else []
    return [*number, *(rf"\b{name}\b" + _YEAR % work.fields["year"] for name in names)]


def cited(claim: Claim) -> list[Work]:
    """The work whose statement a claim reads, and those that its reference and its note name.

    >>> from simspec.claims import find
    >>> [work.key for work in cited(find(["rdk.worst-case"])[0])]
    ['timor2025rdk']
    """
    paper = claim.name.split(".")[0]
    own_works = [work for work in works().values() if paper in work.fields.get("keywords", "").split()]
    named = mentioned(f"{claim.reference}. {claim.note}")
    first = own_works if len(own_works) == 1 else []
    return list({work.key: work for work in (*first, *named)}.values()) or own_works


def find_works(names: Iterable[str]) -> list[Work]:
    """Works by key, by paper (``rdk``), or by the id of a claim that rests on them; all where none is named.

    Raises
    ------
    ValueError
        naming what is unknown.

    Examples
    --------
    >>> [work.key for work in find_works(["csqs.two-sided"])]
    ['bhattacharjee2025sqs']
    """
    from simspec.claims import PAPERS

    works_by_key: dict[str, Work] = {}
    for name in (names_list := list(names)):
        if name in works():
            works_by_key[name] = works()[name]
        elif name in PAPERS:
            works_by_key |= {w.key: w for w in works().values() if name in w.fields.get("keywords", "").split()}
        else:
            works_by_key |= {work.key: work for claim in _claims(name) for work in cited(claim)}
    return list(works_by_key.values() if names_list else works().values())


def _claims(name: str) -> list[Claim]:
    """Claims by an id or a prefix; a name that is nothing is told apart from the works and papers too."""
    from simspec.claims import PAPERS, find, registry

    try:
        return find([name])
    except ValueError:
        known = [*works(), *PAPERS, *registry()]
        near = ", ".join(difflib.get_close_matches(name.lower(), known, 3, 0.3)) or "see `simspec cite`"
        raise ValueError(f"NAME: {name!r} is not a work, paper or claim; nearest: {near}") from None


def page() -> str:
    """The works as a Markdown page.

    >>> page().startswith("# References")
    True
    """
    papers = [work for work in works().values() if work.fields.get("keywords")]
    others = [work for work in works().values() if not work.fields.get("keywords")]
    lines = [
        "# References",
        "",
        "`simspec cite ID` prints the references of a claim as BibTeX.",
        "",
        "## Works whose statements are decided",
    ]
    for work in papers:
        lines += ["", f"- {_line(work)} Claims: {', '.join(f'`{d}.…`' for d in work.fields['keywords'].split())}."]
    lines += ["", "## Other works used", *(f"\n- {_line(work)}" for work in others)]
    return "\n".join(lines) + "\n"


def _line(work: Work) -> str:
    citation = f"`{work.key}`: {work}"
    return f"{citation} <{work.address}>" if work.address else citation


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write_text(page(), Path(name))
