"""Two logs under one definition: the difference, its interval, and a test whose false-alarm rate is simulated.

The simulations are seeded, so they always give the same shares; their bounds are stated beside them.
"""

from __future__ import annotations

import json
from itertools import combinations, product

import numpy as np
import pytest

from benchmarks import coverage
from simspec.cli import main
from simspec.tools.lengths import Counts, Log, compared
from simspec.tools.lengths.compared import MOST_EXACT, difference_interval, fewest_requests, swap_test, two_sample_test
from tests.tools.lengths.engines import llama_request, vllm_line, vllm_record

RUNS = 400
RUNS_OF_INTERVALS = 2_000


def log(accepted, steps=10, by_request: bool = True) -> Log:
    """A log of requests with these accepted drafts."""
    every = np.broadcast_to(steps, np.shape(accepted)).tolist()
    return Log("by hand", tuple(Counts(s, int(a)) for a, s in zip(accepted, every, strict=True)), by_request)


def statistic_by_hand(first, second) -> float:
    """Difference of the ratios over its standard error, one request after the other."""
    parts = []
    for rows in (first, second):
        ratio = sum(a for a, _ in rows) / sum(s for _, s in rows)
        residuals = sum((a - ratio * s) ** 2 for a, s in rows) / sum(s for _, s in rows) ** 2
        parts.append((ratio, residuals * len(rows) / (len(rows) - 1)))
    return (parts[0][0] - parts[1][0]) / (parts[0][1] + parts[1][1]) ** 0.5


def test_by_hand() -> None:
    """Lengths of 3 and 2.2: the difference is 0.8, and of 252 divisions of ten requests only the two complete ones divide so."""
    of = compared(log([20, 21, 19, 20, 20]), log([12, 13, 11, 12, 12]))
    assert (of.first.length.value, of.second.length.value) == (3.0, 2.2)
    assert of.difference.value == pytest.approx(0.8) and of.p_value == 2 / 252 and of.differs
    assert of.difference.low is not None and of.difference.high is not None
    assert 0.6 < of.difference.low < 0.8 < of.difference.high < 1.0


def test_all_arrangements_one_by_one() -> None:
    rng = np.random.default_rng(5)
    first = np.stack([rng.integers(0, 30, 5), rng.integers(5, 15, 5)], axis=1).astype(float)
    second = np.stack([rng.integers(0, 30, 6), rng.integers(5, 15, 6)], axis=1).astype(float)
    together = [*map(tuple, first), *map(tuple, second)]
    seen = abs(statistic_by_hand(together[:5], together[5:]))
    extreme = []
    for chosen in combinations(range(11), 5):
        here = [together[i] for i in chosen]
        there = [together[i] for i in range(11) if i not in chosen]
        extreme.append(abs(statistic_by_hand(here, there)) >= seen - 1e-12)
    assert two_sample_test(first, second) == pytest.approx(np.mean(extreme))


def test_all_exchanges_one_by_one() -> None:
    rng = np.random.default_rng(6)
    first = np.stack([rng.integers(5, 30, 6), np.full(6, 10)], axis=1).astype(float)
    second = np.stack([rng.integers(0, 25, 6), np.full(6, 10)], axis=1).astype(float)
    differences = (first[:, 0] - second[:, 0]) / 60  # all requests have as many steps, so it is an ordinary mean

    def size(signs) -> float:
        values = differences * signs
        return abs(values.sum()) / np.sqrt(6 / 5 * ((values - values.mean()) ** 2).sum())

    seen = size(np.ones(6))
    extreme = [size(np.array(signs)) >= seen - 1e-12 for signs in product((1, -1), repeat=6)]
    assert swap_test(first, second) == pytest.approx(np.mean(extreme))


def test_equal_logs_do_not_differ() -> None:
    same = log([20, 5, 19, 20, 11, 7])
    for paired in (False, True):
        of = compared(same, same, paired=paired)
        assert (of.difference.value, of.p_value, of.differs) == (0, 1, False)


