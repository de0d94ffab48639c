"""The cost of auditing a server: laws and sizes by other means, planted errors that the run refuses, what the record says."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from benchmarks import __main__ as benchmarks
from benchmarks import served
from benchmarks.served import page, peers, runs
from benchmarks.served.faults import FAULTS, strength_of, variation
from benchmarks.served.rows import TOP, Rows, categories
from simspec.audit.endpoint.bets import Wealth

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "docs" / "benchmarks" / "served.json"
PAGE = ROOT / "docs" / "benchmarks" / "README.md"
AIM = 3.0
"""Tokens until a fault is found at which bets aim, over the limit."""


@pytest.fixture(scope="module")
def rows() -> Rows:
    return served.places()[0]


def engine_of(name: str, tv: float, rows: Rows) -> tuple[np.ndarray, float]:
    """Categories of an engine with a fault, and the fault's strength."""
    strength = strength_of(FAULTS[name], rows, tv)
    return categories(FAULTS[name].law(rows, strength), rows), strength


class Peeking(Wealth):
    """A bettor that sees the token before it bets: it takes the token itself for the one that an engine repeats."""

    def add(self, tokens):
        return super().add([token._replace(repeated=token.category) for token in tokens])


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
    """χ² over all categories of 50,000 tokens, each beside its own law, false alarm 1e-6; another law is refused."""
    engine, _ = engine_of("mode", 0.2, rows)
    stream = runs.emitted(engine, rows.documents, np.random.default_rng(5))
    counts = np.zeros(TOP + 1)
    expected = np.zeros(TOP + 1)
    for _ in range(50_000):
        place, category = next(stream)
        counts[category] += 1
        expected += engine[place]
    assert chisquare(counts, expected).pvalue > 1e-6
    assert chisquare(counts, served.places()[1].masses.mean(axis=0) * 50_000).pvalue < 1e-6


def test_the_information_is_what_the_right_bet_wins(rows) -> None:
    """Mean gain of a bet on the engine's law over 20,000 tokens within five standard errors; the reversed KL is not."""
    engine, _ = engine_of("draft", 0.2, rows)
    reference = served.places()[1].masses
    gains = np.log(np.maximum(engine, 1e-300) / reference)
    stream = runs.emitted(engine, rows.documents, np.random.default_rng(6))
    won = np.array([gains[next(stream)] for _ in range(20_000)])
    error = won.std() / math.sqrt(len(won))
    assert abs(won.mean() - runs.information(engine, reference)) < 5 * error
    assert abs(won.mean() - runs.information(reference, engine)) > 5 * error


def test_a_wrong_kl_fails_the_run(monkeypatch) -> None:
    """A bettor that knows all needs three times the limit then."""
    sizes = served.QUICK._replace(variations=(0.05,), faults=("mode",), most=3000, chi_square_runs=300)
    assert served._costs(sizes, 30, 1).right
    monkeypatch.setattr(served, "information", lambda engine, reference: 3 * runs.information(engine, reference))
    assert not served._costs(sizes, 30, 1).right


def test_a_bettor_that_peeks_fails_the_run(rows, monkeypatch) -> None:
    """Its alarms without a fault are far above the level; those of the audit's bets are not: 6 of 30 has probability 1e-7."""
    _, judged, _ = served.places()
    assert runs.false_alarms(judged, rows.documents, 30, 60) <= binom.isf(1e-6, 30, runs.LEVEL)
    assert runs.false_alarms(judged, rows.documents, 30, 60, bettor=Peeking) > 20
    monkeypatch.setattr(runs.tokens_until, "__defaults__", (*runs.tokens_until.__defaults__[:1], Peeking, None))
    monkeypatch.setattr(runs.false_alarms, "__defaults__", (0, Peeking))
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
    silences, costs = json.loads(path.read_text())["cases"]
    assert [record["runs"] for record in silences["silences"]] == [served.QUICK.silent_runs] * 2
    assert [record["fault"] for record in costs["faults"]] == ["mode"]  # the other one reaches no such variation
    assert "negative" not in capsys.readouterr().err
    assert page.table({"cases": [silences, costs]}).count("\n") == 4
