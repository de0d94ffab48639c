"""Claims about the algorithm of pivot-aware decoding: hand cases, verdicts, enumeration of paths, mutations."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
)
from simspec.claims.words import law, mask
from simspec.laws import overlap
from simspec.methods import SD, acceptance_rate, output_law, pad, values
from tests import strategies
from tests.claims.cases import counterexample
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
