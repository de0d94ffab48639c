"""The audit of a sampler whose uniforms are arguments: its exact law, from its own code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from simspec.audit.calling import Broken, CoinSampler
from simspec.audit.emitted import coins_of, emitted
from simspec.audit.pairs import Pair, revealing
from simspec.audit.report import Finding, Report, Verdict
from simspec.audit.smaller import smaller
from simspec.checks import whole_number
from simspec.laws import Array

__all__ = ["exact"]

ATTEMPTS = 60
"""Most smaller pairs that are tried."""
Drawn = Callable[[Array], Array]


def exact(
    sampler: CoinSampler,
    gamma: int = 2,
    *,
    vocab: int = 3,
    pairs: Sequence[Pair] | None = None,
    coins: int | Callable[[int], int] = coins_of,
    drawn: Drawn | None = None,
    within: float = 0.05,
    seed: int = 0,
) -> Report:
    """Judge a sampler by its exact law: every cut of every coin is found in its own code.

    Parameters
    ----------
    sampler : (p, q, drafts, coins) -> tokens
        n calls that verify drafts (n, gamma) with uniforms coins (n, C), float64 in [0, 1), on target laws
        p (gamma + 1, V) and draft laws q (gamma, V), all in one launch; row i of what it returns depends on row i of
        drafts and coins only.  Returns the emitted tokens, integers (n, gamma + 1), each row filled up with -1.
    gamma, vocab : int; size of the laws tried (smaller ones are tried as well); up to 4 and 6 take seconds
    pairs : laws to try in place of `revealing(gamma, vocab)`
    coins : int, or gamma -> int; C, uniforms of a call, those that a call does not need included; 2 gamma + 1 by default
    drawn : draft laws q -> laws from which the drafts really come, where the sampler is told others
    within : float; where TV is known as an interval only, lossless means at most this
    seed : int; of the points that are tried

    Returns
    -------
    Report
        `shown.emitted.facts` holds the law as emitted, TV, acceptance and lengths, as fractions;
        `shown.emitted.width` how far TV may be off where a cut was not recognised as a fraction.

    Notes
    -----
    Cells of coins narrower than about 1/16, which begin and end at no place that the laws suggest, may be overlooked;
    random calls bound their mass (`unseen`).

    Examples
    --------
    >>> def fresh(p, q, drafts, coins):  # after a refusal draw from p
    ...     kept = coins[:, 0] * q[0, drafts[:, 0]] < p[0, drafts[:, 0]]
    ...     def draw(law, u):
    ...         return (u[:, None] >= law.cumsum()).sum(axis=1)
    ...     first = np.where(kept, drafts[:, 0], draw(p[0], coins[:, 1]))
    ...     return np.stack([first, np.where(kept, draw(p[1], coins[:, 1]), -1)], axis=1)
    >>> import numpy as np
    >>> report = exact(fresh, gamma=1, vocab=2, pairs=revealing(1, 2, edges=False))
    >>> print(report.verdict, report.first.emitted.facts.tv, report.shown.emitted.facts.tv)
    biased 1/8 1/4
    """
    whole_number("seed", seed, 0, None, "an integer that is not negative")
    tried = list(revealing(gamma, vocab) if pairs is None else pairs)
    if not tried:
        raise ValueError("pairs: none; expected at least one pair of laws")

    def found(pair: Pair) -> Finding:
        number = coins if isinstance(coins, int) else coins(pair.gamma)
        own = None if drawn is None else drawn(pair.q)
        try:
            all_ = emitted(sampler, pair, number, own, seed=seed)
        except Broken as fault:
            return Finding(pair, 0, 0.0, (0.0, 1.0), str(fault))
        return Finding(pair, all_.calls, 0.0, all_.tv, "", all_)

    return _judged(tried, found, within)


def _judged(tried: Sequence[Pair], found: Callable[[Pair], Finding], within: float) -> Report:
    """The report on pairs tried in turn until one shows a bias."""
    seen: list[Finding] = []
    for pair in tried:
        seen.append(found(pair))
        if _biased(seen[-1]):
            break
    first, calls = seen[-1], sum(finding.calls for finding in seen)
    if _biased(first):
        shown, more = _smallest(first, found)
        return Report(Verdict.BIASED, shown, first, first.calls, tuple(seen), calls + more, within, 0.0)
    if broken := [finding for finding in seen if finding.fault]:
        shown = min(broken, key=lambda finding: (finding.pair.gamma, finding.pair.vocab))
        return Report(Verdict.BROKEN, shown, shown, 0, tuple(seen), calls, within, 0.0)
    worst = max(seen, key=lambda finding: finding.tv[1])
    verdict = Verdict.LOSSLESS if worst.tv[1] <= within else Verdict.UNDECIDED
    return Report(verdict, worst, worst, worst.calls, tuple(seen), calls, within, 0.0)


def _biased(finding: Finding) -> bool:
    return finding.emitted is not None and finding.tv[0] > 0


def _smallest(shown: Finding, found: Callable[[Pair], Finding]) -> tuple[Finding, int]:
    """The smallest pair found by steps that each still show the bias, and the calls made."""
    best, spent, left = shown, 0, iter(range(ATTEMPTS))

    def next_(pair: Pair) -> Iterator[Finding]:
        for one in islice(smaller(pair), ATTEMPTS):
            if next(left, None) is None:
                return
            yield found(one)

    while True:
        for one in next_(best.pair):
            spent += one.calls
            if _biased(one):
                best = one
                break
        else:
            return best, spent
