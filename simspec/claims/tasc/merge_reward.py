"""`tasc.merge-reward`, with its readings and its correction: TASC, Eq. 3.

Instances are small corpora of token ids; an n-gram is merged by the code that users run (`simspec.methods.tasc.enrichment`), and
counted here in another way.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from simspec.claims.authoring import Draw, F, Instance, at_least, bound, identity
from simspec.claims.claim import Printed
from simspec.claims.tasc.parts import Texts, some_ngram
from simspec.methods.tasc.enrichment import merge_text

__all__ = ["run_of"]


def _shortened(texts: Texts, ngram: Sequence[int]) -> int:
    """Tokens saved by merging an n-gram."""
    return sum(len(text) - len(merge_text(text, ngram, -1)) for text in texts)


def _places(text: Sequence[int], ngram: Sequence[int]) -> list[int]:
    n = len(ngram)
    return [i for i in range(len(text) - n + 1) if list(text[i : i + n]) == list(ngram)]


def _most_disjoint(text: Sequence[int], ngram: Sequence[int]) -> int:
    """Largest number of occurrences of which no two share a token, by trying to take and to leave each."""
    places = _places(text, ngram)
    best = [0] * (len(places) + 1)
    for i in reversed(range(len(places))):
        after = next((j for j in range(i + 1, len(places)) if places[j] >= places[i] + len(ngram)), len(places))
        best[i] = max(best[i + 1], 1 + best[after])
    return best[0]


def _occurrences(texts: Texts, ngram: Sequence[int]) -> int:
    return sum(len(_places(text, ngram)) for text in texts)


SENTENCE = Printed(
    place="TASC 4.1, Eq. 3",
    text="its expected contribution to sequence-length reduction",
    read="As the exact reduction, with frequency counting all occurrences, or those that do not overlap.",
)

OCCURRENCES = identity(
    name="tasc.merge-reward.occurrences",
    statement=r"Merging $t^n$ shortens the corpus by $f(t^n) = \mathrm{freq}(t^n)\,(n - 1)$ tokens, freq counting all "
    r"occurrences",
    reference="TASC, Eq. 3",
    instances=some_ngram,
    lhs=_shortened,
    rhs=lambda texts, ngram: _occurrences(texts, ngram) * (len(ngram) - 1),
    sources=("exact",),
    within=({"texts": [[0, 0, 0, 1]], "ngram": [0, 0]},),
    corrected_by=("tasc.merge-reward.occurrences-corrected", "tasc.merge-reward.non-overlapping"),
    note="Occurrences that overlap cannot both be merged: a a a holds a a twice and loses one token.",
    printed=SENTENCE,
)

OCCURRENCES_CORRECTED = bound(
    name="tasc.merge-reward.occurrences-corrected",
    statement=r"With freq counting all occurrences, merging $t^n$ shortens the corpus by at most "
    r"$\mathrm{freq}(t^n)(n-1)$ and at least $\mathrm{freq}(t^n)(n-1)/n$ tokens",
    reference="correction of TASC, Eq. 3",
    instances=some_ngram,
    lhs=lambda texts, ngram: np.array([-_shortened(texts, ngram), _shortened(texts, ngram)]) + F(0),
    rhs=lambda texts, ngram: np.array([-1, F(1, len(ngram))]) * _occurrences(texts, ngram) * (len(ngram) - 1),
    relation=at_least,
    sources=("exact",),
    tight=({"texts": [[0, 1]], "ngram": [0, 1]}, {"texts": [[0] * 5], "ngram": [0, 0, 0]}),
    note="A merged occurrence hides at most the n − 1 that begin inside it. Both ends are attained: "
    "tasc.merge-reward.occurrences-corrected.most and .least.",
)

NON_OVERLAPPING = identity(
    name="tasc.merge-reward.non-overlapping",
    statement=r"Merging $t^n$ from the left shortens the corpus by $\mathrm{freq}(t^n)\,(n - 1)$ tokens, freq being the "
    r"largest number of occurrences of which no two overlap",
    reference="TASC, Eq. 3",
    instances=some_ngram,
    lhs=_shortened,
    rhs=lambda texts, ngram: sum(_most_disjoint(text, ngram) for text in texts) * (len(ngram) - 1),
    sources=("exact",),
    note="Merging from the left takes the occurrence that ends first, then the first that begins after it: no choice "
    "fits more.",
    printed=SENTENCE,
)

DISJOINT = "no two occurrences overlap"


def _disjoint(texts: Texts, ngram: Sequence[int]) -> bool:
    return all(b - a >= len(ngram) for text in texts for a, b in pairwise(_places(text, ngram)))


def _apart(draw: Draw) -> Instance:
    """Texts of some occurrences of an n-gram, each followed by a token that is none of its own."""
    ngram = [draw.integer(0, 1) for _ in range(draw.integer(2, 3))]
    pieces = [[*(ngram if draw.integer(0, 1) else [draw.integer(0, 1)]), 2] for _ in range(draw.integer(1, 4))]
    return {"texts": [[token for piece in pieces for token in piece], [2, *ngram]], "ngram": ngram}


MOST = identity(
    name="tasc.merge-reward.occurrences-corrected.most",
    statement=r"Where no two occurrences of $t^n$ overlap, merging it shortens the corpus by $\mathrm{freq}(t^n)(n-1)$ tokens, "
    r"freq counting all occurrences",
    reference="own statement, an extremal case of TASC, Eq. 3",
    instances=_apart,
    assumes={DISJOINT: _disjoint},
    lhs=_shortened,
    rhs=lambda texts, ngram: _occurrences(texts, ngram) * (len(ngram) - 1),
    outside={DISJOINT: {"texts": [[0, 0, 0]], "ngram": [0, 0]}},
    tight=({"texts": [[0, 1]], "ngram": [0, 1]},),
    sources=("exact",),
)


def run_of(n: int, copies: int) -> Texts:
    """So many texts of 2n − 1 equal tokens.

    >>> run_of(2, 1)
    [[0, 0, 0]]
    """
    return [[0] * (2 * n - 1)] * copies


LEAST = identity(
    name="tasc.merge-reward.occurrences-corrected.least",
    statement=r"Merging $n$ equal tokens in texts of $2n - 1$ of them shortens the corpus by $\mathrm{freq}(t^n)(n-1)/n$ tokens, "
    r"freq counting all occurrences, for every $n \ge 2$",
    reference="own statement, an extremal case of TASC, Eq. 3",
    instances=lambda draw: {"n": draw.integer(2, 6), "copies": draw.integer(1, 4)},
    lhs=lambda n, copies: F(_shortened(run_of(n, copies), [0] * n)),
    rhs=lambda n, copies: _occurrences(run_of(n, copies), [0] * n) * F(n - 1, n),
    sources=("exact",),
    note="Each text has n occurrences, one of which is merged.",
)
