r"""Rare events of texts: lengths are drawn as if the event were common, and each text carries its exact weight.

In a text of R calls let the call i accept l drafts with probability P_i(l), given all that came before.  Drawn are lengths of

.. math:: \tilde P_i(l) = P_i(l)\, e^{\theta l - \Lambda_i}, \qquad \Lambda_i = \log \sum_l P_i(l)\, e^{\theta l},

and the text with sum S weighs :math:`e^{\sum_i \Lambda_i - \theta S}`: the ratio of the probabilities that the two laws give to
its lengths, so that for every event, and whatever P_i depends on, the mean weight of texts in the event is its probability
(Siegmund 1976).  Where S ≥ m in the event and θ ≥ 0 a weight is at most :math:`e^{\sum_i \Lambda_i - \theta m}`, Chernoff's
bound if the laws are fixed: a row divided by that lies in [0, 1], and the half-width of its interval shrinks with the event.

Where the laws do not depend on the text, `tail` has the probability without drawing anything.

Sources: Siegmund, "Importance sampling in the Monte Carlo study of sequential tests" (Annals of Statistics 1976); Chernoff
(Annals of Mathematical Statistics 1952).
"""

from __future__ import annotations

import numpy as np

from simspec.checks import needs, whole_number
from simspec.laws import Array, check_law

__all__ = ["Tilted", "tail", "tilt_for"]


class Tilted:
    """Lengths of the calls of many texts, drawn with a tilt; `total` and `log_weight` (texts,) are those so far.

    Parameters
    ----------
    texts : int
    tilt : number
        θ: positive where many accepted drafts are rare, negative where few are; 0 draws the lengths as they are.

    Raises
    ------
    ValueError
        for no text, or a tilt that is not finite.

    Examples
    --------
    >>> text = Tilted(2, tilt=float(np.log(3)))
    >>> fair = np.array([[0.5, 0.5]])
    >>> text.step(fair, np.array([0.1, 0.9])).tolist()  # one draft is accepted with probability 3/4 here
    [0, 1]
    >>> np.exp(text.log_weight).round(12).tolist()  # (1/2)/(1/4) and (1/2)/(3/4)
    [2.0, 0.666666666667]
    """

    def __init__(self, texts: int, tilt: float) -> None:
        texts = whole_number("texts", texts, 1, 2**40)
        if not np.isfinite(tilt):
            raise ValueError(f"tilt: {tilt}; expected a finite number")
        self.tilt = float(tilt)
        self.total = np.zeros(texts, dtype=np.int64)
        self.log_weight = np.zeros(texts)

    def step(self, laws: Array, uniform: Array) -> Array:
        """Lengths (texts,) of the next call of each text, from laws over 0 .. n (texts, n + 1), or one for all (1, n + 1).

        Raises
        ------
        ValueError
            for laws that are none, or another number of uniforms than texts.
        """
        laws, uniform = np.atleast_2d(check_law(laws)), np.asarray(uniform)
        if uniform.shape != self.total.shape:
            raise ValueError(f"uniform: shape {uniform.shape}; expected one for each of {len(self.total)} texts")
        heavy, cumulant = _tilted(laws, self.tilt)
        sums = np.cumsum(heavy, axis=-1)
        drawn = (sums <= uniform[:, None] * sums[:, -1:]).sum(axis=-1)
        # beyond the last length that has mass rounding may lead
        length = np.minimum(drawn, laws.shape[-1] - 1 - (heavy[:, ::-1] > 0).argmax(axis=-1))
        self.total += length
        self.log_weight += cumulant - self.tilt * length
        return np.asarray(length)


def tilt_for(laws: Array, total: float) -> float:
    """The tilt at which calls of these laws (calls, n + 1) accept `total` drafts on average.

    Raises
    ------
    ValueError
        for laws that are none, or a total that no tilt has: it lies strictly between the least and the most possible.

    Examples
    --------
    >>> round(tilt_for(np.array([[0.5, 0.5]] * 4), 3), 9) == round(float(np.log(3)), 9)
    True
    """
    (optimize,) = needs("the tilt of a total", "scipy.optimize")
    laws = np.atleast_2d(check_law(laws))
    has = laws > 0
    least, most = has.argmax(axis=-1).sum(), (laws.shape[-1] - 1 - has[:, ::-1].argmax(axis=-1)).sum()
    if not least < total < most:
        raise ValueError(f"total: {total}; expected between {least} and {most} drafts, both excluded")
    lengths = np.arange(laws.shape[-1])

    def beyond(tilt: float) -> float:
        return float((_tilted(laws, tilt)[0] @ lengths).sum() - total)

    end = 1.0
    while beyond(-end) > 0 or beyond(end) < 0:
        end *= 2
    return float(optimize.brentq(beyond, -end, end, xtol=1e-12))


def tail(laws: Array, total: int, fewer: bool = False) -> float:
    """Probability that calls of these laws (calls, n + 1) accept `total` drafts or more in all, or so many or fewer.

    The exact answer for lengths that are independent, by convolution of all laws.

    Examples
    --------
    >>> tail(np.array([[0.5, 0.5]] * 4), 3), tail(np.array([[0.5, 0.5]] * 4), 3, fewer=True)
    (0.3125, 0.9375)
    """
    whole = np.ones(1)
    for law in np.atleast_2d(check_law(laws)):
        whole = np.convolve(whole, law)
    return float(whole[: max(total + 1, 0)].sum() if fewer else whole[max(total, 0) :].sum())


def _tilted(laws: Array, tilt: float) -> tuple[Array, Array]:
    """Tilted laws (laws, n + 1), and log Σ P(l) e^{θ l} of each."""
    with np.errstate(divide="ignore"):
        exponents = np.log(laws) + tilt * np.arange(laws.shape[-1])
    top = exponents.max(axis=-1, keepdims=True)
    heavy = np.exp(exponents - top)
    whole = heavy.sum(axis=-1, keepdims=True)
    return heavy / whole, (top + np.log(whole))[:, 0]
