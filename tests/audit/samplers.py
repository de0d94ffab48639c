"""Samplers that break the rules of the form, one each; each is broken on any laws."""

from __future__ import annotations

import numpy as np

from simspec.audit.reference import speculative


def raises(p, q, n, rng):
    raise KeyError("row")


def beyond(p, q, n, rng):
    return np.full((n, len(p)), p.shape[1])


def below(p, q, n, rng):
    return np.full((n, len(p)), -2)


def another_shape(p, q, n, rng):
    return speculative(p, q, n, rng)[:, None]


def too_many(p, q, n, rng):
    """A token more than drafts and a bonus."""
    return np.zeros((n, len(p) + 1), dtype=int)


def too_few_calls(p, q, n, rng):
    return speculative(p, q, n, rng)[1:]


def ragged(p, q, n, rng):
    return [[0] * (1 + i % 2) for i in range(n)]


def leaves_its_thread(p, q, n, rng):
    raise SystemExit(3)


def changes_q(p, q, n, rng):
    q[...] = 0
    q.shape = (-1,)
    return np.zeros((n, len(p)), dtype=int)


def not_a_number(p, q, n, rng):
    return speculative(p, q, n, rng) * np.nan


def floats(p, q, n, rng):
    return speculative(p, q, n, rng).astype(float)


def nothing(p, q, n, rng):
    return None


def empty(p, q, n, rng):
    return np.full((n, len(p)), -1)


def changes_p(p, q, n, rng):
    p[:] = p[::-1] / 2
    return np.zeros((n, len(p)), dtype=int)


def gap(p, q, n, rng):
    """Breaks only where there are two drafts."""
    tokens = speculative(p, q, n, rng)
    if tokens.shape[1] == 3:
        tokens[:, 1], tokens[:, 2] = -1, 0
    return tokens


def only_two_drafts(p, q, n, rng):
    if len(q) != 2:
        raise ValueError(f"{len(q)} drafts; expected 2")
    return speculative(p, q, n, rng)


def stale_row(p, q, n, rng):
    """Verifies every position against row 0: biased."""
    return speculative(np.broadcast_to(p[:1], p.shape), q, n, rng)


def frozen(p, q, n, rng):
    """Ignores the generator that it is given: every look sees the calls of the first again."""
    return speculative(p, q, n, np.random.default_rng(7))
