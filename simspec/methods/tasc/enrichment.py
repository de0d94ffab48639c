r"""TASC-ft's enrichment: give a tokenizer the n-grams of a task's outputs whose merging shortens them most.

At each step every n-gram of 2 to `n_max` tokens of the corpus as tokenised so far, within texts, gets the merge reward
:math:`f(t^n) = \mathrm{freq}(t^n)\,(n - 1)`; the best one whose prefix-collision score is below the limit becomes a token,
and its occurrences are merged from left to right.  `enrich_naive` says this in the plainest way; `enrich` gives the
same by counting anew only what a merge changes.  What is not here: encoding other texts (`enrich_encode`), statistics of
the result (`enrich_statistics`).

Ties: of equal rewards the n-gram of fewer tokens, then the one that is first in the order of ids.
Frequency: ``"non-overlapping"`` counts the occurrences that a pass from the left would merge, ``"occurrences"`` all of them
(``a a a`` holds ``a a`` once or twice).  Merging is the same in both.
An n-gram that misses the limit is set aside for good, which is what the printed algorithm's ``usedNgrams`` is for; as printed
the set is assigned and never read, so that the same n-gram is the best one for ever (``printed=True`` stops there).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from simspec.checks import whole_number
from simspec.kernels.merges.reference import COUNTINGS, Ngram, count_ngrams, merge_text
from simspec.laws import Scalar
from simspec.methods.tasc.collision import READINGS, Prefixes, collision_score
from simspec.methods.tasc.merging import Texts, checked_texts
from simspec.methods.tasc.queue import Queue

__all__ = ["COUNTINGS", "Enrichment", "Rules", "count_ngrams", "enrich", "enrich_naive", "merge_text"]


class Enrichment(NamedTuple):
    """What an enrichment did: M new tokens, in the order in which they were made.

    `lengths` has one entry more than there are tokens: the corpus's length in tokens before the first merge and after each.
    """

    vocab: int
    """Ids of the base tokenizer; new token i has the id vocab + i."""
    ngrams: tuple[Ngram, ...]
    """What each new token stands for, in ids of the base and of earlier new tokens."""
    ids: tuple[int, ...]
    rewards: tuple[int, ...]
    """Merge reward of each when it was chosen."""
    merged: tuple[int, ...]
    """Occurrences merged."""
    lengths: tuple[int, ...]
    texts: tuple[tuple[int, ...], ...]
    """The corpus at the end."""
    rejected: tuple[tuple[int, Ngram, Fraction], ...]
    """N-grams over the limit: tokens made before, n-gram, score."""
    stop: str
    """Why it ended: "budget", "exhausted" (no n-gram left), "iterations", or "stalled" (printed algorithm only)."""


class Rules(NamedTuple):
    """What an enrichment can be told besides, by name."""

    reading: str = "last"
    """Which collision score, a key of `simspec.methods.tasc.collision.READINGS`."""
    min_count: int = 1
    """N-grams of a lower frequency are no candidates."""
    iterations: int | None = None
    """Most n-grams looked at, taken or not."""
    printed: bool = False
    """Follow the printed algorithm, which takes an n-gram over the limit again for ever: stop there as "stalled"."""
    notify: Callable[[int, int], None] | None = None
    """Called with the tokens made and the corpus's length after each merge (to show progress)."""


def enrich(
    texts: Iterable[Sequence[int]],
    budget: int,
    vocab: int,
    n_max: int = 2,
    counting: str = "non-overlapping",
    collision_limit: Any = None,
    strings: Sequence[str] | None = None,
    **rules: Any,
) -> Enrichment:
    r"""Make up to `budget` tokens of the n-grams with the highest merge reward (TASC, Algorithm 1).

    Parameters
    ----------
    texts : sequences of token ids in [0, vocab); a task's outputs, tokenised by the base tokenizer
    budget : int; M >= 0, new tokens wanted
    vocab : int
    n_max : int; longest n-gram, >= 2
    counting : str; "non-overlapping" or "occurrences": which frequency the reward uses
    collision_limit : number, optional
        an n-gram becomes a token only when its prefix-collision score is below; None sets no limit.
    strings : strings (vocab,), optional; what each token stands for; needed with a limit
    **rules : see `Rules`

    Returns
    -------
    Enrichment
        fewer tokens than the budget when no n-gram is left (`stop`).

    Raises ValueError for an argument outside its domain.

    Time: one pass for the first count, then in proportion to the occurrences merged and the places of their rarest token.
    Memory: about 200 bytes for each distinct n-gram.  Pinned by claims ``tasc.bpe``, ``tasc.termination`` and
    ``tasc.merge-reward``; TASC, equation 3 and Algorithm 1.

    ``0 1`` and ``1 2`` occur twice, the first comes first; then ``3 2`` twice.

    >>> done = enrich([[0, 1, 2, 0, 1, 2]], budget=2, vocab=3)
    >>> done.ngrams, done.rewards, done.lengths, done.texts
    (((0, 1), (3, 2)), (2, 2), (6, 4, 2), ((4, 4),))
    """
    rule = _checked(Rules(**rules), budget, vocab, n_max, counting, collision_limit, strings)
    corpus = Texts(texts, vocab)
    queue = Queue(corpus, n_max, counting, rule.min_count)
    scored = None if collision_limit is None or strings is None else Prefixes(strings, rule.reading)
    log = _Log(vocab, corpus.total, rule.notify)
    stop = "budget"
    while len(log.ngrams) < budget:
        if log.looked() == rule.iterations:
            stop = "iterations"
            break
        ngram, reward = queue.best()
        if not ngram:
            stop = "exhausted"
            break
        score = scored.score(corpus, ngram) if scored else Fraction(0)
        if scored and not score < collision_limit:
            log.rejected.append((len(log.ngrams), ngram, score))
            if rule.printed:
                stop = "stalled"
                break
            continue
        if scored:
            scored.add(scored.strings[ngram[0]][:0].join(scored.strings[t] for t in ngram))
        log.add(ngram, reward, *queue.merge(ngram, vocab + len(log.ngrams)))
    return log.result(corpus.lists(), stop)


