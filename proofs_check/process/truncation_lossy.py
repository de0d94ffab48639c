"""process.truncation-lossy: the output exceeds the truncated target by what is accepted beyond it, and lacks it elsewhere."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, le, total, x, y
from simspec.claims.process.truncation_lossy import MOST, TRUNCATION_LOSSY, truncated
from simspec.laws import Array, Scalar

LIKELY = "S has the tokens with p(x) ≥ θ"
CUT = "the truncated target is p on S over p(S)"


def _distortion(
    d: Derivation, s: sp.IndexedBase, q: sp.IndexedBase, cut: sp.IndexedBase, mass_cut: Fact
) -> tuple[Any, Any, Fact]:
    """The total variation, what is accepted beyond, and that the two are equal."""
    accepted = q[x] * s[x]
    all_accepted = total(accepted, x)
    emitted = accepted + (1 - all_accepted) * cut[x]
    beyond = sp.Max(accepted - all_accepted * cut[x], 0)
    halves = d.derive(
        "a distance is twice what is beyond, less the difference",
        eq(sp.Abs(emitted - cut[x]), 2 * beyond - (accepted - all_accepted * cut[x])),
    )
    sums = d.sum("over the vocabulary", halves, x)
    tv = total(sp.Abs(emitted - cut[x]), x) / 2
    return tv, total(beyond, x), d.derive("half of it", eq(tv, total(beyond, x)), sums, mass_cut)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every set in the place of S and every law in the place of the truncated target."""
    s = d.weights("s")
    q = d.weights("q")
    cut, mass_cut = d.law("cut")
    tv, beyond, equal = _distortion(d, s, q, cut, mass_cut)
    d.qed(d.derive("what is accepted beyond it", eq(constant * tv, sign * beyond), equal))


def prove_most(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every threshold that the mode reaches.

    Attained by a draft that is sure of a token at the threshold.
    """
    s = d.weights("s")
    p = d.weights("p")
    q = d.weights("q")
    theta = d.number("theta", 0)
    P = d.number("P", positive=True)
    cut, mass_cut = d.law("cut")
    bit, likely = d.domain(LIKELY, eq(s[x] * (1 - s[x]), 0), ge(s[x] * (p[x] - theta), 0))
    normed = d.domain(CUT, eq(cut[x] * P, s[x] * p[x]))
    tv, _, equal = _distortion(d, s, q, cut, mass_cut)
    accepted = q[x] * s[x]
    all_accepted = total(accepted, x)
    scaled_floor = d.derive(
        "the truncated target has the threshold at least", ge(cut[x] * P, s[x] * theta), normed, likely
    )
    share = d.derive("over the mass of S", ge(cut[x], s[x] * theta / P), scaled_floor, by="smt")
    accepted_bound = d.term("a part of all", d.derive("no draft is less than none", ge(q[y] * s[y], 0)), y, x)
    scaled = d.derive(
        "times what is accepted",
        ge(all_accepted * cut[x], q[x] * s[x] * s[x] * theta / P),
        share,
        accepted_bound,
        by="smt",
    )
    scaled = d.derive("of a mark", ge(all_accepted * cut[x], accepted * theta / P), scaled, bit, by="smt")
    mass_bound = d.domain("some token reaches the threshold, so p(S) does", ge(P, theta))
    token = d.derive(
        "beyond it",
        le(sp.Max(accepted - all_accepted * cut[x], 0), accepted * (1 - theta / P)),
        *(scaled, mass_bound, bit),
        by="smt",
    )
    summed = d.sum("over the vocabulary", token, x)
    bound = le(constant * tv, sign * all_accepted * (1 - theta / P))
    d.qed(d.derive("what is accepted beyond it", bound, equal, summed))


def _values(p: Array, q: Array, theta: Scalar) -> dict[str, Any]:
    return {"q": q, "s": (p >= theta).astype(int), "cut": truncated(p, theta), "V": len(p)}


def _values_most(p: Array, q: Array, theta: Scalar) -> dict[str, Any]:
    return {**_values(p, q, theta), "p": p, "theta": theta, "P": p[p >= theta].sum()}


PROOFS = (
    Proof(TRUNCATION_LOSSY, prove, drop="cut sums to one", bind=_values),
    Proof(MOST, prove_most, drop=LIKELY, bind=_values_most),
)
