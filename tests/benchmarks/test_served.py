"""The cost of auditing a server: laws and sizes by other means, planted errors that the run refuses, what the record says."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from benchmarks import __main__ as benchmarks
from benchmarks import served
from benchmarks.served import page, peers, runs
from benchmarks.served.crowd import Crowd
from benchmarks.served.faults import FAULTS, strength_of, variation
from benchmarks.served.rows import TOP, Rows, categories
from simspec.audit.endpoint.bets import Wealth, fixed_laws
from simspec.files import fill

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "docs" / "benchmarks" / "served.json"
PAGE = ROOT / "docs" / "benchmarks" / "README.md"
AIM = 3.0
"""Tokens until a fault is found at which bets aim, over the limit."""
NEAR = {("top-p", 0.02, False)}
"""Its median is at the aim: the nearest bet cuts some tokens that this fault leaves."""


@pytest.fixture(scope="module")
def rows() -> Rows:
    return served.places()[0]


def engine_of(name: str, tv: float, rows: Rows) -> tuple[np.ndarray, float]:
    """Categories of an engine with a fault, and the fault's strength."""
    strength = strength_of(FAULTS[name], rows, tv)
    return categories(FAULTS[name].law(rows, strength), rows), strength


class Peeking(Crowd):
    """Bettors that see the token before they bet: they take the token itself for the one that an engine repeats."""

    def __init__(self, judged, runs) -> None:
        super().__init__(judged, runs)
        for place, tokens in enumerate(judged.tokens):
            for category, token in enumerate(tokens):
                self.gains[place, category] = fixed_laws(token._replace(repeated=category)).gains[category]


@pytest.mark.parametrize("knows_draft", [False, True])
def test_a_crowd_has_the_wealth_that_the_audit_has(knows_draft, rows) -> None:
    """Of each bet and of the mixture, after each of 400 tokens of three runs; places come again, so what is learned counts."""
    judged = served.places(knows_draft)[1]
    engine, _ = engine_of("draft", 0.2, rows)
    places, drawn = (x[:, :200] for x in runs.emitted(engine, rows.documents, 3, np.random.default_rng(2)))
    places, drawn = (np.concatenate([x, x[:, ::-1]], axis=1) for x in (places, drawn))
    crowd = Crowd(judged, 3)
    values = np.array([crowd.step(places[:, number], drawn[:, number]) for number in range(400)])
    for run in range(3):
        tokens = [judged.tokens[place][category] for place, category in zip(places[run], drawn[run], strict=True)]
        wealth = Wealth(knows_draft=knows_draft).add(tokens)
        assert np.allclose(crowd.logs[run], wealth.logs[0], atol=1e-9)
        assert np.allclose(values[:, run], wealth.latest, atol=1e-9)
    assert np.abs(crowd.logs).max() > 1


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_laws_with_the_total_variation_that_is_asked_for(name, rows) -> None:
    tv = 0.05
    strength = strength_of(FAULTS[name], rows, tv)
    laws = FAULTS[name].law(rows, strength)
    assert (laws >= 0).all() and np.allclose(laws.sum(axis=1), 1)
    assert variation(laws, rows) == pytest.approx(tv, rel=0.01)
    assert np.allclose(FAULTS[name].law(rows, 0.0), rows.target)
    assert strength_of(FAULTS["recovery from the target"], rows, 0.5) is None


def test_an_engine_without_a_fault_is_speculative_decoding(rows) -> None:
    """Relaxed acceptance with c = 1, of any draft, has the target's law: what the fault breaks is right without it."""
    assert np.abs(FAULTS["relaxed acceptance"].law(rows, 0.0) - rows.target).max() < 1e-12


def test_tokens_are_drawn_from_the_law_at_their_place(rows) -> None:
    """χ² over all categories of 53,760 tokens, each beside its own law, false alarm 1e-6; another law is refused."""
    engine, _ = engine_of("mode", 0.2, rows)
    places, drawn = runs.emitted(engine, rows.documents, 40, np.random.default_rng(5))
    counts = np.bincount(drawn.ravel(), minlength=TOP + 1)
    expected = engine[places].sum(axis=(0, 1))
    assert (np.sort(places, axis=1) == np.arange(len(engine))).all()
    assert chisquare(counts, expected).pvalue > 1e-6
    assert chisquare(counts, served.places()[1].masses.mean(axis=0) * counts.sum()).pvalue < 1e-6


