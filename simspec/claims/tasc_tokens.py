"""Claims about TASC-ft's enrichment (§4.1): merge rewards and Algorithm 1.

Instances are small corpora of token ids; an n-gram is merged by the code that users run (`simspec.methods.enrich`), and
counted here in another way.  With those of `tasc_merged` (entropy of tokens) and `tasc_encoding` (encoding, new rows).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import zip_longest
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_least, at_most, equal
from simspec.claims.draw import Draw
from simspec.claims.tasc_encoding import CLAIMS as ENCODING
from simspec.claims.tasc_merged import CLAIMS as ENTROPY
from simspec.claims.tasc_merged import Texts, draw_texts, some_ngram
from simspec.laws import Array
from simspec.methods.enrich import COUNTINGS, Enrichment, count_ngrams, enrich, enrich_naive, merge_text
from simspec.methods.enrich_collision import collision_score
from simspec.methods.enrich_encode import train_bpe

__all__ = ["CLAIMS"]

# --- merge rewards --------------------------------------------------------------------------------------------------


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


OCCURRENCES = Claim(
    name="tasc.merge-reward.occurrences",
    kind="identity",
    statement=r"Merging $t^n$ shortens the corpus by $f(t^n) = \mathrm{freq}(t^n)\,(n - 1)$ tokens, freq counting all "
    r"occurrences",
    reference="TASC, Eq. 3",
    instances=some_ngram,
    lhs=_shortened,
    rhs=lambda texts, ngram: _occurrences(texts, ngram) * (len(ngram) - 1),
    relation=equal,
    sources=("exact",),
    corrected_by=("tasc.merge-reward.occurrences-corrected", "tasc.merge-reward.non-overlapping"),
    note="Occurrences that overlap cannot both be merged: a a a holds a a twice and loses one token.",
)

OCCURRENCES_CORRECTED = Claim(
    name="tasc.merge-reward.occurrences-corrected",
    kind="bound",
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

NON_OVERLAPPING = Claim(
    name="tasc.merge-reward.non-overlapping",
    kind="identity",
    statement=r"Merging $t^n$ from the left shortens the corpus by $\mathrm{freq}(t^n)\,(n - 1)$ tokens, freq being the "
    r"largest number of occurrences of which no two overlap",
    reference="TASC, Eq. 3",
    instances=some_ngram,
    lhs=_shortened,
    rhs=lambda texts, ngram: sum(_most_disjoint(text, ngram) for text in texts) * (len(ngram) - 1),
    relation=equal,
    sources=("exact",),
    note="Merging from the left takes the occurrence that ends first, then the first that begins after it: no choice "
    "fits more.",
)

# --- Algorithm 1 ----------------------------------------------------------------------------------------------------


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


def _both(texts: Texts, vocab: int, budget: int, counting: str) -> tuple[Array, Array]:
    ours = enrich(texts, budget, vocab, 2, counting).ngrams
    theirs = train_bpe(texts, budget, vocab)
    return _pairs(ours, theirs), _pairs(theirs, ours)


BPE_COUNTING = "freq counts all occurrences, as BPE's pair count does"

BPE = Claim(
    name="tasc.bpe",
    kind="identity",
    statement=r"With $n_{\max} = 2$ and no collision limit, Algorithm 1 makes the merges of byte-pair encoding, in the "
    r"same order (of equal counts both take the first pair in the order of ids)",
    reference="TASC, §4.1 (“BPE-inspired”) and App. A",
    instances=_bpe,
    assumes={BPE_COUNTING: lambda counting: counting == COUNTINGS[1]},
    lhs=lambda texts, vocab, budget, counting: _both(texts, vocab, budget, counting)[0],
    rhs=lambda texts, vocab, budget, counting: _both(texts, vocab, budget, counting)[1],
    relation=equal,
    sources=("exact",),
    outside={BPE_COUNTING: {"texts": [[1, 1, 1, 0]], "vocab": 2, "budget": 1, "counting": COUNTINGS[0]}},
    note="f = freq · 1, so the largest reward is the most frequent pair, and both merge from the left. With the reward "
    "of Eq. 3 as the tokens really saved (non-overlapping), the merges can differ: in b b b a, BPE takes b b (counted "
    "twice), Algorithm 1 b a by the tie rule.",
)


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

TERMINATION = Claim(
    name="tasc.termination",
    kind="procedure",
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
    corrected_by=("tasc.termination-corrected",),
    note="Two faults. The algorithm never reads usedNgrams: when the best n-gram misses the limit nothing changes, the "
    "next step takes it again, and it does not end. And merging uses candidates up: a b c has the three n-grams a b, b "
    "c, a b c, the longest is merged, and no second token can be made, with or without a limit.",
)


def _looked(done: Enrichment) -> int:
    return len(done.ngrams) + len(done.rejected)


def _most_looks(texts: Texts, budget: int, n_max: int) -> int:
    """M tokens, and at most every n-gram of every stage rejected."""
    return budget + (budget + 1) * (n_max - 1) * sum(map(len, texts))


def _corrected(texts: Texts, vocab: int, budget: int, n_max: int, limit: F | None) -> Array:
    most = _most_looks(texts, budget, n_max)
    done = enrich(texts, budget, vocab, n_max, COUNTINGS[1], limit, _letters(vocab), iterations=most + 1)
    return np.array([len(done.ngrams), len(done.ngrams), int(done.stop in ("budget", "exhausted")), -_looked(done)])


def _floors(texts: Texts, budget: int, n_max: int, limit: F | None) -> Array:
    """Tokens made at least without a limit: by the longest text, and for n_max = 2 by the pairs; that it ends; and when."""
    most = -_most_looks(texts, budget, n_max)
    if limit is not None:
        return np.array([0, 0, 1, most])
    length, steps = max(map(len, texts)), 0
    while n_max**steps < length:
        steps += 1
    pairs = len({pair for text in texts for pair in zip(text, text[1:], strict=False)})
    return np.array([min(budget, steps), min(budget, pairs) if n_max == 2 else 0, 1, most])


TERMINATION_CORRECTED = Claim(
    name="tasc.termination-corrected",
    kind="bound",
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
)


def _steps(draw: Draw) -> Instance:
    letters = draw.integer(1, 4)
    texts = draw_texts(draw, letters, 0, 8)
    return {
        **{"texts": texts, "vocab": letters, "n_max": draw.integer(2, 4), "counting": COUNTINGS[draw.integer(0, 1)]},
        **{"limit": None, "strings": None, "reading": "last"},
    }


def _rewards(texts: Texts, vocab: int, n_max: int, counting: str, limit: Any, strings: Any, reading: str) -> Array:
    """Rewards of up to six steps, and 0 for a step that finds nothing where there are fewer than two."""
    rewards = enrich(texts, 6, vocab, n_max, counting, limit, strings, reading).rewards
    return np.array([*rewards, *[0] * (2 - len(rewards))], dtype=int)


_ABC: dict[str, Any] = {
    **{"texts": [[0, 1, 2]], "vocab": 3, "n_max": 2, "counting": COUNTINGS[0]},
    **{"limit": None, "strings": None, "reading": "last"},
}
_REFUSED: dict[str, Any] = {**_ABC, "n_max": 3, "vocab": 2, "strings": ["b", "ba"], "reading": "others"}
NO_LIMIT = "there is no collision limit"

DECREASING = Claim(
    name="tasc.reward-decreasing",
    kind="bound",
    statement=r"The best merge reward does not rise from one step to the next, whichever way frequency is counted",
    reference="TASC, §6.1 (diminishing returns)",
    instances=_steps,
    assumes={NO_LIMIT: lambda limit: limit is None},
    lhs=lambda **x: _rewards(**x)[1:],
    rhs=lambda **x: _rewards(**x)[:-1],
    relation=at_most,
    sources=("exact",),
    tight=(_ABC,),
    outside={NO_LIMIT: {**_REFUSED, "texts": [[1, 1, 0, 0]], "limit": F(1, 2)}},
    corrected_by=("tasc.reward-decreasing-sharp",),
    note="An n-gram of the next step spans at least n tokens of this one; the same n of them in each of its occurrences "
    "are an n-gram that occurred here at least as often, disjoint where the occurrences were. It had its reward already, "
    "and the best was no smaller. With a limit that window may have been refused.",
)

DECREASING_SHARP = Claim(
    name="tasc.reward-decreasing-sharp",
    kind="bound",
    statement=r"The $i$-th reward, non-overlapping, is at most $(N - D)/i$ in a corpus of $N$ tokens in $D$ texts "
    r"that are not empty",
    reference="own statement, sharpening TASC, §6.1",
    instances=lambda draw: {**_steps(draw), "counting": COUNTINGS[0]},
    assumes={NO_LIMIT: lambda limit: limit is None},
    lhs=lambda **x: _rewards(**x),
    rhs=lambda texts, **x: np.array(
        [F(sum(max(0, len(t) - 1) for t in texts), i + 1) for i in range(len(_rewards(texts=texts, **x)))]
    ),
    relation=at_most,
    sources=("exact",),
    tight=(_ABC,),
    outside={NO_LIMIT: {**_REFUSED, "texts": [[1, 1, 0, 0]], "limit": F(1, 2)}},
    note="Rewards do not rise (tasc.reward-decreasing), and the first i of them together shorten texts that keep a token "
    "each. Empty texts do not count.",
)

CLAIMS = (
    OCCURRENCES,
    OCCURRENCES_CORRECTED,
    NON_OVERLAPPING,
    BPE,
    TERMINATION,
    TERMINATION_CORRECTED,
    DECREASING,
    DECREASING_SHARP,
    *ENTROPY,
    *ENCODING,
)