def false_alarms(law: coverage.Law, numbers: tuple[int, int], gains: tuple[float, float], *, paired: bool) -> float:
    """Share of runs in which the test calls a difference, where drafts of each log gain so much acceptance."""
    rng = np.random.default_rng(20_261_128)
    alarms = 0
    for _ in range(RUNS):
        rows = []
        steps, rates = law.draw(rng, (numbers[0], 1))
        for number, gain in zip(numbers, gains, strict=True):
            if not paired:
                steps, rates = law.draw(rng, (number, 1))
            accepted = rng.binomial(coverage.GAMMA * steps, np.clip(rates + gain, 0, 1))
            rows.append(np.concatenate([accepted, steps], axis=1).astype(float))
        test = swap_test if paired else two_sample_test
        alarms += test(rows[0], rows[1]) <= 0.05
    return alarms / RUNS


@pytest.mark.parametrize("law", coverage.LAWS.values(), ids=coverage.LAWS)
@pytest.mark.parametrize("paired", [False, True])
def test_false_alarms(law, paired) -> None:
    """At most 5 % of comparisons: of 400 runs at most 32 with probability 0.994, and the seed is fixed."""
    assert false_alarms(law, (7, 7), (0, 0), paired=paired) <= 32 / RUNS


def test_a_difference_is_seen() -> None:
    """The negative control: 0.2 more acceptance of each draft is called in nearly all runs, with pairs and without."""
    law = coverage.LAWS["near-constant"] if "near-constant" in coverage.LAWS else next(iter(coverage.LAWS.values()))
    assert false_alarms(law, (7, 7), (0, -0.2), paired=False) > 0.95
    assert false_alarms(law, (7, 7), (0, -0.2), paired=True) > 0.95


@pytest.mark.parametrize("count", [5, 7, 12, 30])
@pytest.mark.parametrize("paired", [False, True])
def test_the_interval_holds_the_difference(count, paired) -> None:
    """95 % intervals hold a true difference of 0.4 in at least 93 % of 2,000 runs (less by chance in 1 of 10,000 at 95 %).

    The negative control is the interval that takes every draft for an independent one, which misses too often.
    """
    rng = np.random.default_rng(count)
    held = 0
    held_by_control = 0
    for _ in range(RUNS_OF_INTERVALS):
        steps = 1 + rng.geometric(1 / 20, (2, count))
        prompt = rng.normal(0, 0.1, (2, count))
        if paired:
            prompt[1] = prompt[0]
        rates = np.clip(np.array([[0.6], [0.5]]) + prompt + rng.normal(0, 0.03, (2, count)), 0, 1)
        rows = np.stack([rng.binomial(4 * steps, rates), steps], axis=2).astype(float)
        interval = difference_interval(rows[0], rows[1], 0.95, paired=paired)
        held += interval.low <= 0.4 <= interval.high
        shares = rows[:, :, 0].sum(axis=1) / steps.sum(axis=1) / 4
        error = 4 * np.sqrt((shares * (1 - shares) / (4 * steps.sum(axis=1))).sum())
        held_by_control += abs(interval.estimate - 0.4) <= 1.96 * error
    assert held >= 0.93 * RUNS_OF_INTERVALS
    if not paired:  # pairs take out what prompts differ by, and what is left is nearly independent
        assert held_by_control <= 0.8 * RUNS_OF_INTERVALS


def test_many_requests_are_drawn() -> None:
    """More arrangements than are enumerated: a p-value of 10,000 at least, and the same for the same seed."""
    rng = np.random.default_rng(3)
    first, second = (np.stack([rng.binomial(40, 0.5, 60), np.full(60, 10)], axis=1).astype(float) for _ in "12")
    assert MOST_EXACT < 2**60
    values = [test(first, second, seed=1) for test in (two_sample_test, swap_test) for _ in "12"]
    assert values[0] == values[1] and values[2] == values[3]
    assert swap_test(first + np.array([40, 0]), second) == 1 / 10_000


@pytest.mark.parametrize(("level", "pairs", "each"), [(0.9, 5, 5), (0.95, 6, 5), (0.99, 8, 5), (0.999, 11, 7)])
def test_fewest_requests(level, pairs, each) -> None:
    """2 of 2^n or of C(2n, n) arrangements are as extreme as the most extreme; intervals need five requests."""
    assert fewest_requests(level, paired=True) == pairs and fewest_requests(level, paired=False) == each
    accepted = np.arange(20, 20 + pairs - 1)
    of = compared(log(accepted), log(accepted - 10), level, paired=True)
    assert of.p_value is None and of.differs is None
    assert of.without_test.endswith(f"needs {pairs} pairs or more") and of.difference == (1.0, None, None)


