"""The command line as a user types it: exit status, messages, files."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from simspec import cli
from simspec.claims.deciding import verify as verify_module
from simspec.logits import bank

ROOT = Path(__file__).parents[2]


def test_verify_writes_both_files_and_exits_0(tmp_path, capsys) -> None:
    assert cli.main(["verify", "sd", "--effort", "quick", "--out", str(tmp_path)]) == 0
    verdicts = json.loads((tmp_path / "verdicts.json").read_text())
    assert {c["id"] for c in verdicts["claims"]} >= {"sd.acceptance", "sd.lossless"}
    assert "<html" in (tmp_path / "index.html").read_text()
    out, err = capsys.readouterr()
    assert "1 refuted" in out
    assert "sd.lossless" in err


def test_changed_verdict_exits_1(tmp_path, capsys, monkeypatch) -> None:
    kept = {"seed": 0, "effort": "default", "verdicts": {"sd.acceptance": "refuted"}}
    monkeypatch.setattr(verify_module, "expected", lambda: kept)
    assert cli.main(["verify", "sd.acceptance", "--effort", "quick", "--out", str(tmp_path)]) == 1
    assert "changed: sd.acceptance" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify", "sd.nothing"], "simspec: error: ID: 'sd.nothing' is not a claim; nearest: "),
        (["verify", "--bank", "missing.safetensors"], "missing.safetensors"),
        (["verify", "--seed", "-1"], "simspec: error: seed: -1"),
        (["verify", "--seed", str(2**64)], "expected an integer from 0 to 2**64 - 1"),
        (["report", "missing.json"], "missing.json"),
        (["claims", "nothing"], "'nothing' is not a claim"),
    ],
)
def test_bad_input_exits_2_with_one_line(arguments, message, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 2
    err = capsys.readouterr().err
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["verify", "--effort", "huge"], ["nothing"], []])
def test_bad_usage_exits_2(arguments, capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    assert stop.value.code == 2


@pytest.mark.parametrize("command", ["verify", "claims", "capture", "report", "bench"])
def test_help_shows_an_example(command, capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main([command, "--help"])
    assert stop.value.code == 0
    assert re.search(f"examples?: simspec {command} ", " ".join(capsys.readouterr().out.split()))


def test_claims_lists_and_shows(capsys) -> None:
    assert cli.main(["claims"]) == 0
    assert "sd.lossless" in capsys.readouterr().out
    assert cli.main(["claims", "sd.lossless"]) == 0
    assert "assumes: the rule does not look" in capsys.readouterr().out
    assert cli.main(["claims", "sd.lossless", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["id"] == "sd.lossless"


def test_altered_bank_is_refused_before_anything_runs(tmp_path, capsys) -> None:
    path = tmp_path / "altered.safetensors"
    data = bytearray((Path(bank.__file__).parents[1] / "data" / "stories.safetensors").read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert cli.main(["verify", "sd.acceptance", "--effort", "quick", "--bank", str(path), "--out", str(tmp_path)]) == 2
    assert "is altered: block" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["altered.safetensors"]


def test_reader_that_closes_the_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m simspec claims rdk --json | head -c 1"  # more than a pipe holds
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_report_again_from_verdicts(tmp_path) -> None:
    cli.main(["verify", "sd.acceptance", "--effort", "quick", "--out", str(tmp_path)])
    (tmp_path / "index.html").unlink()
    assert cli.main(["report", str(tmp_path / "verdicts.json")]) == 0
    assert "sd.acceptance" in (tmp_path / "index.html").read_text()


def test_report_refuses_altered_verdicts_and_takes_those_of_before(tmp_path, capsys) -> None:
    cli.main(["verify", "sd.acceptance", "--effort", "quick", "--out", str(tmp_path)])
    path = tmp_path / "verdicts.json"
    text = path.read_text()
    path.write_text(text.replace('"holds"', '"refuted"').replace('"proved"', '"refuted"'))
    assert path.read_text() != text and cli.main(["report", str(path)]) == 2
    assert "altered" in capsys.readouterr().err
    path.write_text(json.dumps({k: v for k, v in json.loads(text).items() if k != "digest"}))
    assert cli.main(["report", str(path)]) == 0


def test_report_refuses_what_is_no_verdicts_file(tmp_path, capsys) -> None:
    path = tmp_path / "verdicts.json"
    path.write_text("{}")
    assert cli.main(["report", str(path)]) == 2
    assert "not a verdicts.json" in capsys.readouterr().err


def test_interrupt_leaves_no_files(tmp_path, capsys, monkeypatch) -> None:
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(verify_module, "verify", stop)
    assert cli.main(["verify", "sd", "--out", str(tmp_path / "report")]) == 130
    assert not (tmp_path / "report").exists()
    assert "interrupted" in capsys.readouterr().err


def test_installed_command_runs() -> None:
    done = subprocess.run([sys.executable, "-m", "simspec", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("simspec ")


def test_a_claim_says_where_it_is_written_and_proved(capsys) -> None:
    assert cli.main(["claims", "rdk.worst-case"]) == 0
    out = capsys.readouterr().out
    for place in re.findall(r"(?:written|proved) in: (.+)", out):
        assert (ROOT / place).is_file(), place
    assert "written in: simspec/claims/rdk" in out and "proved in: proofs_check/rdk/worst_case.py" in out
    assert "sharpened by: rdk.worst-case-sharp" in out and "RDK, Theorem 5.1" in out


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rdk.memory", "refuted in: proofs_check/rdk/memory.py"),
        ("tasc.typical-set", "derived in: proofs_check/tasc/typical_set.py"),
        ("tasc.added-tokens-corrected", "a part of it proved in: proofs_check/tasc/added_tokens.py"),
    ],
)
def test_where_a_proof_stands_is_said_by_what_it_shows(name, words, capsys) -> None:
    assert cli.main(["claims", name]) == 0
    shown = capsys.readouterr().out.split("\n\n")[0]
    assert f"  {words}\n" in shown and "  proved in: " not in shown


def test_a_theorem_whose_printed_proof_fails_says_so(capsys) -> None:
    """SQS Theorem 1 holds, two equations of its proof do not: their formulas are shown, in Unicode."""
    assert cli.main(["claims", "sqs.rejection-bound"]) == 0
    out = capsys.readouterr().out.split("\n\n")[0]
    assert "recorded verdict: proved" in out and "sharpened by: sqs.rejection-bound-sharp" in out
    for name in ("sqs.rejection-count (SQS, Eqs. 10–16): E[N", "sqs.rejection.drawn-from-q (SQS, Eq. 15): E[N"):
        assert f"step of the printed proof, refuted: {name}" in out
    assert "\\" not in out and "corrected by" not in out


def test_what_fails_is_corrected_and_what_holds_is_sharpened(capsys) -> None:
    assert cli.main(["claims", "sd.inverse-proportional", "rdk.worst-case", "--json"]) == 0
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    refuted, proved = rows["sd.inverse-proportional"], rows["rdk.worst-case"]
    assert refuted["corrected_by"] == ["sd.inverse-proportional-corrected"] and refuted["sharpened_by"] == []
    assert proved["corrected_by"] == [] and proved["sharpened_by"] == ["rdk.worst-case-sharp"]


def test_claims_are_found_by_the_papers_number(capsys) -> None:
    assert cli.main(["claims", "--source", "theorem 5.1"]) == 0
    assert capsys.readouterr().out.startswith("rdk.worst-case  (bound, RDK, Theorem 5.1")
    assert cli.main(["claims", "rdk", "--source", "Theorem 5"]) == 2  # not the beginning of a number
    assert cli.main(["claims", "--source", ""]) == 2
    assert "is in no claim's source" in capsys.readouterr().err
