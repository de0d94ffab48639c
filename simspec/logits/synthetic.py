"""Synthetic logits: Gaussian and Student-t rows over a vocabulary, and drafts made from a target.

Every row is a function of (key, row number, purpose) alone (`Draws` holds them), to the last bit: rows 0..9 in one call
are rows 0..4 and 5..9 in two, on any machine. Within one purpose a row reads tokens 0 .. V - 1 for its own noise,
2**31 + j for the j-th factor of its covariance and 2**31 + 2**30 + j for its Student-t mixing variable, so one purpose
serves one call and calls that must be independent take different purposes. Results are computed in float64 and rounded
once to the type asked for.
What is not here: real-model logits (`simspec.logits.bank`) and laws (`simspec.laws.softmax` makes one of these rows).
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from simspec.checks import check_memory, whole_number
from simspec.kernels import random as philox
from simspec.kernels.random import Draws, core
from simspec.kernels.synthetic.reference import Model, check_rho

__all__ = ["Draws", "Factored", "correlated", "gaussian", "pruned", "student_t", "student_t_pair", "zipf"]

# tokens where the draws that belong to no vocabulary entry start
_FACTORS = 2**31
_MIXING = 2**31 + 2**30
_UNCHECKED = np.errstate(over="ignore", invalid="ignore")  # results are checked as a whole instead


class Factored(NamedTuple):
    """A covariance U diag(lam) U^T + diag(diag), never formed: U (V, R), lam (R,) >= 0, diag (V,) >= 0.

    >>> omega = Factored(U=[[1.0], [2.0]], lam=[3.0], diag=[0.0, 1.0])  # [[3, 6], [6, 13]]
    >>> U, lam, diag = (np.asarray(x) for x in omega)
    >>> (U * lam @ U.T + np.diag(diag)).tolist()
    [[3.0, 6.0], [6.0, 13.0]]
    """

    U: Any
    lam: Any
    diag: Any


def zipf(vocab: int, exponent: float = 1) -> np.ndarray:
    """Means whose softmax is Zipf's law: mean_i = -exponent ln(i + 1), so that token 0 is the most likely.

    Parameters
    ----------
    vocab : number of tokens V, at least 1
    exponent : any finite number; 0 gives equal means

    Returns
    -------
    (V,) float64, in nats

    Raises
    ------
    ValueError : if ``vocab`` is below 1 or ``exponent`` is not finite

    >>> weight = np.exp(zipf(4))
    >>> np.round(weight / weight.sum() * 25, 12).tolist()  # 1, 1/2, 1/3, 1/4 of 25/12
    [12.0, 6.0, 4.0, 3.0]
    """
    vocab = whole_number("vocab", vocab, 1, _FACTORS)
    exponent = core.number("exponent", exponent)
    check_memory("vocab", vocab, 24 * vocab)
    return 0.0 - exponent * core.log(np.arange(1, vocab + 1, dtype=np.float64))


def gaussian(
    draws: Draws,
    vocab: int,
    *,
    location: ArrayLike = 0,
    scale: ArrayLike = 1,
    covariance: Factored | None = None,
    xp: ModuleType = np,
) -> Any:
    """Gaussian logits: location + scale * z, z standard normal and independent, or of the given covariance.

    Parameters
    ----------
    draws : `Draws`: key, numbers of n rows, first purpose, float64 or float32
    vocab : number of tokens V, from 1 to 2**31
    location : number or (V,), finite (`zipf`, say)
    scale : number or (V,), finite, at least 0; it multiplies the covariance on both sides
    covariance : of z; None is the identity
    xp : array module that makes the result

    Returns
    -------
    (n, V) finite logits, in nats; a standard normal is cut at 6.76, where 1.3e-11 of its mass is left

    Raises ValueError for an argument out of its range, a shape that is not (V,), or a logit that overflows the type.

    >>> whole, part = gaussian(Draws(1, range(3)), 5), gaussian(Draws(1, [2]), 5)
    >>> bool((whole[2] == part[0]).all()), whole.shape
    (True, (3, 5))
    >>> gaussian(Draws(1, range(1)), 3, location=[1, 2, 3], scale=0).tolist()
    [[1.0, 2.0, 3.0]]
    """
    return _logits(draws.checked(), vocab, Model(math.inf, location, scale), covariance, xp)


def student_t(
    draws: Draws,
    vocab: int,
    *,
    df: float,
    location: ArrayLike = 0,
    scale: ArrayLike = 1,
    covariance: Factored | None = None,
    xp: ModuleType = np,
) -> Any:
    """Student-t logits: location + scale * t, t independent over tokens, or multivariate with the given covariance.

    Without ``covariance`` every logit is an independent Student-t. With it a row is sqrt(df / W) z, z normal of that
    covariance and W one chi-square of the row: a multivariate Student-t, whose shape matrix is ``covariance`` (its
    covariance is df / (df - 2) times that, for df > 2). With few degrees of freedom and a large vocabulary the softmax
    of independent Student-t logits is nearly one-hot.

    Parameters
    ----------
    df : degrees of freedom, at least 0.065 (0.26 is safe from overflow in float32); infinity gives `gaussian`
    draws, vocab, location, scale, xp : as in `gaussian`
    covariance : shape matrix of a multivariate Student-t; None is independent logits

    Returns
    -------
    (n, V) finite logits, in nats; the tail beyond probability 2**-33 is cut

    Raises ValueError as `gaussian`, and for a ``df`` that is too small or NaN.

    >>> draws = Draws(1, range(2))
    >>> bool((student_t(draws, 3, df=float("inf")) == gaussian(draws, 3)).all())
    True
    """
    return _logits(draws.checked(), vocab, Model(df, location, scale), covariance, xp)


@_UNCHECKED
def correlated(
    target: Any,
    rho: float,
    draws: Draws,
    *,
    location: ArrayLike | None = None,
    scale: ArrayLike | None = None,
    df: float = math.inf,
    xp: ModuleType = np,
) -> Any:
    """Draft logits that follow a target: m + s (rho (target - m) / s + sqrt(1 - rho^2) noise).

    With the ``location`` m and ``scale`` s that made a Gaussian target, draft and target logits are bivariate normal
    with correlation rho and the same marginals. Left out, m and s are the mean and standard deviation of each row, and
    rho the correlation within it.

    Parameters
    ----------
    target : (n, V) finite logits of NumPy floats (prune afterwards, not before)
    rho : correlation in [-1, 1]; 1 returns the target's values, 0 a draft that knows only m and s
    draws : `Draws`: key, numbers of the n rows, last purpose (another than the target's, or the noise is its own)
    location, scale : numbers or (V,); scale at least 0
    df : degrees of freedom of the noise (independent over tokens); infinity is Gaussian
    xp : as in `gaussian`

    Returns
    -------
    (n, V) finite logits of the target's dtype, in nats

    Raises ValueError if rho is outside [-1, 1], the target is not a finite (n, V) array, or as `student_t`.

    >>> target, draws = np.array([[1.0, 3.0]]), Draws(0, range(1))  # mean 2
    >>> correlated(target, 1, draws).tolist(), correlated(target, -1, draws).tolist()
    ([[1.0, 3.0]], [[3.0, 1.0]])
    """
    draws = draws.checked()
    target = _target(target)
    if not np.isfinite(target).all():
        raise ValueError("target holds infinite logits: expected finite ones (prune after correlating, not before)")
    rho = check_rho(rho)
    if len(draws.rows) != len(target):
        raise ValueError(f"rows: {len(draws.rows)}; expected {len(target)}, one for each row of target")
    exact = target.astype(np.float64)
    vocab = target.shape[-1]
    centre = core.tree_mean(exact) if location is None else xp.asarray(core.per_token("location", location, vocab))
    target_spread = np.sqrt(core.tree_mean((exact - core.tree_mean(exact)) ** 2))
    spread = target_spread if scale is None else xp.asarray(core.per_token("scale", scale, vocab, minimum=0))
    fresh = draws._replace(purposes=draws.purposes[-1:], dtype=np.dtype(np.float64))
    noise = student_t(fresh, vocab, df=df, xp=xp)
    noise *= math.sqrt((1 - rho) * (1 + rho)) * spread
    return _rounded(rho * exact + (1 - rho) * centre + noise, target.dtype, xp)


def student_t_pair(
    draws: Draws, vocab: int, *, rho: float, df: float = math.inf, scale: float = 1, xp: ModuleType = np
) -> tuple[Any, Any]:
    """Target and draft logits of one marginal law and a correlation: Student-t target, and what `correlated` makes of it.

    Parameters
    ----------
    draws : `Draws`: key, numbers of the n rows
    vocab : number of tokens
    rho : correlation in [-1, 1]; 1 gives equal logits
    df : degrees of freedom of target and noise; infinity is Gaussian, where draft and target have the same law
    scale : number of at least 0
    xp : as in `gaussian`

    Returns
    -------
    two arrays (n, V), in nats

    >>> target, draft = student_t_pair(Draws(0, range(2)), 5, rho=1, df=4)
    >>> target.shape, bool((target == draft).all())
    ((2, 5), True)
    """
    target = student_t(draws, vocab, df=df, scale=scale, xp=xp)
    return target, correlated(target, rho, draws, df=df, location=0, scale=scale, xp=xp)


@_UNCHECKED
def pruned(target: Any, keep: int | ArrayLike) -> Any:
    """Draft logits over part of the vocabulary: the target's on the kept tokens, minus infinity elsewhere.

    Parameters
    ----------
    target : (n, V) logits
    keep : boolean mask (V,), or a number from 1 to V that keeps the first tokens (with `zipf` means, the frequent ones)

    Returns
    -------
    (n, V) logits of the target's dtype, in nats

    Raises ValueError if no token is kept, more than V are, or the mask is not a boolean (V,) array.

    >>> pruned(np.array([[1.0, 2.0, 3.0]]), 2).tolist()
    [[1.0, 2.0, -inf]]
    """
    target = _target(target)
    vocab = target.shape[-1]
    mask = np.asarray(keep)
    if mask.ndim == 0:
        mask = np.arange(vocab) < whole_number("keep", keep, 1, vocab)
    if mask.dtype != bool or mask.shape != (vocab,):
        raise ValueError(f"keep has dtype {mask.dtype}, shape {mask.shape}: expected a boolean mask ({vocab},)")
    draft = target.copy()
    draft[:, ~mask] = -np.inf
    if not (draft > -np.inf).any(axis=-1).all():
        raise ValueError("keep leaves a row of target without a finite logit: expected at least one kept token")
    return draft


@_UNCHECKED
def _logits(draws, vocab, model, covariance, xp):
    """Rows of location + scale * (normal or Student-t)."""
    (key, numbers, (purpose, *_), dtype) = draws
    vocab = whole_number("vocab", vocab, 1, _FACTORS)
    if xp is np:
        check_memory("vocab", vocab, 24 * vocab)
        check_memory("rows", len(numbers), 8 * len(numbers) * max(vocab, 3))
    centre = xp.asarray(core.per_token("location", model.location, vocab))
    spread = xp.asarray(core.per_token("scale", model.scale, vocab, minimum=0))
    if covariance is not None:
        z = _factored(covariance, numbers, vocab, key, purpose, xp)
        w = philox.reduced_chi_square(key, numbers, purpose, df=model.df, first_token=_MIXING, xp=xp)
        z /= np.sqrt(w)[:, None]
    else:
        z = philox.student_t(key, numbers, range(vocab), purpose, df=model.df, xp=xp)
    z *= spread
    z += centre
    return _rounded(z, dtype, xp)


def _factored(covariance, numbers, vocab, key, purpose, xp):
    """Normals of covariance U diag(lam) U^T + diag(diag); factors are added one by one, as BLAS fixes no order."""
    if not isinstance(covariance, tuple) or len(covariance) != 3:
        raise ValueError(f"covariance is a {type(covariance).__name__}: expected Factored(U, lam, diag)")
    U, lam, diag = (np.asarray(x, dtype=np.float64) for x in covariance)
    for name, array, shape in (("U", U, (vocab, lam.size)), ("lam", lam, (lam.size,)), ("diag", diag, (vocab,))):
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"covariance.{name} has shape {array.shape}: expected finite numbers of shape {shape}")
        if name != "U" and (array < 0).any():
            raise ValueError(f"covariance.{name} has minimum {array.min()}: expected at least 0, to be a covariance")
    z = philox.normal(key, numbers, range(vocab), purpose, xp=xp)
    z *= xp.asarray(np.sqrt(diag))
    factors = philox.normal(key, numbers, range(_FACTORS, _FACTORS + lam.size), purpose, xp=xp)
    loadings = xp.asarray(np.ascontiguousarray((U * np.sqrt(lam)).T))
    for row, weight in zip(z, factors, strict=True):  # row by row: one row and one loading stay in cache
        for w, loading in zip(weight, loadings, strict=True):
            row += w * loading
    return z


def _rounded(logits, dtype, xp):
    """``logits`` in ``dtype``, all finite."""
    result = logits.astype(dtype, copy=False)
    if not xp.isfinite(result).all():
        raise ValueError(f"a logit overflows dtype = {dtype}: expected a smaller location, scale or covariance")
    return result


def _target(target: Any) -> Any:
    """An (n, V) array of logits below infinity."""
    array = target if hasattr(target, "dtype") else np.asarray(target)
    if array.ndim != 2 or array.shape[-1] < 1 or array.dtype not in (np.float32, np.float64):
        raise ValueError(f"target has shape {array.shape}, dtype {array.dtype}: expected (n, V) float32 or float64")
    if not (array < np.inf).all():
        raise ValueError("target holds NaN or infinity: expected logits that are numbers or minus infinity")
    return array
