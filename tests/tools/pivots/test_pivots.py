"""PAD on models: texts read together as one by one, rollouts by chance known, rules by hand, and a run that goes on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simspec.logits.capture.models import LanguageModel, load_model
from simspec.studies.pad.answered import answered
from simspec.studies.pad.answers import read_answers, save_answers
from simspec.tools.pivots import measuring
from simspec.tools.pivots.measuring import Settings, measure
from simspec.tools.pivots.reading import Reader
from simspec.tools.pivots.rollouts import successes
from simspec.tools.pivots.tasks import KINDS, Task, is_correct, make_tasks
from simspec.tools.pivots.writing import GUARDRAIL, Draft, pad_rule, random_rule, sd, strict_rule, write
from tests.logits import tiny
from tests.requirements import require


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[LanguageModel, LanguageModel]:
    require("torch")
    folder = tmp_path_factory.mktemp("models")
    return (
        load_model(tiny.chat(folder / "target"), "target", "cpu"),
        load_model(tiny.chat(folder / "draft", seed=1), "draft", "cpu"),
    )


TEXTS = [[5, 6, 7, 8], [9], [10, 11, 12, 13, 14, 15]]


@pytest.mark.parametrize("kind", KINDS)
def test_the_examples_of_a_task_are_answered_rightly(kind: str) -> None:
    tasks = make_tasks(kind, 20, seed=3)
    for task in tasks:
        assert is_correct(task, task.answer)
        said = [message["content"] for message in task.messages if message["role"] == "assistant"]
        assert len(said) == 4
        if kind != "copy":
            assert not is_correct(task, task.answer + " No, 1000.")
    assert len({task.messages[-1]["content"] for task in tasks}) > 10
    assert make_tasks(kind, 20, seed=3) == tasks != make_tasks(kind, 20, seed=4)


@pytest.mark.parametrize("family", ["chat", "gpt2", "llama"])
def test_texts_that_are_read_together_have_the_laws_of_each_alone(tmp_path: Path, family: str) -> None:
    """Padding, repetition and rows that are let go change no law."""
    require("torch")
    import torch

    model = load_model(getattr(tiny, family)(tmp_path / "model"), "target", "cpu")
    reader = Reader(model, TEXTS)
    alone = [model.logits([text], [np.array([len(text) - 1])])[0] for text in TEXTS]
    np.testing.assert_allclose(reader.logits.numpy(), np.stack(alone), atol=1e-4)
    reader.repeat(2)
    reader.keep([1, 4])
    reader.write(torch.tensor([20, 21]))
    longer = [[*TEXTS[0], 20], [*TEXTS[2], 21]]
    alone = [model.logits([text], [np.array([len(text) - 1])])[0] for text in longer]
    np.testing.assert_allclose(reader.logits.numpy(), np.stack(alone), atol=1e-4)
    assert len(reader.states()) == 2


def test_rollouts_are_right_as_often_as_the_law_says(models: tuple[LanguageModel, LanguageModel]) -> None:
    """The next token is below 150; a binomial of 2000 strays by 4.5 deviations once in 150,000 runs, twice tried here."""
    target, _ = models
    prefixes = [TEXTS[0], TEXTS[2]]
    laws = Reader(target, prefixes).laws(1.0)
    counts = successes(target, prefixes, [1, 1], lambda number, tokens: tokens[0] < 150, 2000, [1])
    shares = laws[:, :150].sum(axis=1)
    deviation = np.sqrt(shares * (1 - shares) / 2000)
    assert (abs(np.array(counts) / 2000 - shares) < 4.5 * deviation).all()
    assert not (abs(np.array(counts[::-1]) / 2000 - shares + 0.2) < 4.5 * deviation).any()


def test_rollouts_end_at_the_end_of_the_text_and_at_their_length(models: tuple[LanguageModel, LanguageModel]) -> None:
    target, _ = models
    end = target.roles["eos"]
    seen: list[tuple[int, list[int]]] = []

    def note(number: int, tokens: list[int]) -> bool:
        seen.append((number, tokens))
        return True

    assert successes(target, TEXTS, [9, 0, 3], note, 40, [2]) == [40, 40, 40]
    assert {len(tokens) for number, tokens in seen if number == 1} == {0}
    assert all(len(tokens) <= 3 for number, tokens in seen if number == 2)
    assert all(tokens[-1] == end or len(tokens) == 9 for number, tokens in seen if number == 0)
    assert not any(end in tokens[:-1] for _, tokens in seen)


class Score:
    """A classifier whose score is the last feature."""

    def score(self, x):
        return x[..., -1]


def draft(**columns) -> Draft:
    n = len(columns["p"])
    given = {"token": np.zeros(n, dtype=int), "second": np.zeros(n), **{k: np.array(v) for k, v in columns.items()}}
    return Draft(**given)


def test_rules_by_hand() -> None:
    """A draft that passes the test, one that fails and is no pivot, one that is a pivot, and one too unlikely."""
    drafts = draft(
        p=[0.2, 0.2, 0.2, GUARDRAIL / 2],
        q=[0.4, 0.4, 0.4, 0.4],
        uniform=[0.4, 0.6, 0.6, 0.6],
        features=[[0.9], [0.1], [0.9], [0.1]],
    )
    assert sd().keeps(drafts).tolist() == [True, False, False, False]
    assert pad_rule(Score(), 0.5).keeps(drafts).tolist() == [True, True, False, False]
    assert strict_rule(Score(), 0.5).keeps(drafts).tolist() == [False, True, False, True]
    assert random_rule(0.0).keeps(drafts).tolist() == [True, True, True, False]
    assert random_rule(1.0).keeps(drafts).tolist() == [True, False, False, False]


def test_answers_by_speculative_decoding_have_the_target_s_law(models: tuple[LanguageModel, LanguageModel]) -> None:
    """The first token, over 3000 answers; total variation of the coarse law beyond 0.05 is a chance of less than 1e-5."""
    target, other = models
    rng = np.random.default_rng(0)
    law = Reader(target, [TEXTS[0]]).laws(1.0)[0]
    coarse = np.add.reduceat(law, np.arange(0, len(law), 30))

    def seen(rule) -> np.ndarray:
        readers = Reader(target, TEXTS[:1]).copied(3000), Reader(other, TEXTS[:1]).copied(3000)
        answers = write(readers, [TEXTS[0]] * 3000, rule, rng, 1, target.roles["eos"])
        first = np.bincount([answer.tokens[0] for answer in answers], minlength=len(law)) / 3000
        return np.add.reduceat(first, np.arange(0, len(law), 30))

    assert abs(seen(sd()) - coarse).sum() / 2 < 0.05
    assert abs(seen(random_rule(0.0)) - coarse).sum() / 2 > 0.05


def test_what_speculative_decoding_refuses_is_recorded(models: tuple[LanguageModel, LanguageModel]) -> None:
    target, other = models
    readers = Reader(target, TEXTS[:1]), Reader(other, TEXTS[:1])
    answer = write(readers, TEXTS[:1], sd(), np.random.default_rng(1), 12, target.roles["eos"])[0]
    assert answer.drafted == len(answer.tokens)
    assert len(answer.refused) == answer.drafted - answer.kept > 0
    for refused in answer.refused:
        place = len(refused.before) - len(TEXTS[0])
        assert refused.before == TEXTS[0] + answer.tokens[:place]
        assert refused.token != answer.tokens[place]


def even(task: Task, text: str) -> bool:
    """Right as often as not, whatever is written."""
    return len(text) % 2 == 0


def test_a_run_goes_on_where_it_was_and_its_file_can_be_read(
    models: tuple[LanguageModel, LanguageModel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, other = models
    monkeypatch.setattr(measuring, "is_correct", even)
    settings = Settings(tasks=8, rollouts=4, many=30, few=2, repeats=2, length=4)
    said: list[str] = []
    whole = measure(target, other, tmp_path / "whole.npz", settings, said.append)
    assert said
    said.clear()
    again = measure(target, other, tmp_path / "whole.npz", settings, said.append)
    assert said == []
    save_answers(again, tmp_path / "whole.npz")
    read = read_answers(tmp_path / "whole.npz")
    for name in ("task", "before", "after", "many_before", "right", "kept", "drafted", "is_test"):
        np.testing.assert_array_equal(getattr(read, name), getattr(whole, name))
    assert read.facts == whole.facts
    assert (read.kept <= read.drafted).all()
    assert ((read.many_before >= 0).sum(), read.before.max() <= 4) == (2, True)
    study = answered(read)
    assert len(study.grid) == 1 + len(read.facts["rules"])


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", right=np.zeros(2))
    with pytest.raises(ValueError, match="has no after, .*; expected a file of `python -m simspec.tools.pivots`"):
        read_answers(tmp_path / "other.npz")
