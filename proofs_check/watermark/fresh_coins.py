"""watermark.fresh-coins: over keys one step of speculative decoding, but that one key ties the residual token to the draft."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.ears._truth_values import flags, zeros
from proofs_check.folk._one_step import NORMED, residual, step
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, laws, le, total, x, y
from simspec.claims.claim import Instance
from simspec.claims.watermark.fresh_coins import ONE_KEY, ONE_KEY_CORRECTED, STRENGTH, STRENGTH_CORRECTED, TWO_KEYS
from simspec.claims.watermark.parts import chances
from simspec.claims.watermark.parts import residual as residual_law
from simspec.laws import Array
from simspec.methods.watermark import quantile_coupling

KEEP = "a is the chance that a draft is kept, min(1, p/q)"
DRAFT = "over keys the draft has the law q"
OTHER = "over keys the residual token has the law (p − q)₊ over its sum"


def two_keys(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws; of the accepted share that it is what is kept."""
    it = step(d, sign=sign, constant=constant)
    a = d.weights("a")
    keep = d.domain(KEEP, eq(a[x] * it.d[x], sp.Min(it.p[x], it.d[x])))
    share = d.sum("over the drafts", keep, x)
    d.qed(it.lossless, d.derive("the accepted share", share.relation, share))


def _two_keys(p: Array, q: Array) -> dict[str, Any]:
    return {**residual(p, q), "a": chances(p, q)}


