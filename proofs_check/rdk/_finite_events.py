"""Two logits as finitely many events: where the greater mean is the greater logit, and where RDK does worse than TLI."""

from __future__ import annotations

import itertools
from fractions import Fraction
from fractions import Fraction as F
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, index, le, lt, total, x
from proofs_check.rdk._tilted_laws import at_least_one
from simspec.claims.balls import ball, log
from simspec.claims.rdk.gaussian_advantage import normal_cdf, not_worse, target
from simspec.laws import Array
from simspec.laws.unchecked import overlap  # drafts that are no laws are asked about, too

c = index("c")
"""An event of a partition of the outcomes on which neither z_a ≥ z_b nor "RDK is worse" changes."""
N = sp.Symbol("N", integer=True, positive=True)
w, diff, favoured, worse = (sp.IndexedBase(name, real=True) for name in ("w", "diff", "favoured", "worse"))


def likelier(
    d: Derivation, p: sp.IndexedBase, is_a: sp.IndexedBase, is_b: sp.IndexedBase, one_b: Fact
) -> tuple[list[Fact], Fact]:
    """In the event z_a ≥ z_b the target has p_a ≥ p_b."""
    p_a = total(is_a[x] * p[c, x], x)
    p_b = total(is_b[x] * p[c, x], x)
    softmax = d.domain("the target is the softmax of the logits", eq(p_a, sp.exp(diff[c]) * p_b))
    event = d.domain(
        "the event z_a ≥ z_b, or its complement", eq(favoured[c] ** 2, favoured[c]), ge(favoured[c] * diff[c], 0)
    )
    b_mass = d.summed("no mass is negative", ge(is_b[x] * p[c, x], 0), one_b, then="over the tokens", by="smt")
    h, odds_bound = at_least_one(d)
    goal = ge(favoured[c] * (p_a - p_b), 0)
    right = d.case("z_a ≥ z_b there", ge(diff[c], 0))
    odds = d.instantiate("so the odds are one or more", odds_bound, {h: diff[c]}, right)
    yes = d.smt("a is no less likely than b", goal, odds, softmax, event[0], b_mass)
    unfavoured_case = d.case("z_a < z_b there", lt(diff[c], 0))
    no = d.smt("or it is not that event", goal, event[0], event[1], unfavoured_case)
    return event, d.cases("where z_a ≥ z_b, p_a ≥ p_b", yes, no)


def probability(d: Derivation, event: list[Fact], tli: sp.Expr, rdk: sp.Expr, better: Fact) -> tuple[Any, Any, Fact]:
    """P(RDK is no worse) ≥ P(z_a ≥ z_b), from: in the event z_a ≥ z_b it is no worse."""
    large = d.number("large", positive=True)
    no_negative = d.domain("probabilities are not negative", ge(w[c], 0))
    flag = d.domain(
        "worse[c] = 1 where RDK accepts less than TLI, and 0 elsewhere (large is large)",
        eq(worse[c] ** 2, worse[c]),
        le(worse[c], large * sp.Max(tli - rdk, 0)),
        le(large * sp.Max(tli - rdk, 0), large**2 * worse[c]),
    )
    apart = d.smt(
        "so it is worse in none of these outcomes", eq(favoured[c] * worse[c], 0), better, event[0], *flag[:2]
    )
    event_contained = d.smt(
        "the event z_a ≥ z_b is part of RDK being no worse",
        ge(w[c] * (1 - worse[c]), w[c] * favoured[c]),
        *(apart, no_negative, event[0], flag[0]),
    )
    P = sp.Symbol("P", real=True)
    meaning = d.define("the probability of RDK being no worse", P, total(w[c] * (1 - worse[c]), c, upto=N))
    likely = total(w[c] * favoured[c], c, upto=N)
    event_contained = d.sum("over the events", event_contained, c, upto=N)
    return P, likely, d.smt("a larger event is no less probable", ge(P, likely), event_contained, meaning)


def values(mean: F, width: Any, above: int, d: Array, M: Array, share: Fraction | int = 1) -> dict[str, Any]:
    """The partition of an instance by the mass of the upper group; a law of each event, at an outcome in it."""
    vocab = len(d)
    r = d @ M
    plain = share * d
    good = not_worse(above, d, M, share)
    ends = sorted({F(0), F(1), F(above, vocab), *(t for interval in good for t in interval)})

    def cdf(t: F) -> Any:
        if t in (0, 1):
            return ball(t)
        limit = ball(t * (vocab - above) / ((1 - t) * above)).log() - ball(mean)
        return ball(int(limit > 0)) if width == 0 else normal_cdf(limit / width)

    def outcome(low: F, high: F) -> F:
        """A mass in between at which RDK is worse, or no worse, as nearly everywhere in between."""
        fine = any(a <= low and high <= b for a, b in good)
        inside = (low + (high - low) * F(1, k) for k in range(2, 99))
        return next(t for t in inside if bool(overlap(p := target(t, above, vocab), r) >= overlap(p, plain)) is fine)

    cells = list(itertools.pairwise(ends))
    masses = [outcome(*cell) for cell in cells]
    laws = [target(t, above, vocab) for t in masses]
    gaps = [overlap(p, plain) - overlap(p, r) for p in laws]
    return {
        **{"w": [cdf(high) - cdf(low) for low, high in cells], "p": np.array(laws), "N": len(cells), "V": vocab},
        **{"diff": [log(p[0] / p[above]) for p in laws], "favoured": [int(p[0] >= p[above]) for p in laws]},
        **{"worse": [int(gap > 0) for gap in gaps], "large": max([1 / g for g in gaps if g > 0], default=F(1)) + 1},
        "ranges": {"c": range(1, len(cells) + 1)},
    }
