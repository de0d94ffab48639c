"""The threshold stays between −η(1 − α) and 1 + ηα.

`csqs.threshold-range`, with its readings, its correction and its sharper forms: SQS, Lemma 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, bound, broken, law, other_claim
from simspec.claims.claim import Printed
from simspec.claims.csqs.parts import (
    CERTAIN,
    HALVES,
    INSIDE,
    ONE,
    along,
    number,
    part,
    rates,
    sequence,
    steps,
    without_start,
)
from simspec.laws import Scalar
from simspec.methods.csqs.conformal import Drafting, draft_thresholds

RANGE = r"$-\eta(1 - \alpha) \le \beta_n \le 1 + \eta\alpha$ for all $n \ge 0$"


def _out(path: Drafting) -> Array:
    """How far down and how far up, at each token from the start."""
    return np.stack([-path.thresholds, path.thresholds])


def _range(step_size: Scalar, dropped_target: Scalar) -> Array:
    return np.array([[step_size * (1 - dropped_target)], [1 + step_size * dropped_target]])


def _inside(draw: Draw) -> Instance:
    instance = {"q": sequence(draw), **rates(draw)}
    share = number(draw, 0, 1)
    eta = instance["step_size"]
    alpha = instance["dropped_target"]
    return {**instance, "start": share * (1 + eta * alpha) - (1 - share) * eta * (1 - alpha)}


def _starts_inside(start: Scalar, step_size: Scalar, dropped_target: Scalar) -> bool:
    rounding = 0 if isinstance(start, F) else 1e-12
    low = -step_size * (1 - dropped_target)
    high = 1 + step_size * dropped_target
    return bool(low - rounding <= start <= high + rounding)


SENTENCE = Printed(
    place="SQS, Lemma 4",
    text="The sequence … is uniformly bounded",
    read="Eq. 27: from any start; from a start within the range, with an empty set allowed, or the most "
    "likely token kept.",
)

ANY_START = bound(
    name="csqs.threshold-range.any-start",
    statement=RANGE + r", from any $\beta_0$",
    reference="SQS, Lemma 4",
    instances=steps,
    lhs=along(_out),
    rhs=_range,
    within=({"q": HALVES, "start": F(1001, 1000), "step_size": F(1, 1000), "dropped_target": F(1, 2000)},),
    corrected_by=("csqs.threshold-range.any-start-corrected", "csqs.threshold-range.literal-sharp"),
    note="The start itself is unrestricted in Algorithm 1 and breaks the range at n = 0, and it stays out for as many tokens "
    "as one likes when it lies far out. In the keep-top reading there is no upper bound at all.",
    printed=SENTENCE,
)


def _mended_range(q: Array, start: Scalar, step_size: Scalar, dropped_target: Scalar) -> Array:
    counts: Array = np.arange(len(q) + 1)
    ramp: Array = step_size * dropped_target * counts
    low = 0 * ramp + min(start, -step_size * (1 - dropped_target))
    tops = (0 * ramp + max(start, 1 + step_size * dropped_target), start + ramp)
    return np.stack([np.stack([-low, top]) for top in tops])


ANY_START_CORRECTED = bound(
    name="csqs.threshold-range.any-start-corrected",
    statement=r"From any $\beta_0$: $\min(\beta_0, -\eta(1 - \alpha)) \le \beta_n$, and $\beta_n \le \max(\beta_0, 1 + "
    r"\eta\alpha)$ read literally, $\beta_n \le \beta_0 + n\eta\alpha$ in the keep-top reading",
    reference="correction of SQS Lemma 4",
    instances=steps,
    lhs=ANY_START.lhs,
    rhs=_mended_range,
    tight=({"q": ONE, "start": F(1), "step_size": F(1), "dropped_target": F(1, 2)},),
    note="At β ≤ 0 everything is kept and β rises, from β > 0 it falls by at most η(1 − α); read literally it falls whenever "
    "β > 1. Keep-top rises without end on draft laws that are one point.",
    broken=[
        Broken("the start is left out", lambda claim: {"rhs": without_start(claim.rhs)}),
        Broken("the printed right side", lambda _: {"rhs": other_claim("csqs.threshold-range.any-start").rhs}),
    ],
)


def _small_range(step_size: Scalar, dropped_target: Scalar) -> Array:
    return np.array([[step_size * (1 - dropped_target)], [F(1)]])


LITERAL = bound(
    name="csqs.threshold-range.literal",
    statement=RANGE + r", from a $\beta_0$ in this range; nothing is kept when no probability reaches $\beta_n$",
    reference="SQS, Lemma 4",
    instances=_inside,
    assumes={INSIDE: _starts_inside},
    lhs=lambda q, start, step_size, dropped_target: _out(draft_thresholds(q, start, step_size, dropped_target, False)),
    rhs=_range,
    tight=({"q": ONE, "start": F(1), "step_size": F(1), "dropped_target": F(1, 2)},),
    outside={INSIDE: {"q": ONE, "start": F(2), "step_size": F(1), "dropped_target": F(1, 2)}},
    corrected_by=("csqs.threshold-range.literal-sharp",),
    note="β ≤ 0 keeps everything and rises by ηα; β in (0, 1] moves at most η(1 − α) down and ηα up; β > 1 keeps "
    "nothing and falls. The upper end is attained on a law that is one point.",
    printed=SENTENCE,
    broken=[
        broken("a range that is too small", rhs=_small_range),
        broken("paths outside the assumption", assumes={}, instances=steps),
        Broken(
            "the path that always keeps the top token",
            lambda _: {"lhs": other_claim("csqs.threshold-range.keep-top").lhs},
        ),
    ],
)


def _least(q: Array, start: Scalar, most: Scalar, step_size: Scalar, dropped_target: Scalar) -> Any:
    """Lower bound on every threshold when at most the mass `most` is ever dropped."""
    return min(start, start * 0, part(q) - step_size * (most - dropped_target))


LITERAL_SHARP = bound(
    name="csqs.threshold-range.literal-sharp",
    statement=r"From any $\beta_0$, read literally: $\beta_n \ge \min(\beta_0, 0, 1/V - \eta(1 - \alpha))$; keep-top: "
    r"$\beta_n \ge \min(\beta_0, 0, 1/V - \eta(1 - 1/V - \alpha))$",
    reference="own statement, sharpening SQS Lemma 4",
    instances=steps,
    lhs=along(lambda out: -out.thresholds.min()),
    rhs=lambda q, start, step_size, dropped_target: np.stack(
        [-_least(q, start, most, step_size, dropped_target) for most in (1, 1 - part(q))]
    ),
    tight=({"q": ONE, "start": F(0), "step_size": F(1), "dropped_target": F(1, 2)},),
    note="In (0, 1/V] at most V − 1 tokens, each below β, are dropped: no more than (V − 1)β; from there to max q at "
    "most 1 − β; above max q ≥ 1/V everything, or 1 − max q. The last value is approached from flat laws and β just "
    "above 1/V; over two tokens or more csqs.lowest-threshold has α/(V − 1) for 0.",
    broken=[broken("the lower end in place of both ends", rhs=lambda start: np.array([-min(start, 0)] * 2))],
)

KEEP_TOP = bound(
    name="csqs.threshold-range.keep-top",
    statement=RANGE
    + r", from a $\beta_0$ in this range; the most likely token is kept when no probability reaches $\beta_n$",
    reference="SQS, Lemma 4",
    instances=_inside,
    assumes={INSIDE: _starts_inside},
    lhs=lambda q, start, step_size, dropped_target: _out(draft_thresholds(q, start, step_size, dropped_target, True)),
    rhs=_range,
    outside={INSIDE: {"q": ONE, "start": F(2), "step_size": F(1), "dropped_target": F(1, 2)}},
    within=(
        {
            "q": np.stack([law("9999/10000", "1/10000")]),
            **{"start": 1 + F(1, 2 * 10**6), "step_size": F(1, 1000), "dropped_target": F(1, 2000)},
        },
    ),
    corrected_by=("csqs.threshold-range.any-start-corrected", "csqs.threshold-range.keep-top-sharp"),
    note="A draft law that is one point drops nothing at any threshold, so β rises by ηα at every such token. Above "
    "max q the threshold falls only if 1 − max q exceeds α.",
    printed=SENTENCE,
)


def _uncertain(draw: Draw) -> Instance:
    q = sequence(draw)
    q = q if q.shape[-1] > 1 else np.concatenate([q, q * 0], axis=-1)
    q = (q + part(q)) / 2
    instance = rates(draw)
    alpha = (1 - q.max()) * instance["dropped_target"]
    return {"q": q, "start": number(draw, 0, 1) - draw.integer(0, 1), **instance, "dropped_target": alpha}


KEEP_TOP_SHARP = bound(
    name="csqs.threshold-range.keep-top-sharp",
    statement=r"From any $\beta_0$ and in both readings $\beta_n \le \max(\beta_0, \tfrac12 + \eta\alpha)$ when "
    r"$\max_x q_n(x) \le 1 - \alpha$ for every $n$",
    reference="own statement, in place of the upper bound of SQS Lemma 4",
    instances=_uncertain,
    assumes={CERTAIN: lambda q, dropped_target: bool((q.max(axis=-1) <= 1 - dropped_target).all())},
    lhs=along(lambda out: out.thresholds.max()),
    rhs=lambda start, step_size, dropped_target: max(2 * start, 1 + 2 * step_size * dropped_target) / 2,
    tight=({"q": HALVES, "start": F(1, 2), "step_size": F(1), "dropped_target": F(1, 4)},),
    outside={CERTAIN: {"q": ONE, "start": F(1), "step_size": F(1), "dropped_target": F(1, 2)}},
    note="Whoever keeps one token, or none, drops at least 1 − max q ≥ α, and β does not rise. It rises only where two "
    "tokens reach it: β ≤ ½.",
    broken=[
        broken("paths outside the assumption", assumes={}, instances=steps),
        broken(
            "an upper end near 1/4",
            rhs=lambda start, step_size, dropped_target: max(start, F(1, 4) + step_size * dropped_target),
        ),
    ],
)
