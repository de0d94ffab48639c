"""The zoo: exact laws by hand, honest members on any laws, and every fault caught as a black box."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec.audit import Verdict, audit, revealing
from simspec.audit.reference import speculative
from simspec.audit.zoo import MEMBERS, Member, black_box, exact_facts, rules
from simspec.audit.zoo.member import sampled, small
from simspec.laws import exact
from simspec.methods import SD, block_outcomes, ears
from simspec.methods.joint.verifier import by_rows, facts
from tests.strategies import laws

BY_HAND = {
    "greedy_told_softmax": ("1/2", "1"),  # token 0 is drafted and always kept
    "topk_told_raw": ("1/4", "2/3"),  # drawn (1/3, 0, 2/3); of token 0 nothing is kept; then (0, 0, 1) is drawn
    "argmax_target": ("1/2", "0"),
    "gumbel_reuse": (
        "1/12",
        "1/2",
    ),  # after a refusal (0, 2/3, 1/3) in place of (0, 1/2, 1/2)
    "zero_coin": ("1/2", "1"),
    "match_or_fresh": ("1/4", "1/2"),  # token 1 with probability 1/2 + 1/4
    "block_token_residual": ("1/12", "1/2"),
    "block_first_failure_stop": ("1/2", "0"),  # h_1 = 0, so the scan stops at once, and (p - q)+ is token 0
    "first_unverified": ("1", "1"),
    "draft_probs_dropped": ("0", "3/8"),  # 3/4 1/4 + 1/4 3/4
    "match_emit": ("0", "3/8"),
    "block_reference": ("0", "1/2"),  # 3/4 (1/4 + 3/4 1/9) + 1/4: token 0 first waits for the second, token 1 is sure
    "ensemble": ("1/2", "1/2"),
    "ears": ("1/4", "3/4"),
}
"""TV and the chance that a draft is kept, on the laws of each member."""
FAULTS = [m for m in MEMBERS.values() if m.kind == "fault"]
HONEST = [m for m in MEMBERS.values() if m.kind == "honest"]
LOSSY = [m for m in MEMBERS.values() if m.kind == "lossy"]


def named(members):
    return {"argvalues": members, "ids": [m.name for m in members]}


@pytest.mark.parametrize("member", **named([*MEMBERS.values()]))
def test_on_its_laws(member) -> None:
    found = exact_facts(member, exact(member.laws.p), exact(member.laws.q))
    assert (found.tv, found.acceptance) == tuple(map(Fraction, BY_HAND[member.name]))
    assert sum(found.law.values()) == sum(found.lengths) == 1
    floats = exact_facts(member, member.laws.p, member.laws.q)
    assert float(floats.tv) == pytest.approx(float(found.tv), abs=1e-15)


@st.composite
def rows(draw, gamma: int):
    vocab = draw(st.integers(2, 3))
    p, q = ([draw(laws(vocab)) for _ in range(n)] for n in (gamma + 1, gamma))
    return np.stack(p), np.stack(q)


@pytest.mark.parametrize("member", **named(HONEST))
@settings(max_examples=15)
@given(data=st.data())
def test_honest_members_are_lossless_on_any_laws(member, data) -> None:
    p, q = data.draw(rows(data.draw(st.integers(1, 2))))
    assert exact_facts(member, p, q).tv == 0


@settings(max_examples=15)
@given(rows(2))
def test_rules_that_a_method_can_say_agree_with_it(laws_of_rows) -> None:
    p, q = laws_of_rows
    half = Fraction(1, 2)
    reference = Member("sd", "honest", "", "", "", rules.speculative, sampled, small("1", "1"))
    for member, method in ((reference, SD), (MEMBERS["ears"], ears(half))):
        blocks = list(block_outcomes(method, by_rows(p), by_rows(q), (), 2))
        if method is SD:
            assert exact_facts(member, p, q) == facts(blocks, by_rows(p), 2)
        else:  # the residual differs; what is kept does not
            assert exact_facts(member, p, q).lengths == facts(blocks, by_rows(p), 2).lengths


def test_reused_noise_is_the_race_that_it_stands_for() -> None:
    """200,000 races with exponentials; false alarm: five sigmas for each token. Fresh noise would be r itself: refused."""
    q, r = np.array([0.5, 0.3, 0.1, 0.1]), np.array([0.0, 0.2, 0.3, 0.5])
    noise = np.random.default_rng(0).exponential(size=(200_000, 4))
    noise = noise[(noise / q).argmin(axis=1) == 0]
    second = (noise[:, 1:] / r[1:]).argmin(axis=1) + 1
    shares = np.bincount(second, minlength=4) / len(second)
    sigma = np.sqrt(0.25 / len(second))
    law = np.array(rules.recovery(q, r), dtype=float)
    assert law.sum() == pytest.approx(1)
    assert (abs(shares - law) < 5 * sigma).all()
    assert not (abs(shares - r) < 5 * sigma).all()


@pytest.mark.parametrize("member", **named([*FAULTS, *LOSSY]))
def test_faults_are_caught_within_ten_thousand_calls(member) -> None:
    """False alarm 1e-6; the exact TV lies in the interval that the audit reports."""
    report = audit(black_box(member), pairs=[member.laws], calls=10_000)
    assert report.verdict is Verdict.BIASED
    assert report.caught <= 10_000
    low, high = report.first.tv
    assert low <= float(Fraction(BY_HAND[member.name][0])) <= high


@pytest.mark.parametrize("member", **named([*FAULTS, *LOSSY]))
def test_faults_are_caught_on_laws_that_do_not_know_them(member) -> None:
    report = audit(black_box(member), calls=5000)
    assert report.verdict is Verdict.BIASED
    exact_tv = exact_facts(member, report.shown.pair.p, report.shown.pair.q).tv
    assert exact_tv > 0.001
    assert report.shown.tv[0] <= exact_tv <= report.shown.tv[1]


@pytest.mark.parametrize("member", **named(HONEST))
def test_honest_members_pass(member) -> None:
    report = audit(black_box(member), pairs=revealing(2, 2), calls=4000, within=0.15)
    assert report.verdict is Verdict.LOSSLESS


def test_the_reference_is_the_sampler_of_its_program() -> None:
    """Both ways of writing speculative decoding emit lengths of one law; false alarm: five sigmas for each length."""
    pair, n = revealing()[0], 20_000
    found = facts(list(block_outcomes(SD, by_rows(pair.p), by_rows(pair.q), (), 2)), by_rows(pair.p), 2)
    tokens = speculative(pair.p, pair.q, n, np.random.default_rng(0))
    shares = np.bincount((tokens >= 0).sum(axis=1), minlength=4)[1:] / n
    assert (abs(shares - np.array(found.lengths, dtype=float)) < 5 * np.sqrt(0.25 / n)).all()
    wrong = exact_facts(MEMBERS["match_emit"], pair.p, pair.q).lengths
    assert not (abs(shares - np.array(wrong, dtype=float)) < 5 * np.sqrt(0.25 / n)).all()
