"""Texts made of blocks: whatever is drafted, the tokens emitted along a text have the target's law.

A text is fixed; after its first n tokens the target's law is p[text, n, ·] and the draft's is q[text, n, ·].  A block is in
one of S states (which drafts it has made); a token that is no kept draft ends it, and the next block begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, index, total, x, y

__all__ = ["Step", "along", "length", "n", "s", "text", "texts", "verification"]

S = sp.Symbol("S", integer=True, positive=True)
s = index("s")
u = index("u")
text = index("text")
n, length = sp.symbols("n length", integer=True, nonnegative=True)


class Step(NamedTuple):
    """What is emitted in state s: a kept draft, or another token, which ends the block; the two add up to the target."""

    accepted: Any
    other: Any
    target: Any
    adds_up: Fact


def redraw(d: Derivation, p: sp.IndexedBase, q: sp.IndexedBase, mass: Fact, sign: int) -> tuple[Any, Fact]:
    """The residual law r, and (1 − Σ min(p, q)) r = p − min(p, q) for every token."""
    k = sp.Min(p[text, n, x], q[text, n, x])
    beyond = p[text, n, x] - k
    remaining = total(beyond, x)
    none = sp.IndexedBase("none", real=True)
    r = sp.IndexedBase("r", real=True)
    flag = d.domain(
        "none is 1 where nothing is left of the target, else 0",
        eq(none[text, n] * remaining, 0),
        eq(none[text, n] * (1 - none[text, n]), 0),
        gt(remaining + none[text, n], 0),
    )
    residual = d.define(
        "a rejection draws from norm(p − min(p, q)), or from p where nothing is left",
        r[text, n, x],
        sign * beyond / (remaining + none[text, n]) + none[text, n] * p[text, n, x],
        *flag,
    )
    beyond_y = beyond.subs(x, y)
    some = d.derive("no token keeps more than the target wants", ge(beyond_y, 0))
    lack_bound = d.term("what a token lacks is part of all that is left", some, y, x)
    lacks = d.instantiate("of this token", some, {y: x})
    made_up = d.derive(
        "where a draft is rejected", eq(remaining * r[text, n, x], beyond), residual, *flag, lack_bound, lacks
    )
    missing = d.derive("the target has mass one", eq(1 - total(k, x), remaining), mass)
    return r, d.derive(
        "what is redrawn is what is left", eq((1 - total(k, x)) * r[text, n, x], beyond), missing, made_up
    )


def verification(
    d: Derivation,
    q: sp.IndexedBase,
    mass_q: Fact,
    drafted_mass: sp.Expr,
    drop: sp.Expr,
    using: list[Fact],
    sign: int = 1,
    share: sp.Expr | int = 1,
) -> Step:
    """One step in state s: keep a draft with probability min(p, q)/q, else redraw.

    Drafts are drawn from `drafted_mass` (an expression in x); with probability `drop` (in x and s) the draft is thrown away
    and the target emits.  `using` says that both are what they should be: drawn = q, and drop = stop[text, n, s] for every x.
    """
    p, mass_p = d.law("p", text, n)
    keep = d.weights("keep", text, n, x)
    stop = sp.IndexedBase("stop", real=True)[text, n, s]
    k = sp.Min(p[text, n, x], q[text, n, x])
    r, redrawn = redraw(d, p, q, mass_p, sign)
    ratio = d.domain("a draft is kept with probability min(p, q)/q", eq(keep[text, n, x] * q[text, n, x], share * k))
    thrown = drafted_mass * drop
    rejected = (1 - drop) * drafted_mass * (1 - keep[text, n, x])
    accepted = sp.IndexedBase("kept", real=True)
    other = sp.IndexedBase("other", real=True)
    is_kept = d.define("drafted and kept", accepted[text, n, s, x], (1 - drop) * drafted_mass * keep[text, n, x])
    is_other = d.define(
        "emitted by the target after a draft was thrown away, or redrawn after a rejection",
        other[text, n, s, x],
        total(thrown, x) * p[text, n, x] + total(rejected, x) * r[text, n, x],
    )
    a = d.derive("thrown away unseen", eq(thrown, stop * q[text, n, x]), *using)
    a = d.derive("a draft is thrown away", eq(total(thrown, x), stop), d.sum("over the drafts", a, x), mass_q)
    b = d.summed("rejected", eq(rejected, (1 - stop) * (q[text, n, x] - k)), *using, ratio, then="over the drafts")
    b = d.derive("a draft is rejected", eq(total(rejected, x), (1 - stop) * (1 - total(k, x))), b, mass_q)
    c = d.derive("kept", eq(accepted[text, n, s, x], (1 - stop) * k), is_kept, *using, ratio)
    redrawn_law = d.derive(
        "emitted without being a kept draft",
        eq(other[text, n, s, x], stop * p[text, n, x] + (1 - stop) * (p[text, n, x] - k)),
        *(is_other, a, b, redrawn),
    )
    law_split = eq(accepted[text, n, s, x] + other[text, n, s, x], p[text, n, x])
    return Step(
        accepted, other, p, d.derive("in every state the emitted token has the target's law", law_split, c, redrawn_law)
    )


def texts(d: Derivation, step: Step) -> None:
    """The probability that the first `length` tokens are those of the text is the target's probability of the text."""
    token = d.weights("token", text, n, x)  # 1 at the text's own token
    onward = sp.IndexedBase("onward", real=True)
    begin = sp.IndexedBase("begin", real=True)
    goes_on = d.domain("a kept draft leads to one state", eq(total(onward[s, u], u, upto=S), 1))
    begins = d.domain("a block begins in one state", eq(total(begin[s], s, upto=S), 1))
    F = sp.IndexedBase("F", real=True)
    W = sp.IndexedBase("W", real=True)
    emitted = step.accepted[text, n, s, x] * onward[s, u] + step.other[text, n, s, x] * begin[u]
    first, then = d.recursion(
        "how probable it is that the first n tokens are the text's, and the block is in state s",
        eq(F[text, 0, s], begin[s]),
        eq(F[text, n + 1, u], total(total(F[text, n, s] * token[text, n, x] * emitted, x), s, upto=S)),
    )
    target_mass = total(token[text, n, x] * step.target[text, n, x], x)
    empty, longer = d.recursion(
        "what the target wants", eq(W[text, 0], 1), eq(W[text, n + 1], W[text, n] * target_mass)
    )
    started = d.derive(
        "before the text", eq(total(F[text, 0, s], s, upto=S), 1), d.sum("over the states", first, s, upto=S), begins
    )
    then = d.sum("over the states after the token", then, u, upto=S)
    shared = F[text, n, s] * token[text, n, x]
    accepted = d.derive(
        "a kept draft leads to one state",
        eq(
            shared * step.accepted[text, n, s, x] * total(onward[s, u], u, upto=S),
            shared * step.accepted[text, n, s, x],
        ),
        goes_on,
    )
    redrawn = d.derive(
        "and so does another token",
        eq(shared * step.other[text, n, s, x] * total(begin[u], u, upto=S), shared * step.other[text, n, s, x]),
        begins,
    )
    same = eq(shared * (step.accepted[text, n, s, x] + step.other[text, n, s, x]), shared * step.target[text, n, x])
    both = d.derive("the emitted token", same, step.adds_up)
    accepted, redrawn, both = (
        d.sum("over the states before it", d.sum("over the tokens", f, x), s, upto=S) for f in (accepted, redrawn, both)
    )
    alive = total(F[text, n, s], s, upto=S)
    grows = d.derive("whatever the state", eq(alive.subs(n, n + 1), alive * target_mass), then, accepted, redrawn, both)
    statement = eq(alive, W[text, n])
    for_every_n = d.inductive("for every n", statement, n, [started, empty], [grows, longer])
    d.qed(d.instantiate("the whole text", for_every_n, {n: length}))


