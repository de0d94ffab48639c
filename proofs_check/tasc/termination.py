"""tasc.termination: a stage has fewer than (n_max − 1)N n-grams; a merge leaves 1/n_max of a text, and all pairs but one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, Relation, eq, ge, index, le, total, x, y
from proofs_check.tasc._small_corpora import corpora, merged_ngrams
from simspec.claims.claim import Instance
from simspec.claims.tasc.termination import TERMINATION, TERMINATION_CORRECTED
from simspec.methods.tasc.enrichment import COUNTINGS, enrich, merge_text

n, K = sp.symbols("n K", integer=True, nonnegative=True)
q = sp.Symbol("q", integer=True, positive=True)
"""n_max − 1."""
place, spot, longer = index("place"), index("k"), index("l")
size = sp.IndexedBase("size", integer=True, nonnegative=True)
limitless = sp.Symbol("limitless", real=True)


def _inductive(d: Derivation, text: str, statement: Relation, start: list[Fact], step: list[Fact]) -> Fact:
    return d.inductive(text, statement, n, start, step, by="smt")


def _looks(d: Derivation, M: Any, most_made: Fact, sign: int) -> tuple[Any, Fact]:
    """The n-grams looked at, and that they are at most M + (M + 1)(n_max − 1)N."""
    at, rejected = sp.IndexedBase("at", real=True), sp.IndexedBase("rejected", real=True)
    one = le(total(at[n, longer, place, x], x), 1)
    one = d.domain("at a place begins one n-gram of each length at most", one)
    there = total(total(at[n, longer, place, x], place, upto=size[n]), longer, upto=q)
    once = d.domain("an n-gram is rejected once in a stage, and only where it occurs", le(rejected[n, x], there))
    shorter = d.domain("a merge makes no corpus longer", le(size[n + 1], size[n]))
    places = d.sum("over the lengths", d.sum("over the places", one, place, upto=size[n]), longer, upto=q)
    stage = d.sum("over the n-grams", once, x)
    stage = d.derive(
        "a stage rejects no more n-grams than it has places", le(stage.relation.lhs, q * size[n]), stage, places
    )
    lengths = _inductive(d, "a corpus does not grow", le(size[n], size[0]), [], [shorter])
    X = sp.IndexedBase("X", real=True)
    none, more = d.recursion("rejected so far", eq(X[0], 0), eq(X[n + 1], X[n] + sign * total(rejected[n, x], x)))
    statement = le(X[n], n * q * size[0])
    all_stages = _inductive(d, "in n stages", statement, [none], [more, stage, lengths])
    last = d.instantiate("with the stage after the last merge", all_stages, {n: K + 1})
    looked = K + X[K + 1]
    most = M + (M + 1) * q * size[0]
    return looked, d.smt("at most M merges", le(looked, most), last, most_made)


def _halving(d: Derivation, M: Any, constant: Any) -> tuple[Any, Fact]:
    """Without a limit the longest text calls for T tokens, where n_max^T is its length or more for the first time."""
    ell, g, r, P, count = (sp.IndexedBase(name, real=True) for name in ("ell", "g", "r", "P", "count"))
    T = d.number("T", 0)
    saved = d.domain("the longest text loses g − 1 tokens for each merge", eq(ell[n + 1], ell[n] - (g[n] - 1) * r[n]))
    apart = d.domain("merged occurrences share no token", le(g[n] * r[n], ell[n]))
    few = d.domain("an n-gram has 1 to n_max tokens", ge(g[n], 1), le(g[n], constant * (q + 1)))
    some = d.domain("it occurs, or not", ge(r[n], 0))
    goal = le(ell[n], (q + 1) * ell[n + 1])
    kept = d.smt("a merge leaves at least 1/n_max of a text", goal, saved, apart, *few, some)
    one, power = d.recursion("powers of n_max", eq(P[0], 1), eq(P[n + 1], (q + 1) * P[n]))
    positive = _inductive(d, "are positive", ge(P[n], 0), [one], [power])
    left = le(ell[0], P[n] * ell[n])
    left = _inductive(d, "after n merges", left, [one], [power, kept, positive])
    zero, step = d.recursion("merges counted", eq(count[0], 0), eq(count[n + 1], count[n] + 1))
    counted = _inductive(d, "there are n after n", eq(count[n], n), [zero], [step])
    least = ge(sp.Max(count[n] - T, ell[0] - 1 - P[n]), 0)
    least = d.domain("T is the least exponent for which n_max^T is the longest text's length or more", least)
    ends = ge(sp.Max(K - M, 1 - ell[K], -limitless), 0)
    ends = d.domain("without a limit, it ends early when no text has two tokens", ends)
    at = [d.instantiate("in the end", fact, {n: K}) for fact in (left, counted, least, positive)]
    yes = d.domain("there is a limit or none", eq(limitless * (1 - limitless), 0))
    goal = ge(K, limitless * sp.Min(M, T))
    return yes, d.smt("so that it does not end before", goal, *at, ends, yes)


def _pairs(d: Derivation, M: Any, yes: Fact, made: Fact) -> Fact:
    """Without a limit, and with n_max = 2, at least as many tokens as there are different pairs."""
    names = ("seen", "merged", "B", "pair", "inside")
    seen, merged, B, P, inside = (sp.IndexedBase(name, nonnegative=True) for name in names)
    two, at = sp.Symbol("two", real=True), P[n, spot, x]
    signs = (ge(seen[n, x], 0), ge(merged[n, x], 0), ge(B[n, y, x], 0), ge(at, 0), ge(inside[n, spot], 0))
    d.domain("a pair is in a stage, is merged, covers another, stands at a place, is inside of a token, or not", *signs)
    where, after = d.map("where"), d.map("after")
    bigrams = d.domain("n_max is two, or larger", eq(two * (1 - two), 0))
    alone = d.domain("one pair is merged at a time", le(total(merged[n, x], x), 1))
    back = d.domain("a pair after the merge covers one pair before", le(total(B[n, y, x], x), 1))
    binary = d.domain("a place holds a pair, is inside, or not", *(eq(a * (1 - a), 0) for a in (at, inside[n, spot])))
    some = d.domain("a pair of a stage stands somewhere", le(seen[n, x], P[n, where[n, x], x]))
    listed = d.domain("and what stands somewhere is of the stage", le(at, seen[n, x]))
    union = d.domain("what is inside of a new token is the merged pair", le(two * inside[n, spot] * at, merged[n, x]))
    new = P[n + 1, after[n, spot], y]
    beside = "neighbours that are not inside of one token are covered by neighbours"
    beside = d.domain(beside, ge(total(new, y) + inside[n, spot], two * at))
    cover = d.domain("which end and begin with them", ge(B[n, y, x], two * (1 - inside[n, spot]) * at * new))
    named = d.instantiate("a pair one merge later", listed, {n: n + 1, x: y})
    named = d.instantiate("where x was", named, {spot: after[n, spot]})
    held = d.instantiate("one merge later, too", binary[0], {n: n + 1, x: y})
    held = d.instantiate("there", held, {spot: after[n, spot]})
    term = ge(seen[n + 1, y] * B[n, y, x], two * (1 - inside[n, spot]) * at * new)
    term = d.smt("it is of the next stage, and covers x", term, named, cover, held, *binary, bigrams)
    term = d.sum("over the pairs after the merge", term, y)
    survives = le(two * (at - merged[n, x]), total(seen[n + 1, y] * B[n, y, x], y))
    survives = d.smt("at a place", survives, term, beside, union, *binary, bigrams)
    survives = d.instantiate("where x stands", survives, {spot: where[n, x]})
    goal = le(two * (seen[n, x] - merged[n, x]), total(seen[n + 1, y] * B[n, y, x], y))
    survives = d.summed("a pair survives", goal, survives, some, bigrams, then="over the pairs", by="smt")
    cover = le(seen[n + 1, y] * total(B[n, y, x], x), seen[n + 1, y])
    cover = d.summed("and covers no other", cover, back, over=y)
    later = total(seen[n + 1, x], x)
    fewer = le(two * (total(seen[n, x], x) - 1), later)
    fewer = d.smt("all pairs but the merged one survive", fewer, survives, cover, alone, bigrams)
    pairs = total(seen[0, x], x)
    statement = le(two * (pairs - n), total(seen[n, x], x))
    some = d.summed("none is fewer than none", ge(seen[n, x], 0), then="pairs")
    start = d.instantiate("pairs at first", some, {n: 0})
    left = _inductive(d, "after n merges, all but n are left", statement, [bigrams, start], [fewer, bigrams])
    ends = ge(sp.Max(K - M, -total(seen[K, x], x), -limitless), 0)
    ends = d.domain("without a limit, it ends early when no pair is left", ends)
    last = d.instantiate("in the end", left, {n: K})
    goal = ge(K, limitless * two * sp.Min(M, pairs))
    return d.smt("so that all pairs have been merged", goal, last, ends, yes, bigrams, start, made)


def prove(d: Derivation, sign: int = 1, constant: Any = 1) -> None:
    """Every corpus, M, n_max and limit, but from what a merge does to a corpus, its pairs and its longest text, which is
    seen on the instances and not proved: a proof in part.

    For the tokens made: 2^k equal tokens give k at n_max = 2, and 0 1 has one pair and gives one. The number of looks
    is not sharp; without a limit it is at most M.
    """
    M, e = d.number("M", 0), sp.Symbol("ended", real=True)
    made = d.domain("it makes at most M tokens", le(K, M))
    looked, few = _looks(d, M, made, sign)
    most = M + (M + 1) * q * size[0]
    ended = d.domain("it has ended, or not", eq(e * (1 - e), 0))
    stopped = d.domain("if not, it was stopped after one look more", ge((1 - e) * (looked - most - 1), 0))
    yes, halved = _halving(d, M, constant)
    pairs = _pairs(d, M, yes, made)
    d.qed(
        halved,
        pairs,
        d.smt("it ends", ge(e, 1), ended, stopped, few),
        d.derive("after at most so many looks", ge(-looked, -most), few),
    )


def _values(texts: Any, vocab: int, budget: int, n_max: int, limit: Any) -> dict[str, Any]:
    letters = [chr(ord("a") + i) for i in range(vocab)]
    most = budget + (budget + 1) * (n_max - 1) * sum(map(len, texts))
    done = enrich(texts, budget, vocab, n_max, COUNTINGS[1], limit, letters, iterations=most + 1)
    stages, last = [texts], len(done.ngrams)
    for ngram, new in zip(done.ngrams, done.ids, strict=True):
        stages.append([merge_text(text, ngram, new) for text in stages[-1]])
    stages += [stages[-1]] * 2
    # without any n-gram, a name for one that is nowhere
    ngrams = sorted({g for corpus in stages for g in merged_ngrams(corpus, n_max)}) or [(-1, -1)]
    code = {g: i for i, g in enumerate(ngrams, 1)}
    flat = [[t for text in corpus for t in [*text, None]] for corpus in stages]
    places = [[i for i, t in enumerate(corpus) if t is not None] for corpus in flat]
    rejected = {(stage, code[g]) for stage, g, _ in done.rejected}
    longest = max(range(len(texts)), key=lambda i: len(texts[i]))
    steps = 0
    while n_max**steps < len(texts[longest]):
        steps += 1

    def ends(stage: int, pair: tuple[int, ...]) -> tuple[int, ...]:
        """The pair of a stage's tokens that two tokens after its merge end and begin with."""
        if len(pair) != 2 or stage >= last:
            return pair
        new, ngram = vocab + stage, done.ngrams[stage]
        return ngram[-1] if pair[0] == new else pair[0], ngram[0] if pair[1] == new else pair[1]

    def at(n: int, extra: int, j: int, x: int) -> int:
        i = places[n][j - 1] if j <= len(places[n]) else len(flat[n])
        return int(tuple(flat[n][i : i + extra + 1]) == ngrams[x - 1])

    def seen(n: int, x: int) -> int:
        g = ngrams[x - 1]
        return int(len(g) == 2 and any(tuple(flat[n][i : i + 2]) == g for i in places[n]))

    def stands(n: int, j: int, x: int) -> int:
        return at(n, 1, j, x) if len(ngrams[x - 1]) == 2 else 0

    def where(n: int, x: int) -> int:
        return next((j for j in range(1, len(places[n]) + 1) if stands(n, j, x)), 1)

    def sizes(n: int) -> list[int]:
        """Tokens of a stage that each token of the next one covers."""
        new = vocab + n if n < last else None
        return [len(done.ngrams[n]) if t == new else 1 for t in flat[n + 1] if t is not None]

    covered = [[k for k, size in enumerate(sizes(n), 1) for _ in range(size)] for n in range(last + 1)]

    def after(n: int, j: int) -> int:
        return covered[n][j - 1] if j <= len(covered[n]) else len(places[n + 1]) + 1

    spots = range(1, max(2, len(places[0]) + 1))
    merges = [later.count(vocab + i) for i, later in enumerate(stage[longest] for stage in stages[1 : last + 1])]
    return {
        **{"at": at, "rejected": lambda n, x: int((n, x) in rejected), "V": len(ngrams)},
        **{"size": lambda n: len(places[n]), "ell": lambda n: len(stages[n][longest]), "T": steps},
        **{"g": lambda n: len(done.ngrams[n]) if n < last else 1, "r": lambda n: merges[n] if n < last else 0},
        **{"seen": seen, "merged": lambda n, x: int(n < last and done.ngrams[n] == ngrams[x - 1])},
        **{"B": lambda n, y, x: int(ends(n, ngrams[y - 1]) == ngrams[x - 1]), "two": int(n_max == 2)},
        **{"pair": stands, "where": where, "after": after},
        **{"inside": lambda n, j: int(j < len(covered[n]) and after(n, j) == after(n, j + 1))},
        **{"K": last, "M": budget, "q": n_max - 1, "limitless": int(limit is None)},
        **{"ended": int(done.stop in ("budget", "exhausted"))},
        "ranges": {
            "n": range(last + 1),
            "l": range(1, n_max),
            "place": spots,
            "k": spots,
        },
    }


def small() -> Iterator[Instance]:
    """Corpora of one text of two to five tokens over two letters, n_max 2 and 3, with a limit of 1/2 or none, every M."""
    for corpus in corpora(2, 5, 2):
        for n_max in (2, 3):
            for limit in (None, F(1, 2)):
                for budget in range(1, len(merged_ngrams(corpus, n_max)) + 1):
                    yield {"texts": corpus, "vocab": 2, "budget": budget, "n_max": n_max, "limit": limit}


PROOFS = (
    Refutation(
        TERMINATION,
        small,
        scope="the first of all texts over two letters, by their number of tokens",
        repaired={"the corrected statement": TERMINATION_CORRECTED},
    ),
    Refutation(
        TERMINATION,
        lambda: (x for x in small() if x["limit"] is None),
        scope="the first without a limit: merging uses candidates up",
        repaired={"the corrected statement": (TERMINATION_CORRECTED, small)},
    ),
    Proof(TERMINATION_CORRECTED, prove, drop="merged occurrences share no token", bind=_values, whole=False),
)
