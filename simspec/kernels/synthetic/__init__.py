r"""Acceptance of synthetic pairs of laws, drawn and used at once: no logits are kept.

The array does not choose here, as there is none yet, but what kind of array is wanted: of NumPy ones few draws go to the
reference (`simspec.kernels.synthetic.reference`), which defines the result, many to the Numba backend; with CuPy all go to
the CUDA backend (`simspec.kernels.synthetic.cuda_synthetic`).

Accuracy of float32 draws.  With :math:`u = 2^{-24}` a draw of radius :math:`R` (normal: :math:`\sqrt{-2\ln U}`) and
angle factor :math:`s` is :math:`R(1 + \epsilon_1)(s + \epsilon_2)(1 + \epsilon_3)`.  Either factor is a function of one
word.  Over all words :math:`|\epsilon_2| \le 1.94 u` for sines, 2.64 u for cosines, and :math:`|\epsilon_1| \le 2.5 u` for
normal radii; for Student-t radii :math:`|\epsilon_1| \le 7.9 u` for every word and every df >= 1 (derived in
`simspec.kernels.synthetic.numba_synthetic`; the worst lie just below :math:`U = \sqrt{1/2}` with df near 2: 5.2 u is the largest
found).  Rounding gives :math:`|\epsilon_3| \le u`.  So a draw is within `draw_bound` u R: 7 for normal draws, 11 for
Student-t ones.  The quantile error, the mean of that error given the draw, is below 1e-6 on the normal scale (mapped by
:math:`\Phi^{-1} \circ F`) down to tails of 1e-9 (largest found: 3e-7), for normal draws and for df >= 1: a test computes
it.  Below df = 1 draws are made in float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from simspec.checks import check_memory, whole_number
from simspec.kernels.choose import choose
from simspec.kernels.cuda.launch import cupy
from simspec.kernels.random import Draws, core, degrees
from simspec.kernels.synthetic.reference import Model, check_rho

__all__ = ["Draws", "Model", "draw_bound", "law_bound", "synthetic_overlap", "synthetic_overlaps"]

SMALL = 4096
"""Requests with fewer tokens in all use NumPy: not worth loading Numba."""
CHUNK = 1024
"""Tokens the backend takes at a time: `simspec.kernels.synthetic.chunks.CHUNK`, which loading would cost Numba."""


def synthetic_overlap(
    draws: Draws, vocab: int, model: Model, *, threads: int | None = None, xp: ModuleType = np
) -> NDArray[np.float64]:
    r"""Overlap (acceptance) of the softmax laws of synthetic target and draft logits, each drawn, used and forgotten.

    .. math:: x = m + s z, \quad y = m + s\bigl(\rho\,(x - m)/s + \sqrt{1 - \rho^2}\, z'\bigr), \quad
        \alpha = \sum_i \min(\mathrm{softmax}(x)_i, \mathrm{softmax}(y)_i)

    with :math:`z, z'` standard normal or Student-t, independent over tokens: the logits of
    `simspec.logits.synthetic.student_t` and `correlated` with the same draws, so that a row can be drawn again and looked
    at.

    Parameters
    ----------
    draws : Draws
        key, numbers of n rows that follow one another, two purposes: of the target and of the draft's noise.  The type is
        that of logits and laws; sums are float64.  With CuPy and df below 1 all is float64, within the bounds of either.
    vocab : int; number of tokens V, from 1 to 2**31
    model : Model
        `df`, degrees of freedom, at least 0.065 (float64) or 0.26 (float32), infinity is Gaussian; `location` and `scale`,
        number or (V,), m and s, finite, s at least 0, in nats; `rho` in [-1, 1], 1 gives two equal laws, 0 a draft that
        knows only m and s.
    threads : int or None; at least 1; None takes NUMBA_NUM_THREADS.  With CuPy: of a block, 256 by default.
    xp : module; NumPy, or CuPy to draw on its device, with a CuPy array as result

    Returns
    -------
    float64 array (n,)
        in [0, 1] up to rounding; the same bits for any number of threads, and for any split of the rows into requests of
        at least `SMALL` tokens (smaller ones go to the reference, which rounds otherwise).

    Raises ValueError for an argument out of its range, a shape that is not (V,), or a logit that overflows the type.

    Error.  Let :math:`p, q` be the exact laws, :math:`R_i, R_i'` the radii of the draws, :math:`u = 2^{-24}`.  In float32 (df
    >= 1) the logits are within :math:`\eta_i = (c + 4) u (|m_i| + s_i R_i)` and :math:`\eta_i' = (c + 7) u (|\rho|(|m_i| +
    s_i R_i) + |m_i| + s_i R_i')`, c u for the draw (`draw_bound`: c = 7 normal, 11 Student-t), the rest for rounding m, s,
    rho, products and sums.  Moving logits by at most :math:`\eta_i` moves a law by at most :math:`e^{2\max\eta} \sum_i
    p_i \eta_i` in total variation, hence

    .. math:: |\hat\alpha - \alpha| \le e^{2\max\eta} \sum_i p_i \eta_i + e^{2\max\eta'} \sum_i q_i \eta_i' + b(V)

    with b = `law_bound` for the laws' arithmetic (`simspec.kernels.synthetic.reference.overlap_bound` evaluates it).  In
    float64, and in float32 below df = 1, logits have the reference's bits and b(V) alone remains.  Typical float32 errors
    are 2e-8.

    Peak memory: two scratch rows of exponentials and 12 chunks of 1024 for each thread (1.1 MB at V = 128,256 in
    float32), the result, and location and scale if they are arrays.  Where location and scale are so large that some
    possible draw would overflow, the reference runs instead, a block of rows (2**20 logits) at a time.  With CuPy nothing is
    stored but the result.

    Two tokens far apart: each law is all but sure of one of them, and the two laws agree on it (overlap 1) or not (0).

    >>> synthetic_overlap(Draws(0, range(6)), 2, Model(rho=0.9, scale=1e4)).round(6).tolist()
    [1.0, 1.0, 0.0, 1.0, 1.0, 1.0]
    >>> whole, part = (synthetic_overlap(Draws(1, rows), 5000, Model(rho=0.9)) for rows in (range(3), range(2, 3)))
    >>> bool(whole[2] == part[0])
    True
    """
    _check_module(xp)
    draws = draws.pair()
    vocab = whole_number("vocab", vocab, 1, 2**31)
    threads = None if threads is None else whole_number("threads", threads, 1, 2**16 - 1)
    size = len(draws.rows) * vocab
    real = draws.dtype
    if xp is np:
        check_memory("rows", len(draws.rows), 8 * len(draws.rows))
        check_memory("vocab", vocab, (2 * real.itemsize + 8) * vocab if size else 0)
        centre = core.per_token("location", model.location, vocab)
        spread = core.per_token("scale", model.scale, vocab, minimum=0)
        model = Model(_degrees(model.df, real), centre, spread, check_rho(model.rho))
        if not _largest(model) < float(np.finfo(real).max) / 4:
            size = 0  # a draw that overflows is the reference's to find
    return choose("synthetic", "overlap", size, SMALL, device=xp is not np, threads=threads)(draws, vocab, model)


def synthetic_overlaps(
    requests: Sequence[tuple[Draws, int, Model]], *, threads: int | None = None, xp: ModuleType = np
) -> list[NDArray[np.float64]]:
    """`synthetic_overlap` of each of several draws, vocabularies and models, with the same bits: NumPy arrays.

    With CuPy their rows share launches, which pays where there are few rows of each.

    >>> request = Draws(0, range(3)), 5000, Model(rho=0.9)
    >>> (overlap,) = synthetic_overlaps([request])
    >>> bool((overlap == synthetic_overlap(*request)).all())
    True
    """
    if xp is np:
        return [synthetic_overlap(*request, threads=threads) for request in requests]
    _check_module(xp)
    overlaps: Callable[..., list[NDArray[np.float64]]] = choose(
        "synthetic", "overlaps", 0, SMALL, device=True, threads=threads
    )
    return overlaps(requests, on_host=True)


def _check_module(xp: Any) -> None:
    """Refuse what is neither NumPy nor CuPy."""
    if xp is not np and (not hasattr(xp, "ndarray") or xp is not cupy()):
        raise ValueError(f"xp: {xp!r}; expected the module numpy or cupy")


def draw_bound(df: float, dtype: DTypeLike) -> float:
    """Bound of a draw's error in the backend, in units of 2**-24 radii; 0 where draws are float64.

    >>> draw_bound(math.inf, np.float32), draw_bound(5, np.float32), draw_bound(0.5, np.float32), draw_bound(5, np.float64)
    (7.0, 11.0, 0.0, 0.0)
    """
    if np.dtype(dtype) != np.float32 or not df >= 1:
        return 0.0
    return 7.0 if df == math.inf else 11.0


def law_bound(vocab: int, dtype: DTypeLike) -> float:
    r"""Worst-case error of the overlap from the arithmetic of laws and sums, for given logits.

    Of each law as in `simspec.kernels.tv.numba_tv.tv_bound`, :math:`u (2.4 \ln V + 4)` for its terms and again
    for their sum; the two laws enter by one each, as only the smaller term counts: twice that bound covers it, and
    the reference's sums.

    >>> law_bound(128_256, np.float32) < 1e-5, law_bound(1, np.float64) < 1e-13
    (True, True)
    """
    u = float(np.finfo(np.dtype(dtype)).eps) / 2
    chunks = -(-vocab // CHUNK)
    return 2 * u * (4.8 * math.log(vocab) + 23) + 2.0**-53 * (12 * chunks + 40)


def _largest(model: Model) -> float:
    """A bound of every logit, and of every product on the way to it, that any draw could give."""
    df = model.df
    with np.errstate(over="ignore"):
        power = np.exp2(33 / np.float64(df))  # the largest radius is sqrt(df (2**(66/df) - 1))
        radius = np.float64(8) if df == math.inf else max(8, np.sqrt(df) * power)
        return float(3 * (np.abs(model.location).max() + model.scale.max() * radius))


def _degrees(df: Any, dtype: np.dtype[Any]) -> float:
    return math.inf if (checked_df := degrees(df, dtype)) >= core.NORMAL_DF else float(checked_df)
