"""The audit of a black box: calls on laws that reveal, until the evidence suffices; then the smallest laws that show it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import count

import numpy as np

from simspec.audit.calling import Broken, Sampler, called, continued, counted
from simspec.audit.evidence import Evidence, gather, log_repeat
from simspec.audit.pairs import Pair, revealing
from simspec.audit.report import Finding, Report, Verdict
from simspec.audit.smaller import smaller
from simspec.checks import whole_number
from simspec.laws import Array

__all__ = ["assert_lossless", "audit"]

FIRST = 250
"""Calls of the first look on each pair; each further look doubles them."""
ATTEMPTS = 60
"""Most smaller pairs that are tried."""


class _Trial:
    """Calls on one pair so far; the j-th pair that is ever tried has the share 1/(j (j + 1)) of the false alarm."""

    def __init__(self, sampler: Sampler, pair: Pair, number: int, error: float, seed: int) -> None:
        self.sampler, self.pair = sampler, pair
        self.error = error / (number * (number + 1))
        self.random = [np.random.default_rng([seed, number, purpose]) for purpose in range(2)]
        self.counts = np.zeros((pair.vocab,) * (pair.gamma + 1), dtype=np.int64)
        self.evidence = Evidence()
        self.before: Array | None = None
        self.repeated = 0.0  # logarithm of the stake on a second batch that repeats the first

    @property
    def biased(self) -> bool:
        return self.evidence.biased(self.error)

    def look(self, most: int) -> None:
        """Call as often as before once more, at most `most` times in all, and look."""
        n = min(max(FIRST, self.evidence.calls), most - self.evidence.calls)
        tokens = called(self.sampler, self.pair.p, self.pair.q, n, self.random[0])
        if self.evidence.looks == 1 and self.before is not None:
            self.repeated = log_repeat(self.before, tokens, self.pair.p)
        self.before = tokens
        self.counts += counted(continued(tokens, self.pair.p, self.random[1]), self.pair.vocab)
        self.evidence = gather(self.evidence, self.counts, self.pair.p, self.error, self.repeated)

    def finding(self, fault: str = "") -> Finding:
        evidence = self.evidence
        if self.repeated > -math.log(self.error):
            fault = fault or "returns the same tokens again when it is given other random numbers"
        return Finding(self.pair, evidence.calls, evidence.log_wealth, (evidence.low, evidence.high), fault)


def audit(
    sampler: Sampler,
    gamma: int = 2,
    *,
    vocab: int = 3,
    pairs: Sequence[Pair] | None = None,
    calls: int = 50_000,
    within: float = 0.05,
    error: float = 1e-6,
    seed: int = 0,
) -> Report:
    """Judge a sampler by calling it: is the law of the next gamma + 1 tokens the target's?

    Parameters
    ----------
    sampler : (p, q, n, rng) -> tokens
        n calls that draft and verify on target laws p (gamma + 1, V) and draft laws q (gamma, V), with random numbers
        from the generator rng; returns the emitted tokens, integers (n, gamma + 1), each row filled up with -1.
    gamma, vocab : int; size of the laws tried (smaller ones are tried as well)
    pairs : laws to try in place of `revealing(gamma, vocab)`
    calls : int; most calls on each pair
    within : float; the verdict is lossless where TV is at most this on every pair tried
    error : float; probability that a lossless sampler is ever called biased, however long it is called
    seed : int; of the generators given to the sampler

    Returns
    -------
    Report
        `verdict`: lossless, biased, broken (does not return tokens, raises, changes its input) or undecided.

    Notes
    -----
    Laws depend on the position only, not on the drafted tokens: a sampler that looks up the wrong prefix is not seen.
    A verdict is about the laws that were tried.  A sampler that never returns is not stopped.

    Examples
    --------
    >>> from simspec.audit.reference import speculative
    >>> print(audit(speculative, gamma=1, calls=20_000).verdict)
    lossless
    >>> def uniform(p, q, n, rng):
    ...     return rng.integers(p.shape[1], size=(n, len(p)))
    >>> report = audit(uniform)
    >>> print(report.verdict, report.shown.pair.p.tolist())
    biased [[0.0, 1.0]]
    """
    calls = whole_number("calls", calls, 1, None, "a number of calls that is positive")
    for name, value in (("within", within), ("error", error)):
        if not 0 < value < 1:
            raise ValueError(f"{name}: {value}; expected a number between 0 and 1")
    tried = list(revealing(gamma, vocab) if pairs is None else pairs)
    if not tried:
        raise ValueError("pairs: none; expected at least one pair of laws")
    numbers = count(1)

    def trial(pair: Pair) -> _Trial:
        return _Trial(sampler, pair, next(numbers), error, seed)

    trials = [trial(pair) for pair in tried]
    first, broken = _in_turn(trials, calls)
    spent = sum(t.evidence.calls for t in trials)
    if first is not None:
        caught = first.evidence.calls
        smallest, more = _smallest(first, trial, calls)
        spent += more + _exhausted(first, calls)
        verdict, shown, begun = Verdict.BIASED, smallest.finding(), first.finding()
    elif broken is not None:
        caught, shown = broken[0].evidence.calls, broken[0].finding(broken[1])
        verdict, begun = Verdict.BROKEN, shown
    else:
        worst = max(trials, key=lambda t: t.evidence.high)
        caught, shown = worst.evidence.calls, worst.finding()
        verdict, begun = Verdict.LOSSLESS if worst.evidence.high <= within else Verdict.UNDECIDED, shown
    seen = tuple(t.finding() for t in trials if t.evidence.calls)
    return Report(verdict, shown, begun, caught, seen, spent, within, error)


def _in_turn(trials: Sequence[_Trial], calls: int) -> tuple[_Trial | None, tuple[_Trial, str] | None]:
    """A look on each pair in turn until one shows a bias; else the smallest pair on which the sampler is broken."""
    broken: list[tuple[_Trial, str]] = []
    while not broken and (open_ := [t for t in trials if t.evidence.calls < calls]):
        for one in open_:
            try:
                one.look(calls)
            except Broken as fault:
                broken.append((one, str(fault)))
                continue
            if one.biased:
                return one, None
    return None, min(broken, key=lambda b: (b[0].pair.gamma, b[0].pair.vocab), default=None)


def _smallest(shown: _Trial, trial: Callable[[Pair], _Trial], calls: int) -> tuple[_Trial, int]:
    """The smallest pair found by steps that each still show the bias, called until its TV is known; and the calls made."""
    best, spent, left = shown, 0, iter(range(ATTEMPTS))
    while (found := _first_biased(best.pair, trial, left, calls))[0] is not None:
        best, spent = found[0], spent + found[1]
    return best, spent + found[1] + _exhausted(best, calls)


def _exhausted(one: _Trial, calls: int) -> int:
    """Look until all calls are made, so that the interval for TV is as short as it can be; the calls made."""
    before = one.evidence.calls
    while one.evidence.calls < calls:
        one.look(calls)
    return one.evidence.calls - before


def _first_biased(
    pair: Pair, trial: Callable[[Pair], _Trial], left: Iterator[int], calls: int
) -> tuple[_Trial | None, int]:
    """The first smaller pair on which the bias still shows, and the calls made."""
    spent = 0
    for one_smaller, _ in zip(smaller(pair), left, strict=False):
        one = trial(one_smaller)
        try:
            while not one.biased and one.evidence.calls < calls:
                one.look(calls)
        except Broken:
            continue
        spent += one.evidence.calls
        if one.biased:
            return one, spent
    return None, spent


def assert_lossless(sampler: Sampler, gamma: int = 2, **settings: object) -> None:
    """One line for a test file: AssertionError with the report's words unless the verdict is lossless.

    Parameters as in `audit`.

    >>> from simspec.audit.reference import speculative
    >>> assert_lossless(speculative, gamma=1, calls=20_000)
    """
    report = audit(sampler, gamma, **settings)  # type: ignore[arg-type]
    if report.verdict is not Verdict.LOSSLESS:
        raise AssertionError(report.words())
