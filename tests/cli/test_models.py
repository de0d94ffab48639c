"""Commands take a pair of models, and a draft that is made of the target, in place of a bank."""

from __future__ import annotations

import json

import pytest

from simspec import cli
from tests.logits import tiny
from tests.requirements import require


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    require("gguf")
    home = tmp_path_factory.mktemp("doors")
    tiny.chat(home / "plain")
    tiny.gguf(tiny.chat(home / "source"), home / "target.gguf")
    (home / "texts.json").write_text(json.dumps(tiny.text(12, 60)))
    (home / "others.json").write_text(json.dumps(tiny.text(12, 60, seed=1)))
    (home / "prompts.jsonl").write_text("\n".join(json.dumps({"prompt": text}) for text in tiny.text(6, 5)))
    return home


def test_rates_of_a_gguf_model_and_a_draft_made_of_it(home, capsys) -> None:
    text = ["--text", str(home / "texts.json"), "--contexts", "8"]
    assert cli.main(["rates", str(home / "target.gguf"), "quantised:4", *text, "--rule", "sd", "--json"]) == 0
    captured = capsys.readouterr()
    (row,) = json.loads(captured.out)
    assert row["rule"] == "sd" and "8 contexts: the models read" in captured.err
    chat = ["--chat", str(home / "prompts.jsonl"), "--chat-length", "4"]
    counted = ["--statistics-text", str(home / "others.json")]
    assert cli.main(["rates", str(home / "plain"), "ngram:2", *chat, *counted, "--rule", "sd", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["rule"] == "sd"


def test_advice_on_chat(home, capsys) -> None:
    chat = ["--chat", str(home / "prompts.jsonl"), "--chat-length", "6", "--temperature", "1", "--top-p", "1"]
    more = ["--rule", "sd", "--gamma", "1-2", "--json", "-"]
    assert cli.main(["advise", str(home / "target.gguf"), "layers:2", *chat, *more]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["contexts"] <= 36 and record["rows"][0]["rule"] == "sd"


def test_an_audit_on_laws_of_models(home, capsys) -> None:
    text = ["--text", str(home / "texts.json"), "--rows", "2", "--gamma", "1"]
    models = ["--models", str(home / "target.gguf"), "quantised:3"]
    assert cli.main(["audit", "sd", *models, *text, "--calls", "3000", "--tv-limit", "0.3"]) == 0
    assert "lossless" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rates", "a", "b"], "MODEL: a b; expected TARGET DRAFT together with either --text FILE or --chat JSONL"),
        (["rates", "a", "b", "--text", "t", "--chat", "c"], "either --text FILE or --chat JSONL"),
        (["rates", "a", "b", "c"], "expected one file or bank, or TARGET DRAFT"),
        (["rates", "wiki", "--text", "t"], "--text, --chat: work only with models"),
        (["rates", "a", "b", "--p", "1"], "neither FILE nor --bank nor models"),
        (["advise", "a", "b", "--text", "t", "--chat", "c"], "either --text FILE or --chat JSONL"),
        (["audit", "sd", "--models", "a", "b"], "MODEL: a b; expected TARGET DRAFT together with either --text FILE"),
        (["audit", "sd", "--models", "a", "b", "--bank", "wiki"], "--models: got --pair or --bank too"),
        (["audit", "sd", "--text", "t"], "--text, --chat: work only with --models TARGET DRAFT"),
    ],
)
def test_bad_input_exits_2_with_one_line(arguments, message, capsys) -> None:
    assert cli.main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error and len(error.strip().splitlines()) == 1
