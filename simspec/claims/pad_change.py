"""Claims about changing the labels of pivot-aware decoding: one flag less, some flags more."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_least, equal
from simspec.claims.draw import Draw
from simspec.claims.pad_parts import (
    ahead_of,
    along,
    bits,
    flagged,
    fork,
    overrides,
    process_of,
    replacement_value,
    run_pad,
    true_pivots,
)
from simspec.claims.rdk_parts import matrix
from simspec.claims.sd import law
from simspec.laws import Array
from simspec.methods.process import Run

__all__ = ["CLAIMS"]

RECALL = "no pivot is called a non-pivot"
PAYS = "after each token whose flag is removed the rule's own value is at least that of its own replacement"
SPARES = "after each token that is flagged anew the rule's own value is at most that of its own replacement"


def _run(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> Run:
    return run_pad(process_of(target, draft, step, utility, horizon), flags)


def _gap(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> Array:
    """The rule's own value after each token less that after its replacement, (T, S, V)."""
    process = process_of(target, draft, step, utility, horizon)
    own = ahead_of(process, run_pad(process, flags).values)
    return np.stack([after - replacement_value(target, draft, after) for after in own])


def _utility_and_rates(run: Run) -> Array:
    return np.concatenate([[run.utility], run.acceptance.ravel()])


def _one_less(draw: Draw) -> Instance:
    """Flags with every pivot among them, and one more on a first token that is no pivot, to be removed."""
    instance = flagged(draw, true_pivots, forks=0)
    process = process_of(**{k: v for k, v in instance.items() if k != "flags"})
    free = np.flatnonzero(~true_pivots(process)[0, 0])
    removed = np.zeros(instance["flags"].shape, dtype=bool)
    removed[0, 0, free[draw.integer(0, len(free) - 1)]] = True
    return {**instance, "flags": instance["flags"] | removed, "removed": removed}


def _recalled(
    target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array, removed: Array
) -> bool:
    return bool((flags & ~removed)[true_pivots(process_of(target, draft, step, utility, horizon))].all())


def _after_removal(
    target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array, removed: Array
) -> Array:
    return _utility_and_rates(_run(target, draft, step, utility, horizon, flags & ~removed))


