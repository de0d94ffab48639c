"""Texts of two stages: a middle model verifies drafts of q, and the target all that it emits.

A text is fixed; after its first n tokens the laws are p[text, n, ·], m[text, n, ·] and q[text, n, ·].  In the states 1 … γ the
next draft is q's, in γ + 1 the middle model adds a token, in γ + 2 the target does.  A token of m that is no draft of q leads
to γ + 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, index, total, x, y
from proofs_check.sd._block_texts import length, n, s, text
from simspec.claims.texts import markov
from simspec.laws import Array

__all__ = ["KEEP", "bound", "prove"]

S = sp.Symbol("S", integer=True, positive=True)
u = index("u")
KEEP = "the target keeps a token of the middle model with probability min(p, m)/m, and none in the last state"
STAGE = "in the first states a draft of q is kept, or (m − q)₊ over its sum is drawn; then the middle model's own token"


def _redrawn(d: Derivation, high: Any, low: Any, mass: Fact, name: str) -> tuple[Any, Fact]:
    """A residual law of two laws, and (1 − Σ min) r = high − min for every token."""
    k = sp.Min(high, low)
    beyond = high - k
    remaining = total(beyond, x)
    none = sp.IndexedBase(f"none_{name}", real=True)[text, n]
    flag = d.domain(
        f"none_{name} is 1 where nothing is left, else 0",
        eq(none * remaining, 0),
        eq(none * (1 - none), 0),
        gt(remaining + none, 0),
    )
    r = sp.IndexedBase(f"r_{name}", real=True)[text, n, x]
    residual = d.define("norm of what is left, or the law itself", r, beyond / (remaining + none) + none * high, *flag)
    some = d.derive("no token keeps more than the law has", ge(beyond.subs(x, y), 0))
    lack = d.term("what a token lacks is part of all that is left", some, y, x)
    lacks = d.instantiate("of this token", some, {y: x})
    redraw = d.derive("drawn again", eq(remaining * r, beyond), residual, *flag, lack, lacks)
    missing = d.derive("the law has mass one", eq(1 - total(k, x), remaining), mass)
    return r, d.derive("in place of what is rejected", eq((1 - total(k, x)) * r, beyond), missing, redraw)


def prove(d: Derivation, sign: int = 1, share: Any = 1) -> None:
    """Every target, middle model and draft, every vocabulary size, number of drafts and length of text."""
    p, mass_p = d.law("p", text, n)
    m, mass_m = d.law("m", text, n)
    q, _ = d.law("q", text, n)
    here = (text, n, x)
    stage = d.weights("stage", s)
    bonus = d.weights("bonus", s)
    r_m, again_m = _redrawn(d, m[here], q[here], mass_m, "m")
    stage_law = sp.IndexedBase("given", real=True)
    kept_mass = sp.Min(q[here], m[here])
    emitted = stage[s] * (kept_mass + sign * (1 - total(kept_mass, x)) * r_m) + bonus[s] * m[here]
    is_given = d.define("what the middle model emits, in the states where it does", stage_law[text, n, s, x], emitted)
    last = sp.IndexedBase("last", real=True)
    states = d.domain("a state is one of the three", eq(stage[s] + bonus[s] + last[s], 1))
    order = d.derive("the smaller of both", eq(sp.Min(m[here], q[here]), kept_mass), by="smt")
    of_m = d.derive("the middle model's law", eq(kept_mass + (1 - total(kept_mass, x)) * r_m, m[here]), again_m, order)
    of_m = d.derive(
        "in every such state", eq(stage_law[text, n, s, x], (1 - last[s]) * m[here]), is_given, of_m, states
    )

    r_p, again_p = _redrawn(d, p[here], m[here], mass_p, "p")
    keep = d.weights("keep", text, n, x)
    k = sp.Min(p[here], m[here])
    ratio = d.domain(KEEP, eq(keep[here] * m[here], share * k))
    accepted = stage_law[text, n, s, x] * keep[here]
    rejected = stage_law[text, n, s, x] * (1 - keep[here])
    ending = total(rejected, x) * r_p + last[s] * p[here]
    kept_fact = d.derive("kept", eq(accepted, (1 - last[s]) * k), of_m, ratio)
    refused = d.derive("rejected", eq(rejected, (1 - last[s]) * (m[here] - k)), of_m, ratio)
    refused = d.sum("over the tokens", refused, x)
    refused = d.derive("in all", eq(total(rejected, x), (1 - last[s]) * (1 - total(k, x))), refused, mass_m)
    adds_up = eq(accepted + ending, p[here])
    adds_up = d.derive("in every state the token has the target's law", adds_up, kept_fact, refused, again_p)
    _texts(d, accepted, ending, p[here], adds_up)


def _texts(d: Derivation, accepted: Any, ending: Any, target: Any, adds_up: Fact) -> None:
    """The probability that the first `length` tokens are those of the text is the target's probability of the text."""
    token = d.weights("token", text, n, x)
    onward = sp.IndexedBase("onward", real=True)[text, n, s, x, u]
    begin = sp.IndexedBase("begin", real=True)
    goes_on = d.domain("a kept token leads to some state", eq(total(onward, u, upto=S), 1))
    begins = d.domain("a call begins in one state", eq(total(begin[s], s, upto=S), 1))
    F = sp.IndexedBase("F", real=True)
    W = sp.IndexedBase("W", real=True)
    shared = F[text, n, s] * token[text, n, x]
    first, then = d.recursion(
        "how probable it is that the first n tokens are the text's, and the call is in state s",
        eq(F[text, 0, s], begin[s]),
        eq(F[text, n + 1, u], total(total(shared * (accepted * onward + ending * begin[u]), x), s, upto=S)),
    )
    target_mass = total(token[text, n, x] * target, x)
    empty, longer = d.recursion(
        "what the target wants", eq(W[text, 0], 1), eq(W[text, n + 1], W[text, n] * target_mass)
    )
    alive = total(F[text, n, s], s, upto=S)
    started = d.sum("over the states", first, s, upto=S)
    started = d.derive("before the text", eq(total(F[text, 0, s], s, upto=S), 1), started, begins)
    then = d.sum("over the states after the token", then, u, upto=S)
    kept_fact = eq(shared * accepted * total(onward, u, upto=S), shared * accepted)
    kept_fact = d.derive("a kept token leads to some state", kept_fact, goes_on)
    redrawn_fact = eq(shared * ending * total(begin[u], u, upto=S), shared * ending)
    redrawn_fact = d.derive("and so does another one", redrawn_fact, begins)
    token_fact = d.derive("the emitted token", eq(shared * (accepted + ending), shared * target), adds_up)
    kept_fact, redrawn_fact, token_fact = (
        d.sum("over the states before it", d.sum("over the tokens", fact, x), s, upto=S)
        for fact in (kept_fact, redrawn_fact, token_fact)
    )
    facts = [then, kept_fact, redrawn_fact, token_fact]
    grows = d.derive("whatever the state", eq(alive.subs(n, n + 1), alive * target_mass), *facts)
    for_every_n = d.inductive("for every n", eq(alive, W[text, n]), n, [started, empty], [grows, longer])
    d.qed(d.instantiate("the whole text", for_every_n, {n: length}))


