"""A call of a drafter whose law depends on the number of drafts made: in every state the emitted token is the target's."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, eq, ge, gt, total, x, y
from proofs_check.sd._block_texts import Step, n, s, text, texts
from simspec.claims.texts import markov
from simspec.laws import Array

__all__ = ["KEEP", "bound", "prove"]

KEEP = "a draft is kept with probability min(p, q)/q, and in the last state with none"


def prove(d: Derivation, sign: int = 1, share: Any = 1) -> None:
    """Every target, every number of positions with laws of their own, every vocabulary size and length of text."""
    p, mass_p = d.law("p", text, n)
    q, mass_q = d.law("q", s)
    keep = d.weights("keep", text, n, s, x)
    stop = d.weights("stop", s)
    r = sp.IndexedBase("r", real=True)
    none = sp.IndexedBase("none", real=True)
    k = sp.Min(p[text, n, x], q[s, x])
    beyond = p[text, n, x] - k
    remaining = total(beyond, x)
    flag = d.domain(
        "none is 1 where nothing is left of the target, else 0",
        eq(none[text, n, s] * remaining, 0),
        eq(none[text, n, s] * (1 - none[text, n, s]), 0),
        gt(remaining + none[text, n, s], 0),
    )
    ratio = d.domain(KEEP, eq(keep[text, n, s, x] * q[s, x], share * (1 - stop[s]) * k))
    residual = d.define(
        "a rejection draws from norm(p − min(p, q)), or from p where nothing is left",
        r[text, n, s, x],
        beyond / (remaining + none[text, n, s]) + none[text, n, s] * p[text, n, x],
        *flag,
    )
    beyond_y = beyond.subs(x, y)
    some = d.derive("no token keeps more than the target wants", ge(beyond_y, 0))
    lack = d.term("what a token lacks is part of all that is left", some, y, x)
    lacks = d.instantiate("of this token", some, {y: x})
    again = d.derive(
        "where a draft is rejected", eq(remaining * r[text, n, s, x], beyond), residual, *flag, lack, lacks
    )
    missing = d.derive("the target has mass one", eq(1 - total(k, x), remaining), mass_p)
    again = d.derive("what is redrawn", eq((1 - total(k, x)) * r[text, n, s, x], beyond), missing, again)
    accepted = sp.IndexedBase("kept", real=True)
    ending = sp.IndexedBase("other", real=True)
    kept_fact = d.define("drafted and kept", accepted[text, n, s, x], q[s, x] * keep[text, n, s, x])
    rejected = (1 - stop[s]) * q[s, x] - q[s, x] * keep[text, n, s, x]
    other_law = d.define(
        "redrawn, or the target's own token in the last state",
        ending[text, n, s, x],
        total(rejected, x) * r[text, n, s, x] + sign * stop[s] * p[text, n, x],
    )
    refused = d.derive("rejected", eq(rejected, (1 - stop[s]) * (q[s, x] - k)), ratio)
    refused = d.sum("over the drafts", refused, x)
    refused = d.derive("in all", eq(total(rejected, x), (1 - stop[s]) * (1 - total(k, x))), refused, mass_q)
    goal = eq(accepted[text, n, s, x] + ending[text, n, s, x], p[text, n, x])
    step = d.derive(
        "in every state the emitted token has the target's law", goal, kept_fact, other_law, refused, again, ratio
    )
    texts(d, Step(accepted, ending, p, step))


def bound(p: Array, q: Array, length: int) -> dict[str, Any]:
    """State i has i − 1 drafts; in the last one the target emits, and the law of that row stands for nothing."""
    texts_of_length = list(np.ndindex(*[p.shape[-1]] * length))
    target = markov(p)
    vocab = p.shape[-1]
    rows = [*q, q[0]]

    def shared(at: int, position: int, state: int, token: int) -> Any:
        return min(target(texts_of_length[at - 1][:position])[token - 1], rows[state - 1][token - 1])

    def keep(at: int, position: int, state: int, token: int) -> Any:
        drafted = rows[state - 1][token - 1]
        return shared(at, position, state, token) / drafted if drafted and state <= len(q) else 0

    def none(at: int, position: int, state: int) -> int:
        return int(sum(shared(at, position, state, token) for token in range(1, vocab + 1)) == 1)

    return {
        **{"p": lambda at, position, token: target(texts_of_length[at - 1][:position])[token - 1]},
        **{"q": rows, "keep": keep, "none": none, "stop": lambda state: int(state > len(q))},
        **{"token": lambda at, position, token: int(texts_of_length[at - 1][position] == token - 1)},
        **{"onward": lambda state, after: int(after == min(state, len(q)) + 1), "begin": lambda state: int(state == 1)},
        **{"V": vocab, "S": len(q) + 1, "length": length},
        "ranges": {
            **{"text": range(1, len(texts_of_length) + 1), "n": range(length)},
            **{"s": range(1, len(q) + 2), "u": range(1, len(q) + 2)},
        },
    }
