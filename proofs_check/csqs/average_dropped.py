"""csqs.average-dropped: the average exceeds α by the threshold's fall over ηT, and that ends at its lower end."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product

import sympy as sp

from proofs_check.csqs._dropped_sum import at_end, dropped_sum, summed
from proofs_check.csqs._recursion import (
    BELOW,
    LAWS,
    T,
    bind,
    even_share,
    lowest,
    mass_bounds,
    never_below_share,
    text,
    threshold,
    top_leaves,
)
from proofs_check.language import Derivation, Fact, Proof, Refutation, laws, le
from simspec.claims.claim import Instance
from simspec.claims.csqs.average_dropped import AVERAGE, AVERAGE_CORRECTED, AVERAGE_SHARP, SMALL
from simspec.claims.csqs.parts import READINGS


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every text, T, start, step size and target in [0, 1] under the condition; both readings of an empty set.

    The condition cannot be weaker for α > 0 or β₁ > 0: where it fails by any margin, some text over many tokens breaks
    it, keep-top: one that leads the threshold to just above 1/V and ends with a flat law. (For α = 0 and β₁ ≤ 0 nothing
    is ever dropped.) The excess itself is not sharp: csqs.average-dropped-sharp.
    """
    w = text(d)
    small = d.assume(SMALL, le(w.eta * (1 - 2 * w.alpha), 1 + sp.Abs(w.start) - w.start))
    excess = (sp.Abs(w.start) + constant + w.eta * w.alpha) / (w.eta * T)
    conclusions = []
    for top in READINGS:
        h = threshold(d, w, top, sign)
        s = dropped_sum(d, h)
        after = summed(d, w, h, s)
        low = at_end(d, lowest(d, w, h))
        total = d.derive("in all", le(w.eta * s.S[T], w.eta * T * (w.alpha + excess)), after, low, small)
        conclusions.append(d.derive("on average", le(s.S[T] / T, w.alpha + excess), total))
    d.qed(*conclusions)


def prove_sharp(d: Derivation, sign: int = 1, share: int = 1) -> None:
    """Every text, T, start, step size and target in [0, 1]; both readings of an empty set.

    Where η(1 − α) ≥ 1/V (keep-top: η(1 − 1/V − α)) and β₁ is just above 1/V: at T = 1 flat laws and β₁ = 1/V + ε come
    within ε/η of the first bound. csqs.largest-excess, with β₁ − α/(V − 1) for β₁, is no larger elsewhere.
    """
    w = text(d)
    (u, even) = even_share(d)
    conclusions: list[Fact] = []
    for top in READINGS:
        h = threshold(d, w, top, sign)
        s = dropped_sum(d, h)
        after = summed(d, w, h, s)
        at_most = top_leaves(d, w, h, u, even) if top else mass_bounds(d, w, h)[1]
        step = w.eta * (at_most.relation.rhs - w.alpha)
        near = at_end(d, never_below_share(d, w, h, u, even, share))
        low = at_end(d, lowest(d, w, h, at_most))
        for fall, end in ((sp.Max(0, w.start, w.start + step - share * u), near), (sp.Max(0, w.start + step), low)):
            total = d.derive("in all", le(w.eta * s.S[T], w.eta * T * w.alpha + fall), after, end)
            conclusions.append(d.derive("on average", le(s.S[T] / T, w.alpha + fall / (w.eta * T)), total))
    d.qed(*conclusions)


def tokens() -> Iterator[Instance]:
    """One token, V = 1, 2, masses in halves; η = 1, 2, …, 16, α = ⅛, ¼, β₁ = 0, ½, … 2."""
    for step, target, start, vocab in product(range(1, 17), (F(1, 8), F(1, 4)), range(5), (1, 2)):
        for q in laws(vocab, 2):
            yield {"q": q[None], "start": F(start, 2), "step_size": F(step), "dropped_target": target}


PROOFS = (
    Refutation(
        AVERAGE,
        tokens,
        scope="the first text of one token in order of the step size, V = 1, 2 and masses in halves",
        repaired={SMALL: AVERAGE_CORRECTED},
    ),
    Proof(AVERAGE_CORRECTED, prove, drop=BELOW, change={"constant": sp.S.Half}, bind=bind),
    Proof(AVERAGE_SHARP, prove_sharp, drop=LAWS, change={"share": 2}, bind=bind),
)
