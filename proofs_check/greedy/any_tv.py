"""greedy.any-tv: a rejected mode is either raised to the level c, or leaves all tokens below it."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._truth_values import flags
from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from proofs_check.relaxed._certificates import hot
from simspec.claims.greedy.any_tv import ANY_TV
from simspec.claims.greedy.parts import likeliest
from simspec.claims.relaxed.certificate_additive import level
from simspec.laws import Array

MODE = "r is a rejected token, at most as likely as b, and the mode of q"
SET = "A (g is 1) holds b and the tokens above c, its mean"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every p, every set of rejected tokens, and every q.

    Attained by p cut down to c on b and on the tokens above c.
    """
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    b, r, g = (d.weights(name) for name in ("b", "r", "g"))
    pb, c, Q = (d.number(name, 0) for name in ("p_b", "c", "Q"))
    bit, one_r, mass, below_mode, at_mode = d.domain(
        MODE,
        *(eq(r[x] * (1 - r[x]), 0), eq(total(r[x], x), 1), le(r[x] * p[x], r[x] * pb)),
        *(le(q[x], Q), eq(r[x] * q[x], r[x] * Q)),
    )
    member, bit_b, one_b, at_b, bit_g, above, mean, low = d.domain(
        SET,
        *(eq(g[x] * b[x], b[x]), eq(b[x] * (1 - b[x]), 0), eq(total(b[x], x), 1), eq(b[x] * p[x], b[x] * pb)),
        *(eq(g[x] * (1 - g[x]), 0), ge(g[x] * (1 - b[x]) * (p[x] - c), 0)),
        *(eq(total(g[x] * p[x], x), c * total(g[x], x)), le(pb, c)),
    )
    half = sp.S.Half
    distance = half * total(sp.Abs(p[x] - q[x]), x)
    goal = ge(distance, constant * (c - pb))
    raised = d.case("the mode is raised to c", ge(Q, c))
    rise = ge(sp.Abs(q[x] - p[x]) + q[x] - p[x], 2 * r[x] * (Q - pb))
    rise = d.sum("over the vocabulary", d.smt("what r is raised by", rise, bit, mass, at_mode), x)
    case_raised = d.smt("all of it is variation", goal, rise, raised, one_r, mass_p, mass_q)
    low_mode = d.case("it is below c", le(Q, c))
    fall = ge(sp.Abs(p[x] - q[x]) + p[x] - q[x], 2 * (g[x] - b[x]) * (p[x] - c))
    set_facts = [member, bit_b, bit_g, above]
    fall = d.smt("what the tokens above c fall by", fall, low_mode, below_mode, *set_facts)
    fall = d.sum("over the vocabulary", fall, x)
    share = d.derive("b's part", eq(b[x] * (p[x] - c), b[x] * (pb - c)), at_b)
    share = d.sum("over the vocabulary", share, x)
    split = d.derive("b is in A", eq((g[x] - b[x]) * (p[x] - c), g[x] * (p[x] - c) - b[x] * (p[x] - c)))
    split = d.sum("over the vocabulary", split, x)
    sums = [fall, split, share, mean]
    case_low = d.smt("all of it is variation", goal, *sums, one_b, mass_p, mass_q)
    far = d.cases("whether the mode is below c", case_raised, case_low)
    change = sp.Abs(g[x] * (p[x] - c))
    cut = eq(change, g[x] * (p[x] - c) + 2 * b[x] * (c - pb))
    cut_facts = [member, bit_b, at_b, bit_g, above, low]
    cut = d.smt("b is raised, the others of A are cut", cut, *cut_facts)
    cut = d.sum("over the vocabulary", cut, x)
    attained = d.smt("attained", eq(half * total(change, x), sign * (c - pb)), cut, mean, one_b)
    d.qed(far, attained, d.derive("that is", eq(-half * total(change, x), -sign * (c - pb)), attained, by="smt"))


def _values(p: Array, q: Array, rejected: Array) -> dict[str, Any]:
    b = likeliest(p, rejected)
    mode = max((y for y, out in enumerate(rejected) if out), key=lambda y: q[y])
    height, members = level(p, b)
    return {
        **{"p": p, "q": q, "V": len(p), "b": hot(len(p), b), "r": hot(len(p), mode), "g": flags(members)},
        **{"p_b": p[b], "c": height, "Q": q[mode]},
    }


PROOF = Proof(ANY_TV, prove, drop=MODE, bind=_values)
