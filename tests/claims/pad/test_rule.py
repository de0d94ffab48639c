"""Claims about the algorithm of pivot-aware decoding: hand cases, enumeration of paths."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.claims.authoring import law, mask
from simspec.claims.draw import ExactDraw
from simspec.claims.pad.parts import (
    chain,
    classifier_first,
    classifier_last,
    described,
    flagged,
    fork,
    overrides,
    process_of,
    replacement_value,
    run_pad,
    true_pivots,
)
from simspec.laws import overlap
from simspec.methods import SD, acceptance_rate, evaluate, output_law, pad, values
from tests import strategies
from tests.claims.cases import counterexample, get
from tests.claims.pad.cases import everything, share, target_worth, worth


def test_one_context_by_hand() -> None:
    """p = (1/2, 1/2), d = (1/4, 3/4): token 1 keeps its coin's 1/2 of 3/4, the rest is accepted only if it is no pivot."""
    p, q = law("1/2", "1/2"), law("1/4", "3/4")
    kept = described(classifier_last, p, q, mask("01"))
    assert kept.tolist() == [[F(1, 4), F(1, 2)], [0, 0], [F(1, 4), 0], [F(1, 2), F(1, 2)]]
    kept = described(classifier_last, p, q, mask("00"))
    assert kept[:2].tolist() == [[F(1, 4), F(1, 2)], [0, F(1, 4)]]
    assert kept[3].tolist() == [F(1, 4), F(3, 4)]


def test_counterexample_to_accepted_not_pivot() -> None:
    """Draft and target agree, so SD accepts everything, pivots too."""
    case = counterexample("pad.accepted-not-pivot")
    average = sum(a * b for a, b in zip(case["p"], case["after"], strict=True))
    accepted = [min(a, b) for a, b in zip(case["p"], case["q"], strict=True)]
    assert any(k > 0 and v < average for k, v in zip(accepted, case["after"], strict=True))


def test_counterexample_to_the_replacement_law() -> None:
    case = counterexample("pad.replacement-law")
    left = [max(a - b, F(0)) for a, b in zip(case["p"], case["q"], strict=True)]
    assert [x / sum(left) for x in left] != case["p"].tolist()


@pytest.mark.parametrize("seed", range(30))
def test_shares_and_utilities_are_those_of_the_enumerated_paths(seed) -> None:
    """The exact evaluation behind the claims, against every draft, coin and replacement."""
    case = flagged(ExactDraw(rng=np.random.default_rng(seed)))
    process = process_of(**{k: v for k, v in case.items() if k != "flags"})
    run = run_pad(process, case["flags"])
    assert run.utility == worth(case, case["flags"])
    assert run.share == share(case, case["flags"])
    assert values(process)[0][0] == target_worth(case) == worth(case, everything(case))


def test_fork_by_hand() -> None:
    """Success 1/2, failure 1/4, and a quarter of the texts toss a coin that succeeds two times in three."""
    process = process_of(**fork(law("1/2", "1/4", "1/4"), law(0, 0, 1), F(2, 3)))
    assert values(process)[0].tolist() == [F(2, 3), 1, 0, F(2, 3)]
    assert (chain(process.target, process.step).sum(axis=1) == 1).all()


@given(st.data())
def test_both_descriptions_on_any_pair(data) -> None:
    """Masses add up, overrides are what is kept beyond SD, and the law is p plus overrides minus residual."""
    p, q = data.draw(strategies.pairs())
    flags = np.array(data.draw(st.lists(st.booleans(), min_size=len(p), max_size=len(p))))
    first, last = (described(d, p, q, flags) for d in (classifier_first, classifier_last))
    assert (first == last).all() and first[3].sum() == 1
    g = overrides(p, q, flags)
    assert (first[0] + first[1] - SD.keep(p, q) == g).all()
    assert (output_law(pad(flags), p, q) == p + g - g.sum() * SD.residual(p, q)).all()
    assert replacement_value(p, q, np.ones(len(p), dtype=int))[0] == 1


@given(strategies.pairs(2), st.data())
def test_no_rule_accepts_more_at_the_distance_of_pad(pair, data) -> None:
    """The second half of pad.acceptance-sharp: any kept mass and any residual."""
    p, q = pair
    part = np.array([data.draw(strategies.shares()) for _ in p], dtype=object)
    r = data.draw(strategies.laws(len(p)))
    rule = SD._replace(keep=lambda p, d: part * d, residual=lambda p, d: r)
    distance = abs(output_law(rule, p, q) - p).sum() / 2
    assert acceptance_rate(rule, p, q) <= overlap(p, q) + distance


def test_counterexample_to_the_guardrail_on_every_token() -> None:
    """A token below the limit is drafted and kept by SD, and never written under the guardrail."""
    case = counterexample("pad.guardrail.every")
    p, q, limit = case["p"], case["q"], case["limit"]
    guarded = [min(a, b) if a < limit else F(0) for a, b in zip(p, q, strict=True)]
    left = [max(a - b, F(0)) for a, b in zip(p, q, strict=True)]
    residual = [x / sum(left) for x in left] if sum(left) else p.tolist()
    written = [a - g + sum(guarded) * r for a, g, r in zip(p, guarded, residual, strict=True)]
    assert written != p.tolist() and len(p) == 2


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
