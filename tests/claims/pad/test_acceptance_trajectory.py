"""`pad.acceptance-trajectory`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.pad.parts import process_of, true_pivots
from simspec.methods import SD, evaluate, pad
from tests.claims.cases import counterexample, get
from tests.claims.pad.cases import everything, share


def test_counterexample_to_the_share_of_a_whole_text() -> None:
    """Recomputed by enumeration: one override, and no accept after it."""
    case = counterexample("pad.acceptance-trajectory")
    assert share(case, case["flags"]) < share(case, everything(case))


def test_a_classifier_without_errors_accepts_less_over_a_text() -> None:
    instance = get("pad.acceptance-trajectory").against[1]
    process = process_of(**{k: v for k, v in instance.items() if k != "flags"})
    reached = (0, 0), (1, 1), (1, 2), (2, 1), (2, 2)
    assert all((true_pivots(process)[at] == instance["flags"][at]).all() for at in reached)
    assert (share(instance, instance["flags"]), share(instance, everything(instance))) == (F(1, 3), F(2, 3))


def test_removing_one_flag_can_lower_the_share_of_a_whole_text() -> None:
    instance = get("pad.acceptance-trajectory").against[0]
    flags = np.ones((3, 3, 2), dtype=bool)
    flags[0, 0, 1] = False
    assert share(instance, flags) < share(instance, everything(instance))


@pytest.mark.parametrize("gamma", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("at", [0, 1])
def test_an_override_can_cost_share_in_blocks_too(gamma, at) -> None:
    """The counterexamples to pad.acceptance-trajectory, over six tokens in blocks of drafts."""
    instance = get("pad.acceptance-trajectory").against[at]
    process = process_of(**{**{k: v for k, v in instance.items() if k != "flags"}, "horizon": 6})
    rule = pad(instance["flags"][0])
    assert evaluate(process, rule, gamma).share < evaluate(process, SD, gamma).share
