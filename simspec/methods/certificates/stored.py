"""The stored certificates, and what checks one: sums and comparisons of fractions, no solver.

A certificate holds laws, the value, something that attains it (a verifier, a flow from drafts to tokens) and something that
no rule exceeds (a price of each row of the program, a set of tokens).
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from simspec.laws import check_law, exact
from simspec.methods.block.lossy import lossy_program
from simspec.methods.block.optimum import Certificate, Program, checked, program
from simspec.methods.multi.drafting import DraftLaw, greedy_drafts, hub, iid, swor
from simspec.methods.multi.optimum import Certificate as Flow
from simspec.methods.multi.optimum import Sets, certified, draft_sets

__all__ = ["DRAFTS", "FILE", "Stored", "check", "program_of", "sets_of", "stored"]

FILE = Path(__file__).with_name("optima.json")
DRAFTS: dict[str, DraftLaw] = {"iid": iid, "swor": swor, "greedy": greedy_drafts, "hub": hub}
"""How several drafts of one step are drawn."""


class Stored(NamedTuple):
    """One optimum.

    Attributes
    ----------
    name : of its own
    quoted : ids of claims, and files with its value, that rest on it
    target, draft : laws, the same after every text, as fractions
    drafted : "block" for drafts on one path, or how several drafts of one step are drawn, of `DRAFTS`
    drafts : how many, on the path or of the step
    further : whether any text may follow the kept prefix of a block, or one token
    tv : total variation that is allowed; of a step 0
    value : the largest mean number of accepted drafts of a block, or the largest acceptance of a step
    certificate : what `primal` and `dual`, or `flow` and `chosen`, hold, in numbers and texts of fractions
    """

    name: str
    quoted: tuple[str, ...]
    target: tuple[Fraction, ...]
    draft: tuple[Fraction, ...]
    drafted: str
    drafts: int
    further: bool
    tv: Fraction
    value: Fraction
    certificate: dict[str, Any]

    def plain(self) -> dict[str, Any]:
        """The same in what JSON has: fractions are texts.

        >>> stored()[0].plain()["value"]
        '11/9'
        """
        laws = {name: [str(mass) for mass in getattr(self, name)] for name in ("target", "draft")}
        return self._asdict() | laws | {"tv": str(self.tv), "value": str(self.value)}


def stored() -> list[Stored]:
    """All of them, as they are stored.

    >>> len({one.name for one in stored()}) == len(stored()) > 0
    True
    """
    return [_read(one) for one in json.loads(FILE.read_text(encoding="utf-8"))]


def _read(one: dict[str, Any]) -> Stored:
    laws = {name: tuple(map(Fraction, one[name])) for name in ("target", "draft")}
    told = {"quoted": tuple(one["quoted"]), "tv": Fraction(one["tv"]), "value": Fraction(one["value"])}
    return Stored(**(one | laws | told))


def check(one: Stored) -> Fraction:
    """The optimum that a certificate proves.

    Raises ValueError where it proves none, or another value than it says, and for laws that are none.

    >>> check(stored()[0])
    Fraction(11, 9)
    """
    check_law(exact(one.target), "target")
    check_law(exact(one.draft), "draft")
    try:
        value = _of_block(one) if one.drafted == "block" else _of_step(one)
    except (KeyError, TypeError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"certificate: {one.name} cannot be read ({type(error).__name__}: {error})") from error
    if value != one.value:
        raise ValueError(f"certificate: {one.name} proves {value}, and says {one.value}")
    return value


def program_of(one: Stored) -> Program:
    """The program of which a block's certificate is one.

    >>> len(program_of(stored()[0]).names)
    24
    """
    target, draft = exact(one.target), exact(one.draft)
    laws = lambda x: target, lambda x: draft
    return lossy_program(*laws, one.drafts, one.tv, one.further) if one.tv else program(*laws, one.drafts, one.further)


def sets_of(one: Stored) -> Sets:
    """Mass of every set of drafts of a step.

    >>> step = next(one for one in stored() if one.drafted == "iid")
    >>> sum(sets_of(step).values())
    Fraction(1, 1)
    """
    return draft_sets(DRAFTS[one.drafted](exact(one.draft), one.drafts))


def _of_block(one: Stored) -> Fraction:
    primal = {int(at): Fraction(amount) for at, amount in one.certificate["primal"].items()}
    dual = tuple(map(Fraction, one.certificate["dual"]))
    of = program_of(one)
    if len(dual) != len(of.wanted) or not all(0 <= at < len(of.names) for at in primal):
        raise ValueError(f"certificate: {one.name} is of another program")
    return checked(of, Certificate(primal, dual))


def _of_step(one: Stored) -> Fraction:
    flow = {(frozenset(some), token): Fraction(mass) for some, token, mass in one.certificate["flow"]}
    found = Flow(one.value, flow, frozenset(one.certificate["chosen"]))
    if one.tv or one.further or not certified(found, one.target, sets_of(one)):
        raise ValueError(f"certificate: {one.name} does not prove {one.value}")
    return one.value
