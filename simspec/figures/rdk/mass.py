"""RDK, Figure 6: where each scheme's mass goes after pruning 200,000 tokens to 500."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Result, Study
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point
from simspec.studies.rdk.drafter_mass import PARTS, SCHEMES, drafter_mass
from simspec.studies.rdk.synthetic_laws import ranks

__all__ = ["MASS"]

_NAMES = {
    "target": "target",
    "none": "no transfer",
    "tli": "TLI",
    "rdk prior": "RDK",
    "rdk leaking": "RDK, leaking",
    "uniform": "uniform",
    "mixture": "TLI + uniform",
}
_SHOWN = ("target", "uniform", "tli", "rdk prior")


def _study(effort: str) -> Study:
    rows, vocab, kept = {"quick": (3, 2_000, 5), "default": (60, 200_000, 500), "deep": (240, 200_000, 500)}[effort]
    return drafter_mass(vocab, kept, df=30, scale=2, rows=rows)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    likely = next(r for r in results if r.cell["order"] == "likely")
    at = ranks(likely.cell["vocab"])
    for name in _SHOWN:
        for i, rank in enumerate(at):
            yield point("laws", _NAMES[name], rank, student(likely.values[f"{name} at"][:, i], 0.95, 0, 1))
    for result in results:
        panel = {"likely": "the target's likeliest are kept", "random": "random tokens are kept"}[result.cell["order"]]
        for i, part in enumerate(PARTS):
            for place, name in enumerate(SCHEMES):
                mass = student(result.values[name][:, i], 0.95, 0, 1)
                yield point(panel, part, place, mass, _NAMES[name])


MASS = Figure(
    name="rdk.mass",
    title="Where the mass goes when 500 of 200,000 tokens are kept: RDK without the target's law is uniform",
    source="RDK, Figure 6",
    study=_study,
    compact=_compact,
    data="synthetic Student-t logits of equal law, df 30, scale 2, V = 200,000; the drafter is the pruned target; "
    "the last bar is half TLI, half uniform on the pruned tokens; a green number is an acceptance rate",
    intervals="Student-t, 95 % each (bands on the left; those of the bars stand in the rows)",
    claims=("rdk.plateau-wins", "rdk.linear-is-mixture"),
    shape=(1, 3),
    size=(11.5, 4.0),
)
