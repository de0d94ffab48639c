"""ears.other-uncertainty: in every context TV is the acceptance gained, so at equal TV no signal accepts more."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from fractions import Fraction as F
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.ears._gain_and_price import emitted, gained, residual, rows
from proofs_check.ears._moved_tokens import k, moved_tokens
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, index, laws, le, total, x
from simspec.claims.claim import Instance, margin
from simspec.claims.ears.other_uncertainty import (
    EQUAL_TV,
    FIRST,
    OTHER_UNCERTAINTY,
    OTHER_UNCERTAINTY_CORRECTED,
    OTHER_UNCERTAINTY_FRESH,
    OTHER_UNCERTAINTY_FRESH_SHARP,
    SAME_TV,
    THERE,
    THROUGHPUT,
    TOKENS,
    VARIANCE,
)
from simspec.claims.ears.parts import tolerance
from simspec.laws import Array
from simspec.methods import SD, acceptance_rate, ears

c = index("c")
CONTEXTS = sp.Symbol("N", integer=True, positive=True)


def _tolerances(d: Derivation) -> list[sp.Expr]:
    """Tolerance of a context under either signal, 1 − max p and another one; neither is negative."""
    tolerances = []
    for name in ("t", "u"):
        text = f"{name} is not negative"
        base = sp.IndexedBase(name, real=True) if d.dropped == text else sp.IndexedBase(name, nonnegative=True)
        d.domain(text, ge(base[c], 0))
        tolerances.append(base[c])
    return tolerances


def prove_corrected(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary and number of contexts, all laws and any two signals."""
    p, mass_p = rows(d, "p", c)
    q, mass_q = rows(d, "q", c)
    pair = (p[c, x], q[c, x])
    residue = residual(d, *pair, c)
    sums = []
    for name, t in zip(("o", "e"), _tolerances(d), strict=True):
        accepted = sp.Min(q[c, x], p[c, x] + sign * t * q[c, x])
        over = sp.Max(q[c, x] - p[c, x], 0)
        g = sp.Min(over, t * q[c, x])
        parts = d.summed("min(p, q) and what is pardoned", eq(accepted, sp.Min(*pair) + g), by="smt")
        some = d.smt("a pardon is not negative", ge(g, 0))
        within_surplus = d.derive("and no more than the draft has beyond", le(g, over))
        output = emitted(d, "the law of the emitted token", name, sp.Min(*pair) + g, residue[0], c)
        premises = [some, within_surplus]
        distance = gained(d, pair, g, (mass_p, mass_q), residue, output, *premises)
        tv = total(sp.Abs(output[0] - p[c, x]), x) / 2
        acceptance_split = d.derive(
            "acceptance is that of SD and TV", eq(total(accepted, x), total(sp.Min(*pair), x) + tv), parts, distance
        )
        sums.append((total(accepted, x), tv, d.sum("over the contexts", acceptance_split, c, upto=CONTEXTS)))
    (plain, plain_tv, acceptance_split), (other_rate, other_tv, two) = sums
    rate, bias = (
        [total(value, c, upto=CONTEXTS) / CONTEXTS for value in values]
        for values in ((plain, other_rate), (plain_tv, other_tv))
    )
    d.qed(d.derive("SD's share cancels", eq(rate[1] - rate[0], constant * (bias[1] - bias[0])), acceptance_split, two))


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary and number of contexts, all laws and any two signals.

    The factor 1 is the least: p = (1/2, 1/2, 0) with q = (1, 0, 0) at tolerances 1/2 against 0, beside a context
    without overlap at 0 against 1/4, use up the whole of α(1 − α) = 1/4.
    """
    p, mass_p = rows(d, "p", c)
    q, mass_q = rows(d, "q", c)
    pair = (p[c, x], q[c, x])
    overlap = sp.Min(*pair)
    over = sp.Max(q[c, x] - p[c, x], 0)
    a = sp.IndexedBase("alpha", real=True)
    alpha = d.define("acceptance rate of SD", a[c], total(overlap, x))
    low = d.derive("not negative", ge(a[c], 0), alpha, d.summed("min", ge(overlap, 0), by="smt"))
    sd_at_most_one = d.summed("the smaller", le(overlap, p[c, x]))
    sd_at_most_one = d.derive("at most 1", le(a[c], 1), alpha, sd_at_most_one, mass_p)
    law = d.derive("p is a law", ge(p[c, x], 0))
    conclusions = []
    for name, t in zip(("k", "l"), _tolerances(d), strict=True):
        g = sp.Min(over, t * q[c, x])
        k = sp.IndexedBase(name, real=True)[c]
        rate = sp.IndexedBase(f"rate_{name}", real=True)[c]
        rate_rule = d.define("acceptance rate", rate, total(sp.Min(q[c, x], p[c, x] + sign * t * q[c, x]), x))
        pardon = d.define("pardoned mass", k, total(g, x))
        parts = d.summed(
            "min(p, q) and what is pardoned", eq(sp.Min(q[c, x], p[c, x] + t * q[c, x]), overlap + g), by="smt"
        )
        parts = d.smt("acceptance", eq(rate, a[c] + k), parts, rate_rule, pardon, alpha)
        some = d.smt("a pardon is not negative", ge(g, 0))
        some = d.derive("nor in all", ge(k, 0), d.sum("over the vocabulary", some, x), pardon)
        cap = d.derive("no more is kept than drafted", le(overlap + g, q[c, x]))
        cap = d.smt("a rate", le(rate, 1), d.sum("over the vocabulary", cap, x), parts, pardon, alpha, mass_q)
        bias = overlap + g + (1 - rate) * p[c, x] - p[c, x]
        extra = sp.Max(overlap - rate * p[c, x], 0)
        split = eq(sp.Abs(bias), 2 * (g + extra) - (overlap + g - rate * p[c, x]))
        split = d.summed("beyond p: what is pardoned, and what is drawn twice", split, law, cap, parts, by="smt")
        tv = total(sp.Abs(bias), x) / 2
        split = d.derive("both laws have mass one", eq(tv, k + total(extra, x)), split, parts, pardon, alpha, mass_p)
        bound = d.summed(
            "drawn twice", le(extra, (1 - a[c]) * overlap), law, low, sd_at_most_one, some, parts, by="smt"
        )
        bound = d.smt("in all", le(total(extra, x), a[c] * (1 - a[c])), bound, alpha)
        floor = d.summed("not negative", ge(extra, 0))
        upper = d.smt("TV beyond the acceptance gained", le(tv - (rate - a[c]), a[c] * (1 - a[c])), split, bound, parts)
        lower = d.smt("and at least that", ge(tv - (rate - a[c]), 0), split, floor, parts)
        upper, lower = (d.sum("over the contexts", f, c, upto=CONTEXTS) for f in (upper, lower))
        conclusions.append((total(rate, c, upto=CONTEXTS), total(tv, c, upto=CONTEXTS), upper, lower))
    (plain, plain_tv, *first_), (other_rate, other_tv, *second) = conclusions
    same = d.assume(EQUAL_TV, eq(plain_tv, other_tv))
    sd_spread = total(a[c] * (1 - a[c]), c, upto=CONTEXTS)
    gap = sp.Abs(other_rate - plain)
    in_all = d.smt("equal TV leaves only that room", le(gap, constant * sd_spread), *first_, *second, same)
    has_context = d.domain("there is a context", ge(CONTEXTS, 1))
    d.smt("the room is at most 1/4", le(a[c] * (1 - a[c]), sp.Rational(1, 4)))
    mean = le(sp.Abs(other_rate / CONTEXTS - plain / CONTEXTS), constant * sd_spread / CONTEXTS)
    d.qed(d.smt("in the mean", mean, in_all, has_context))


def prove_throughput(d: Derivation, sign: int = 1, factor: int = 1) -> None:
    """Two contexts of any rates, every number of drafts from two on; rates are those of the contexts.

    Equality with two drafts a block, for all rates. That the mean acceptance is the same where the mean TV is:
    ears.other-uncertainty-corrected.
    """
    rates = [d.number(name, 0) for name in ("A", "a", "b", "B")]
    A, a, b, B = rates
    same = d.assume(SAME_TV, eq(A + sign * B, a + b))
    first = d.assume(FIRST, ge(a, b))
    there = d.assume(THERE, ge(A, a))
    second_loses = d.derive("as much is taken from the second", ge(b, B), same, there)
    positive = d.derive("a rate is not negative", ge(B, 0))
    powers_by_rate, gain = moved_tokens(d, rates, [there, first, second_loses, positive], same, factor)
    n = sp.Symbol("n", integer=True, nonnegative=True)
    gain = d.instantiate("with n + 2 drafts", gain, {k: n})
    other_mean, plain = (
        (x.T[n + 2] + y.T[n + 2]) / 2
        for x, y in ((powers_by_rate[0], powers_by_rate[3]), (powers_by_rate[1], powers_by_rate[2]))
    )
    d.qed(d.derive("in the mean", ge(other_mean - plain, factor * (A - a) * (A - b)), gain))


def _bind_rates(p: Array, q: Array, beta: Fraction, u: Array, gamma: int) -> dict[str, Any]:
    (a, b) = acceptance_rate(ears(beta), p, q)
    (A, B) = acceptance_rate(ears(1, lambda p: u), p, q)
    return {"A": A, "a": a, "b": b, "B": B, "n": gamma - 2}


def uneven() -> Iterator[Instance]:
    """The same contexts and tolerances with two drafts a block, where the mean TV is the same."""
    return ({**case, "gamma": 2} for case in few_contexts())


def _values(p: Array, q: Array, beta: Fraction, u: Array) -> dict[str, Any]:
    return {
        **{"p": p, "q": q, "V": p.shape[-1], "N": len(p), "r": SD.residual(p, q)},
        **{"t": tolerance(p, beta)[:, 0], "u": u, "ranges": {"c": range(1, len(p) + 1)}},
    }


# --- exact pairs of contexts ----------------------------------------------------------------------------------------


def few_contexts() -> Iterator[Instance]:
    """Two contexts of two tokens with masses 0, 1/2, 1; β = 1; tolerances 0, 1/4, 1/2 in each context."""
    some = list(laws(2, 2))
    for p, q in product(product(some, repeat=2), repeat=2):
        for u in product((F(0), F(1, 4), F(1, 2)), repeat=2):
            yield {"p": np.stack(p), "q": np.stack(q), "beta": F(1), "u": np.array(u, dtype=object)}


def prove_fresh(d: Derivation, flip: bool = False, scale: F = F(1)) -> None:
    """The claim is that both exist: two exact pairs of contexts, one of each kind.

    By how much at most: ears.other-uncertainty.fresh-sharp.
    """
    claim = OTHER_UNCERTAINTY_FRESH
    d.assume(EQUAL_TV), d.assume(VARIANCE)
    active_assumptions = [name for name in (EQUAL_TV, VARIANCE) if name != d.dropped]

    def inside(case: Instance) -> bool:
        return not [name for name in claim.broken_assumptions(case) if name in active_assumptions]

    def as_said(case: Instance) -> bool:
        return inside(case) and margin(claim.slack(case)) >= 0

    cases = [{**s, "u": scale * s["u"], "more": s["more"] is not flip} for s in claim.tight]
    outside = [s for s in claim.outside.values() if inside(s)]
    d.exhaust("the variance gives more in one pair of contexts, and less in another", as_said, [*cases, *outside])


PROOFS = (
    Refutation(
        OTHER_UNCERTAINTY,
        few_contexts,
        scope="the first pair of contexts of two tokens with masses in halves, β = 1 and tolerances in quarters",
        repaired={"differs by what TV differs": OTHER_UNCERTAINTY_CORRECTED},
    ),
    Proof(THROUGHPUT, prove_throughput, drop=FIRST, change={"factor": 2}, bind=_bind_rates),
    Refutation(
        TOKENS,
        uneven,
        scope="the same pairs of contexts with two drafts a block",
        repaired={"one draft a block": lambda: ({**case, "gamma": 1} for case in uneven())},
    ),
    Proof(OTHER_UNCERTAINTY_CORRECTED, prove_corrected, drop="t is not negative", bind=_values),
    Proof(
        OTHER_UNCERTAINTY_FRESH, prove_fresh, drop=VARIANCE, flip={"flip": True}, change={"scale": F(1, 2)}, bind=None
    ),
    Proof(OTHER_UNCERTAINTY_FRESH_SHARP, prove_sharp, drop="p sums to one", change={"constant": F(1, 2)}, bind=_values),
)
