"""What the title on blocks says is in its stored rows: between both ends, and near the independent one along answers."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.figures import rows

MODELS = ("wiki", "SmolLM2, 3-bit draft", "SmolLM2, 4-bit draft")


def _tokens(panel: str, way: str) -> np.ndarray:
    return np.array(rows("all.speedup").of(f"tokens, {panel}", way).column("y"))


@pytest.mark.parametrize("panel", MODELS)
def test_blocks_of_steps_that_are_alike_are_longest(panel) -> None:
    alike = _tokens(panel, "all steps alike")
    independent = _tokens(panel, "independent steps")
    assert alike[0] == pytest.approx(independent[0])
    assert (alike[1:] > independent[1:]).all()


@pytest.mark.parametrize("panel", MODELS[1:])
def test_along_answers_blocks_are_hardly_longer_than_for_independent_steps(panel) -> None:
    answers = _tokens(panel, "along the answers")
    independent = _tokens(panel, "independent steps")
    alike = _tokens(panel, "all steps alike")
    assert np.abs(answers / independent - 1).max() < 0.04
    assert (answers <= alike + 1e-9).all()
    assert answers[-1] - independent[-1] < 0.3 * (alike[-1] - independent[-1])


def test_the_better_draft_is_faster_at_every_cost() -> None:
    best = rows("all.speedup").of("best")
    for cost in ("0.02", "0.1", "0.3"):
        coarse, fine = best.of(series=f"along the answers, {cost}")
        assert coarse.x < fine.x
        assert coarse.high < fine.low
