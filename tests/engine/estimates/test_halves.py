"""Halves of documents: whole, nearly equal, the same each time, and in step with no period of the documents."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.estimates.halves import FEWEST_TO_HALVE, choosing_rows, halvable, too_few_to_halve


@pytest.mark.parametrize("count", [1, 2, 9, 10, 31, 1000])
def test_a_document_is_whole_and_halves_are_equal(count: int) -> None:
    document = np.repeat(np.arange(count), 3)
    chooses = choosing_rows(document)
    by_document = chooses.reshape(count, 3)
    assert (by_document == by_document[:, :1]).all()
    assert by_document[:, 0].sum() == (count + 1) // 2
    order = np.random.default_rng(0).permutation(len(document))
    assert (choosing_rows(document[order]) == chooses[order]).all()


def is_in_step(chooses: np.ndarray, period: int) -> bool:
    """Whether a half holds documents of some place of a period nearly only, or nearly none."""
    shares = [chooses[place::period].mean() for place in range(period)]
    return max(shares) - min(shares) > 0.5


@pytest.mark.parametrize("period", [2, 3, 4, 8])
def test_no_period_of_the_documents_shows(period: int) -> None:
    assert not is_in_step(choosing_rows(np.arange(400)), period)


def test_every_second_document_would_be_noticed() -> None:
    assert is_in_step(np.arange(400) % 2 == 0, 4)


def test_fewest() -> None:
    assert halvable(range(FEWEST_TO_HALVE)) and not halvable([*range(FEWEST_TO_HALVE - 1), 0])
    assert too_few_to_halve(FEWEST_TO_HALVE, "row") == "" and too_few_to_halve(1, "row").startswith(
        "no intervals: 1 row is"
    )
