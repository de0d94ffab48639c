"""The benchmark of the time to an interval: rows by hand and by a real run, every candidate of one law, nothing hidden."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import harness, interval
from benchmarks.interval import asked, users
from benchmarks.synthetic import Case
from simspec.engine import run as engine
from simspec.engine.estimates.needed import rows_until
from simspec.engine.study import simulate
from simspec.studies import HalfWidth
from tests.benchmarks.fakes import absent

SMALL = Case("pairs", 400, 30, math.inf, 2.0)
PILOT = interval.Pilot(0.5, 0.05, 0.6, 0.04, 0.05, 0.005)


def test_rows_by_hand() -> None:
    """Student's rows are (1.96 s / h)², a little more for few; two runs have the sum of the variances, each with n rows."""
    rows = {n.name: n.rows for n in interval.needs_of(PILOT, False, 0.001)}
    assert rows[interval.NUMPY] == rows[interval.TORCH] == pytest.approx((1.96 * 0.05 / 0.001) ** 2, rel=1e-3)
    assert rows[interval.COINS] == pytest.approx((1.96 * 0.5 / 0.001) ** 2, rel=1e-3)
    apart = {n.name: n.rows for n in interval.needs_of(PILOT, True, 0.001)}
    assert apart[interval.NUMPY] == pytest.approx(2 * 1.96**2 * (0.05**2 + 0.04**2) / 0.001**2, rel=1e-3)
    assert apart[interval.COINS] == pytest.approx(2 * 1.96**2 * (0.25 + 0.24) / 0.001**2, rel=1e-3)
    assert apart[interval.PAIRED] == pytest.approx((1.96 * 0.005 / 0.001) ** 2, rel=0.04)
    assert apart[interval.PAIRED] < apart[interval.WHOLE] < apart["its rows, bounds of two rates"]


@pytest.fixture(scope="module")
def pilot() -> interval.Pilot:
    return interval._pilot(SMALL, 400)


@pytest.mark.parametrize("difference", [False, True])
def test_a_real_run_needs_about_the_rows_that_are_said(difference, pilot) -> None:
    study = (asked.gain_study if difference else asked.acceptance_study)(SMALL)
    name, bounds = ("gain", (0, asked.TOLERANCE)) if difference else ("alpha", (0, 1))
    moments = (pilot.gain, pilot.gain_spread) if difference else (pilot.mean, pilot.spread)
    width = 0.004 if difference else 0.03
    (result,) = engine.run(study, stop=HalfWidth(name, width, *bounds))
    assert result.decided and 0.75 < result.rows / rows_until(width, *moments, bounds=bounds) < 1.33


def test_every_candidate_has_the_same_mean(pilot) -> None:
    """Six standard errors: false alarm 2e-9 each; and a candidate of another law is found out."""
    case, study = SMALL._replace(rows=100), asked.gain_study(SMALL)
    values = simulate(study, study.grid[0], interval.PILOT_SEED, range(2000))
    assert pilot.mean == pytest.approx(values["SD"][:400].mean())
    assert pilot.gain == pytest.approx(values["gain"][:400].mean())
    for difference in (False, True):
        expected = values["gain" if difference else "SD"].mean()
        for peer in interval._candidates(difference):
            try:
                (found,) = peer.bind(case, 1)()
            except ImportError:
                continue
            tossed, both = "coins" in peer.name, 2 if difference else 1
            widest = 0.5 * math.sqrt(2 * both / case.rows) if tossed else 0.25 * math.sqrt(2 * both / case.rows)
            error = interval.STANDARD_ERRORS * math.hypot(widest, 0.25 / math.sqrt(2000))
            assert abs(found - expected) < error, peer.name
    (found,) = users.loop(lambda rng, case: users.numpy_rates(*users.numpy_laws(rng, case))[0])(
        case._replace(rho=0.0), 1
    )()
    assert abs(found - values["SD"].mean()) > 0.2


def test_relaxed_coins_are_kept_as_often_as_the_rule_says() -> None:
    p, q = np.array([0.5, 0.5]), np.array([0.9, 0.1])
    rng = np.random.default_rng(1)
    kept = np.mean([users.coin(rng, p, q, 0.05) for _ in range(10_000)])
    assert kept == pytest.approx(users.numpy_rates(p, q)[1], abs=0.025)  # five deviations: false alarm 6e-7
    assert users.numpy_rates(p, q) == pytest.approx((0.6, 0.645))


def test_quick_run_writes_every_candidate(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(interval, "QUICK", (SMALL._replace(rows=8),))
    monkeypatch.setattr(users, "torch_loop", absent)
    monkeypatch.setenv("COLUMNS", "160")
    path = tmp_path / "interval.json"
    assert benchmarks.main(["interval", "--quick", "--repeats", "1", "--json", str(path)]) == 0
    document = json.loads(path.read_text())
    first, second = document["cases"]
    assert [r["name"] for r in first["results"]] == [n["name"] for n in first["needs"]]
    assert {r["status"] for r in second["results"]} == {"ok"}
    numpy, timed = first["results"][5], first["timed"][2]
    assert numpy["name"] == timed["name"] == interval.NUMPY
    assert numpy["median"] == pytest.approx(timed["seconds"][0] / 8 * first["needs"][5]["rows"])
    shown = capsys.readouterr().out
    assert "not installed (absent)" in shown and "extrapolated" in shown and "every n, in the limit" in shown


def test_a_wrong_engine_fails_the_run(monkeypatch) -> None:
    monkeypatch.setattr(interval, "_by_levels", lambda value: lambda case, n: lambda: np.array([100.0]))
    done = interval._measure(SMALL._replace(rows=8), False, 1, 64)
    assert not done.right and harness.medians([]) == {}
