r"""C-SQS: a threshold on the draft's probabilities, moved after every token by online conformal prediction.

The state is one number, so Algorithm 1 is pure functions: thresholds over the drafts of a batch (`draft_thresholds`),
the one that the next batch starts from (`checkpoint`), and the same over a whole text from sorted laws
(`threshold_path` in `simspec.methods.csqs.thresholds`).  Positions
count from 0: ``thresholds[n]`` was in force when token n was drafted.  Source: Bhattacharjee et al. 2025 (SQS;
`simspec cite csqs` prints the paper), Section 3.

Edges.  Tokens at the threshold are kept; at 0 and below all are, with dropped mass 0, so the threshold rises by
:math:`\eta\alpha`.  Above the largest probability nothing is kept when read literally (``keep_top=False``): the dropped
mass is 1 and nothing can be drafted, so a batch ends before that position; `checkpoint` then moves the threshold down
by :math:`\eta(1 - \alpha)`, so that drafting resumes.  With ``keep_top=True`` the most likely token is kept: the
dropped mass is :math:`1 - \max q`, and a draft law that is one point lets the threshold rise for ever.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from simspec.laws import Array, Scalar, check_law
from simspec.methods.csqs.thresholds import check_rates, check_start, update
from simspec.methods.method import Method
from simspec.methods.sd import SD
from simspec.methods.sqs.lattice_laws import above_law, takes
from simspec.methods.sqs.payload import check_resolution
from simspec.methods.sqs.quantised import check_threshold, dropped_mass, quantised_law, threshold_mask

__all__ = [
    "Drafting",
    "Rejections",
    "checkpoint",
    "checkpoint_printed",
    "count_rejections",
    "csqs",
    "draft_thresholds",
    "update",
]


def csqs(threshold: Scalar | Array, resolution: int, keep_top: bool = True) -> Method:
    r"""One step of C-SQS at a given threshold: draft from the quantised law of the tokens with :math:`q_x \ge \beta`.

    Parameters
    ----------
    threshold : number, or an array of the shape of the batch
    resolution : int; ℓ >= 1
    keep_top : bool; what a threshold above the largest probability means, see `threshold_mask`

    Raises ValueError for ℓ < 1 at once; when a law is proposed of which nothing is kept (``keep_top=False``).

    SQS, Eq. 6.  Lossless at every threshold that does not look at the token drawn (claim ``sqs.lossless``).

    >>> csqs(0.25, resolution=4).propose(np.array([0.625, 0.25, 0.125])).tolist()
    [0.75, 0.25, 0.0]
    """
    check_resolution(resolution)
    check_threshold(threshold)

    def propose(q: Array) -> Array:
        compiled = takes(q, threshold)
        proposed = above_law(q, threshold, resolution, keep_top) if compiled else threshold_mask(q, threshold, keep_top)
        if not proposed.any(axis=-1).all():
            raise ValueError(
                f"threshold: {threshold} lies above the largest probability of some law, so nothing can be drafted; "
                "expected a lower one, or keep_top=True"
            )
        return proposed if compiled else quantised_law(q, proposed, resolution)

    return replace(SD, propose=propose).made_by(csqs, threshold, resolution, keep_top)


# ---- one batch ----


class Drafting(NamedTuple):
    """Thresholds of a batch: `thresholds` (..., L + 1), `dropped` mass (..., L), `masks` of kept tokens (..., L, V)."""

    thresholds: Array
    dropped: Array
    masks: Array


def draft_thresholds(
    laws: Array, threshold: Scalar, step_size: Scalar, dropped_target: Scalar, keep_top: bool = True
) -> Drafting:
    r"""Lines 4 to 9 of Algorithm 1: the update (8) after every draft of a batch.

    Parameters
    ----------
    laws : laws (..., L, V)
        of the draft model at the positions of the batch; L + 1 of them when `checkpoint` has to follow for a batch of
        L drafts that may all be accepted.
    threshold : number or array (...); :math:`\beta_1`
    step_size : number > 0
        η.  A threshold that stays where it is is no C-SQS: use `csqs` or `kept_count` at that threshold.
    dropped_target : number in [0, 1]; α
    keep_top : bool
        see `threshold_mask`; when False, the batch ends before the first position whose row of `masks` is empty.

    Raises ValueError for something that is not a law, η <= 0, α outside [0, 1], or a threshold that is no finite
    number.

    >>> q = np.array([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]])
    >>> out = draft_thresholds(q, threshold=0.5, step_size=0.5, dropped_target=0.25)
    >>> out.thresholds.tolist(), out.dropped.tolist()
    ([0.5, 0.375, 0.25], [0.5, 0.5])
    """
    laws = check_law(laws, "laws")
    if laws.ndim < 2:
        raise ValueError(f"laws: shape {laws.shape}; expected (..., L, V), a law for each position of the batch")
    check_rates(step_size, dropped_target)
    current = np.broadcast_to(check_start(threshold), laws.shape[:-2])
    thresholds = [current]
    dropped = []
    masks = []
    for n in range(laws.shape[-2]):
        law = laws[..., n, :]
        masks.append(threshold_mask(law, current, keep_top))
        dropped.append(np.asarray(dropped_mass(law, masks[-1])))
        current = np.asarray(update(current, dropped[-1], step_size, dropped_target))
        thresholds.append(current)
    return Drafting(
        np.stack(thresholds, axis=-1),
        np.stack(dropped, axis=-1) if dropped else np.zeros(laws.shape[:-1], dtype=laws.dtype),
        np.stack(masks, axis=-2) if masks else np.zeros(laws.shape, dtype=bool),
    )


def checkpoint(thresholds: Array, accepted: int | Array) -> Array:
    r"""Threshold of the next batch: after the update (8) once over each accepted token and once over the new one.

    :math:`\beta^{t+1}_1 = \beta^t_{T+2}` for T accepted drafts (counted from 1 as in the paper).  The new token stands
    at the position of the first rejected draft, whose law is known, or after all drafts: then that law, which Algorithm 1
    never computes, is needed too.

    Parameters
    ----------
    thresholds : array (..., N + 1), of `draft_thresholds` over N laws
    accepted : int or int array (...); T, 0 <= T < N

    Raises ValueError for an `accepted` outside this range, as when all N drafts were accepted and the new token's law
    is missing.

    Mends line 12 of Algorithm 1 (claim ``csqs.checkpoint-corrected``); as printed: `checkpoint_printed`.

    >>> float(checkpoint(np.array([0.5, 0.375, 0.25]), accepted=1))
    0.25
    """
    number = thresholds.shape[-1] - 1
    at = _accepted(accepted, number - 1, "the law of the new token, which follows the accepted drafts, is needed too")
    return _take(thresholds, at + 1)


def checkpoint_printed(
    thresholds: Array,
    dropped: Array,
    accepted: int | Array,
    step_size: Scalar,
    dropped_target: Scalar,
    otherwise: Any = None,
) -> Array:
    r"""Threshold of the next batch by line 12 as printed, :math:`\beta_{T+1} = \beta_T - \eta(\alpha_T - \alpha)`.

    T and T + 1 count from 1: the line repeats the update of the last accepted draft, so the new token is not counted;
    for T = 0 it refers to a token 0 that does not exist.

    Parameters
    ----------
    thresholds, dropped : arrays (..., L + 1), (..., L), of `draft_thresholds`
    accepted : int or int array (...); T, 0 <= T <= L
    step_size, dropped_target : numbers
    otherwise : number or array (...), optional
        the result where T = 0; ``thresholds[..., 0]`` would be "start again where the batch began".

    Raises ValueError for T outside this range, and for T = 0 without `otherwise`.

    >>> float(checkpoint_printed(np.array([0.5, 0.375, 0.25]), np.array([0.5, 0.5]), 1, 0.5, 0.25))
    0.375
    """
    at = _accepted(accepted, dropped.shape[-1], "no more than were drafted")
    if otherwise is None and (at == 0).any():
        raise ValueError(
            "accepted: 0; expected at least 1, as line 12 refers to the last accepted draft (or `otherwise`)"
        )
    if not dropped.shape[-1]:
        return np.broadcast_to(np.asarray(otherwise), thresholds.shape[:-1])
    last = np.maximum(at, 1) - 1
    result = update(_take(thresholds, last), _take(dropped, last), step_size, dropped_target)
    return result if otherwise is None else np.where(at == 0, otherwise, result)[()]


# ---- rejections ----


class Rejections(NamedTuple):
    """`resampled` tokens (at most one a batch: N_rej of the paper) and all `discarded` drafts (N_tot-rej)."""

    resampled: Array | int
    discarded: Array | int


def count_rejections(lengths: Any, accepted: Any) -> Rejections:
    r"""Both counts of rejected tokens: :math:`\sum_t 1[T^t < L^t]` and :math:`\sum_t (L^t - T^t)`.

    A rejection discards the drafts after it too; they were never verified.  The resampling rate is the first count
    divided by the number of batches.

    Parameters
    ----------
    lengths : int array (..., batches); :math:`L^t`, drafts of each batch
    accepted : int array (..., batches); :math:`T^t`, of them accepted

    Raises ValueError unless :math:`0 \le T^t \le L^t` for whole numbers.

    SQS, Figure 3.

    >>> count_rejections([3, 3, 2], [0, 3, 1])
    Rejections(resampled=2, discarded=4)
    """
    drafted, accepted_counts = np.broadcast_arrays(lengths, accepted)
    for name, x in (("lengths", drafted), ("accepted", accepted_counts)):
        if x.dtype.kind not in "iu":
            raise ValueError(f"{name}: dtype {x.dtype}; expected whole numbers, one for each batch")
    if ((accepted_counts < 0) | (accepted_counts > drafted)).any():
        raise ValueError(f"accepted: {accepted}; expected between 0 and the number drafted, {lengths}")
    resampled = (accepted_counts < drafted).sum(axis=-1)
    discarded = (drafted - accepted_counts).sum(axis=-1)
    return Rejections(*(int(x) if np.ndim(x) == 0 else x for x in (resampled, discarded)))


# ---- checks ----


def _accepted(accepted: int | Array, limit: int, why: str) -> Array:
    at = np.asarray(accepted)
    if at.dtype.kind not in "iu" or (at < 0).any() or (at > limit).any():
        raise ValueError(f"accepted: {accepted}; expected whole numbers between 0 and {limit} ({why})")
    return at


def _take(x: Array, at: Array) -> Array:
    """x[..., at] row by row; a number when x is a single row."""
    column = np.broadcast_to(at, x.shape[:-1])[..., None]
    return np.take_along_axis(x, column, axis=-1)[..., 0][()]
