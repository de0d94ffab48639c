"""tasc.merge-reward: each merge from the left saves n − 1 tokens; no choice merges more; a merge hides at most n − 1 others."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, le, total
from proofs_check.metrics._whole_numbers import none_between
from proofs_check.tasc._left_to_right import L, N, ahead, c, counted, inductive, m, saved, scan, starts
from proofs_check.tasc._small_corpora import corpora, merged_ngrams
from simspec.claims.claim import Instance
from simspec.claims.tasc.merge_reward import (
    DISJOINT,
    LEAST,
    MOST,
    NON_OVERLAPPING,
    OCCURRENCES,
    OCCURRENCES_CORRECTED,
    run_of,
)

RUN = "an occurrence begins at each of the first n places, and at no other"


def non_overlapping(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every corpus, n-gram, length of n-gram and number of texts."""
    p = scan(d)
    S, shorter = saved(d, p, constant)
    h, largest_count = (sp.IndexedBase(name, real=True) for name in ("h", "most"))
    choice_bit = d.domain("an occurrence is chosen, or not", eq(h[c, m] * (1 - h[c, m]), 0))
    among = d.domain("only occurrences are chosen", le(h[c, m], p.f[c, m]))

    def free(u: sp.IndexedBase, *_: Any) -> Any:
        return d.domain("no two that are chosen overlap", eq(h[c, m] * u[c, m], 0))

    H, behind, _ = ahead(d, p, h[c, m], [choice_bit, among], free)
    largest = d.domain(
        "the pass makes such a choice, and none is larger than the largest", ge(largest_count[c], p.G[c, L[c]])
    )
    attained = d.domain("the largest number is that of some choice", eq(largest_count[c], H[c, L[c]]))
    last = d.instantiate("at the end of the text", behind, {m: L[c]})
    equal = eq(p.G[c, L[c]], sign * largest_count[c])
    equal = d.smt("the pass merges the largest number", equal, last, largest, attained)
    text = eq(S[c, L[c]], largest_count[c] * (p.n - 1))
    text = d.derive("so that a text loses n − 1 tokens for each", text, shorter, equal)
    d.qed(d.sum("over the texts", text, c, upto=N))


