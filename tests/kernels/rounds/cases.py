"""Laws that rounds are tried on."""

import numpy as np


def pair(states, vocab, seed=0, like=0.5):
    """Laws with zeros, ties and point masses among them."""
    rng = np.random.default_rng([seed, states, vocab])
    q = rng.dirichlet(np.full(vocab, 0.5), states)
    p = like * q + (1 - like) * rng.dirichlet(np.full(vocab, 0.5), states)
    p[rng.random(p.shape) < 0.2] = 0
    q[rng.random(q.shape) < 0.2] = 0
    p[~p.any(axis=1), 0] = q[~q.any(axis=1), 0] = 1
    return p, q