def _before(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> Array:
    return _utility_and_rates(_run(target, draft, step, utility, horizon, flags))


# one position: the target's token succeeds, the draft's fails, or the other way round
_PIVOT: dict[str, Any] = {
    "target": matrix("1 0", "1 0"),
    "draft": matrix("0 1", "1 0"),
    "step": np.array([[0, 1], [1, 1]]),
    "utility": law(1, 0),
    "horizon": 1,
}
_AT = np.array([[[False, True], [False, False]]])
_ALL, _NONE = np.ones((1, 2, 2), dtype=bool), np.zeros((1, 2, 2), dtype=bool)

# the counterexample of Lemma 1, reached from all pivots by calling the coin what it is
_COIN: dict[str, Any] = {
    **fork(law("1/2", "1/2", 0), law(0, "1/2", "1/2"), F(1, 2)),
    "flags": np.ones((2, 4, 3), dtype=bool),
    "removed": np.array([[[False, False, True]] + [[False] * 3] * 3, [[False] * 3] * 4]),
}

BETTER_CLASSIFIER = Claim(
    name="pad.better-classifier",
    kind="bound",
    statement="At 100 % recall, calling one more non-pivot “non-pivot” lowers neither the acceptance rate at any context nor the "
    "expected utility",
    reference="PAD, after Lemma 1",
    instances=_one_less,
    assumes={RECALL: _recalled},
    lhs=_after_removal,
    rhs=_before,
    relation=at_least,
    outside={RECALL: {**_PIVOT, "flags": _ALL, "removed": _AT}},
    against=(_COIN,),
    corrected_by=("pad.better-classifier-corrected", "pad.better-classifier-sharp"),
    note="Acceptance does not fall at any context (over a whole text it can: pad.acceptance-trajectory). Utility does fall, "
    "from all pivots (SD) to the counterexample of Lemma 1 by one label.",
)


def _some_less(draw: Draw) -> Instance:
    """Arbitrary flags, and some of those whose removal pays."""
    instance = flagged(draw)
    pays = _gap(**instance) >= 0
    return {**instance, "removed": instance["flags"] & pays & bits(draw, *instance["flags"].shape)}


def _pays(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array, removed: Array) -> bool:
    return bool((_gap(target, draft, step, utility, horizon, flags)[removed] >= 0).all())


BETTER_CLASSIFIER_CORRECTED = Claim(
    name="pad.better-classifier-corrected",
    kind="bound",
    statement=r"For any flags, removing any set of them lowers neither acceptance at any context nor utility when, at each, the "
    r"rule's own value after the token is at least that after its replacement, $W(s, x) \ge \sum_y r(y)\, W(s, y)$",
    reference="correction of PAD, after Lemma 1",
    instances=_some_less,
    assumes={PAYS: _pays},
    lhs=_after_removal,
    rhs=_before,
    relation=at_least,
    tight=({**_PIVOT, "flags": _ALL, "removed": _NONE},),
    outside={PAYS: {**_PIVOT, "flags": _ALL, "removed": _AT}},
    corrected_by=("pad.better-classifier-sharp",),
    note="Policy improvement: by pad.better-classifier-sharp the change of utility is a sum, along the new rule's path, of "
    "overrides times W(x) − W_r, with W of the old rule. Comparing x with the average U(s), as printed, is not enough.",
)


def _changed(draw: Draw) -> Instance:
    instance = flagged(draw)
    return {**instance, "removed": instance["flags"] & bits(draw, *instance["flags"].shape)}


def _improvement(
    target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array, removed: Array
) -> Any:
    worth = _gap(target, draft, step, utility, horizon, flags)
    each = [(overrides(target, draft, ~out) * gap).sum(axis=-1) for out, gap in zip(removed, worth, strict=True)]
    return along(_run(target, draft, step, utility, horizon, flags & ~removed), each)


BETTER_CLASSIFIER_SHARP = Claim(
    name="pad.better-classifier-sharp",
    kind="identity",
    statement=r"Removing a set $F$ of flags changes the utility by exactly $\sum_t E_{\mathrm{new}} \sum_{x \in F} (d(x) - "
    r"p(x))_+ \big(W(x) - \sum_y r(y)\, W(y)\big)$, with $W$ the values of the rule before and the path of the rule after",
    reference="own statement",
    instances=_changed,
    lhs=lambda target, draft, step, utility, horizon, flags, removed: (
        _run(target, draft, step, utility, horizon, flags & ~removed).utility
        - _run(target, draft, step, utility, horizon, flags).utility
    ),
    rhs=_improvement,
    relation=equal,
    sums=16,
    note="Performance difference of two rules: their laws at a context differ by the freed overrides, taken from the residual.",
)


def _some_more(draw: Draw) -> Instance:
    instance = flagged(draw)
    return {**instance, "flips": ~instance["flags"] & bits(draw, *instance["flags"].shape)}


def _after_flip(
    target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array, flips: Array
) -> Any:
    return _run(target, draft, step, utility, horizon, flags | flips).utility


def _utility(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> Any:
    return _run(target, draft, step, utility, horizon, flags).utility


_LUCKY: dict[str, Any] = {**_PIVOT, "utility": law(0, 1), "flags": _NONE, "flips": _AT}

FLIP_UTILITY = Claim(
    name="pad.flip-utility",
    kind="bound",
    statement="Flipping labels to pivot does not lower the expected utility",
    reference="PAD §3.3, soundness check",
    instances=_some_more,
    lhs=_after_flip,
    rhs=_utility,
    relation=at_least,
    corrected_by=("pad.flip-utility-corrected", "pad.better-classifier-sharp"),
    note="An override can be better than its replacement, and the flip takes it away. With every label flipped the utility is "
    "the target's (pad.all-pivots-is-sd); before, it can even fall below that, when a good override goes and a bad one stays, "
    "unless every token worth less than its replacement is flagged (pad.utility-preserved-corrected).",
)


def _some_spared(draw: Draw) -> Instance:
    instance = flagged(draw)
    spares = _gap(**instance) <= 0
    return {**instance, "flips": ~instance["flags"] & spares & bits(draw, *instance["flags"].shape)}


def _spares(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array, flips: Array) -> bool:
    return bool((_gap(target, draft, step, utility, horizon, flags)[flips] <= 0).all())


FLIP_UTILITY_CORRECTED = Claim(
    name="pad.flip-utility-corrected",
    kind="bound",
    statement=r"Flipping labels to pivot does not lower utility when after each flipped token the rule's own value is at most "
    r"that after its replacement, $W(s, x) \le \sum_y r(y)\, W(s, y)$",
    reference="correction of PAD §3.3, soundness check",
    instances=_some_spared,
    assumes={SPARES: _spares},
    lhs=_after_flip,
    rhs=_utility,
    relation=at_least,
    tight=({**_PIVOT, "flags": _ALL, "flips": _NONE},),
    outside={SPARES: _LUCKY},
    corrected_by=("pad.better-classifier-sharp",),
    note="pad.better-classifier-sharp with the two rules exchanged: along the new path each flip gains (d − p)₊ times W_r − "
    "W(x).",
)

CLAIMS = (
    BETTER_CLASSIFIER,
    BETTER_CLASSIFIER_CORRECTED,
    BETTER_CLASSIFIER_SHARP,
    FLIP_UTILITY,
    FLIP_UTILITY_CORRECTED,
)
