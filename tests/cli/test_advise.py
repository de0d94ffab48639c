"""`simspec advise` as a user types it."""

import json
import re

import numpy as np
import pytest

from simspec import cli
from tests.requirements import require


@pytest.fixture
def laws(tmp_path):
    path = tmp_path / "laws.npz"
    np.savez(path, p=[[0.5, 0.5, 0.0]] * 4, q=[[0.25, 0.25, 0.5]] * 4, document=[0, 0, 1, 1])
    return str(path)


def test_outputs_go_to_a_folder_that_is_made(laws, tmp_path) -> None:
    path = tmp_path / "new" / "rows.csv"
    assert cli.main(["advise", "--bank", laws, "--rule", "sd", "--csv", str(path)]) == 0
    assert path.read_text().startswith("rule,temperature")


def test_a_table_the_advice_and_what_engines_are_told(laws, capsys) -> None:
    assert cli.main(["advise", "--bank", laws, "--cost", "0.05"]) == 0
    out, _err = capsys.readouterr()
    assert "laws.npz: 4 contexts of 2 documents" in out
    assert "no intervals: 2 documents are too few, a 95 % interval needs 5 or more" in out and "±" not in out
    for word in (
        "sd",
        "greedy",
        "lossless",
        "speedup: speed-up over the target alone",
        "Draft 3 tokens per target step with sd",
    ):
        assert word in out
    assert "num_assistant_tokens = 3" in out and '"num_speculative_tokens": 3' in out and "--spec-draft-n-max" in out
    assert "one draft token per target step pays at acceptance rates of 0.05 or more" in out


def test_a_lossy_rule_alone_is_called_one(laws, capsys) -> None:
    """Three quarters are accepted instead of half; the draft's third token is emitted where the target has none."""
    assert cli.main(["advise", "--bank", laws, "--cost", "0.05", "--rule", "mixture:0.5", "--top-p", "1"]) == 0
    out = capsys.readouterr().out
    assert "It changes the distribution of a token by 0.250 (TV); no rule that does not was measured." in out


def test_drafts_that_cost_nothing_of_their_own_are_said_to(laws, capsys) -> None:
    assert cli.main(["advise", "--bank", laws, "--cost", "0", "--rule", "sd", "--top-p", "1"]) == 0
    assert "verifying a draft token costs 0 target steps, drafting it nothing beyond that" in capsys.readouterr().out


