"""`tasc.merge-reward`, with its readings and its correction: TASC, Eq. 3.

Instances are small corpora of token ids; an n-gram is merged by the code that users run (`simspec.methods.tasc.enrichment`), and
counted here in another way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspec.claims.tasc.parts import Texts, some_ngram
from simspec.claims.words import F, at_least, bound, identity
from simspec.methods.tasc.enrichment import merge_text


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
)

OCCURRENCES_CORRECTED = bound(
    name="tasc.merge-reward.occurrences-corrected",
    statement=r"With freq counting all occurrences, merging $t^n$ shortens the corpus by at most "
    r"$\mathrm{freq}(t^n)(n-1)$ and at least $\mathrm{freq}(t^n)(n-1)/n$ tokens; both are attained",
    reference="correction of TASC, Eq. 3",
    instances=some_ngram,
    lhs=lambda texts, ngram: np.array([-_shortened(texts, ngram), _shortened(texts, ngram)]) + F(0),
    rhs=lambda texts, ngram: np.array([-1, F(1, len(ngram))]) * _occurrences(texts, ngram) * (len(ngram) - 1),
    relation=at_least,
    sources=("exact",),
    tight=({"texts": [[0, 1]], "ngram": [0, 1]}, {"texts": [[0] * 5], "ngram": [0, 0, 0]}),
    note="A merged occurrence hides at most the n − 1 that begin inside it. Equality above exactly when no two "
    "occurrences overlap.",
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
)
