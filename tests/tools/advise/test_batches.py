"""Advice by batch size and load: by hand, beside fractions, and from files that are damaged."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from simspec.cli import main
from simspec.engine.estimates.intervals import Interval
from simspec.tools.advise import Plan, advise
from simspec.tools.advise.batches import BatchAdvice, batch_advice, settled
from simspec.tools.advise.show import batch_lines
from simspec.tools.advise.steps import StepTimes, csv_text, read_steps, step_times
from simspec.tools.reading import Pairs

ACCEPTANCE = Fraction(7, 10)
HEADER = "batch,tokens,milliseconds,draft\n"
FLAT_ACCEPTANCE = HEADER + "1,1,20,3\n1,5,27,3\n8,1,21,3\n8,5,32,3\n32,1,24,4\n32,5,63,4\n"
"""Times made so that four drafts of which seven in ten are accepted gain at batch 1 and lose at batch 32."""


def exact(length: Fraction | float) -> Interval:
    return Interval(float(length), float(length), float(length), 0.95)


def independent_lengths(alpha: Fraction, most: int) -> dict[int, Fraction]:
    return {gamma: sum((alpha**i for i in range(gamma + 1)), Fraction(0)) for gamma in range(1, most + 1)}


def advised(text: str, most: int = 4, cost: float | None = None, loads=()) -> BatchAdvice:
    lengths = {gamma: exact(length) for gamma, length in independent_lengths(ACCEPTANCE, most).items()}
    return batch_advice("sd", float(ACCEPTANCE), lengths, read_steps(text), cost=cost, loads=loads)


def test_by_hand() -> None:
    """Four drafts of 0.7: 2.7731 tokens, in 27 + 4 * 3 = 39 ms, where the target alone emits 1 in 20: 1.4221 times as fast.

    At batch 32 a step takes 63 + 4 * 4 = 79 ms, where the target alone takes 24: 0.8425 times.
    """
    lengths = {4: exact(2.7731)}
    of = batch_advice("sd", 0.7, lengths, read_steps(FLAT_ACCEPTANCE))
    assert [row.fixed.estimate for row in of.rows] == pytest.approx(
        [2.7731 * 20 / 39, 2.7731 * 21 / 44, 2.7731 * 24 / 79]
    )
    assert [row.gamma for row in of.rows] == [4, 4, 0] and of.last_that_pays == 8
    assert of.rows[0].goodput == pytest.approx(2.7731 / 0.039) and of.rows[0].alone == pytest.approx(50)
    assert of.rows[2].goodput == of.rows[2].alone == pytest.approx(32 / 0.024)  # nothing is drafted
    assert of.rows[0].pays_from == pytest.approx((39 / 20 - 1) / 4)  # 0.2375 of the drafts make 1.95 tokens
    assert (
        "Acceptance is 0.70 at every batch, and drafting 4 tokens everywhere changes the speed by +42 % at batch 1 and -16 % at "
        in (of.sentence())
    )


def test_speeds_are_those_of_fractions() -> None:
    """The exact twin: the same formula on fractions, at every batch and number of drafts, times interpolated."""
    times = {1: (20, 27, 3), 8: (21, 32, 3), 32: (24, 63, 4)}
    lengths = independent_lengths(ACCEPTANCE, 4)
    of = advised(FLAT_ACCEPTANCE)
    for row in of.rows:
        alone, five, draft = map(Fraction, times[row.batch])
        speeds = {0: Fraction(1)}
        for gamma, length in lengths.items():
            verifying = alone + Fraction(gamma, 4) * (five - alone)
            speeds[gamma] = length * alone / (verifying + gamma * draft)
        best = max(speeds, key=lambda gamma: speeds[gamma])
        assert row.gamma == best and row.speedup.estimate == pytest.approx(float(speeds[best]), rel=1e-12)
        assert row.fixed.estimate == pytest.approx(float(speeds[row.fixed_gamma]), rel=1e-12)


@pytest.mark.parametrize("seed", range(50))
def test_the_settled_batch_carries_the_load_and_no_smaller_one_does(seed) -> None:
    rng = np.random.default_rng(seed)
    batches = np.unique(rng.integers(1, 64, 5)).tolist()
    times = [Fraction(int(t)) for t in np.cumsum(rng.integers(0, 40, len(batches))) + 10]
    tokens = Fraction(int(rng.integers(10, 40)), 10)
    load = Fraction(int(rng.integers(1, 80)), 10)
    point = settled(load, tokens, batches, times)
    throughputs = [b * tokens / t for b, t in zip(batches, times, strict=True)]
    if point is None:
        assert max(throughputs) < load
        return
    size, time = point
    if size == batches[0]:
        assert throughputs[0] >= load
        return
    assert size * tokens / time == load
    assert all(t < load for b, t in zip(batches, throughputs, strict=True) if b < size)


def test_by_load() -> None:
    """At the load of the target alone at batch 8, 8 tokens in 21 ms, four drafts settle at a smaller batch."""
    of = batch_advice("sd", 0.7, {4: exact(2.7731)}, read_steps(FLAT_ACCEPTANCE), loads=(8 / 0.021, 1e6))
    carried, too_much = of.loads
    assert (carried.alone_batch, carried.alone_milliseconds) == pytest.approx((8, 21))
    slope = (44 - 39) / 7  # milliseconds a sequence, between batches 1 and 8
    batch = 8 / 21 * (39 - slope) / (2.7731 - 8 / 21 * slope)
    assert carried.batch == pytest.approx(batch) and 5.8 < batch < 5.9 and carried.gamma == 4
    assert carried.milliseconds == pytest.approx((39 + slope * (batch - 1)) / 2.7731)
    assert too_much.gamma is None and math.isinf(too_much.milliseconds) and math.isinf(too_much.alone_batch)
    assert "too slow" in batch_lines(of)[-1]
    assert [load.load for load in advised(FLAT_ACCEPTANCE).loads] == pytest.approx([50, 8 / 0.021, 32 / 0.024])


@pytest.mark.parametrize("milliseconds", [112.9, 168.2, 79.4, 112.4])
def test_the_target_alone_carries_what_it_emits_at_each_batch(milliseconds) -> None:
    """Without loads of its own, the table asks for the goodput of each batch; for these times it is rounded up beyond it."""
    assert (1000 * 4 / milliseconds) / 1000 * milliseconds > 4
    times = f"1,1,{milliseconds - 5}\n1,5,{milliseconds}\n4,1,{milliseconds}\n4,5,{milliseconds}\n"
    advice = advised(f"batch,tokens,milliseconds\n{times}", cost=9.0)
    assert [row.alone_batch for row in advice.loads] == pytest.approx([1, 4])
    asked = advised(f"batch,tokens,milliseconds\n{times}", cost=9.0, loads=[1000 * 4 / milliseconds])
    assert [(row.load, row.alone_batch) for row in asked.loads] == [(1000 * 4 / milliseconds, pytest.approx(4))]


def test_where_nothing_pays() -> None:
    of = advised("batch,tokens,milliseconds\n4,1,10\n4,2,30\n", cost=0.1)
    assert of.rows[0].gamma == 0 and of.last_that_pays is None and of.rows[0].pays_from is None
    assert of.sentence() == "Do not draft with sd: at batch 4 and above no number of drafts pays."
    assert any("never" in line for line in batch_lines(of))


def test_the_spread_of_repetitions_is_carried() -> None:
    rows = [(1, width, ms + 0.1 * n, 2.0 + 0.05 * n) for width, ms in ((1, 10.0), (5, 12.0)) for n in range(9)]
    lengths = {4: exact(2.5)}
    of = batch_advice("sd", 0.6, lengths, step_times(rows))
    assert of.has_spread and of.rows[0].speedup.low < of.rows[0].speedup.estimate < of.rows[0].speedup.high
    single = batch_advice("sd", 0.6, lengths, step_times(rows[::9]))
    assert not single.has_spread and single.rows[0].speedup.low == pytest.approx(single.rows[0].speedup.estimate)
    assert "fewer than 6 repetitions" in "\n".join(batch_lines(single))
    again = read_steps(csv_text(rows))
    assert again.alone(1).estimate == pytest.approx(10.4) and again.draft[1].estimate == pytest.approx(2.2)


@pytest.mark.parametrize("paired_noise", [0.02, 0.1])
def test_the_interval_of_a_speed_holds_it(paired_noise) -> None:
    """Nine noisy repetitions with outliers: the true speed 2.5 * 10 / 20 in at least 94 % of 1,000 runs.

    By chance that is missed in 1 of 10 at exactly 95 %; the intervals are wider than that, and the seed is fixed.  The
    control is a speed that is a third higher, which they hold less often.
    """
    rng = np.random.default_rng(1)
    held = 0
    held_wrong = 0
    for _ in range(1_000):
        noise = np.exp(rng.normal(0, paired_noise, (2, 9, 2))) * np.where(rng.random((2, 9, 2)) < 0.05, 3, 1)
        rows = [
            (1, w, ms * noise[i, n, 0], 2 * noise[i, n, 1])
            for i, (w, ms) in enumerate(((1, 10), (5, 12)))
            for n in range(9)
        ]
        interval = batch_advice("sd", 0.6, {4: exact(2.5)}, step_times(rows)).rows[0].fixed
        held += interval.low <= 1.25 <= interval.high
        held_wrong += interval.low <= 1.25 * 4 / 3 <= interval.high
    assert held >= 940 and held_wrong < 600


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1 is ''; expected batch,tokens,milliseconds"),
        ("batch,tokens\n1,1\n", "expected batch,tokens,milliseconds, and optionally draft"),
        ("batch,tokens,milliseconds,gpu\n1,1,2,3\n", "expected batch,tokens"),
        ("batch,tokens,milliseconds,batch\n1,1,2,3\n", "once each"),
        (HEADER, "no rows"),
        (HEADER + "1,1,10\n", "line 2 has 3 cells; expected 4"),
        (HEADER + "1,2,10,1\n", "no row with batch 1 and 1 token"),
        (HEADER + "1,1,10,1\n2,1,10,\n", "no time of a draft step at batch 2"),
        (HEADER + "0,1,10,1\n", "line 2: batch is '0'"),
        (HEADER + "1,x,10,1\n", "line 2: tokens is 'x'"),
        (HEADER + "1,99999999,10,1\n", "line 2: tokens is"),
        (HEADER + "1,1,-3,1\n", "line 2: milliseconds is '-3'; expected milliseconds, more than 0"),
        (HEADER + "1,1,nan,1\n", "line 2: milliseconds is 'nan'"),
        (HEADER + "1,1,10,\x1b[31m\n", r"line 2: draft is '\\x1b\[31m'"),
    ],
)
def test_damaged_files_are_refused(text, message) -> None:
    with pytest.raises(ValueError, match=message):
        read_steps(text)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="no time of a draft step; expected a column draft"):
        advised("batch,tokens,milliseconds\n1,1,10\n1,5,12\n")
    with pytest.raises(ValueError, match="the times have draft steps, and a cost is given"):
        advised(FLAT_ACCEPTANCE, cost=0.1)
    with pytest.raises(ValueError, match="steps on at most 1 tokens were timed at every batch; expected 2 or more"):
        advised("batch,tokens,milliseconds\n1,1,10\n", cost=0.1)
    with pytest.raises(ValueError, match="tokens: 6 at batch 1; expected a number between 1 and 5"):
        read_steps(FLAT_ACCEPTANCE).verifying(1, 6)
    trees = advise(
        Pairs(np.array([[0.5, 0.5]]), np.array([[0.2, 0.8]]), np.array([0]), "by hand"), Plan(rules=("ears:0.5",))
    )
    with pytest.raises(ValueError, match="no lossless rule with one token a level"):
        trees.by_batch(StepTimes({}, {}))


def test_the_command(tmp_path, capsys) -> None:
    """Seven in ten drafts accepted in every context; the table of rules and that of batches speak of the same steps."""
    laws = tmp_path / "laws.npz"
    np.savez(laws, p=np.tile([0.7, 0.3, 0.0], (6, 1)), q=np.tile([0.7, 0.0, 0.3], (6, 1)))
    steps = tmp_path / "steps.csv"
    steps.write_text(FLAT_ACCEPTANCE, encoding="utf-8")
    start = ["advise", str(laws), "--rule", "sd", "--top-p", "1", "--gamma", "4", "--steps", str(steps)]
    assert main(start) == 0
    out = capsys.readouterr().out
    assert "With sd: draft 4 tokens at batches 1 to 8, do not draft at batch 32." in out
    assert "drafting 4 tokens everywhere changes the speed by +42 % at batch 1 and -16 % at batch 32" in out
    assert "1.42 times the target's speed" in out and "--speculative-num-steps" not in out
    assert main([*start, "--load", "100", "--json", "-"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert [row["gamma"] for row in content["batches"]["rows"]] == [4, 4, 0]
    assert content["batches"]["loads"][0]["load"] == 100 and content["batches"]["last_that_pays"] == 8
    assert content["rows"][0]["speedup"] == pytest.approx(content["batches"]["rows"][0]["speedup"][0])
    for wrong, message in (
        ([*start, "--cost", "0.1"], "--cost: --steps has the column draft"),
        ([*start, "--load", "-1"], "--load: "),
        ([*start, "--batches", "1,4"], "--batches: steps are measured on TARGET and DRAFT"),
        ([*start, "--save-steps", "x.csv"], "--save-steps: nothing is measured"),
        (["advise", str(laws), "--load", "3"], "--load: the times of steps are not known"),
        (["advise", str(laws), "--steps", str(tmp_path / "none.csv")], "none.csv"),
    ):
        assert main(wrong) == 2
        assert message in capsys.readouterr().err
    steps.write_text("batch,tokens,milliseconds\n1,1,10\n1,5,12\n", encoding="utf-8")
    assert main(start) == 2
    assert "--cost: no time of a draft step" in capsys.readouterr().err
    assert main([*start, "--cost", "0.05"]) == 0


def test_the_spread_of_given_times_reaches_the_advice(tmp_path, capsys) -> None:
    """The second and the eighth of nine repetitions bound the median: a draft takes 1 to 4 of the 8 ms of a step."""
    laws = tmp_path / "laws.npz"
    np.savez(laws, p=np.tile([0.7, 0.3, 0.0], (6, 1)), q=np.tile([0.7, 0.0, 0.3], (6, 1)))
    drafts = [0.5, 1, 2, 2, 2, 3, 3, 4, 8]
    blocks = [8, 9, 10, 10, 10, 11, 11, 12, 16]
    rows = [f"1,1,8,{draft}" for draft in drafts] + [f"1,5,{block}," for block in blocks]
    steps = tmp_path / "steps.csv"
    steps.write_text("\n".join(["batch,tokens,milliseconds,draft", *rows]), encoding="utf-8")
    start = ["advise", str(laws), "--rule", "sd", "--top-p", "1", "--gamma", "4", "--steps", str(steps), "--json", "-"]
    assert main(start) == 0
    content = json.loads(capsys.readouterr().out)
    # a token more costs a quarter of what a block of four costs beyond 8 ms
    assert content["cost_range"] == pytest.approx([1 / 8 + 1 / 32, 4 / 8 + 4 / 32])
    steps.write_text("batch,tokens,milliseconds,draft\n1,1,8,2\n1,5,10,\n", encoding="utf-8")
    assert main(start) == 0
    assert json.loads(capsys.readouterr().out)["cost_range"] is None


def test_a_rule_without_a_draft_model_pays_no_draft_steps() -> None:
    """By hand: 2.7731 tokens in a step of 27 ms where the target alone takes 20, with no time of drafts."""
    pairs = Pairs(np.tile([0.7, 0.3], (6, 1)), np.tile([0.7, 0.3], (6, 1)), np.arange(6), "by hand")
    known = pairs.known._replace(text=[[0, 0, 0]] * 6)
    advice = advise(pairs._replace(known=known), Plan(rules=("prompt-lookup",), gammas=(4,)))
    row = advice.by_batch(read_steps(FLAT_ACCEPTANCE)).rows[0]
    assert row.fixed.estimate == pytest.approx(advice[0].tokens.estimate * 20 / 27)


def test_a_link_is_not_in_the_times() -> None:
    pairs = Pairs(np.array([[0.5, 0.5]]), np.array([[0.2, 0.8]]), np.array([0]), "by hand")
    advice = advise(pairs, Plan(rules=("sd",), link=100.0))
    with pytest.raises(ValueError, match="--steps: the time that drafts take on a link"):
        advice.by_batch(read_steps(FLAT_ACCEPTANCE))
    with pytest.raises(ValueError, match="--policy: the time that drafts take on a link"):
        advice.by_policy()


def test_tables_for_other_programs_hold_the_batches(tmp_path, capsys) -> None:
    laws = tmp_path / "laws.npz"
    np.savez(laws, p=np.tile([0.7, 0.3, 0.0], (6, 1)), q=np.tile([0.7, 0.0, 0.3], (6, 1)))
    steps = tmp_path / "steps.csv"
    steps.write_text(FLAT_ACCEPTANCE, encoding="utf-8")
    start = ["advise", str(laws), "--rule", "sd", "--gamma", "4", "--steps", str(steps), "--policy", "heuristic"]
    for form in ("markdown", "html"):
        assert main([*start, f"--{form}", "-"]) == 0
        out = capsys.readouterr().out
        assert "do not draft at batch 32" in out and "heuristic" in out and "load, tokens/s" in out
