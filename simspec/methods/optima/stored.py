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
    return [_read(fields) for fields in json.loads(FILE.read_text(encoding="utf-8"))]


def _read(fields: dict[str, Any]) -> Stored:
    laws = {name: tuple(map(Fraction, fields[name])) for name in ("target", "draft")}
    parsed = {"quoted": tuple(fields["quoted"]), "tv": Fraction(fields["tv"]), "value": Fraction(fields["value"])}
    return Stored(**(fields | laws | parsed))


def check(record: Stored) -> Fraction:
    """The optimum that a certificate proves.

    Raises ValueError where it proves none, or another value than it says, and for laws that are none.

    >>> check(stored()[0])
    Fraction(11, 9)
    """
    check_law(exact(record.target), "target")
    check_law(exact(record.draft), "draft")
    try:
        value = _of_block(record) if record.drafted == "block" else _of_step(record)
    except (KeyError, TypeError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"certificate: {record.name} cannot be read ({type(error).__name__}: {error})") from error
    if value != record.value:
        raise ValueError(f"certificate: {record.name} proves {value}, and says {record.value}")
    return value


def program_of(record: Stored) -> Program:
    """The program of which a block's certificate is one.

    >>> len(program_of(stored()[0]).names)
    24
    """
    target = exact(record.target)
    draft = exact(record.draft)
    laws = lambda x: target, lambda x: draft
    return (
        lossy_program(*laws, record.drafts, record.tv, record.further)
        if record.tv
        else program(*laws, record.drafts, record.further)
    )


def sets_of(record: Stored) -> Sets:
    """Mass of every set of drafts of a step.

    >>> step = next(one for one in stored() if one.drafted == "iid")
    >>> sum(sets_of(step).values())
    Fraction(1, 1)
    """
    return draft_sets(DRAFTS[record.drafted](exact(record.draft), record.drafts))


def _of_block(record: Stored) -> Fraction:
    primal = {int(at): Fraction(amount) for at, amount in record.certificate["primal"].items()}
    dual = tuple(map(Fraction, record.certificate["dual"]))
    of = program_of(record)
    if len(dual) != len(of.wanted) or not all(0 <= at < len(of.names) for at in primal):
        raise ValueError(f"certificate: {record.name} is of another program")
    return checked(of, Certificate(primal, dual))


def _of_step(record: Stored) -> Fraction:
    flow = {(frozenset(some), token): Fraction(mass) for some, token, mass in record.certificate["flow"]}
    claimed_flow = Flow(record.value, flow, frozenset(record.certificate["chosen"]))
    if record.tv or record.further or not certified(claimed_flow, record.target, sets_of(record)):
        raise ValueError(f"certificate: {record.name} does not prove {record.value}")
    return record.value
