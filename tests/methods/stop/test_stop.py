"""Rules that end a draft: by hand, one step against whole calls, what is lossless and what is not."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from simspec.methods import SD, Method, acceptance_rate, is_lossless, output_law, tv
from simspec.methods.stop import (
    REPORTED,
    ReportedLaw,
    dropped,
    dropping,
    dropping_last,
    ending,
    entropy_stop,
    kept_law,
    one_hot,
    survivors,
    told_verifier,
    top_stop,
    unseen,
    whole,
)
from simspec.methods.verifier.verifier import Facts, by_rows, facts, from_method, outcomes
from tests import strategies as some

P, Q = laws.exact([0.5, 0.5]), laws.exact([0.75, 0.25])


def test_by_hand() -> None:
    """Of (3/4, 1/4) the second token is dropped: the first is kept with 1/2, else the second; a drop emits from p."""
    assert output_law(dropped(F(1, 2), "q"), P, Q).tolist() == [F(5, 8), F(3, 8)]
    assert tv(dropped(F(1, 2), "q"), P, Q) == F(1, 8)
    rates = [acceptance_rate(dropped(F(1, 2), reported), P, Q) for reported in REPORTED]
    assert rates == [F(1, 2), F(3, 8), F(3, 8), F(1, 2)]
    assert survivors(Q, laws.exact([0, 0])).tolist() == Q.tolist()


@given(some.pairs(), st.data())
def test_what_is_told_makes_it_lossless(pair, data) -> None:
    p, q = pair
    s = laws.exact(data.draw(st.lists(some.shares(), min_size=len(p), max_size=len(p))))
    for reported in ("kept", "one-hot", "rejected"):
        assert is_lossless(dropping(lambda q: s, reported), p, q)
    gap = output_law(dropping(lambda q: s, "q"), q, q) - q
    assert (gap == q * (s - (q * s).sum())).all()


@given(some.pairs(), some.shares())
def test_laws_alone_may_end_a_draft(pair, threshold) -> None:
    p, q = pair
    rule = top_stop(threshold)
    assert is_lossless(rule, p, q)
    assert acceptance_rate(rule, p, q) == (acceptance_rate(SD, p, q) if q.max() >= threshold else 0)


def test_entropy_of_a_fair_coin() -> None:
    """1 − √(0.2 ln 2) = 0.6277."""
    p, q = np.array([0.25, 0.75]), np.array([0.5, 0.5])
    assert acceptance_rate(entropy_stop(0.62), p, q) == 0.75
    assert acceptance_rate(entropy_stop(0.63), p, q) == 0
    assert entropy_stop(0.62).accept(p.astype(np.float32), q.astype(np.float32)).dtype == np.float32


@given(some.pairs(), some.shares())
def test_an_entropy_may_end_a_draft_on_fractions(pair, threshold) -> None:
    p, q = pair
    rule = entropy_stop(threshold)
    rate = acceptance_rate(rule, p, q)
    assert is_lossless(rule, p, q) and isinstance(rate, F | int) and rate in {acceptance_rate(SD, p, q), 0}


def low(q: object, path: tuple[int, ...]) -> bool:
    return bool(q[path[-1]] < F(1, 2))  # type: ignore[index]


ROWS = [laws.exact([0.5, 0.25, 0.25]), laws.exact([0, 0.5, 0.5]), laws.exact([0.25, 0.25, 0.5])]
DRAFTS = [laws.exact([0.5, 0.25, 0.25]), laws.exact([0.5, 0, 0.5])]


def call(reported: ReportedLaw) -> Facts:
    """A call of two drafts that drops a token of mass below one half."""
    found = outcomes(told_verifier(reported), by_rows(ROWS), by_rows(DRAFTS), 2, dropping_last(low))
    return facts(found, by_rows(ROWS), 2)


@pytest.mark.parametrize(("reported", "name"), [(whole, "q"), (kept_law(low), "kept"), (one_hot, "one-hot")])
def test_whole_calls_begin_as_one_step_does(reported, name) -> None:
    found, rule = call(reported), dropped(F(1, 2), name)
    law = [sum(mass for text, mass in found.law.items() if text[0] == x) for x in range(3)]
    assert law == output_law(rule, ROWS[0], DRAFTS[0]).tolist()
    assert found.acceptance == acceptance_rate(rule, ROWS[0], DRAFTS[0])
    assert (found.tv == 0) == (name != "q")


@pytest.mark.parametrize("rule", [low, lambda q, path: path[0] == 0, lambda q, path: True])
def test_kept_rules_are_lossless_and_accept_no_more(rule) -> None:
    found = facts(outcomes(told_verifier(), by_rows(ROWS), by_rows(DRAFTS), 2, ending(rule)), by_rows(ROWS), 2)
    plain = facts(outcomes(from_method(SD)[1], by_rows(ROWS), by_rows(DRAFTS), 2), by_rows(ROWS), 2)
    assert found.tv == plain.tv == 0
    assert found.accepted <= plain.accepted


def test_a_rule_that_sees_no_token_is_lossless() -> None:
    rule = unseen(lambda q, path: max(q) < F(1, 2) or path[:1] == (1,))
    found = facts(outcomes(told_verifier(), by_rows(ROWS), by_rows(DRAFTS), 2, rule), by_rows(ROWS), 2)
    assert found.tv == 0


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: dropping(lambda q: q, "nothing"), "reported"),
        (lambda: dropped(-1), "threshold"),
        (lambda: top_stop(float("nan")), "threshold"),
        (lambda: entropy_stop(2), "threshold"),
        (lambda: entropy_stop(0.5, -1), "constant"),
    ],
)
def test_bad_parameters(make, name) -> None:
    with pytest.raises(ValueError, match=f"{name}: "):
        make()


def test_rules_know_what_made_them() -> None:
    rule = dropped(0.5, "kept")
    assert isinstance(rule, Method) and rule == dropped(0.5, "kept") != dropped(0.5)
    assert repr(rule) == "dropped(0.5, reported='kept')"
