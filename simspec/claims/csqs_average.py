"""Claims about the average mass that C-SQS drops: Theorem 2, its rates, and what holds for every step size.

Both readings of an empty set are tried in every instance, and every T up to the length of the text.
"""

from __future__ import annotations

from fractions import Fraction as F
from math import isqrt
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Evidence, Instance, at_most
from simspec.claims.csqs_parts import (
    HALVES,
    ONE,
    averages,
    both,
    distances,
    number,
    part,
    positive,
    rates,
    run,
    sequence,
    steps,
)
from simspec.claims.data import Data
from simspec.claims.draw import Draw
from simspec.claims.sd import law
from simspec.laws import Array

__all__ = ["CLAIMS"]


def _mean_dropped(q: Array, start: Any, step_size: Any, dropped_target: Any) -> Array:
    return both(lambda top: averages(run(q, start, step_size, dropped_target, top).dropped))


def _tokens(q: Array) -> Array:
    return np.arange(1, len(q) + 1)


SUM_BOUND = Claim(
    name="csqs.sum-bound",
    kind="bound",
    statement=r"$\sum_{n \le T} \mathrm{TV}(\tilde q_n, q_n) \le \alpha T + (|\beta_0| + 1 + \eta)/\eta$",
    reference="SQS, Eq. 28",
    instances=steps,
    lhs=lambda q, start, step_size, dropped_target: both(
        lambda top: distances(q, run(q, start, step_size, dropped_target, top)).cumsum()
    ),
    rhs=lambda q, start, step_size, dropped_target: (
        dropped_target * _tokens(q) + (abs(start) + 1 + step_size) / step_size
    ),
    relation=at_most,
    corrected_by=("csqs.average-dropped-sharp",),
    note="β_T ≥ min(β₀, −η(1 − α)), from any start and in both readings; so β₀ − β_T ≤ |β₀| + η. The 1 is not needed "
    "(csqs.average-dropped-sharp).",
)

AVERAGE = Claim(
    name="csqs.average-dropped",
    kind="bound",
    statement=r"For any $\eta > 0$: $\frac1T \sum_{n \le T} \alpha_n \le \alpha + \frac{|\beta_1| + 1 + \eta\alpha}{\eta T}$",
    reference="SQS, Theorem 2",
    instances=steps,
    lhs=_mean_dropped,
    rhs=lambda q, start, step_size, dropped_target: (
        dropped_target + (abs(start) + 1 + step_size * dropped_target) / (step_size * _tokens(q))
    ),
    relation=at_most,
    corrected_by=("csqs.average-dropped-corrected", "csqs.average-dropped-sharp"),
    note="One token may drop all, or 1 − 1/V in the keep-top reading (flat law, β₁ = 1, η = 16, α = 1/8: ½ against 3/8), "
    "and for "
    "a large η the bound at T = 1 is near 2α. The proof needs η where the theorem has ηα, as Eq. 28 has it.",
)

SMALL = "η(1 − 2α) is at most 1 + |β₁| − β₁"


def _small(start: Any, step_size: Any, dropped_target: Any) -> bool:
    rounding = 0 if isinstance(start, F) else 1e-12
    return bool(step_size * (1 - 2 * dropped_target) <= (1 + abs(start) - start) * (1 + rounding))


def _small_steps(draw: Draw) -> Instance:
    drawn = dict(steps(draw))
    alpha, start = drawn["dropped_target"], drawn["start"]
    if 2 * alpha < 1:
        drawn["step_size"] = number(draw, "1/8", 1) * (1 + abs(start) - start) / (1 - 2 * alpha)
    return drawn


AVERAGE_CORRECTED = Claim(
    name="csqs.average-dropped-corrected",
    kind="bound",
    statement=r"$\frac1T \sum_{n \le T} \alpha_n \le \alpha + \frac{|\beta_1| + 1 + \eta\alpha}{\eta T}$ when "
    r"$\eta(1 - 2\alpha) \le 1 + |\beta_1| - \beta_1$: whenever $\eta \le 1$ or $\alpha \ge \tfrac12$",
    reference="correction of SQS Theorem 2",
    instances=_small_steps,
    assumes={SMALL: _small},
    lhs=_mean_dropped,
    rhs=AVERAGE.rhs,
    relation=at_most,
    outside={SMALL: {"q": HALVES, "start": F(1), "step_size": F(16), "dropped_target": F(1, 8)}},
    note="Then β₁ + η(1 − α) ≤ |β₁| + 1 + ηα, and csqs.average-dropped-sharp applies.",
)


