"""tasc.bpe: pairs counted place by place or run by run are as many; equal counts and one order make the same merges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, Relation, eq, ge, index, le, total, x, y
from proofs_check.tasc._small_corpora import corpora
from simspec.claims.claim import Instance
from simspec.claims.tasc.bpe import BPE, BPE_ALL, BPE_COUNTING, BPE_PRINTED, BPE_PRINTED_CORRECTED
from simspec.methods.tasc.encoding import train_bpe
from simspec.methods.tasc.enrichment import COUNTINGS, count_ngrams, enrich, merge_text

c = index("c")
part = index("p")
start = index("start")
m, n = sp.symbols("m n", integer=True, nonnegative=True)
L = sp.IndexedBase("L", integer=True, nonnegative=True)


def _inductive(d: Derivation, text: str, statement: Relation, first: Sequence[Fact], step: Sequence[Fact]) -> Fact:
    return d.inductive(text, statement, m, first, step, by="smt")


def _counts(d: Derivation, constant: sp.Expr | int, disjoint: bool = False) -> tuple[Any, Any, Fact]:
    """Pairs of corpus c counted by their places and by runs of equal tokens, and that these are as many.

    `disjoint`: of a run of one token every other place counts, and L tokens are ⌊L/2⌋ pairs.
    """
    A, B, same = (sp.IndexedBase(name, real=True) for name in ("A", "B", "same"))
    last, run, C, R = (sp.IndexedBase(name, real=True) for name in ("last", "run", "C", "R"))
    first_bit = d.domain("the pair's first token stands at a place, or another", eq(A[c, x, m] * (1 - A[c, x, m]), 0))
    equal = d.domain("the pair's tokens are equal, or not", eq(same[x] * (1 - same[x]), 0))
    alike = d.domain("if so, the second stands where the first does", eq(same[x] * (A[c, x, m] - B[c, x, m]), 0))
    end = d.domain("after the corpus comes no token", eq(A[c, x, L[c]], 0))
    at = (c, x, m + 1)
    none = (c, x, 0)
    here = (c, x, m)
    before = d.recursion("the first token stood one place before", eq(last[none], 0), eq(last[at], A[here]))
    length = d.recursion("its run so far", eq(run[none], 0), eq(run[at], A[here] * (run[here] + 1)))
    some = _inductive(d, "a run has no fewer than no token", ge(run[here], 0), [length[0]], [length[1], first_bit])
    goes_on = eq(sp.Min(run[here], 1), last[here])
    goes_on = _inductive(
        d, "a run goes on after its token", goes_on, [length[0], before[0]], [length[1], before[1], first_bit, some]
    )
    pair = B[here] * last[here]
    facts = [length[1], first_bit, equal, alike, goes_on, some]
    starts = [length[0]]
    worth = sp.Max(run[here] - constant, 0)
    if disjoint:
        odd = sp.IndexedBase("odd", real=True)
        parity = d.recursion("whether it is odd", eq(odd[none], 0), eq(odd[at], A[here] * (1 - odd[here])))
        bit = _inductive(d, "odd or even", eq(odd[here] * (1 - odd[here]), 0), [parity[0]], [parity[1], first_bit])
        pair = same[x] * A[here] * odd[here] + (1 - same[x]) * pair
        worth = (run[here] - constant * odd[here]) / 2
        facts = [*facts, parity[1], bit]
        starts = [*starts, parity[0]]
    places = d.recursion("pairs, by their places", eq(C[none], 0), eq(C[at], C[here] + pair))
    closed = same[x] * (1 - A[here]) * worth + (1 - same[x]) * B[here] * last[here]
    runs = d.recursion("pairs, by runs as they end and follow each other", eq(R[none], 0), eq(R[at], R[here] + closed))
    unfinished = (run[here] - odd[here]) / 2 if disjoint else sp.Max(run[here] - 1, 0)
    open_run = eq(C[here], R[here] + same[x] * unfinished)
    facts = [places[1], runs[1], *facts]
    open_run = _inductive(d, "but for the run that has not ended", open_run, [places[0], runs[0], *starts], facts)
    run_closed = d.instantiate("after the end", open_run, {m: L[c] + 1})
    closing = [d.instantiate("the run at the end", length[1], {m: L[c]})]
    closing += [d.instantiate("its parity at the end", parity[1], {m: L[c]})] if disjoint else []
    ended = [
        d.derive("has ended", eq(of[c, x, L[c] + 1], 0), fact, end)
        for of, fact in zip((run, odd) if disjoint else (run,), closing, strict=True)
    ]
    C = C[c, x, L[c] + 1]
    R = R[c, x, L[c] + 1]
    return C, R, d.smt("both counts agree", eq(C, R), run_closed, *ended)


def _best(d: Derivation, name: str, count: sp.Expr, before: sp.Expr) -> tuple[Any, tuple[Fact, ...]]:
    """1 for the pair that is taken: of the largest count, of several the first."""
    selected = sp.IndexedBase(name, real=True)
    ahead = count - count.subs(x, y)
    better = sp.Max(ahead - 1, sp.Min(ahead, before))
    return selected, (
        d.domain(f"{name}: a pair is taken, or not", eq(selected[c, x] * (1 - selected[c, x]), 0)),
        d.domain(f"{name}: one is", eq(total(selected[c, x], x), 1)),
        d.domain(
            f"{name}: of larger count than every other, or first of those with the same", ge(selected[c, x] * better, 0)
        ),
    )


def _inside(
    d: Derivation,
    first_choice: sp.IndexedBase,
    second_choice: sp.IndexedBase,
    facts: Sequence[Fact],
    rules: Sequence[Fact],
    using: Sequence[Fact],
) -> Fact:
    """A pair that is taken by `first_choice` is taken by `second_choice`."""
    (binary, _, best) = facts
    (second, unique, rival) = rules
    swapped = d.instantiate("the other's choice against this one", rival, {x: y, y: x})
    choice = d.instantiate("the other takes a pair or not", second, {x: y})
    no_rival_pair = eq(first_choice[c, x] * second_choice[c, y] * (1 - second_choice[c, x]), 0)
    premises = [best, swapped, binary, choice, second, *using]
    no_rival_pair = d.smt("no two different pairs are both best", no_rival_pair, *premises)
    no_rival_pair = d.sum("over the other's pairs", no_rival_pair, y)
    return d.smt(
        "so that the other takes it too", eq(first_choice[c, x] * (1 - second_choice[c, x]), 0), no_rival_pair, unique
    )


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every corpus and number of merges; a corpus is its texts one after the other, and merging a pair from the left is
    one map for both algorithms.
    """
    _same_merges(d, sign, *_counts(d, constant), lambda relation: d.assume(BPE_COUNTING, relation))


