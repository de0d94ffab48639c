"""Policies on recorded rows: the mean over drawn orders beside that over all orders, exactly; and what is refused."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import permutations

import numpy as np
import pytest

from simspec.methods.selection import explore, fixed_regret, leader, segment_regret
from simspec.tools.drafters import DraftsTable, PoliciesTable, draft_rates, run_policies
from simspec.tools.drafters.policies import document_orders

RATES = np.array([[F(1, 2), F(1, 4)], [F(1, 4), F(1)], [F(3, 4), F(1, 2)], [F(0), F(1, 4)], [F(1), F(1, 2)]])
DOCUMENT = np.array([0, 0, 1, 2, 3])


def table_of(rates: np.ndarray, document: np.ndarray) -> DraftsTable:
    """A comparison whose acceptance rates are these: the target is sure of token 0, and draft k gives it the mass."""
    mass = rates.astype(np.float64)
    drafts = {f"d{k}": np.stack([column, 1 - column], axis=1) for k, column in enumerate(mass.T)}
    p = np.tile([1.0, 0.0], (len(mass), 1))
    return draft_rates({"p": p, "document": document}, drafts)


def exact(policy) -> tuple[F, F, F]:
    """Acceptance and both regrets of a policy, averaged over all 24 orders of the documents."""
    sums = [F(0)] * 3
    for order in permutations(range(4)):
        rows = np.concatenate([np.flatnonzero(document == DOCUMENT) for document in order])
        accepted = RATES[rows]
        weights = policy(accepted)
        sums[0] += (weights * accepted).sum() / 5
        sums[1] += fixed_regret(accepted, weights)
        sums[2] += segment_regret(accepted, weights, DOCUMENT[rows])
    return sums[0] / 24, sums[1] / 24, sums[2] / 24


def covers(table: PoliciesTable, truths: list[tuple[F, F, F]]) -> bool:
    return all(
        interval.low <= truth <= interval.high
        for row, three in zip(table, truths, strict=True)
        for interval, truth in zip(row[2:], three, strict=True)
    )


def test_the_mean_over_orders_is_that_over_all_orders() -> None:
    """Six intervals at 99.9 % together: a false alarm has probability 0.1 %.  A truth that is off by 1/50 is caught."""
    table = run_policies(table_of(RATES, DOCUMENT), ["leader", "explore:1"], orders=2000, level=0.999)
    truths = [exact(leader), exact(lambda accepted: explore(accepted, 1))]
    assert covers(table, truths)
    assert not covers(table, [truths[0], tuple(value + F(1, 50) for value in truths[1])])
    assert not covers(table, truths[::-1])


def test_regret_is_acceptance_in_hindsight_less_that_of_the_policy() -> None:
    """By hand: draft 0 sums to 5/2 as draft 1 does; the best of each document 5/4 + 3/4 + 1/4 + 1 = 13/4, all over 5."""
    for row in run_policies(table_of(RATES, DOCUMENT), orders=7):
        assert row.acceptance.estimate + row.fixed.estimate == pytest.approx(5 / 2 / 5)
        assert row.acceptance.estimate + row.segment.estimate == pytest.approx(13 / 4 / 5)


def test_a_policy_of_ones_own_that_always_takes_one_draft() -> None:
    from simspec.methods.selection import Policy

    always = Policy("first", lambda accepted: np.eye(2)[np.zeros(accepted.shape[:-1], dtype=int)], is_full=False)
    (row,) = run_policies(table_of(RATES, DOCUMENT), [always], orders=5)
    assert row.policy == "first" and row.acceptance[:3] == pytest.approx((0.5, 0.5, 0.5)) and row.fixed.estimate == 0


def test_a_rate_that_rounds_to_more_than_1_is_1() -> None:
    table = draft_rates(
        {"p": np.full((6, 3), 1 / 3)}, {"same": np.full((6, 3), 1 / 3), "flat": np.tile([1.0, 0, 0], (6, 1))}
    )
    table.comparison.accepted[0, 0] = np.nextafter(1, 2)
    assert run_policies(table, ["ucb"], orders=2)[0].fixed.estimate > 0


def test_orders_are_whole_documents_in_the_order_of_their_text() -> None:
    document = np.array([5, 2, 5, 2, 5])
    position = np.array([2, 0, 0, 1, 1])
    orders = document_orders(document, position, 200, seed=0)
    assert {tuple(order) for order in orders.tolist()} == {(2, 4, 0, 1, 3), (1, 3, 2, 4, 0)}
    first_is_5 = float((document[orders[:, 0]] == 5).mean())
    assert abs(first_is_5 - 0.5) < 0.15  # 200 coins: beyond with probability 2e-5


def test_the_same_seed_gives_the_same_rows_in_any_parts(monkeypatch) -> None:
    table = table_of(RATES, DOCUMENT)
    calls = []
    first = run_policies(table, orders=9, seed=3, progress=lambda *call: calls.append(call))
    assert calls[-1] == ("running policies", 9, 9)
    monkeypatch.setattr("simspec.tools.drafters.policies.AT_A_TIME", 20)
    assert run_policies(table, orders=9, seed=3).records() == first.records()
    assert run_policies(table, orders=9, seed=4).records() != first.records()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policies": ["ucb", "ucb"]}, "policies: ucb, ucb; expected different ones of leader, hedge"),
        ({"policies": []}, "policies: none; expected different ones of leader"),
        ({"policies": ["hegde"]}, "policy: 'hegde', the nearest is hedge; expected one of"),
        ({"orders": 1}, "orders: 1"),
        ({"orders": 2.5}, "orders: 2.5"),
        ({"seed": -1}, "seed: -1"),
        ({"level": 1}, "level: 1"),
    ],
)
def test_bad_options_are_refused_by_name(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        run_policies(table_of(RATES, DOCUMENT), **options)
