"""The benchmark of the audit: both sides see the same counts, a wrong side fails the run, and what was measured is written."""

from __future__ import annotations

import json

import numpy as np

from benchmarks import __main__ as benchmarks
from benchmarks import audit as bench
from simspec.audit.pairs import revealing
from simspec.audit.reference import speculative
from simspec.audit.zoo import MEMBERS, black_box


def test_both_sides_count_the_same_first_tokens() -> None:
    pair = revealing(bench.GAMMA, bench.VOCAB)[0]
    data = bench.Data(pair, speculative(pair.p, pair.q, 700, np.random.default_rng(0)))
    ours, theirs = (peer.bind(data, 1)() for peer in bench.candidates()[:2])
    assert ours.tolist() == theirs.tolist() == np.bincount(data.tokens[:, 0], minlength=4).tolist()


def test_a_fault_is_seen_by_both_and_an_honest_sampler_by_none() -> None:
    member = MEMBERS["first_unverified"]
    tokens = black_box(member)(member.laws.p, member.laws.q, 300, np.random.default_rng(0))
    assert bench.looks_needed(tokens, member.laws) == (250, 250)
    pair = revealing(1, 2)[0]
    assert bench.looks_needed(speculative(pair.p, pair.q, 1000, np.random.default_rng(0)), pair) == (None, None)


def test_looks_double() -> None:
    assert [(s.start, s.stop) for s in bench._looks(1200)] == [(0, 250), (250, 500), (500, 1000), (1000, 1200)]
    assert [(s.start, s.stop) for s in bench._looks(100)] == [(0, 100)]


def test_more_false_alarms_than_the_level_fail_the_run(monkeypatch) -> None:
    assert bench._alarms(bench.QUICK, 1).right
    monkeypatch.setattr(bench, "false_alarms", lambda runs, looks: (runs, 0))
    assert not bench._alarms(bench.QUICK, 1).right


def test_the_command_writes_what_it_measured(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(
        bench, "subjects", lambda name: (_ for _ in ()).throw(ValueError("transformers: not here; pip"))
    )
    path = tmp_path / "audit.json"
    assert benchmarks.main(["audit", "--quick", "--repeats", "1", "--json", str(path)]) == 0
    seconds, exact, exact_calls, calls, alarms, whole = json.loads(path.read_text())["cases"]
    # exact mode beside the sampler by itself, as many calls of each
    assert [(r["name"], r["status"]) for r in exact["results"]] == [(bench.OURS, "ok"), (bench.SAMPLER, "ok")]
    assert exact["items"] > 1000 and all(r["median"] > 0 for r in exact["results"])
    lossless, biased = exact_calls["audits"]
    assert (lossless["verdict"], biased["verdict"], biased["pairs"]) == ("lossless", "biased", 1)
    assert lossless["calls"] == lossless["pairs"] * (exact_calls["confirmed"] + lossless["cells"])
    assert [r["status"] for r in seconds["results"]] == ["ok"] * 3 and seconds["items"] == bench.QUICK.calls
    assert {"fault": "first_unverified", "runs": [[250, 250]]} in calls["faults"]
    assert 0 <= alarms["simspec"] <= 25
    assert [audit["tv"] for audit in whole["audits"]] == ["0"]
    printed = capsys.readouterr().out
    assert "million calls a second, without" in printed and "million calls a second in exact mode" in printed
