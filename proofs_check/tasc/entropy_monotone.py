"""tasc.entropy-monotone: what a merge does to Q = Σ p² term by term; a code for the new text bounds its Shannon entropy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction as F
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, gt, le, total, x
from proofs_check.tasc._exponential_tangent import tangent
from proofs_check.tasc._small_corpora import corpora
from simspec.claims.claim import Instance
from simspec.claims.tasc.entropy_monotone import MONOTONE, MONOTONE_CORRECTED, MONOTONE_SHARP
from simspec.methods.tasc.enrichment import enrich, merge_text

SHORTER = "a merge shortens the text by its reward (see tasc.merge-reward.non-overlapping)"


class Merge(NamedTuple):
    """Shares of the tokens before and after a merge at π N places, which leaves `left` of the length."""

    p: Any
    m: Any
    pi: Any
    n: Any
    left: Any
    after: Any
    new: Any
    mass: Fact
    size: Fact
    shorter: Fact
    taken: Fact
    added: Fact


def merge(d: Derivation, factor: sp.Expr | int = 1, occurring: bool = False) -> Merge:
    """State what one merge does to the shares of the tokens; `factor` is for a mutation."""
    p = sp.IndexedBase("p", **{"positive" if occurring else "nonnegative": True})
    m = sp.IndexedBase("m", nonnegative=True)
    mass = d.domain("p sums to one", eq(total(p[x], x), 1))
    n = d.number("n")
    pi = d.number("pi", 0)
    remaining = d.number("left", positive=True)
    new = d.number("new", 0)
    after = d.weights("after")
    size = d.domain("the n-gram has n tokens", eq(total(m[x], x), n))
    shorter = d.domain(SHORTER, eq(remaining, 1 - (n - 1) * pi))
    gone = d.domain("a merge takes the tokens of the n-gram away", eq(after[x] * remaining, p[x] - factor * m[x] * pi))
    added = d.domain("and adds one token", eq(new * remaining, pi))
    return Merge(
        p=p,
        m=m,
        pi=pi,
        n=n,
        left=remaining,
        after=after,
        new=new,
        mass=mass,
        size=size,
        shorter=shorter,
        taken=gone,
        added=added,
    )


def collision(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, corpus and n-gram."""
    t = merge(d)
    p = t.p
    m = t.m
    pi = t.pi
    n = t.n
    token = eq((t.after[x] * t.left) ** 2, (p[x] - sign * m[x] * pi) ** 2)
    token = d.summed("the square of a token's count", token, t.taken, then="over the tokens")
    added = d.derive("and that of the new token", eq((t.new * t.left) ** 2, constant * pi**2), t.added)
    Q = total(p[x] ** 2, x)
    later = total(t.after[x] ** 2, x) + t.new**2
    squares = total(m[x] ** 2, x)
    bracket = 2 * total(m[x] * p[x], x) - pi * (1 + squares) - (n - 1) * (2 - (n - 1) * pi) * Q
    goal = eq((Q - later) * t.left**2, pi * bracket)
    d.qed(d.smt("together", goal, token, added, t.shorter))


