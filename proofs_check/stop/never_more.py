"""stop.never-more: with as many drafts to go, a draft that may end accepts no more from any context on."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, index, le, total, x
from simspec.claims.stop.never_more import NEVER_MORE
from simspec.claims.stop.parts import after

ENDS = "go is 1 where the draft goes on, else 0"
n, togo = sp.symbols("n togo", integer=True, nonnegative=True)
s = index("s")
u = index("u")
S = sp.Symbol("S", integer=True, positive=True)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and rules, every number of drafts.

    Equality where the rule never ends a draft whose next token could be kept.
    """
    p = d.weights("p", s, x)
    q = d.weights("q", s, x)
    to = d.weights("to", s, x, u)
    go = d.weights("go", s)
    ends = d.domain(ENDS, le(go[s], 1))
    W = sp.IndexedBase("W", real=True)
    U = sp.IndexedBase("U", real=True)
    step = sp.Min(p[s, x], q[s, x]) * to[s, x, u]

    def expected(value: Any) -> Any:
        return total(total(step * (1 + value), u, upto=S), x)

    none, next_full = d.recursion("accepted where all is drafted", eq(W[0, s], 0), eq(W[n + 1, s], expected(W[n, u])))
    empty, fewer = d.recursion(
        "accepted where a draft may end", eq(U[0, s], 0), eq(U[n + 1, s], expected(sign * constant * go[u] * U[n, u]))
    )
    some = d.suppose("not negative", ge(U[n, s], 0))
    some = d.instantiate("at the next context", some, {s: u})
    per_state = d.smt("a part", ge(step * (1 + sign * constant * go[u] * U[n, u]), 0), some)
    per_state = d.sum("over contexts and tokens", d.sum("over contexts", per_state, u, upto=S), x)
    some = d.inductive("never negative", ge(U[n, s], 0), n, [empty], [fewer, per_state])
    supposed_below = d.suppose("no more", le(U[n, s], W[n, s]))
    supposed_below = d.instantiate("at the next context, too", supposed_below, {s: u})
    at_u = d.instantiate("there", some, {s: u})
    end = d.instantiate("the rule there", ends, {s: u})
    per_state = d.smt(
        "no more there",
        le(step * (1 + sign * constant * go[u] * U[n, u]), step * (1 + W[n, u])),
        supposed_below,
        at_u,
        end,
    )
    per_state = d.sum("over contexts and tokens", d.sum("over contexts", per_state, u, upto=S), x)
    at_most_full = d.inductive("never more", le(U[n, s], W[n, s]), n, [none, empty], [next_full, fewer, per_state])
    begin = d.weights("begin", s)
    per_state = d.derive("in the context of the call", le(begin[s] * U[n, s], begin[s] * W[n, s]), at_most_full)
    over_contexts = d.sum("over contexts", per_state, s, upto=S)
    d.qed(d.instantiate("the whole call", over_contexts, {n: togo}))


def _values(p: Any, q: Any, gamma: int, ends: Any) -> dict[str, Any]:
    """Contexts are the texts of at most gamma tokens, the empty one first; longer ones are not told apart."""
    texts: list[tuple[int, ...]] = [()]
    for text in texts:
        texts += [(*text, token) for token in range(2)] if len(text) < gamma else []

    def child(at: int, token: int, then: int) -> int:
        text = (*texts[at - 1], token - 1)
        return int(texts[then - 1] == text) if len(text) <= gamma else int(then == at)

    return {
        "p": lambda at, token: after(p, texts[at - 1])[token - 1],
        "q": lambda at, token: after(q, texts[at - 1])[token - 1],
        "to": child,
        "go": lambda at: int(not (texts[at - 1] and after(ends[len(texts[at - 1])], texts[at - 1]))),
        "begin": lambda at: int(at == 1),
        **{"V": 2, "S": len(texts), "togo": gamma},
        "ranges": {"s": range(1, len(texts) + 1), "u": range(1, len(texts) + 1), "n": range(gamma + 1)},
    }


PROOF = Proof(NEVER_MORE, prove, drop=ENDS, bind=_values)
