"""Policies that choose among drafts: by hand, against plain loops, on fractions, and what each may look at."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction as F
from itertools import permutations, product

import numpy as np
import pytest

from simspec.methods.selection import (
    POLICIES,
    explore,
    fixed_regret,
    hedge,
    leader,
    policy,
    segment_regret,
    share,
    ucb,
)

Rows = list[list[float]]


def sequence(seed: int, steps: int = 40, drafts: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).random((steps, drafts))


def one_hot(number: int, count: int) -> list[float]:
    return [float(k == number) for k in range(count)]


def best_of(scores: list) -> int:
    return max(range(len(scores)), key=lambda k: (scores[k], -k))


def looped_leader(rows: Rows) -> Rows:
    sums = [0.0] * len(rows[0])
    weights = []
    for row in rows:
        weights.append(one_hot(best_of(sums), len(row)))
        sums = [total + rate for total, rate in zip(sums, row, strict=True)]
    return weights


def looped_share(rows: Rows, sigma: float = 0.01) -> Rows:
    count = len(rows[0])
    rate = math.sqrt(8 * math.log(count) / len(rows))
    now = [1 / count] * count
    weights = []
    for row in rows:
        weights.append(now)
        grown = [w * math.exp(rate * a) for w, a in zip(now, row, strict=True)]
        now = [(1 - sigma) * w / sum(grown) + sigma / count for w in grown]
    return weights


def looped_explore(rows: Rows, rounds: int = 10) -> Rows:
    count = len(rows[0])
    own: list[list[float]] = [[] for _ in range(count)]
    weights = []
    for step, row in enumerate(rows):
        choice = step % count if step < rounds * count else best_of([sum(rates) for rates in own])
        if step < rounds * count:
            own[choice].append(row[choice])
        weights.append(one_hot(choice, count))
    return weights


def looped_ucb(rows: Rows) -> Rows:
    count = len(rows[0])
    own: list[list[float]] = [[] for _ in range(count)]
    weights = []
    for step, row in enumerate(rows):
        choice = step
        if step >= count:
            choice = best_of([sum(a) / len(a) + math.sqrt(2 * math.log(step) / len(a)) for a in own])
        own[choice].append(row[choice])
        weights.append(one_hot(choice, count))
    return weights


LOOPS: dict[str, Callable[[Rows], Rows]] = {
    "leader": looped_leader,
    "hedge": lambda rows: looped_share(rows, 0),
    "share": looped_share,
    "explore": looped_explore,
    "ucb": looped_ucb,
}


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_is_its_loop_alone_and_in_a_batch(name) -> None:
    batch = np.stack([sequence(seed) for seed in range(5)])
    together = policy(name).weights(batch)
    for rows, weights in zip(batch, together, strict=True):
        np.testing.assert_allclose(weights, LOOPS[name](rows.tolist()), atol=1e-12)
        np.testing.assert_allclose(policy(name).weights(rows), weights, atol=1e-12)
    assert (LOOPS["leader"](batch[0].tolist()) != np.asarray(LOOPS["ucb"](batch[0].tolist()))).any()


def test_hedge_is_exact_on_fractions_with_the_rate_ln_2() -> None:
    """Every 0-1 sequence of 4 steps and 2 drafts: the weight of a draft is 2 to its sum, over that of both."""
    for bits in product((0, 1), repeat=8):
        rows = np.array(bits).reshape(4, 2)
        weights = hedge(rows, rate=math.log(2))
        for step in range(4):
            powers = [F(2) ** int(rows[:step, k].sum()) for k in range(2)]
            assert weights[step] == pytest.approx([float(power / sum(powers)) for power in powers], rel=1e-12)


def test_leader_and_explore_run_on_fractions() -> None:
    rows = np.array([[F(1, 3), F(1, 2)], [F(1, 2), F(1, 7)], [F(1), F(0)]], dtype=object)
    assert leader(rows).tolist() == [[1, 0], [0, 1], [1, 0]]
    assert explore(rows, 1).tolist() == [[1, 0], [0, 1], [1, 0]]
    assert fixed_regret(rows, leader(rows)) == (F(11, 6) - (F(1, 3) + F(1, 7) + 1)) / 3


def looks_ahead(weights: Callable[[np.ndarray], np.ndarray]) -> bool:
    """Whether weights at some step change with the acceptance at that step or later."""
    rows = sequence(3)
    before = weights(rows)
    for step in range(len(rows)):
        changed = rows.copy()
        changed[step:] = 1 - changed[step:]
        if not np.array_equal(weights(changed)[: step + 1], before[: step + 1]):
            return True
    return False


def reads_unused(weights: Callable[[np.ndarray], np.ndarray]) -> bool:
    """Whether weights change with the acceptance of drafts that were not used."""
    rows = sequence(4)
    before = weights(rows)
    return not np.array_equal(weights(np.where(before == 1, rows, 1 - rows)), before)


@pytest.mark.parametrize("name", POLICIES)
def test_no_policy_looks_ahead_and_a_bandit_reads_its_own_draft_alone(name) -> None:
    chosen = policy(name)
    assert not looks_ahead(chosen.weights)
    assert reads_unused(chosen.weights) == chosen.is_full


def test_a_policy_that_looks_at_its_own_step_is_caught() -> None:
    assert looks_ahead(lambda a: (a == a.max(axis=-1, keepdims=True)).astype(int))


@pytest.mark.parametrize("seed", range(20))
def test_the_regret_of_hedge_is_below_its_bound_on_every_sequence(seed) -> None:
    """A theorem about every sequence, so no false alarm; weights of the opposite sign break it."""
    rng = np.random.default_rng(seed)
    rows = (rng.random((200, 4)) < rng.random(4)).astype(float)
    worst = np.zeros((200, 4))  # the draft with the largest weight is the one that is never accepted
    for step in range(200):
        worst[step, hedge(worst)[step].argmin()] = 1
    for accepted in (rows, worst):
        assert fixed_regret(accepted, hedge(accepted)) <= math.sqrt(math.log(4) / 400)


def test_weights_of_the_opposite_sign_break_the_bound() -> None:
    rows = np.tile([1.0, 0.0], (200, 1))
    assert fixed_regret(rows, hedge(1 - rows)) > math.sqrt(math.log(2) / 400)
    assert fixed_regret(rows, hedge(rows)) <= math.sqrt(math.log(2) / 400)


def test_fixed_share_follows_a_change_that_hedge_does_not() -> None:
    """One draft is accepted always for 100 steps and never after them, the other the other way round."""
    rows = np.repeat([[1.0, 0.0], [0.0, 1.0]], 100, axis=0)
    halves = np.repeat([0, 1], 100)
    followed, static = (float(segment_regret(rows, weights(rows), halves)) for weights in (share, hedge))
    assert followed < static
    np.testing.assert_allclose(share(rows, 0), hedge(rows), atol=1e-12)


def test_ucb_and_explore_settle_on_the_better_draft() -> None:
    """Rates 0.9 and 0.1: a wrong choice after 20 steps of each needs 20 draws to reverse; by Hoeffding below exp(-12)."""
    rows = (np.random.default_rng(0).random((2000, 2)) < [0.9, 0.1]).astype(float)
    assert explore(rows, 20)[40:, 0].all()
    assert ucb(rows)[-1000:, 0].mean() > 0.95


def test_regret_by_hand() -> None:
    rows = [[1, 0], [0, 1], [0, 1]]
    used = [[1, 0]] * 3
    assert fixed_regret(rows, used) == pytest.approx(1 / 3)
    assert segment_regret(rows, used, [0, 1, 1]) == pytest.approx(2 / 3)
    assert segment_regret(rows, used, [5, 5, 5]) == pytest.approx(1 / 3)
    batch = fixed_regret(np.stack([rows, rows]), np.stack([used, [[0, 1]] * 3]))
    assert batch.tolist() == pytest.approx([1 / 3, 0])


def test_segments_never_have_less_regret() -> None:
    for seed in range(20):
        rows = sequence(seed)
        weights = policy("ucb").weights(rows)
        labels = np.random.default_rng(seed).integers(4, size=len(rows))
        assert segment_regret(rows, weights, labels) >= fixed_regret(rows, weights) - 1e-12


def test_the_mean_of_what_a_bandit_saw_is_unbiased_over_all_orders() -> None:
    """All 24 orders of 4 steps, exactly: a draft's first step in turn has the mean acceptance of all steps."""
    rows = np.array([[F(1, 2), F(1, 3)], [F(0), F(1)], [F(3, 4), F(1, 5)], [F(1, 8), F(2, 7)]], dtype=object)
    orders = [list(order) for order in permutations(range(4))]
    first_rates = [(explore(rows[order], 1) * rows[order])[0, 0] for order in orders]
    assert sum(first_rates) / len(orders) == rows[:, 0].sum() / 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: policy("ubc"), "policy: 'ubc'.*ucb.*expected one of leader, hedge, share, explore, ucb"),
        (lambda: policy("leader:3"), "policy: 'leader:3'; expected leader$"),
        (lambda: policy("ucb:wide"), "policy: 'ucb:wide'; expected ucb:WIDTH, with a number"),
        (lambda: policy("ucb:inf"), "policy: 'ucb:inf'; expected ucb:WIDTH"),
        (lambda: policy("explore:1.5").weights([[0.5]]), "rounds: 1.5; expected a whole number of steps"),
        (lambda: policy("explore:0").weights([[0.5]]), "rounds: 0; expected a whole number of steps, 1 or more"),
        (lambda: policy("share:2").weights([[0.5]]), "part_shared: 2.0; expected a share of the weight, from 0 to 1"),
        (lambda: policy("hedge:-1").weights([[0.5]]), "rate: -1.0; expected a positive number"),
        (lambda: policy("ucb:-1").weights([[0.5]]), "width: -1.0; expected a number, 0 or more"),
        (lambda: leader([0.5]), r"accepted: shape \(1,\); expected acceptance rates in \[0, 1\]"),
        (lambda: leader([[1.5]]), "accepted: shape"),
        (lambda: leader([[float("nan")]]), "accepted: shape"),
        (lambda: segment_regret([[0.5]], [[1]], [0, 0]), "segment: shape .*; expected a label for each of the 1 steps"),
    ],
)
def test_bad_input_is_refused_by_name(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_one_draft_has_no_regret() -> None:
    rows = sequence(0, drafts=1)
    for name in POLICIES:
        assert fixed_regret(rows, policy(name).weights(rows)) == pytest.approx(0, abs=1e-12)
