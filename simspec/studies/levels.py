r"""Acceptance of synthetic pairs from few tokens: many draws of the large ones alone, and few whole rows that correct them.

In a row of V independent tokens few carry what moves the acceptance.  Let A₀ be the acceptance that is computed from the tokens
whose logits pass a high cut, means standing for the others; A₁ the same with a lower cut; α that of all.  Then

.. math:: \operatorname{E}\alpha = \operatorname{E}A_0 + \operatorname{E}(A_1 - A_0) + \operatorname{E}(\alpha - A_1),

and each mean is estimated by draws of its own: very many of A₀, of which one takes some dozens of tokens, fewer of the
second, and one whole row, whose difference hardly varies (Giles 2008).  All of it together is one row of a study,

.. math:: z = (\alpha - A_1) + \frac1{k_1}\sum_{j \le k_1}(A_1 - A_0)_j + \frac1{k_0}\sum_{j \le k_0}(A_0)_j,

so that rows stay independent, numbered and bounded, and whatever holds for studies holds for these.

Why it is unbiased: E A₁ occurs twice with opposite signs, and so does E A₀, for the tokens that pass a cut have the same law
drawn alone as within a whole row: their number is binomial, and given it they are independent draws from beyond the cut.
How A weighs the rest is of no account for that, only for the variance, so tables serve.  Two laws of draws differ: those of
whole rows end at probability 2⁻³³ in either tail, those of single tokens later, and their quantiles are interpolated
within 1e-6.  Together that moves a mean by less than V 2⁻³⁰ + 1e-5.

What no number of copies removes: an interval valid at every law within the bounds needs some log(2/a) over its half-width
in rows, times the bounds' distance, since an event that rare could be missed.  Few rows are enough in the limit only:
``HalfWidth(…, asymptotic=…)``, ``Rows(…, once=True)``.

Sources: Giles, "Multilevel Monte Carlo path simulation" (Operations Research 2008).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simspec.checks import needs, whole_number
from simspec.kernels import random as philox
from simspec.kernels.large import Cut, Pairs, Stream, cut_at, fast_draws, large_tokens, of_large
from simspec.kernels.large.reference import both, powers
from simspec.kernels.synthetic import SMALL, draw_bound
from simspec.laws import Array

if TYPE_CHECKING:
    from simspec.engine.study import Cell, Rows

__all__ = ["levelled", "pairs_of"]


def pairs_of(cell: Cell) -> Pairs:
    """The kind of pair of a study's cell: ``vocab``, ``scale``, ``rho``, and ``df`` and ``tolerance`` where it has them.

    >>> pairs_of({"vocab": 10, "scale": 2, "rho": 0.9})
    Pairs(vocab=10, df=inf, scale=2.0, rho=0.9, tolerance=0.0)
    """
    rest = float(cell.get("df", math.inf)), float(cell["scale"]), float(cell["rho"])
    return Pairs(whole_number("vocab", cell["vocab"], 1, 2**31), *rest, float(cell.get("tolerance", 0)))


def levelled(cell: Cell, rows: Rows, tokens: tuple[float, ...], copies: tuple[int, ...]) -> tuple[Array, Array]:
    """Unbiased rows of the acceptance of SD and of what EARS gains over it: the z of the head of this file.

    Parameters
    ----------
    cell, rows : as `simspec.studies.pairs.synthetic_logits` takes them, with ``tolerance`` for EARS' β
    tokens : increasing numbers
        how many tokens pass each cut on average; one number or more.
    copies : numbers
        of draws at each cut.

    Returns
    -------
    two arrays (rows,)
        with L cuts between −L and L + 1, and between −Lβ and (L + 1)β.

    Raises
    ------
    ValueError
        for cuts that are not increasing or no number of copies for each, and as `cut_at`.

    >>> from simspec.engine.study import Rows
    >>> alpha, gain = levelled({"vocab": 1000, "scale": 2.0, "rho": 0.9}, Rows(1, range(4)), (4, 64), (256, 16))
    >>> bool(abs(alpha.mean() - 0.66) < 0.03), gain.tolist()
    (True, [0.0, 0.0, 0.0, 0.0])
    """
    if not tokens or len(tokens) != len(copies) or list(tokens) != sorted(set(tokens)) or min(copies) < 1:
        raise ValueError(
            f"tokens, copies: {tokens}, {copies}; expected increasing numbers, and a positive one for each"
        )
    pairs = pairs_of(cell)
    cuts = [cut_at(pairs, number) for number in tokens]
    out = np.empty((len(rows.numbers), 2))
    for i, row in enumerate(rows.numbers):
        out[i] = _whole(pairs, cuts[-1], rows.key, row)
        for level, (cut, before, count) in enumerate(zip(cuts, [None, *cuts], copies, strict=False)):
            out[i] += _copies(pairs, cut, before, rows.key, row, count, 2 + 2 * level).mean(axis=0)
    return out[:, 0], out[:, 1]


def _copies(pairs: Pairs, cut: Cut, before: Cut | None, key: int, row: int, copies: int, purpose: int) -> Array:
    """What the large tokens say in so many draws of them alone: (copies, 2)."""
    (special,) = needs("a pair from few tokens", "scipy.special")
    mean = pairs.vocab * cut.large
    most = min(pairs.vocab, math.ceil(mean + 8 * math.sqrt(mean) + 12))  # more have a probability below 1e-12
    number = philox.uniform(key, [row], range(copies), purpose)[0]
    count = np.searchsorted(special.bdtr(np.arange(most), pairs.vocab, cut.large), number)
    return large_tokens(pairs, cut, before, Stream(key, row, purpose + 1, most), count)


def _whole(pairs: Pairs, cut: Cut, key: int, row: int) -> Array:
    """Acceptance and gain of a whole row less what its large tokens say of them: (2,)."""
    z, noise = (_draws(pairs, key, row, side) for side in (0, 1))
    at = np.flatnonzero((z > z.dtype.type(cut.target)) | (noise > z.dtype.type(cut.noise)))
    few = powers(pairs, *(v[at].astype(np.float64) for v in (z, noise)))
    coarse = of_large(pairs, cut, *few, np.ones(len(at), dtype=bool))
    y = _times(pairs.scale * pairs.rho, z) + _times(pairs.scale * math.sqrt((1 - pairs.rho) * (1 + pairs.rho)), noise)
    x, y = (np.exp(v - v.max()) for v in (_times(pairs.scale, z), y))
    a, b = (v.dtype.type(1 / v.sum(dtype=np.float64)) for v in (x, y))
    x *= a
    y *= b
    kept = both(pairs.tolerance, x.max(), lambda w: np.minimum(x, y * y.dtype.type(w)).sum(dtype=np.float64))
    return kept - coarse


def _times(factor: float, values: Array) -> Array:
    return values * values.dtype.type(factor)


def _draws(pairs: Pairs, key: int, row: int, purpose: int) -> Array:
    """The draws of a row: in float32 where they are many and `simspec.kernels.synthetic` has them, else in float64."""
    if pairs.vocab < SMALL or not draw_bound(pairs.df, np.float32):
        return np.asarray(philox.student_t(key, [row], range(pairs.vocab), purpose, df=pairs.df)[0])
    return fast_draws(pairs, key, row, purpose)
