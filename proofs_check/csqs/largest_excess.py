"""csqs.largest-excess: Eq. 8 summed, and the threshold falls no further than to the floor of csqs.lowest-threshold."""

from __future__ import annotations

import sympy as sp

from proofs_check.csqs._dropped_sum import at_end, dropped_sum, summed
from proofs_check.csqs._lowest_point import never_below_floor, shares
from proofs_check.csqs._recursion import LAWS, T, bind, text, threshold
from proofs_check.language import Derivation, Proof, le
from simspec.claims.csqs.largest_excess import LARGEST_EXCESS
from simspec.claims.csqs.parts import READINGS


def prove(d: Derivation, sign: int = 1, share: int = 1) -> None:
    """Every vocabulary of two tokens or more, text, T, start, step size and target in [0, 1]; both readings.

    For α < 1 (keep-top: α < 1 − 1/V) no number can be lowered, as for csqs.lowest-threshold: V − 1 tokens of mass (1 −
    ε)β each, from β₁ in (α/(V − 1), 1/V] and where η(V − 1) < 1, in the limit of many tokens; a flat law and β₁ = 1/V +
    ε at T = 1, which leaves ε/η. The 0 is the empty sum; for starts below the floor no T ≥ 1 need come near it.
    """
    w = text(d)
    lowest_shares = shares(d, w)
    conclusions = []
    for top in READINGS:
        h = threshold(d, w, top, sign)
        s = dropped_sum(d, h)
        after = summed(d, w, h, s)
        low = at_end(d, never_below_floor(d, w, h, lowest_shares, share))
        m = sp.Symbol("m_top" if top else "m", real=True)
        fall = sp.Max(0, w.start - sp.Min(lowest_shares.s, m))
        below = d.derive("it falls to the floor at most", le(w.eta * (s.S[T] - w.alpha * T), fall), after, low)
        conclusions.append(d.derive("the excess", le(s.S[T] - w.alpha * T, fall / w.eta), below))
    d.qed(*conclusions)


PROOF = Proof(LARGEST_EXCESS, prove, drop=LAWS, change={"share": 2}, bind=bind)