def test_files_and_a_picture(laws, tmp_path, capsys) -> None:
    names = {kind: tmp_path / f"made.{kind}" for kind in ("csv", "json", "markdown", "html")}
    files = [word for kind, path in names.items() for word in (f"--{kind}", str(path))]
    plot = tmp_path / "made.svg"
    assert cli.main(["advise", "--bank", laws, "--rule", "sd", "--gamma", "2", *files, "--plot", str(plot)]) == 0
    assert "<svg" in plot.read_text() and names["csv"].read_text().startswith("rule,temperature")
    made = json.loads(names["json"].read_text())
    assert made["rows"][0]["tokens"] == 1.75 and made["advice"].startswith("Draft 2 tokens")
    assert "| sd |" in names["markdown"].read_text() and "<table>" in names["html"].read_text()
    capsys.readouterr()
    assert cli.main(["advise", "--bank", laws, "--rule", "sd", "--json", "-"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["contexts"] == 4 and "2 documents are too few" in record["without_intervals"]


def test_progress_is_said_where_nobody_watches(laws, capsys, monkeypatch) -> None:
    """The clock goes on by 11 seconds whenever it is read; a line is said every 10."""
    monkeypatch.setattr("simspec.cli.progress.time.monotonic", iter(range(0, 10**9, 11)).__next__)
    assert cli.main(["advise", "--bank", laws, "--rule", "sd", "--top-p", "1"]) == 0
    assert "simspec: temperature 1, top-p 1: 1 of 1\n" in capsys.readouterr().err


def test_models_are_timed_captured_and_advised_on(tmp_path, capsys) -> None:
    require("torch")
    from tests.logits import tiny

    tiny.gpt2(tmp_path / "target", scale=1.0)
    tiny.gpt2(tmp_path / "draft", seed=1, scale=0.5)
    (tmp_path / "text.json").write_text(json.dumps(tiny.text(20, 130)))
    pair = [str(tmp_path / name) for name in ("target", "draft")]
    text = [
        "--text",
        str(tmp_path / "text.json"),
        "--contexts",
        "12",
        "--window",
        "40",
        "--temperature",
        "1",
        "--top-p",
        "1",
    ]
    assert cli.main(["advise", *pair, *text, "--rule", "sd"]) == 0
    out, err = capsys.readouterr()
    assert re.search(r"measured: draft step \S+ ms, target step \S+ ms", err)
    assert "12 contexts of 1 document\n" in re.sub(" +\n", "\n", out)
    assert cli.main(["advise", *pair, *text, "--rule", "sd", "--cost", "0.001", "--verify-cost", "0"]) == 0
    out = capsys.readouterr().out
    assert f"AutoModelForCausalLM.from_pretrained('{tmp_path / 'draft'}')" in out and "stand for your models" not in out
    steps = tmp_path / "steps.csv"
    batches = ["--rule", "sd", "--gamma", "1-4", "--batches", "1,2", "--save-steps", str(steps)]
    assert cli.main(["advise", *pair, *text, *batches]) == 0
    out = capsys.readouterr().out
    assert (
        re.search(r"^ +batch +drafts +tokens +speed-up", out, re.MULTILINE)
        and "by the spread of the timed steps" in out
    )
    assert steps.read_text().startswith("batch,tokens,milliseconds,draft\n1,1,")
    assert cli.main(["advise", *pair, *text, "--batches", "1,x"]) == 2
    assert "--batches: " in capsys.readouterr().err


def test_a_draft_made_of_the_target_has_a_counted_cost_beside_the_measured_one(tmp_path, capsys) -> None:
    """Three bits and the scale of a group against 32 as the target is stored: what float32 copies cost is no advice on it."""
    require("torch")
    from tests.logits import tiny

    tiny.gpt2(tmp_path / "target", scale=1.0)
    (tmp_path / "text.json").write_text(json.dumps(tiny.text(20, 130)))
    pair = [str(tmp_path / "target"), "quantised:3"]
    text = ["--text", str(tmp_path / "text.json"), "--contexts", "12", "--window", "40", "--top-p", "1", "--rule", "sd"]
    assert cli.main(["advise", *pair, *text, "--temperature", "1"]) == 0
    out = capsys.readouterr().out
    assert "counted, on an engine that memory limits: a draft step costs 0.125 target steps" in out
    (sentence,) = [line for line in out.splitlines() if line.startswith("Counted, on an engine that memory limits: ")]
    assert "at a cost of 0.125 target steps per draft token" in sentence
    assert "from_pretrained" not in out and "convert_hf_to_gguf" not in out
    assert cli.main(["advise", *pair, *text, "--temperature", "1", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["counted"]["cost"] == 0.125
    assert cli.main(["advise", *pair, *text, "--temperature", "1", "--cost", "0.1"]) == 0
    assert "ounted" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["advise"], "MODEL: expected a logit bank (`simspec advise wiki`), or TARGET DRAFT with --text FILE"),
        (
            ["advise", "wikki"],
            "bank: no file 'wikki'; expected the path of a bank, or one of smollm2, wiki, stories, gpt2",
        ),
        (["advise", "--bank", "wikki"], "the nearest is wiki"),
        (["rates", "--bank", "stores"], "the nearest is stories"),
        (["trees", "wik"], "the nearest is wiki"),
        (["verify", "sd", "--bank", "Wiki2"], "the nearest is wiki"),
        (["rates", "wiki", "--bank", "wiki"], "FILE, --bank: got both; expected one of them"),
        (
            ["rates", "--bank", "wiki", "--p", "1", "--q", "1"],
            "--p and --q: expected both of them, without FILE and --bank",
        ),
        (["trees", "wiki", "--bank", "wiki"], "FILE: expected exactly one of FILE, --bank and --rates"),
        (["advise", "wiki", "--bank", "wiki"], "but not both"),
        (["advise", "a", "b", "--bank", "wiki"], "but not both"),
        (["advise", "a", "b"], "expected TARGET DRAFT together with either --text FILE or --chat JSONL"),
        (["advise", "--bank", "wiki", "--text", "a.txt"], "--text, --chat: a logit bank has its own contexts"),
        (["advise", "--bank", "wiki", "--run"], "--run: a logit bank cannot generate text"),
        (
            ["advise", "a", "b", "--text", "t", "--run", "--run-prompts", "1"],
            "--run-prompts, --length: 1, 48; expected at least 2 prompts",
        ),
        (["advise", "--bank", "wiki", "--plot", "a.jpg"], "--plot: a.jpg"),
        (["advise", "--bank", "wiki", "--gamma", "0-4"], "--gamma: '0-4'"),
        (["advise", "--bank", "wiki", "--gamma", "many"], "--gamma: 'many'"),
        (["advise", "--bank", "wiki", "--cost", "-1"], "cost: -1"),
        (["advise", "--bank", "notes.txt"], "notes.txt is no bank; expected a .safetensors file"),
        (["rates", "notes.txt"], "notes.txt is no bank"),
    ],
)
def test_bad_input_exits_2_with_one_line(arguments, message, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("a file that simspec did not write")
    assert cli.main(arguments) == 2
    err = capsys.readouterr().err
    assert message in err and len(err.strip().splitlines()) == 1
