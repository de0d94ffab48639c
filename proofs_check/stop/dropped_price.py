"""stop.dropped-price: survivors are kept up to min(S p, q), which is less than min(p, q) by what p emits at drops."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, le, total, x
from proofs_check.stop._survival import KEEPS, Survival, kept_part, survival, values
from proofs_check.stop.dropped import by_survivors, of_threshold
from simspec.claims.stop.dropped_price import PRICE, PRICE_SHARP, REJECTED
from simspec.laws import exact

THRESHOLD = "s is 1 or 0"


def _share(d: Derivation, v: Survival) -> Fact:
    """S ≤ 1."""
    dropped_nonnegative = d.smt("a part of the drafts", ge(v.q[x] * (1 - v.s[x]), 0), v.most)
    return d.smt("S is at most one", le(v.S, 1), d.sum("over the vocabulary", dropped_nonnegative, x), v.mean, v.mass_q)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and thresholds, as for every rule s.

    Equality where nothing is dropped; what is missing is `stop.dropped-price-sharp`.
    """
    v = survival(d)
    accepted_mass = sp.Min(v.S * v.p[x], v.q[x] * v.s[x])
    a, keeps = kept_part(d, v, accepted_mass)
    within_overlap = d.smt(
        "no more than both laws have", le(constant * accepted_mass, sign * v.both), _share(d, v), v.most
    )
    within_overlap = d.sum("over the vocabulary", within_overlap, x)
    accepted = total(v.q[x] * v.s[x] * a[x], x)
    goal = le(accepted, total(v.both, x))
    d.qed(d.derive("the survivors kept", goal, d.sum("over the drafts", keeps, x), within_overlap, by="smt"))


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every rule that drops for sure or not at all."""
    v = survival(d)
    bits = d.domain(THRESHOLD, eq(v.s[x] * (1 - v.s[x]), 0))
    accepted_mass = sp.Min(v.S * v.p[x], v.q[x] * v.s[x])
    a, keeps = kept_part(d, v, accepted_mass)
    price = (1 - v.s[x]) * v.both + sign * v.s[x] * sp.Max(v.both - constant * v.S * v.p[x], 0)
    some = d.derive("S is not negative", ge(v.S, 0), v.mean)
    per_token = d.smt("dropped, or kept", eq(accepted_mass, v.both - price), _share(d, v), some, bits)
    per_token = d.sum("over the vocabulary", per_token, x)
    goal = eq(total(v.q[x] * v.s[x] * a[x], x), total(v.both, x) - total(price, x))
    d.qed(d.derive("the survivors kept", goal, d.sum("over the drafts", keeps, x), per_token))


def prove_rejected(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every rule that drops for sure or not at all.

    Equality where no kept token has min(p, q) above S p: where nothing is dropped.
    """
    v = survival(d)
    bits = d.domain(THRESHOLD, eq(v.s[x] * (1 - v.s[x]), 0))
    a, keeps = kept_part(d, v, v.s[x] * v.both)
    informed_mass = sp.Min(v.S * v.p[x], v.q[x] * v.s[x])
    b = d.weights("b")
    keeps_told = d.domain(f"{KEEPS}, told norm(q s)", eq(v.q[x] * v.s[x] * b[x], constant * informed_mass))
    drops = total((1 - v.s[x]) * v.both, x)
    accepted_total = d.sum("over the drafts", keeps, x)
    informed_bound = d.smt("no more than that", ge(v.s[x] * v.both, sign * informed_mass), _share(d, v), bits)
    informed_bound = d.sum("over the vocabulary", informed_bound, x)
    informed_total = d.sum("told the law of survivors", keeps_told, x)
    accepted = total(v.q[x] * v.s[x] * a[x], x)
    remaining_overlap = total(v.both, x) - drops
    d.qed(
        d.derive("all but the dropped", ge(accepted, remaining_overlap), accepted_total, by="smt"),
        d.derive(
            "no less", ge(remaining_overlap, total(v.q[x] * v.s[x] * b[x], x)), informed_bound, informed_total, by="smt"
        ),
    )


def _both(p: Any, q: Any, s: Any) -> dict[str, Any]:
    """Kept in both ways: a where a drop counts as a refusal, b told the law of survivors."""
    accepted_mass = s * np.minimum(p, q)
    informed_rates = by_survivors(p, q, s)["a"]
    return values(p, q, s, p - accepted_mass, accepted_mass) | {"b": exact(informed_rates)}


PROOFS = (
    Proof(PRICE, prove, drop="s is a probability", bind=of_threshold(by_survivors)),
    Proof(PRICE_SHARP, prove_sharp, drop=THRESHOLD, bind=of_threshold(by_survivors)),
    Proof(REJECTED, prove_rejected, drop=THRESHOLD, bind=of_threshold(_both)),
)
