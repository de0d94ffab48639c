"""Numbers of drafts that adapt: exact times by hand and on fractions, simulations beside them, and regret where rates drift."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from simspec.cli import main
from simspec.engine.estimates.intervals import Interval
from simspec.tools.advise import Plan, advise
from simspec.tools.advise.one_hot import columns, compared
from simspec.tools.advise.policies import (
    POLICIES,
    Costs,
    compared_policies,
    expected_time,
    oracle_time,
    policy_lines,
    simulated_times,
)
from simspec.tools.advise.walk import calls
from simspec.tools.reading import Pairs

DRIFTING = ([0.95] * 80 + [0.1] * 80) * 2
COSTS = Costs(Fraction(1, 8), Fraction(1, 40))


def paths_time(rates, drafts, costs, passes=None) -> Fraction:
    """Expected time by every sequence of accepted and refused drafts, one after the other."""

    def after(position: int) -> Fraction:
        if position >= len(rates):
            return Fraction(0)
        count = drafts[position]
        total = 1 + (count if passes is None else passes[position]) * costs.draft + count * costs.verify
        for outcome in product((True, False), repeat=count):
            chance = Fraction(1)
            for i, is_accepted in enumerate(outcome):
                rate = rates[position + i] if position + i < len(rates) else Fraction(1)
                chance *= rate if is_accepted else 1 - rate
            accepted = outcome.index(False) if False in outcome else count
            total += chance * after(position + accepted + 1) if chance else 0
        return total

    return after(0)


@pytest.mark.parametrize("seed", range(12))
def test_expected_times_are_those_of_all_paths(seed) -> None:
    """On fractions, exactly; the oracle is the least over all numbers of drafts at all positions."""
    rng = np.random.default_rng(seed)
    rates = [Fraction(int(n), 6) for n in rng.integers(0, 7, 4)]
    drafts = rng.integers(0, 4, 4).tolist()
    passes = [count + int(rng.integers(0, 2)) for count in drafts]
    assert expected_time(rates, drafts, COSTS) == paths_time(rates, drafts, COSTS)
    assert expected_time(rates, drafts, COSTS, passes) == paths_time(rates, drafts, COSTS, passes)
    all_drafts = product(range(3), repeat=4)
    assert oracle_time(rates, 2, COSTS) == min(expected_time(rates, choice, COSTS) for choice in all_drafts)


def test_long_texts_take_the_steps_of_the_walk() -> None:
    """Steps a token of a long text, beside `walk.calls`, which reads the text again and again: the ends differ by a step."""
    rates = np.tile([0.9, 0.2, 0.7], 400)
    for gamma in (1, 4):
        time = expected_time(rates.tolist(), [gamma] * len(rates), Costs(0))
        assert abs(time / len(rates) - calls(rates, [gamma]).mean()) < 2 / len(rates)


@pytest.mark.parametrize("name", ["fixed:0", "fixed:3", "fixed:8"])
def test_simulated_times_are_the_expected_ones(name) -> None:
    """Within 4 standard errors of 2,000 runs; false alarm below 1e-4.  The control is another number of drafts."""
    gamma = int(name.partition(":")[2])
    costs = Costs(0.1, 0.02)
    times, drafts = simulated_times(DRIFTING, name, costs, 8, runs=2_000)
    error = times.std() / 2_000**0.5
    assert abs(times.mean() - expected_time(DRIFTING, [gamma] * len(DRIFTING), costs)) <= 4 * error
    assert abs(times.mean() - expected_time(DRIFTING, [gamma + 1] * len(DRIFTING), costs)) > 4 * error
    assert (drafts == gamma).all()


def test_the_heuristic_is_its_exact_recursion() -> None:
    """Two more after a step that accepts all, one fewer after any other, by position and number; 4 standard errors."""
    costs = Costs(0.1, 0.02)
    rates = DRIFTING[60:120]

    @cache
    def after(position: int, count: int) -> float:
        if position >= len(rates):
            return 0.0
        total = 1 + count * 0.12
        survived = 1.0
        for i in range(count):
            rate = rates[position + i] if position + i < len(rates) else 1.0
            total += survived * (1 - rate) * after(position + i + 1, max(1, count - 1))
            survived *= rate
        return total + survived * after(position + count + 1, min(8, count + 2))

    times, _ = simulated_times(rates, "heuristic", costs, 8, runs=4_000)
    error = times.std() / 4_000**0.5
    assert abs(times.mean() - after(0, 5)) <= 4 * error
    assert abs(times.mean() - after(0, 1)) > 4 * error


def test_regret_on_drifting_and_on_constant_acceptance() -> None:
    """Where rates drift a short memory beats every fixed number of drafts; where they do not it cannot.

    Nothing beats the oracle.  Errors are 4 standard errors of 400 runs.
    """
    for rates, gains in ((DRIFTING, True), ([0.6] * 320, False)):
        rows = {row.name: row for row in compared_policies(rates, rates, Costs(0.1), 8)}
        moving = rows["moving:16"]
        error = 4 / 1.96 * (moving.speedup.high / moving.speedup.estimate - 1)
        assert (moving.regret < -error) == gains and (gains or moving.regret > 0)
        for row in rows.values():
            error = 4 / 1.96 * (row.speedup.high / row.speedup.estimate - 1)
            assert row.regret_of_oracle >= -error - 1e-12
    assert set(rows) == {"oracle", "fixed:3", *POLICIES}  # of 0.6: 2.176 / 1.3 beats 1.96 / 1.2 and 2.3056 / 1.4


def test_confidence_by_hand() -> None:
    """Confident at the first and second of three positions: two drafts, a third pass that shows the end, one step of 4 tokens.

    Both are certain, so the step emits all three positions.  A confidence that says nothing drafts nothing, and pays a pass.
    """
    rows = compared_policies(
        [1.0, 1.0, 0.5], [0.9, 0.9, 0.1], Costs(0.25, 0.125), 4, ["confidence:0.5", "confidence:1"]
    )
    assert rows[2].speedup.estimate == pytest.approx(3 / (1 + 3 * 0.25 + 2 * 0.125)) and rows[2].drafts == 2
    assert rows[3].speedup.estimate == pytest.approx(1 / 1.25) and rows[3].drafts == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("adaptive", "policy: 'adaptive'; expected fixed:4, heuristic, moving:64 or confidence:0.4"),
        ("heuristic:3", "policy: 'heuristic:3'; expected fixed:4"),
        ("fixed:9", "policy: 'fixed:9'; expected a number up to 8"),
        ("fixed:1.5", "policy: 'fixed:1.5'"),
        ("moving:0", "policy: 'moving:0'"),
        ("moving:x", "policy: 'moving:x'"),
        ("confidence:2", "policy: 'confidence:2'; expected a number up to 1"),
    ],
)
def test_names_that_are_none_are_refused(name, message) -> None:
    with pytest.raises(ValueError, match=message):
        compared_policies([0.5] * 4, [0.5] * 4, Costs(0.1), 8, [name], runs=2)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="rates, max_drafts"):
        compared_policies([], None, Costs(0.1), 8)
    with pytest.raises(ValueError, match="rates, max_drafts"):
        compared_policies([1.5], None, Costs(0.1), 8)
    with pytest.raises(ValueError, match="confidence: 2 numbers for 1 rates"):
        compared_policies([0.5], [0.5, 0.5], Costs(0.1), 8)
    with pytest.raises(ValueError, match="'confidence:0.4' needs the drafter's probabilities"):
        compared_policies([0.5], None, Costs(0.1), 8, ["confidence:0.4"])


def drifting_pairs() -> Pairs:
    """Laws whose overlap is 0.95 and 0.1 in turns, and whose drafts are confident in the first."""
    overlaps = np.array(DRIFTING)
    q = np.stack([overlaps, 1 - overlaps, np.zeros(len(overlaps))], axis=1)
    p = np.stack([overlaps, np.zeros(len(overlaps)), 1 - overlaps], axis=1)
    return Pairs(p, q, np.arange(len(overlaps)) // 16, "by hand", position=np.arange(len(overlaps)) % 16)


def test_advice_compares_policies_along_its_text(tmp_path, capsys) -> None:
    """The rates of the rule are those of the laws, and the costs those of the plan."""
    pairs = drifting_pairs()
    advice = advise(pairs, Plan(rules=("sd", "greedy"), gammas=tuple(range(1, 9)), cost=0.08, verify=0.02))
    rule, rows = advice.by_policy(["moving:16"])
    assert rule == "sd" and rows == compared_policies(DRIFTING, None, Costs(0.08, 0.02), 8, ["moving:16"])
    laws = tmp_path / "laws.npz"
    np.savez(laws, p=pairs.p, q=pairs.q)
    start = ["advise", str(laws), "--rule", "sd", "--top-p", "1", "--gamma", "1-8"]
    assert main([*start, "--policy", "moving:16", "--policy", "confidence:0.5"]) == 0
    out = capsys.readouterr().out
    assert "Policies for the number of drafts, with sd along the text" in out and "confidence:0.5" in out
    assert main([*start, "--policy", "all", "--json", "-"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in content["policies"]["rows"]][2:] == list(POLICIES)
    assert main([*start, "--policy", "best"]) == 2
    assert "policy: 'best'" in capsys.readouterr().err
    assert main(["advise", str(laws), "--rule", "ears:0.5", "--policy", "all"]) == 2
    assert "--policy: no lossless rule" in capsys.readouterr().err


def test_lines_show_what_is_simulated() -> None:
    lines = policy_lines(compared_policies([0.5] * 40, None, Costs(0.1), 4, ["heuristic"], runs=50), "sd")
    assert "±" in lines[-1] and "±" not in lines[2] + lines[3]


def test_one_hot_drafts_by_hand() -> None:
    """p = (0.9, 0.1), q = (0.6, 0.4): the token is accepted in 0.9, a drawn draft in 0.7."""
    ten = np.tile([0.9, 0.1], (10, 1)), np.tile([0.6, 0.4], (10, 1))
    full, token, confidence = columns(Pairs(*ten, np.arange(10), "by hand"))
    of = compared(full, token, np.arange(10))
    assert confidence.tolist() == [0.6] * 10
    numbers = [number.estimate for number in of[:3] if isinstance(number, Interval)]
    assert numbers == pytest.approx([0.7, 0.9, 0.2]) and of.share == 1
    assert of.sentence().startswith(
        "drafts drawn from the draft's distribution are accepted in 0.700 (sum of min(p, q))"
    )
    assert "0.900 (p at argmax q): +0.200" in of.sentence() and of.sentence().endswith("more in 100 % of the contexts")


def test_one_hot_drafts_are_the_rule_greedy() -> None:
    """The same numbers as the rows of sd and greedy, measured another way, on laws at random."""
    rng = np.random.default_rng(4)
    p, q = rng.dirichlet(np.ones(6), (2, 40))
    advice = advise(Pairs(p, q, np.arange(40), "random"), Plan(rules=("sd", "greedy")))
    assert advice.one_hot is not None
    assert advice.one_hot.full.estimate == pytest.approx(advice[0].acceptance.estimate)
    assert advice.one_hot.token.estimate == pytest.approx(advice[1].acceptance.estimate)
    assert advice.one_hot.difference.low < advice.one_hot.difference.estimate < advice.one_hot.difference.high