def one_key(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, all ways in which keys tie the residual token to the draft.

    Attained where drafts are kept for sure or not at all, and those that are not come with tokens of their own.
    """
    p, mass = d.law("p")
    q, mass_q = d.law("q")
    C = d.weights("C", x, y)
    r = d.weights("r")
    a = d.weights("a")
    alpha = sp.Symbol("alpha", real=True)
    keep, at_most_one = d.domain(KEEP, eq(a[x] * q[x], sp.Min(p[x], q[x])), le(a[x], 1))
    rows = d.domain(DRAFT, eq(total(C[x, y], y), q[x]))
    columns, normed = d.domain(
        OTHER, eq(total(C[x, y], x), r[y]), eq(r[y] * total(sp.Max(p[x] - q[x], 0), x), sp.Max(p[y] - q[y], 0))
    )
    named = d.define("the acceptance", alpha, total(sp.Min(p[x], q[x]), x))
    parts = d.smt("kept, and beyond the draft", eq(sp.Min(p[x], q[x]) + sp.Max(p[x] - q[x], 0), p[x]))
    beyond = d.sum("over the vocabulary", parts, x)
    beyond = d.smt("what is refused", eq(total(sp.Max(p[x] - q[x], 0), x), 1 - alpha), beyond, named, mass)
    here = d.instantiate("of the token", parts, {x: y})
    again = d.derive("the residual's share", eq(sp.Max(p[y] - q[y], 0), (1 - alpha) * r[y]), normed, beyond, by="smt")
    out = sp.Min(p[y], q[y]) + total(C[x, y] * (1 - a[x]), x)
    tied = d.derive("a draft and a token", eq(C[x, y] * (1 - a[x]), C[x, y] - C[x, y] * a[x]))
    tied = d.sum("over the drafts", tied, x)
    gap = total(C[x, y] * alpha - sign * C[x, y] * a[x], x)
    off = d.derive("what is off", eq(out - p[y], gap), tied, columns, again, here, by="smt")
    low = [d.derive("not negative", ge(w, 0)) for w in (C[x, y], q[x], a[x])]
    far = total(C[x, y] * sp.Abs(alpha - a[x]), x)
    up = d.smt("no more than its size", le(C[x, y] * alpha - C[x, y] * a[x], C[x, y] * sp.Abs(alpha - a[x])), low[0])
    down = d.smt("nor less", ge(C[x, y] * alpha - C[x, y] * a[x], -C[x, y] * sp.Abs(alpha - a[x])), low[0])
    up, down = (d.sum("over the drafts", fact, x) for fact in (up, down))
    off = d.derive("its size", le(sp.Abs(out - p[y]), far), off, up, down, by="smt")
    off = d.sum("over the tokens", off, y)
    per_draft = d.derive(
        "of a draft",
        eq(sp.Abs(alpha - a[x]) * total(C[x, y], y), sp.Abs(alpha - a[x]) * q[x]),
        rows,
    )
    per_draft = d.sum("over the drafts", per_draft, x)
    inside = d.smt("a share", ge(sp.Min(p[x], q[x]), 0), *_low(d, p, q))
    inside = d.smt("not negative", ge(alpha, 0), named, d.sum("over the drafts", inside, x))
    at_most_one_fact = d.sum("at most the drafts", d.smt("at most", le(sp.Min(p[x], q[x]), q[x])), x)
    at_most_one_fact = d.smt("at most one", le(alpha, 1), named, at_most_one_fact, mass_q)
    chord = le(sp.Abs(alpha - a[x]), a[x] * (1 - alpha) + (1 - a[x]) * alpha)
    chord = d.smt("below its chord", chord, inside, at_most_one_fact, at_most_one, low[2])
    chord = d.smt(
        "weighed",
        le(sp.Abs(alpha - a[x]) * q[x], sp.Min(p[x], q[x]) * (1 - 2 * alpha) + alpha * q[x]),
        chord,
        keep,
        low[1],
    )
    chord = d.sum("over the drafts", chord, x)
    change = total(sp.Abs(out - p[y]), y) / 2
    bound = d.derive("in all", le(change, alpha - alpha * alpha), off, per_draft, chord, named, mass_q, by="smt")
    square = sp.Symbol("square", real=True)
    squared = d.define("its square", square, alpha * alpha)
    goal = le(constant * change, alpha * (1 - alpha))
    d.qed(d.derive("together", goal, bound, squared, by="smt"))


def _low(d: Derivation, *weights: Any) -> list[Any]:
    return [d.derive("not negative", ge(w[x], 0)) for w in weights]


def _one_key(p: Array, q: Array, joint: Array) -> dict[str, Any]:
    return {"p": p, "q": q, "C": joint, "r": residual_law(p, q), "a": chances(p, q), "V": len(p)}


def strength(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and keys: that both coins keep the draft or neither does.

    A draft that may be refused is no residual token, so that otherwise the tokens differ.
    """
    p = d.weights("p")
    q, mass_q = d.law("q")
    C = d.weights("C", x, y)
    a = d.weights("a")
    quotient_law = d.weights("part")
    keep, at_most_one_fact = d.domain(KEEP, eq(a[x] * q[x], sp.Min(p[x], q[x])), le(a[x], 1))
    rows = d.domain(DRAFT, eq(total(C[x, y], y), q[x]))
    z, is_zero = zeros(d, "z", q)
    quotient = d.domain("part is the quotient p/q, 0 where q is 0", eq(quotient_law[x] * q[x], (1 - z[x]) * p[x]))
    same = a[x] ** 2 + (1 - sign * a[x]) ** 2
    per_draft = d.derive("of a draft", eq(total(C[x, y], y) * same, q[x] * same), rows)
    per_draft = d.sum("over the drafts", per_draft, x)
    low = _low(d, p, q, a, quotient_law)
    lost = eq(q[x] * (a[x] ** 2 + (1 - a[x]) ** 2), q[x] - 2 * sp.Max(q[x] - p[x], 0) * quotient_law[x])
    lost = d.smt("two coins", lost, keep, at_most_one_fact, quotient, *low, *is_zero)
    lost = d.sum("over the drafts", lost, x)
    alike = total(total(C[x, y], y) * same, x)
    goal = eq(constant * alike, 1 - 2 * total(sp.Max(q[x] - p[x], 0) * quotient_law[x], x))
    d.qed(d.derive("in all", goal, per_draft, lost, mass_q, by="smt"))


def _strength(p: Array, q: Array, joint: Array) -> dict[str, Any]:
    quotient_law = [a / b if b else 0 for a, b in zip(p, q, strict=True)]
    return {"p": p, "q": q, "C": joint, "a": chances(p, q), "part": quotient_law, "z": flags(q == 0), "V": len(p)}


def _by_one_number(vocabs: tuple[int, ...], sizes: tuple[int, ...], certain: bool = False) -> Iterator[Instance]:
    """Laws of one denominator, with draft and residual token drawn by one uniform number, or with nothing to refuse."""
    for vocab in vocabs:
        for size in sizes:
            for p, q in product(list(laws(vocab, size)), repeat=2):
                if not certain or (p == q).all():
                    yield {"p": p, "q": q, "joint": quantile_coupling(q, residual_law(p, q))}


def _independent() -> Iterator[Instance]:
    for instance in _by_one_number((2, 3), (1, 2, 3)):
        joint = instance["q"][:, None] * residual_law(instance["p"], instance["q"])
        yield {**instance, "joint": np.asarray(joint)}


PROOFS = (
    Proof(TWO_KEYS, two_keys, drop=NORMED, bind=_two_keys),
    Refutation(
        ONE_KEY,
        lambda: _by_one_number((2, 3, 4), (1, 2, 3, 4)),
        scope="the first by vocabulary and denominator, with one uniform number for both tokens",
        repaired={"keys of their own": _independent, "within α(1 − α)": ONE_KEY_CORRECTED},
    ),
    Proof(ONE_KEY_CORRECTED, one_key, drop=OTHER, bind=_one_key),
    Refutation(
        STRENGTH,
        lambda: _by_one_number((2,), (1, 2, 3, 4)),
        scope="the first by a common denominator, with two tokens",
        repaired={
            "a draft that is the target": lambda: _by_one_number((2, 3), (1, 2, 3), certain=True),
            "but for coins that differ": STRENGTH_CORRECTED,
        },
    ),
    Proof(STRENGTH_CORRECTED, strength, drop=KEEP, bind=_strength),
)
