"""Times of models: what follows from them by hand, and that tiny models are timed; no time is asserted."""

import math

import pytest

from simspec.logits.capture.timing import BLOCK, Times, timing
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
