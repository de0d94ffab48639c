"""greedy.nested: the law that is nearest for fewer rejected tokens is a law with a mode that the other criterion rejects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from proofs_check.ears._truth_values import flags
from proofs_check.greedy._exchange import LIKELIER, exchange, exchanged
from proofs_check.greedy._pool import pool, pooled
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, laws, le, total, x
from proofs_check.relaxed._certificates import hot
from simspec.claims.claim import Instance
from simspec.claims.greedy.nested import NESTED, STRICT
from simspec.claims.greedy.parts import likeliest, radius
from simspec.claims.relaxed.certificate_additive import level
from simspec.laws import Array

ATTAINED = "the law cut down for R′ attains its certificate (see relaxed.certificate-additive)"
MODE = "once exchanged, no token has more than b"
SET = "A holds b (marked h) and the tokens above c"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every p, and every two sets of rejected tokens, one a part of the other, neither empty.

    Equality wherever the likeliest tokens of both have one mass.
    """
    it = exchange(d)
    p = it.p
    u = it.after
    fewer = d.number("C_fewer", 0)
    top = d.number("Q_b", 0)
    h = d.weights("h")
    attained = d.domain(ATTAINED, eq(total(it.before_term[x], x), fewer))
    laws_ = d.domain("both are laws", eq(total(p[x], x), 1), eq(total(u, x), 1))
    mode = d.domain(MODE, ge(u, 0), le(u, top), eq(h[x] * u, h[x] * top))
    a = pool(d, p, it.z)
    member, bit, above = d.domain(
        SET, eq(a.g[x] * h[x], h[x]), eq(h[x] * (1 - h[x]), 0), ge(a.g[x] * (1 - h[x]) * (p[x] - a.c), 0)
    )
    below = ge(a.g[x] * (p[x] - a.c) * (top - u), 0)
    below = d.smt("no token of A has more than b", below, *mode, member, bit, above, a.bit)
    tilt = ge(total(a.g[x] * u * (a.c - p[x]), x), 0)
    tilt = d.smt("so it favours b", tilt, d.sum("over the vocabulary", below, x), a.mean)
    facts = {
        "z": it.is_z,
        "positive": it.positive,
        "some": mode[0],
        "tilt": tilt,
        "mass": d.smt("one", eq(total(u, x), total(p[x], x)), *laws_),
    }
    far = pooled(d, it.lg, a, p, u, it.z, facts)
    value = total(a.g[x] * p[x] * a.worth, x)
    goal = ge(sign * fewer, constant * value)
    sizes = [it.positive, it.is_z[2], a.size]
    d.qed(d.smt("so its certificate is no smaller", goal, it.smaller, attained, far, *sizes))


def _values(p: Array, fewer: Array, rejected: Array) -> dict[str, Any]:
    height, members = level(p, likeliest(p, fewer))
    near = np.where(members, height, p)
    b = likeliest(p, rejected)
    height, members = level(p, b)
    return {
        **exchanged(p, near, b, likeliest(p, fewer)),
        **{"C_fewer": radius(p, fewer), "Q_b": near[likeliest(p, fewer)]},
        **{"h": hot(len(p), b), "g": flags(members), "c": height},
    }


def _sets(ties: bool) -> Iterator[Instance]:
    """Three tokens: what is below the largest mass is rejected, and of that all but the likeliest."""
    for size in range(1, 7):
        for p in laws(3, size):
            rejected = p < p.max()
            if rejected.sum() == 2:
                fewer = rejected.copy()
                fewer[likeliest(p, rejected)] = False
                if ties or p[fewer].max() < p[rejected].max():
                    yield {"p": p, "fewer": fewer, "rejected": rejected}


PROOFS = (
    Proof(NESTED, prove, drop=LIKELIER, bind=_values),
    Refutation(
        STRICT,
        lambda: _sets(True),
        scope="the first by denominator, with three tokens; with two there is no smaller set that is not empty",
        repaired={"no rejected token is as likely as another": lambda: _sets(False)},
    ),
)
