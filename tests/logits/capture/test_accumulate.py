"""Streamed statistics equal those computed from all contexts at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.laws import softmax
from simspec.logits.capture.accumulate import Accumulator, AffinitySum, Covariance, _floor16, token_spectrum


def stream(x, folds, rank=16, oversampling=16):
    covariance = Covariance(x.shape[1], folds.max() + 1, rank, oversampling)
    for give in (covariance.first, covariance.second):
        for fold in range(folds.max() + 1):
            for part in np.array_split(x[folds == fold], 3):
                give(part, fold)
    return covariance


def test_two_points_by_hand():
    # the points (0, 0) and (2, 0): mean (1, 0), variance 1 along the first axis
    covariance = stream(np.array([[0.0, 0.0], [2.0, 0.0]]), np.zeros(2, int))
    values, vectors = covariance.eigenpairs()
    assert values == pytest.approx([1, 0], abs=1e-12)
    assert abs(vectors[:, 0]) == pytest.approx([1, 0], abs=1e-9)
    assert [m.tolist() for m in covariance.moments()] == [[1, 0], [1, 0]]


@given(st.integers(0, 2**32 - 1), st.integers(2, 30))
def test_a_small_vocabulary_is_exact(seed, vocab):
    rng = np.random.default_rng(seed)
    x, folds = rng.normal(3, 1, (60, vocab)) @ rng.normal(size=(vocab, vocab)), np.arange(60) % 3
    covariance = stream(x, folds)
    for fold in (None, 0, 2):
        direct = np.cov((x if fold is None else x[folds == fold]).T, bias=True)
        values, vectors = covariance.eigenpairs(fold)
        largest = np.linalg.eigvalsh(direct)[::-1][: len(values)]
        assert np.allclose(values, largest, rtol=1e-7, atol=1e-7 * largest[0])
        assert np.allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-9)
        assert np.allclose(direct @ vectors[:, 0], values[0] * vectors[:, 0], atol=1e-5 * largest[0])
        assert np.allclose(covariance.moments(fold)[1], np.diag(direct))


def test_a_large_vocabulary_with_a_falling_spectrum():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(1500, 400)) * (np.arange(1, 401) ** -1.0) @ np.linalg.qr(rng.normal(size=(400, 400)))[0]
    covariance = stream(x, np.arange(1500) % 2)
    values, vectors = covariance.eigenpairs()
    direct, axes = np.linalg.eigh(np.cov(x.T, bias=True))
    assert np.allclose(values, direct[::-1][:16], rtol=0.03)
    assert np.allclose(values[:4], direct[::-1][:4], rtol=1e-4)
    assert abs(axes[:, -1] @ vectors[:, 0]) > 1 - 1e-6


def test_eigenpairs_need_the_second_pass():
    with pytest.raises(ValueError, match="second pass"):
        Covariance(3, 1).eigenpairs()


def test_token_spectrum_by_hand():
    trace, top, vector = token_spectrum(np.array([0.5, 0.5, 0.0]))
    assert (trace, top) == (0.5, 0.5)
    assert abs(vector) == pytest.approx([0.5**0.5, 0.5**0.5, 0])


@given(st.lists(st.integers(0, 9), min_size=2, max_size=12).filter(lambda c: sum(c) > 0))
def test_token_spectrum_is_that_of_the_matrix(counts):
    f = np.array(counts) / sum(counts)
    direct = np.diag(f) - np.outer(f, f)
    trace, top, vector = token_spectrum(f)
    assert trace == pytest.approx(np.trace(direct), abs=1e-12)
    assert top == pytest.approx(np.linalg.eigvalsh(direct)[-1], abs=1e-12)
    assert np.allclose(direct @ vector, top * vector, atol=1e-9)
    assert np.linalg.norm(vector) == pytest.approx(1)


def test_sixteen_bits_are_rounded_down():
    x = np.random.default_rng(0).random(10_000)
    rounded = _floor16(x).astype(float)
    assert (rounded <= x).all() and (rounded > x * (1 - 2.0**-10) - 1e-7).all()
    assert _floor16(np.array([1.0, 0.5])).tolist() == [1, 0.5]


def test_affinity_by_hand():
    # draft token 0 is target token 1; draft token 1 has no partner and its weight is dropped
    affinity = AffinitySum(2, np.array([1, -1], dtype=np.int32))
    affinity.add(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.75, 0.25], [0.25, 0.75]]))
    rows, tokens, value = affinity.rows()
    assert rows.tolist() == [1]
    assert dict(zip(tokens[0].tolist(), value[0].tolist(), strict=True)) == {0: 0.75, 1: 0.25}


def test_affinity_against_a_direct_computation():
    rng = np.random.default_rng(2)
    p, q = softmax(rng.normal(0, 3, (40, 100))), softmax(rng.normal(0, 3, (40, 90)))
    table = np.where(np.arange(90) % 3 == 0, -1, np.arange(90)).astype(np.int32)
    affinity = AffinitySum(100, table)
    affinity.add(p[:25], q[:25])
    affinity.add(p[25:], q[25:])
    rows, tokens, value = affinity.rows()

    weight, law = np.zeros((40, 100)), np.where(p >= np.sort(p)[:, [-64]], p, 0)
    weight[:, :90] = np.where(q >= np.sort(q)[:, [-8]], q, 0)
    weight[:, np.flatnonzero(table < 0)] = 0
    assert rows.tolist() == np.flatnonzero(weight.sum(axis=0)).tolist()
    direct = (weight.T @ law)[rows] / weight.sum(axis=0)[rows, None]
    for row, kept, values in zip(direct, tokens.astype(int), value.astype(float), strict=True):
        assert np.allclose(np.sort(values), np.sort(row)[-24:], rtol=1e-3, atol=1e-7)
        assert np.allclose(row[kept], values, rtol=1e-3, atol=1e-7)
    assert (value.astype(float).sum(axis=1) <= 1).all()


def test_everything_against_a_direct_computation():
    rng = np.random.default_rng(7)
    z, following, folds = rng.normal(-5, 2, (200, 30)), rng.integers(0, 30, 200), np.arange(200) % 10
    accumulator = Accumulator(30, None)
    for fold in range(10):
        accumulator.first(z[folds == fold].astype(np.float32), following[folds == fold], fold)
    for fold in range(10):
        accumulator.second(z[folds == fold].astype(np.float32), None, fold)
    tensors = accumulator.tensors()
    assert tensors["statistics_counts"].sum(axis=0).tolist() == np.bincount(following, minlength=30).tolist()
    assert tensors["statistics_contexts"].tolist() == [20] * 10
    p = softmax(z)
    assert np.allclose(tensors["statistics_mean"], p.mean(axis=0), rtol=1e-5)
    onehot = np.eye(30)[following]
    for number, x in enumerate([p, z, onehot, z - z.mean(axis=1, keepdims=True)]):
        for row, pick in ((0, folds >= 0), (1, folds == 0), (10, folds == 9)):
            values, axes = np.linalg.eigh(np.cov(x[pick].T, bias=True))
            mean = p[pick].mean(axis=0)
            trace, top, cosine = tensors["statistics_spectra"][number, row]
            assert trace == pytest.approx(values.sum(), rel=1e-4)
            assert top == pytest.approx(values[-1], rel=1e-4)
            if values[-1] > 1.001 * values[-2]:  # otherwise the first axis is not determined
                assert cosine == pytest.approx(abs(axes[:, -1] @ mean) / np.linalg.norm(mean), abs=2e-3)
    for kind, x in (("probabilities", p), ("logits", z)):
        U = tensors[f"statistics_{kind}_vectors"] * tensors[f"statistics_{kind}_scales"]
        omega = (U * tensors[f"statistics_{kind}_values"]) @ U.T + np.diag(tensors[f"statistics_{kind}_diagonal"])
        assert np.allclose(np.diag(omega), x.var(axis=0), rtol=1e-3)
        assert tensors[f"statistics_{kind}_diagonal"].min() >= 0


def test_an_empty_fold_is_refused():
    accumulator = Accumulator(3, None)
    accumulator.first(np.zeros((1, 3)), np.array([0]), 0)
    with pytest.raises(ValueError, match="fold is empty"):
        accumulator.tensors()
