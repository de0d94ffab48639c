"""`simspec texts` as a user types it."""

import argparse
import json

import pytest

from simspec import cli
from simspec.cli import texts as texts_cli
from simspec.studies.tasc.task_record import read_tasks
from simspec.tools.texts import Request
from simspec.tools.texts import show as texts_show_cli
from tests.requirements import require


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "turns.jsonl"
    records = [{"question": f"turn {n} times left", "answer": f"left {n} left"} for n in range(30)]
    path.write_text("\n".join(map(json.dumps, records)))
    return str(path)


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    texts_cli.add_arguments(parser)
    return texts_cli.run(parser.parse_args(["--resamples", "5", *arguments]))


def test_tables_and_what_explains_them(pairs, capsys) -> None:
    assert run(pairs) == 0
    out, _ = capsys.readouterr()
    for word in ("turns.jsonl: 30 pairs", "entropy, bits", "cover 80 %", "tokens per target step", "times shorter"):
        assert word in out
    assert "learnt from 24 outputs, tested on 6 outputs of other inputs" in out and "nan" not in out
    for name in ("entropy: ", "cover 80 %: ", "equal numbers: "):
        assert name in out
    for name, meaning in texts_show_cli.DRAFTERS.items():
        assert any(line.split()[0] == name and line.endswith(meaning) for line in out.splitlines() if line.strip())


def test_labels_of_one_word_have_no_bigrams_but_drafts_and_tokens(tmp_path, capsys) -> None:
    path = tmp_path / "moods.tsv"
    path.write_text("".join(f"text {n} is fine\t{'yes' if n % 2 else 'no'}\n" for n in range(30)))
    assert run(str(path)) == 0
    out, _ = capsys.readouterr()
    assert "30 pairs; no output of 'moods' has two words" in out and "cover 80 %" not in out
    assert "tokens per target step" in out
    assert run(str(path), "--json") == 0
    assert json.loads(capsys.readouterr().out)["bigram statistics"] is None
    with pytest.raises(ValueError, match="no output of 'moods' has two words"):
        run(str(path), "--budget", "0", "--gamma", "0")


def test_progress_is_said_where_nobody_watches(pairs, capsys, monkeypatch) -> None:
    """The clock goes on by 11 seconds whenever it is read; a line is said every 10, and none of a stage of unknown size."""
    monkeypatch.setattr("simspec.cli.progress.time.monotonic", iter(range(0, 10**9, 11)).__next__)
    assert run(pairs, "--budget", "0", "--gamma", "2") == 0
    err = capsys.readouterr().err
    assert "simspec: counting bigrams: 1 of " in err and "simspec: drafting: " in err and "reading" not in err


def test_json(pairs, capsys) -> None:
    assert run(pairs, "--budget", "4", "--gamma", "2", "--json", "--held-out", "0.5") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["bigrams"] == {"input": 90, "output": 60} and found["pairs"] == 30
    assert found["bigram statistics"]["input entropy"]["estimate"] > 0
    assert found["learnt from"] == found["held out"] == 15 and found["held out, learnt too"] == 0
    assert 1 < found["tokens per call"]["corpus"]["estimate"] <= 3
    both = found["added tokens"][-1]["normalised entropy"]
    assert set(both) == {"input", "output"} and 0 < both["output"]["before"]["estimate"] <= 1
    assert [s["added"] for s in found["added tokens"]] == sorted({s["added"] for s in found["added tokens"]})


def test_parts_can_be_left_out(pairs, capsys) -> None:
    assert run(pairs, "--budget", "0", "--gamma", "0", "--texts", "3") == 0
    out, _ = capsys.readouterr()
    assert "per target step" not in out and "times shorter" not in out and "tested on 3" in out


def test_the_standard_library_needs_no_file(capsys) -> None:
    assert run("library:tagging", "--budget", "0", "--gamma", "0") == 0
    assert "tagging: 1," in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.jsonl"], "no file 'missing.jsonl'"),
        (["library:poems"], "task: 'poems'"),
        (["library:tagging", "--input", "a"], "a library corpus has no fields"),
        (["PAIRS", "--output", "no"], "no text in field 'no'"),
        (["PAIRS", "--budget", "-1"], "--budget: -1"),
        (["PAIRS", "--n-max", "1"], "--n-max: 1"),
        (["PAIRS", "--n-max", "200"], "--n-max: 200; expected at most 16"),
        (["PAIRS", "--gamma", "-1"], "--gamma: -1"),
        (["PAIRS", "--mix", "2"], "--mix: 2.0"),
        (["PAIRS", "--mix", "nan"], "--mix: nan"),
        (["PAIRS", "--held-out", "1"], "--held-out: 1.0"),
        (["PAIRS", "--texts", "1"], "--texts: 1"),
        (["PAIRS", "--pairs", "1"], "--pairs: 1"),
        (["PAIRS", "--model-pairs", "1"], "--model-pairs: 1"),
        (["PAIRS", "--model", "m", "--gamma", "0"], "--gamma: 0; expected at least one draft token with --model"),
        (["PAIRS", "--save", "no/tasks.json"], "--save: no folder 'no'"),
        (["PAIRS", "--save", "PAIRS"], "turns.jsonl' cannot be read"),
        (["PAIRS", "--licence", "MIT"], "--licence: 'MIT' is stored by --save only"),
        ([], "FILE: missing"),
        (["PAIRS", "--recorded"], "--recorded: measures nothing"),
        (["--recorded", "none.json"], "no file 'none.json'"),
        (["PAIRS", "--tokenizer", "no.json"], "--tokenizer: no file 'no.json'"),
    ],
)
def test_bad_input_is_named(pairs, arguments, message, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError) as error:
        run(*(pairs if a == "PAIRS" else a for a in arguments))
    assert message in str(error.value) and "\n" not in str(error.value)


