r"""Acceptance at the vocabulary of a present-day model, from pairs of laws that are drawn, used and forgotten.

The logits of one pair at V = 128,256 take two megabytes in float64; here none are kept
(`simspec.studies.pairs.synthetic_acceptance`), so the memory does not grow with the number of pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from simspec.engine.devices import arrays
from simspec.engine.estimates.estimators import Conditional
from simspec.engine.estimates.statistics import Mean
from simspec.engine.estimates.stopping import HalfWidth, Rule
from simspec.engine.study import Cell, Request, Rows, Study, cross
from simspec.laws import Array
from simspec.studies.levels import by_levels, rates_by_levels
from simspec.studies.levels_advice import why_whole_rows
from simspec.studies.pairs import synthetic_acceptance

__all__ = ["VOCAB", "gaussian_limit", "heavy_tails", "to_first_order", "wide_vocabulary"]

VOCAB = 128_256
"""Tokens of the Llama 3 models."""


def gaussian_limit(scale: float, rho: float) -> float:
    r"""Acceptance of Gaussian logits of standard deviation s and correlation ρ as the vocabulary grows without end.

    Sums over the vocabulary tend to means: :math:`\alpha \to E \min(e^{X - s^2/2}, e^{Y - s^2/2})`, and for normal X
    and Y this is twice the probability that Y is above X when X is tilted by :math:`e^X`,

    .. math:: \alpha_\infty = 2\,\Phi\Bigl(-s \sqrt{(1 - \rho)/2}\Bigr).

    Parameters
    ----------
    scale : number >= 0
    rho : number in [-1, 1]

    Raises ValueError for a number out of its range.

    >>> gaussian_limit(2, 1), gaussian_limit(0, 0.5), round(gaussian_limit(2, 0.5), 4)  # the last: 2 Phi(-1)
    (1.0, 1.0, 0.3173)
    """
    if not 0 <= scale < math.inf:
        raise ValueError(f"scale: {scale}; expected a finite number that is not negative")
    if not -1 <= rho <= 1:
        raise ValueError(f"rho: {rho}; expected a correlation from -1 to 1")
    return math.erfc(scale * math.sqrt(1 - rho) / 2)


def to_first_order(target: Array, draft: Array, scale: float, rho: float) -> Array:
    r"""Acceptance of Gaussian logits to first order in what their sums lack of their means: a control whose mean is the limit.

    .. math:: K - \frac{\alpha_\infty}{2} (S - 1) - \frac{\alpha_\infty}{2} (T - 1), \qquad
        K = \frac1V \sum_i \min(e^{x_i - s^2/2}, e^{y_i - s^2/2})

    with the means S and T of :math:`e^{x_i - s^2/2}` and :math:`e^{y_i - s^2/2}`.  The acceptance is a function of the three,
    and this is its tangent at their means :math:`\alpha_\infty`, 1 and 1.  Hence its own mean is `gaussian_limit` exactly, for
    every V; as a control it explains the acceptance the better, the less S and T vary, which is as
    :math:`\sqrt{(e^{s^2} - 1)/V}`.

    Parameters
    ----------
    target, draft : (..., V)
        normal logits of mean 0, standard deviation `scale` and correlation `rho`.

    Returns
    -------
    (...)

    >>> float(to_first_order(np.log([2.0, 1]), np.zeros(2), 0, 0.5).round(6))  # the limit is 1: K = 1, S = 3/2, T = 1
    0.75
    """
    limit = gaussian_limit(scale, rho)
    x, y = (np.exp(v - scale * scale / 2) for v in (target, draft))
    sums = x.mean(axis=-1) + y.mean(axis=-1)
    return np.asarray(np.minimum(x, y).mean(axis=-1) - limit / 2 * (sums - 2))[()]


def _alpha(cell: Cell, rows: Rows, device: str) -> dict[str, Array]:
    return {"alpha": synthetic_acceptance(cell, rows, np.float32, arrays(device))}


def _limits(cell: Cell, rows: Rows) -> Array:
    return np.full(len(rows.numbers), gaussian_limit(float(cell["scale"]), float(cell["rho"])))


def _alpha_and_limit(cell: Cell, rows: Rows, device: str) -> dict[str, Array]:
    return _alpha(cell, rows, device) | {"limit": _limits(cell, rows)}


def _levels_and_limit(cell: Cell, rows: Rows, device: str) -> dict[str, Array]:
    return rates_by_levels(cell, rows, device) | {"limit": _limits(cell, rows)}


def _by_levels(study: Study, request: Request) -> tuple[Study, Rule | None]:
    return by_levels(study, request, _levels_and_limit, ("limit",))


def wide_vocabulary(vocabs: Sequence[int] = (VOCAB,), rows: int = 16) -> Study:
    r"""Acceptance :math:`\sum_i \min(p_i, q_i)` of synthetic pairs at V = 128,256, beside what Gaussian logits tend to.

    Cells: ``family`` (Gaussian, or Student-t logits, these with ``df``), ``scale``, correlation ``rho``, ``vocab``.
    Values: ``alpha``, exact for each pair; ``limit``, the same for every row: `gaussian_limit` of the cell's scale and
    correlation.  Controls: with ρ = 1 every draft is accepted; with ρ = 0 the draft knows nothing of the target; Gaussian
    cells must come near the limit, which says nothing of Student-t cells, as their :math:`e^X` has no mean.  For narrow
    half-widths of alpha rows are levels (`simspec.studies.levels.by_levels`); pairs that have none are in `heavy_tails`.

    Parameters
    ----------
    vocabs : numbers of tokens
    rows : int; pairs of a block

    >>> from simspec.engine.row_values import gather
    >>> len(wide_vocabulary().grid)
    16
    >>> values = gather(wide_vocabulary(vocabs=(2000,)), rows=2)[3].values  # Gaussian, scale 1, rho = 1
    >>> bool((values["alpha"] > 1 - 1e-6).all()), values["limit"].tolist()
    (True, [1.0, 1.0])
    """
    families = ({"family": "gaussian"}, {"family": "student-t", "df": 10.0})
    return Study(
        name="wide-vocabulary",
        question="What is the acceptance rate at the vocabulary size of a current model?",
        grid=tuple({**family, **cell} for family in families for cell in _cells(vocabs)),
        simulate=_alpha_and_limit,
        summary="alpha: the overlap of target and draft law; limit: that of Gaussian logits as V grows",
        rows=rows,
        measures={"alpha": Conditional(), "limit": Mean()},
        stop=HalfWidth("alpha", 0.02),
        devices=("cpu", "gpu"),
        steadier=_by_levels,
        advice=why_whole_rows,
    )


def heavy_tails(vocabs: Sequence[int] = (VOCAB,), rows: int = 16) -> Study:
    r"""Acceptance of synthetic pairs at V = 128,256 whose Student-t logits have 4 degrees of freedom: few tokens hold all mass.

    Cells and ``alpha`` as in `wide_vocabulary`.  Such pairs have no levels, as a power of e could overflow: rows are whole.

    Parameters
    ----------
    vocabs : numbers of tokens
    rows : int; pairs of a block

    >>> [cell["df"] for cell in heavy_tails().grid]
    [4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0]
    """
    return Study(
        name="heavy-tails",
        question="What is the acceptance rate at a current vocabulary size if few tokens hold almost all probability?",
        grid=tuple({"family": "student-t", "df": 4.0, **cell} for cell in _cells(vocabs)),
        simulate=_alpha,
        summary="alpha: the overlap of target and draft law",
        rows=rows,
        measures={"alpha": Conditional()},
        stop=HalfWidth("alpha", 0.02),
        devices=("cpu", "gpu"),
        advice=why_whole_rows,
    )


def _cells(vocabs: Sequence[int]) -> tuple[Cell, ...]:
    return cross(scale=(1.0, 2.0), rho=(0.0, 0.5, 0.9, 1.0), vocab=tuple(vocabs))
