r"""Tokens a target call along a text: where its blocks begin, from the acceptance at each position.

Which position the next block begins at is a Markov chain (`simspec.methods.steps`), so the probability that a call begins at
each position is exact: nothing is drawn.  Three answers lie side by side:

* `calls`, positions in the order given, with the correlation that they have;
* `independent`, the formula for independent steps of the mean rate (claim ``sd.block-length``);
* `lasting`, every law lasting much longer than a block: the calls of a token are averaged over the text.

Where laws last, easy stretches have long blocks, therefore few of the calls: the formula is then too high, as calls a token
are a convex function of the rate (it would be too low for the mean over blocks of equal weight, claim of the study
``blocks``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.methods.block import check_gamma, mean_acceptance_length
from simspec.methods.steps import step_starts, survived_steps

__all__ = ["calls", "independent", "lasting"]


def calls(accepted: Any, gammas: Sequence[int]) -> NDArray[np.float64]:
    r"""Probability that a target call's block begins at each position of a text, read again and again.

    Tokens a call are one over the mean.

    Parameters
    ----------
    accepted : (n,) or (n, m) numbers in [0, 1]
        acceptance at each position, of m methods; positions in the order of the text.
    gammas : g integers >= 0; drafts per target call

    Returns
    -------
    (n, g) or (n, g, m)

    Raises ValueError for rates outside [0, 1], none, or a gamma that is no number of drafts.

    >>> 1 / calls([0.5, 0.5], [0, 1, 2]).mean(axis=0)
    array([1.  , 1.5 , 1.75])
    >>> 1 / calls([1.0, 0.0], [1]).mean(axis=0)  # an accepted draft, then the target's token: one call for both
    array([2.])
    """
    rates = np.asarray(accepted, dtype=np.float64)
    if rates.ndim not in (1, 2) or rates.size == 0 or not ((rates >= 0) & (rates <= 1)).all():
        raise ValueError(f"accepted: shape {np.shape(accepted)}; expected rates between 0 and 1, (n,) or (n, m)")
    for gamma in gammas:
        check_gamma(gamma)
    return np.asarray(step_starts(survived_steps(rates, max(gammas)), gammas))


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
