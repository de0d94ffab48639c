"""`simspec new paper KEY` in a clone: the folders of a paper's claims, proofs and tests, and its bibliography entry.

Each claim that is named begins as a small true statement, so that `simspec verify KEY` runs as it is.  A test of its own fails
until what is marked STUB has been replaced.  A paper whose work the bibliography has already (`--work`) gets no second entry.
"""

from __future__ import annotations

import difflib
import json
import keyword
import re
from collections.abc import Sequence
from pathlib import Path

from simspec.claims import PAPERS, statement_of
from simspec.claims.references import works
from simspec.cli.new.clone import is_clone, texts
from simspec.files import write_text

__all__ = ["paper_texts", "write_paper"]

CONTENTS = '''\
"""STUB, what the paper is about (`simspec cite {key}` prints the paper): its statements, in the paper's own order."""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = {rows}
"""The paper's number, the statement, and the module that states it, in the paper's own order."""
'''

TEST = '''\
"""The paper `{key}`: nothing that `simspec new paper` wrote is left to be replaced."""

from pathlib import Path

import simspec.claims

CLAIMS = Path(simspec.claims.__file__).parent
FILES = (*sorted((CLAIMS / "{key}").glob("*.py")), CLAIMS / "references.bib")


def test_every_stub_is_replaced() -> None:
    left = [file.name for file in FILES if "STUB" in file.read_text(encoding="utf-8")]
    assert not left, f"replace what is marked STUB in {{', '.join(left)}}: CONTRIBUTING.md, Add a paper"
'''

ENTRY = """
@misc{{{key},
  author = {{STUB, Name of the first author and STUB, Name of the second}},
  title = {{{title}}},
  year = {{2026}},
  keywords = {{{key}}}
}}
"""

FIRST = ("first-claim",)
"""What a paper's claims are called where no name is given."""
ROOM = 120 - len("CONTENTS: tuple[tuple[str, str, str], ...] = ()")
"""Characters of a row that stands on the line of its name."""
_ANCHOR = re.compile(r"^PAPERS = \{$.*?^\}$", re.MULTILINE | re.DOTALL)


def write_paper(
    key: str,
    title: str | None,
    root: Path,
    claims: Sequence[str] = FIRST,
    work: str | None = None,
    heading: str | None = None,
) -> list[str]:
    """Write a new paper into a clone; returns lines that say what was written and what is next.

    Parameters
    ----------
    key, title : the first word of its ids, and its title for a new entry of the bibliography
    root : the clone
    claims : the second words of its ids, in the paper's order; each gets a file, a proof and a test
    work : key of its entry in the bibliography, where it has one
    heading : what it is called in the report

    Raises
    ------
    ValueError
        for a key that is no lower-case word or is taken, a claim that is no words with hyphens or is named twice, an unknown
        work, a title for a work that has one, where a file exists, and outside of a clone; nothing is written then.
    """
    _check(key)
    _check_claims(claims)
    _check_work(work, title)
    if not is_clone(root):
        raise ValueError(
            f"new: {str(root)!r} is not a clone of the repository with its tests; expected to run in a clone"
        )
    file_texts = paper_texts(key, claims)
    if there := [path for path in file_texts if (root / path).exists()]:
        raise ValueError(f"KEY: {key!r}; {there[0]} exists; expected a key whose folders do not exist yet")
    papers = root / "simspec/claims/__init__.py"
    edited = {"simspec/claims/__init__.py": _listed(papers.read_text(encoding="utf-8"), key, heading or key.upper())}
    named = "with a heading of your choice" if heading is None else f"under {heading!r}"
    changes = [f"changed: simspec/claims/__init__.py (PAPERS has {key!r}, {named})"]
    if work is None:
        bibliography = root / "simspec/claims/references.bib"
        entry = ENTRY.format(key=key, title=title or "STUB, the title")
        edited["simspec/claims/references.bib"] = bibliography.read_text(encoding="utf-8") + entry
        changes.append(f"changed: simspec/claims/references.bib (the entry {key}: the only place of the title)")
    for path, text in {**file_texts, **edited}.items():
        write_text(text, root / path)
    return [
        *(f"written: {path}" for path in file_texts),
        *changes,
        f"next: simspec verify {key} --effort quick",
        (
            f"next: replace everything marked STUB until tests/claims/{key}/test_paper.py passes; see "
            'CONTRIBUTING.md, "Add a paper"'
        ),
    ]


