"""With n-grams of length two, Algorithm 1 makes the merges of byte-pair encoding.

`tasc.bpe`, by the two ways to count an n-gram, with a correction: TASC, 4.1 (“BPE-inspired”) and App. A.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, Instance, broken, identity, other_claim
from simspec.claims.claim import Printed
from simspec.claims.tasc.parts import Texts, draw_texts
from simspec.methods.tasc.encoding import train_bpe
from simspec.methods.tasc.enrichment import COUNTINGS, enrich


def _bpe(draw: Draw) -> Instance:
    letters = draw.integer(1, 3)
    return {
        "texts": draw_texts(draw, letters, 0, 8),
        "vocab": letters,
        "budget": draw.integer(0, 4),
        "counting": COUNTINGS[1],
    }


def _pairs(merges: Sequence[Sequence[int]], other: Sequence[Sequence[int]]) -> Array:
    """One merge list as rows, as long as the longer of two."""
    return np.array([a or (-1, -1) for a, _ in zip_longest(merges, other)], dtype=int).reshape(-1, 2)


def _both(
    texts: Texts, vocab: int, budget: int, counting: str, theirs_count: str = COUNTINGS[1]
) -> tuple[Array, Array]:
    our_merges = enrich(texts, budget, vocab, 2, counting).ngrams
    theirs = train_bpe(texts, budget, vocab, theirs_count)
    return _pairs(our_merges, theirs), _pairs(theirs, our_merges)


BPE_COUNTING = "freq counts all occurrences, as BPE's pair count does"

BPE = identity(
    name="tasc.bpe",
    statement=r"With $n_{\max} = 2$ and no collision limit, Algorithm 1 makes the merges of byte-pair encoding, in the "
    r"same order (of equal counts both take the first pair in the order of ids)",
    reference="TASC, 4.1 (“BPE-inspired”) and App. A",
    instances=_bpe,
    assumes={BPE_COUNTING: lambda counting: counting == COUNTINGS[1]},
    lhs=lambda texts, vocab, budget, counting: _both(texts, vocab, budget, counting)[0],
    rhs=lambda texts, vocab, budget, counting: _both(texts, vocab, budget, counting)[1],
    sources=("exact",),
    outside={BPE_COUNTING: {"texts": [[1, 1, 1, 0]], "vocab": 2, "budget": 1, "counting": COUNTINGS[0]}},
    note="f = freq · 1, so the largest reward is the most frequent pair, and both merge from the left. With the reward "
    "of Eq. 3 as the tokens really saved (non-overlapping), the merges can differ: in b b b a, BPE takes b b (counted "
    "twice), Algorithm 1 b a by the tie rule.",
    printed=Printed(
        place="TASC 4",
        text="The score is used in a BPE-inspired algorithm to iteratively expand the tokenizer vocabulary "
        "with high-scoring n-grams.",
        read="With pairs only and no collision limit it is byte-pair encoding, merge by merge.",
    ),
    broken=[
        broken(
            "non-overlapping pairs are counted",
            instances=lambda draw: {**_bpe(draw), "counting": "non-overlapping"},
            assumes={},
        )
    ],
)


def _corpus(draw: Draw) -> Instance:
    letters = draw.integer(1, 2)
    return {"texts": draw_texts(draw, letters, 0, 5), "vocab": letters, "budget": draw.integer(0, 2)}


BPE_ALL = identity(
    name="tasc.bpe.all-occurrences",
    statement=r"With $n_{\max} = 2$, no collision limit and freq counting every occurrence, Algorithm 1 makes the merges of "
    "byte-pair encoding, in the same order",
    reference="TASC, 4.1 and App. A, freq read as all occurrences",
    instances=_corpus,
    lhs=lambda texts, vocab, budget: _both(texts, vocab, budget, COUNTINGS[1])[0],
    rhs=lambda texts, vocab, budget: _both(texts, vocab, budget, COUNTINGS[1])[1],
    sources=("exact",),
    note="The reading under which tasc.bpe holds; the reward of Eq. 3 is then no count of tokens saved "
    "(tasc.merge-reward.occurrences).",
    broken=[Broken("the printed left side", lambda _: {"lhs": other_claim("tasc.bpe.as-printed").lhs})],
)

BPE_PRINTED = identity(
    name="tasc.bpe.as-printed",
    statement=r"With $n_{\max} = 2$, no collision limit and Eq. 3 as the tokens saved that 4.1 says it is (freq counts "
    "occurrences of which no two overlap), Algorithm 1 makes the merges of byte-pair encoding, in the same order",
    reference="TASC, 4.1 and App. A, freq read as tokens saved",
    instances=_corpus,
    lhs=lambda texts, vocab, budget: _both(texts, vocab, budget, COUNTINGS[0])[0],
    rhs=lambda texts, vocab, budget: _both(texts, vocab, budget, COUNTINGS[0])[1],
    sources=("exact",),
    against=({"texts": [[1, 1, 1, 0]], "vocab": 2, "budget": 1},),
    within=({"texts": [[1, 1, 1, 0]], "vocab": 2, "budget": 1},),
    corrected_by=("tasc.bpe.as-printed-corrected", "tasc.bpe.all-occurrences"),
    note="Byte-pair encoding counts b b twice in b b b, of which one merge is possible.",
)

BPE_PRINTED_CORRECTED = identity(
    name="tasc.bpe.as-printed-corrected",
    statement=r"With $n_{\max} = 2$ and no collision limit, Eq. 3 as tokens saved makes the merges of byte-pair encoding that "
    r"counts a run of $L$ equal tokens as $\lfloor L/2 \rfloor$ pairs",
    reference="correction of TASC, 4.1 and App. A",
    instances=_corpus,
    lhs=lambda texts, vocab, budget: _both(texts, vocab, budget, *[COUNTINGS[0]] * 2)[0],
    rhs=lambda texts, vocab, budget: _both(texts, vocab, budget, *[COUNTINGS[0]] * 2)[1],
    sources=("exact",),
    note="Two different tokens never overlap with themselves; only runs of one token tell the countings apart.",
    broken=[Broken("the printed right side", lambda _: {"rhs": other_claim("tasc.bpe.as-printed").rhs})],
)
