r"""Rare events of texts: lengths are drawn as if the event were common, and each text carries its exact weight.

In a text of R calls let the call i accept l drafts with probability P_i(l), given all that came before.  Drawn are lengths of

.. math:: \tilde P_i(l) = P_i(l)\, e^{\theta l - \Lambda_i}, \qquad \Lambda_i = \log \sum_l P_i(l)\, e^{\theta l},

and the text with sum S weighs :math:`e^{\sum_i \Lambda_i - \theta S}`: the ratio of the probabilities that the two laws give to
its lengths, so that for every event, and whatever P_i depends on, the mean weight of texts in the event is its probability
(Siegmund 1976).  Where S ≥ m in the event and θ ≥ 0 a weight is at most :math:`e^{\sum_i \Lambda_i - \theta m}`, Chernoff's
bound if the laws are fixed: a row divided by that lies in [0, 1], and the half-width of its interval shrinks with the event.

Where the laws do not depend on the text, `tail` has the probability without drawing anything.  `rare_texts` is a study of
texts whose laws do: a call that follows a rejected draft is hard, so that rejections come in runs.

Sources: Siegmund, "Importance sampling in the Monte Carlo study of sequential tests" (Annals of Statistics 1976); Chernoff
(Annals of Mathematical Statistics 1952).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from simspec.checks import needs, whole_number
from simspec.engine.estimates.statistics import Mean
from simspec.engine.estimates.stopping import RelativeError
from simspec.engine.study import Cell, Rows, Study, cross
from simspec.kernels import random as philox
from simspec.laws import Array, check_law

__all__ = ["Tilted", "few_exactly", "rare_texts", "tail", "tilt_for"]

DRAFTS = 4
"""Of a call in `rare_texts`."""


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
        laws = np.atleast_2d(check_law(laws))
        uniform = np.asarray(uniform)
        if uniform.shape != self.total.shape:
            raise ValueError(f"uniform: shape {uniform.shape}; expected one for each of {len(self.total)} texts")
        heavy, cumulant = _tilted(laws, self.tilt)
        sums = np.cumsum(heavy, axis=-1)
        sampled_length = (sums <= uniform[:, None] * sums[:, -1:]).sum(axis=-1)
        # beyond the last length that has mass rounding may lead
        length = np.minimum(sampled_length, laws.shape[-1] - 1 - (heavy[:, ::-1] > 0).argmax(axis=-1))
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
    lowest_total = has.argmax(axis=-1).sum()
    highest_total = (laws.shape[-1] - 1 - has[:, ::-1].argmax(axis=-1)).sum()
    if not lowest_total < total < highest_total:
        raise ValueError(f"total: {total}; expected between {lowest_total} and {highest_total} drafts, both excluded")
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
    total_law = np.ones(1)
    for law in np.atleast_2d(check_law(laws)):
        total_law = np.convolve(total_law, law)
    return float(total_law[: max(total + 1, 0)].sum() if fewer else total_law[max(total, 0) :].sum())


def _tilted(laws: Array, tilt: float) -> tuple[Array, Array]:
    """Tilted laws (laws, n + 1), and log Σ P(l) e^{θ l} of each."""
    with np.errstate(divide="ignore"):
        exponents = np.log(laws) + tilt * np.arange(laws.shape[-1])
    top = exponents.max(axis=-1, keepdims=True)
    heavy = np.exp(exponents - top)
    normaliser = heavy.sum(axis=-1, keepdims=True)
    return heavy / normaliser, (top + np.log(normaliser))[:, 0]


# ---- a study ----


def _calls(cell: Cell) -> tuple[Array, Array]:
    """Laws of the accepted drafts of a call after one that rejected its first draft, and of every other."""
    rates = np.array([float(cell["after a rejection"]), float(cell["rate"])])
    reached = rates[:, None] ** np.arange(DRAFTS + 1)
    hard, easy = reached - np.append(reached[:, 1:], np.zeros((2, 1)), axis=1)
    return hard, easy


def few_exactly(cell: Cell) -> float:
    """Probability that a text of a cell of `rare_texts` keeps ``limit`` drafts or fewer, by following state and sum.

    >>> cell = {"rate": 0.5, "after a rejection": 0.25, "calls": 2, "most": 0}
    >>> few_exactly(cell)  # the first call rejects with probability 1/2, the second then with 3/4
    0.375
    """
    laws = _calls(cell)
    limit = int(cell["most"])
    mass = np.zeros((2, limit + 1))  # after a rejection or not; sums so far
    mass[1, 0] = 1
    for _ in range(int(cell["calls"])):
        after = np.zeros_like(mass)
        for state, length in np.ndindex(2, min(DRAFTS, limit) + 1):
            after[min(length, 1), length:] += laws[state][length] * mass[state, : limit + 1 - length]
        mass = after
    return float(mass.sum())


@lru_cache
def _tilt_and_bound(rate: float, after: float, calls: int, limit: int) -> tuple[float, float]:
    """The tilt at which the largest weight of a text that keeps so few is smallest, and the logarithm of that weight."""
    (optimize,) = needs("the tilt of rare texts", "scipy.optimize")
    laws = np.array(_calls({"rate": rate, "after a rejection": after}))

    def largest(tilt: float) -> float:
        cumulants = _tilted(laws, tilt)[1]
        best = np.full((2, limit + 1), -np.inf)
        best[1, 0] = 0.0
        for _ in range(calls):
            then = best + cumulants[:, None]
            best = np.full_like(best, -np.inf)
            for state, length in np.ndindex(2, min(DRAFTS, limit) + 1):
                to = best[min(length, 1), length:]
                np.maximum(to, then[state, : limit + 1 - length] - tilt * length, out=to)
        return float(best.max())

    tilt = float(optimize.minimize_scalar(largest, bounds=(-5.0, 0.0), method="bounded", options={"xatol": 1e-3}).x)
    return round(tilt, 3), largest(round(tilt, 3))


def _few(cell: Cell, rows: Rows, device: str) -> dict[str, Array]:
    laws = _calls(cell)
    calls = int(cell["calls"])
    limit = int(cell["most"])
    tilt, bound = _tilt_and_bound(float(cell["rate"]), float(cell["after a rejection"]), calls, limit)
    uniforms = philox.uniform(rows.key, rows.numbers, range(calls))
    text = Tilted(len(rows.numbers), tilt)
    last = np.ones(len(rows.numbers), dtype=np.int64)
    for i in range(calls):
        last = text.step(np.where((last == 0)[:, None], *laws), uniforms[:, i])
    weight = np.where(text.total <= limit, np.exp(text.log_weight - bound), 0.0)
    return {"few": np.minimum(weight, 1.0), "bound": np.full(len(weight), bound)}  # by rounding only


def rare_texts() -> Study:
    r"""How often a text keeps very few drafts, where rejections come in runs: importance sampling with exact weights.

    Cells: ``rate``, at which a draft is kept; ``after a rejection``, the rate in a call after one that kept nothing;
    ``calls`` of a text, of four drafts each; ``most`` drafts that it keeps in all.  Values: ``few``, the text's weight
    where it keeps no more, over a bound of all such weights, hence between 0 and 1; ``bound``, that bound's logarithm, the
    same for all rows of a cell: the probability is the mean of the first times :math:`e^{\text{bound}}`.
    `few_exactly` is the answer.

    Unbiased: each text weighs what its lengths are more likely than they were drawn.  The tilt comes from the cell alone.

    >>> [float(f"{few_exactly(cell):.8g}") for cell in rare_texts().grid][:2]
    [6.8845411e-06, 0.00016195033]
    """
    return Study(
        name="rare-texts",
        question="How often are almost all drafts of a text rejected when rejections come in runs?",
        grid=cross(rate=(0.8,), **{"after a rejection": (0.5, 0.7)}, calls=(48,), most=(30, 40)),
        simulate=_few,
        summary="few: weight of texts that keep few drafts, over a bound of it; bound: its logarithm",
        rows=1000,
        measures={"few": Mean()},
        stop=RelativeError("few", 0.1),
    )