def shannon(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every corpus and n-gram, tokens that a merge uses up included.

    With equality exactly when the shares after the merge are those of the code, p/(1 + P) and P/(1 + P), as for 0 1 in
    1 1 0 1 0 0.
    """
    t = merge(d, occurring=True)
    p = t.p
    m = t.m
    pi = t.pi
    remaining = t.left
    after = t.after
    new = t.new
    some = d.domain("the tokens are those that occur", gt(p[x], 0))
    # logarithms are taken of r, so that 0 log 0 = 0
    r = sp.IndexedBase("r", positive=True)
    fresh = d.number("r_new", positive=True)
    d.domain("r is positive", gt(r[x], 0))
    r_is = d.domain("r is the share after the merge, where that is positive", eq(after[x] * (r[x] - after[x]), 0))
    fresh_is = d.domain("and so for the new token", eq(new * (fresh - new), 0))
    code = sp.Symbol("log_P", real=True)
    P = sp.Symbol("P", positive=True)
    extra = sp.Symbol("Lambda", real=True)
    code_is = d.define("the tokens of the n-gram together", code, constant * total(m[x] * sp.log(p[x]), x))
    P_is = d.define("their product", P, sp.exp(code))
    extra_is = d.define("a code for the new text is by 1 + P too long", extra, sp.log(1 + P))
    scale = d.derive("its normalisation", eq(sp.exp(-extra) * (1 + P), 1), extra_is)

    curve, a, b = tangent(d)
    token = d.instantiate(
        "at the logarithms of a token's code and share", curve, {a: sp.log(p[x]) - extra, b: sp.log(r[x])}
    )
    cost = after[x] * (1 + sp.log(p[x]) - extra - sp.log(r[x]))
    token = d.smt("also where none is left", le(cost, p[x] * sp.exp(-extra)), token, r_is, some)
    token = d.sum("over the tokens", token, x)
    of_new_token = d.instantiate("and of the new token's", curve, {a: code - extra, b: sp.log(fresh)})
    cost = new * (1 + code - extra - sp.log(fresh))
    of_new_token = d.smt("also where nothing is merged", le(cost, P * sp.exp(-extra)), of_new_token, fresh_is, P_is)

    share = d.sum("the tokens that stay", t.taken, x)
    later_mass = eq(total(after[x], x) + new, 1)
    later_mass = d.smt("shares after the merge", later_mass, share, t.mass, t.size, t.shorter, t.added)
    code_sum = eq(after[x] * remaining * sp.log(p[x]), sp.log(p[x]) * (p[x] - sign * m[x] * pi))
    code_sum = d.summed("a token's code", code_sum, t.taken, then="their code")
    before = -total(p[x] * sp.log(p[x]), x)
    coded = eq(remaining * (total(after[x] * sp.log(p[x]), x) + new * code), -before)
    coded = d.smt("the n-gram's tokens cost what the new one does", coded, code_sum, code_is, t.added)
    later = -total(after[x] * sp.log(r[x]), x) - new * sp.log(fresh)
    gibbs = le(later + total(after[x] * sp.log(p[x]), x) + new * code, extra)
    gibbs = d.smt("no code is shorter than the entropy", gibbs, token, of_new_token, later_mass, scale, t.mass)
    d.qed(d.smt("in tokens of the new text", le(later, before / remaining + extra), gibbs, coded))


def _shares(texts: Sequence[Sequence[int]], ngram: Sequence[int], tokens: Sequence[int]) -> dict[str, Any]:
    """Shares of some tokens, and of the new one, before and after a merge."""
    later = [merge_text(text, ngram, -1) for text in texts]
    old, size = (
        [sum(text.count(t) for text in some) for t in [*tokens, -1]] for some in (list(map(list, texts)), later)
    )
    N = sum(map(len, texts))
    remaining = sum(map(len, later))
    after = [F(k, remaining) for k in size]
    return {
        **{"p": [F(k, N) for k in old[:-1]], "m": [list(ngram).count(t) for t in tokens], "n": len(ngram)},
        **{"pi": F(size[-1], N), "left": F(remaining, N), "after": after[:-1], "new": after[-1], "V": len(tokens)},
        **{"r": [a or F(1) for a in after[:-1]], "r_new": after[-1] or F(1)},
    }


def small() -> Iterator[Instance]:
    """Corpora of one text of two to six tokens over two letters, with bigrams."""
    return ({"texts": corpus, "vocab": 2, "n_max": 2} for corpus in corpora(2, 6, 2))


def with_merge() -> Iterator[Instance]:
    """The same with the n-gram of highest reward."""
    for instance in small():
        (ngram,) = enrich(instance["texts"], 1, 2, 2).ngrams
        yield {**instance, "ngram": list(ngram)}


def _positive_bracket(texts: Any, ngram: Any) -> bool:
    return bool(MONOTONE_CORRECTED.sides({"texts": texts, "ngram": ngram})[1] >= 0)


RENYI = replace(
    MONOTONE,
    lhs=lambda **x: MONOTONE.sides(x)[0][2:],
    rhs=lambda **x: MONOTONE.sides(x)[1][2:],
    assumes={"the bracket is not negative": _positive_bracket},
)

PROOFS = (
    Refutation(
        MONOTONE,
        small,
        scope="the first of all texts over two letters, by their number of tokens",
        repaired={
            "2-Rényi entropy, where the bracket of the correction is not negative": (RENYI, with_merge),
            "the identity for Q": (MONOTONE_CORRECTED, with_merge),
            "the sharp bound for Shannon entropy": (MONOTONE_SHARP, with_merge),
        },
    ),
    Proof(
        MONOTONE_CORRECTED,
        collision,
        drop="and adds one token",
        bind=lambda texts, ngram: _shares(texts, ngram, range(3)),
    ),
    Proof(
        MONOTONE_SHARP,
        shannon,
        drop=SHORTER,
        bind=lambda texts, ngram: _shares(texts, ngram, sorted({t for text in texts for t in text})),
    ),
)
