"""The best law of a parallel drafter: by hand, certified, against a linear search of laws, and with a planted error."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

from simspec.laws import exact
from simspec.methods.parallel import best_draft, excess, marginal, optimality_gap, product_acceptance


def _targets(seed: int, contexts: int, vocab: int) -> tuple[np.ndarray, np.ndarray]:
    """Laws in fractions, with zeros and ties."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 5, size=(contexts, vocab))
    counts[:, 0] += counts.sum(axis=1) == 0
    weights = rng.integers(0, 4, size=contexts)
    weights[0] += weights.sum() == 0
    rows = np.stack([exact([F(int(c), int(row.sum())) for c in row]) for row in counts])
    return exact([F(int(w), int(weights.sum())) for w in weights]), rows


def test_two_contexts_by_hand() -> None:
    """A token that is sure in three contexts of four: the draft is sure of it, and the marginal loses 3/8 in place of 1/4."""
    first, rows = exact([F(3, 4), F(1, 4)]), exact(np.eye(2, dtype=int))
    best = best_draft(first, rows)
    assert best.law.tolist() == [1, 0] and (best.level, best.acceptance) == (F(3, 4), F(3, 4))
    assert product_acceptance(first, rows, marginal(first, rows)) == F(5, 8)
    assert optimality_gap(first, rows, marginal(first, rows)) == F(1, 2) >= best.acceptance - F(5, 8)


@pytest.mark.parametrize("seed", range(40))
def test_the_best_law_is_certified_and_no_law_of_a_grid_beats_it(seed: int) -> None:
    first, rows = _targets(seed, 1 + seed % 4, 1 + seed % 3)
    best = best_draft(first, rows)
    assert best.law.sum() == 1 and (best.law >= 0).all()
    assert optimality_gap(first, rows, best.law) == 0
    strictly, at_least = excess(first, rows, best.law)
    assert (strictly <= best.level).all() and (at_least[best.law > 0] >= best.level).all()
    for counts in product(range(9), repeat=rows.shape[1]):
        if sum(counts) == 8:
            rival = exact([F(c, 8) for c in counts])
            lost = best.acceptance - product_acceptance(first, rows, rival)
            assert 0 <= lost <= optimality_gap(first, rows, rival)


def test_floats_and_fractions_agree() -> None:
    first, rows = _targets(3, 4, 3)
    floats = best_draft(first.astype(float), rows.astype(float))
    assert float(best_draft(first, rows).acceptance) == pytest.approx(floats.acceptance, abs=1e-12)
    assert floats.law.sum() == pytest.approx(1)


def test_a_planted_error_is_seen() -> None:
    """The marginal in place of the best law has no certificate."""
    first, rows = exact([F(3, 4), F(1, 4)]), exact(np.eye(2, dtype=int))
    assert optimality_gap(first, rows, marginal(first, rows)) > 0


def test_shapes_that_do_not_match() -> None:
    with pytest.raises(ValueError, match="rows: has shape"):
        best_draft(np.array([1.0]), np.eye(2))
