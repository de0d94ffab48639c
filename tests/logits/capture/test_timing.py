"""Times of models: what follows from them by hand, and that tiny models are timed; no time is asserted."""

import math

import pytest

from simspec.logits.capture.timing import BLOCK, Repetitions, Times, batch_timing, repetitions, timing
from tests.logits import tiny
from tests.requirements import require


def test_costs_by_hand() -> None:
    times = Times(draft=0.25, target=1.0, block=1.0 + BLOCK / 10)
    assert times.cost == 0.25 and times.verify == pytest.approx(0.1)
    assert Times(0.25, 1.0, 0.9).verify == 0 and "250 ms" in str(times)
    with pytest.raises(ValueError, match="prompt, steps: 0, 1"):
        timing("a", "b", prompt=0, steps=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    require("torch")
    folder = tmp_path_factory.mktemp("models")
    tiny.gpt2(folder / "target")
    tiny.gpt2(folder / "draft", seed=1)
    return folder


def test_tiny_models_are_timed(folder) -> None:
    times = timing(str(folder / "target"), str(folder / "draft"), device="cpu", prompt=8, steps=6)
    assert all(math.isfinite(x) and x > 0 for x in times)


def test_a_model_too_short_to_be_timed_is_refused(folder) -> None:
    with pytest.raises(ValueError, match="draft: takes 48 tokens; expected at least 49"):
        timing(str(folder / "target"), str(folder / "draft"), device="cpu", prompt=48)


def test_repetitions_are_those_of_the_medians(folder) -> None:
    timed = repetitions(str(folder / "target"), str(folder / "draft"), device="cpu", prompt=8, steps=5)
    assert [len(seconds) for seconds in timed] == [5, 5, 5] and all(x > 0 for seconds in timed for x in seconds)
    assert timed.times == Times(*(sorted(seconds)[2] for seconds in timed))
    assert Repetitions((1.0, 3.0, 2.0), (4.0,), (8.0,)).times == (2, 4, 8)


def test_batches_of_tiny_models_are_timed(folder, monkeypatch) -> None:
    """A row for each repetition of each batch and width, with the sequences that the models are given."""
    from simspec.logits.capture.models import LanguageModel, load_model

    target, draft = (load_model(str(folder / name), name, "cpu") for name in ("target", "draft"))
    sizes = set()
    read_on = LanguageModel.read_on

    def recorded(self, ids, cache=None):
        sizes.add(tuple(ids.shape))
        return read_on(self, ids, cache)

    monkeypatch.setattr(LanguageModel, "read_on", recorded)
    rows = batch_timing(target, draft, [1, 3], widths=(1, 2), prompt=4, steps=2)
    assert [row[:2] for row in rows] == [(b, w) for b in (1, 3) for w in (1, 2) for _ in range(2)]
    assert all(math.isfinite(x) and x > 0 for row in rows for x in row[2:])
    assert {(1, 1), (1, 2), (3, 1), (3, 2), (1, 4), (3, 4)} == sizes
    for batches, widths, message in (([0], (1,), "batches"), ([], (1,), "batches"), ([1], (2,), "widths")):
        with pytest.raises(ValueError, match=message):
            batch_timing(target, draft, batches, widths)
