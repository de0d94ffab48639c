"""Where optima are quoted, and their certificates, found by SciPy's solver or by augmenting paths; needs SciPy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from simspec.laws import exact
from simspec.methods.block.lossy import curve, share_of
from simspec.methods.block.optimum import checked, solved
from simspec.methods.multi.optimum import optimum
from simspec.methods.optima.stored import FILE, Stored, program_of, sets_of
from simspec.methods.registry import rule

__all__ = ["TOUR_RULES", "found", "quoted", "write"]

EXAMPLE = ("1/3 2/3", "2/3 1/3")
TOUR = ("1/2 1/4 1/4", "1/4 1/4 1/2")
TWO = ("1/4 3/4", "3/4 1/4")
PAGE = "docs/tours/joint.md"
TOUR_RULES = (
    "sd",
    "mixture:0.25",
    "ears:0.25",
    "ears-fresh:0.25",
    "lenience:0.8",
    "cactus:0.01",
    "thresholds:0.5,0.9",
)
"""Rules of the page, each of which has its share of the best at its own distance."""


def _asked(
    name: str, places: str, laws: tuple[str, str], drafted: str, drafts: int, further: bool = False, tv: Any = 0
) -> Stored:
    """An optimum whose value and certificate are still to be found."""
    target, draft = (tuple(map(Fraction, law.split())) for law in laws)
    return Stored(
        name=name,
        quoted=tuple(places.split()),
        target=target,
        draft=draft,
        drafted=drafted,
        drafts=drafts,
        further=further,
        tv=Fraction(tv),
        value=Fraction(0),
        certificate={},
    )


def quoted() -> Iterator[Stored]:
    """Every optimum that is quoted, without its value.

    >>> next(quoted()).name
    'example'
    """
    ideal = "block.example-ideal.one-token block.example-ideal.one-token-corrected"
    yield _asked("example", f"{ideal} {PAGE} simspec/methods/block/optimum.py", EXAMPLE, "block", 2)
    further = "block.example-ideal.any simspec/methods/block/optimum.py"
    yield _asked("example, any text after it", further, EXAMPLE, "block", 2, True)
    for ninths in (1, 2, 3):
        place = "simspec/methods/block/lossy.py"
        yield _asked(f"example at {ninths}/9", place, EXAMPLE, "block", 2, tv=Fraction(ninths, 9))
    yield _asked("two drafts", f"{PAGE} notebooks/09_blocks_and_trees.ipynb", TOUR, "iid", 2)
    for drafted in ("iid", "swor", "greedy", "hub"):
        place = "optimum" if drafted == "iid" else "thresholds"
        yield _asked(f"two tokens, {drafted}", f"simspec/methods/multi/{place}.py", TWO, drafted, 2)
    yield from _of_the_page()


def _of_the_page() -> Iterator[Stored]:
    """Corners of the curve, and the distances of the rules that are not among them."""
    target, draft = (exact(law.split()) for law in TOUR)
    corners = [tv for tv, _ in curve(lambda x: target, lambda x: draft, 2)]
    distances = set(corners)
    for tv in corners:
        yield _asked(f"curve at {tv}", PAGE, TOUR, "block", 2, tv=tv)
    for name in TOUR_RULES:
        tv = Fraction(share_of(rule(name).method, lambda x: target, lambda x: draft, 2).tv)
        if tv not in distances:
            distances.add(tv)
            yield _asked(f"at the distance of {name}", PAGE, TOUR, "block", 2, tv=tv)


def found(record: Stored) -> Stored:
    """The same with its value and a certificate.

    >>> step = next(one for one in quoted() if one.drafted == "iid")
    >>> print(found(step).value)
    15/16
    """
    if record.drafted == "block":
        of = program_of(record)
        solution = solved(of)
        primal = {str(at): str(amount) for at, amount in sorted(solution.primal.items()) if amount}
        certificate: dict[str, Any] = {"primal": primal, "dual": [str(price) for price in solution.dual]}
        return record._replace(value=checked(of, solution), certificate=certificate)
    best = optimum(record.target, sets_of(record))
    flow = sorted([sorted(some), token, str(mass)] for (some, token), mass in best.flow.items())
    return record._replace(value=Fraction(best.value), certificate={"flow": flow, "chosen": sorted(best.chosen)})


def write() -> Path:
    """Find all certificates again and store them, a line each."""
    lines = ",\n".join(json.dumps(found(record).plain()) for record in quoted())
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return FILE