def _overshoot(q: Array, start: Any, most: Any, step_size: Any, dropped_target: Any) -> Any:
    """Largest fall β₁ − β_{T+1} when at most the mass `most` is ever dropped."""
    return max(start * 0, start, start + step_size * (most - dropped_target) - part(q))


def _falls(q: Array, start: Any, step_size: Any, dropped_target: Any) -> Array:
    """The bounds of each reading: with V, and without."""
    share, found = step_size * _tokens(q), []
    for most in (1, 1 - part(q)):
        plain = positive(start + step_size * (most - dropped_target))
        found.append([_overshoot(q, start, most, step_size, dropped_target) / share, plain / share])
    return dropped_target + np.array(found)


AVERAGE_SHARP = Claim(
    name="csqs.average-dropped-sharp",
    kind="bound",
    statement=r"For any $\eta > 0$ and any start, read literally: $\frac1T \sum_{n \le T} \alpha_n \le \alpha + "
    r"\frac{\max(0,\, \beta_1,\, \beta_1 + \eta(1 - \alpha) - 1/V)}{\eta T}$ and $\le \alpha + "
    r"\frac{(\beta_1 + \eta(1 - \alpha))_+}{\eta T}$; keep-top: both with $1 - 1/V - \alpha$ for $1 - \alpha$",
    reference="own statement, sharpening SQS Theorem 2",
    instances=steps,
    lhs=lambda q, start, step_size, dropped_target: _mean_dropped(q, start, step_size, dropped_target)[:, None],
    rhs=_falls,
    relation=at_most,
    note="(1/T)Σα_n = α + (β₁ − β_{T+1})/(ηT), and csqs.threshold-range.literal-sharp bounds β_{T+1} from below; if "
    "1 − 1/V < α, keep-top never falls. The first bound is approached, not attained: flat laws and β₁ just above 1/V at T = "
    "1; "
    "csqs.largest-excess has β₁ − α/(V − 1) for its β₁. "
    "At the paper's η = 0.001, α = 0.0005 and β₁ = 0 the printed bound falls to 2α at two million tokens, this one at two "
    "thousand.",
)

# --- rates -----------------------------------------------------------------------------------------------------------


def _fitted(data: Data) -> list[Evidence]:
    """Slope of log(largest |average − α| from T on) over log T, on three laws in random order."""
    q = np.stack([np.array([0.5, 0.5]), np.array([0.95, 0.05]), np.array([0.7, 0.3])])
    laws = q[np.random.default_rng(data.seed).integers(3, size=3000)]
    gap = abs(averages(run(laws, 0.5, 0.25, 0.1, False).dropped) - 0.1)
    worst = np.maximum.accumulate(gap[::-1])[::-1]
    at = np.unique(np.geomspace(10, 1500, 40).astype(int))
    slope = float(np.polyfit(np.log(at), np.log(worst[at - 1]), 1)[0])
    return [
        Evidence("exponent of T in |average − α|, three laws at random, literal", None, len(laws), slope, None, None)
    ]


ASYMPTOTIC = Claim(
    name="csqs.asymptotic",
    kind="rate",
    statement=r"For a fixed $\eta > 0$: $\frac1T \sum_{n \le T} \alpha_n \le \alpha + \frac{C}{T}$ for all $T$, with "
    r"$C = |\beta_1|/\eta + 1$",
    reference="SQS, Eqs. 7 and 29",
    instances=steps,
    lhs=_mean_dropped,
    rhs=lambda q, start, step_size, dropped_target: dropped_target + (abs(start) / step_size + 1) / _tokens(q),
    relation=at_most,
    evidence=_fitted,
    corrected_by=("csqs.asymptotic-sharp",),
    note="csqs.average-dropped-sharp with C no less than (β₁ + η(1 − α))₊/η; any start, both readings.",
)