def enrich_naive(
    texts: Iterable[Sequence[int]],
    budget: int,
    vocab: int,
    n_max: int = 2,
    counting: str = "non-overlapping",
    collision_limit: Any = None,
    strings: Sequence[str] | None = None,
    **rules: Any,
) -> Enrichment:
    """The same as `enrich`, by counting the whole corpus at each step: the specification.

    >>> enrich_naive([[0, 1, 2, 0, 1, 2]], budget=2, vocab=3).texts
    ((4, 4),)
    """
    rule = _checked(Rules(**rules), budget, vocab, n_max, counting, collision_limit, strings)
    now = checked_texts(texts, vocab)
    names = list(strings or ())
    log = _Log(vocab, sum(map(len, now)), rule.notify)
    used: set[Ngram] = set()
    while len(log.ngrams) < budget:
        if log.looked() == rule.iterations:
            return log.result(now, "iterations")
        counts = count_ngrams(now, n_max, counting)
        eligible = [g for g, n in counts.items() if n >= rule.min_count and g not in used]
        if not eligible:
            return log.result(now, "exhausted")
        best = min(eligible, key=lambda g: (-counts[g] * (len(g) - 1), len(g), g))
        if not rule.printed:
            used.add(best)
        if collision_limit is not None:
            score = collision_score(now, best, names, rule.reading)
            if not score < collision_limit:
                log.rejected.append((len(log.ngrams), best, score))
                if rule.printed:  # nothing has changed, so the next step takes the same n-gram
                    return log.result(now, "stalled")
                continue
            names.append(names[best[0]][:0].join(names[t] for t in best))
        new = vocab + len(log.ngrams)
        now = [merge_text(text, best, new) for text in now]
        log.add(best, counts[best] * (len(best) - 1), sum(text.count(new) for text in now), sum(map(len, now)))
    return log.result(now, "budget")


class _Log:
    """What has been done so far."""

    def __init__(self, vocab: int, length: int, notify: Callable[[int, int], None] | None) -> None:
        self.vocab, self.lengths, self.notify = vocab, [length], notify
        self.ngrams: list[Ngram] = []
        self.rewards: list[int] = []
        self.merged: list[int] = []
        self.rejected: list[tuple[int, Ngram, Fraction]] = []

    def looked(self) -> int:
        return len(self.ngrams) + len(self.rejected)

    def add(self, ngram: Ngram, reward: int, merged: int, length: int) -> None:
        self.ngrams.append(ngram)
        self.rewards.append(reward)
        self.merged.append(merged)
        self.lengths.append(length)
        if self.notify:
            self.notify(len(self.ngrams), length)

    def result(self, texts: Iterable[Sequence[int]], stop: str) -> Enrichment:
        ids = tuple(range(self.vocab, self.vocab + len(self.ngrams)))
        record = (tuple(self.ngrams), ids, tuple(self.rewards), tuple(self.merged), tuple(self.lengths))
        return Enrichment(self.vocab, *record, tuple(map(tuple, texts)), tuple(self.rejected), stop)


def _checked(
    rule: Rules, budget: int, vocab: int, n_max: int, counting: str, limit: Scalar | None, strings: Sequence[str] | None
) -> Rules:
    """Refuse settings that are out of range, and return the rule unchanged."""
    whole_number("budget", budget, 0, None, "a number of tokens >= 0")
    whole_number("n_max", n_max, 2, None, "a length of n-grams >= 2")
    whole_number("min_count", rule.min_count, 1, None, "a frequency >= 1")
    if rule.iterations is not None:
        whole_number("iterations", rule.iterations, 0, None, "a number of steps >= 0, or None")
    if counting not in COUNTINGS:
        raise ValueError(f"counting: {counting!r}; expected one of {', '.join(COUNTINGS)}")
    if rule.reading not in READINGS:
        raise ValueError(f"reading: {rule.reading!r}; expected one of {', '.join(READINGS)}")
    # written so that NaN is refused too
    if limit is not None and not limit >= 0:
        raise ValueError(f"collision_limit: {limit}; expected a share >= 0, or None for no limit")
    if limit is not None and (strings is None or len(strings) != vocab):
        description = "None" if strings is None else f"{len(strings)} strings"
        raise ValueError(
            f"strings: {description}; expected one for each of the {vocab} tokens, which the limit compares"
        )
    return rule
