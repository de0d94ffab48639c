"""Sparsity and spectra of covariances, by hand and against dense computations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.methods.rdk.affinity import affinity_matrix
from simspec.studies.rdk import affinity
from simspec.studies.rdk.affinity import KINDS, TEMPERATURES, rank_one, sparsity, spectrum
from tests.engine.fakes import FakeBank


def test_near_zero_by_hand():
    # rows e^(Omega/t): (1, 1, 98)/100 has two entries below 1/30, (1, 1, 1)/3 none
    omega = np.array([[0.0, 0.0, np.log(98.0)], [1.0, 1.0, 1.0]])
    assert affinity.near_zero(omega, 1.0).tolist() == [2 / 3, 0]


def test_sampled_rows_estimate_the_share_of_the_whole_matrix():
    bank: Any = FakeBank()
    result = {r.cell["kind"]: r.values for r in gather(sparsity(bank, "fake", rows=3000))}
    for kind in KINDS:
        U, lam, diag = bank.statistics.factors(kind)
        omega = (U * lam) @ U.T + np.diag(diag)
        for share in TEMPERATURES:
            M = affinity_matrix(omega, share * np.diag(omega).max())
            expected = (M < 1 / 600).mean(axis=1)
            error = 5 * expected.std() / 3000**0.5 + 1e-12  # false-alarm rate below 1e-6 each
            assert abs(result[kind][f"{share:g}"].mean() - expected.mean()) <= error


def test_spectrum_by_hand():
    share, cosine = spectrum(np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, -1.0]]), np.array([3.0, 4.0]))
    assert (share, cosine) == (pytest.approx(0.8), pytest.approx(0.6))


def test_large_covariances_have_the_dense_eigenvector():
    x = np.random.default_rng(8).normal(size=(200, 40)) * np.linspace(1, 3, 40)
    covariance = np.cov(x, rowvar=False)
    values, vectors = np.linalg.eigh(covariance)
    share, cosine = affinity._leading(covariance, np.arange(40.0))
    assert share == pytest.approx(values[-1] / values.sum())
    assert cosine == pytest.approx(abs(vectors[:, -1] @ np.arange(40.0)) / np.linalg.norm(np.arange(40.0)), abs=1e-6)


def test_a_law_that_is_one_component_is_found_to_be():
    """Positive control: logits that move along one direction give a first eigenvalue that is nearly the whole trace."""
    rng = np.random.default_rng(9)
    mean = np.array([0.6, 0.3, 0.1])
    share, cosine = spectrum(rng.normal(size=(500, 1)) * mean + 0.01 * rng.normal(size=(500, 3)), mean)
    assert share > 0.99 and cosine > 0.99


def test_rank_one_cells():
    fake: Any = FakeBank()
    results = gather(rank_one({"main": fake}, {"main": "fake"}), rows=2)
    real, *synthetic = results
    assert real.values["logits share"].tolist() == [0.6, 0.6] and real.values["logits cosine all"].tolist() == [
        0.3,
        0.3,
    ]
    for result in synthetic:
        assert all((v > 0).all() and (v <= 1).all() for v in result.values.values())
        assert (result.values["logits share"] < 0.02).all()  # independent logits have no leading component


def test_a_bank_without_statistics_is_refused():
    bare: Any = FakeBank(statistics=False)
    for study in (sparsity(bare, "fake"), rank_one({"main": bare}, {"main": "fake"})):
        with pytest.raises(ValueError, match="has no statistics"):
            gather(study)
