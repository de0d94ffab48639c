"""tasc.reward-decreasing: every occurrence in the next corpus begins where a window as long occurred in this one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le
from proofs_check.tasc._left_to_right import L, ahead, c, counted, inductive, m, scan, starts
from simspec.claims.tasc.reward_decreasing import DECREASING, DECREASING_SHARP, NO_LIMIT
from simspec.methods.tasc.enrichment import COUNTINGS, Enrichment, enrich, merge_text


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every corpus, step and n_max, both ways to count; the texts of a corpus one after the other.

    Equality where the next n-gram has as many occurrences and tokens: a b c, n_max = 2, saves one token twice.
    """
    # stage c: the corpus before the c-th merge, its texts one after the other, and what separates them
    size = sp.IndexedBase("n", integer=True)
    r = sp.IndexedBase("r", real=True)
    b, h = (sp.IndexedBase(name, real=True) for name in ("b", "h"))
    allows_overlaps, limited = sp.symbols("every limited", real=True)
    size_bound = d.domain("an n-gram has two tokens or more", ge(size[c], 2))
    p = scan(d, size[c], [size_bound])  # of the first n[c] tokens of what the next n-gram spans in this corpus
    ways = d.domain(
        "frequency counts every occurrence, or those that the pass merges",
        eq(allows_overlaps * (1 - allows_overlaps), 0),
    )
    begins = d.domain(
        "a counted occurrence of the next n-gram begins at a place, or none", eq(h[c, m] * (1 - h[c, m]), 0)
    )
    within = d.domain("where it begins, the window begins", le(h[c, m], p.f[c, m]))
    token = d.domain("a token of the next corpus begins at a place, or none", eq(b[c, m] * (1 - b[c, m]), 0))
    v = sp.IndexedBase("v", real=True)
    first, following = d.recursion(
        "tokens of the next corpus, still to begin, of a counted occurrence",
        eq(v[c, 0], 0),
        eq(v[c, m + 1], sp.Max(v[c, m] - b[c, m], 0) + h[c, m] * (size[c] - 1)),
    )
    apart = d.domain(
        "without overlap: counted is what begins where no token of a counted one is still to begin",
        eq((1 - allows_overlaps) * h[c, m] * v[c, m], 0),
    )
    a = sp.IndexedBase("a", real=True)
    merged_mark = a[c, m]
    chosen_is = d.define("those that the pass merges", merged_mark, (1 - allows_overlaps) * h[c, m])
    some = d.smt("counted or not", eq(merged_mark * (1 - merged_mark), 0), chosen_is, begins, ways)
    among = d.smt("the window begins there", le(merged_mark, p.f[c, m]), chosen_is, begins, ways, within, p.begins)
    fewer = d.smt("among the counted ones", le(merged_mark, h[c, m]), chosen_is, begins, ways)

    def free(u: sp.IndexedBase, start: Any, step: Any, none: Any) -> Any:
        facts = [step, following, token, fewer, some, begins, size_bound, none]
        narrow = inductive(d, "each token has a place of its own", le(u[c, m], v[c, m]), [start, first], facts)
        clear = d.derive("no token is still to begin", eq(merged_mark * v[c, m], 0), chosen_is, apart)
        return d.smt("so that windows do not overlap", eq(merged_mark * u[c, m], 0), clear, narrow, none, some)

    H, behind, (no_h, more_h) = ahead(d, p, merged_mark, [some, among], free)
    F, no_f, more_f = counted(d, "F", p.f[c, m], "occurrences of the window")
    A, no_a, more_a = counted(d, "A", h[c, m], "counted occurrences of the next n-gram")
    fewer = inductive(d, "no more than windows", le(A[c, m], F[c, m]), [no_f, no_a], [more_f, more_a, within])
    same = eq(H[c, m], (1 - allows_overlaps) * A[c, m])
    same = inductive(d, "chosen ones among them", same, [no_h, no_a], [more_h, more_a, chosen_is])
    window = allows_overlaps * F[c, L[c]] + (1 - allows_overlaps) * p.G[c, L[c]]
    at = [d.instantiate("in the whole corpus", fact, {m: L[c]}) for fact in (behind, fewer, same)]
    frequency = le(A[c, L[c]], constant * sign * window)
    frequency = d.smt("the next n-gram is no more frequent than its window", frequency, *at, ways)
    reward = d.domain("the reward is frequency times n − 1", eq(r[c + 1], A[c, L[c]] * (size[c] - 1)))
    best = d.domain("the best is taken, unless one was refused", ge((1 - limited) * (r[c] - window * (size[c] - 1)), 0))
    free_choice = d.assume(NO_LIMIT, eq(limited, 0))
    d.qed(d.smt("the window had its reward", le(r[c + 1], r[c]), frequency, reward, best, free_choice, size_bound))


FALL = "rewards do not rise where there is no collision limit (see tasc.reward-decreasing)"


