"""The benchmark of the engine: peers are checked before they are timed, and the plan is arithmetic on what was measured."""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import engine, harness
from benchmarks.scaling import campaign
from benchmarks.scaling.campaign import Measured
from benchmarks.scaling.crowd import Costs, crowd

FIGURES = Measured(0.01, 10**5, 10**4, 60, 5000.0, 50.0, 2.0, 2.0**30, 0.0001, 0.0004, 7.0)


@pytest.fixture(autouse=True)
def short(monkeypatch) -> None:
    """Simulated campaigns of twelve seconds on few workers."""
    monkeypatch.setattr(campaign, "CROWDS", (64, 1024))
    monkeypatch.setattr(campaign, "MINUTES", 0.2)


def test_quick_run_as_typed(tmp_path) -> None:
    command = [sys.executable, "-m", "benchmarks", "engine", "--quick", "--repeats", "1"]
    command += ["--json", str(tmp_path / "a.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    assert "4 cells x 1,000 trivial replications" in done.stdout and "breaks first" in done.stdout
    document = json.loads((tmp_path / "a.json").read_text())
    (case,) = document["cases"]
    ours, *peers = case["results"]
    assert ours["name"] == "simspec" and ours["status"] == "ok" and ours["error"] == 0 and len(ours["seconds"]) == 1
    assert all(p["status"] == "ok" or p["status"].startswith("not installed") for p in peers)
    assert len(case["more_results"]) == 4 and case["campaign"]["blocks"] == 2000


def test_ours_does_each_cell_exactly() -> None:
    assert np.array_equal(engine.candidates()[0].bind(3, 1)(), np.tile([1000, 500], (3, 1)))


def test_a_wrong_engine_is_not_timed_and_exits_1(monkeypatch, capsys) -> None:
    wrong = harness.Peer(engine.OURS, lambda cells, n: lambda: np.zeros((cells, 2)), (1,))
    absent = harness.Peer(engine.PEER, lambda cells, n: __import__("no_such_module"), (2,))
    monkeypatch.setattr(engine, "candidates", lambda: [wrong, absent])
    monkeypatch.setattr(campaign, "measure", lambda quick: FIGURES)
    assert benchmarks.main(["engine", "--quick"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "wrong by 1.0e+03" in out and "not installed" in out and "times as fast" not in out


def test_sinter_is_checked_with_the_same_numbers() -> None:
    pytest.importorskip("sinter")
    pytest.importorskip("stim")
    sampler = engine.make_sampler()
    again = pickle.loads(pickle.dumps(sampler))  # as its workers get it
    stats = again.compiled_sampler_for_task(None).sample(1000)
    assert (stats.shots, stats.errors) == (engine.ROWS, engine.HITS)


def test_plan_is_arithmetic() -> None:
    """10^6 blocks of 0.2 s: on 10 workers 20,000 s; the driver needs 0.5 ms a block, so 400 workers keep it busy."""
    few, full, more = (campaign.plan(FIGURES, workers) for workers in (10, 400, 4000))
    assert few.hours == pytest.approx(20_000 / 3600) and few.files == 4000 and few.busy == pytest.approx(0.025)
    assert few.bytes == 4000 * 5000 + 10**6 * 50
    assert full.busy == pytest.approx(1) and more.hours == pytest.approx(full.hours) == pytest.approx(500 / 3600)


def test_description_scales_what_was_measured() -> None:
    text = campaign.describe(FIGURES)
    assert "overhead for blocks of 0.2 s: 1.00 %" in text
    assert "1,000,000 blocks, 56 hours of one core, 50 MB on disk" in text
    assert "summarised in 20 s with 10.0 GiB" in text and "7,000,000 messages" in text
    assert "breaks first" in text and "at 400 workers" in text
    without = campaign.describe(FIGURES._replace(task_seconds=None, messages=None))
    assert "messages" not in without and "at 2,000 workers" in without


def test_bundles_move_the_limit() -> None:
    """0.5 ms a block let 400 workers be busy; in bundles 0.1 ms a block is left of it, which is enough for 2,000."""
    text = campaign.describe(FIGURES)
    assert text.index("were each block a message") < text.index("in bundles, as the engine sends them")
    costs = Costs(0.2, 0.0004, 0.0001)
    plain, few, full = crowd(800, 100, costs, bundled=False), crowd(800, 100, costs), crowd(16_000, 100, costs)
    assert plain.efficiency == pytest.approx(0.5, abs=0.01) and plain.messages == 80_000
    assert few.efficiency > 0.95 and few.messages < 10_000 and few.rate < 1
    assert full.busy == pytest.approx(1, abs=0.05) and full.efficiency < 0.25
    free = crowd(50, 40, costs._replace(message=0.0, block=0.0))
    assert (
        free.blocks == 2000 and free.seconds == pytest.approx(40 * 0.2, abs=0.21) and free.busy == 0
    )  # one block more


def test_overhead_and_scale_are_measured_on_real_runs() -> None:
    assert 0 <= campaign._overhead(2) < 0.5
    ticks: list[int] = []
    files, single, size, seconds, memory = campaign._scale(10, 10, 20, ticks.append)
    assert files == 7 and single > 1000 and size > 10 and seconds > 0 and memory >= 0 and ticks[-1] == 100


def test_own_options() -> None:
    parser = argparse.ArgumentParser()
    engine.BENCH.add_arguments(parser)
    assert vars(parser.parse_args([])) == {"quick": False, "repeats": None, "json": None}
