"""Exact shares of what a step emits of which one part is exchanged, on the probes."""

from __future__ import annotations

import numpy as np

from simspec.audit.diagnosis.observations import Observation, probes

__all__ = ["ONE", "TWO", "first_refusal", "observed", "ratio", "residual"]

ONE = [pair for pair in probes() if pair.gamma == 1]
TWO = [pair for pair in probes() if pair.gamma == 2]


def residual(p, q):
    left = np.maximum(p - q, 0)
    return left / left.sum() if left.any() else p


def ratio(pair, i, x):
    return min(pair.p[i, x] / pair.q[i, x], 1) if pair.q[i, x] else 0


def first_refusal(passes):
    return (*passes, 0).index(0)


def observed(
    pair,
    bonus=lambda pair, drafts: pair.p[-1],
    order=lambda tokens: tokens,
    recover=residual,
    draft=None,
    chance=ratio,
    count=first_refusal,
    stop=lambda pair, drafts: pair.gamma,
    refuse=None,
):
    """Exact shares of speculative decoding, of which each part can be exchanged.

    At most `stop(pair, drafts)` drafts are accepted; the token after a refusal at place i has the law `refuse(pair, i)`.
    """
    ends: dict[tuple[int, ...], float] = {}
    for drafts in np.ndindex(*(pair.vocab,) * pair.gamma):
        rows = [pair.q[i] if draft is None else draft(pair, drafts, i) for i in range(pair.gamma)]
        drawn = np.prod([rows[i][x] for i, x in enumerate(drafts)])
        for passes in np.ndindex(*(2,) * pair.gamma):
            mass = drawn
            for i, x in enumerate(drafts):
                mass *= chance(pair, i, x) if passes[i] else 1 - chance(pair, i, x)
            accepted = min(count(passes), stop(pair, drafts))
            if accepted == pair.gamma:
                law = bonus(pair, drafts)
            else:
                law = refuse(pair, accepted) if refuse else recover(pair.p[accepted], pair.q[accepted])
            for last, share in enumerate(law):
                text = order((*drafts[:accepted], last))
                ends[text] = ends.get(text, 0.0) + mass * share
    return Observation(pair, {text: mass for text, mass in ends.items() if mass > 0})
