"""Two runs compared: each kind of change is told once, and what is the same is not."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest

from simspec.cli import main
from simspec.files import digested, write_json
from simspec.report.changes import changes
from tests.report.sample import sample


def altered() -> dict[str, Any]:
    """The sample with a claim less, one more, another verdict, another counterexample, another estimate."""
    run = copy.deepcopy(sample())
    by_id = {claim["id"]: claim for claim in run["claims"]}
    run["claims"].remove(by_id["ears.throughput"])
    by_id["sd.inverse-proportional-corrected"]["verdict"] = "proved"
    by_id["sd.inverse-proportional"]["counterexample"]["p"] = ["0", "1"]
    by_id["rdk.real-pruning"]["evidence"][0]["estimate"] = 0.5
    by_id["rdk.real-pruning"]["seconds"] = 1e6  # no change
    run["claims"].append(copy.deepcopy(by_id["sd.acceptance"]) | {"id": "sd.more"})
    return run


def test_each_kind_is_told_once() -> None:
    found = changes(sample(), altered()).found
    assert [(c.kind, c.claim) for c in found] == [
        ("gone", "ears.throughput"),
        ("new", "sd.more"),
        ("verdict", "sd.inverse-proportional-corrected"),
        ("counterexample", "sd.inverse-proportional"),
        ("estimate", "rdk.real-pruning"),
    ]
    assert str(found[2]).endswith("sd.inverse-proportional-corrected: holds → proved")
    assert "(wiki: 300 contexts, 40 documents, small pair): 0.113 [0.093, 0.133] → 0.5 [0.093, 0.133]" in str(found[4])


def test_the_other_way_round_is_the_mirror() -> None:
    there, back = changes(sample(), altered()).found, changes(altered(), sample()).found
    assert {(c.claim, c.what, str(c.old), str(c.new)) for c in there} == {
        (c.claim, c.what, str(c.new), str(c.old)) for c in back
    }


def test_a_row_that_came_is_an_estimate_from_nothing() -> None:
    more = copy.deepcopy(sample())
    (claim,) = (c for c in more["claims"] if c["id"] == "rdk.real-pruning")
    claim["evidence"].append(claim["evidence"][0])
    (change,) = changes(sample(), more).found
    assert (change.kind, change.old) == ("estimate", None) and change.new["estimate"] == 0.113


def test_the_same_twice_is_no_change_and_runs_may_differ() -> None:
    run = sample()
    run["claims"][-2]["plot"] = None
    run["claims"][4]["evidence"] = [{"data": "x", "estimate": math.nan, "interval": None}]
    other = copy.deepcopy(run) | {"seed": 3}
    assert changes(run, other) == ({"seed": (0, 3)}, [])


@pytest.fixture
def files(tmp_path):
    for name, run in (("old", sample()), ("new", altered())):
        write_json(digested(run), tmp_path / f"{name}.json")
    return [str(tmp_path / "old.json"), str(tmp_path / "new.json")]


def test_the_command(files, capsys) -> None:
    assert main(["diff", *files]) == 1
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 6 and out[-1].startswith("5 changes: 10 claims (")
    assert all("printed by the five papers, " in part for part in out[-1].split(" in ", 1))
    assert main(["diff", files[0], files[0]]) == 0
    assert capsys.readouterr().out.startswith("no change: 10 claims (")
    assert main(["diff", "--json", *files]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [c["kind"] for c in told["changes"]] == ["gone", "new", "verdict", "counterexample", "estimate"]
    assert told["runs"] == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "NEW: .* is not a verdicts.json"),
        ('{"claims": 3}', "verdicts: claims is 3"),
        ('{"claims": [{}]}', "claim 0 has no id"),
    ],
)
def test_what_is_no_run_is_refused(files, tmp_path, capsys, text, message) -> None:
    (tmp_path / "new.json").write_text(text, encoding="utf-8")
    assert main(["diff", *files]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    with pytest.raises(ValueError, match=message):
        raise ValueError(err)
