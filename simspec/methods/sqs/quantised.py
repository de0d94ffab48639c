"""SQS: sparsify the draft law, round it to a lattice of fractions, and draft from what was sent.

Here are the two steps and the methods made of them, which have floats quantised in compiled code
(`simspec.methods.sqs.lattice_laws`); `simspec.methods.sqs.payload` says how many bits they take,
`simspec.methods.sqs.codec` writes those bits, `simspec.methods.csqs.conformal` moves the threshold.  Source:
Bhattacharjee et al. 2025 (SQS; `simspec cite sqs` prints the paper).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simspec.checks import whole_number
from simspec.laws import Array, Scalar, check_law, check_mask, exact, is_exact, unchecked
from simspec.methods.method import Method
from simspec.methods.sd import SD
from simspec.methods.sqs.lattice_laws import takes, top_law
from simspec.methods.sqs.payload import check_resolution

__all__ = [
    "check_threshold",
    "dense_sqs",
    "dropped_mass",
    "quantise",
    "quantise_printed",
    "quantised_law",
    "sparsify",
    "sqs",
    "threshold_mask",
    "top_mask",
]


# ---- which tokens are kept ----


def top_mask(q: Array, k: int) -> Array:
    """The k most likely tokens of each law (of equal ones the lower number), as a mask (..., V).

    Raises ValueError unless 1 <= k <= V.  SQS, Section 2 (K-SQS).

    >>> top_mask(np.array([0.25, 0.5, 0.25]), 2).tolist()
    [True, True, False]
    """
    k = whole_number("k", k, 1, q.shape[-1], f"a number of tokens between 1 and V = {q.shape[-1]}")
    falling = -q
    edge = np.partition(falling, k - 1, axis=-1)[..., k - 1 : k]
    return _first_up_to(falling, edge, k)


def check_threshold(threshold: Scalar | Array) -> Array:
    """A threshold, or an array of them, as an array of real numbers.

    >>> check_threshold(None)
    Traceback (most recent call last):
    ...
    ValueError: threshold: None; expected a number
    """
    try:
        edge = np.asarray(threshold)
        good = edge.dtype.kind in "iufO" and bool((edge == edge).all())
        good = good and (edge.dtype != object or all(v is not None for v in edge.flat))
    except ValueError:
        good = False
    if not good:
        raise ValueError(f"threshold: {threshold}; expected a number")
    return edge


def threshold_mask(q: Array, threshold: Scalar | Array, keep_top: bool = True) -> Array:
    r"""The tokens with :math:`q_x \ge \beta`, as a mask (..., V); where there are none, the most likely one.

    Parameters
    ----------
    q : laws (..., V)
    threshold : number or array (...)
        any real number.  Ties at the threshold are kept; at 0 and below every token is kept, also those of
        probability 0.
    keep_top : bool
        the reading of a threshold above the largest probability: True keeps the most likely token (of equal ones the
        lower number), False keeps nothing, as Eq. 6 says literally: the dropped mass is 1 and nothing can be drafted.

    Raises ValueError when the threshold is NaN.

    SQS, Eq. 6.

    >>> q = np.array([0.5, 0.25, 0.25])
    >>> threshold_mask(q, 0.25).tolist(), threshold_mask(q, 0.75).tolist()
    ([True, True, True], [True, False, False])
    >>> threshold_mask(q, 0.75, keep_top=False).tolist()
    [False, False, False]
    """
    edge = check_threshold(threshold)[..., None]
    mask = q >= edge
    empty = ~mask.any(axis=-1, keepdims=True)
    if keep_top and empty.any():
        mask = mask | (empty & top_mask(q, 1))
    return mask


def dropped_mass(q: Array, mask: Array) -> Array:
    r"""Mass outside the kept tokens, :math:`\sum_{x \notin X} q_x`, which equals :math:`\mathrm{TV}(q, \tilde q)`.

    An empty mask drops everything.  Claim ``sqs.dropped-mass`` (SQS, Lemma 1).

    >>> float(dropped_mass(np.array([0.5, 0.25, 0.25]), np.array([True, True, False])))
    0.25
    """
    return np.where(_subset(mask, q), 0, q).sum(axis=-1)


def sparsify(q: Array, mask: Array) -> Array:
    r"""The law restricted to the kept tokens, :math:`\tilde q = \mathrm{norm}(q 1_X)` (SQS, Eq. 17).

    Raises ValueError when a row of the mask keeps no token, or only tokens of probability 0.

    >>> sparsify(np.array([0.5, 0.25, 0.25]), np.array([False, True, True])).tolist()
    [0.0, 0.5, 0.5]
    """
    masked = np.where(check_mask(_subset(mask, q), q.shape[-1], "mask"), q, 0)
    if not (unchecked.total(masked) > 0).all():
        raise ValueError("mask: the tokens of some row have no mass; expected one of positive probability in each row")
    return unchecked.normalise(masked)


# ---- the lattice ----


def quantise(law: Array, resolution: int, mask: Array | None = None) -> Array:
    r"""Counts of the nearest lattice point: :math:`b_x \ge 0` on the mask with :math:`\sum_x b_x = \ell`.

    :math:`b_x = \lfloor \ell\,\tilde q_x + 1/2 \rfloor`; while the sum is too large (small), one is taken from (given
    to) the tokens where rounding went up (down) most: the largest (smallest) :math:`\zeta_x = b_x - \ell\,\tilde q_x`,
    of equal ones the lower number first.

    Parameters
    ----------
    law : laws (..., V); sparsified: no mass outside the mask
    resolution : int; ℓ >= 1
    mask : bool array, broadcast to (..., V), optional; the kept tokens (default: all)

    Returns
    -------
    array (..., V)
        int64 for floats, fractions with denominator 1 for exact laws, so that ``quantise(law, l) / l`` is the
        quantised law.  Floats are first scaled, in float64, to sum to one, so that the counts sum to ℓ whatever the
        rounding of the law; which of two equally near points is taken may depend on that rounding.

    Raises ValueError for something that is not a law, ℓ < 1 (or ℓ >= 2^44 on floats), a mask without tokens or mass
    outside it.

    SQS, Algorithm 2 applied to the normalised vector; `quantise_printed` is the algorithm as printed.  Claims
    ``sqs.lattice``, ``sqs.lattice-optimal``.

    >>> quantise(np.array([0.625, 0.375]), 2).tolist()
    [1, 1]
    >>> quantise(np.array([0.5, 0.25, 0.25]), 2).tolist()  # rounded to (1, 1, 1): one too many
    [1, 0, 1]
    """
    resolution = check_resolution(resolution)
    law = check_law(law, "law")
    inside = np.ones(law.shape, dtype=bool)
    if mask is not None:
        inside = inside & check_mask(_subset(mask, law), law.shape[-1], "mask")
        if (np.where(inside, 0, law) != 0).any():
            raise ValueError("law: mass outside the mask; expected a law sparsified to it")
    if not is_exact(law):
        if resolution >= 2**44:
            raise ValueError(f"resolution: {resolution}; expected less than 2^44 for floats (use fractions)")
        law = law.astype(np.float64)
        law = law / law.sum(axis=-1, keepdims=True)
    return _rounded(resolution * law, inside, resolution)


def quantise_printed(q: Array, k: int, resolution: int) -> Array:
    r"""Counts that Algorithm 2 gives step by step as printed: on the k largest values of q, not normalised.

    :math:`b_x = \lfloor \ell q_x + 1/2 \rfloor`, :math:`\ell' = \sum b_x`; then the :math:`|\ell' - \ell|` largest
    (smallest) ζ lose (gain) one.  Where :math:`|\ell' - \ell| > k` each of the k changes by one and that is all: the
    counts do not sum to ℓ.  Types, ties and errors as in `quantise`; claim ``sqs.algorithm-printed``.

    >>> quantise_printed(np.array([0.5, 0.25, 0.25]), 1, 8).tolist()  # 4 of 8; one more is all it can give
    [5, 0, 0]
    """
    resolution = check_resolution(resolution)
    q = check_law(q, "q")
    scaled = resolution * (q if is_exact(q) else q.astype(np.float64))
    return _rounded(scaled, top_mask(q, k), resolution)


def _rounded(scaled: Array, inside: Array, resolution: int) -> Array:
    """Lines 6 to 16 of Algorithm 2 on the scaled values inside the mask."""
    low = np.floor(scaled)
    counts = np.where(inside, low + np.where(2 * (scaled - low) >= 1, 1, 0), 0)
    error = counts - scaled
    excess = (counts.sum(axis=-1, keepdims=True) - resolution).astype(np.int64)
    for sign in (1, -1):  # gain one where the sum is too small, lose one where it is too large
        number = np.clip(-sign * excess, 0, inside.sum(axis=-1, keepdims=True))
        if number.any():
            ranked = np.where(inside, sign * error, 2)  # an error is at most 1/2: tokens outside come last
            last = np.maximum(number, 1) - 1
            edge = np.take_along_axis(np.partition(ranked, np.unique(last), axis=-1), last, axis=-1)
            counts = counts + np.where(_first_up_to(ranked, edge, number), sign, 0)
    return exact(counts) if is_exact(scaled) else counts.astype(np.int64)


def _first_up_to(values: Array, edge: Array, number: Scalar | Array) -> Array:
    """The `number` smallest values of each row (of equal ones the first), when `edge` is the largest of them."""
    below = values < edge
    level = values == edge
    free_places = number - below.sum(axis=-1, keepdims=True)
    return below | (level & (np.cumsum(level, axis=-1) <= free_places))


# ---- methods ----


def quantised_law(q: Array, mask: Array, resolution: int) -> Array:
    r"""The law that is sent and drafted from, :math:`\hat q = b / \ell`: sparsified to the mask, then quantised.

    What `sqs`, `dense_sqs` and `csqs` propose.

    >>> quantised_law(np.array([0.5, 0.25, 0.25]), np.array([True, True, False]), 4).tolist()
    [0.75, 0.25, 0.0]
    """
    law = quantise(sparsify(q, mask), resolution, mask) / resolution
    return law if is_exact(law) or q.dtype.kind != "f" else law.astype(q.dtype, copy=False)


def sqs(k: int, resolution: int) -> Method:
    r"""K-SQS: draft from the quantised law of the k most likely tokens; verify as in speculative decoding.

    Parameters
    ----------
    k : int; kept tokens, 1 <= k <= V
    resolution : int; ℓ >= 1: probabilities are sent as multiples of 1/ℓ

    Raises ValueError for k < 1 or ℓ < 1 at once, for k > V when a law is proposed; for masses of floats that are
    negative or NaN, kept or not.

    SQS, Section 2.  Lossless (claim ``sqs.lossless``), as the draft is drawn from the law the verifier is told.

    >>> sqs(k=2, resolution=4).propose(np.array([0.5, 0.25, 0.25])).tolist()
    [0.75, 0.25, 0.0]
    """
    whole_number("k", k, 1, None, "a number of tokens >= 1")
    check_resolution(resolution)

    def propose(q: Array) -> Array:
        return top_law(q, k, resolution) if takes(q) else quantised_law(q, top_mask(q, k), resolution)

    return replace(SD, propose=propose).made_by(sqs, k, resolution)


def dense_sqs(resolution: int) -> Method:
    """Quantise and sample without sparsification (QS): every token is kept, the control of `sqs`.

    >>> dense_sqs(4).propose(np.array([0.5, 0.25, 0.25])).tolist()
    [0.5, 0.25, 0.25]
    """
    check_resolution(resolution)

    def propose(q: Array) -> Array:
        if takes(q):
            return top_law(q, q.shape[-1], resolution)
        return quantised_law(q, np.ones(q.shape, dtype=bool), resolution)

    return replace(SD, propose=propose).made_by(dense_sqs, resolution)


def _subset(mask: Array, law: Array) -> Array:
    """A boolean mask that broadcasts with the laws (it may be empty)."""
    mask = np.asarray(mask)
    if mask.dtype != bool or mask.ndim == 0 or mask.shape[-1] != law.shape[-1]:
        raise ValueError(
            f"mask: shape {mask.shape}, dtype {mask.dtype}; expected booleans, one for each of {law.shape[-1]} tokens"
        )
    return mask
