"""tasc.termination: a stage has fewer than (n_max − 1)N n-grams; a merge leaves 1/n_max of a text, and all pairs but one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, Relation, eq, ge, index, le, total, x, y
from proofs_check.tasc._small_corpora import corpora, merged_ngrams
from proofs_check.tasc._surviving_pairs import MERGED, Numbers, Pairs, merged, n, same, seen, two, values
from simspec.claims.claim import Instance
from simspec.claims.tasc.termination import TERMINATION, TERMINATION_CORRECTED
from simspec.methods.tasc.enrichment import COUNTINGS, enrich, merge_text

K = sp.Symbol("K", integer=True, nonnegative=True)
q = sp.Symbol("q", integer=True, positive=True)
"""n_max − 1."""
place = index("place")
longer = index("l")
size = sp.IndexedBase("size", integer=True, nonnegative=True)
limitless = sp.Symbol("limitless", real=True)
SHORTER = "a merge shortens the corpus by its reward (see tasc.merge-reward.non-overlapping)"
SHORTER_TEXT = "a merge shortens the longest text by its reward (see tasc.merge-reward.non-overlapping)"


def _inductive(d: Derivation, text: str, statement: Relation, start: list[Fact], step: list[Fact]) -> Fact:
    return d.inductive(text, statement, n, start, step, by="smt")


def _looks(d: Derivation, M: sp.Symbol, most_made: Fact, unique_number: Fact, sign: int) -> tuple[Any, Fact]:
    """The n-grams looked at, and that they are at most M + (M + 1)(n_max − 1)N."""
    at, rejected, begins_here, lost, g = (
        sp.IndexedBase(name, real=True) for name in ("at", "rejected", "begun", "lost", "g")
    )
    ngram_at = d.map("what")
    here = (n, longer, place)
    flag = d.domain(
        "an n-gram of a length begins at a place, or none does", eq(begins_here[here] * (1 - begins_here[here]), 0)
    )
    named = d.define("it is the one that begins there", at[(*here, x)], begins_here[here] * same[ngram_at[here], x])
    unique_number = d.instantiate("what begins at a place has one number", unique_number, {y: ngram_at[here]})
    per_place = d.derive(
        "at a place",
        le(total(at[(*here, x)], x), 1),
        d.sum("over the n-grams", named, x),
        unique_number,
        flag,
        by="smt",
    )
    there = total(total(at[(*here, x)], place, upto=size[n]), longer, upto=q)
    once = d.domain("an n-gram is rejected once in a stage, and only where it occurs", le(rejected[n, x], there))
    loses = d.domain(SHORTER, eq(size[n + 1], size[n] - (g[n] - 1) * lost[n]))
    some = d.domain("an n-gram has tokens, and is merged somewhere or nowhere", ge(g[n], 1), ge(lost[n], 0))
    shorter = d.smt("a merge makes no corpus longer", le(size[n + 1], size[n]), loses, *some)
    places = d.sum("over the lengths", d.sum("over the places", per_place, place, upto=size[n]), longer, upto=q)
    stage = d.sum("over the n-grams", once, x)
    stage = d.derive(
        "a stage rejects no more n-grams than it has places", le(stage.relation.lhs, q * size[n]), stage, places
    )
    lengths = _inductive(d, "a corpus does not grow", le(size[n], size[0]), [], [shorter])
    X = sp.IndexedBase("X", real=True)
    none, next_rejected = d.recursion(
        "rejected so far", eq(X[0], 0), eq(X[n + 1], X[n] + sign * total(rejected[n, x], x))
    )
    statement = le(X[n], n * q * size[0])
    all_stages = _inductive(d, "in n stages", statement, [none], [next_rejected, stage, lengths])
    last = d.instantiate("with the stage after the last merge", all_stages, {n: K + 1})
    looked = K + X[K + 1]
    look_bound = M + (M + 1) * q * size[0]
    return looked, d.smt("at most M merges", le(looked, look_bound), last, most_made)


def _halving(d: Derivation, M: sp.Symbol, constant: sp.Expr | int) -> tuple[Any, Fact]:
    """Without a limit the longest text calls for T tokens, where n_max^T is its length or more for the first time."""
    g, r, P, count, token = (sp.IndexedBase(name, real=True) for name in ("g", "r", "P", "count", "made"))
    ell = sp.IndexedBase("ell", integer=True, nonnegative=True)
    T = d.number("T", 0)
    saved = d.domain(SHORTER_TEXT, eq(ell[n + 1], ell[n] - (g[n] - 1) * r[n]))
    size_bound = d.domain("an n-gram has at most n_max tokens", le(g[n], constant * (q + 1)))
    new, counted = d.domain(
        "a merge makes a new token: one of those of the text after it, or not",
        eq(token[n, place] * (1 - token[n, place]), 0),
        eq(r[n], total(token[n, place], place, upto=ell[n + 1])),
    )
    some = d.sum("over the text", d.smt("none or one", ge(token[n, place], 0), new), place, upto=ell[n + 1])
    all_ = d.sum("over the text", d.smt("one at most", le(token[n, place], 1), new), place, upto=ell[n + 1])
    some = d.derive("none or some", ge(r[n], 0), some, counted, by="smt")
    apart = d.derive("they are among its tokens", le(r[n], ell[n + 1]), all_, counted, by="smt")
    goal = le(ell[n], (q + 1) * ell[n + 1])
    shrink_bound = d.smt("a merge leaves at least 1/n_max of a text", goal, saved, apart, size_bound, some)
    first_power, power = d.recursion("powers of n_max", eq(P[0], 1), eq(P[n + 1], (q + 1) * P[n]))
    positive = _inductive(d, "are positive", ge(P[n], 0), [first_power], [power])
    length_bound = le(ell[0], P[n] * ell[n])
    length_bound = _inductive(d, "after n merges", length_bound, [first_power], [power, shrink_bound, positive])
    zero, step = d.recursion("merges counted", eq(count[0], 0), eq(count[n + 1], count[n] + 1))
    counted = _inductive(d, "there are n after n", eq(count[n], n), [zero], [step])
    exponent_fact = ge(sp.Max(count[n] - T, ell[0] - 1 - P[n]), 0)
    exponent_fact = d.domain(
        "T is the least exponent for which n_max^T is the longest text's length or more", exponent_fact
    )
    ends = ge(sp.Max(K - M, 1 - ell[K], -limitless), 0)
    ends = d.domain("without a limit, it ends early when no text has two tokens", ends)
    at = [d.instantiate("in the end", fact, {n: K}) for fact in (length_bound, counted, exponent_fact, positive)]
    yes = d.domain("there is a limit or none", eq(limitless * (1 - limitless), 0))
    goal = ge(K, limitless * sp.Min(M, T))
    return yes, d.smt("so that it does not end before", goal, *at, ends, yes)


def _pairs(d: Derivation, M: sp.Symbol, of: Numbers, yes: Fact, merge_bound: Fact) -> Fact:
    """Without a limit, and with n_max = 2, at least as many tokens as there are different pairs."""
    it = Pairs(d, of)
    later = total(seen[n + 1, x], x)
    unique_number = d.instantiate("what a pair covers has one number", of.one, {y: it.before[n, y]})
    some = d.instantiate("of the next stage", it.some, {n: n + 1, x: y})
    cover = le(seen[n + 1, y] * total(same[it.before[n, y], x], x), seen[n + 1, y])
    cover = d.sum("over the pairs after the merge", d.smt("a pair covers one", cover, unique_number, some), y)
    alone = d.instantiate("the merged pair has one number", of.one, {y: it.chosen[n]})
    parts = d.sum("over the pairs", it.merge, x)
    alone = d.smt("one pair is merged at a time", le(total(merged[n, x], x), 1), parts, alone, it.goes)
    survives = d.sum("over the pairs", it.survives, x)
    fewer = le(two * (total(seen[n, x], x) - 1), later)
    fewer = d.smt("all pairs but the merged one survive", fewer, survives, cover, alone, of.bigrams)
    pairs = total(seen[0, x], x)
    statement = le(two * (pairs - n), total(seen[n, x], x))
    some = d.sum("none is fewer than none", it.some, x)
    start = d.instantiate("pairs at first", some, {n: 0})
    pairs_remain = _inductive(
        d, "after n merges, all but n are left", statement, [of.bigrams, start], [fewer, of.bigrams]
    )
    ends = ge(sp.Max(K - M, -two * total(seen[K, x], x), -limitless), 0)
    ends = d.domain("without a limit, it ends early when no pair is left", ends)
    last = d.instantiate("in the end", pairs_remain, {n: K})
    goal = ge(K, limitless * two * sp.Min(M, pairs))
    premises = [last, ends, yes, of.bigrams, start, merge_bound]
    return d.smt("so that all pairs have been merged", goal, *premises)


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every corpus, M, n_max and limit.

    For the tokens made: 2^k equal tokens give k at n_max = 2, and 0 1 has one pair and gives one. The number of looks
    is not sharp; without a limit it is at most M.
    """
    M = d.number("M", 0)
    e = sp.Symbol("ended", real=True)
    merge_bound = d.domain("it makes at most M tokens", le(K, M))
    of = Numbers(d)
    looked, looks_bounded = _looks(d, M, merge_bound, of.one, sign)
    look_bound = M + (M + 1) * q * size[0]
    ended = d.domain("it has ended, or not", eq(e * (1 - e), 0))
    stopped = d.domain("if not, it was stopped after one look more", ge((1 - e) * (looked - look_bound - 1), 0))
    yes, halved = _halving(d, M, constant)
    pairs = _pairs(d, M, of, yes, merge_bound)
    d.qed(
        halved,
        pairs,
        d.smt("it ends", ge(e, 1), ended, stopped, looks_bounded),
        d.derive("after at most so many looks", ge(-looked, -look_bound), looks_bounded),
    )