def occurrences(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every corpus and every n-gram that occurs in it, or does not.

    Both are sharp for every n: tasc.merge-reward.occurrences-corrected.most and .least.
    """
    p = scan(d)
    n = p.n
    f = p.f[c, m]
    S, shorter = saved(d, p)
    F, none, next_count = counted(d, "F", f, "occurrences")
    fewer = inductive(
        d, "no more are merged than there are", le(p.G[c, m], F[c, m]), [p.none, none], [p.more, next_count, *p.rules]
    )
    hidden = le(F[c, m], constant * n * p.G[c, m] - sign * p.s[c, m])
    hidden = inductive(
        d,
        "a merged occurrence hides at most those that begin inside it",
        hidden,
        [p.none, none, p.start],
        [p.more, next_count, p.next, p.begins, *p.rules, p.whole],
    )
    last = d.instantiate("merged and there, in a whole text", fewer, {m: L[c]})
    inside = d.instantiate("merged and hidden, in a whole text", hidden, {m: L[c]})
    upper = ge(-S[c, L[c]], -F[c, L[c]] * (n - 1))
    upper = d.smt("so that a text loses at most n − 1 for each", upper, shorter, last, *p.sizes)
    lower = ge(S[c, L[c]], F[c, L[c]] * (n - 1) / n)
    lower = d.smt("and at least (n − 1)/n for each", lower, shorter, inside, *p.sizes)
    upper = d.sum("over the texts", upper, c, upto=N)
    lower = d.sum("over the texts", lower, c, upto=N)
    lost = total(S[c, L[c]], c, upto=N)
    there = total(F[c, L[c]], c, upto=N)
    d.qed(d.smt("at most", ge(-lost, -there * (n - 1)), upper), d.smt("at least", ge(lost, there * (n - 1) / n), lower))


def most(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every corpus and every n-gram of which no two occurrences overlap."""
    p = scan(d)
    S, shorter = saved(d, p, constant)

    def free(u: sp.IndexedBase, *_: Any) -> Any:
        return d.assume(DISJOINT, eq(p.f[c, m] * u[c, m], 0))

    F, behind, (none, next_count) = ahead(d, p, p.f[c, m], [p.begins], free)
    fewer = le(p.G[c, m], F[c, m])
    fewer = inductive(d, "no more are merged than there are", fewer, [p.none, none], [p.more, next_count, *p.rules])
    all_ = [d.instantiate("at the end of the text", fact, {m: L[c]}) for fact in (behind, fewer)]
    text = eq(S[c, L[c]], sign * F[c, L[c]] * (p.n - 1))
    d.qed(d.sum("over the texts", d.smt("a text loses n − 1 tokens for each", text, shorter, *all_), c, upto=N))


def least(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every n from two on, every number of texts."""
    p = scan(d)
    n = p.n
    f = p.f[c, m]
    s = p.s[c, m]
    S, shorter = saved(d, p, constant)
    F, none, next_count = counted(d, "F", f, "occurrences")
    at, at_start, at_next = counted(d, "at", sp.S.One, "places passed")
    place = at[c, m]
    place_is_m = inductive(d, "as many as the place says", eq(place, m), [at_start], [at_next])
    run = d.domain(RUN, eq(f, 1 - sp.Min(sp.Max(place - n + 1, 0), 1)))
    long = d.domain("a text has 2n − 1 tokens", eq(L[c], 2 * n - 1))
    steps = d.smt("of the places passed", ge((place - n) * (place - n + 1), 0), none_between(d, m - n + 1), place_is_m)
    place_integer = d.smt("nor between 0 and 1", ge(place * (place - 1), 0), none_between(d, m), place_is_m)
    some = inductive(d, "none or some", ge(place, 0), [at_start], [at_next])
    first = [at_start, p.start, p.none, none]
    step_facts = [at_next, *p.rules, run, steps, place_integer, some]
    waits = eq(s, sp.Min(place, 1) * sp.Max(n - place, 0))
    waits = inductive(
        d, "after the first place n − 1 are busy, then none", waits, first, [p.next, *step_facts, p.whole]
    )
    once = eq(p.G[c, m], sp.Min(place, 1))
    once = inductive(d, "one is merged", once, first, [p.more, *step_facts, waits, p.whole])
    there = inductive(d, "of n", eq(F[c, m], sp.Min(place, n)), first, [next_count, run, steps, at_next, some])
    end = [d.instantiate("at the end of the text", fact, {m: L[c]}) for fact in (once, there, place_is_m)]
    text = eq(S[c, L[c]], sign * F[c, L[c]] * (n - 1) / n)
    d.qed(
        d.sum("over the texts", d.smt("so a text loses n − 1 tokens", text, shorter, long, *end, *p.sizes), c, upto=N)
    )


def choice(text: Sequence[int], ngram: Sequence[int]) -> list[int]:
    """Where the occurrences begin of a largest choice without overlaps, the last ones first: found from the right."""
    n = len(ngram)
    best = [0] * (len(text) + len(ngram) + 1)
    selected = [0] * (len(text) + 1)
    for i in reversed(range(len(text))):
        take = 1 + best[i + n] if starts(text, ngram, i) else 0
        best[i], selected[i] = max(best[i + 1], take), int(take > best[i + 1])
    marks = [0] * (len(text) + 1)
    i = 0
    while i < len(text):
        marks[i] = selected[i]
        i += n if selected[i] else 1
    return marks


def values(texts: Sequence[Sequence[int]], ngram: Sequence[int]) -> dict[str, Any]:
    """Texts, and where an n-gram begins in them; a largest choice of its occurrences."""
    longest = max(map(len, texts))
    begins = [[starts(text, ngram, m) for m in range(longest + 1)] for text in texts]
    choices = [choice(text, ngram) + [0] * longest for text in texts]
    return {
        **{
            "f": lambda c, m: begins[c - 1][m],
            "L": list(map(len, texts)),
            "n": len(ngram),
        },
        **{"h": lambda c, m: choices[c - 1][m], "most": [sum(h) for h in choices], "N": len(texts)},
        "ranges": {"c": range(1, len(texts) + 1), "m": range(longest + 1)},
    }


def small(disjoint: bool = False) -> Iterator[Instance]:
    """Corpora of one text of at most six tokens over two letters, with each of their n-grams of up to three tokens."""
    for corpus in corpora(2, 6):
        for ngram in merged_ngrams(corpus, 3):
            places = [i for i in range(len(corpus[0])) if tuple(corpus[0][i : i + len(ngram)]) == ngram]
            if not disjoint or all(b - a >= len(ngram) for a, b in itertools.pairwise(places)):
                yield {"texts": corpus, "ngram": list(ngram)}


PROOFS = (
    Refutation(
        OCCURRENCES,
        small,
        scope="the first of all texts over two letters, by their number of tokens; no text of fewer has overlapping "
        "occurrences",
        repaired={"no two occurrences of the n-gram overlap": lambda: small(disjoint=True)},
    ),
    Proof(
        OCCURRENCES_CORRECTED,
        occurrences,
        drop="an occurrence ends within its text",
        change={"constant": sp.Rational(1, 2)},
        bind=values,
    ),
    Proof(NON_OVERLAPPING, non_overlapping, drop="no two that are chosen overlap", bind=values),
    Proof(MOST, most, drop=DISJOINT, bind=values),
    Proof(LEAST, least, drop=RUN, bind=lambda n, copies: values(run_of(n, copies), [0] * n)),
)
