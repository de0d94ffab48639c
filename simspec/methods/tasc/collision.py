r"""The prefix-collision score of an n-gram in six readings, for TASC-ft's limit on which n-grams may become tokens.

The paper prints :math:`P\bigl(\bigcup_{t' \in \mathcal V} \mathrm{str}(t_n)` is a prefix of
:math:`\mathrm{str}(t')\bigr)` "over the corpus" and leaves open what is drawn: t' is bound by the union, nothing else is
random.  Its text speaks of the n-gram's suffix, and its example (``in the`` against ``in therapy``) of what else can follow
the same context.  `READINGS` says what each reading counts; all are shares in [0, 1], exact fractions.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from simspec.methods.tasc.merging import Ngram, Texts

__all__ = ["READINGS", "Prefixes", "collision_score"]

READINGS = {
    "last": "share of the corpus's tokens whose string begins with str(t_n), t_n itself included (as printed)",
    "others": "the same without t_n: what it may be mistaken for",
    "vocabulary": "share of the vocabulary's entries whose string begins with str(t_n), each entry counted once",
    "tokens": "share of the corpus's tokens whose string begins with str(t_j ... t_n) for some j >= 2",
    "suffix": "share of the corpus's tokens whose string begins with any proper suffix of str(t_1 ... t_n), cut anywhere",
    "context": "share of the occurrences of t_1 ... t_(n-1) followed by a token other than t_n whose string begins with "
    "str(t_n) (the paper's example)",
}
"""What each reading of the score counts; the corpus is the one tokenised so far."""


def collision_score(
    texts: Sequence[Sequence[int]], ngram: Sequence[int], strings: Sequence[str], reading: str = "last"
) -> Fraction:
    """Prefix-collision score of an n-gram, counted token by token.

    Parameters
    ----------
    texts : sequences of token ids; the corpus as it is tokenised now, at least one token
    ngram : token ids, at least two
    strings : strings (V,); what each token stands for, str or bytes
    reading : str; a key of `READINGS`

    Raises ValueError for an unknown reading, a corpus without tokens, or an n-gram whose context never occurs
    ("context").

    ``in`` is followed by ``the`` twice and by ``therapy`` once.

    >>> texts, strings = [[0, 1], [0, 1], [0, 2]], ["in", "the", "therapy"]
    >>> [str(collision_score(texts, (0, 1), strings, r)) for r in ("last", "others", "context")]
    ['1/2', '1/6', '1/3']
    """
    if reading not in READINGS:
        raise ValueError(f"reading: {reading!r}; expected one of {', '.join(READINGS)}")
    last = ngram[-1]
    if reading == "vocabulary":
        return Fraction(sum(s.startswith(strings[last]) for s in strings), len(strings))
    ends = _ends([strings[t] for t in ngram], reading)
    if reading == "context":
        n = len(ngram)
        places = [(x, i) for x in texts for i in range(len(x)) if tuple(x[i : i + n - 1]) == tuple(ngram[:-1])]
        continuations = [x[i + n - 1] if i + n - 1 < len(x) else None for x, i in places]
    else:
        continuations = [t for x in texts for t in x]
    if not continuations:
        raise ValueError(f"texts: {len(texts)} without a token to count; expected an n-gram's own corpus")
    itself = reading in ("last", "tokens", "suffix")
    hits = sum(
        t is not None and (itself or t != last) and any(strings[t].startswith(e) for e in ends) for t in continuations
    )
    return Fraction(hits, len(continuations))


def _ends(strings: Sequence[str], reading: str) -> list[str]:
    """The ends of an n-gram's string that collide with a token which begins with one of them."""
    if reading == "tokens":
        return [strings[0][:0].join(strings[j:]) for j in range(1, len(strings))]
    if reading == "suffix":
        joined = strings[0][:0].join(strings)
        return [joined[k:] for k in range(1, len(joined))]
    return [strings[-1]]


class Prefixes:
    """A vocabulary's strings in order: which tokens begin with a string is one slice.

    Parameters
    ----------
    strings : strings (V,), str or bytes
    reading : str; a key of `READINGS`, the score that `score` gives

    >>> vocabulary = Prefixes(["in", "the", "therapy"], "others")
    >>> str(vocabulary.score(Texts([[0, 1], [0, 1], [0, 2]], vocab=3), (0, 1)))
    '1/6'
    """

    def __init__(self, strings: Sequence[str], reading: str) -> None:
        if len({type(s) for s in strings} - {str, bytes}) or len({type(s) for s in strings}) > 1:
            raise ValueError("strings: of mixed or other types; expected all str or all bytes")
        self.strings, self.reading = list(strings), reading
        self._order = np.array(sorted(range(len(strings)), key=strings.__getitem__), dtype=np.int64)
        self._sorted = [strings[i] for i in self._order]

    def add(self, string: str) -> None:
        """Take in the string of the next token id."""
        at = bisect_left(self._sorted, string)
        self._sorted.insert(at, string)
        self._order = np.insert(self._order, at, len(self.strings))
        self.strings.append(string)

    def beginning(self, start: str) -> slice:
        """Slice of the ordered strings that begin with `start`."""
        n = len(start)
        return slice(bisect_left(self._sorted, start), bisect_right(self._sorted, start, key=lambda s: s[:n]))

    def score(self, texts: Texts, ngram: Ngram) -> Fraction:
        """The score that `collision_score` counts, from the token counts of `texts`."""
        last = ngram[-1]
        if self.reading == "vocabulary":
            same = self.beginning(self.strings[last])
            return Fraction(same.stop - same.start, len(self.strings))
        if self.reading == "context":
            places = texts.find(ngram[:-1], overlapping=True)
            following = texts.follow(places, len(ngram))[:, -1]
            following = following[(following >= 0) & (following != last)]
            ids, times = np.unique(following, return_counts=True)
            start = self.strings[last]
            hits = sum(int(n) for t, n in zip(ids, times, strict=True) if self.strings[t].startswith(start))
            return Fraction(hits, len(places))
        is_hit = np.zeros(len(self.strings), dtype=bool)
        for end in _ends([self.strings[t] for t in ngram], self.reading):
            is_hit[self.beginning(end)] = True
        ids = self._order[is_hit]
        if self.reading == "others":
            ids = ids[ids != last]
        return Fraction(int(texts.counts[ids].sum()), texts.total)