def _values(texts: Any, vocab: int, budget: int, n_max: int, limit: Any) -> dict[str, Any]:
    """The values of the symbols of `prove`, from the n-grams at each place and stage of an enrichment."""
    letters = [chr(ord("a") + i) for i in range(vocab)]
    look_bound = budget + (budget + 1) * (n_max - 1) * sum(map(len, texts))
    enrichment = enrich(texts, budget, vocab, n_max, COUNTINGS[1], limit, letters, iterations=look_bound + 1)
    stages = [texts]
    last = len(enrichment.ngrams)
    for ngram, new in zip(enrichment.ngrams, enrichment.ids, strict=True):
        stages.append([merge_text(text, ngram, new) for text in stages[-1]])
    stages += [stages[-1]] * 2
    # without any n-gram, a name for one that is nowhere
    ngrams = sorted({g for corpus in stages for g in merged_ngrams(corpus, n_max)}) or [(-1, -1)]
    code = {g: i for i, g in enumerate(ngrams, 1)}
    flat = [[t for text in corpus for t in [*text, None]] for corpus in stages]
    places = [[i for i, t in enumerate(corpus) if t is not None] for corpus in flat]
    rejected = {(stage, code[g]) for stage, g, _ in enrichment.rejected}
    longest = max(range(len(texts)), key=lambda i: len(texts[i]))
    steps = 0
    while n_max**steps < len(texts[longest]):
        steps += 1

    def what(n: int, extra: int, j: int) -> int:
        """The n-gram of so many tokens more than one that begins at a place; 0 for none."""
        i = places[n][j - 1] if j <= len(places[n]) else len(flat[n])
        return code.get(tuple(flat[n][i : i + extra + 1]), 0)

    def made(n: int, j: int) -> int:
        return int(n < last and stages[n + 1][longest][j - 1 : j] == [vocab + n])

    def lost(n: int) -> int:
        return flat[n + 1].count(vocab + n) if n < last else 0

    spots = range(1, max(2, len(places[0]) + 1))
    pairs = values(stages if n_max == 2 else stages[:1], enrichment.ngrams if n_max == 2 else (), code, vocab)
    return {
        **{"begun": lambda n, extra, j: int(what(n, extra, j) > 0), "what": lambda *at: max(what(*at), 1)},
        **{"rejected": lambda n, x: int((n, x) in rejected), "V": len(ngrams), "two": int(n_max == 2)},
        **{"size": lambda n: len(places[n]), "ell": lambda n: len(stages[n][longest]), "T": steps},
        **{"g": lambda n: len(enrichment.ngrams[n]) if n < last else 1, "lost": lost, "made": made},
        **{"r": lambda n: sum(made(n, j) for j in spots)},
        **{"K": last, "M": budget, "q": n_max - 1, "limitless": int(limit is None)},
        **{"ended": int(enrichment.stop in ("budget", "exhausted"))},
        **{name: value for name, value in pairs.items() if name != "places"},
        "ranges": {"n": range(last + 1), "l": range(1, n_max), "place": spots, "m": pairs["places"]},
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
    Proof(TERMINATION_CORRECTED, prove, drop=MERGED, bind=_values),
)
