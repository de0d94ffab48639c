"""block.lossy-concave and block.lossy-price: what is kept of a text was drafted, and is emitted."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, le, total, x
from simspec.claims.authoring import law
from simspec.claims.block import lossy as claims
from simspec.claims.block.other import always
from simspec.claims.block.parts import EXAMPLE, accepted, emitted, ended, target_law
from simspec.laws import Array

n, size = sp.symbols("n size", integer=True, nonnegative=True)
COIN = "w is a probability"
DRAFTED = "what is kept was drafted"
LAWS = "both are laws of the first tokens"


def prove_concave(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Any two verifiers: all laws of texts, any numbers of drafts.

    With equality where both are on one side of the target at every text.
    """
    w = d.number("w", 0)
    first_length = d.number("one", 0)
    two = d.number("two", 0)
    at_most_one = d.domain(COIN, le(w, 1))
    p, a, b = (d.weights(name) for name in ("p", "a", "b"))
    share = d.smt("shares of a coin", ge(1 - w, 0), at_most_one)
    first_gap = (1 - w) * sp.Abs(a[x] - p[x])
    right = w * sp.Abs(b[x] - p[x])
    mixed = (1 - w) * a[x] + w * b[x]
    per_text = d.smt("of each text", le(sp.Abs(mixed - p[x]), sign * first_gap + right), share)
    far = d.sum("over the texts", per_text, x)
    half = le(constant * total(sp.Abs(mixed - p[x]), x) / 2, total(first_gap, x) / 2 + total(right, x) / 2)
    mean = d.derive(
        "the mean of what is accepted", le((1 - w) * first_length + w * two, (1 - w) * first_length + w * two)
    )
    d.qed(d.derive("half of it", half, far), mean)


def bind_concave(p: Array, q: Array, gamma: int, shares: Array | None, w: Fraction) -> dict[str, Any]:
    first = claims.ways(p, q, gamma, shares)
    second = ended(always, p, q, gamma)
    target = target_law(p, gamma + 1)
    return {
        **{"p": target, "a": emitted(first, p, gamma + 1), "b": emitted(second, p, gamma + 1)},
        **{"one": accepted(first), "two": accepted(second), "w": w, "V": len(target)},
    }


def prove_price(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every joint law of drafts, τ and what is emitted after the kept prefix; all laws in every context, every number of drafts.
    A text x of γ tokens is a token here; each of its prefixes counts with a share, all shares of a prefix being one.

    Attained by the rule that keeps every draft, in the example.
    """
    k, out, P, Q, share = (d.weights(name, n, x) for name in ("k", "out", "P", "Q", "share"))
    drafted = d.domain(DRAFTED, le(k[n, x], constant * Q[n, x]))
    emitted_mass = d.domain("and is emitted", le(k[n, x], out[n, x]))
    output_mass, two = d.domain(LAWS, eq(total(share[n, x] * out[n, x], x), 1), eq(total(share[n, x] * P[n, x], x), 1))
    draft_mass = d.domain("so has the draft", eq(total(share[n, x] * Q[n, x], x), 1))
    overlap = sp.Min(P[n, x], Q[n, x])
    over = sp.Max(out[n, x] - P[n, x], 0)
    per_text = d.smt("of each text", le(k[n, x], overlap + sign * over), drafted, emitted_mass)
    nonnegative_share = d.derive("a share", ge(share[n, x], 0))
    per_text = d.smt(
        "with its share",
        le(share[n, x] * k[n, x], share[n, x] * overlap + share[n, x] * over),
        per_text,
        nonnegative_share,
    )
    per_text = d.sum("over the texts", per_text, x)
    far = sp.Abs(out[n, x] - P[n, x])
    near = sp.Abs(P[n, x] - Q[n, x])
    above = d.smt("above or below", eq(share[n, x] * far, share[n, x] * (2 * over + P[n, x] - out[n, x])))
    above = d.sum("over the texts", above, x)
    shared = d.smt("shared or not", eq(share[n, x] * near, share[n, x] * (P[n, x] + Q[n, x] - 2 * overlap)))
    shared = d.sum("over the texts", shared, x)
    accepted, tv, gap = (total(share[n, x] * quantity, x) for quantity in (k[n, x], far, near))
    premises = [per_text, above, shared, output_mass, two, draft_mass]
    level = d.derive("of one level", le(accepted, 1 - gap / 2 + tv / 2), *premises)
    T = sp.IndexedBase("T", real=True)
    S = sp.IndexedBase("S", real=True)
    later = {n: n + 1}
    zero, counted = d.recursion("so many are kept", eq(T[0], 0), eq(T[n + 1], T[n] + accepted.subs(later)))
    none, bound_step = d.recursion(
        "so many at most", eq(S[0], 0), eq(S[n + 1], S[n] + 1 - gap.subs(later) / 2 + tv.subs(later) / 2)
    )
    level = d.instantiate("of one level more", level, later)
    for_every_n = d.inductive("up to each level", le(T[n], S[n]), n, [zero, none], [counted, bound_step, level])
    d.qed(d.instantiate("to the last", for_every_n, {n: size}))


def bind_price(p: Array, q: Array, gamma: int, shares: Array | None, w: Fraction) -> dict[str, Any]:
    """The values of the symbols of `prove_price`, from the outcomes of the coin rule on all texts."""
    outcomes = claims.coin(p, q, gamma, shares, w)
    vocab = p.shape[-1]
    texts = list(product(range(vocab), repeat=gamma))
    zero = 0 * p[0, 0]

    def place(at: int, text: int) -> int:
        return sum(token * vocab**i for i, token in enumerate(texts[text - 1][:at][::-1]))

    def kept(at: int, text: int) -> Any:
        prefix = texts[text - 1][:at]
        return sum((o.probability for o in outcomes if o.accepted >= at and o.tokens[:at] == prefix), start=zero)

    return {
        "k": kept,
        "out": lambda at, text: emitted(outcomes, p, at)[place(at, text)],
        "P": lambda at, text: target_law(p, at)[place(at, text)],
        "Q": lambda at, text: target_law(q, at)[place(at, text)],
        "share": lambda at, text: (1 + zero) / vocab ** (gamma - at),
        **{"V": len(texts), "size": gamma, "ranges": {"n": range(gamma + 1)}},
    }


PROOFS = (
    Proof(claims.CONCAVE, prove_concave, drop=COIN, bind=bind_concave),
    Refutation(
        claims.PRICE,
        lambda: ({**EXAMPLE, "shares": law(1, 1, 1, 1), "w": law(1)[0]},),
        scope="the example of block verification's paper, every draft kept",
        repaired={"above the mass shared by all prefixes": claims.PRICE_CORRECTED},
    ),
    Proof(claims.PRICE_CORRECTED, prove_price, drop=DRAFTED, bind=bind_price),
)
