r"""Tokens a target call along a text: where its blocks begin, from the acceptance at each position.

A block begins at a position, keeps drafts at it and the next ones while they are accepted, and ends with one token of the
target.  Which position the next block begins at is a Markov chain whose state is the number of drafts kept so far, so the
probability that a call begins at each position is exact: no coins.  Three answers lie side by side:

* `calls`, positions in the order given, with the correlation that they have;
* `independent`, the formula for independent steps of the mean rate (claim ``sd.block-length``);
* `lasting`, every law lasting much longer than a block: the calls of a token are averaged over the text.

Where laws last, easy stretches have long blocks, therefore few of the calls: the formula is then too high, as calls a token
are a convex function of the rate (it would be too low for the mean over blocks of equal weight, claim of the study
``blocks``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.methods.block import check_gamma, mean_acceptance_length

__all__ = ["calls", "independent", "lasting"]

Floats = NDArray[np.float64]


def calls(
    accepted: Any, gammas: Sequence[int], progress: Callable[[int, int], None] | None = None
) -> NDArray[np.float64]:
    r"""Probability that a target call's block begins at each position of a text, read again and again.

    With :math:`s_j` the probability that j drafts of the open block have been kept, a position of acceptance
    :math:`\alpha` sends :math:`s_{j+1} \leftarrow \alpha s_j` for :math:`j < \gamma` and
    :math:`s_0 \leftarrow (1-\alpha)\sum_{j<\gamma} s_j + s_\gamma`; a call begins with probability :math:`s_0`.
    Tokens a call are one over the mean.

    Parameters
    ----------
    accepted : (n,) or (n, m) numbers in [0, 1]
        acceptance at each position, of m methods; positions in the order of the text.
    gammas : g integers >= 0; drafts per target call
    progress : (positions done, of how many) -> None, optional

    Returns
    -------
    (n, g) or (n, g, m)

    Raises ValueError for rates outside [0, 1], none, or a gamma that is no number of drafts.

    The first lap starts from the chain's law for independent steps and is not counted.

    >>> 1 / calls([0.5, 0.5], [0, 1, 2]).mean(axis=0)
    array([1.  , 1.5 , 1.75])
    >>> 1 / calls([1.0, 0.0], [1]).mean(axis=0)  # an accepted draft, then the target's token: one call for both
    array([2.])
    """
    rates = np.asarray(accepted, dtype=np.float64)
    single = rates.ndim == 1
    rates = rates[:, None] if single else rates
    if rates.ndim != 2 or rates.size == 0 or not ((rates >= 0) & (rates <= 1)).all():
        raise ValueError(f"accepted: shape {np.shape(accepted)}; expected rates between 0 and 1, (n,) or (n, m)")
    for gamma in gammas:
        check_gamma(gamma)
    last = np.asarray(gammas, dtype=np.int64)
    n, methods = rates.shape
    drafts = np.arange(int(last.max()) + 1)
    open_block = drafts[None, :] <= last[:, None]  # (g, states): no block keeps more than its gamma drafts
    state = np.where(open_block[:, None, :], rates.mean(axis=0)[None, :, None] ** drafts, 0)
    state /= state.sum(axis=-1, keepdims=True)
    begins = np.empty((n, len(last), methods))
    blocks = np.arange(begins[0].size).reshape(begins[0].shape)
    places = blocks * len(drafts) + last[:, None]  # of full blocks in a state
    following = np.zeros_like(state)  # not empty: what stands in its first column is multiplied before it is set
    full = np.empty_like(begins[0])
    refused = 1 - rates
    limits = None if open_block.all() else open_block[:, None, :].astype(np.float64)
    for lap in range(2):
        for at in range(n):
            if lap:
                begins[at] = state[:, :, 0]
                if progress is not None and (at + 1) % 256 == 0:
                    progress(at + 1, n)
            state.take(places, out=full, mode="clip")
            np.multiply(state[:, :, :-1], rates[at, :, None], out=following[:, :, 1:])
            if limits is not None:
                following *= limits
            following[:, :, 0] = refused[at] * (1 - full) + full
            state, following = following, state
    return begins[:, :, 0] if single else begins


def independent(accepted: Any, gamma: int) -> Any:
    r"""Tokens a call if every position accepted independently with the mean rate, :math:`\sum_{i \le \gamma} \bar\alpha^i`.

    >>> float(independent([1.0, 0.0], 1))
    1.5
    """
    return mean_acceptance_length(np.asarray(accepted, dtype=np.float64).mean(axis=0), gamma)


def lasting(accepted: Any, gamma: int) -> Any:
    r"""Tokens a call if every law lasted for many blocks, :math:`1 / \mathrm{mean}(1 / \sum_{i \le \gamma} \alpha^i)`.

    At most `independent`: calls a token are convex in the rate.

    >>> round(float(lasting([1.0, 0.0], 1)), 12)
    1.333333333333
    """
    return 1 / (1 / mean_acceptance_length(np.asarray(accepted, dtype=np.float64), gamma)).mean(axis=0)
