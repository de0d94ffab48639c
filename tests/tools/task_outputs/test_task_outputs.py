"""A chat model writes to the inputs of tasks: tokens and surprisals against its own laws, and a run that goes on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from simspec import laws
from simspec.logits.capture.models import LanguageModel, load_model
from simspec.studies.tasc.outputs import read_outputs, save_outputs
from simspec.tools.task_outputs.__main__ import main
from simspec.tools.task_outputs.asking import PASSAGE, asked
from simspec.tools.task_outputs.measuring import Settings, measure
from simspec.tools.task_outputs.redacting import readable, redacted
from tests.logits import tiny
from tests.requirements import require

SETTINGS = Settings(
    counts={"intents": 5, "questions": 3, "reading": 2},
    length=dict.fromkeys(("intents", "questions", "reading"), 6),
    expected={"intents": 4, "questions": 2, "reading": 0},
    kept=3,
    together=2,
)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora")
    (folder / "slurp").mkdir()
    (folder / "medquad").mkdir()
    for name, first in (("test", 0), ("devel", 100)):
        lines = [
            {"sentence": f"wake me at {n}", "intent": "alarm_set", "annotation": f"wake me at [time : {n}]"}
            for n in range(first, first + 12)
        ]
        (folder / "slurp" / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    records = [{"question": f"What is disease {n} ?", "answer": f"Disease {n} is a cat. " * 30} for n in range(12)]
    (folder / "medquad" / "medquad.jsonl").write_text("\n".join(map(json.dumps, records)))
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    require("torch")
    return load_model(tiny.chat(tmp_path_factory.mktemp("model")), "target", "cpu")


def test_what_is_asked(corpora: Path) -> None:
    intents = asked("intents", corpora, 5, 4)
    assert len(intents.messages) == len(set(intents.inputs)) == 5 and len(intents.expected) == 4
    assert [message["role"] for message in intents.messages[0]] == ["user", "assistant"] * 4 + ["user"]
    assert intents.messages[0][1]["content"].startswith("intent: alarm_set, slots: time = 1")
    assert not {message["content"] for message in intents.messages[0][:-1]} & set(intents.inputs)
    assert all(text.startswith("intent: alarm_set") for text in intents.expected)
    questions, reading = (asked(name, corpora, 3, 2) for name in ("questions", "reading"))
    assert not {text.split("\n\n")[-1] for text in reading.inputs} & set(questions.inputs)
    assert all(len(text.split("\n\n")[0]) <= PASSAGE for text in reading.inputs)
    assert asked("intents", corpora, 5, 4) == intents != asked("intents", corpora, 5, 4, seed=1)


def test_tokens_and_surprisals_are_those_of_the_models_laws(
    model: LanguageModel, corpora: Path, tmp_path: Path
) -> None:
    made = measure(model, corpora, tmp_path / "a.npz", SETTINGS, lambda line: None)
    places = {"greedy": 0, "drawn": 0}
    for number in range(10):
        prompt = made.prompts[number]
        for way in places:
            text = made.texts(way)[number]
            at = [np.arange(len(prompt) - 1, len(prompt) + len(text) - 1)]
            p = laws.softmax(model.logits([[*prompt, *text]], at).astype(float))
            bits = made.surprisals[way][places[way] : places[way] + len(text)]
            assert bits == pytest.approx(-np.log2(p[np.arange(len(text)), text]), abs=1e-3)
            if way == "greedy":
                assert text == p.argmax(axis=1).tolist()
            places[way] += len(text)
    context = made.bigram_contexts[0]
    assert made.facts["begin of a bigram"] == [model.strings.index("<|endoftext|>")]
    text = [*made.facts["begin of a bigram"], int(context)]
    law = laws.softmax(model.logits([text], [np.array([1])]).astype(float))[0]
    assert made.bigram_tokens[0].tolist() == np.argsort(-law, kind="stable")[:3].tolist()
    assert made.bigram_masses[0] == pytest.approx(np.sort(law)[::-1][:3], abs=1e-5)
    assert {prompt[-1] for prompt in map(made.prompts.__getitem__, range(10))} <= set(made.bigram_contexts.tolist())


def test_a_run_goes_on_where_it_was_and_its_file_can_be_read(
    model: LanguageModel, corpora: Path, tmp_path: Path
) -> None:
    said: list[str] = []
    made = measure(model, corpora, tmp_path / "a.npz", SETTINGS, said.append)
    assert len(said) == 3 + 2 + 1 + 1  # batches, and the bigrams
    said.clear()
    again = measure(model, corpora, tmp_path / "a.npz", SETTINGS, said.append)
    assert said == [] and again.greedy.tokens.tolist() == made.greedy.tokens.tolist()
    save_outputs(again, tmp_path / "a.npz")
    read = read_outputs(tmp_path / "a.npz")
    assert read.facts["tasks"] == ["intents", "questions", "reading"] and len(read.expected) == 6
    assert {tuple(read.inputs[number][:3]) for number in range(5)} == {tuple(read.inputs[0][:3])}  # wake me at
    assert len({read.inputs[number][3] for number in range(5)}) == 5
    sizes = [len(text.encode()) for text in asked("intents", corpora, 5, 4).expected]
    assert read.expected_bytes[:4].tolist() == sizes


def test_no_text_of_a_corpus_is_written(model: LanguageModel, corpora: Path, tmp_path: Path) -> None:
    """Only what the model wrote is spelled, and no long run of a prompt is left."""
    made = redacted(measure(model, corpora, tmp_path / "a.npz", SETTINGS, lambda line: None), np.random.default_rng(0))
    save_outputs(made, tmp_path / "a.npz")
    read = read_outputs(tmp_path / "a.npz")
    own = {*read.bigram_contexts.tolist(), *np.ravel(read.bigram_tokens).tolist()}
    assert set(read.spelled.tolist()) == own
    for number in range(len(read.prompts)):
        prompt = read.prompts[number]
        kept = {token for token in prompt[:-3] if token < read.facts["vocab"]}
        assert kept <= {*read.greedy[number], *read.drawn[number], *prompt[-3:], *own}
        assert not readable(prompt, [read.greedy[number], read.drawn[number]], read.facts["vocab"])


def test_a_folder_without_the_corpora_is_named(model: LanguageModel, tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"corpora: .* has no slurp/test.jsonl; expected the folder of the tasks' files"
    ):
        measure(model, tmp_path, tmp_path / "a.npz", SETTINGS, lambda line: None)


def test_the_command_ends_with_2_for_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    require("torch")
    name = tiny.chat(tmp_path / "model")
    assert main([name, str(tmp_path), "--out", str(tmp_path / "a.npz")]) == 2
    assert "simspec: error: corpora: " in capsys.readouterr().err
