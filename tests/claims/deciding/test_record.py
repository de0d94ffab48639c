"""Recording verdicts: only a whole, sound run is taken."""

import json

import pytest

from simspec.claims import registry
from simspec.claims.deciding import record
from simspec.files import plain


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "EXPECTED", tmp_path / "expected.json")
    claims = [{"id": name, "verdict": "holds"} for name in registry()]
    return {"seed": 0, "effort": "default", "environment": {"bank": "shipped", "python": "3.12.1"}, "claims": claims}


def write(tmp_path, run) -> str:
    path = tmp_path / "verdicts.json"
    path.write_text(json.dumps(run))
    return str(path)


def test_a_whole_run_is_recorded(tmp_path, run) -> None:
    row = {"data": "a bank", "model": "SmolLM2", "n": 9, "estimate": 0.9, "interval": (0.85, 0.95), "level": 0.95}
    evidence = [
        row | {"control": {"must exceed": 0.8}},
        row | {"data": "beside: wiki", "model": "wiki", "control": None},
    ]
    next(c for c in run["claims"] if c["id"] == "ears.calibration")["evidence"] = evidence
    assert record.main([write(tmp_path, run)]) == 0
    assert json.loads((tmp_path / "counterexamples.json").read_text()) == {}
    kept = json.loads((tmp_path / "expected.json").read_text())
    empirical = [name for name, claim in registry().items() if claim.finding is not None]
    decided = dict.fromkeys(empirical, "nothing") | {"ears.calibration": "SmolLM2"}
    about = {"seed": 0, "effort": "default", "python": "3.12"}
    assert kept == {**about, "verdicts": dict.fromkeys(registry(), "holds"), "decided on": decided}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r["claims"].pop(), "does not hold every claim"),
        (lambda r: r["claims"][0].update(verdict="error"), "a claim crashed"),
        (lambda r: r.update(effort="quick"), "effort is not default"),
        (lambda r: r["environment"].update(bank="mine"), "bank is not the shipped one"),
    ],
)
def test_anything_less_is_refused(tmp_path, run, capsys, change, message) -> None:
    change(run)
    assert record.main([write(tmp_path, run)]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "expected.json").exists()


def test_what_counterexamples_are_drawn_from_is_recorded(tmp_path, run) -> None:
    claims = {c["id"]: c for c in run["claims"]}
    listed = plain(registry()["rdk.percentage"].against[0])
    claims["rdk.percentage"] |= {"verdict": "refuted", "choices": None, "counterexample": listed}
    claims["rdk.memory"] |= {"verdict": "refuted", "choices": [1, 0], "counterexample": {}}
    claims["ears.support"] |= {"verdict": "refuted", "choices": None, "counterexample": {"made of": "floats"}}
    assert record.main([write(tmp_path, run)]) == 0
    found = json.loads((tmp_path / "counterexamples.json").read_text())
    assert found == {"rdk.percentage": None, "rdk.memory": "1 0"}


def test_new_claims_are_added_and_no_recorded_verdict_changes(tmp_path, run, capsys) -> None:
    """Of a run of three claims one is new; the record had another verdict of the second, and both records keep their order."""
    names = list(registry())[:3]
    (tmp_path / "expected.json").write_text(
        json.dumps({"seed": 0, "verdicts": {names[0]: "proved", names[2]: "holds"}})
    )
    (tmp_path / "counterexamples.json").write_text("{}")
    run["claims"] = [{"id": n, "verdict": "refuted", "choices": [1], "counterexample": {}} for n in names]
    assert record.main(["--new", write(tmp_path, run)]) == 0
    assert capsys.readouterr().out == f"added: {names[1]}\n"
    recorded = json.loads((tmp_path / "expected.json").read_text())["verdicts"]
    assert list(recorded.items()) == [(names[0], "proved"), (names[1], "refuted"), (names[2], "holds")]
    assert json.loads((tmp_path / "counterexamples.json").read_text()) == {names[1]: "1"}


def test_what_claims_of_a_part_were_decided_on_is_recorded_anew(tmp_path, run) -> None:
    """Of the claims in the run alone: those of others stay, also where their verdict does."""
    old = {"ears.calibration": "wiki", "rdk.t-fit": "wiki"}
    verdicts = {"rdk.t-fit": "inconclusive", "ears.calibration": "supported"}
    (tmp_path / "expected.json").write_text(json.dumps({"seed": 0, "verdicts": verdicts, "decided on": old}))
    (tmp_path / "counterexamples.json").write_text("{}")
    run["claims"] = [{"id": "ears.calibration", "verdict": "unsupported", "evidence": None}]
    assert record.main(["--new", write(tmp_path, run)]) == 0
    recorded = json.loads((tmp_path / "expected.json").read_text())
    assert recorded["decided on"] == {"rdk.t-fit": "wiki", "ears.calibration": "nothing"}
    assert recorded["verdicts"] == verdicts


def test_a_run_of_another_seed_adds_nothing(tmp_path, run, capsys) -> None:
    (tmp_path / "expected.json").write_text('{"seed": 1, "verdicts": {}}')
    (tmp_path / "counterexamples.json").write_text("{}")
    assert record.main(["--new", write(tmp_path, run)]) == 2
    assert "its seed is 0; expected that of the record, 1" in capsys.readouterr().err
    assert (tmp_path / "expected.json").read_text() == '{"seed": 1, "verdicts": {}}'


def test_usage(capsys) -> None:
    assert record.main([]) == 2
    assert "usage" in capsys.readouterr().err
