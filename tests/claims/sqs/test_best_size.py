"""The number of tokens and the resolution at equal bits, by hand and over all schemes."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import law
from simspec.claims.sqs.best_size import BEST_SIZE, EVERY_LAW, dense_at, hard_laws, some_loss, words
from simspec.claims.sqs.parts import worst_rounding


def test_words_by_hand() -> None:
    """Two of three tokens and two units: three sets of three points; six points of all three tokens, ten at three units."""
    assert (words(3, 2, 2), words(3, 3, 2), words(3, 3, 3), dense_at(3, 9)) == (9, 6, 10, 2)


@pytest.mark.parametrize(("vocab", "k", "units", "loss"), [(3, 2, 2, F(2, 5)), (4, 3, 3, F(4, 11)), (5, 4, 4, F(1, 3))])
def test_hard_laws(vocab, k, units, loss) -> None:
    """Losses of the smallest schemes: all hard laws have mass one, and one of them reaches this."""
    assert all(sum(q) == 1 for q in hard_laws(vocab, k, units))
    assert some_loss(vocab, k, units) == loss


def test_no_support_beats_the_dense_lattice_beyond_the_range() -> None:
    """Eleven and twelve tokens, at a few resolutions."""
    for vocab in range(11, 13):
        for k in range(2, vocab):
            for units in (1, 2, vocab // 2, vocab, 2 * vocab):
                dense = dense_at(vocab, words(vocab, k, units))
                assert worst_rounding(F(vocab), dense) <= some_loss(vocab, k, units), (vocab, k, units)


def test_more_bits_than_were_tried_are_many() -> None:
    """Beyond ℓ = 24 the dense lattice is fine enough for sqs.best-size.flat-law, for all sizes of sqs.best-size; K = 1 has
    words for one unit at any ℓ, and both are equal there."""
    for vocab in range(2, 11):
        for k in range(2, vocab):
            assert dense_at(vocab, words(vocab, k, 25)) * (vocab - k) >= (vocab // 2) * (vocab - vocab // 2)
        assert BEST_SIZE.sides({"vocab": vocab, "k": 1, "resolution": 99}) == (1 - F(1, vocab),) * 2


def test_a_law_that_the_finer_lattice_holds() -> None:
    ours, theirs = EVERY_LAW.sides({"q": law("3/5", "2/5", 0), "k": 2, "resolution": 5})
    assert (ours, theirs) == (F(1, 10), 0)
    assert np.all(theirs >= 0)
