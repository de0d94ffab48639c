"""Claims about C-SQS's threshold that the paper does not make: sharp constants, two-sided guarantees, fixed thresholds, budgets.

All are own statements.  Where the readings of an empty set are not separate claims, both are tried in every instance.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_most
from simspec.claims.csqs_parts import HALVES, ONE, averages, both, number, part, positive, rates, run, sequence
from simspec.claims.csqs_parts import steps as any_text
from simspec.claims.csqs_range import CERTAIN, INSIDE
from simspec.claims.csqs_range import CLAIMS as RANGE
from simspec.claims.draw import Draw
from simspec.claims.sd import law
from simspec.laws import Array, exact, is_exact
from simspec.methods.sqs import dropped_mass, threshold_mask
from simspec.methods.threshold_rules import best_fixed_threshold, budget_path
from simspec.methods.thresholds import ranked

__all__ = ["CLAIMS"]

_range = {c.name: c for c in RANGE}
OWN = "own statement"


def _tokens(q: Array) -> Array:
    count = np.arange(1, len(q) + 1)
    return exact(count) if is_exact(q) else count


def _two_tokens(draw: Draw) -> Instance:
    """A text over at least two tokens."""
    drawn = any_text(draw)
    q = drawn["q"]
    return {**drawn, "q": q if q.shape[-1] > 1 else np.concatenate([q, 0 * q], axis=-1)}


# --- how far the threshold falls -------------------------------------------------------------------------------------


def _floor(q: Array, step_size: Any, dropped_target: Any, most: Any) -> Any:
    """What the threshold comes down to at most, from any start above it, when at most the mass `most` is ever dropped."""
    return min(dropped_target / (q.shape[-1] - 1), part(q) - step_size * (most - dropped_target))


def _floors(q: Array, step_size: Any, dropped_target: Any) -> list[Any]:
    return [_floor(q, step_size, dropped_target, most) for most in (1, 1 - part(q))]


LOWEST = Claim(
    name="csqs.lowest-threshold",
    kind="bound",
    statement=r"For $V \ge 2$, from any $\beta_0$, read literally: $\beta_n \ge \min(\beta_0,\, \alpha/(V-1),\, 1/V - "
    r"\eta(1 - "
    r"\alpha))$; keep-top: with $1 - 1/V - \alpha$ for $1 - \alpha$",
    reference=f"{OWN}, sharpening SQS Lemma 4 and csqs.threshold-range.literal-sharp",
    instances=_two_tokens,
    lhs=lambda q, start, step_size, dropped_target: both(
        lambda top: -run(q, start, step_size, dropped_target, top).thresholds.min()
    ),
    rhs=lambda q, start, step_size, dropped_target: np.array(
        [-min(start, floor) for floor in _floors(q, step_size, dropped_target)]
    ),
    relation=at_most,
    tight=({"q": HALVES, "start": F(0), "step_size": F(1), "dropped_target": F(1, 4)},),
    note="In (0, 1/V] at most (V − 1)β is dropped, which is at most α up to β = α/(V − 1): there β does not fall. From "
    "there to 1/V "
    "a line, above 1/V at most 1 (or 1 − 1/V) is dropped. Both ends are approached: V − 1 tokens just below β, again and "
    "again; a flat law and β just above 1/V.",
)


def _excess(q: Array, start: Any, step_size: Any, dropped_target: Any) -> Array:
    return both(
        lambda top: run(q, start, step_size, dropped_target, top).dropped.cumsum() - dropped_target * _tokens(q)
    )


LARGEST_EXCESS = Claim(
    name="csqs.largest-excess",
    kind="bound",
    statement=r"For $V \ge 2$ and any $\eta$, $\beta_1$ and $T$, read literally: $\sum_{n \le T} (\alpha_n - \alpha) \le "
    r"\max\big(0,\, "
    r"\beta_1 - \frac{\alpha}{V-1},\, \beta_1 + \eta(1 - \alpha) - \frac1V\big)/\eta$; keep-top: with $1 - 1/V - \alpha$ for "
    r"$1 - \alpha$",
    reference=f"{OWN}, sharpening SQS Theorem 2 and csqs.average-dropped-sharp",
    instances=_two_tokens,
    lhs=_excess,
    rhs=lambda q, start, step_size, dropped_target: np.array(
        [[positive(start - floor) / step_size] for floor in _floors(q, step_size, dropped_target)]
    ),
    relation=at_most,
    note="csqs.lowest-threshold in Eq. 8 summed. For α < 1 (keep-top: α < 1 − 1/V) both numbers are approached: V − 1 tokens "
    "just below β bring a β₁ in (α/(V − 1), 1/V] down to α/(V − 1) in the limit, if η(V − 1) < 1; a flat law and β₁ just above "
    "1/V to 1/V − η(1 − α) at once. (V = 1: nothing is dropped up to β = 1.)",
)

# --- two-sided guarantees --------------------------------------------------------------------------------------------


def _misses(q: Array, start: Any, step_size: Any, dropped_target: Any) -> Array:
    return abs(averages(run(q, start, step_size, dropped_target, False).dropped) - dropped_target)


TWO_SIDED = Claim(
    name="csqs.two-sided",
    kind="bound",
    statement=r"Read literally, from a $\beta_1$ in $[-\eta(1 - \alpha), 1 + \eta\alpha]$: $\big|\frac1T \sum_{n \le T} "
    r"\alpha_n - "
    r"\alpha\big| \le \frac{1 + \eta}{\eta T}$",
    reference=f"{OWN}, in place of SQS Theorem 2 and Eq. 29",
    instances=_range["csqs.threshold-range.literal"].draw,
    assumes={INSIDE: _range["csqs.threshold-range.literal"].assumes[INSIDE]},
    lhs=_misses,
    rhs=lambda q, step_size: (1 + step_size) / (step_size * _tokens(q)),
    relation=at_most,
    tight=({"q": np.stack([law(1)] * 4), "start": F(-1, 2), "step_size": F(1), "dropped_target": F(1, 2)},),
    outside={INSIDE: {"q": np.stack([law(1)] * 6), "start": F(-4), "step_size": F(1), "dropped_target": F(1, 2)}},
    note="β stays in a range of length 1 + η (csqs.threshold-range.literal). Attained: four certain tokens, η = 1, α = ½, "
    "β₁ = −½ drop nothing.",
)


def _middle(draw: Draw) -> Instance:
    return {"q": sequence(draw), **rates(draw)}


BEST_START = Claim(
    name="csqs.two-sided-best-start",
    kind="bound",
    statement=r"Read literally, from $\beta_1 = \frac12 + \eta(\alpha - \frac12)$: $\big|\frac1T \sum_{n \le T} \alpha_n - "
    r"\alpha\big| "
    r"\le \frac{1 + \eta}{2\eta T}$",
    reference=OWN,
    instances=_middle,
    lhs=lambda q, step_size, dropped_target: _misses(
        q, (1 + step_size * (2 * dropped_target - 1)) / 2, step_size, dropped_target
    ),
    rhs=lambda q, step_size: (1 + step_size) / (2 * step_size * _tokens(q)),
    relation=at_most,
    tight=({"q": np.stack([law(1)] * 2), "step_size": F(1), "dropped_target": F(1, 2)},),
    note="The middle of the range: no threshold is further away than half of its length. Attained: two certain tokens, η = "
    "1, "
    "α = ½ drop nothing.",
)


def _both_gaps(q: Array, start: Any, step_size: Any, dropped_target: Any) -> Array:
    def gaps(top: bool) -> Array:
        mean = averages(run(q, start, step_size, dropped_target, top).dropped)
        return np.stack([dropped_target - mean, mean - dropped_target])

    return both(gaps)


TWO_SIDED_KEEP_TOP = Claim(
    name="csqs.two-sided-keep-top",
    kind="bound",
    statement=r"When $\max_x q_n(x) \le 1 - \alpha$ for every $n$, in both readings and from any $\beta_1$: $\alpha - "
    r"\frac{(\frac12 + "
    r"\eta\alpha - \beta_1)_+}{\eta T} \le \frac1T \sum_{n \le T} \alpha_n \le \alpha + \frac{(\beta_1 + \eta(1 - "
    r"\alpha))_+}{\eta T}$",
    reference=f"{OWN}, in place of SQS Theorem 2 and Eq. 29",
    instances=_range["csqs.threshold-range.keep-top-sharp"].draw,
    assumes={CERTAIN: _range["csqs.threshold-range.keep-top-sharp"].assumes[CERTAIN]},
    lhs=_both_gaps,
    rhs=lambda q, start, step_size, dropped_target: np.stack(
        [
            positive(1 + 2 * (step_size * dropped_target - start)) / (2 * step_size * _tokens(q)),
            positive(start + step_size * (1 - dropped_target)) / (step_size * _tokens(q)),
        ]
    ),
    relation=at_most,
    tight=({"q": HALVES, "start": F(1, 2), "step_size": F(1), "dropped_target": F(1, 4)},),
    outside={CERTAIN: {"q": np.stack([law(1)] * 2), "start": F(1), "step_size": F(1), "dropped_target": F(1, 2)}},
    note="csqs.threshold-range.keep-top-sharp: above ½ at least α is dropped. Without the condition no rule that keeps a "
    "token has "
    "a lower guarantee: of a certain law nothing can be dropped.",
)

# --- budgets ---------------------------------------------------------------------------------------------------------


def _off_budget(q: Array, dropped_target: Any, budget: Any, keep_top: bool) -> Array:
    """How far the average is above and below the target."""
    mean = averages(budget_path(ranked(q), dropped_target, budget, keep_top=keep_top).dropped)
    return np.stack([mean - dropped_target, dropped_target - mean])


def _with_budget(draw: Draw) -> Instance:
    return {"q": sequence(draw), "budget": number(draw, 0, 1), "dropped_target": number(draw, 0, 1)}


BUDGET = Claim(
    name="csqs.budget-rule",
    kind="bound",
    statement=r"Dropping the least likely tokens as long as no more than $b + \alpha n$ has been dropped of the first $n$ "
    r"tokens, "
    r"$0 \le b \le 1$, read literally: $\alpha - \frac{1 - b}{T} \le \frac1T \sum_{n \le T} \alpha_n \le \alpha + \frac bT$",
    reference=f"{OWN}: a rule without step size, beside SQS Theorem 2",
    instances=_with_budget,
    lhs=lambda q, dropped_target, budget: _off_budget(q, dropped_target, budget, False),
    rhs=lambda q, budget: np.stack([budget / _tokens(q), (1 - budget) / _tokens(q)]),
    relation=at_most,
    tight=({"q": ONE, "budget": F(1, 2), "dropped_target": F(1, 2)},),
    note="What is left is less than the mass of the next token, or all was dropped and it has not grown. b = 0 never "
    "exceeds the "
    "target; b = ½ misses it by 1/(2T) at most, and no rule by less: at α = ½ all or nothing of a certain token is dropped. "
    "C-SQS guarantees (1 + η)/(2ηT) at best (csqs.two-sided-best-start).",
)


def _uncertain_budget(draw: Draw) -> Instance:
    drawn = _range["csqs.threshold-range.keep-top-sharp"].draw(draw)
    return {"q": drawn["q"], "dropped_target": drawn["dropped_target"], "budget": number(draw, 0, "1/2")}


BUDGET_KEEP_TOP = Claim(
    name="csqs.budget-rule-keep-top",
    kind="bound",
    statement=r"The same, never dropping the most likely token, when $\max_x q_n(x) \le 1 - \alpha$ for every $n$ and $0 "
    r"\le b \le "
    r"\frac12$: $\alpha - \frac{1/2 - b}{T} \le \frac1T \sum_{n \le T} \alpha_n \le \alpha + \frac bT$",
    reference=f"{OWN}: a rule without step size, beside SQS Theorem 2",
    instances=_uncertain_budget,
    assumes={CERTAIN: _range["csqs.threshold-range.keep-top-sharp"].assumes[CERTAIN]},
    lhs=lambda q, dropped_target, budget: _off_budget(q, dropped_target, budget, True),
    rhs=lambda q, budget: np.stack([budget / _tokens(q), (1 - 2 * budget) / (2 * _tokens(q))]),
    relation=at_most,
    tight=({"q": HALVES, "budget": F(1, 4), "dropped_target": F(1, 4)},),
    outside={CERTAIN: {"q": ONE, "budget": F(0), "dropped_target": F(3, 4)}},
    note="All but the most likely token has at least the mass α, and no other token more than ½. b = ¼ misses the target by "
    "1/(4T) "
    "at most. The upper end needs no condition.",
)

# --- fixed thresholds ------------------------------------------------------------------------------------------------

KEEPS = "every set keeps a token"
MEETS = "the sets meet the target"


def _keeps(kept: Array) -> bool:
    return bool(kept.any(axis=-1).all())


def _any_sets(draw: Draw) -> Instance:
    """A text, and any tokens kept of each law."""
    q = sequence(draw)
    return {"q": q, "kept": np.stack([draw.mask(q.shape[-1]) for _ in q])}


def _lost(q: Array, mask: Array) -> Any:
    """Mass dropped over the whole text."""
    return dropped_mass(q, mask).sum()


def _at_price(q: Array, kept: Array, threshold: Any, keep_top: bool) -> Any:
    mask = threshold_mask(q, threshold, keep_top)
    return mask.sum() + (_lost(q, mask) - _lost(q, kept)) / threshold


OPTIMAL = Claim(
    name="csqs.fixed-optimal",
    kind="bound",
    statement=r"For any $\beta > 0$ and any sets $Y_n$ with a token each: $\sum_n |Y_n| \ge \sum_n |X_n(\beta)| + "
    r"\frac1\beta "
    r"\sum_n \big(\sum_{x \notin X_n(\beta)} q_n(x) - \sum_{x \notin Y_n} q_n(x)\big)$: who drops no more mass keeps no "
    r"fewer tokens",
    reference=f"{OWN}, for SQS Fig. 5 and csqs.adaptivity",
    instances=lambda draw: {**(drawn := _any_sets(draw)), "threshold": drawn["q"].max() * number(draw, "1/16", "5/4")},
    assumes={KEEPS: _keeps},
    lhs=lambda q, kept, threshold: both(lambda top: _at_price(q, kept, threshold, top)),
    rhs=lambda kept: kept.sum(),
    relation=at_most,
    tight=({"q": HALVES, "kept": np.array([[True, False]]), "threshold": F(1, 2)},),
    outside={KEEPS: {"q": ONE, "kept": np.array([[False]]), "threshold": F(2)}},
    note="Every token that X(β) keeps has at least the mass β, every other less (the lemma of Neyman and Pearson). So one "
    "threshold "
    "for all laws keeps the fewest tokens of all rules that drop as much, C-SQS at any η included. A token is needed of each "
    "set only in the keep-top reading.",
)


def _target(draw: Draw, reached: Any) -> Any:
    """A target from `reached` to 1."""
    return reached + (1 - reached) * number(draw, 0 if draw.exact else "1/16", 1)


def _another(draw: Draw) -> Instance:
    q, top = sequence(draw), bool(draw.integer(0, 1))
    threshold = q.max() * number(draw, 0, "5/4")
    reached = _lost(q, threshold_mask(q, threshold, top)) / (F(len(q)) if draw.exact else len(q))
    return {"q": q, "threshold": threshold, "dropped_target": _target(draw, reached), "keep_top": top}


def _meets(q: Array, threshold: Any, dropped_target: Any, keep_top: bool) -> bool:
    return bool(_lost(q, threshold_mask(q, threshold, keep_top)) <= dropped_target * len(q) * _rounding(q))


def _rounding(q: Array) -> Any:
    return 1 if is_exact(q) else 1 + 1e-9


def _best_side(q: Array, threshold: Any, dropped_target: Any, keep_top: bool) -> Array:
    best = best_fixed_threshold(ranked(q), dropped_target, keep_top)
    dropped = dropped_mass(q, threshold_mask(q, threshold, keep_top))
    return np.concatenate([[best.dropped.sum()], best.kept, dropped])


def _other_side(q: Array, threshold: Any, dropped_target: Any, keep_top: bool) -> Array:
    best = best_fixed_threshold(ranked(q), dropped_target, keep_top)
    kept = threshold_mask(q, threshold, keep_top).sum(axis=-1)
    return np.concatenate([[dropped_target * len(q)], kept, best.dropped])


BEST_FIXED = Claim(
    name="csqs.best-fixed-threshold",
    kind="bound",
    statement=r"The largest probability $\beta^*$ (or 2, beyond all) whose average dropped mass is at most $\alpha$: no "
    r"$\beta$ with an "
    r"average dropped mass of at most $\alpha$ has, for any $n$, $|X_n(\beta)| < |X_n(\beta^*)|$ or a larger dropped mass",
    reference=f"{OWN}, for SQS Fig. 5 and csqs.adaptivity",
    instances=_another,
    assumes={"β meets the target": _meets},
    lhs=_best_side,
    rhs=_other_side,
    relation=at_most,
    tight=({"q": HALVES, "threshold": F(1, 2), "dropped_target": F(1, 2), "keep_top": False},),
    outside={
        "β meets the target": {"q": HALVES, "threshold": F(1), "dropped_target": F(1, 4), "keep_top": False},
    },
    note="The average dropped mass is a non-decreasing step function of β that rises just above probabilities, so its "
    "largest "
    "threshold that meets the target is a probability, and csqs.direction compares. First of the three: it meets the target.",
)


def _meeting(draw: Draw) -> Instance:
    drawn = _any_sets(draw)
    reached = _lost(drawn["q"], drawn["kept"]) / (F(len(drawn["q"])) if draw.exact else len(drawn["q"]))
    return {**drawn, "dropped_target": _target(draw, reached)}


def _sets_meet(q: Array, kept: Array, dropped_target: Any) -> bool:
    return bool(_lost(q, kept) <= dropped_target * len(q) * _rounding(q))


def _best_less_rest(q: Array, dropped_target: Any, keep_top: bool) -> Any:
    best = best_fixed_threshold(ranked(q), dropped_target, keep_top)
    return best.kept.sum() - (dropped_target * len(q) - best.dropped.sum()) / best.threshold


BEST_OPTIMAL = Claim(
    name="csqs.best-fixed-optimal",
    kind="bound",
    statement=r"Any sets $Y_n$ with a token each and an average dropped mass of at most $\alpha$: $\sum_n |Y_n| \ge \sum_n "
    r"|X_n(\beta^*)| "
    r"- \frac{\alpha T - D}{\beta^*}$, where $D \le \alpha T$ is the mass dropped at the best fixed threshold $\beta^*$",
    reference=f"{OWN}, for SQS Fig. 5 and csqs.adaptivity",
    instances=_meeting,
    assumes={KEEPS: _keeps, MEETS: _sets_meet},
    lhs=lambda q, dropped_target: both(lambda top: _best_less_rest(q, dropped_target, top)),
    rhs=lambda kept: kept.sum(),
    relation=at_most,
    tight=({"q": HALVES, "kept": np.array([[True, False]]), "dropped_target": F(1, 2)},),
    outside={
        KEEPS: {"q": HALVES, "kept": np.array([[False, False]]), "dropped_target": F(1)},
        MEETS: {"q": HALVES, "kept": np.array([[True, False]]), "dropped_target": F(1, 4)},
    },
    note="csqs.fixed-optimal at β*. The last term is less than the number of tokens with the probability β*, as dropping "
    "these too "
    "would exceed the target; where there is only one, no rule whatever keeps fewer tokens.",
)


def _both_rules(draw: Draw) -> Instance:
    drawn = any_text(draw)
    return {**drawn, "threshold": drawn["q"].max() * number(draw, "1/16", "5/4")}


def _fixed_less_start(q: Array, threshold: Any, start: Any, step_size: Any, dropped_target: Any) -> Array:
    excess = dropped_target * _tokens(q) + positive(start + step_size * (1 - dropped_target)) / step_size

    def one(top: bool) -> Array:
        mask = threshold_mask(q, threshold, top)
        return mask.sum(axis=-1).cumsum() + (dropped_mass(q, mask).cumsum() - excess) / threshold

    return both(one)


AGAINST_FIXED = Claim(
    name="csqs.adaptive-against-fixed",
    kind="bound",
    statement=r"C-SQS against any fixed $\beta > 0$, for every $T$: $\sum_{n \le T} |X_n| \ge \sum_{n \le T} |X_n(\beta)| - "
    r"\frac1\beta "
    r"\big(\alpha T - D(\beta) + \frac{(\beta_1 + \eta(1 - \alpha))_+}{\eta}\big)$, with $D(\beta)$ the mass dropped at "
    r"$\beta$",
    reference=f"{OWN}, for SQS Fig. 5 and csqs.adaptivity",
    instances=_both_rules,
    lhs=_fixed_less_start,
    rhs=lambda q, start, step_size, dropped_target: both(
        lambda top: run(q, start, step_size, dropped_target, top).masks.sum(axis=-1).cumsum()
    ),
    relation=at_most,
    note="csqs.fixed-optimal with the sets of C-SQS, whose mass csqs.average-dropped-sharp bounds. So on average no step "
    "size lets "
    "the adaptive threshold keep fewer tokens than the best fixed one, beyond a term of order 1/T and the (α − D/T)/β* of "
    "csqs.best-fixed-optimal: the ties that one threshold cannot share out.",
)

CLAIMS = (
    LOWEST,
    LARGEST_EXCESS,
    TWO_SIDED,
    BEST_START,
    TWO_SIDED_KEEP_TOP,
    BUDGET,
    BUDGET_KEEP_TOP,
    OPTIMAL,
    BEST_FIXED,
    BEST_OPTIMAL,
    AGAINST_FIXED,
)