def test_the_information_is_what_the_right_bet_wins(rows) -> None:
    """Mean gain of a bet on the engine's law over 20,160 tokens within five standard errors; the reversed KL is not."""
    engine, _ = engine_of("draft", 0.2, rows)
    reference = served.places()[1].masses
    gains = np.log(np.maximum(engine, 1e-300) / reference)
    won = gains[runs.emitted(engine, rows.documents, 15, np.random.default_rng(6))].ravel()
    error = won.std() / math.sqrt(len(won))
    assert abs(won.mean() - runs.information(engine, reference)) < 5 * error
    assert abs(won.mean() - runs.information(reference, engine)) > 5 * error


def test_a_wrong_kl_fails_the_run(monkeypatch) -> None:
    """A bettor that knows all needs three times the limit then."""
    sizes = served.QUICK._replace(variations=(0.05,), faults=("mode",), max_tokens=3000, chi_square_runs=300)

    def is_right() -> bool:
        jobs = served._jobs(sizes, 30)
        return served._costs("mode", jobs, map(served._cost_of, jobs), 30).right

    assert is_right()
    monkeypatch.setattr(served, "information", lambda engine, reference: 3 * runs.information(engine, reference))
    assert not is_right()


def test_a_bettor_that_peeks_fails_the_run(rows, monkeypatch) -> None:
    """Its alarms without a fault are far above the level; those of the audit's bets are not: 6 of 30 has probability 1e-7."""
    _, judged, _ = served.places()
    assert runs.false_alarms(judged, rows.documents, 30, 60) <= binom.isf(1e-6, 30, runs.LEVEL)
    assert runs.false_alarms(judged, rows.documents, 30, 60, bettors=Peeking) > 20
    monkeypatch.setattr(served, "false_alarms", partial(runs.false_alarms, bettors=Peeking))
    assert not served._silences(served.QUICK, 0, 1).right


def test_a_fault_that_is_not_there_is_not_found_and_one_that_is_there_is(rows) -> None:
    _, judged, _ = served.places()
    engine, _ = engine_of("mode", 0.2, rows)
    found = runs.tokens_until(engine, judged, rows.documents, 20, 300)
    silent = runs.tokens_until(judged.masses, judged, rows.documents, 20, 300)
    assert sum(map(math.isfinite, found)) >= 18 and sum(map(math.isfinite, silent)) <= 4


def test_runs_that_are_not_waited_for_would_have_ended_later(rows) -> None:
    """The same runs to their ends: the order statistics up to the median are the same."""
    _, judged, _ = served.places()
    engine, _ = engine_of("mode", 0.2, rows)
    all_ends = sorted(runs.tokens_until(engine, judged, rows.documents, 12, 400))
    first_ends = sorted(runs.tokens_until(engine, judged, rows.documents, 12, 400, enough=7))
    assert first_ends[:7] == all_ends[:7]
    assert runs.median_of(first_ends).median == runs.median_of(all_ends).median


def test_an_interval_for_the_median_holds_it() -> None:
    """Of 400 samples of 200, 95 % at least; 30 or more misses of 400 have probability below 0.02 at 5 %."""
    rng = np.random.default_rng(0)
    misses = 0
    for sample in rng.exponential(size=(400, 200)):
        interval = runs.median_of(sample.tolist())
        misses += not interval.low <= math.log(2) <= interval.high
    assert 0 < misses < 30