def _gaps(q: Array, start: Any, step_size: Any, dropped_target: Any, keep_top: bool) -> Array:
    """How far the average is below and above α."""
    mean = averages(run(q, start, step_size, dropped_target, keep_top).dropped)
    return np.stack([dropped_target - mean, mean - dropped_target])


ASYMPTOTIC_SHARP = Claim(
    name="csqs.asymptotic-sharp",
    kind="rate",
    statement=r"Read literally the average converges to $\alpha$: $\alpha - \frac{(1 + \eta\alpha - \beta_1)_+}{\eta T} \le "
    r"\frac1T \sum_{n \le T} \alpha_n \le \alpha + \frac{(\beta_1 + \eta(1 - \alpha))_+}{\eta T}$",
    reference="own statement, sharpening SQS Eqs. 7 and 29",
    instances=lambda draw: {**steps(draw), "keep_top": False},
    assumes={"nothing is kept where no probability reaches β": lambda keep_top: not keep_top},
    lhs=_gaps,
    rhs=lambda q, start, step_size, dropped_target: np.stack(
        [
            positive(1 + step_size * dropped_target - start) / (step_size * _tokens(q)),
            positive(start + step_size * (1 - dropped_target)) / (step_size * _tokens(q)),
        ]
    ),
    relation=at_most,
    tight=({"q": ONE, "start": F(1), "step_size": F(1), "dropped_target": F(1, 2), "keep_top": False},),
    outside={
        "nothing is kept where no probability reaches β": {
            **{"q": np.stack([law(1)] * 2), "start": F(1), "step_size": F(1), "dropped_target": F(1, 2)},
            "keep_top": True,
        }
    },
    note="csqs.threshold-range.any-start-corrected, both ends. In the keep-top reading the lower end fails: certain draft "
    "laws "
    "drop nothing for ever.",
)


def _roots(draw: Draw) -> Instance:
    """T = S² tokens, so that √T is exact; few different laws."""
    if draw.exact:
        root, pool = draw.integer(1, 3), sequence(draw, 3)
        q = np.stack([pool[n % len(pool)] for n in range(root**2)])
    else:
        q = sequence(draw)
        root = isqrt(len(q))
        q = q[: root**2]
    start, drawn = number(draw, 0, 2) - draw.integer(0, 2), rates(draw)
    return {"q": q, "root": root, "start": start, "c": drawn["step_size"], "d": root * drawn["dropped_target"]}


def _at_root(q: Array, root: int, start: Any, c: Any, d: Any, keep_top: bool) -> Array:
    dropped = run(q, start, c / root, d / root, keep_top).dropped
    return np.array([abs(averages(dropped)[-1] - d / root), dropped.sum()])


def _orders(root: int, start: Any, c: Any, d: Any) -> Array:
    constant = max(d, positive(start) / c + (1 - d / root) / root)
    return np.array([constant / root, (constant + d) * root])


SQRT_RATE = Claim(
    name="csqs.sqrt-rate",
    kind="rate",
    statement=r"With $\eta = cT^{-1/2}$ and $\alpha = dT^{-1/2} < 1$: $\big|\frac1T \sum_{n \le T} \alpha_n - \alpha\big| "
    r"\le "
    r"C T^{-1/2}$ and $\sum_{n \le T} \alpha_n \le (C + d) \sqrt T$, with "
    r"$C = \max\big(d,\ (\beta_1)_+/c + (1 - \alpha)T^{-1/2}\big)$",
    reference="SQS, Eq. 30",
    instances=_roots,
    lhs=lambda q, root, start, c, d: both(lambda top: _at_root(q, root, start, c, d, top)),
    rhs=_orders,
    relation=at_most,
    tight=({"q": np.stack([law(1)] * 4), "root": 2, "start": F(0), "c": F(1), "d": F(1)},),
    note="Above: csqs.average-dropped-sharp divided out. Below: an average is not negative, so it misses α by at most α, "
    "which "
    "is of the order claimed; certain draft laws attain that. As α is of this order too, Eq. 30 says no more than that the "
    "average is O(T^−½).",
)


CLAIMS = (SUM_BOUND, AVERAGE, AVERAGE_CORRECTED, AVERAGE_SHARP, ASYMPTOTIC, ASYMPTOTIC_SHARP, SQRT_RATE)
