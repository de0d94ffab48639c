"""Bias accumulated over a text: the distance of the law of T tokens from the target's, with its exact bounds.

The picture: total variation of whole texts over their length, on a logarithmic scale: of Markov chains by rule, and one rule with
its bounds; and by rule along answers that SmolLM2 wrote, for each of its drafts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simspec.engine.estimates.intervals import Interval, student
from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.data import SMOLLM2, interval, words
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.logits.bank import open_bank
from simspec.studies.ears.answer_bias import answer_bias
from simspec.studies.ears.relaxed import LENGTHS, sequence_bias

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TEXT_BIAS"]

_RULES = {
    ("SD", 0.0): "SD",
    ("ears", 0.05): "EARS, β = 0.05",
    ("ears", 0.1): "EARS, β = 0.1",
    ("ears", 0.2): "EARS, β = 0.2",
    ("lenience", 0.8): "lenience, 0.8",
}
_BOUNDED = ("ears", 0.1)
_BOUNDS = {"summed bias": "sum of the tokens' biases", "root low": "lower bound", "root high": "upper bound"}


_ON_ANSWERS = (1, 2, 4, 8, 12)
"""Tokens of texts along answers: a run of the bank has 12 positions."""


def _study(rows: int = 20_000) -> Study:
    full_study = sequence_bias()
    chains = tuple(
        c for c in full_study.grid if (c["rule"], c["strength"]) in _RULES and c["model"] == 0 and c["rho"] == 0.9
    )
    strengths: dict[str, tuple[float, ...]] = {}
    for name, strength in _RULES:
        strengths[name] = (*strengths.get(name, ()), strength)
    answers = answer_bias(open_bank("smollm2"), strengths)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        return (answers if "bank" in cell else full_study).simulate(cell, rows, device)

    return replace(full_study, grid=(*chains, *answers.grid), rows=rows, simulate=simulate)


def _along_answers(result: Result) -> Iterator[Point]:
    """The points of a rule on SmolLM2's answers; intervals are over documents, one a run."""
    name = _RULES[result.cell["rule"], result.cell["strength"]]
    for length in _ON_ANSWERS:
        yield point(words(result.cell), name, length, interval(result, result.values["tv"][:, length - 1]))


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    chains = [result for result in results if "bank" not in result.cell]
    yield from _of_chains(chains)
    for result in results:
        if "bank" in result.cell:
            yield from _along_answers(result)


def _of_chains(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        rule = result.cell["rule"], result.cell["strength"]
        for i, length in enumerate(LENGTHS):
            estimate = student(result.values["tv"][:, i], 0.95, 0, 1)
            yield point("rules", _RULES[rule], length, estimate)
    for result in results:
        if (result.cell["rule"], result.cell["strength"]) == _BOUNDED:
            for i, length in enumerate(LENGTHS):
                estimate = student(result.values["tv"][:, i], 0.95, 0, 1)
                yield point("bounds", _RULES[_BOUNDED], length, estimate)
            for bound, name in _BOUNDS.items():
                for i, length in enumerate(LENGTHS):
                    exact = float(result.values[bound][0, i])
                    yield point("bounds", name, length, Interval(exact, exact, exact, 1.0))


TITLES = {"rules": "Markov chains, by rule", "bounds": "Markov chains: EARS at β = 0.1 and what bounds it"} | {
    words(cell): f"{words(cell)}: along its answers" for cell in SMOLLM2.values()
}
STYLE: dict[str, dict[str, Any]] = {  # EARS in blues, darker where more is forgiven
    "EARS, β = 0.05": {"color": "#56B4E9", "marker": "o"},
    "EARS, β = 0.1": {"color": "#0072B2", "marker": "o"},
    "EARS, β = 0.2": {"color": "#003F63", "marker": "o"},
    "lenience, 0.8": {"color": "#E69F00", "marker": "s"},
    "sum of the tokens' biases": {"color": "#777777", "marker": "", "linestyle": "-."},
    "lower bound": {"color": "#000000", "marker": "", "linestyle": ":"},
    "upper bound": {"color": "#000000", "marker": "", "linestyle": "--"},
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw the distance of the text laws over the number of tokens."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for name in rows.of(panel).series():
            marks.curve(axes, rows.of(panel, name), **STYLE.get(name, {}))
        axes.set_xscale("log", base=2)
        lengths = sorted(set(rows.of(panel).column("x")))
        axes.set_xticks(lengths, [f"{length:g}" for length in lengths])
        axes.set_title(TITLES[panel])
        axes.set_xlabel("tokens of the text")
        axes.set_ylim(-0.02, 1.02)
        marks.labelled(axes)
    for axes in ax[::2]:
        axes.set_ylabel("total variation of the text laws")


TEXT_BIAS = Figure(
    name="ears.text-bias",
    title="The bias of a relaxed rule grows with the length of the text",
    source="EARS, open question 2",
    study=_study,
    sizes={"quick": {"rows": 64}, "deep": {"rows": 100_000}},
    compact=_compact,
    draw=_draw,
    data="above, Markov chains over 64 tokens with Gaussian logits of scale 2, draft of correlation 0.9; total variation of the "
    "laws of whole texts, estimated along texts of the target; right: EARS at β = 0.1 with exact bounds. Below, "
    "SmolLM2-135M-Instruct with its weights rounded to 3 or 4 bits for the draft: along 84 runs of 12 consecutive positions "
    "of the answers that it wrote at temperature 1 (chat, code, arithmetic), and no corpus texts, which are none of the "
    "target's; texts that begin at every position of a run; the tokens beyond the 1,024 likeliest of a cut row count as one",
    intervals="Student-t for chains, document bootstrap for SmolLM2, 95 % each",
    claims=("ears.sequence-bias",),
    shape=(2, 2),
    size=(9.6, 7.4),
)