def along(
    every: Sequence[tuple[int, ...]], gamma: int, p: Callable[..., Any], q: Callable[..., Any], stop: Callable[..., int]
) -> dict[str, Any]:
    """Values of the symbols for models given as functions of the tokens before, at most γ drafts a block.

    State s has s − 1 drafts; `stop` takes (text, n, s), with texts and states counted from 1.
    """

    def kept(at: int, prefix_length: int, token: int) -> Any:
        return min(p(every[at - 1][:prefix_length])[token - 1], q(every[at - 1][:prefix_length])[token - 1])

    def keep(at: int, prefix_length: int, token: int) -> Any:
        drafted = q(every[at - 1][:prefix_length])[token - 1]
        return kept(at, prefix_length, token) / drafted if drafted else 0

    vocab = len(p(()))
    return {
        **{"p": lambda at, prefix_length, token: p(every[at - 1][:prefix_length])[token - 1]},
        **{"q": lambda at, prefix_length, token: q(every[at - 1][:prefix_length])[token - 1]},
        **{
            "keep": keep,
            "stop": stop,
            "token": lambda at, prefix_length, token: int(every[at - 1][prefix_length] == token - 1),
        },
        **{
            "none": lambda at, prefix_length: int(
                sum(kept(at, prefix_length, token) for token in range(1, vocab + 1)) == 1
            )
        },
        **{"onward": lambda state, after: int(after == min(state, gamma) + 1), "begin": lambda state: int(state == 1)},
        **{"V": vocab, "S": gamma + 1, "length": len(every[0])},
        "ranges": {
            **{"text": range(1, len(every) + 1), "n": range(len(every[0]))},
            **{"s": range(1, gamma + 2), "u": range(1, gamma + 2)},
        },
    }
