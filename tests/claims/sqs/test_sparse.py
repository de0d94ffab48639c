"""Claims about sparse laws beside dense ones: by hand."""

from __future__ import annotations

from fractions import Fraction as F
from math import comb

import numpy as np

from simspec.claims.authoring import law, matrix
from simspec.claims.sqs.k_variability import spread
from simspec.claims.sqs.one_resample import rejected
from simspec.claims.sqs.resolution_at_equal_bits import finest, saves
from tests.claims.cases import counterexample, get


def test_the_finest_lattice_by_hand() -> None:
    """Three tokens, two kept: three pairs times ℓ' + 1 points; six dense points at ℓ = 2, 15 at ℓ = 4."""
    assert [finest(3, 2, resolution) for resolution in (1, 2, 4)] == [0, 1, 4]
    assert [saves(3, 2, resolution) for resolution in (1, 2, 3, 4)] == [False, False, False, True]
    for vocab in range(2, 6):
        for k in range(1, vocab):
            for resolution in range(1, 20):
                assert saves(vocab, k, resolution) is (finest(vocab, k, resolution) >= resolution)


def test_half_of_the_law_is_lost_at_any_bits() -> None:
    found = {"q": law("1/2", "1/2"), "k": 1, "resolution": 100}
    assert get("sqs.resolution-at-equal-bits").sides(found) == (F(1, 2), 0)


def test_two_points_of_the_lattice_by_hand() -> None:
    """(3, 1)/4 at ℓ = 2 is rounded to (1, 1)/2; of the first token alone all is sent: twice the quarter that is dropped."""
    found = {"q": law("3/4", "1/4"), "kept": np.array([True, False]), "resolution": 2}
    assert get("sqs.deviation-from-dense").sides(found) == (F(1, 2), F(1, 4))
    assert get("sqs.deviation-from-dense-corrected").sides(found) == (F(1, 2), F(1, 2))


def test_some_size_saves_bits_by_hand() -> None:
    """Two tokens: one kept takes two code words, the dense lattice ℓ + 1 points."""
    for resolution in range(1, 9):
        sides = get("sqs.bandwidth.some").sides({"vocab": 2, "resolution": resolution})
        assert sides == (2 + (resolution > 1), comb(resolution + 1, 1))


def test_a_batch_ends_with_its_first_rejection() -> None:
    """Every draft would be rejected alone; the first one only is."""
    batch = {"p": matrix("0 1", "0 1"), "q": matrix("1 0", "1 0"), "drafts": [0, 0], "coins": [F(0), F(0)]}
    assert rejected(**batch) == [True, True]
    assert get("sqs.one-resample").sides(batch) == (1, 1)


def test_a_larger_target_keeps_more_by_hand() -> None:
    """(7, 1)/8, η = 2. At α = 1/8 the threshold rises from 0 by 1/4 a token and drops the eighth for ever after: one token is
    kept. At α = 1/4 it overshoots 7/8, drops all, and comes back to keep both."""
    found = counterexample("csqs.alpha-reduces-k.average")
    assert get("csqs.alpha-reduces-k.average").sides(found)[0] > get("csqs.alpha-reduces-k.average").sides(found)[1]
    text = {"q": np.stack([law("7/8", "1/8")]), "start": F(0), "step_size": F(2)}
    targets = {"dropped_target": F(1, 8), "larger_target": F(1, 4)}
    assert get("csqs.alpha-reduces-k.average").sides({**text, **targets}) == (F(6, 5), 1)


def test_the_spread_is_about_the_median() -> None:
    assert spread(np.array([0.0, 1.0, 1.0, 5.0])).tolist() == [1, 0, 0, 4]
