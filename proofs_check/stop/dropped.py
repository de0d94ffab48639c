"""stop.dropped: told q, survivors and what is emitted are correlated; told what a survivor's law is, they are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, le, total, x, y
from proofs_check.stop._survival import REDRAWS, Survival, kept_part, redrawn, survival, values
from simspec.claims.authoring import F
from simspec.claims.claim import Instance
from simspec.claims.stop.dropped import ONE_HOT, TOLD_KEPT, TOLD_Q, TOLD_Q_CORRECTED
from simspec.claims.stop.parts import surviving

__all__ = ["by_rule", "of_survivors", "of_threshold"]


def _thresholds() -> Iterator[Instance]:
    """Pairs of laws over at most two tokens by size, and every threshold at a mass of q or above all."""
    for pair in by_size((1, 2)):
        yield from ({**pair, "t": t} for t in (*sorted(set(pair["q"].tolist())), F(2)))


def prove_told_q(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, and every rule s with values in [0, 1].

    Equality for p = q and every rule that drops for sure or not at all.
    """
    v = survival(d)
    over = sp.Max(v.p[x] - v.q[x], 0)
    r, one_r, normed = redrawn(d, over)
    R, B = sp.symbols("R B", real=True)
    refused = d.define("a survivor is refused", R, total(v.s[x] * (v.q[x] - v.both), x))
    beyond = d.define("a draft is refused", B, total(v.q[x] - v.both, x))
    parts = d.derive("kept, and beyond the draft", eq(v.both + over, v.p[x]))
    refused_mass = d.sum("over the vocabulary", parts, x)
    refused_mass = d.derive(
        "what is refused is what is left", eq(B, total(over, x)), beyond, refused_mass, v.mass_p, v.mass_q
    )
    redraw_mass = d.derive("redrawn after any refusal", eq(B * r[x], over), refused_mass, normed)

    with_it = v.s[x] * v.both + R * r[x]
    without = (1 - v.s[x]) * v.both + (B - R) * r[x]
    all_ = d.derive("a survivor or not, plain verification emits p", eq(with_it + without, v.p[x]), redraw_mass, parts)
    fewer = d.summed(
        "survivors that are refused are refused drafts",
        le(v.s[x] * (v.q[x] - v.both), v.q[x] - v.both),
        v.most,
        by="smt",
    )
    fewer = d.derive("so that", ge(B - R, 0), fewer, refused, beyond)
    some = d.summed("none is negative", ge(v.s[x] * (v.q[x] - v.both), 0), by="smt")
    some = d.derive("so that", ge(R, 0), some, refused)
    survivor_nonnegative = d.smt("emitted, a survivor", ge(with_it, 0), some)
    dropped_nonnegative = d.smt("emitted, a dropped one", ge(without, 0), fewer, v.most)
    bounded = d.smt("a probability", ge(v.q[x] * (1 - v.s[x]), 0), v.most)
    bounded = d.sum("over the vocabulary", bounded, x)
    bounded = d.smt("S is at most one", le(v.S, 1), bounded, v.mean, v.mass_q)
    positive = d.derive("and not negative", ge(v.S, 0), v.mean)
    emitted = v.s[x] * v.both + (1 - sign * v.S) * v.p[x] + R * r[x]
    a, b, c = sp.symbols("a_0 b_0 c_0", real=True)
    two_masses = d.suppose("two masses and a share", ge(a, 0), ge(b, 0), ge(c, 0), le(c, 1))
    far = d.smt("a difference", le(sp.Abs((1 - c) * a - c * b), (1 - c) * a + c * b), *two_masses)
    gap = d.derive("its distance from p", eq(emitted - v.p[x], (1 - v.S) * with_it - v.S * without), all_)
    far = d.instantiate(
        "of both parts",
        far,
        {a: with_it, b: without, c: v.S},
        survivor_nonnegative,
        dropped_nonnegative,
        bounded,
        positive,
    )
    per_token = d.derive(
        "in size", le(sp.Abs(emitted - v.p[x]), (1 - v.S) * with_it + v.S * without), gap, far, by="smt"
    )
    per_token = d.sum("over the vocabulary", per_token, x)
    total_with = _mass(d, v, R * r[x], refused, one_r)
    total_all = d.sum("in all", all_, x)
    goal = le(constant * total(sp.Abs(emitted - v.p[x]), x) / 2, v.S * (1 - v.S))
    sums = d.derive("the other part", eq(total(without, x), 1 - v.S), total_all, total_with, v.mass_p)
    sums = d.derive(
        "weighed", eq(total((1 - v.S) * with_it + v.S * without, x), 2 * v.S * (1 - v.S)), total_with, sums, by="smt"
    )
    d.qed(d.derive("half of it", goal, per_token, sums, by="smt"))


