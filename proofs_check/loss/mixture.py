"""loss.mixture: a best draft may lack a token of the target; of one that has all the divergence has a finite slope."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.ears._logarithms import SOME, logs
from proofs_check.ears._truth_values import flags, zeros
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, gt, laws, total, x
from simspec.claims.claim import Instance
from simspec.claims.loss.mixture import MIXTURE, MIXTURE_CORRECTED, SMALL
from simspec.laws import Array

FULL = "both drafts have every token, and f is p r/q"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all targets, all drafts with every token.

    Equality where both drafts are one.
    """
    lg = logs(d)
    p, mass_p = d.law("p")
    q = d.weights("q")
    r = d.weights("r")
    f = d.weights("f")
    weight = d.number("weight", 0, 1)
    z, is_z = zeros(d, "z", p)
    some_q, some_r, quotient = d.domain(FULL, gt(q[x], 0), gt(r[x], 0), eq(f[x] * q[x], p[x] * r[x]))
    far_q = total(sp.Abs(p[x] - q[x]), x) / 2
    far_r = total(sp.Abs(p[x] - r[x]), x) / 2
    small = d.assume(SMALL, ge((1 - weight) * (far_r - far_q), weight * (total(f[x], x) - 1)))
    low = d.derive("not negative", ge(p[x], 0))
    line = d.instantiate("the tangent of the logarithm", lg.tangent, {lg.v: q[x], lg.w: r[x]}, some_q, some_r)
    line = d.smt(
        "weighed",
        ge(q[x] * p[x] * (sp.log(q[x]) - sp.log(r[x])), p[x] * q[x] - p[x] * r[x]),
        *(line, low, some_q, some_r),
    )
    line = d.smt(
        "divided",
        ge(p[x] * (sp.log(q[x]) - sp.log(r[x])), p[x] - sign * f[x]),
        *(line, quotient, some_q, some_r),
    )
    q_term = p[x] * (sp.log(p[x] + z[x]) - sp.log(q[x]))
    r_term = p[x] * (sp.log(p[x] + z[x]) - sp.log(r[x]))
    token = d.smt("of a token", ge(r_term - q_term, p[x] - f[x]), line, is_z[2], some_q, some_r)
    token = d.sum("over the vocabulary", token, x)
    step_facts = (token, mass_p)
    step = d.smt(
        "weighed",
        ge(weight * (total(r_term, x) - total(q_term, x)), weight * (1 - total(f[x], x))),
        *step_facts,
    )
    goal = ge(
        weight * total(r_term, x) + (1 - weight) * far_r,
        constant * (weight * total(q_term, x) + (1 - weight) * far_q),
    )
    defined = (token, is_z[2], some_q, some_r)  # under which both sides have a value
    d.qed(d.smt("together", goal, step, small, *defined))


def _values(p: Array, q: Array, rival: Array, weight: Any) -> dict[str, Any]:
    return {
        **{**SOME, "p": p, "q": q, "r": rival, "f": p * rival / q, "weight": weight},
        **{"z": flags(p == 0), "V": len(p)},
    }


def _segments(full: bool) -> Iterator[Instance]:
    for vocab in (2, 3):
        for size in range(1, 5):
            for p, q, rival in product(list(laws(vocab, size)), repeat=3):
                if not full or (q > 0).all():
                    yield {"p": p, "q": q, "rival": rival}


PROOFS = (
    Refutation(
        MIXTURE,
        lambda: _segments(False),
        scope="the first by vocabulary and denominator",
        repaired={"a best draft with every token": lambda: _segments(True)},
    ),
    Proof(MIXTURE_CORRECTED, prove, drop=SMALL, bind=_values),
)