def paper_texts(key: str, claims: Sequence[str] = FIRST) -> dict[str, str]:
    """Texts of the files of a new paper, by path from the root of the repository.

    >>> len(paper_texts("mine")), len(paper_texts("mine", ["one", "two"]))
    (7, 10)
    """
    rows = [f'("STUB: the number in the paper", "{key}.{name}", "{name.replace("-", "_")}"),' for name in claims]
    file_texts = {
        f"simspec/claims/{key}/__init__.py": CONTENTS.format(key=key, rows=_tuple(rows)),
        f"proofs_check/{key}/__init__.py": "",
        f"tests/claims/{key}/__init__.py": "",
        f"tests/claims/{key}/test_paper.py": TEST.format(key=key),
    }
    for name in claims:
        file_texts |= texts(f"{key}.{name}")
    return file_texts


def _tuple(rows: Sequence[str]) -> str:
    """A tuple as the style of the repository writes it: a single row on the line of its name, where it has the room.

    >>> _tuple(["(1, 2),"]), _tuple(["1,", "2,"])
    ('((1, 2),)', '(\\n    1,\\n    2,\\n)')
    """
    if len(rows) == 1 and len(rows[0]) <= ROOM:
        return f"({rows[0]})"
    return "\n".join(["(", *(f"    {row}" for row in rows), ")"])


def _check_claims(claims: Sequence[str]) -> None:
    for name in claims:
        if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or keyword.iskeyword(name):
            raise ValueError(f"--claims: {name!r}; expected lower-case words with hyphens, such as my-claim")
        if statement_of(f"any.{name}") != f"any.{name}":
            raise ValueError(
                f"--claims: {name!r}; expected a statement: a correction belongs into the file of its claim"
            )
        if claims.count(name) > 1:
            raise ValueError(f"--claims: {name!r} is named twice; expected different names")


def _check_work(work: str | None, title: str | None) -> None:
    if work is None:
        return
    if title is not None:
        raise ValueError(f"--title: {title!r}; expected none beside --work, for the entry {work!r} has one")
    if work not in works():
        near = ", ".join(difflib.get_close_matches(work, works(), 3, 0.3)) or "none"
        raise ValueError(f"--work: {work!r} is no entry of simspec/claims/references.bib; nearest: {near}")


def _check(key: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9]*", key) or keyword.iskeyword(key):
        near = re.sub(r"[^a-z0-9]", "", key.lower()).lstrip("0123456789")
        raise ValueError(f"KEY: {key!r}; expected a lower-case word, letters then digits, such as {near or 'medusa'}")
    taken = {*PAPERS, *works(), *(path.stem for path in Path(__file__).parents[2].joinpath("claims").iterdir())}
    if key in taken:
        claims = f"; `simspec claims {key}` lists its claims" if key in PAPERS else ""
        raise ValueError(f"KEY: {key!r} is taken{claims}; expected another word, such as {_free(key, taken)}")


def _free(key: str, taken: set[str]) -> str:
    return next(f"{key}{number}" for number in range(2, len(taken) + 3) if f"{key}{number}" not in taken)


def _listed(text: str, key: str, heading: str) -> str:
    """The text of ``simspec/claims/__init__.py`` with one paper more, at the end of the list."""
    found = _ANCHOR.search(text)
    if found is None:
        raise ValueError(
            "simspec/claims/__init__.py: no line PAPERS = {…} found; expected the dictionary of papers there"
        )
    return (
        f'{text[: found.end() - 1]}    "{key}": {json.dumps(heading, ensure_ascii=False)},\n{text[found.end() - 1 :]}'
    )