def _mass(d: Derivation, v: Survival, again: Any, refused: Fact, mass_is_one: Fact) -> Fact:
    """Σ (s min(p, q) + R r) = S."""
    survivor_mass = total(v.s[x] * v.both + again, x)
    return d.derive("survivors emit as often as they survive", eq(survivor_mass, v.S), refused, v.mean, mass_is_one)


def of_survivors(d: Derivation, sign: int = 1, constant: int = 1) -> tuple[Survival, Fact, Fact]:
    """Told norm(q s): the law of what is emitted, and how often a draft is kept."""
    v = survival(d)
    accepted_mass = sp.Min(v.S * v.p[x], v.q[x] * v.s[x])
    residual = sp.Max(v.S * v.p[x] - v.q[x] * v.s[x], 0)
    a, keeps = kept_part(d, v, accepted_mass)
    r, _, normed = redrawn(d, residual, constant)
    parts = d.derive("kept, and beyond it", eq(accepted_mass + sign * residual, v.S * v.p[x]))
    summed = d.sum("over the vocabulary", parts, x)
    accepted = d.sum("survivors kept", keeps, x)
    accept_meaning = d.define("how often a draft is kept", sp.Symbol("T", real=True), total(v.q[x] * v.s[x] * a[x], x))
    T = accept_meaning.relation.lhs
    refused = d.derive("refused", eq(v.S - T, total(residual, x)), accept_meaning, accepted, summed, v.mass_p)
    again = d.derive("redrawn", eq((v.S - T) * r[x], residual), refused, normed)
    emitted = v.q[x] * v.s[x] * a[x] + (1 - v.S) * v.p[x] + (v.S - T) * r[x]
    law = d.derive("kept, redrawn, or dropped and emitted from p", eq(emitted, v.p[x]), again, keeps, parts)
    return v, law, accepted


def prove_told_kept(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and thresholds, as for every rule s."""
    d.qed(of_survivors(d, sign, constant)[1])


def prove_one_hot(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and thresholds, as for every rule s."""
    v = survival(d)
    same = d.weights("same", y, x)
    rho = d.weights("rho", y, x)
    others = d.domain(
        "after a refusal of y, p without y", eq(rho[y, x] * (1 - v.p[y]), constant * v.p[x] * (1 - same[y, x]))
    )
    drafted = v.q[y] * v.s[y]
    emitted = drafted * (v.p[y] * same[y, x] + sign * (1 - v.p[y]) * rho[y, x])
    at_y = d.domain("same is 1 where two tokens are one", eq(same[y, x] * (v.p[y] - v.p[x]), 0))
    per_draft = d.derive("whatever survives", eq(emitted, drafted * v.p[x]), others, at_y)
    per_draft = d.sum("over the drafts", per_draft, y)
    emitted_total = total(emitted, y) + (1 - v.S) * v.p[x]
    d.qed(d.derive("or is dropped", eq(emitted_total, v.p[x]), per_draft, v.mean))


def by_rule(p: Any, q: Any, s: Any) -> dict[str, Any]:
    """Told q."""
    return values(p, q, s, p - q, s * np.minimum(p, q))


def of_threshold(bind: Callable[[Any, Any, Any], dict[str, Any]]) -> Callable[[Any, Any, Any], dict[str, Any]]:
    """A bind for rules s at the rule of a threshold."""
    return lambda p, q, t: bind(p, q, surviving(q, t))


def by_survivors(p: Any, q: Any, s: Any) -> dict[str, Any]:
    """Told norm(q s)."""
    alive = (q * s).sum()
    return values(p, q, s, alive * p - q * s, np.minimum(alive * p, q * s))


def _by_token(p: Any, q: Any, s: Any) -> dict[str, Any]:
    def rho(y_: int, x_: int) -> Any:
        return 0 if y_ == x_ or p[y_ - 1] == 1 else p[x_ - 1] / (1 - p[y_ - 1])

    return {"p": p, "q": q, "s": s, "V": len(p), "rho": rho, "same": lambda y_, x_: int(y_ == x_)}


PROOFS = (
    Refutation(
        TOLD_Q,
        _thresholds,
        scope="the first by vocabulary and denominator: the target says what the draft says, and a token is dropped",
        repaired={
            "nothing is dropped": lambda: (i for i in _thresholds() if i["t"] <= min(m for m in i["q"] if m)),
            "everything is dropped": lambda: (i for i in _thresholds() if i["t"] == 2),
            "told the law of survivors": TOLD_KEPT,
        },
    ),
    Proof(TOLD_Q_CORRECTED, prove_told_q, drop=REDRAWS, bind=by_rule),
    Proof(TOLD_KEPT, prove_told_kept, drop=REDRAWS, bind=of_threshold(by_survivors)),
    Proof(ONE_HOT, prove_one_hot, drop="after a refusal of y, p without y", bind=of_threshold(_by_token)),
)
