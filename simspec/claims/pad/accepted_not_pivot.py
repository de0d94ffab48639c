"""`pad.accepted-not-pivot`, with its correction: PAD A.1, inductive step."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, exact, identity, law
from simspec.claims.claim import Printed
from simspec.claims.pad.parts import bits, classifier_last, described
from simspec.methods import pivots


def _valued(draw: Draw) -> dict[str, Any]:
    """One context: laws, what the target's text is worth after each token, and false alarms of the classifier."""
    n = draw.vocab()
    p, q = draw.pair(n)
    if draw.exact:
        after = exact([draw.integer(0, 1) if draw.integer(0, 1) else draw.number(0, 1) for _ in range(n)])  # noqa: FURB110 - two draws
    else:
        after = np.random.default_rng(draw.integer(0, 2**31 - 1)).random(n)
    return {"p": p, "q": q, "after": after, "extra": bits(draw, *p.shape)}


def _accepted(p: Array, q: Array, after: Array, extra: Array) -> tuple[Array, Array, Array]:
    """Mass accepted by SD and by override, for a classifier that misses no pivot; and the pivots."""
    here = np.atleast_1d((p * after).sum(axis=-1))
    true = pivots(here, np.broadcast_to(after, p.shape)).reshape(p.shape)
    by_coin, by_override, _, _ = described(classifier_last, p, q, true | extra)
    return by_coin, by_override, true


def _accepted_pivots(p: Array, q: Array, after: Array, extra: Array) -> Array:
    by_coin, by_override, true = _accepted(p, q, after, extra)
    return np.where(true, by_coin + by_override, 0).sum(axis=-1)


ACCEPTED_NOT_PIVOT = identity(
    name="pad.accepted-not-pivot",
    statement="At 100 % recall an accepted token is not a pivot: pivots are accepted with probability zero",
    reference="PAD A.1, inductive step",
    instances=_valued,
    lhs=_accepted_pivots,
    rhs=lambda p: p.sum(axis=-1) * 0,
    within=({"p": law("1/2", "1/2"), "q": law("1/4", "3/4"), "after": law(1, 0), "extra": np.array([False, False])},),
    corrected_by=("pad.accepted-not-pivot-corrected",),
    note="A pivot follows standard SD, which accepts it with probability min(1, p/d): the target writes pivots too.",
    printed=Printed(
        place="PAD A.1, inductive step",
        text="If … is accepted by …, it must not be an pivot token.",
        read="Pivots are accepted with probability zero at full recall.",
    ),
)


def _worth_less(p: Array, after: Array) -> Array:
    """Tokens worth less than the mean; floats nearer than 256 ulps of one are equal, or the rounding of a sum would decide."""
    loss = (p * after).sum(axis=-1, keepdims=True) - after
    return loss > (256 * np.finfo(loss.dtype).eps if loss.dtype.kind == "f" else 0)


def _accepted_split(p: Array, q: Array, after: Array, extra: Array) -> Array:
    by_coin, by_override, true = _accepted(p, q, after, extra)
    return np.stack([np.where(true, by_override, 0).sum(axis=-1), np.where(true, by_coin, 0).sum(axis=-1)])


ACCEPTED_NOT_PIVOT_CORRECTED = identity(
    name="pad.accepted-not-pivot-corrected",
    statement=r"At 100 % recall a token accepted *against SD* is not a pivot, and SD accepts pivots with probability exactly "
    r"$\sum_{x\ \mathrm{pivot}} \min(p(x), d(x))$",
    reference="correction of PAD A.1, inductive step",
    instances=_valued,
    lhs=_accepted_split,
    rhs=lambda p, q, after: np.stack([p.sum(axis=-1) * 0, (np.minimum(p, q) * _worth_less(p, after)).sum(axis=-1)]),
    note="An override needs the label non-pivot, and no pivot has it; a flagged draft x passes its coin with mass min(p, d).",
)
