"""`simspec new paper KEY` in a clone: the folders of a paper's claims, proofs and tests, and its bibliography entry.

The paper begins with one claim, a small true statement, so that `simspec verify KEY` runs as it is.  A test of its own fails
until what is marked STUB has been replaced.
"""

from __future__ import annotations

import keyword
import re
from pathlib import Path

from simspec.claims import PAPERS
from simspec.claims.references import works
from simspec.cli.new.clone import is_clone, texts
from simspec.files import write_text

__all__ = ["paper_texts", "write_paper"]

CONTENTS = '''\
"""STUB, what the paper is about (`simspec cite {key}` prints the paper): its statements, in the paper's own order."""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS = (("STUB: the number in the paper", "{key}.first-claim", "first_claim"),)
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

_ANCHOR = re.compile(r"^PAPERS = \{$.*?^\}$", re.MULTILINE | re.DOTALL)


def write_paper(key: str, title: str | None, root: Path) -> list[str]:
    """Write a new paper into a clone; returns lines that say what was written and what is next.

    Raises
    ------
    ValueError
        for a key that is no lower-case word or is taken, where a file exists, and outside of a clone; nothing is written then.
    """
    _check(key)
    if not is_clone(root):
        raise ValueError(
            f"new: {str(root)!r} is not a clone of the repository with its tests; expected to run in a clone"
        )
    made = paper_texts(key)
    if there := [path for path in made if (root / path).exists()]:
        raise ValueError(f"KEY: {key!r}; {there[0]} exists; expected a key whose folders do not exist yet")
    papers = root / "simspec/claims/__init__.py"
    bibliography = root / "simspec/claims/references.bib"
    entry = ENTRY.format(key=key, title=title or "STUB, the title")
    edited = {
        "simspec/claims/__init__.py": _listed(papers.read_text(encoding="utf-8"), key),
        "simspec/claims/references.bib": bibliography.read_text(encoding="utf-8") + entry,
    }
    for path, text in {**made, **edited}.items():
        write_text(text, root / path)
    return [
        *(f"written: {path}" for path in made),
        f"changed: simspec/claims/__init__.py (PAPERS now lists {key!r}; edit its heading)",
        f"changed: simspec/claims/references.bib (entry {key}; the title is stored only here)",
        f"next: simspec verify {key} --effort quick",
        (
            f"next: replace everything marked STUB until tests/claims/{key}/test_paper.py passes; see "
            'CONTRIBUTING.md, "Add a paper"'
        ),
    ]


def paper_texts(key: str) -> dict[str, str]:
    """Texts of the files of a new paper, by path from the root of the repository.

    >>> len(paper_texts("mine")), "simspec/claims/mine/__init__.py" in paper_texts("mine")
    (7, True)
    """
    return {
        f"simspec/claims/{key}/__init__.py": CONTENTS.format(key=key),
        f"proofs_check/{key}/__init__.py": "",
        f"tests/claims/{key}/__init__.py": "",
        f"tests/claims/{key}/test_paper.py": TEST.format(key=key),
        **texts(f"{key}.first-claim"),
    }


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


def _listed(text: str, key: str) -> str:
    """The text of ``simspec/claims/__init__.py`` with one paper more, at the end of the list."""
    found = _ANCHOR.search(text)
    if found is None:
        raise ValueError(
            "simspec/claims/__init__.py: no line PAPERS = {…} found; expected the dictionary of papers there"
        )
    return f'{text[: found.end() - 1]}    "{key}": "{key.upper()}",\n{text[found.end() - 1 :]}'