COUNTED = "freq counts all occurrences"
SAVED = "freq counts the occurrences that a merge from the left takes"


def prove_all(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every corpus and number of merges."""
    _same_merges(d, sign, *_counts(d, constant), lambda relation: d.domain(COUNTED, relation))


def prove_saved(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every corpus and number of merges."""
    _same_merges(d, sign, *_counts(d, constant, disjoint=True), lambda relation: d.domain(SAVED, relation))


def _same_merges(
    d: Derivation, sign: int, C: sp.Expr, R: sp.Expr, same: Fact, assume_counts: Callable[[Relation], Fact]
) -> None:
    """Equal counts make equal merges, for ever; `assume_counts` states that freq is C."""
    freq, order, ids = (sp.IndexedBase(name, real=True) for name in ("freq", "order", "ids"))
    counting = assume_counts(eq(freq[c, x], C))
    counted = d.derive("Algorithm 1 and byte-pair encoding have the same counts", eq(freq[c, x], R), same, counting)
    counts = [counted, d.instantiate("for the other pair", counted, {x: y})]
    algorithm_choice, facts = _best(d, "ours", freq[c, x], order[x, y])
    theirs, rules = _best(d, "theirs", R, sign * order[x, y])
    first = d.domain("of two pairs one is first in the order of ids", eq(order[x, y], -order[y, x]))
    order_gap = sp.Min(sp.Abs(order[x, y]), 1)
    names = (("ours", algorithm_choice), ("theirs", theirs))
    unique_in_first, two = (
        d.domain(f"{name}: two pairs of which none is first are one", le(sp.Abs(t[c, x] - t[c, y]), order_gap))
        for name, t in names
    )
    inside = _inside(d, algorithm_choice, theirs, facts, rules, [*counts, first, two])
    outside = _inside(d, theirs, algorithm_choice, rules, facts, [*counts, first, unique_in_first])
    choice = d.smt("both take the same pair", eq(algorithm_choice[c, x], theirs[c, x]), inside, outside)
    after = d.map("after")
    J = sp.IndexedBase("J", real=True)
    W = sp.IndexedBase("W", real=True)

    def run(name: str, J: sp.IndexedBase, pick: sp.IndexedBase, count: sp.Expr) -> tuple[Fact, Fact]:
        merged_id = pick[c, x] * sp.Min(count, 1) * (ids[x, part] + 1)
        later = pick[c, x] * J[n, after[c, x], part]
        return d.recursion(
            f"ids of the pair that {name} merges first, −1 where none is left; later ones",
            eq(J[0, c, part], total(merged_id, x) - 1),
            eq(J[n + 1, c, part], total(later, x)),
        )

    now, next_merge = run("Algorithm 1", J, algorithm_choice, freq[c, x])
    their_now, their_more = run("byte-pair encoding", W, theirs, R)
    pair = eq(
        algorithm_choice[c, x] * sp.Min(freq[c, x], 1) * (ids[x, part] + 1),
        theirs[c, x] * sp.Min(R, 1) * (ids[x, part] + 1),
    )
    pair = d.summed("the first pair", pair, choice, counted, then="over the pairs")
    statement = eq(J[n, c, part], W[n, c, part])
    before = d.suppose("from every corpus the merge after n others is the same", statement)
    then = d.instantiate("from the corpus after the first merge", before, {c: after[c, x]})
    goal = eq(algorithm_choice[c, x] * J[n, after[c, x], part], theirs[c, x] * W[n, after[c, x], part])
    then = d.summed("which is the same", goal, choice, then, then="over the pairs")
    for_every_merge = d.inductive(
        "every merge is the same", statement, n, [now, their_now, pair], [next_merge, their_more, then]
    )
    d.qed(d.instantiate("from the corpus at hand", for_every_merge, {c: start}))


def _values(
    texts: Sequence[Sequence[int]], vocab: int, budget: int, counting: str, theirs_count: str = COUNTINGS[1]
) -> dict[str, Any]:
    """The values of the symbols of `prove`, from the corpora that follow from each of our merges."""
    enrichment = enrich(texts, budget, vocab, 2, counting)
    merges = train_bpe(texts, budget, vocab, theirs_count)
    states = [texts]
    for i, ngram in enumerate(enrichment.ngrams):
        states.append([merge_text(text, ngram, vocab + i) for text in states[-1]])
    flat = [[t for number, text in enumerate(corpus) for t in [*text, -1 - number]] for corpus in states]
    freqs, counts = ([count_ngrams(corpus, 2, rule) for corpus in states] for rule in (counting, theirs_count))
    pairs = sorted({g for tally in counts for g in tally}) or [(0, 0)]
    best, theirs = ([min(pairs, key=lambda g: (-tally.get(g, 0), g)) for tally in of] for of in (freqs, counts))

    def stands(side_index: int) -> Any:
        def at(c: int, x: int, m: int) -> int:
            return int(m < len(flat[c - 1]) and flat[c - 1][m] == pairs[x - 1][side_index])

        return at

    def chosen(firsts: list[Any]) -> list[list[int]]:
        return [[int(g == b) for g in pairs] for b in firsts]

    return {
        **{"A": stands(0), "B": stands(1), "same": [int(a == b) for a, b in pairs], "L": list(map(len, flat))},
        **{"freq": lambda c, x: freqs[c - 1].get(pairs[x - 1], 0)},
        **{
            "ours": chosen(best),
            "theirs": chosen(theirs),
            "order": [[(g < h) - (g > h) for h in pairs] for g in pairs],
        },
        **{"after": lambda c, x: c + 1 if c < len(states) and pairs[x - 1] == best[c - 1] else c},
        **{"ids": pairs, "V": len(pairs), "start": 1},
        "ranges": {
            **{"c": range(1, len(states) + 1), "p": range(1, 3), "m": range(1 + max(1, *map(len, flat)))},
            **{"n": range(max(len(enrichment.ngrams), len(merges)))},
        },
    }


def _all(texts: Sequence[Sequence[int]], vocab: int, budget: int) -> dict[str, Any]:
    return _values(texts, vocab, budget, COUNTINGS[1])


def _saved(texts: Sequence[Sequence[int]], vocab: int, budget: int) -> dict[str, Any]:
    return _values(texts, vocab, budget, COUNTINGS[0], COUNTINGS[0])


def runs(distinct: bool = False) -> Iterator[Instance]:
    """Corpora of one text of at most four tokens over two letters, one merge (without two equal neighbours, or any)."""
    for corpus in corpora(2, 4):
        if not distinct or all(a != b for a, b in pairwise(corpus[0])):
            yield {"texts": corpus, "vocab": 2, "budget": 1}


PROOFS = (
    Proof(BPE, prove, drop=BPE_COUNTING, bind=_values),
    Proof(BPE_ALL, prove_all, drop=COUNTED, bind=_all),
    Refutation(
        BPE_PRINTED,
        runs,
        scope="the first of all texts over two letters, by their number of tokens, one merge",
        repaired={
            "no token follows itself": lambda: runs(distinct=True),
            "byte-pair encoding counts runs by halves": BPE_PRINTED_CORRECTED,
        },
    ),
    Proof(BPE_PRINTED_CORRECTED, prove_saved, drop=SAVED, bind=_saved),
)
