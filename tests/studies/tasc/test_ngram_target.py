"""The stand-in target: laws by hand, draws of the law, and a cache as strong as held-out texts ask for."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.kernels import random as philox
from simspec.methods.tasc.drafters import train
from simspec.studies.tasc.ngram_target import CACHES, BackOff, fitted

TEXTS = st.lists(st.lists(st.integers(0, 4), max_size=8), max_size=6)


def test_back_off_by_hand():
    """Singles (3, 1, 0) and 2 types of 4: (3 + 2/3)/6, (1 + 2/3)/6, (2/3)/6; after 0, token 1 once and one type."""
    model = BackOff(train([[0, 1], [0], [0]], n_max=2, vocab=3))
    singles = [Fraction(11, 18), Fraction(5, 18), Fraction(2, 18)]
    assert np.allclose(model.law([2]), [float(p) for p in singles])
    after = [p / 2 for p in singles]
    after[1] += Fraction(1, 2)
    assert np.allclose(model.law([0]), [float(p) for p in after])


@given(TEXTS, st.lists(st.integers(0, 4), max_size=5), st.integers(1, 3))
def test_laws_are_positive_and_rows_say_the_same(texts, context, n_max):
    model = BackOff(train(texts, n_max=n_max, vocab=5))
    law, row = model.law(context), model.row(context)
    assert law.min() > 0 and law.sum() == pytest.approx(1)
    assert [row.mass(token) for token in range(5)] == pytest.approx(law.tolist(), abs=1e-12)
    assert row.first == int(law.argmax()) and row.most == law.max()


def test_pruned_tables_are_refused():
    with pytest.raises(ValueError, match="table: min_count 2; expected 1"):
        BackOff(train([[0, 1]], n_max=2, min_count=2))


def _shares(model: BackOff, context: list[int], draws: int) -> np.ndarray:
    uniforms = philox.uniform(philox.make_key(3, "draws", {}), range(draws), range(4))
    return np.bincount([model.draw(context, row) for row in uniforms.tolist()], minlength=model.table.vocab) / draws


def test_draws_follow_the_law():
    """Hoeffding: five shares of 20,000 draws err by more than 0.016 with probability below 1e-3; the control is off."""
    model = BackOff(train([[0, 1, 2, 0, 1, 3], [0, 1, 2], [2, 2, 0]], n_max=3, vocab=5))
    shares = _shares(model, [0, 1], 20_000)
    assert np.abs(shares - model.law([0, 1])).max() < 0.016
    assert np.abs(shares - model.law([2])).max() > 0.1


def test_the_cache_is_fitted_on_held_out_pairs():
    texts = [[0, 1, 2, 3]] * 20
    copying = [([4, 5, 6], [4, 5, 6])] * 5
    plain = [([4, 5, 6], [0, 1, 2, 3])] * 5
    assert fitted(texts, copying, vocab=8, end=7).weight == CACHES[-1]
    assert fitted(texts, plain, vocab=8, end=7).weight == CACHES[0]


def test_texts_end_and_each_row_has_its_own():
    target = fitted([[0, 1, 2, 7], [2, 1, 0, 7], [1, 1, 0, 2, 7]], [([3], [0, 1, 7])], vocab=8, end=7)
    texts = [target.write([3, 4], 12, key=5, row=row) for row in range(40)]
    assert texts == [target.write([3, 4], 12, key=5, row=row) for row in range(40)]
    assert len(set(map(tuple, texts))) > 10
    assert all(len(text) <= 12 and 7 not in text[:-1] for text in texts)
    assert all(text[-1] == 7 for text in texts if len(text) < 12)
    assert [target.write([3, 4], 4, key=5, row=row) for row in range(40)] == [text[:4] for text in texts]
