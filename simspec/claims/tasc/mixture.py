"""A mixture of corpus and prompt gives more tokens per target step than either alone.

`tasc.mixture`: TASC, Appendix C.5 and Figure 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simspec.claims.claim import Printed
from simspec.claims.deciding.evidence import line
from simspec.claims.measured import LEVEL, Found, Interval, Result, Results, documents, empirical, figure, level_of
from simspec.claims.tasc.drafts import DATA, compared, deciding_cells, drafts, gain_of, rate_of
from simspec.studies.tasc.ngram_drafts import MIXES


def _per_call(result: Result, drafter: str, level: float) -> Interval:
    v = result.values
    table = np.column_stack([v["tokens"], v[f"{drafter} calls"]])
    return documents(table, np.arange(len(table)), level, statistic=lambda m: m[..., 0] / m[..., 1])


INSIDE = tuple(mix for mix in MIXES if 0.5 <= mix <= 0.9)
PEAK = tuple(mix for mix in MIXES if 0.5 <= mix <= 0.75)


def _name(mix: float) -> str:
    return {0.0: "the prompt alone", 1.0: "the corpus alone"}.get(mix, f"λ = {mix:g}")


def _best(result: Result, among: Sequence[float]) -> float:
    """The weight with the most tokens per call on the tuning pairs."""
    tuned = dict(zip(MIXES, result.values["tuned"][0].tolist(), strict=True))
    return max(among, key=lambda mix: tuned[mix])


def _compared(result: Result, statements: Sequence[tuple[float, float, float | None]], level: float) -> Found:
    """Tokens per call of one weight less those of another, and what that must exceed, if it decides."""
    facts = _rates(result)
    for first_weight, second_weight, exceed in statements:
        gap = gain_of(result, f"mix {first_weight:g}", f"mix {second_weight:g}", level)
        label = f"tokens per call, {_name(first_weight)} less {_name(second_weight)}"
        yield compared(result, label, gap, facts, exceed=exceed)
        facts = {}  # shown once a cell


def _rates(result: Result) -> dict[str, float]:
    return {_name(mix): rate_of(result, f"mix {mix:g}") for mix in MIXES}


def _mixture(results: Results) -> Found:
    level = level_of((2 * len(INSIDE) + 1) * deciding_cells(results))
    for result in results:
        outside = [mix for mix in MIXES if mix not in PEAK]
        pairs = [(mix, end) for mix in INSIDE for end in (0.0, 1.0)] + [(_best(result, PEAK), _best(result, outside))]
        yield from _compared(
            result, [(first_weight, second_weight, 0.0) for first_weight, second_weight in pairs], level
        )


def _mixture_plot(results: Results) -> dict[str, Any]:
    series = []
    for result in results:
        intervals = [_per_call(result, f"mix {mix:g}", LEVEL) for mix in MIXES]
        series.append(line(f"{result.cell['corpus']}, {result.cell['verify']}", MIXES, intervals))
    return figure("Corpus and prompt mixed", "weight of the corpus, λ", "tokens per target call", series)


MIXTURE = empirical(
    name="tasc.mixture",
    statement=r"each $\lambda$ in $[0.5, 0.9]$ gives more tokens per target call than the corpus alone and than the "
    r"prompt alone, and the best $\lambda$ lies in $[0.5, 0.75]$",
    reference="TASC, Appendix C.5 and Figure 7",
    note="Greedy drafts take the highest of two peaks. Of SmolLM2's outputs each weight from 0.5 to 0.75 gains on the "
    "corpus alone; at 0.9 the peak is nearly always the corpus's, and intents and slots gain nothing on it. A law "
    "from few counts is peaked whether or not it is right: of token types, where the corpus alone does well, "
    "weights near 0.5 let the prompt overrule it.",
    study=drafts,
    estimate=_mixture,
    criterion=DATA + "Supported when each of λ = 0.5, 0.6, 0.75, 0.9 gives more tokens per call than λ = 0 and "
    "than λ = 1, and the best of 0.5, 0.6, 0.75 more than the best of the other weights (both chosen on other "
    "pairs), for each of the three tasks, by bootstrap intervals over pairs that hold together at 95 %; "
    "unsupported when one interval lies at or below 0.",
    plot=_mixture_plot,
    printed=Printed(
        place="TASC C.5",
        text="we result in a mixture distribution that improves upon both the corpus n-gram and the prompt information",
        read="Tokens per target call at each weight from 0.5 to 0.9, and where the best one lies.",
    ),
)
