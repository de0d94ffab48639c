"""Algorithm 1 ends with M new tokens for every corpus with at least M candidate n-grams.

`tasc.termination`, with its correction: TASC, Algorithm 1.
"""

from __future__ import annotations

import itertools

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, procedure
from simspec.claims.claim import Printed
from simspec.claims.tasc.parts import Texts
from simspec.methods.tasc.collision import collision_score
from simspec.methods.tasc.enrichment import COUNTINGS, Enrichment, count_ngrams, enrich, enrich_naive


def _run(draw: Draw) -> Instance:
    """A corpus, a budget that its n-grams could fill, and sometimes a limit on the collision score."""
    letters = draw.integer(1, 3)
    texts = [[draw.integer(0, letters - 1) for _ in range(draw.integer(2, 6))] for _ in range(draw.integer(1, 2))]
    n_max = draw.integer(2, 3)
    limit = F(draw.integer(1, 4), 4) if draw.integer(0, 1) else None
    if not _candidates(texts, letters, n_max, limit):
        limit = None
    budget = draw.integer(1, min(4, _candidates(texts, letters, n_max, limit)))
    return {"texts": texts, "vocab": letters, "budget": budget, "n_max": n_max, "limit": limit}


def _candidates(texts: Texts, vocab: int, n_max: int, limit: F | None) -> int:
    """How many different n-grams of a corpus are under the limit."""
    ngrams = count_ngrams(texts, n_max)
    return sum(1 for g in ngrams if limit is None or collision_score(texts, g, _letters(vocab)) < limit)


def _letters(vocab: int) -> list[str]:
    return [chr(ord("a") + i) for i in range(vocab)]


def _printed(texts: Texts, vocab: int, budget: int, n_max: int, limit: F | None) -> int:
    """Tokens that the printed algorithm has made when it ends, or when it would go on for ever."""
    return len(enrich_naive(texts, budget, vocab, n_max, COUNTINGS[1], limit, _letters(vocab), printed=True).ngrams)


CANDIDATES = "the corpus has at least M n-grams of 2 to n_max tokens under the limit"

TERMINATION = procedure(
    name="tasc.termination",
    statement=r"Algorithm 1 ends with $M$ new tokens for every corpus that has at least $M$ candidate $n$-grams",
    reference="TASC, Algorithm 1",
    instances=_run,
    assumes={CANDIDATES: lambda texts, vocab, n_max, limit, budget: _candidates(texts, vocab, n_max, limit) >= budget},
    lhs=_printed,
    rhs=lambda budget: budget,
    relation=at_least,
    sources=("exact",),
    outside={CANDIDATES: {"texts": [[0, 1]], "vocab": 2, "budget": 2, "n_max": 2, "limit": None}},
    against=({"texts": [[0, 0, 0, 1]], "vocab": 2, "budget": 1, "n_max": 2, "limit": F(1, 2)},),
    within=({"texts": [[0, 0, 1]], "vocab": 2, "budget": 2, "n_max": 4, "limit": None},),
    corrected_by=("tasc.termination-corrected",),
    note="Two faults. The algorithm never reads usedNgrams: when the best n-gram misses the limit nothing changes, the "
    "next step takes it again, and it does not end. And merging uses candidates up: a b c has the three n-grams a b, b "
    "c, a b c, the longest is merged, and no second token can be made, with or without a limit.",
    printed=Printed(
        place="TASC 4.1",
        text="This repeats until a predefined vocabulary budget is reached",
        read="Algorithm 1 ends with as many new tokens as asked for, where there are so many candidates.",
    ),
)


def _looked(enrichment: Enrichment) -> int:
    return len(enrichment.ngrams) + len(enrichment.rejected)


def _most_looks(texts: Texts, budget: int, n_max: int) -> int:
    """M tokens, and at most every n-gram of every stage rejected."""
    return budget + (budget + 1) * (n_max - 1) * sum(map(len, texts))


def _corrected(texts: Texts, vocab: int, budget: int, n_max: int, limit: F | None) -> Array:
    most_looks = _most_looks(texts, budget, n_max)
    enrichment = enrich(texts, budget, vocab, n_max, COUNTINGS[1], limit, _letters(vocab), iterations=most_looks + 1)
    return np.array(
        [
            len(enrichment.ngrams),
            len(enrichment.ngrams),
            int(enrichment.stop in ("budget", "exhausted")),
            -_looked(enrichment),
        ]
    )


def _floors(texts: Texts, budget: int, n_max: int, limit: F | None) -> Array:
    """Tokens made at least without a limit: by the longest text, and for n_max = 2 by the pairs; that it ends; and when."""
    most_looks = -_most_looks(texts, budget, n_max)
    if limit is not None:
        return np.array([0, 0, 1, most_looks])
    length = max(map(len, texts))
    steps = 0
    while n_max**steps < length:
        steps += 1
    pairs = len({pair for text in texts for pair in itertools.pairwise(text)})
    return np.array([min(budget, steps), min(budget, pairs) if n_max == 2 else 0, 1, most_looks])


TERMINATION_CORRECTED = bound(
    name="tasc.termination-corrected",
    statement=r"When usedNgrams is read, Algorithm 1 ends after at most $M + (M+1)(n_{\max} - 1)N$ looks at a corpus of "
    r"$N$ tokens, with $M$ tokens or no candidate left. Without a limit it makes at least $\min(M, \lceil "
    r"\log_{n_{\max}} L \rceil)$ tokens, $L$ the longest text, and for $n_{\max} = 2$ at least $\min(M, \text{distinct "
    r"pairs})$; with a limit, perhaps none",
    reference="correction of TASC, Algorithm 1",
    instances=_run,
    lhs=_corrected,
    rhs=_floors,
    relation=at_least,
    sources=("exact",),
    tight=tuple(
        {"texts": [text], "vocab": 2, "budget": 9, "n_max": 2, "limit": None}
        for text in ([0, 0, 0, 0], [0, 1], [0], [])
    ),
    note="Each stage has fewer than (n_max − 1)N distinct n-grams, each looked at once. A merge divides a text's length "
    "by at most n_max, and a text of two tokens has a candidate. For n_max = 2 the other pairs survive a merge under new "
    "names, no two of them under one.",
    broken=[
        broken(
            "the printed count",
            lhs=lambda **x: np.array([_printed(**x), 0, 1, 0]),
            rhs=lambda budget: np.array([budget, 0, 1, 0]),
        ),
        broken(
            "a last entry of minus a billion",
            rhs=lambda texts, budget: np.array([0, min(budget, sum(map(len, texts)) - len(texts)), 1, -(10**9)]),
        ),
    ],
)
