"""The acceptance at a position, given that all earlier drafts were accepted, falls with the position.

`tasc.position-decay`, with its correction: TASC, 6.2 and Figure 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, Instance, at_least, bound, broken, law
from simspec.claims.claim import Printed, at_most
from simspec.claims.measured import Found, Interval, Result, Results, documents, empirical, figure, level_of
from simspec.claims.tasc.drafts import DATA, compared, deciding_cells, drafts
from simspec.laws import overlap
from simspec.methods.tasc.acceptance import survival
from simspec.studies.tasc.ngram_drafts import MIX

FEWEST = 20
"""Drafts that must have been reached on either side; with fewer, nothing is told."""


def _position(result: Result, drafter: str, later: slice, earlier: slice, level: float) -> Interval:
    """Acceptance at later positions less that at earlier ones, each given that all before it were accepted."""
    accepted, reached = (result.values[f"{drafter} {counter}"] for counter in ("accepted", "reached"))
    table = np.column_stack(
        [x[:, positions].sum(axis=1) for positions in (later, earlier) for x in (accepted, reached)]
    )

    def difference(m: Array) -> Array:
        denominator = m[..., 1] * m[..., 3]  # 0 where one of the two was never reached: nothing is told then
        return np.divide(
            m[..., 0] * m[..., 3] - m[..., 2] * m[..., 1],
            denominator,
            out=np.zeros_like(denominator),
            where=denominator > 0,
        )

    interval = documents(table, np.arange(len(table)), level, statistic=difference)
    enough = table[:, [1, 3]].sum(axis=0).min() >= FEWEST
    return interval if enough else interval._replace(low=-1.0, high=1.0)


def _shares(result: Result, drafter: str) -> dict[str, float]:
    offered, reached, accepted = (
        result.values[f"{drafter} {counter}"].sum(axis=0) for counter in ("offered", "reached", "accepted")
    )
    facts: dict[str, Any] = {}
    for name, totals in (("given all before", reached), ("unconditional", offered)):
        facts |= {
            f"{name}, position {i + 1}": a / w for i, (a, w) in enumerate(zip(accepted, totals, strict=True)) if w
        }
    return {name: float(share) for name, share in facts.items()}


_STEPS = (("positions 2 and later less position 1", slice(1, None), slice(0, 1)),
          ("positions 3 and later less position 2", slice(2, None), slice(1, 2)))  # fmt: skip


def _decay(results: Results) -> Found:
    level = level_of(len(_STEPS) * deciding_cells(results))
    for result in results:
        for drafter, drafter_name in (("mixed", f"TASC-spec (λ = {MIX:g})"), ("corpus", "corpus alone")):
            facts = _shares(result, drafter)
            for step, later, earlier in _STEPS:
                gap = _position(result, drafter, later, earlier, level)
                below = 0.0 if drafter == "mixed" else None
                yield compared(result, f"{drafter_name}, acceptance given all before, {step}", gap, facts, below=below)
                facts = {}


def _decay_plot(results: Results) -> dict[str, Any]:
    series = []
    for result in results:
        offered, reached, accepted = (
            result.values[f"mixed {counter}"].sum(axis=0) for counter in ("offered", "reached", "accepted")
        )
        for name, totals in (("given all before", reached), ("unconditional", offered)):
            there = totals >= 20
            name = f"{result.cell['corpus']}, {result.cell['verify']}, {name}"
            x = (1 + np.flatnonzero(there)).tolist()
            y = (accepted[there] / totals[there]).tolist()
            series.append({"name": name, "x": x, "y": y})
    return figure("Acceptance by position", "position of the draft", "acceptance", series)


DECAY = empirical(
    name="tasc.position-decay",
    statement="acceptance at position i, given that all earlier positions were accepted, falls with i",
    reference="TASC, 6.2 and Figure 4",
    corrected_by=("tasc.position-decay-corrected",),
    note="The share of calls that accept position i falls by definition, because it counts nested events. Given that "
    "all earlier drafts were accepted it need not: what got so far is the predictable part of the text, and where most "
    "first drafts fail, as in answers to questions, later ones do better.",
    study=drafts,
    estimate=_decay,
    criterion=DATA + "Supported when TASC-spec's acceptance given all before, pooled over positions 2 to 8, is "
    "below that of position 1, and over 3 to 8 below that of position 2, for each of the three tasks, by "
    "bootstrap intervals over pairs that hold together at 95 %; unsupported when one interval lies at or above 0.",
    plot=_decay_plot,
    printed=Printed(
        place="TASC 6.2",
        text="the acceptance rate drops as the position index increases",
        read="Of positions that are reached: given that all before were accepted.",
    ),
)

SAME = "the laws of a call do not change along it"
DRAFTS = 3
HALF = law("1/2", "1/2")


def _calls(draw: Draw) -> Instance:
    number = draw.integer(1, 2)
    pairs = [draw.pair(2) for _ in range(number)]
    return {"share": draw.law(number), "p": np.stack([p for p, _ in pairs]), "q": np.stack([q for _, q in pairs])}


def _survival(share: Array, p: Array, q: Array, later: Array | None = None) -> Array:
    """Probability that the first 0, 1, ..., 3 drafts of a call are accepted, by enumeration of drafts."""
    total: Any = 0
    for i, weight in enumerate(share):
        first = p[i]
        then = p[i] if later is None else later[i]
        laws = (lambda prefix, first=first, then=then: then if prefix else first, lambda prefix, d=q[i]: d)
        total = total + weight * survival(laws[0], laws[1], (), DRAFTS)
    return np.array([sum(share), *total])


def _moments(share: Array, p: Array, q: Array) -> Array:
    alpha = np.array([overlap(a, b) for a, b in zip(p, q, strict=True)])
    return np.array([(share * alpha**i).sum() for i in range(1, DRAFTS)])


def _neighbours(share: Array, p: Array, q: Array, later: Array | None = None) -> Array:
    s = _survival(share, p, q, later)
    return s[2:] * s[:-2]


DECAY_CORRECTED = bound(
    name="tasc.position-decay-corrected",
    statement=r"calls differ but the laws of a call do not change along it $\Rightarrow$ acceptance given all before "
    r"does not fall with the position: $S_{i+1}/S_i \ge S_i/S_{i-1}$, with $S_i$ the share of calls that accept position i",
    reference="own statement: TASC, Figure 4, what survival alone does",
    instances=_calls,
    assumes={SAME: lambda later=None: later is None},
    lhs=_neighbours,
    relation=at_least,
    rhs=lambda share, p, q: _moments(share, p, q) ** 2,
    tight=({"share": HALF, "p": np.stack([HALF, HALF]), "q": np.stack([law(1, 0), law(0, 1)])},),
    outside={SAME: {"share": law(1), "p": HALF[None], "q": HALF[None], "later": law(1, 0)[None]}},
    note=r"With acceptance α in a call, $S_i = E\,\alpha^i$, and Cauchy and Schwarz give $S_i^2 \le S_{i-1} S_{i+1}$; "
    "equal only where all calls that accept at all are alike. A fall along positions is thus due to laws that move "
    "apart within a call, by more than the choice of easy calls makes up for.",
    sources=("exact",),
    broken=[
        broken("the relation is turned", relation=at_most),
        Broken("twice the bound", lambda claim: {"rhs": lambda **x: 2 * claim.rhs(**x)}),
        broken("the square of the survival", lhs=lambda share, p, q: _survival(share, p, q)[2:] ** 2),
    ],
)
