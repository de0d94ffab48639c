"""KL(p‖q) does not grow when q's masses on two tokens are exchanged so that the likelier of them has the larger."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.ears._logarithms import SOME, Logs, larger, logs
from proofs_check.ears._truth_values import flag, flags, truth, zeros
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, total, x
from proofs_check.relaxed._certificates import case_of, hot
from simspec.claims.claim import Claim
from simspec.claims.greedy.parts import likeliest, nearest, radius
from simspec.laws import Array

__all__ = ["LIKELIER", "Exchange", "exchange", "exchanged", "proof"]

MARKS = "b and r are two tokens, or none where b itself is the mode"
LIKELIER = "b is the likelier, and r has the larger mass of q"
FINITE = "q is positive where p is"
NEAREST = "no law with the mode b is nearer than the closed form, which is attained (see relaxed.certificate-additive)"


class Exchange(NamedTuple):
    """The target, the exchanged draft, what each token adds to KL before, and that the sum does not grow."""

    lg: Logs
    p: Any
    b: Any
    marks: list[Fact]
    after: Any
    z: Any
    is_z: list[Fact]
    before_term: Any
    positive: Fact
    smaller: Fact


def exchange(d: Derivation) -> Exchange:
    """Σ p (log p − log q) is no less than the same with q's masses at b and r exchanged."""
    lg = logs(d)
    p = d.weights("p")
    q = d.weights("q")
    b = d.weights("b")
    r = d.weights("r")
    pb, pr, qb, Q = (d.number(name, 0) for name in ("p_b", "p_r", "q_b", "Q"))
    z, is_z = zeros(d, "z", p)
    f, is_f = truth(d, "f", pb)
    marks = d.domain(
        MARKS,
        *(eq(b[x] * (1 - b[x]), 0), eq(r[x] * (1 - r[x]), 0), eq(b[x] * r[x], 0)),
        *(eq(b[x] * p[x], b[x] * pb), eq(r[x] * p[x], r[x] * pr)),
        *(eq(b[x] * q[x], b[x] * qb), eq(r[x] * q[x], r[x] * Q), eq(total(r[x], x), total(b[x], x))),
    )
    order = d.domain(LIKELIER, le(pr, pb), le(qb, Q))
    finite, at_b = d.domain(FINITE, gt(q[x] + z[x], 0), gt(qb + f, 0))
    after = q[x] + b[x] * (Q - qb) + r[x] * (qb - Q)
    lower = [d.derive("masses are not negative", ge(w, 0)) for w in (p[x], q[x], pb, pr, qb)]
    base = [*is_z, *is_f, *order, *lower]

    def size(mark_facts: list[Fact]) -> Any:
        return lambda on: d.smt("there", gt(after + z[x], 0), *on, *mark_facts, finite, at_b, *base)

    ways = (size([marks[3], marks[5]]), size([marks[4], marks[6]]), size([]))
    positive = case_of(d, "positive", marks[:3], (b, r), ways)
    at_mode = d.smt("so at the mode", gt(Q + f, 0), order[1], at_b)
    draft_positive = [at_b, at_mode]
    gain = sp.Symbol("gain", real=True)
    gained = d.define("log of the two masses apart", gain, sp.log(Q + f) - sp.log(qb + f), at_mode, at_b)
    log_q, log_after, turn, term = (sp.IndexedBase(name, real=True) for name in ("M", "N", "T", "D"))
    means = [
        d.define("log q", log_q[x], sp.log(q[x] + z[x]), finite),
        d.define("log of the exchanged law", log_after[x], sp.log(after + z[x]), positive),
        d.define("what the exchange takes from a token's divergence", turn[x], p[x] * (log_after[x] - log_q[x])),
    ]
    goal = eq(turn[x], (b[x] * pb - r[x] * pr) * gain)

    def at_likelier(on: list[Fact]) -> Fact:
        mass = d.smt("its mass", eq(p[x], pb), marks[3], *on)
        same = d.smt("0 together", eq(z[x], f), mass, *is_z, *is_f)
        had = d.smt("its draft", eq(q[x], qb), marks[5], *on)
        has = d.smt("its new draft", eq(after, Q), had, *on)
        first = d.derive("log", eq(log_q[x], sp.log(qb + f)), means[0], had, same, at_b)
        second = d.derive("log", eq(log_after[x], sp.log(Q + f)), means[1], had, *on, same, at_mode)
        logarithms = [gained, first, second]
        masses = [mass, has]
        return d.smt("what b takes", goal, means[2], *logarithms, *masses, *on, *draft_positive)

    def at_other(on: list[Fact]) -> Fact:
        """What r takes, where p is pr and q is Q: nothing where r has no mass."""
        mass = d.smt("its mass", eq(p[x], pr), marks[4], *on)
        had = d.smt("its draft", eq(q[x], Q), marks[6], *on)
        nothing = d.case("r has no mass", le(pr, 0))
        none = d.smt("r's is 0", eq(pr, 0), nothing, lower[3])
        none_here = d.smt("and this token's", eq(p[x], 0), mass, none)
        empty = d.derive("it takes nothing", goal, means[2], none_here, none, *on, *draft_positive)
        some = d.case("r has mass", gt(pr, 0))
        no_z = d.smt("its p is not 0", eq(z[x], 0), is_z[0], mass, some)
        no_f = d.smt("nor b's", eq(f, 0), is_f[0], order[0], some)
        sizes = [d.smt("positive", gt(v + f, 0), at_b, at_mode) for v in (qb, Q)]
        first = d.derive("log", eq(log_q[x], sp.log(Q)), means[0], had, no_z, at_mode, no_f)
        draft_of_b = [no_z, at_b, no_f]
        second = d.derive("log", eq(log_after[x], sp.log(qb)), means[1], had, *on, *draft_of_b)
        plain = d.derive("log", eq(gain, sp.log(Q) - sp.log(qb)), gained, no_f, *sizes, *draft_positive)
        logarithms = [plain, first, second]
        full = d.smt("what r gives back", goal, means[2], *logarithms, mass, *on, *draft_positive)
        return d.cases("whether r has mass", full, empty)

    def elsewhere(on: list[Fact]) -> Fact:
        same = d.derive("equal logarithms", eq(log_after[x], log_q[x]), means[1], means[0], *on, finite)
        return d.smt("it takes nothing", goal, means[2], same, *on, at_b, at_mode)

    turns = case_of(d, "the exchange", marks[:3], (b, r), (at_likelier, at_other, elsewhere))
    turns = d.sum("over the vocabulary", turns, x)
    high = larger(d, lg, qb + f, Q + f, d.smt("the larger mass", le(qb + f, Q + f), order[1]), at_b)
    high = d.smt("has the larger logarithm", ge(gain, 0), high, gained, at_b, at_mode)
    count = d.sum("a count", d.derive("marks are not negative", ge(b[x], 0)), x)
    worth = gain * (pb - pr)
    turns = d.derive("as many of both", eq(total(turn[x], x), worth * total(b[x], x)), turns, marks[7])
    worth_nonnegative = d.smt("of one pair", ge(worth, 0), high, order[0])
    turn_nonnegative = ge(total(turn[x], x), 0)
    turn_nonnegative = d.smt(
        "the exchange takes from the divergence", turn_nonnegative, turns, worth_nonnegative, count
    )
    added = d.define("what a token adds to KL", term[x], p[x] * (sp.log(p[x] + z[x]) - log_q[x]), is_z[2])
    split = eq(term[x], p[x] * (sp.log(p[x] + z[x]) - sp.log(after + z[x])) + turn[x])
    split = d.sum("over the vocabulary", d.derive("two parts", split, added, means[2], means[1], positive, is_z[2]), x)
    rest = total(p[x] * (sp.log(p[x] + z[x]) - sp.log(after + z[x])), x)
    smaller = d.smt("KL does not grow", ge(total(term[x], x), rest), split, turn_nonnegative, positive, is_z[2])
    return Exchange(
        lg=lg,
        p=p,
        b=b,
        marks=marks,
        after=after,
        z=z,
        is_z=is_z,
        before_term=term,
        positive=positive,
        smaller=smaller,
    )


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every p, every set of rejected tokens, and every q that is positive where p is.

    Attained by p cut down to the level on b and the tokens above it.
    """
    it = exchange(d)
    bound = d.number("C")
    near = d.number("C_near")
    rest = total(it.p[x] * (sp.log(it.p[x] + it.z[x]) - sp.log(it.after + it.z[x])), x)
    far, attained = d.domain(NEAREST, ge(rest, bound), eq(near, bound))
    d.qed(
        d.smt(
            "no rejected mode is nearer",
            ge(total(it.before_term[x], x), sign * bound),
            it.smaller,
            far,
            it.positive,
            it.is_z[2],
        ),
        d.derive("attained", eq(near, constant * bound), attained),
        d.derive("that is", eq(-near, -constant * bound), attained),
    )


def exchanged(p: Array, q: Array, b: int, mode: int) -> dict[str, Any]:
    """What the names of `exchange` stand for: the masses of q at b and at its mode are exchanged, unless they are one."""
    none = np.array([0] * len(p), dtype=object)
    b_mark, r_mark = (none, none) if mode == b else (hot(len(p), b), hot(len(p), mode))
    return {
        **{**SOME, "p": p, "q": q, "V": len(p), "z": flags(p == 0), "f": flag(p[b] == 0), "b": b_mark, "r": r_mark},
        **{"p_b": p[b], "p_r": p[mode], "q_b": q[b], "Q": q[mode]},
    }


def _values(p: Array, q: Array, rejected: Array) -> dict[str, Any]:
    """b is the likeliest rejected token, r the rejected token that is q's mode."""
    b = likeliest(p, rejected)
    mode = max((y for y, out in enumerate(rejected) if out), key=lambda y: (q[y], y == b))
    return {**exchanged(p, q, b, mode), "C": radius(p, rejected), "C_near": nearest(p, rejected)}


def proof(claim: Claim, refused: Any) -> Proof:
    """The proof for a criterion, as a function of p and its numbers."""
    return Proof(claim, prove, drop=LIKELIER, bind=lambda p, q, **rule: _values(p, q, refused(p, **rule)))
