"""Kept row sums change no bit, are computed once a row, and are left behind when an array or the temperature changes."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from simspec.kernels import RowSums, affinity_apply
from simspec.kernels.affinity import numba_affinity, reference
from tests.kernels.affinity.test_affinity import bound_of, factors
from tests.kernels.cases import FLOATS, INF

VOCAB = 700


def on(tokens, dtype=np.float64, seed=0):
    """A vector of masses on some tokens."""
    v = np.zeros(VOCAB, dtype)
    v[tokens] = np.random.default_rng(seed).dirichlet(np.ones(len(tokens)))
    return v


@pytest.fixture
def rows_summed(monkeypatch):
    """The tokens whose rows were summed, by call."""
    calls = []
    right = numba_affinity.normalise

    def counted(left, columns, index, vocab, shift, total, first, last):
        calls.append([int(i) for i in index[first:last] if i >= 0])
        right(left, columns, index, vocab, shift, total, first, last)

    monkeypatch.setattr(numba_affinity, "normalise", counted)
    return calls


def test_a_row_is_summed_once(rows_summed):
    U, lam, diag = factors(VOCAB, 3)
    sums = RowSums()
    affinity_apply(on([3, 5, 600]), U, lam, diag, 1.0, sums)
    affinity_apply(on([5, 600]), U, lam, diag, 1.0, sums)
    affinity_apply(on([4, 5, 600, 699]), U, lam, diag, 1.0, sums)
    affinity_apply(np.zeros(VOCAB), U, lam, diag, 1.0, sums)
    assert rows_summed == [[3, 5, 600], [4, 699]]
    affinity_apply(on([5]), U, lam, diag, 1.0)
    assert rows_summed[2:] == [[5]]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("temperature", [1e-300, 1e-4, 0.02, 1.0, 1e9])
def test_kept_sums_change_no_bit(dtype, temperature):
    """Single vectors, batches with an empty row, overlapping tokens; own entries of any size, steep and flat exponents."""
    U, lam, diag = factors(VOCAB, 5, dtype)
    diag[[3, 5, 8]] = -INF, 1e30, -1e30
    sums = RowSums()
    batch = np.stack(
        [on([3, 4, 5], dtype), np.zeros(VOCAB, dtype), on(range(8, 99), dtype), -on(range(500, 700), dtype)]
    )
    for v in (on([3], dtype), on([2, 3, 5, 7, 11], dtype), batch, on(range(VOCAB), dtype), batch[2]):
        expected = affinity_apply(v, U, lam, diag, temperature)
        got = affinity_apply(v, U, lam, diag, temperature, sums)
        assert got.dtype == expected.dtype == dtype
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("seed", range(20))
def test_later_applications_equal_the_reference(seed):
    rng = np.random.default_rng(seed)
    dtype = FLOATS[seed % 2]
    U, lam, diag = factors(VOCAB, int(rng.integers(0, 10)), dtype, seed)
    temperature = float(10.0 ** rng.uniform(-4, 4))
    rows = numba_affinity.Rows(np.zeros(VOCAB), np.full(VOCAB, np.nan))
    for draw in range(3):
        v = on(rng.choice(VOCAB, int(rng.integers(1, VOCAB)), replace=False), dtype, draw)
        got = numba_affinity.affinity_apply(v, U, lam, diag, temperature, rows_so_far=rows)
        expected = reference.affinity_apply(v, U, lam, diag, temperature)
        assert np.abs(got - expected).sum() <= np.abs(v).sum() * bound_of(v, U, lam, diag, temperature)


def test_wrong_sums_would_be_seen():
    """The negative control: sums of another affinity give another result."""
    U, lam, diag = factors(VOCAB, 3)
    v = on([3, 5, 600])
    rows = numba_affinity.Rows(np.zeros(VOCAB), np.full(VOCAB, np.nan))
    expected = numba_affinity.affinity_apply(v, U, lam, diag, 1.0, rows_so_far=rows)
    assert np.abs(numba_affinity.affinity_apply(v, U, lam, diag, 2.0, rows_so_far=rows) - expected).max() > 1e-6
    other = numba_affinity.affinity_apply(v, U, lam, diag, 2.0)
    assert np.abs(numba_affinity.affinity_apply(v, U, lam, diag, 2.0, rows_so_far=rows) - other).max() > 1e-6


@pytest.mark.parametrize("name", ["U", "lam", "diag", "temperature", "dtype"])
def test_what_changes_is_noticed(name):
    """An array that is changed in place, even by exchanging two of its rows, begins the sums anew; so does a change back."""
    arrays = dict(zip(("U", "lam", "diag"), factors(VOCAB, 3, np.float32), strict=True))
    temperature = 1.0
    v = on(range(0, VOCAB, 7), np.float32)
    sums = RowSums()
    first = affinity_apply(v, *arrays.values(), temperature, sums)
    for _ in range(2):
        if name == "temperature":
            temperature = 3.0 - temperature
        elif name == "dtype":
            v = v.astype(np.float64 if v.dtype == np.float32 else np.float32)
        else:
            arrays[name][[0, 1]] = arrays[name][[1, 0]]
        got = affinity_apply(v, *arrays.values(), temperature, sums)
        np.testing.assert_array_equal(got, affinity_apply(v, *arrays.values(), temperature))
    np.testing.assert_array_equal(got, first)


def test_threads_share_sums():
    U, lam, diag = factors(VOCAB, 3, np.float32)
    laws = [on(range(seed, VOCAB, 1 + seed % 5), np.float32, seed) for seed in range(32)]
    expected = [affinity_apply(v, U, lam, diag, 0.05) for v in laws]
    for _ in range(5):
        sums = RowSums()
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda v, sums=sums: affinity_apply(v, U, lam, diag, 0.05, sums), laws))
        for got, right in zip(results, expected, strict=True):
            np.testing.assert_array_equal(got, right)


@pytest.mark.parametrize("vocab", [1, 2, 255])
def test_small_affinities_do_without(vocab):
    U, lam, diag = factors(vocab, 3)
    v = np.ones(vocab) / vocab
    sums = RowSums()
    for _ in range(2):
        np.testing.assert_array_equal(affinity_apply(v, U, lam, diag, 1.0, sums), affinity_apply(v, U, lam, diag, 1.0))


def test_one_token_and_no_rank_by_hand():
    """Without factors a row is the uniform law, but for its own affinity: log 3 gives 3 / (V + 2) of the mass."""
    U, lam, diag = np.zeros((VOCAB, 0)), np.zeros(0), np.full(VOCAB, np.log(3))
    sums = RowSums()
    v = np.eye(1, VOCAB, 6)[0]
    for _ in range(2):
        r = affinity_apply(v, U, lam, diag, 1.0, sums)
        assert r[6] == pytest.approx(3 / (VOCAB + 2), rel=1e-14) and r[0] == pytest.approx(1 / (VOCAB + 2), rel=1e-14)
    rows = numba_affinity.Rows(np.zeros(1), np.full(1, np.nan))
    one = np.ones((1, 1))
    got = numba_affinity.affinity_apply(one[0], one, one[0], one[0], 1.0, rows_so_far=rows)
    assert got.tolist() == [1]
