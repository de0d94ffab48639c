"""Samplers whose coins are arguments: speculative decoding, and what can be wrong with it."""

from __future__ import annotations

import numpy as np


def drawn(law, u):
    sums = law.cumsum()
    return (u[:, None] * sums[-1] >= sums).sum(axis=1)


def speculative(p, q, drafts, coins, residual=True):
    """Coin i tests draft i, the last coin draws the last token."""
    n, gamma = drafts.shape
    tokens, alive = np.full((n, gamma + 1), -1), np.ones(n, dtype=bool)
    for i in range(gamma + 1):
        kept, left = np.zeros(n, dtype=bool), p[i]
        if i < gamma:
            x = drafts[:, i]
            kept = alive & (coins[:, i] * q[i, x] < p[i, x])
            tokens[kept, i] = x[kept]
            rest = np.maximum(p[i] - q[i], 0)
            left = rest if residual and rest.any() else p[i]
        refused = alive & ~kept
        tokens[refused, i] = drawn(left, coins[refused, -1])
        alive = kept
    return tokens


def single(p, q, drafts, coins):
    """All in single precision."""
    return speculative(p.astype(np.float32), q.astype(np.float32), drafts, coins.astype(np.float32))


def fresh(p, q, drafts, coins):
    """After a refusal a draw from p."""
    return speculative(p, q, drafts, coins, residual=False)


def zero(p, q, drafts, coins):
    """The coins of the tests are 0."""
    return speculative(p, q, drafts, np.concatenate([0 * coins[:, :-1], coins[:, -1:]], axis=1))


def shared(p, q, drafts, coins):
    """One coin for everything."""
    return speculative(p, q, drafts, np.broadcast_to(coins[:, :1], coins.shape))


def closed(p, q, drafts, coins):
    """A draft that the target never says is kept where its coin is exactly 0."""
    tokens = speculative(p, q, drafts, coins)
    for i in range(drafts.shape[1]):
        x = drafts[:, i]
        kept = (coins[:, i] == 0) & (p[i, x] == 0) & (tokens[:, :i] == drafts[:, :i]).all(axis=1)
        tokens[kept, i] = x[kept]
    return tokens


def unseeded(p, q, drafts, coins):
    """Other coins than those it is given."""
    return speculative(p, q, drafts, np.random.default_rng().random(coins.shape))


def by_place(p, q, drafts, coins):
    """The first call of a batch is another than the same call at a later place."""
    tokens = speculative(p, q, drafts, coins)
    tokens[0, 0] = 0
    tokens[0, 1:] = -1
    return tokens