def test_renyi_tells_lengths_for_each_longest_ngram(pairs, capsys) -> None:
    assert run(pairs, "--renyi", "--budget", "0", "--gamma", "0", "--json") == 0
    found = json.loads(capsys.readouterr().out)["prediction"]
    assert (
        found["unit"] == "byte-pair encoding, 2,000 tokens" and found["settings"] == []
    )  # too little to merge 50 times
    assert run(pairs, "--renyi", "--budget", "0", "--gamma", "0") == 0
    assert "too few tokens can be added to measure how lengths change" in capsys.readouterr().out


def test_what_is_saved_is_what_was_measured_and_how(pairs, tmp_path, capsys) -> None:
    out = tmp_path / "tasks.json"
    extra = ["--origin", "made up here", "--licence", "CC0", "--budget", "4", "--gamma", "2"]
    assert run(pairs, "--save", str(out), *extra, "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert run(pairs, "--save", str(out), "--name", "again", "--mix", "0.5") == 0
    tasks = read_tasks(out)
    assert list(tasks) == ["again", "turns"] and tasks["again"]["licence"] is None
    one = tasks["turns"]
    assert one["pairs"] == printed["pairs"] and one["origin"] == "made up here" and one["licence"] == "CC0"
    assert one["tokens per call"]["corpus"]["estimate"] == pytest.approx(
        printed["tokens per call"]["corpus"]["estimate"], rel=1e-5
    )
    assert one["command"] == "simspec texts turns.jsonl --budget 4 --gamma 2 --resamples 5"
    assert tasks["again"]["command"] == "simspec texts turns.jsonl --mix 0.5 --resamples 5 --name again"
    assert one["file"]["name"] == "turns.jsonl" and len(one["file"]["sha256"]) == 64
    assert str(tmp_path) not in out.read_text() and {"simspec", "python", "numpy"} <= set(one["versions"])
    capsys.readouterr()
    assert run("--recorded", str(out)) == 0
    shown, _ = capsys.readouterr()
    assert "made up here; licence: CC0" in shown and "licence: not recorded" in shown and "Table 9 of TASC" in shown


def test_the_command_that_is_saved_can_be_typed_again(pairs, tmp_path) -> None:
    """As the program starts it, with all that it puts beside the options; no path of this machine is in it."""
    out = tmp_path / "tasks.json"
    words = ["--budget", "0", "--gamma", "0", "--resamples", "5"]
    assert cli.main(["texts", pairs, *words, "--save", str(out), "--json"]) == 0
    command = read_tasks(out)["turns"]["command"]
    assert command == f"simspec texts turns.jsonl {' '.join(words)}"
    assert cli.parser().parse_args(command.split()[1:]).source == "turns.jsonl"


def test_options_have_the_defaults_of_a_request() -> None:
    parser = argparse.ArgumentParser()
    texts_cli.add_arguments(parser)
    defaults = vars(parser.parse_args(["turns.jsonl"]))
    assert {name: defaults[name] for name in vars(Request("turns.jsonl"))} == vars(Request("turns.jsonl"))


def test_what_ships_can_be_shown(capsys) -> None:
    assert run("--recorded") == 0
    shown, _ = capsys.readouterr()
    for words in ("Table 1 of TASC", "Table 9 of TASC", "greedy match", "verified by a model", "Appendix E"):
        assert words in shown
    assert run("--recorded", "--json") == 0
    assert "gsm8k" in json.loads(capsys.readouterr().out)


def test_a_file_that_cannot_be_saved_into_is_told_before_anything_is_measured(pairs, tmp_path, monkeypatch) -> None:
    (tmp_path / "notes.json").write_text("[]")
    monkeypatch.setattr("simspec.tools.texts.load.read_corpus", lambda *a: pytest.fail("the corpus was read"))
    with pytest.raises(ValueError, match="notes.json is no record of tasks"):
        run(pairs, "--save", str(tmp_path / "notes.json"))


def test_a_model_writes_and_verifies(tmp_path, capsys) -> None:
    require("torch")
    from tests.logits.tiny import gpt2

    folder = gpt2(tmp_path / "tiny")
    out = tmp_path / "tasks.json"
    same = tmp_path / "turns.tsv"
    same.write_text("".join(f"turn {n}\tthe cat sat on the red mat\n" for n in range(60)))
    asked = ["--model", folder, "--model-pairs", "3", "--tokenizer", f"{folder}/tokenizer.json", "--gamma", "2"]
    assert run(str(same), "--budget", "0", *asked, "--save", str(out)) == 0
    shown, _ = capsys.readouterr()
    assert "verified by a model, in its tokens: tokens per target step (tiny)" in shown
    found = read_tasks(out)["turns"]["sampling"]
    assert found["pairs"] == 3 and found["longest"] == 16 and found["gamma"] == 2
    assert 1 <= found["sampled"]["mixed"]["estimate"] < found["reference"]["corpus"]["estimate"] <= 3
    assert found["reference"]["corpus"]["estimate"] > 2  # the same words each time: all drafts are right
    assert "sha256 of model.safetensors" in found["model"]
    command = read_tasks(out)["turns"]["command"]
    assert "--model tiny --model-pairs 3" in command and "--tokenizer tiny/tokenizer.json" in command
    assert str(tmp_path) not in out.read_text()


def test_without_torch_one_line_says_what_to_install(pairs, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(ValueError, match=r"--model: loading models needs torch: .*pip install -e '\S*\[capture\]'"):
        run(pairs, "--model", "any")
