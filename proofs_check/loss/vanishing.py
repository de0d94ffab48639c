"""loss.vanishing: with a certain target acceptance is the draft's mass, and minus the divergence its logarithm."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._logarithms import SOME, logs
from proofs_check.language import Derivation, Proof, eq, ge, gt, le, total, x
from proofs_check.relaxed._certificates import hot
from simspec.claims.loss.gradient import raised
from simspec.claims.loss.vanishing import VANISHING
from simspec.laws import Array

STEP = "b marks the token, whose masses are Q and S before and after the step"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every draft that has the token, every step of its logit."""
    lg = logs(d)
    b, q, s = (d.weights(name) for name in ("b", "q", "s"))
    Q, S, t = (d.number(name, positive=True) for name in ("Q", "S", "t"))
    bit, one_b, rule, *masses = d.domain(
        STEP,
        *(eq(b[x] * (1 - b[x]), 0), eq(total(b[x], x), 1), eq(S * (1 + t * Q), Q * (1 + sign * t))),
        *(eq(b[x] * q[x], b[x] * Q), eq(b[x] * s[x], b[x] * S), le(Q, 1), le(S, 1)),
    )
    accepted = []
    for law, mass, at, mass_bound in ((q, Q, masses[0], masses[2]), (s, S, masses[1], masses[3])):
        low = d.derive("masses are not negative", ge(law[x], 0))
        token = d.smt("of the token alone", eq(sp.Min(b[x], law[x]), b[x] * mass), bit, at, mass_bound, low)
        token = d.sum("over the vocabulary", token, x)
        accepted.append(d.smt("accepted", eq(total(sp.Min(b[x], law[x]), x), mass), token, one_b))
    sizes = [d.derive("positive", gt(e, 0)) for e in (Q, S, 1 + t, 1 + t * Q)]
    positive = [d.smt("positive", gt(f.relation.lhs, 0), f, g) for f, g in zip(accepted, sizes, strict=False)]
    names = [
        d.derive("its logarithm", eq(sp.log(f.relation.lhs), sp.log(f.relation.rhs)), f, g)
        for f, g in zip(accepted, positive, strict=True)
    ]
    left = d.instantiate("log of a product", lg.product, {lg.v: S, lg.w: 1 + t * Q}, *sizes)
    right = d.instantiate("log of a product", lg.product, {lg.v: Q, lg.w: 1 + t}, *sizes)
    product = d.smt("positive", gt(S * (1 + t * Q), 0), *sizes)
    same = d.derive("equal products", eq(sp.log(S * (1 + t * Q)), sp.log(Q * (1 + t))), rule, product, *sizes)
    ratio = sp.log(1 + t) - sp.log(1 + t * Q)
    step = d.smt("log of the mass", eq(sp.log(S) - sp.log(Q), constant * ratio), left, right, same, *sizes)
    first, second = (f.relation.lhs for f in accepted)
    mass_change = eq(second - first, t * Q * (1 - Q) / (1 + t * Q))
    d.qed(
        d.smt("of the mass", mass_change, *accepted, rule, *sizes),
        d.smt("of the divergence", eq(-sp.log(Q) + sp.log(S), constant * ratio), step, *sizes),
        d.smt(
            "of its logarithm", eq(sp.log(second) - sp.log(first), constant * ratio), step, *names, *sizes, *positive
        ),
    )


def _values(q: Array, token: int, growth: Any) -> dict[str, Any]:
    after = raised(q, token, growth)
    return {
        **{**SOME, "b": hot(len(q), token), "q": q, "s": after, "V": len(q)},
        **{"Q": q[token], "S": after[token], "t": growth},
    }


PROOF = Proof(VANISHING, prove, drop=STEP, bind=_values)
