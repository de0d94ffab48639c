"""EARS on models: calls by hand, the target's law where nothing is pardoned, shared random numbers, and a run that goes on."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from simspec.logits.capture.models import LanguageModel, load_model
from simspec.studies.ears.answers import ALL, read_answers, save_answers
from simspec.tools.answers import measuring
from simspec.tools.answers.decoding import UNIFORMS, Setting, decode
from simspec.tools.answers.measuring import Settings, measure
from simspec.tools.pivots.reading import Reader
from simspec.tools.pivots.tasks import Task, make_tasks
from tests.logits import tiny
from tests.requirements import require

TEXTS = [[5, 6, 7, 8], [9], [10, 11, 12, 13, 14, 15]]
END = 2
REPEATS = 10**6
"""As many answers as there are random numbers for."""


class Fixed:
    """A reader whose law is the same everywhere."""

    def __init__(self, law: list[float], texts: int) -> None:
        self.law = np.array(law)
        self.texts = texts
        self.logits = SimpleNamespace(device="cpu")

    def laws(self, temperature: float) -> np.ndarray:
        return np.tile(self.law, (self.texts, 1))

    def keep(self, rows) -> None:
        self.texts = len(rows)

    def write(self, tokens) -> None:
        assert len(tokens) == self.texts


def by_hand(settings: list[Setting], uniforms: list[list[float]], p=(0.5, 0.5, 0.0), q=(0.0, 1.0, 0.0)):
    require("torch")
    table = np.array(uniforms)[None, None]
    return decode((Fixed(list(p), 1), Fixed(list(q), 1)), settings, table, END, 1.0)


def test_calls_by_hand() -> None:
    """The draft is always token 1, kept below 1/2, and below 3/4 at β = 1/2; a pardon is not given to the target's own token."""
    tests = [0.4, 0.6, 0.6, 0.4, 0.6]
    decoded = by_hand(
        [Setting(0.0, 1, REPEATS), Setting(0.0, 2, REPEATS), Setting(0.5, 1, REPEATS), Setting(0.5, 2, REPEATS)],
        [[0.5, u, 0.5] for u in tests],
    )
    texts = [answer for ((answer,),) in decoded.tokens]
    assert texts == [[1, 0, 0, 1, 0], [1, 0, 0, 1, 0], [1, 0, 1, 1, 1], [1, 1, 0, 1, 1]]
    # γ = 1: (draft, own), refused, (draft, own); γ = 2: (draft, refused), refused, (draft, refused)
    assert decoded.calls.ravel().tolist() == [3, 3, 3, 2]
    assert decoded.drafted.ravel().tolist() == [3, 5, 3, 4]
    assert decoded.kept.ravel().tolist() == [2, 2, 3, 4]


def test_an_answer_ends_with_its_token() -> None:
    decoded = by_hand([Setting(0.0, 3, REPEATS)], [[0.5, 0.9, 0.5]] * 4, p=(0.0, 0.0, 1.0))
    assert (decoded.tokens, decoded.calls.item()) == ([[[[END]]]], 1)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[LanguageModel, LanguageModel]:
    require("torch")
    folder = tmp_path_factory.mktemp("models")
    return (
        load_model(tiny.chat(folder / "target"), "target", "cpu"),
        load_model(tiny.chat(folder / "draft", seed=1), "draft", "cpu"),
    )


def test_texts_that_begin_alike_are_read_as_others_are(models: tuple[LanguageModel, LanguageModel]) -> None:
    target, _ = models
    alike = [[7, 8, 9, *text] for text in TEXTS]
    laws = Reader.of_like(target, alike).laws(1.0)
    np.testing.assert_allclose(laws, Reader(target, alike).laws(1.0), atol=1e-6)
    np.testing.assert_allclose(Reader.of_like(target, TEXTS).laws(1.0), Reader(target, TEXTS).laws(1.0), atol=1e-6)


def shares(law: np.ndarray) -> np.ndarray:
    return np.add.reduceat(law, np.arange(0, len(law), 30))