def decreasing_sum(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every corpus, step and n_max.

    The constant 1 is the least for every i: a text of i + 1 different tokens, n_max = 2, gives i rewards of one.
    """
    n = sp.Symbol("n", integer=True, nonnegative=True)
    r, size = (sp.IndexedBase(name, real=True) for name in ("r", "N"))
    D = d.number("D", 0)
    limited = sp.Symbol("limited", real=True)
    falls = d.domain(FALL, ge((1 - limited) * (r[n] - r[n + 1]), 0))
    shorter = d.domain(
        "a merge shortens the corpus by its reward (see tasc.merge-reward.non-overlapping)",
        eq(size[n + 1], size[n] - r[n]),
    )
    size_bound = d.domain("a text that is not empty keeps a token", ge(size[n], D))
    free = d.assume(NO_LIMIT, eq(limited, 0))
    falls = d.smt("rewards do not rise", le(r[n + 1], r[n]), falls, free)
    statement = le((n + 1) * r[n], constant * (size[0] - sign * size[n + 1]))
    first = d.instantiate("the first merge", shorter, {n: 0})
    second = d.instantiate("the next merge", shorter, {n: n + 1})
    for_every_n = d.inductive(
        "each of the first n + 1 merges saves as much", statement, n, [first], [second, falls], by="smt"
    )
    last = d.instantiate("what is left in the end", size_bound, {n: n + 1})
    divided = d.smt("divided by their number", le(r[n], (size[0] - D) / (n + 1)), for_every_n, last)
    d.qed(d.instantiate("each of the merges", divided, {n: sp.Symbol("i", integer=True, nonnegative=True)}))


def _places(corpus: Sequence[Sequence[int]]) -> list[int]:
    """The texts one after the other, each followed by a token that occurs nowhere else."""
    return [t for number, text in enumerate(corpus) for t in [*text, -1 - number]]


def _stages(enrichment: Enrichment, corpus: Sequence[Sequence[int]]) -> list[Sequence[Sequence[int]]]:
    """The corpus before each merge."""
    stages = [corpus]
    for ngram, new in zip(enrichment.ngrams, enrichment.ids, strict=True):
        stages.append([merge_text(text, ngram, new) for text in stages[-1]])
    return stages


def _pair(now: list[int], later: list[int], merged: Sequence[int], new: int, ngram: Sequence[int], every: bool) -> Any:
    """Where the window, a token of the next corpus, and a counted occurrence of the next n-gram begin."""
    window = [t for token in ngram for t in (merged if token == new else [token])][: len(ngram)]
    f = [starts(now, window, i) for i in range(len(now))]
    b = [0] * len(now)
    h = [0] * len(now)
    at = 0
    free = 0
    for i, token in enumerate(later):
        b[at] = 1
        if starts(later, ngram, i) and (every or i >= free):
            h[at] = 1
            free = i + len(ngram)
        at += len(merged) if token == new else 1
    return f, b, h


def _values(
    texts: Sequence[Sequence[int]], vocab: int, n_max: int, counting: str, limit: Any, strings: Any, reading: str
) -> dict[str, Any]:
    """The values of the symbols of `prove`, for each pair of successive stages of an enrichment."""
    enrichment = enrich(texts, 6, vocab, n_max, counting, limit, strings, reading=reading)
    stages = _stages(enrichment, texts)
    allows_overlaps = counting == COUNTINGS[1]
    flat = [_places(corpus) for corpus in stages]
    longest = len(flat[0])
    steps = max(len(enrichment.ngrams) - 1, 1)
    number_of_pairs = max(len(enrichment.ngrams) - 1, 0)
    pair_rows = [
        _pair(flat[i], flat[i + 1], enrichment.ngrams[i], vocab + i, enrichment.ngrams[i + 1], allows_overlaps)
        for i in range(number_of_pairs)
    ]
    f, b, h = ([row[k] + [0] * longest for row in pair_rows] or [[0] * 2 * longest] for k in range(3))
    sizes = [len(ngram) for ngram in enrichment.ngrams[1:]] or [2]  # with no second step, of one that finds nothing
    return {
        **{name: lambda c, m, rows=rows: rows[c - 1][m] for name, rows in (("f", f), ("b", b), ("h", h))},
        **{"n": sizes, "r": [*enrichment.rewards, 0, 0], "L": list(map(len, flat))},
        **{"every": int(allows_overlaps), "limited": int(limit is not None)},
        "ranges": {"c": range(1, steps + 1), "m": range(max(longest, 1))},
    }


def _rewards(
    texts: Sequence[Sequence[int]], vocab: int, n_max: int, counting: str, limit: Any, strings: Any, reading: str
) -> dict[str, Any]:
    enrichment = enrich(texts, 6, vocab, n_max, counting, limit, strings, reading=reading)
    return {
        "r": lambda n: enrichment.rewards[n] if n < len(enrichment.rewards) else 0,
        "N": lambda n: enrichment.lengths[min(n, len(enrichment.rewards))],
        **{"D": sum(1 for text in texts if text), "limited": int(limit is not None)},
        "ranges": {"n": range(max(len(enrichment.rewards), 2) + 1), "i": range(max(len(enrichment.rewards), 2))},
    }


PROOFS = (
    Proof(DECREASING, prove, drop="where it begins, the window begins", bind=_values),
    Proof(
        DECREASING_SHARP,
        decreasing_sum,
        drop=FALL,
        change={"constant": sp.Rational(1, 2)},
        bind=_rewards,
    ),
)
