"""Pairs of neighbours when one pair is merged: all others survive under new names, no two of them under one.

A stage of a corpus is told at the places of its letters: which token covers a letter, and whether a token of the same text
begins after it.  A merge takes two neighbours each; the new token that replaces them is none that there was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le, total, x, y, z

__all__ = ["MERGED", "Numbers", "Pairs", "goes", "merged", "n", "same", "seen", "two", "values"]

n, m = sp.symbols("n m", integer=True, nonnegative=True)
same, first, second = (sp.IndexedBase(name, real=True) for name in ("same", "first", "second"))
"""Whether two n-grams are one; the tokens of a pair."""
token, cut, new, left, right, goes = (
    sp.IndexedBase(name, real=True) for name in ("token", "cut", "new", "left", "right", "goes")
)
stands, merged, seen, begins, ends = (
    sp.IndexedBase(name, real=True) for name in ("stands", "merged", "seen", "begins", "ends")
)
spot = sp.IndexedBase("spot", integer=True, nonnegative=True)
two = sp.Symbol("two", real=True)
"""Whether n_max is two, so that all n-grams are pairs."""
MERGED = "a merge takes two neighbours each, the pair that is merged"


class Numbers:
    """N-grams are numbered: x, y, z are such numbers, and same[y, z] is 1 for one n-gram, 0 for two."""

    def __init__(self, d: Derivation) -> None:
        self.bigrams = d.domain("n_max is two, or larger", eq(two * (1 - two), 0))
        self.bit, self.own, self.one = d.domain(
            "each n-gram has one number",
            eq(same[y, z] * (1 - same[y, z]), 0),
            eq(same[y, y], 1),
            eq(total(same[y, z], z), 1),
        )
        self.first, self.second, self.apart = d.domain(
            "a pair is its two tokens",
            eq(two * same[y, z] * (first[y] - first[z]), 0),
            eq(two * same[y, z] * (second[y] - second[z]), 0),
            ge(same[y, z] + sp.Abs(first[y] - first[z]) + sp.Abs(second[y] - second[z]), two),
        )


class Pairs:
    """A corpus and its merges: word[n, m] is the pair at a place after n merges, chosen[n] the next one that is merged.

    Attributes
    ----------
    before : map to the pair that a pair of the next stage covers
    survives : of each pair: merged, or covered by those of the next stage
    alone : one pair is merged at a time
    some : a pair is of a stage, or not
    """

    def __init__(self, d: Derivation, of: Numbers) -> None:
        """State how a merge changes the pairs, and derive that each pair is merged or survives."""
        self.d, self.of = d, of
        self.word, self.chosen, self.before = (d.map(name) for name in ("word", "chosen", "before"))
        self.takes = d.domain(
            "a token is the first that a merge takes, the second, or stays",
            *(eq(a * (1 - a), 0) for a in (left[n, m], right[n, m])),
            eq(left[n, m] * right[n, m], 0),
        )
        self.goes, self.none = d.domain(
            "there is a merge, or none", eq(goes[n] * (1 - goes[n]), 0), eq(left[n, m] * (1 - goes[n]), 0)
        )
        self.stages()
        self.both, self.of_left, self.of_right = d.domain(
            MERGED,
            eq(cut[n, m] * (left[n, m] - right[n, m + 1]), 0),
            eq(left[n, m] * (token[n, m] - first[self.chosen[n]]), 0),
            eq(right[n, m] * (token[n, m] - second[self.chosen[n]]), 0),
        )
        self.standing()
        self.covering()
        self.survives = self.kept()

    def stages(self) -> None:
        """The corpus after n merges, by recursion; no token is the one that comes next."""
        d, letter, beside = self.d, *(sp.IndexedBase(name, real=True) for name in ("letter", "beside"))
        begin, self.replaced = d.recursion(
            "what a merge takes is replaced by the new token",
            eq(token[0, m], letter[m]),
            eq(token[n + 1, m], (left[n, m] + right[n, m]) * new[n] + (1 - left[n, m] - right[n, m]) * token[n, m]),
        )
        start, self.joined = d.recursion(
            "and no token begins between them any more",
            eq(cut[0, m], beside[m]),
            eq(cut[n + 1, m], cut[n, m] * (1 - left[n, m])),
        )
        flag = d.domain("a letter of the same text is next, or not", eq(beside[m] * (1 - beside[m]), 0))
        bit = eq(cut[n, m] * (1 - cut[n, m]), 0)
        fresh = le(token[n, m], new[n] - 1)
        text = "a token begins behind a place, or not"
        step = [self.joined, self.takes[0], d.suppose(text, bit)]
        self.cuts = d.inductive(text, bit, n, [start, flag], step, by="smt")
        low, on = d.domain(
            "a new token is numbered above all others", ge(new[0], letter[m] + 1), ge(new[n + 1], new[n] + 1)
        )
        text = "no token is the one that comes next"
        step = [self.replaced, on, *self.takes, d.suppose(text, fresh)]
        self.fresh = d.inductive(text, fresh, n, [begin, low], step, by="smt")

    def standing(self) -> None:
        """Where a pair stands, its tokens are there; the pairs of a stage are those that stand somewhere."""
        d = self.d
        of = self.of
        at = stands[n, m, x]
        word = self.word[n, m]
        self.pair = d.domain(
            "between two tokens stands the pair of them",
            eq(two * cut[n, m] * (token[n, m] - first[word]), 0),
            eq(two * cut[n, m] * (token[n, m + 1] - second[word]), 0),
        )
        self.named = d.define("a pair stands at a place", at, cut[n, m] * same[word, x])
        here = {y: word, z: x}
        bit = d.instantiate("of the pair there", of.bit, here)
        alike = [d.instantiate("of the pair there", fact, here) for fact in (of.first, of.second)]
        self.tokens = [
            d.smt("its token is there", eq(two * at * (it - name), 0), self.named, pair, fact)
            for it, name, pair, fact in zip(
                (token[n, m], token[n, m + 1]), (first[x], second[x]), self.pair, alike, strict=True
            )
        ]
        self.flag = d.smt("it stands there, or not", eq(at * (1 - at), 0), self.named, self.cuts, bit)
        self.somewhere, self.listed = d.domain(
            "the pairs of a stage are those that stand somewhere",
            le(seen[n, x], stands[n, spot[n, x], x]),
            le(at, seen[n, x]),
        )
        self.some = d.smt("a pair is of a stage, or not", ge(seen[n, x], 0), self.flag, self.listed)
        self.merge = d.define("the merged pair", merged[n, x], goes[n] * same[self.chosen[n], x])

    def covering(self) -> None:
        """What a pair of the next stage covers: the last token of its first, and the first token of its second."""
        d = self.d
        old = self.before[n, y]
        self.cases = [
            d.domain(
                text,
                eq(mark[n, y] * (name[y] - new[n]), 0),
                eq(mark[n, y] * (1 - mark[n, y]), 0),
                ge((1 - mark[n, y]) * (sp.Abs(name[y] - new[n]) - 1), 0),
            )
            for text, mark, name in (
                ("the first token of a pair is the new one, or another", begins, first),
                ("the second token of a pair is the new one, or another", ends, second),
            )
        ]
        of_first = begins[n, y] * second[self.chosen[n]] + (1 - begins[n, y]) * first[y]
        of_second = ends[n, y] * first[self.chosen[n]] + (1 - ends[n, y]) * second[y]
        self.covers = d.domain(
            "a pair covers the last token of its first and the first token of its second",
            eq(two * seen[n + 1, y] * (first[old] - of_first), 0),
            eq(two * seen[n + 1, y] * (second[old] - of_second), 0),
        )

    def taken(self) -> Fact:
        """A pair that is taken where it stands is the merged one."""
        d = self.d
        of = self.of
        it = two * left[n, m] * stands[n, m, x]
        behind = d.instantiate("of the next token", self.of_right, {m: m + 1})
        flag_facts = (self.flag, self.takes[0], of.bigrams)
        low, upper = (d.smt("taken, or not", r, *flag_facts) for r in (ge(it, 0), le(it, left[n, m])))
        same_first = d.smt(
            "its first token is that of the merged one",
            eq(it * (first[self.chosen[n]] - first[x]), 0),
            *(self.tokens[0], self.of_left),
        )
        next_ = d.smt(
            "the next token is taken, too", eq(it * (1 - right[n, m + 1]), 0), self.named, self.both, *flag_facts
        )
        same_second = d.smt(
            "its second one, too",
            eq(it * (second[self.chosen[n]] - second[x]), 0),
            *(self.tokens[1], behind, next_),
        )
        merged_pair = {y: self.chosen[n], z: x}
        bit = d.instantiate("of the merged pair", of.bit, merged_pair)
        self.bit = d.smt("merged, or not", eq(merged[n, x] * (1 - merged[n, x]), 0), self.merge, bit, self.goes)
        alike = self.alike(it, self.chosen[n], (low, same_first, same_second))
        upper = d.smt("there is a merge", le(it, goes[n]), upper, self.none, self.goes, self.takes[0])
        upper = d.smt("so it is", le(it * same[self.chosen[n], x], goes[n] * same[self.chosen[n], x]), upper, bit)
        return d.derive("what is taken is merged", le(it, merged[n, x]), alike, upper, self.merge, by="smt")

    def alike(self, it: sp.Expr, number: sp.Expr, known: tuple[Fact, Fact, Fact]) -> Fact:
        """Where `it` is 1, a pair with the tokens of x has its number; what is not negative, and 0 times their differences."""
        d = self.d
        (low, first_apart, second_apart) = known
        apart = d.instantiate("a pair is its tokens", self.of.apart, {y: number, z: x})
        first_apart, second_apart = (
            d.smt("no difference", eq(it * sp.Abs(name[number] - name[x]), 0), fact)
            for name, fact in ((first, first_apart), (second, second_apart))
        )
        apart = d.smt("as far", ge(it * (same[number, x] + apart.relation.lhs - same[number, x]), it * two), apart, low)
        same_tokens = d.derive(
            "the same tokens", ge(it * same[number, x], it * two), apart, first_apart, second_apart, by="smt"
        )
        pairs = d.smt("of pairs", eq(it * two, it), self.of.bigrams)
        return d.derive("the same pair", ge(it * same[number, x], it), same_tokens, pairs, by="smt")

    def covered(self) -> Fact:
        """A pair that is not taken where it stands is covered by the one that stands there in the next stage."""
        d = self.d
        of = self.of
        there = self.word[n + 1, m]
        free = two * stands[n, m, x] * (1 - left[n, m])
        number = self.before[n, there]
        flag_facts = (self.flag, self.takes[0], of.bigrams)
        low, bit = (d.smt("it stays, or not", r, *flag_facts) for r in (ge(free, 0), eq(free * (1 - free), 0)))
        pair_itself = d.instantiate("of itself", of.own, {y: there})
        listed, named = (d.instantiate("one merge later", f, {n: n + 1, x: there}) for f in (self.listed, self.named))
        stays = d.derive(
            "a pair stands there",
            eq(stands[n + 1, m, there], cut[n, m] * (1 - left[n, m])),
            named,
            pair_itself,
            self.joined,
        )
        cut_bound = d.smt("of the corpus", le(free, cut[n, m] * (1 - left[n, m])), self.named, self.cuts, *flag_facts)
        stays = d.smt("which is of the next stage", ge(seen[n + 1, there], free), listed, stays, cut_bound)
        none = d.smt("it is not taken", eq(free * left[n, m], 0), self.takes[0])
        next_ = d.smt("nor is the next token", eq(free * right[n, m + 1], 0), self.named, self.both, self.cuts, none)
        sides = (self.side(0, free, none, (stays, bit)), self.side(1, free, next_, (stays, bit)))
        alike = self.alike(free, number, (low, *sides))
        bit = d.instantiate("of what it covers", of.bit, {y: number, z: x})
        cut_bound = d.smt(
            "in the next stage", ge(seen[n + 1, there] * same[number, x], free * same[number, x]), stays, bit
        )
        return d.derive(
            "so it covers the pair", ge(seen[n + 1, there] * same[number, x], free), alike, cut_bound, by="smt"
        )

    def side(self, k: int, free: sp.Expr, none: Fact, known: tuple[Fact, Fact]) -> Fact:
        """Where a pair stays, the pair that it is covered by covers its first token (k = 0), its second one (k = 1)."""
        d = self.d
        there = self.word[n + 1, m]
        (stays, bit) = known
        name, mark = ((first, begins), (second, ends))[k]
        neighbour_array, take = ((second, right[n, m]), (first, left[n, m + 1]))[k]
        here = token[n, m + k]
        facts = (self.replaced, self.fresh, (self.of_right, self.of_left)[k], self.takes[1 - k])
        replaced, fresh, of_take, flag = (d.instantiate("of that token", f, {m: m + k}) for f in facts)
        pair = d.instantiate("one merge later", self.pair[k], {n: n + 1})
        after = eq(free * (name[there] - token[n + 1, m + k]), 0)
        after = d.smt("the token there", after, pair, self.joined, self.named)
        now = eq(free * (token[n + 1, m + k] - take * new[n] - (1 - take) * here), 0)
        now = d.smt("the new one, or as before", now, replaced, none)
        after = d.derive("so", eq(free * (name[there] - take * new[n] - (1 - take) * here), 0), after, now, by="smt")
        new_, bits, differ = (d.instantiate("of the pair there", f, {y: there}) for f in self.cases[k])
        is_new = eq(free * (mark[n, there] - take), 0)
        premises = [after, new_, bits, differ, fresh, flag, bit]
        is_new = d.smt("new if it was taken", is_new, *premises)
        old = mark[n, there] * neighbour_array[self.chosen[n]] + (1 - mark[n, there]) * name[there]
        back = d.smt("the token before", eq(free * (old - here), 0), is_new, after, of_take, flag, bit)
        covers = d.instantiate("of the pair there", self.covers[k], {y: there})
        it = name[self.before[n, there]]
        covers = d.smt("which it covers", eq(free * (it - old), 0), covers, stays, bit, self.of.bigrams)
        token_of_pair = d.smt("that of the pair", eq(free * (here - name[x]), 0), self.tokens[k])
        return d.derive("so it covers it", eq(free * (it - name[x]), 0), covers, back, token_of_pair, by="smt")

    def kept(self) -> Fact:
        """Each pair of a stage is merged, or covered by pairs of the next stage."""
        d = self.d
        of = self.of
        at = stands[n, m, x]
        there = self.word[n + 1, m]
        merged_there = self.taken()
        covered = self.covered()
        goal = le(two * (at - merged[n, x]), seen[n + 1, there] * same[self.before[n, there], x])
        low = d.instantiate("one merge later", self.some, {n: n + 1, x: there})
        bit = d.instantiate("of what it covers", of.bit, {y: self.before[n, there], z: x})
        premises = [merged_there, covered, low, bit, self.bit, self.takes[0], self.flag, of.bigrams]
        per_place = d.smt("taken, or not", goal, *premises)
        low = d.instantiate("one merge later", self.some, {n: n + 1, x: y})
        bit = d.instantiate("of what a pair covers", of.bit, {y: self.before[n, y], z: x})
        cover_nonnegative = d.smt(
            "a pair covers it, or not", ge(seen[n + 1, y] * same[self.before[n, y], x], 0), low, bit
        )
        cover_nonnegative = d.instantiate("of that one", d.term("one of all", cover_nonnegative, y, z), {z: there})
        sum_ = total(seen[n + 1, y] * same[self.before[n, y], x], y)
        per_place = d.derive("at a place", le(two * (at - merged[n, x]), sum_), per_place, cover_nonnegative, by="smt")
        per_place = d.instantiate("where it stands", per_place, {m: spot[n, x]})
        goal = le(two * (seen[n, x] - merged[n, x]), sum_)
        return d.smt("a pair survives", goal, per_place, self.somewhere, of.bigrams)


Ngram = tuple[int, ...]
Corpus = Sequence[Sequence[int]]


def values(stages: Sequence[Corpus], merges: Sequence[Ngram], code: Mapping[Ngram, int], vocab: int) -> dict[str, Any]:
    """The symbols, for corpora before and after each of the merges of pairs; those have the ids `vocab`, `vocab` + 1, ….

    `code` has the number of every n-gram.
    """
    letters = [letter for text in stages[0] for letter in text]
    last = len(merges)
    size = [1] * vocab
    for first_token, second_token in merges:
        size.append(size[first_token] + size[second_token])
    places = [_places(corpus, size) for corpus in stages]
    pairs = [
        {place: code[first_token, second_token] for place, first_token, second_token in neighbours}
        for neighbours in places
    ]
    follows = {place for place, _, _ in places[0]}
    merged_places = [_taken(*adjacent_stages, vocab + k, size) for k, adjacent_stages in enumerate(pairwise(stages))]
    ngrams = dict(zip(code.values(), code, strict=True))

    def at(k: int, place: int) -> int:
        return pairs[min(k, last)].get(place, 1)

    def standing(k: int, x: int) -> list[int]:
        return [place for place, it in pairs[min(k, last)].items() if it == x]

    def covered(k: int, y: int) -> int:
        first_token, second_token = ngrams[y][:2]
        a, b = merges[k] if k < last else (0, 0)
        return code.get(
            (b if first_token == vocab + k else first_token, a if second_token == vocab + k else second_token), 1
        )

    return {
        **{"same": lambda y, z: int(y == z), "first": [g[0] for g in code], "second": [g[1] for g in code]},
        **{"letter": lambda m: letters[m] if m < len(letters) else -1, "beside": lambda m: int(m in follows)},
        **{"new": lambda n: vocab + n, "goes": lambda n: int(n < last)},
        **{"left": lambda n, m: int(n < last and m in merged_places[n][0])},
        **{"right": lambda n, m: int(n < last and m in merged_places[n][1])},
        **{"word": at, "chosen": lambda n: code[merges[n]] if n < last else 1, "before": covered},
        **{"seen": lambda n, x: int(bool(standing(n, x))), "spot": lambda n, x: min(standing(n, x), default=0)},
        **{"begins": lambda n, y: int(ngrams[y][0] == vocab + n), "ends": lambda n, y: int(ngrams[y][1] == vocab + n)},
        "places": range(len(letters) + 1),
    }


def _places(corpus: Corpus, size: Sequence[int]) -> list[tuple[int, int, int]]:
    """Neighbours in a corpus, and the place of the last letter of the first of them."""
    neighbours = []
    at = 0
    for text in corpus:
        for first_token, second_token in pairwise([*text, None]):
            at += size[first_token] if first_token is not None else 0
            if first_token is not None and second_token is not None:
                neighbours.append((at - 1, first_token, second_token))
    return neighbours


def _taken(before: Corpus, after: Corpus, new: int, size: Sequence[int]) -> tuple[set[int], set[int]]:
    """Places of the letters of those tokens that a merge has taken as the first, and as the second."""
    left = set[int]()
    right = set[int]()
    at = 0
    for old, now in zip(before, after, strict=True):
        tokens = iter(old)
        for token_ in now:
            for side in (left, right) if token_ == new else (set[int](),):
                width = size[next(tokens)]
                side.update(range(at, at + width))
                at += width
    return left, right