def seen(models, setting: Setting, at: int, answers: int = 3000) -> np.ndarray:
    """How often each part of the vocabulary is written at a position, over many answers to one prompt."""
    readers = Reader(models[0], TEXTS[:1]), Reader(models[1], TEXTS[:1])
    uniforms = np.random.default_rng(0).random((1, answers, at + 1, UNIFORMS))
    decoded = decode(readers, [setting], uniforms, end=-1, temperature=0.9)
    last = [tokens[at] for tokens in decoded.tokens[0][0]]
    vocab = readers[0].logits.shape[-1]
    return shares(np.bincount(last, minlength=vocab) / answers)


def test_without_a_tolerance_answers_have_the_target_s_law(models: tuple[LanguageModel, LanguageModel]) -> None:
    """Total variation of the coarse law beyond 0.05 over 3000 answers is a chance of less than 1e-5."""
    law = shares(Reader(models[0], TEXTS[:1]).laws(0.9)[0])
    assert abs(seen(models, Setting(0.0, 1, REPEATS), 0) - law).sum() / 2 < 0.05
    assert abs(seen(models, Setting(ALL, 1, REPEATS), 0) - law).sum() / 2 > 0.05


def test_where_all_is_kept_the_draft_writes(models: tuple[LanguageModel, LanguageModel]) -> None:
    law = shares(Reader(models[1], TEXTS[:1]).laws(0.9)[0])
    assert abs(seen(models, Setting(ALL, 1, REPEATS), 0) - law).sum() / 2 < 0.05


def test_speculative_decoding_writes_one_answer_for_all_numbers_of_drafts(
    models: tuple[LanguageModel, LanguageModel],
) -> None:
    """And with a tolerance an answer is that answer up to the first draft that is pardoned."""
    readers = Reader(models[0], TEXTS), Reader(models[1], TEXTS)
    uniforms = np.random.default_rng(1).random((3, 5, 8, UNIFORMS))
    decoded = decode(
        readers,
        [Setting(0.0, 1, REPEATS), Setting(0.0, 4, REPEATS), Setting(0.3, 4, REPEATS), Setting(ALL, 4, REPEATS)],
        uniforms,
        -1,
        1.0,
    )
    plain, longer, tolerant, draft = decoded.tokens
    assert plain == longer != tolerant != draft
    assert decoded.calls[1].sum() < decoded.calls[0].sum()
    assert decoded.kept[1].sum() < decoded.kept[2].sum() < decoded.kept[3].sum() == decoded.drafted[3].sum()


def test_tasks_with_the_same_examples_differ_in_their_question() -> None:
    tasks = make_tasks("sum", 5, 0, has_own_examples=False)
    assert len({str(task.messages[:-1]) for task in tasks}) == 1
    assert len({task.messages[-1]["content"] for task in tasks}) == 5


def even(task: Task, text: str) -> bool:
    """Right as often as not, whatever is written."""
    return len(text) % 2 == 0


def test_a_run_goes_on_where_it_was_and_its_file_can_be_read(
    models: tuple[LanguageModel, LanguageModel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "is_correct", even)
    settings = Settings(tasks=3, repeats=3, length=5, together=2)
    said: list[str] = []
    whole = measure(models[0], [models[1], models[0]], tmp_path / "whole.npz", settings, said.append)
    assert len(said) == 16
    said.clear()
    again = measure(models[0], [models[1], models[0]], tmp_path / "whole.npz", settings, said.append)
    assert said == []
    save_answers(again, tmp_path / "whole.npz")
    read = read_answers(tmp_path / "whole.npz")
    assert read.facts == whole.facts and read.facts["rules"] == [list(rule) for rule in settings.rules]
    for name in ("kind", "right", "changed", "tokens", "calls", "drafted", "kept"):
        np.testing.assert_array_equal(getattr(read, name), getattr(whole, name))
    assert read.right.shape == (2, len(settings.rules), 12) and 0 < read.right.mean() < 3
    assert (read.tokens[:, -1] <= 2 * 5).all() and (read.right[:, -1] <= 2).all()  # two answers to each task
    assert (read.changed[:, :4] == 0).all() and read.changed[0, -1].any()
    # the second draft is the target itself: everything is kept, and no answer changes
    assert (read.changed[1] == 0).all() and (read.kept[1] == read.drafted[1]).all()


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", right=np.zeros(2))
    with pytest.raises(ValueError, match=r"has no calls, .*; expected a file of `python -m simspec.tools.answers`"):
        read_answers(tmp_path / "other.npz")
