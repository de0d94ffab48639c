"""Which tokens a pruned drafter keeps: rankings by hand, ties, and bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.methods import keep_first, most_frequent, pruning_order

COUNTS = np.array([5, 0, 7, 5])


def test_by_hand() -> None:
    assert pruning_order("frequency", COUNTS).tolist() == [2, 0, 3, 1]  # of equals the lower number first
    assert pruning_order("worst", COUNTS).tolist() == [1, 0, 3, 2]
    assert keep_first(np.array([2, 0, 3, 1]), 3).tolist() == [True, False, True, True]
    assert most_frequent(COUNTS, 2).tolist() == [True, False, True, False]


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=12), st.data())
def test_the_kept_tokens_are_the_heaviest(counts, data) -> None:
    weights = np.array(counts, dtype=np.uint32)  # unsigned: negating would wrap around
    kept = data.draw(st.integers(1, len(counts)))
    mask = most_frequent(weights, kept)
    assert mask.sum() == kept
    assert kept == len(counts) or weights[mask].min() >= weights[~mask].max()
    worst = keep_first(pruning_order("worst", weights), kept)
    assert worst.sum() == kept
    assert kept == len(counts) or weights[worst].max() <= weights[~worst].min()


def test_a_random_order_is_a_permutation_that_the_generator_decides() -> None:
    orders = [pruning_order("random", COUNTS, np.random.default_rng(s)).tolist() for s in range(50)]
    assert all(sorted(o) == [0, 1, 2, 3] for o in orders)
    assert {o[0] for o in orders} == {0, 1, 2, 3}
    assert orders[0] == pruning_order("random", COUNTS, np.random.default_rng(0)).tolist()


@pytest.mark.parametrize("kept", [0, 5, -1])
def test_bad_sizes_are_refused(kept) -> None:
    with pytest.raises(ValueError, match=f"kept: {kept}; expected 1 <= kept <= 4"):
        most_frequent(COUNTS, kept)


@pytest.mark.parametrize("order", ["alphabetical", "random"])
def test_unknown_orders_and_a_missing_generator_are_refused(order) -> None:
    with pytest.raises(ValueError, match=f"order: '{order}' .rng missing.; expected one of"):
        pruning_order(order, COUNTS)
