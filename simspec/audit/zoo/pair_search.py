"""Searches for pairs of laws that reveal: among random ones, few that show all mutants of the class that show at all.

`python -m simspec.audit.zoo.pair_search FILE` writes them; `simspec.audit.pairs.searched` reads the file that is shipped.
Laws are drawn with denominators up to 32, then moved to multiples of 2^-16: floats and single precision hold them, and
bfloat16, float16 and 8 bits do not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.audit.pairs import Pair, fine
from simspec.audit.zoo.mutants import FAMILIES, PARTS, Mutant, mutants, tv_of
from simspec.laws import Array

__all__ = ["SIZES", "Search", "candidate", "chosen", "document", "further", "main", "searched_for", "singles"]

SHOWS = 1e-3
"""The least total variation that counts as showing a mutant."""
TIMES = 2
"""By how many pairs a mutant is to be shown, where so many candidates show it."""
LARGEST = 32
"""Largest denominator of a candidate's masses."""
SIZES: dict[tuple[int, int], tuple[str, ...]] = {(2, 3): ("chains", "trees"), (1, 5): ("siblings",)}
"""Kinds of mutants for which pairs of a size (gamma, V) are chosen."""


DECISIONS = ("between siblings", "draft row of the next sibling", "last token", "bonus", "uniforms", "taken", "order")
"""Parts of which every single change is tried beside the random ones: a few forms each, which a random choice may leave out."""


class Search(NamedTuple):
    """What was searched: the candidates, the mutants, and their total variation on each, an array (mutants, candidates)."""

    candidates: list[Pair]
    mutants: list[Mutant]
    tv: Array


def candidate(gamma: int, vocab: int, rng: np.random.Generator) -> Pair:
    """A random pair: each law has a denominator of its own, from 9 to 31, and about one mass in five is 0.

    >>> found = candidate(1, 3, np.random.default_rng(0))
    >>> found.p.shape, found.q.shape
    ((2, 3), (1, 3))
    """
    rows = np.array([_random_law(vocab, rng) for _ in range(2 * gamma + 1)])
    return Pair("candidate", rows[: gamma + 1], rows[gamma + 1 :])


def _random_law(vocab: int, rng: np.random.Generator) -> Array:
    parts = int(rng.choice([d for d in range(9, LARGEST + 1) if d & (d - 1)]))  # a power of 2 is held by any format
    return rng.multinomial(parts, rng.dirichlet(np.ones(vocab))) / parts


def searched_for(gamma: int, vocab: int, number: int, of_kind: int, seed: int = 0) -> Search:
    """Total variation of random mutants on random candidates of one size.

    Parameters
    ----------
    gamma, vocab : int; a size of `SIZES`
    number : int; candidates
    of_kind : int; mutants of each kind
    seed : int
    """
    rng = np.random.default_rng([seed, gamma, vocab])
    candidates = [fine(candidate(gamma, vocab, rng)) for _ in range(number)]
    tried_mutants = [mutant for kind in SIZES[gamma, vocab] for mutant in mutants(kind, of_kind, seed)]
    tv = np.array([[tv_of(mutant, pair) for pair in candidates] for mutant in tried_mutants])
    return Search(candidates, tried_mutants, tv)


def singles(kind: str) -> list[Mutant]:
    """Mutants of a kind with one changed part, a part of `DECISIONS`.

    >>> len(singles("siblings"))
    92
    """
    honest = tuple(forms[0] for forms in PARTS.values())
    changes = [(list(PARTS).index(part), form) for part in DECISIONS for form in PARTS[part][1:]]
    return [
        Mutant(family, (*honest[:at], form, *honest[at + 1 :])) for family in FAMILIES[kind] for at, form in changes
    ]


def further(number: int, seed: int = 0, already: Sequence[Pair] = ()) -> list[Pair]:
    """Candidates of one draft and five tokens that show single changes of siblings which pairs already chosen do not show.

    >>> len(further(1, already=[fine(candidate(1, 5, np.random.default_rng([0, 1, 5])))]))
    0
    """
    gamma = 1
    vocab = 5
    rng = np.random.default_rng([seed, gamma, vocab])
    candidates = [fine(candidate(gamma, vocab, rng)) for _ in range(number)]
    fits = [pair for pair in already if (pair.gamma, pair.vocab) == (gamma, vocab)]
    unseen = [mutant for mutant in singles("siblings") if all(tv_of(mutant, pair) < SHOWS for pair in fits)]
    if not unseen:
        return []
    tv = np.array([[tv_of(mutant, pair) for pair in candidates] for mutant in unseen])
    return [candidates[place] for place in chosen(tv)]


def chosen(tv: Array, times: int = TIMES) -> list[int]:
    """Few candidates, by number, that together show each mutant so many times, or as often as all candidates do.

    Greedy: each time the candidate that shows most of what is missing; at ties the one with the largest sum of total
    variations, then the first.

    >>> chosen(np.array([[0.1, 0.0, 0.2], [0.0, 0.3, 0.0]]), 1)
    [1, 2]
    """
    shows = tv >= SHOWS
    missing: NDArray[np.int64] = np.minimum(shows.sum(axis=1), times)
    picked: list[int] = []
    while missing.any():
        gain = shows[missing > 0].sum(axis=0)
        gain[picked] = -1
        best = int(np.lexsort((-tv.sum(axis=0), -gain))[0])
        picked.append(best)
        missing = np.maximum(missing - shows[:, best], 0)
    return sorted(picked)


def document(number: int, of_kind: int, seed: int = 0) -> dict[str, Any]:
    """What is written: pairs by size, as numerators over 2^16, and for each kind the mutants that no candidate shows.

    Pairs of `further` come last.

    >>> sorted(document(2, 2))
    ['candidates', 'mutants', 'not_shown', 'pairs', 'seed', 'shown']
    """
    pairs: list[Pair] = []
    unseen: list[str] = []
    number_shown = 0
    for gamma, vocab in SIZES:
        search = searched_for(gamma, vocab, number, of_kind, seed)
        pairs += [search.candidates[place] for place in chosen(search.tv)]
        best = search.tv.max(axis=1)
        number_shown += int((best >= SHOWS).sum())
        unseen += [f"{m.name} (TV {tv:.1e})" for m, tv in zip(search.mutants, best, strict=True) if tv < SHOWS]
    pairs += further(number, seed, pairs)
    number_of_mutants = of_kind * len(FAMILIES)
    return {
        "seed": seed,
        "candidates": number,
        "mutants": number_of_mutants,
        "shown": number_shown,
        "not_shown": unseen,
        "pairs": [_numerators(pair) for pair in pairs],
    }


def _numerators(pair: Pair) -> dict[str, Any]:
    """Masses over 2^16, as they are written."""
    return {name: (laws * 2**16).astype(int).tolist() for name, laws in (("p", pair.p), ("q", pair.q))}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pairs into a file.

    >>> main([])
    usage: python -m simspec.audit.zoo.pair_search FILE
    2
    """
    paths = sys.argv[1:] if arguments is None else arguments
    if len(paths) != 1:
        print("usage: python -m simspec.audit.zoo.pair_search FILE")
        return 2
    Path(paths[0]).write_text(json.dumps(document(24, 60), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
