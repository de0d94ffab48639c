"""The Gumbel coupling as a sampler to audit: ``simspec audit simspec.methods.coupling.samplers:gumbel_race``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array
from simspec.methods.coupling.verifiers import race

__all__ = ["gumbel_race"]


def gumbel_race(p: Array, q: Array, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draft and target race with the same exponentials at each position, up to the first with two winners; lossless.

    Parameters
    ----------
    p, q : laws (gamma + 1, V) of the target and (gamma, V) of the draft
    n : int; calls
    rng : where the exponentials come from

    Returns
    -------
    tokens (n, gamma + 1), each row filled up with -1

    >>> sure = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> gumbel_race(sure, sure[1:], 2, np.random.default_rng(0)).tolist()
    [[0, -1], [0, -1]]
    """
    noise = rng.exponential(size=(n, *p.shape))
    own, drafts = race(noise, p), race(noise[:, : len(q)], q)
    missed = np.cumsum(own[:, : len(q)] != drafts, axis=1)
    own[:, 1:][missed > 0] = -1
    return own