def test_the_chi_squared_test_has_its_level_and_the_power_it_is_sized_for(rows) -> None:
    """1,000 simulated tests each: 0.01 within 0.002 to 0.025, and one half within 0.08, five standard errors."""
    reference = served.places()[1].masses
    engine, _ = engine_of("draft", 0.05, rows)
    size = math.ceil(peers.chi_square_size(engine, reference))
    assert abs(peers.chi_square_power(engine, reference, size, 1000) - 0.5) < 0.08
    assert 0.002 <= peers.chi_square_power(reference, reference, size, 1000) <= 0.025
    assert peers.chi_square_power(engine, reference, size // 2, 1000) < 0.4


def test_as_many_questions_as_are_computed_find_the_fault_in_half_of_the_runs(rows) -> None:
    """2,000 simulated comparisons of two scores: one half within 0.06, five standard errors; a tenth of them find it rarely."""
    _, _, asked = served.places()
    fault = FAULTS["mode"]
    strength = 0.5
    weights = asked.target * np.array([1, 1, 0, 0])
    score, other = (float((weights * laws).sum(axis=1).mean()) for laws in (asked.target, fault.law(asked, strength)))
    size = math.ceil(peers.questions_of(fault, strength, asked).usual)
    rng = np.random.default_rng(1)

    def power(questions: int) -> float:
        first, second = (rng.binomial(questions, share, 2000) / questions for share in (score, other))
        error = np.sqrt((first * (1 - first) + second * (1 - second)) / questions)
        return float((np.abs(first - second) > 2.5758 * error).mean())

    assert abs(power(size) - 0.5) < 0.06 and power(size // 10) < 0.2
    assert math.isinf(peers.questions_of(FAULTS["top-k"], 0.5, asked).usual)  # two answers are left as they are


def test_with_the_draft_known_its_faults_are_found_soon(rows) -> None:
    """Relaxed acceptance of TV 0.05: bets that know the draft find it within four times the limit in most runs, others never."""
    engine, _ = engine_of("relaxed acceptance", 0.05, rows)
    found = []
    for knows_draft in (False, True):
        judged = served.places(knows_draft)[1]
        limit = -math.log(runs.LEVEL) / runs.information(engine, judged.masses)
        ends = runs.tokens_until(engine, judged, rows.documents, 10, math.ceil(4 * limit))
        found.append(sum(map(math.isfinite, ends)))
    assert found[0] <= 2 and found[1] >= 6


def test_the_command_writes_what_it_measured(tmp_path, capsys) -> None:
    path = tmp_path / "served.json"
    assert benchmarks.main(["served", "--quick", "--repeats", "3", "--json", str(path)]) == 0
    silences, *costs = json.loads(path.read_text())["cases"]
    assert [record["runs"] for record in silences["silences"]] == [served.QUICK.silent_runs] * 2
    assert [record["fault"] for case in costs for record in case["faults"]] == [
        "mode"
    ]  # the other reaches no such variation
    assert "nan" not in capsys.readouterr().out
    assert [case["title"] for case in costs] == [
        f"tokens until a fault is found: {name}, level 0.01" for name in served.QUICK.faults
    ]
    assert page.table({"cases": [silences, *costs]}).count("\n") == 4


# --- the record -------------------------------------------------------------------------------------------------------


def record() -> dict:
    return json.loads(RECORD.read_text(encoding="utf-8"))


def test_the_record_is_of_all_faults_and_sizes(rows) -> None:
    silences, *costs = record()["cases"]
    measured = [(r["fault"], r["tv"], r["knows_draft"]) for case in costs for r in case["faults"]]
    asked = [job[:3] for job in served._jobs(served.FULL, 200)]
    assert set(measured) <= set(asked)
    # what is missing has no such total variation, whatever its strength
    for name, tv, _ in set(asked) - set(measured):
        assert strength_of(FAULTS[name], rows, tv) is None
    assert all(case["runs"] == 200 and case["level"] == 0.01 for case in costs)
    for silence in silences["silences"]:
        assert (silence["runs"], silence["tokens"]) == (2000, 2000)
        assert silence["upper"] < 0.01


def test_faults_at_which_bets_aim_take_three_times_the_limit_at_most() -> None:
    """The median, but for one whose interval holds three; others are shown as what they are."""
    ratios = {}
    for case in record()["cases"][1:]:
        for fault in case["faults"]:
            assert served._is_consistent(fault)
            if fault["is_aimed"]:
                key = fault["fault"], fault["tv"], fault["knows_draft"]
                ratios[key] = [end / fault["limit"] for end in fault["tokens"]]
    above = {key for key, (median, _, _) in ratios.items() if median > AIM}
    assert above <= NEAR and all(ratios[key][1] < AIM for key in above)
    assert len(ratios) > 20


def test_the_recorded_laws_are_those_of_this_code(rows) -> None:
    """Strengths, limits and the sizes of the other tests, computed anew at one total variation."""
    for case in record()["cases"][1:]:
        for fault in case["faults"]:
            if fault["tv"] != 0.05 or fault["knows_draft"]:
                continue
            engine, strength = engine_of(fault["fault"], fault["tv"], rows)
            reference = served.places()[1].masses
            assert strength == pytest.approx(fault["strength"], rel=1e-6)
            assert -math.log(runs.LEVEL) / runs.information(engine, reference) == pytest.approx(
                fault["limit"], rel=1e-6
            )
            assert peers.chi_square_size(engine, reference) == pytest.approx(fault["chi_square"], rel=1e-6)


def test_the_page_that_ships_is_current() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert fill(text, page.PART, page.table(record())) == text, "run: python -m benchmarks.summary PAGE"