def bound(p: Array, m: Array, q: Array, gamma: int, length: int) -> dict[str, Any]:
    """State i has i − 1 drafts that both models have kept."""
    texts_of_length = list(np.ndindex(*[p.shape[-1]] * length))
    vocab = p.shape[-1]
    models = {name: markov(table) for name, table in (("p", p), ("m", m), ("q", q))}

    def mass(name: str, at: int, position: int, token: int) -> Any:
        return models[name](texts_of_length[at - 1][:position])[token - 1]

    def smaller(names: str, at: int, position: int, token: int) -> Any:
        return min(mass(name, at, position, token) for name in names)

    def is_nothing(names: str, at: int, position: int) -> int:
        return int(sum(smaller(names, at, position, token) for token in range(1, vocab + 1)) == 1)

    def keep(at: int, position: int, token: int) -> Any:
        middle_mass = mass("m", at, position, token)
        return smaller("pm", at, position, token) / middle_mass if middle_mass else 0

    def onward(at: int, position: int, state: int, token: int, after: int) -> Any:
        """From a state of q's drafts to the next one as often as a token of m is one of them, else to the last."""
        if state > gamma:
            return int(after == gamma + 2)
        middle_mass = mass("m", at, position, token)
        draft_share = smaller("qm", at, position, token) / middle_mass if middle_mass else 0
        return draft_share * (after == state + 1) + (1 - draft_share) * (after == gamma + 2)

    return {
        **{name: lambda at, position, token, name=name: mass(name, at, position, token) for name in models},
        **{"keep": keep, "onward": onward, "begin": lambda state: int(state == 1)},
        **{"none_m": lambda at, position: is_nothing("qm", at, position)},
        **{"none_p": lambda at, position: is_nothing("pm", at, position)},
        **{"stage": lambda state: int(state <= gamma), "bonus": lambda state: int(state == gamma + 1)},
        **{"last": lambda state: int(state == gamma + 2)},
        **{"token": lambda at, position, token: int(texts_of_length[at - 1][position] == token - 1)},
        **{"V": vocab, "S": gamma + 2, "length": length},
        "ranges": {
            **{"text": range(1, len(texts_of_length) + 1), "n": range(length)},
            **{"s": range(1, gamma + 3), "u": range(1, gamma + 3)},
        },
    }
