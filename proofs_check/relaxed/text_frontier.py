"""relaxed.text-frontier: one token's excess counts for the prefix of one token and for that of two."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, le, total, x, y
from simspec.claims.relaxed.text_frontier import TEXT_FRONTIER, TEXT_FRONTIER_ATTAINED
from simspec.laws import exact

ACCEPTED = "an accepted prefix is drafted and emitted"
PARTS = "up and down are shares of what a row gains and loses"
SPENT = "theta and eta are the shares of the two stages that ε pays"


def _shared(p: Any, q: Any) -> Any:
    return total(sp.Min(total(p[x, y], y), total(q[x, y], y)), x) + total(sp.Min(p[x, y], q[x, y]), x, y)


def _ends(p: Any, q: Any) -> tuple[Any, Any]:
    return (
        total(sp.Max(total(p[x, y], y) - total(q[x, y], y), 0), x),
        total(sp.Max(p[x, y] - q[x, y], 0), x, y),
    )


def _most(p: Any, q: Any, epsilon: Any, sign: int = 1) -> Any:
    first, text_excess = _ends(p, q)
    return _shared(p, q) + sp.Min(epsilon, first) + sign * sp.Min(epsilon, text_excess)


def _first(d: Derivation, name: str, law: Any) -> tuple[Any, Fact]:
    """The law of the first token."""
    first_law = sp.IndexedBase(f"{name}1", real=True)
    return first_law, d.define(f"the first token of {name}", first_law[x], total(law[x, y], y))


def _mass(d: Derivation, name: str, law: Any) -> Fact:
    return d.domain(f"{name} has mass one", eq(total(law[x, y], x, y), 1))


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, all laws of two tokens, every accepted mass.

    Attained at every total variation: relaxed.text-frontier.attained.
    """
    p, q, o, b = (d.weights(name, x, y) for name in ("p", "q", "o", "b"))
    a = d.weights("a")
    in_p, in_q = (_mass(d, name, law) for name, law in (("p", p), ("q", q)))
    (p1, is_p), (q1, is_q), (o1, is_o) = (_first(d, name, law) for name, law in (("p", p), ("q", q), ("o", o)))
    first_rule, two = d.domain(
        ACCEPTED,
        le(a[x], sp.Min(total(o[x, y], y), total(q[x, y], y))),
        le(b[x, y], sp.Min(o[x, y], q[x, y])),
    )
    over = sp.Max(o[x, y] - p[x, y], 0)
    output_excess = total(over, x, y)
    # the first token's excess is no more than the text's
    row = d.summed("a row's excess", ge(over, o[x, y] - p[x, y]), over=y)
    some = d.summed("is not negative", ge(over, 0), over=y)
    row = d.derive("a row", le(sp.Max(o1[x] - p1[x], 0), total(over, y)), row, some, is_o, is_p, by="smt")
    row = d.sum("over the first tokens", row, x)
    short = d.derive("in short", le(a[x], sp.Min(o1[x], q1[x])), first_rule, is_o, is_q, by="smt")
    parts = []
    for accepted, law, p_, q_, over_ in (
        (a[x], o1[x], p1[x], q1[x], (x,)),
        (b[x, y], o[x, y], p[x, y], q[x, y], (x, y)),
    ):
        used = short if accepted == a[x] else two
        near = d.derive(
            "shared with p, or its excess", le(accepted, sp.Min(p_, q_) + sp.Max(law - p_, 0)), used, by="smt"
        )
        near = d.sum("over all", near, *over_)
        all_ = d.sum("a part of the draft", d.derive("drafted", le(accepted, q_), used, by="smt"), *over_)
        apart = d.summed("what is not shared", eq(sp.Min(p_, q_), p_ - sp.Max(p_ - q_, 0)), over=over_)
        parts += [near, all_, apart]
    names = [d.sum("over the first tokens", f, x) for f in (is_p, is_q, is_o)]
    first = total(sp.Max(p1[x] - q1[x], 0), x)
    text_excess = total(sp.Max(p[x, y] - q[x, y], 0), x, y)
    kept1 = le(total(a[x], x), total(sp.Min(p1[x], q1[x]), x) + sp.Min(output_excess, first))
    kept1 = d.smt("one token", kept1, *parts[:3], row, *names, in_p, in_q)
    kept2 = le(total(b[x, y], x, y), total(sp.Min(p[x, y], q[x, y]), x, y) + sp.Min(output_excess, text_excess))
    kept2 = d.smt("both tokens", kept2, *parts[3:], in_p, in_q)
    row_minimum = d.derive(
        "of the rows", eq(sp.Min(p1[x], q1[x]), sp.Min(total(p[x, y], y), total(q[x, y], y))), is_p, is_q
    )
    lost = sp.Max(total(p[x, y], y) - total(q[x, y], y), 0)
    lost_ = d.summed("of the rows", eq(sp.Max(p1[x] - q1[x], 0), lost), is_p, is_q)
    row_minimum = d.sum("over the first tokens", row_minimum, x)
    rates = total(a[x], x) + constant * total(b[x, y], x, y)
    d.qed(d.smt("together", le(rates, _most(p, q, output_excess, sign)), kept1, kept2, row_minimum, lost_))


def _bind(p: Any, q: Any, o: Any, first: Any, both: Any) -> dict[str, Any]:
    return {"p": p, "q": q, "o": o, "a": first, "b": both, "V": len(p)}


