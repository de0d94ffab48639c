"""Statistics are read back as what they stand for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.logits.bank import open_bank
from simspec.logits.bank.statistics import Affinity


def dense(affinity):
    """The matrix M, row by row."""
    matrix = affinity.rest[:, None] * affinity.mean
    for row, tokens, value in zip(affinity.rows, affinity.tokens, affinity.value, strict=True):
        np.add.at(matrix[row], tokens.astype(int), value)
    return matrix


def test_a_row_by_hand():
    affinity = Affinity(np.array([1]), np.array([[0, 1]]), np.array([[0.5, 0.25]]), np.array([0.5, 0.5]))
    assert affinity.rest.tolist() == [1, 0.25]
    assert affinity(np.array([0.0, 1.0])).tolist() == [0.625, 0.375]
    assert affinity(np.array([[1.0, 0.0], [0.0, 2.0]])).tolist() == [[0.5, 0.5], [1.25, 0.75]]
    with pytest.raises(ValueError, match=r"v: shape \(3,\); expected a last axis of 2"):
        affinity(np.ones(3))


@given(st.integers(0, 2**32 - 1))
def test_calling_is_multiplying_by_the_transpose(seed):
    rng = np.random.default_rng(seed)
    value = rng.random((3, 2)) / 2
    affinity = Affinity(rng.permutation(7)[:3], rng.integers(0, 7, (3, 2)), value, rng.dirichlet(np.ones(7)))
    v = rng.normal(size=(2, 3, 7))
    assert np.allclose(affinity(v), v @ dense(affinity))
    assert np.allclose(dense(affinity).sum(axis=1), 1)


@pytest.mark.parametrize("name", ["smollm2", "wiki", "stories"])
def test_shipped_statistics(name):
    bank = open_bank(name)
    statistics = bank.statistics
    assert statistics.contexts.sum() >= 20_000 and len(statistics.contexts) == 10
    assert statistics.contexts.max() < 2 * statistics.contexts.min()
    assert statistics.counts.dtype == np.uint32
    assert statistics.counts.sum(axis=1).tolist() == statistics.contexts.tolist()
    assert statistics.unigram.sum() == pytest.approx(1) and statistics.mean.sum() == pytest.approx(1)
    assert np.corrcoef(statistics.unigram, statistics.mean)[0, 1] > 0.7  # and the control, shifted by one token:
    assert np.corrcoef(statistics.unigram, np.roll(statistics.mean, 1))[0, 1] < 0.3
    if statistics.affinity is None:  # that of a bank with two drafts would be of one of them
        assert bank.drafts
        return
    law = statistics.affinity(np.eye(1, bank.vocab, int(statistics.affinity.rows[0])))
    assert law.sum() == pytest.approx(1) and law.min() >= 0


@pytest.mark.parametrize("name", ["smollm2", "smollm2 answers", "wiki", "stories"])
@pytest.mark.parametrize("kind", ["probabilities", "logits", "tokens"])
def test_shipped_factors_agree_with_the_spectrum(name, kind):
    of_bank, *kind_of_text = name.split()
    bank = open_bank(of_bank)
    statistics = (bank.of_kind(*kind_of_text) if kind_of_text else bank).statistics
    U, lam, diag = statistics.factors(kind)
    spectrum = statistics.spectrum(kind)
    assert (diag >= 0).all()
    assert (U**2 @ lam + diag).sum() == pytest.approx(spectrum["trace"], rel=1e-4)
    if kind != "tokens":
        assert pytest.approx(np.eye(12 if of_bank == "smollm2" else 16), abs=2e-3) == U.T @ U
        assert lam[0] == pytest.approx(spectrum["top"]) and (np.diff(lam) <= 0).all()
        assert abs(U[:, 0] @ statistics.mean) / np.linalg.norm(statistics.mean) == pytest.approx(
            spectrum["cosine"], abs=1e-3
        )
    assert 0 < spectrum["share"] < 1 and spectrum["fold_share"].shape == spectrum["fold_cosine"].shape == (10,)


def test_token_factors_are_exact():
    statistics = open_bank("stories").statistics
    U, lam, diag = statistics.factors("tokens")
    f = statistics.counts.sum(axis=0) / statistics.counts.sum()
    assert np.allclose((U * lam) @ U.T + np.diag(diag), np.diag(f) - np.outer(f, f), rtol=0, atol=1e-15)


def test_unknown_kinds_are_named():
    statistics = open_bank("stories").statistics
    with pytest.raises(ValueError, match="kind: 'words'; expected one of 'probabilities', 'logits', 'tokens'"):
        statistics.factors("words")
    with pytest.raises(ValueError, match="'centred_logits'"):
        statistics.spectrum("words")
    assert repr(statistics).startswith("Statistics(")
