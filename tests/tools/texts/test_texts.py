"""What is measured of a task: what is read, what is requested, and how it is saved."""

from __future__ import annotations

import json

import pytest

from simspec.studies.tasc.task_record import read_tasks
from simspec.tools.texts import Request, texts
from simspec.tools.texts.load import task_of
from simspec.tools.texts.save import command_of, save


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "turns.jsonl"
    records = [{"question": f"turn {n} times left", "answer": f"left {n} left"} for n in range(30)]
    path.write_text("\n".join(map(json.dumps, records)))
    return str(path)


def bare(source: str, **options) -> Request:
    """A request of bigrams alone."""
    return Request(source, **{"budget": 0, "gamma": 0, "resamples": 5, **options})


def test_fields_can_be_named(pairs) -> None:
    """Three words and two bigrams an answer, four and three a question."""
    entry = texts(bare(pairs, input="answer", output="question")).entry
    assert entry["bigrams"] == {"input": 60, "output": 90}
    assert texts(bare(pairs)).entry["bigrams"] == {"input": 90, "output": 60}


def test_outputs_seen_before_are_told(tmp_path) -> None:
    path = tmp_path / "labels.tsv"
    path.write_text("".join(f"text {n}\tlabel {n % 2}\n" for n in range(20)))
    assert texts(Request(str(path), resamples=5)).entry["held out, learnt too"] == 1


def test_pairs_and_name(pairs) -> None:
    task = task_of(bare(pairs, pairs=10, name="left"))
    assert task.corpus.name == "left" and len(task.corpus.inputs) == 10
    assert task.corpus.source.endswith("10 of 30 pairs")
    assert (len(task.encoded.train), len(task.encoded.outputs)) == (8, 2)


def test_labels_of_one_word_have_no_bigrams(tmp_path) -> None:
    path = tmp_path / "moods.tsv"
    path.write_text("".join(f"text {n} is fine\t{'yes' if n % 2 else 'no'}\n" for n in range(30)))
    measured = texts(bare(str(path), gamma=2))
    assert measured.row is None and measured.entry["bigram statistics"] is None
    assert measured.missing.startswith("no output of 'moods' has two words") and set(measured.gains) > {"corpus"}
    with pytest.raises(ValueError, match="no output of 'moods' has two words"):
        texts(bare(str(path)))


def test_half_of_the_budget_is_tried_too() -> None:
    """Of 3 tokens first 2, rounded up; of one token there is no half."""
    by_budget = {n: texts(bare("library:tagging", pairs=20, budget=n)).savings for n in (0, 1, 3)}
    added = {budget: [saving.added for saving in savings] for budget, savings in by_budget.items()}
    assert added == {0: [], 1: [1], 3: [2, 3]}


def test_each_stage_is_announced_before_it_begins(pairs) -> None:
    reports = []
    texts(bare(pairs, gamma=1, budget=1), lambda *report: reports.append(report))
    stages = list(dict.fromkeys(stage for stage, _, _ in reports))
    assert stages == ["reading", "counting bigrams", "drafting", "adding tokens"]
    for stage in stages:
        assert next(report for report in reports if report[0] == stage) == (stage, 0, None)


def test_a_command_names_what_is_not_the_default(pairs, tmp_path) -> None:
    tokenizer = tmp_path / "tiny" / "tokenizer.json"
    tokenizer.parent.mkdir()
    tokenizer.write_text("{}")
    request = Request(pairs, tokenizer=str(tokenizer), budget=1000, mix=0.5, name="my turns", renyi=True)
    assert command_of(request) == (
        "simspec texts turns.jsonl --tokenizer tiny/tokenizer.json --mix 0.5 --name 'my turns' --renyi"
    )
    assert command_of(Request("library:tagging", model="gpt2")) == "simspec texts library:tagging --model gpt2"


def test_what_is_saved_is_what_was_measured(pairs, tmp_path) -> None:
    measured = texts(bare(pairs))
    save(measured, tmp_path / "tasks.json", origin="made up here")
    task = read_tasks(tmp_path / "tasks.json")["turns"]
    assert task["pairs"] == 30 and task["origin"] == "made up here" and task["licence"] is None
    assert task["file"]["name"] == "turns.jsonl" and str(tmp_path) not in (tmp_path / "tasks.json").read_text()


def test_a_request_that_fits_nothing_is_refused_when_it_is_made() -> None:
    with pytest.raises(ValueError, match="--n-max: 17; expected at most 16"):
        Request("turns.jsonl", n_max=17)
    with pytest.raises(ValueError, match="--held-out: 1; expected a share"):
        Request("turns.jsonl", held_out=1)