def _spent(d: Derivation, first: Any, text_excess: Any, constant: int) -> tuple[Any, Any, Any, list[Fact]]:
    """ε up to the text's, and the shares of both stages that it pays."""
    epsilon = d.number("epsilon", 0)
    theta = d.number("theta", 0, 1)
    eta = d.number("eta", 0, 1)
    facts = d.domain(
        SPENT,
        le(epsilon, text_excess),
        eq(theta * first, sp.Min(epsilon, first)),
        eq(eta * (text_excess - first), constant * sp.Max(epsilon - first, 0)),
    )
    return epsilon, theta, eta, list(facts)


def prove_attained(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, all laws of two tokens, every total variation from 0 to that of the text."""
    p = d.weights("p", x, y)
    q = d.weights("q", x, y)
    up = d.weights("up")
    down = d.weights("down")
    in_p = _mass(d, "p", p)
    in_q = _mass(d, "q", q)
    gain = sp.Max(q[x, y] - p[x, y], 0)
    loss = sp.Max(p[x, y] - q[x, y], 0)
    p1 = total(p[x, y], y)
    q1 = total(q[x, y], y)
    gain1 = sp.Max(q1 - p1, 0)
    loss1 = sp.Max(p1 - q1, 0)
    gains, losses, ups, downs = d.domain(
        PARTS, eq(up[x] * total(gain, y), gain1), eq(down[x] * total(loss, y), loss1), le(up[x], 1), le(down[x], 1)
    )
    first = total(loss1, x)
    text_excess = total(loss, x, y)
    epsilon, theta, eta, budget_facts = _spent(d, first, text_excess, constant)
    c = theta * up[x] + eta * (1 - up[x])
    e = theta * down[x] + sign * eta * (1 - down[x])
    share = sp.IndexedBase("c", real=True)
    rest = sp.IndexedBase("e", real=True)
    is_c = d.define("a token gains a share", share[x], c)
    is_e = d.define("a token loses a share", rest[x], e)
    shares = [
        d.smt("a share", relation, is_c, is_e, ups, downs)
        for s in (share[x], rest[x])
        for relation in (ge(s, 0), le(s, 1))
    ]
    o = p[x, y] + share[x] * gain - rest[x] * loss
    near = d.smt("between p and q", eq(sp.Min(o, q[x, y]), sp.Min(p[x, y], q[x, y]) + share[x] * gain), *shares)
    far = d.smt("beyond p", eq(sp.Max(o - p[x, y], 0), share[x] * gain), *shares)
    # rows
    change = d.summed("gained or lost", eq(gain - loss, q[x, y] - p[x, y]), over=y)
    won = eq(share[x] * total(gain, y), theta * gain1 + eta * (total(gain, y) - gain1))
    won = d.derive("what a row gains", won, is_c, gains)
    lost = eq(rest[x] * total(loss, y), theta * loss1 + eta * (total(loss, y) - loss1))
    lost = d.derive("what a row loses", lost, is_e, losses)
    row_change = d.derive("a row's change", eq(gain1 - loss1, q1 - p1))
    row = d.derive("the first token", eq(total(o, y), p1 + theta * (q1 - p1)), won, lost, change, row_change, by="smt")
    row = d.smt("shares", eq(sp.Min(total(o, y), q1), sp.Min(p1, q1) + theta * gain1), row)
    # sums
    balance = d.sum("over the first tokens", row_change, x)
    all_ = d.sum("over the first tokens", change, x)
    won = d.sum("over the first tokens", won, x)
    row = d.sum("over the first tokens", row, x)
    near = d.sum("over all", near, x, y)
    far = d.sum("over all", far, x, y)
    facts = [balance, all_, won, in_p, in_q, *budget_facts]
    frontier_rate = _most(p, q, epsilon)
    rate = total(sp.Min(total(o, y), q1), x) + total(sp.Min(o, q[x, y]), x, y)
    rate_attained = d.smt("accepted", eq(rate, frontier_rate), row, near, *facts)
    two = d.smt("paid", eq(total(sp.Max(o - p[x, y], 0), x, y), epsilon), far, *facts)
    d.qed(rate_attained, two)


def _bind_path(p: Any, q: Any, epsilon: Any) -> dict[str, Any]:
    change = q - p
    moved_shares = [
        np.maximum(c.sum(axis=1), 0) / exact([m or 1 for m in np.maximum(c, 0).sum(axis=1)]) for c in (change, -change)
    ]
    first = np.maximum(change.sum(axis=1), 0).sum()
    text_excess = np.maximum(change, 0).sum()
    theta = min(1, epsilon / first) if first else 1
    eta = max(0, epsilon - first) / (text_excess - first) if text_excess > first else 0
    stages = {"theta": theta, "eta": eta, "up": moved_shares[0], "down": moved_shares[1]}
    shares = {name: theta * m + eta * (1 - m) for name, m in zip("ce", moved_shares, strict=True)}
    return {"p": p, "q": q, "epsilon": epsilon, **stages, **shares, "V": len(p)}


PROOFS = (
    Proof(TEXT_FRONTIER, prove, drop=ACCEPTED, change={"constant": 2}, bind=_bind),
    Proof(TEXT_FRONTIER_ATTAINED, prove_attained, drop=SPENT, change={"constant": 2}, bind=_bind_path),
)
