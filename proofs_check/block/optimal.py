"""block.optimal and block.off-path: a lossless rule keeps of a text what it drafted, and its last prefix times p, at most."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, le, x
from simspec.claims.block.optimal import LOSSLESS_RULE, OPTIMAL, verifier_of
from simspec.claims.block.parts import ended
from simspec.claims.texts import markov
from simspec.laws import Array

n, size = sp.symbols("n size", integer=True, nonnegative=True)
DRAFTED = "what is kept was drafted"
BEGIN = "the empty prefix is always kept"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every joint law of drafts, τ and the last token, whatever it was made from; all laws in every context, every number of
    drafts.  A text x of γ tokens is a token here; each of its prefixes counts with a share, all shares of a prefix being one.

    Attained by block verification.
    """
    p, Q, e, share = (d.weights(name, n, x) for name in ("p", "Q", "e", "share"))
    k, out, P, B = (sp.IndexedBase(name, real=True) for name in ("k", "out", "P", "B"))
    drafted = d.domain(DRAFTED, le(k[n, x], constant * Q[n, x]))
    empty_prefix = d.domain(BEGIN, eq(k[0, x], 1))
    _, says = d.recursion("the target's law", eq(P[0, x], 1), eq(P[n + 1, x], P[n, x] * p[n, x]))
    _, then = d.recursion(
        "what is emitted begins so: kept, or with the last token, or the target went on",
        eq(out[0, x], 1),
        eq(out[n + 1, x], k[n + 1, x] + e[n, x] + (out[n, x] - k[n, x]) * p[n, x]),
    )
    lossless = d.assume(LOSSLESS_RULE, eq(out[n, x], P[n, x]))
    after = d.instantiate("a token later", lossless, {n: n + 1})
    some = d.derive("no mass is negative", le(0, e[n, x]))
    at_most_target = d.smt(
        "kept of what was kept", le(k[n + 1, x], k[n, x] * p[n, x]), then, says, lossless, after, some
    )
    there = d.instantiate("and of what was drafted", drafted, {n: n + 1})
    empty, grows = d.recursion(
        "the block keeps the smaller of both", eq(B[0, x], 1), eq(B[n + 1, x], sp.Min(Q[n + 1, x], B[n, x] * p[n, x]))
    )
    mass = d.derive("no mass is negative here", le(0, p[n, x]))
    below = d.inductive(
        "so the block keeps most",
        le(k[n, x], B[n, x]),
        n,
        [empty_prefix, empty],
        [grows, at_most_target, there, mass],
        by="smt",
    )
    below = d.instantiate("of one token more", below, {n: n + 1})
    T = sp.IndexedBase("T", real=True)
    S = sp.IndexedBase("S", real=True)
    zero, counted = d.recursion(
        "so many are kept", eq(T[0, x], 0), eq(T[n + 1, x], T[n, x] + share[n + 1, x] * k[n + 1, x])
    )
    nothing, bound_step = d.recursion(
        "so many by the block", eq(S[0, x], 0), eq(S[n + 1, x], S[n, x] + sign * share[n + 1, x] * B[n + 1, x])
    )
    nonnegative_share = d.derive("a share", le(0, share[n + 1, x]))
    below = d.smt(
        "with its share", le(share[n + 1, x] * k[n + 1, x], share[n + 1, x] * B[n + 1, x]), below, nonnegative_share
    )
    for_every_n = d.inductive(
        "along each text", le(T[n, x], S[n, x]), n, [zero, nothing], [counted, bound_step, below], by="smt"
    )
    d.qed(d.sum("over the texts", d.instantiate("to its end", for_every_n, {n: size}), x))


def values(on_path: bool) -> Callable[..., dict[str, Any]]:
    """The function that binds the symbols; `on_path`: the rule's shares go by position and ratio, else by the whole prefix."""

    def bind(p: Array, q: Array, gamma: int, shares: Array) -> dict[str, Any]:
        """The values of k, e, p, Q and share at each prefix, from the outcomes of the rule."""
        vocab = p.shape[-1]
        outcomes = ended(verifier_of(p, shares, on_path), p, q, gamma)
        texts = list(product(range(vocab), repeat=gamma))
        zero = 0 * p[0, 0]

        def kept(at: int, text: int) -> Any:
            prefix = texts[text - 1][:at]
            return sum((o.probability for o in outcomes if o.accepted >= at and o.tokens[:at] == prefix), start=zero)

        def last(at: int, text: int) -> Any:
            prefix = texts[text - 1][: at + 1]
            return sum(
                (o.probability for o in outcomes if o.accepted == at and o.tokens == prefix and at < gamma), start=zero
            )

        def target(at: int, text: int) -> Any:
            return markov(p)(texts[text - 1][:at])[texts[text - 1][at]] if at < gamma else zero

        def draft(at: int, text: int) -> Any:
            mass = 1 + zero
            for i in range(at):
                mass *= markov(q)(texts[text - 1][:i])[texts[text - 1][i]]
            return mass

        return {
            **{
                "k": kept,
                "e": last,
                "p": target,
                "Q": draft,
                "share": lambda at, text: (1 + zero) / vocab ** (gamma - at),
            },
            **{"V": len(texts), "size": gamma, "ranges": {"n": range(gamma + 1)}},
        }

    return bind


PROOF = Proof(OPTIMAL, prove, drop=DRAFTED, bind=values(True))
