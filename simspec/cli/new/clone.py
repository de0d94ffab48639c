"""`simspec new claim PAPER.ID` in a clone: stubs of a claim, its proof and its test, at their paths.

The stubs hold a small true statement, Σ min(p, q) ≤ 1, so that they run as they are; what is to be replaced says so.
"""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from string import Template

from simspec.claims import PAPERS, registry, statement_of
from simspec.cli.new.first_proof import DERIVATION
from simspec.files import write_text

__all__ = ["ROOT", "is_clone", "stubs", "texts", "write_stubs"]

ROOT = Path(__file__).parents[3]

CLAIM = '''\
"""STUB, the claim in a sentence: the smaller of two distributions has at most mass one.

`$id`: the paper and the number of the statement.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.claim import Instance
from simspec.claims.draw import Draw
from simspec.claims.authoring import bound, broken


def _instances(draw: Draw) -> Instance:
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


$CONSTANT = bound(
    name="$id",
    statement=r"STUB: write what the paper prints: $$\\sum_x \\min(p_x, q_x) \\le 1$$",
    reference="STUB: the paper and the number",
    instances=_instances,
    lhs=lambda p, q: np.minimum(p, q).sum(axis=-1),
    rhs=lambda: 1,
    note="STUB: say in a sentence or two why it holds or fails.",
    broken=[broken("STUB, a possible mistake: zero instead of one", rhs=lambda: 0)],
)
'''

PROOF = (
    '''\
"""$id: STUB: write the idea of the proof in one line."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, le, total, x
from simspec.claims.$paper.$module import $CONSTANT


'''
    + DERIVATION
)

TEST = '''\
"""`$id`: a case by hand, and the formulas that are broken on purpose."""

from fractions import Fraction as F

from simspec.claims.$paper.$module import $CONSTANT
from simspec.claims.authoring import law
from tests.claims.cases import assert_broken


def test_by_hand() -> None:
    """STUB: write a case that a reader can check on paper."""
    instance = {"p": law("1/2", "1/2"), "q": law("3/4", "1/4")}
    assert $CONSTANT.sides(instance) == (F(3, 4), 1)


def test_breaking_a_formula_breaks_the_claim() -> None:
    for slip in $CONSTANT.broken:
        assert_broken($CONSTANT, **slip.changes($CONSTANT))
'''


def stubs(name: str) -> dict[str, str]:
    """Text of the stubs of a new claim, by path from the root of the repository.

    Raises
    ------
    ValueError
        for an id that is no paper and words with hyphens, and for one that a claim has.

    Examples
    --------
    >>> list(stubs("rdk.my-claim"))
    ['simspec/claims/rdk/my_claim.py', 'proofs_check/rdk/my_claim.py', 'tests/claims/rdk/test_my_claim.py']
    >>> stubs("rdk.My_claim")
    Traceback (most recent call last):
    ...
    ValueError: ID: 'rdk.My_claim'; expected the name of a paper, a dot and lower-case words with hyphens, such as rdk.my-claim
    """
    paper, _, rest = name.partition(".")
    if not re.fullmatch(r"[a-z]+\.[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or keyword.iskeyword(rest):
        expected = "the name of a paper, a dot and lower-case words with hyphens, such as rdk.my-claim"
        raise ValueError(f"ID: {name!r}; expected {expected}")
    if paper not in PAPERS:
        raise ValueError(f"ID: {name!r}; expected an id that begins with one of {', '.join(PAPERS)}")
    if name in registry():
        raise ValueError(f"ID: {name!r} is taken; expected an id that no claim has")
    if (statement := statement_of(name)) != name:
        raise ValueError(
            f"ID: {name!r}; a correction or a sharper form belongs in the file of {statement}: write it there"
        )
    return texts(name)


def texts(name: str) -> dict[str, str]:
    """The texts of `stubs` for any id, whether its paper is listed or not."""
    paper, _, rest = name.partition(".")
    module = rest.replace("-", "_")
    words = {"id": name, "paper": paper, "module": module, "CONSTANT": module.upper()}
    paths = (
        f"simspec/claims/{paper}/{module}.py",
        f"proofs_check/{paper}/{module}.py",
        f"tests/claims/{paper}/test_{module}.py",
    )
    written = zip(paths, (CLAIM, PROOF, TEST), strict=True)
    return {path: _sorted_imports(Template(text).substitute(words)) for path, text in written}


def _sorted_imports(text: str) -> str:
    """The text with lines of imports from `simspec` in order: where a paper's name belongs depends on the name."""
    block = re.compile(r"(?:^from simspec\.[^\n]*\n)+", re.MULTILINE)
    return block.sub(lambda match: "".join(sorted(match[0].splitlines(keepends=True))), text)


def is_clone(root: Path) -> bool:
    """Whether a folder looks like a clone of the repository, with its tests."""
    return all((root / folder).is_dir() for folder in ("simspec", "proofs_check", "tests"))


def write_stubs(name: str, root: Path) -> list[str]:
    """Write the stubs of a new claim into a clone of the repository; returns lines that say what was written and what is next.

    Raises
    ------
    ValueError
        as `stubs`, where one of the files exists, and outside of a clone; nothing is written then.
    """
    stub_texts = stubs(name)
    if not is_clone(root):
        raise ValueError(
            f"new: {str(root)!r} is not a clone of the repository with its tests; expected to run in a clone"
        )
    if there := [path for path in stub_texts if (root / path).exists()]:
        raise ValueError(f"ID: {name!r}; {there[0]} exists; expected an id whose files do not exist yet")
    for path, text in stub_texts.items():
        write_text(text, root / path)
    claim = Path(next(iter(stub_texts)))
    return [
        *(f"written: {path}" for path in stub_texts),
        (
            "next: add this line at its place in the paper's order to CONTENTS of "
            f"{claim.with_name('__init__.py').as_posix()}:"
        ),
        f'    ("the number in the paper", "{name}", "{claim.stem}"),',
        "then replace everything marked STUB in the three files; CONTRIBUTING.md explains the steps",
    ]
