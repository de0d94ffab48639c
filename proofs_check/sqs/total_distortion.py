"""sqs.total-distortion: the distance is what is dropped, and what rounding adds: by the triangle inequality, or exactly."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, le, total, x
from proofs_check.sqs._algorithm_two import Rounded, rounded
from proofs_check.sqs._kept_tokens import Sparse, lost, scaled_up, sparse, values
from proofs_check.sqs._lattice_distance import distance, sharp_values, sharpest
from simspec.claims.sqs.total_distortion import TOTAL, TOTAL_SHARP

EVERY = "every vocabulary size, law, set of tokens that has mass, resolution, and any choice among equal ζ"


def prove(d: Derivation, sign: int = 1, four: int = 4) -> None:
    """TV(q, q̂) ≤ δ + K/(4ℓ): the dropped mass, and what rounding K kept tokens to multiples of 1/ℓ adds."""
    s = sparse(d)
    r = rounded(d, s, sign)
    first = lost(d, s)
    distance_facts = distance(d, s, r)
    near = sp.Abs(s.q[x] - s.law)
    far = sp.Abs(s.law - r.law)
    all_ = sp.Abs(s.q[x] - r.law)
    triangle = d.summed("triangle inequality", le(all_, near + far), by="smt")
    added = s.size / (four * r.resolution)
    premises = [distance_facts.all, distance_facts.average, r.one, *distance_facts.bounds]
    rounding = d.smt("rounding adds m − m²/K, which is at most K/4", le(total(far, x) / 2, added), *premises)
    d.qed(d.smt("sparsifying and rounding", le(total(all_, x) / 2, s.dropped + added), triangle, first, rounding))


def kept_and_dropped(d: Derivation, s: Sparse, r: Rounded, bound: Fact, worst: sp.Symbol) -> tuple[Fact, Fact, Fact]:
    """δ ≤ TV(q, q̂) ≤ δ + (1 − δ) worst, from `bound`, TV(q̃, q̂) ≤ worst; and that 1 − δ is not negative."""
    retained_mass = total(s.u[x] * s.q[x], x)
    at_most_one = d.smt("the kept mass is at most one", le(retained_mass, 1), scaled_up(d, s), s.accepted_mass)
    gap = sp.Abs(s.q[x] - r.law)
    rounding = sp.Abs(s.law - r.law)
    only = d.smt(
        "nothing is sent outside the kept tokens", eq(s.u[x] * r.counts, r.counts), *(r.outside, r.kept, r.flag, s.flag)
    )
    size = d.summed("what is sent", eq(r.law, r.law))
    sent = d.derive("what is sent is a law", eq(total(r.law, x), 1), size, r.whole, r.number, r.one)
    positive = d.smt("what is sent is not negative", ge(r.law, 0), r.flag)
    below = d.summed("what is not sent is lost", ge(gap, (1 - 2 * s.u[x]) * s.q[x] + r.law), only, s.flag, by="smt")
    above = d.smt(
        "a kept token loses by rounding at most its share of what q̃ loses",
        le(gap, 2 * (1 - s.u[x]) * s.q[x] + retained_mass * (rounding + s.law - r.law) - (s.q[x] - r.law)),
        only, positive, s.flag, s.accepted_mass, at_most_one
    )  # fmt: skip
    above = d.sum("over the vocabulary", above, x)
    law = d.derive("q̃ is a law", eq(total(s.law, x), 1), s.accepted_mass)
    share = d.derive("a mass", ge(retained_mass, 0))
    masses = [sent, law, s.mass]
    return (
        d.smt("both laws have mass one", le(s.dropped, total(gap, x) / 2), below, sent, s.mass),
        d.smt("together", le(total(gap, x) / 2, s.dropped + (1 - s.dropped) * worst), above, *masses, bound, share),
        share,
    )


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    s = sparse(d)
    r = rounded(d, s, sign)
    worst, bound, *_ = sharpest(d, s, r, distance(d, s, r), constant=constant)
    d.qed(*kept_and_dropped(d, s, r, bound, worst)[:2])


PROOFS = (
    Proof(
        TOTAL,
        prove,
        drop="the kept tokens have mass",
        change={"four": 5},
        bind=values,
        scope=EVERY,
        sharp="Both constants are least: flat laws over two tokens at ℓ = 1 attain the sum with nothing dropped, and for K = 1 "
        "nothing is rounded: the dropped mass alone is attained as ℓ grows. "
        "For each K, ℓ and dropped mass see sqs.total-distortion-sharp.",
    ),
    Proof(
        TOTAL_SHARP,
        prove_sharp,
        drop="the kept tokens have mass",
        change={"constant": sp.Rational(1, 2)},
        bind=sharp_values,
        scope=EVERY,
        sharp="Both sides are attained: the lower one where no token is rounded down below its own mass, the upper one where "
        "those rounded down are rounded to zero, as for q = (1, 1, 1)/3, two tokens kept, ℓ = 1.",
    ),
)