def test_logs_that_mix_requests_have_no_test(tmp_path, capsys) -> None:
    """vLLM's lines cover intervals; llama.cpp's are by request: a difference, no p-value, and why."""
    steps = [(3, 2), (3, 1), (3, 0)]
    server, requests = tmp_path / "vllm.log", tmp_path / "llama.log"
    server.write_text("\n".join(vllm_line(steps, clock=f"10:00:0{n}") for n in range(8)), encoding="utf-8")
    requests.write_text("\n".join(llama_request(steps, n) for n in range(8)), encoding="utf-8")
    assert main(["lengths", "--compare", str(server), str(requests)]) == 0
    out = capsys.readouterr().out
    assert "difference         0.000  first less second" in out and "p =" not in out
    assert "no test: the first log (vLLM, lines of its log) does not separate requests" in out
    assert main(["lengths", "--compare", str(requests), str(server), "--json", "-"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["p_value"] is None and "the second log" in content["without_test"]
    assert content["first"]["length"]["value"] == 2.0 and content["difference"]["low"] is None


def test_logs_of_unlike_drafts_are_cut_to_the_shorter() -> None:
    """By hand: 4 of 8 steps accept one draft, 2 a second; cut to one draft the length is 1.5 in both logs."""
    longer = Log("by hand", (Counts(8, 6, 16, (4, 2)),) * 5, by_request=True)
    shorter = Log("by hand", (Counts(8, 4, 8, (4,)),) * 5, by_request=True)
    of = compared(longer, shorter)
    assert (of.gamma, of.first.length.value, of.difference.value, of.p_value) == (1, 1.5, 0, 1)
    assert of.notes == ("both logs are cut to 1 drafts a step, which both draft",)
    without = compared(longer, Log("by hand", (Counts(8, 4, 8),) * 5, by_request=True))
    assert without.gamma is None and "2.00 and 1.00 tokens a step" in without.notes[0]
    unknown = compared(longer, Log("by hand", (Counts(8, 4),) * 5, by_request=True))
    assert "does not say how many tokens" in unknown.notes[0]


def test_the_command(tmp_path, capsys) -> None:
    rng = np.random.default_rng(8)
    names = []
    for name, rate in (("a", 0.9), ("b", 0.2)):
        steps = [[(3, int(rng.binomial(3, rate))) for _ in range(20)] for _ in range(8)]
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(vllm_record(request) for request in steps), encoding="utf-8")
        names.append(str(path))
    assert main(["lengths", "--compare", *names]) == 0
    assert "p = 0.0002: the lengths differ (requests exchanged between the logs" in capsys.readouterr().out
    assert main(["lengths", "--compare", *names, "--paired"]) == 0
    assert "p = 0.0078: the lengths differ (exchanges within pairs of requests" in capsys.readouterr().out
    for wrong, message in (
        ([], "FILE: expected one log, or two with --compare A B"),
        ([names[0], "--compare", *names], "FILE: expected one log"),
        ([names[0], "--paired"], "--paired: there is one log"),
        (["--compare", *names, "--cost", "0.1", "--synthetic", "-"], "--cost, --synthetic: --compare prints"),
    ):
        assert main(["lengths", *wrong]) == 2
        assert message in capsys.readouterr().err


def test_pairs_are_pairs() -> None:
    with pytest.raises(ValueError, match="paired: 6 and 7 requests"):
        compared(log([1] * 6), log([1] * 7), paired=True)
    idle = Log("by hand", (Counts(0, 0), *log([1] * 6).counts), by_request=True)
    late = Log("by hand", (*log([1] * 6).counts, Counts(0, 0)), by_request=True)
    with pytest.raises(ValueError, match="a request has steps in one log only"):
        compared(idle, late, paired=True)
    with pytest.raises(ValueError, match="level: 1; expected"):
        compared(log([1] * 6), log([1] * 6), 1)
