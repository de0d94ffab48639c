"""Prefix processes: the numbering of prefixes by hand, and small random trees."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.laws import exact
from simspec.methods import SD, evaluate, values
from simspec.methods.pad.prefixes import prefix_process, tree
from tests import strategies as some

HALF = exact(np.array([0.5, 0.5]))


def test_prefixes_by_hand() -> None:
    """Ones count: () 0, (0) 1, (1) 2, (0, 0) 3, (0, 1) 4, (1, 0) 5, (1, 1) 6."""
    asked: list[tuple[int, ...]] = []

    def draft(prefix):
        asked.append(prefix)
        return exact(np.array([1, 0])) if prefix == (1,) else HALF

    process = prefix_process(lambda prefix: HALF, draft, lambda text: F(sum(text), 2), 2)
    assert process.step.tolist() == [[1, 2], [3, 4], [5, 6], [3, 3], [4, 4], [5, 5], [6, 6]]
    assert process.utility.tolist() == [0, 0, 0, 0, F(1, 2), F(1, 2), 1]
    assert set(asked) == {(), (0,), (1,)}
    assert process.draft[2].tolist() == [1, 0]
    assert values(process)[0, 0] == F(1, 2) and values(process)[1, 1:3].tolist() == [F(1, 4), F(3, 4)]
    assert evaluate(process, SD).acceptance[1, 1:3].tolist() == [1, F(1, 2)]


def test_an_empty_text() -> None:
    process = prefix_process(lambda x: HALF, lambda x: HALF, lambda text: 1, 0)
    assert len(process.utility) == 1 and evaluate(process, SD).utility == 1


def test_floats_stay_floats() -> None:
    process = prefix_process(lambda x: np.array([0.5, 0.5]), lambda x: np.array([1.0, 0.0]), lambda text: text[0], 1)
    assert process.utility.dtype == float and float(values(process)[0, 0]) == 0.5


def test_trees_are_exact_deterministic_and_prefixes_independent() -> None:
    process = tree(1, vocab=2, horizon=3, parts=4)
    assert len(process.utility) == 15 and process.horizon == 3
    for array in (process.target, process.draft, process.utility):
        some.assert_exact(array)
    assert ((process.target * 4) % 1 == 0).all() and set(process.utility.tolist()) == {0, 1}
    again, other = tree(1, vocab=2, horizon=3), tree(2, vocab=2, horizon=3)
    assert all(np.array_equal(a, b) for a, b in zip(process, again, strict=True))
    assert not np.array_equal(process.target, other.target)
    assert len({tuple(row) for row in process.target[:7].tolist()}) > 2  # prefixes differ
    assert not np.array_equal(process.target[:7], process.draft[:7])


def test_trees_have_utilities_at_their_rate() -> None:
    """1,024 coins: outside 4.5 standard deviations with probability 7e-6; the coin 0.4 is told from 0.3."""
    useful = tree(5, vocab=2, horizon=10, useful=0.3).utility[-1024:]
    assert abs(float(useful.mean()) - 0.3) < 4.5 * (0.21 / 1024) ** 0.5 < 0.1
    assert tree(5, useful=0).utility.sum() == 0 and tree(5, useful=1).utility.sum() == 9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tree(1, vocab=0), "vocab: 0; expected at least one token"),
        (lambda: tree(1, parts=0), "parts: 0; expected at least one"),
        (lambda: tree(1, useful=2), "useful: 2; expected a probability"),
        (lambda: tree(1, horizon=-1), "horizon: -1; expected a number of tokens"),
        (lambda: tree(1, vocab=2, horizon=40), "horizon: 40 with 2 tokens; expected at most 1048576 prefixes"),
        (lambda: tree(-1), "key"),
        (
            lambda: prefix_process(lambda x: HALF * 2, lambda x: HALF, lambda text: 1, 1),
            r"target\(\(\)\): row \(\) sums",
        ),
        (lambda: prefix_process(lambda x: HALF, lambda x: HALF, lambda text: 2, 1), "utility: 2; expected numbers in"),
    ],
)
def test_bad_input_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
