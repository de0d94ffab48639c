"""The affinity kernels equal the reference within their bounds, hold no matrix, and change no bit with threads or batch."""

import math
import re
import tracemalloc

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import types

from simspec.kernels.affinity import affinity_apply, numba_affinity, powers, reference
from tests.kernels.cases import FLOATS, INF, alone

UNIT = {np.float32: 2.0**-24, np.float64: 2.0**-53}
BITS = 1 / math.log(2)


def factors(vocab, rank, dtype=np.float64, seed=0):
    rng = np.random.default_rng([seed, vocab, rank])
    return tuple(
        x.astype(dtype) for x in (rng.standard_normal((vocab, rank)), rng.uniform(-1, 1, rank), rng.random(vocab))
    )


def masses(vocab, dtype=np.float64, seed=0, share=0.3):
    """Six rows of numbers of either sign, one of them nothing but zeros."""
    rng = np.random.default_rng([seed, vocab])
    v = rng.standard_normal((2, 3, vocab)) * (rng.random(vocab) < share)
    v[0, 1] = 0
    return v.astype(dtype)


def largest_exponent(U, lam, temperature):
    """Largest exponent of 2 that the formula of `affinity_bound` speaks of, each column counted from its middle."""
    U, lam = U.astype(np.float64), lam.astype(np.float64)
    if U.shape[1] == 0:
        return 0.0
    half = (U.max(axis=0) - U.min(axis=0)) / 2
    return float((np.abs(U) @ np.abs(lam * half)).max()) / temperature * BITS


def bound_of(v, U, lam, diag, temperature):
    """The bound that holds: of float32 for arrays of float32 whose exponents are small, else of float64."""
    reach = largest_exponent(U, lam, temperature)
    narrow = numba_affinity.affinity_bound(len(U), len(lam), reach, np.float32)
    if v.dtype == np.float32 and reach <= 60 and narrow <= numba_affinity.AFFINITY_ERROR:
        return narrow
    return (
        numba_affinity.affinity_bound(len(U), len(lam), reach, np.float64)
        + 2.0**-51 * np.abs(diag[diag > -INF]).max() / temperature
    )


def check(v, U, lam, diag, temperature):
    got = numba_affinity.affinity_apply(v, U, lam, diag, temperature)
    expected = reference.affinity_apply(v, U, lam, diag, temperature)
    assert got.shape == expected.shape and got.dtype == np.float64
    mass = np.abs(v.astype(np.float64)).sum(axis=-1)
    assert (np.abs(got - expected).sum(axis=-1) <= mass * bound_of(v, U, lam, diag, temperature)).all()
    return got


@pytest.mark.parametrize("dtype", FLOATS)
def test_by_hand(dtype):
    """Omega is the diagonal log 3, log 1: the rows are (3/4, 1/4) and (1/2, 1/2)."""
    U, lam, diag = np.zeros((2, 1), dtype), np.zeros(1, dtype), np.log(np.array([3, 1], dtype))
    for v, expected in (([1, 0], [0.75, 0.25]), ([0, 1], [0.5, 0.5]), ([4, -2], [2, 0]), ([0, 0], [0, 0])):
        got = numba_affinity.affinity_apply(np.array(v, dtype), U, lam, diag, 1.0)
        np.testing.assert_allclose(got, expected, atol=1e-6 if dtype == np.float32 else 1e-15)


def test_the_reference_by_hand():
    # Omega = [[0, log 3], [log 3, 0]] + diag(0, log 9): rows (1/4, 3/4) and (3, 9)/12
    U, lam = np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([math.log(3) / 2, -math.log(3) / 2])
    diag = np.array([0.0, math.log(9)])
    np.testing.assert_allclose(reference.affinity_apply([1.0, 0.0], U, lam, diag, 1.0), [0.25, 0.75], atol=1e-15)
    np.testing.assert_allclose(reference.affinity_apply([0.0, 1.0], U, lam, diag, 1.0), [0.25, 0.75], atol=1e-15)
    half = reference.affinity_apply([1.0, 0.0], U, lam, diag, 0.5)
    np.testing.assert_allclose(half, [0.1, 0.9], atol=1e-15)


@pytest.mark.parametrize("dtype", FLOATS)
def test_powers(dtype):
    made = alone(powers._POWERS[{np.float32: types.float32, np.float64: types.float64}[dtype]])
    ends = {np.float32: (-126, 127), np.float64: (-1022, 1023)}[dtype]
    x = np.concatenate([np.linspace(-1, 1, 4001), np.linspace(*ends, 4003)]).astype(dtype)[:8004].reshape(-1, 4)
    got = np.array([made(*four) for four in x])  # numbers of the type, widened
    exact = np.exp2(x.astype(np.longdouble))
    assert np.abs(got / exact - 1).max() <= 4 * UNIT[dtype]


@pytest.mark.parametrize(("kind", "word"), [(types.float32, "float"), (types.float64, "double")])
def test_powers_are_made_in_vectors(kind, word):
    """Where they are called in place of inlined, they are made one by one: those of float64 took three times as long."""
    f = powers._powers

    def each(x):
        for j in range(64):
            x[j], x[j + 64], x[j + 128], x[j + 192] = f(x[j], x[j + 64], x[j + 128], x[j + 192])

    made = numba.njit((kind[::1],))(each)
    (code,) = made.inspect_llvm().values()
    vectors, single = (
        len(re.findall(rf"= (?:fmul|fadd|fsub|call)\b.* {kinds}", code)) for kinds in (rf"<\d+ x {word}>", f"{word} %")
    )
    assert vectors > 20 and single == 0


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("vocab", [1, 2, 5, 511, 512, 1030])
@pytest.mark.parametrize("rank", [0, 1, 4, 9])
def test_affinity_equals_the_reference(vocab, rank, dtype):
    U, lam, diag = factors(vocab, rank, dtype)
    v = masses(vocab, dtype)
    for temperature in (0.001, 0.05, 1.0, 50.0, 1e9):
        got = check(v, U, lam, diag, temperature)
        mass = np.abs(v).sum(axis=-1).max()
        np.testing.assert_allclose(got.sum(axis=-1), v.sum(axis=-1, dtype=np.float64), atol=1e-6 * (1 + mass))


@settings(max_examples=50)
@given(
    seed=st.integers(0, 2**32 - 1),
    vocab=st.integers(1, 1100),
    rank=st.integers(0, 12),
    temperature=st.floats(1e-6, 1e6),
    share=st.floats(0, 1),
    dtype=st.sampled_from(FLOATS),
)
def test_random_affinities_equal_the_reference(seed, vocab, rank, temperature, share, dtype):
    check(masses(vocab, dtype, seed, share), *factors(vocab, rank, dtype, seed), temperature)


def test_float32_stays_near_float64_over_many_columns():
    """V = 200,000: eight rows in float64 beside float32 arithmetic; the bound is no more than a thousand times the error."""
    vocab, rank = 200_000, 8
    U, lam, diag = factors(vocab, rank, np.float32)
    v = np.zeros(vocab, np.float32)
    kept = np.arange(8) * 20_001
    v[kept] = [1, -1, 2, 0.5, 1, 1, -3, 1]
    wide, scales = U.astype(np.float64), lam.astype(np.float64)
    omega = (wide[kept] * scales) @ wide.T
    omega[np.arange(8), kept] += diag[kept]
    e = np.exp(omega - omega.max(axis=1, keepdims=True))
    expected = v[kept].astype(np.float64) @ (e / e.sum(axis=1, keepdims=True))
    error = np.abs(numba_affinity.affinity_apply(v, U, lam, diag, 1.0) - expected).sum() / np.abs(v).sum()
    bound = numba_affinity.affinity_bound(vocab, rank, largest_exponent(U, lam, 1.0), np.float32)
    assert bound / 1000 < error <= bound < numba_affinity.AFFINITY_ERROR


@pytest.mark.parametrize("reach", [59.5, 61.0, 79.0])
@pytest.mark.parametrize("less", [1.0, 2.0**-10, 2.0**-25])
def test_rows_of_very_different_weight_stand_side_by_side(reach, less):
    """One row's powers are all 2^-reach, the others' 2^reach: their weights differ by 2^(2 reach)."""
    vocab = 40
    U = np.full((vocab, 1), -1, np.float32)
    U[0] = 1
    v = np.where(np.arange(vocab) < 4, np.float32(less), np.float32(0)).astype(np.float32)
    v[0] = 1
    check(v, U, np.array([reach / BITS], np.float32), np.zeros(vocab, np.float32), 1.0)


def test_weights_that_are_lost_would_be_seen(monkeypatch):
    monkeypatch.setitem(numba_affinity._REACH, np.dtype(np.float32), 80)
    with pytest.raises(AssertionError):
        test_rows_of_very_different_weight_stand_side_by_side(79.0, 1.0)


def test_float32_gives_way_to_float64_where_its_bound_is_large():
    U, lam, diag = factors(600, 3, np.float32)
    v = masses(600, np.float32)
    mass = np.abs(v).sum(axis=-1)[..., None].max()
    errors = {}
    for temperature in (1.0, 0.02):
        got, expected = (
            f(v, U, lam, diag, temperature) for f in (numba_affinity.affinity_apply, reference.affinity_apply)
        )
        errors[temperature] = np.abs(got - expected).max() / mass
    assert errors[1.0] > 1e-11 and errors[0.02] < 1e-13


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("temperature", [1.0, 1e-4])
def test_own_affinities_of_any_size(dtype, temperature):
    """One row kept: it keeps all, nothing or a share; a row of one token always keeps all that it can."""
    U, lam, diag = factors(700, 3, dtype)
    for own, share in ((1e4, 1), (1e30, 1), (-1e4, 0), (-1e30, 0), (-INF, 0)):
        diag[600] = own
        v = (np.arange(700) == 600).astype(dtype) * 2
        got = check(v, U, lam, diag, temperature)
        assert got[600] == 2 * share and got.sum() == pytest.approx(2, abs=1e-5)
        alone = numba_affinity.affinity_apply(v[600:601], U[600:601], lam, diag[600:601], temperature)
        np.testing.assert_array_equal(alone, [2 if own > -INF else np.nan])
    for own in (INF, np.nan):
        diag[600] = own
        assert np.isnan(numba_affinity.affinity_apply(v, U, lam, diag, temperature)).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_temperatures_of_any_size(dtype):
    """Far below all differences the largest entry of a row takes all, far above them all entries are equal."""
    U, lam, diag = factors(600, 3, dtype)
    v = masses(600, dtype)[0, 0]
    wide = U.astype(np.float64)
    omega = (wide * lam) @ wide.T + np.diag(diag.astype(np.float64))
    winner = np.zeros(600)
    np.add.at(winner, omega.argmax(axis=1), v.astype(np.float64))
    mass = np.abs(v).sum()
    for temperature in (1e-300, 1e-30, 1e-9):
        np.testing.assert_allclose(
            numba_affinity.affinity_apply(v, U, lam, diag, temperature), winner, atol=1e-12 * mass
        )
    for temperature in (1e9, 1e300):
        got = numba_affinity.affinity_apply(v, U, lam, diag, temperature)
        np.testing.assert_allclose(got, np.full(600, v.sum(dtype=np.float64) / 600), atol=1e-6 * mass)


@pytest.mark.parametrize("dtype", FLOATS)
def test_ties_share_alike(dtype):
    """Equal loadings: all exponents are equal, however large; half the tokens at twice the loading share all."""
    for size in (1.0, 1e3, 1e15):
        U, lam, diag = np.full((600, 2), size, dtype), np.ones(2, dtype), np.zeros(600, dtype)
        v = (np.arange(600) == 3).astype(dtype)
        np.testing.assert_allclose(numba_affinity.affinity_apply(v, U, lam, diag, 1.0), 1 / 600, rtol=1e-6)
        if size > 1:
            U[::2] *= 2
            np.testing.assert_allclose(
                numba_affinity.affinity_apply(v, U, lam, diag, 1.0), (np.arange(600) % 2 == 0) / 300, atol=1e-8
            )


@pytest.mark.parametrize("bad", [np.nan, INF, -INF])
def test_a_factor_that_is_not_finite_gives_nan(bad):
    U, lam, diag = factors(600, 3)
    v = masses(600)
    U[5, 1] = bad
    assert np.isnan(numba_affinity.affinity_apply(v, U, lam, diag, 1.0)).all()
    assert (numba_affinity.affinity_apply(np.zeros(600), U, lam, diag, 1.0) == 0).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("temperature", [0.5, 1e-3])
def test_neither_threads_nor_the_batch_change_a_bit(dtype, temperature):
    U, lam, diag = factors(3000, 3, dtype)
    rng = np.random.default_rng(1)
    v = (rng.random((5, 3000)) * (rng.random((5, 3000)) < 0.1)).astype(dtype)
    expected = numba_affinity.affinity_apply(v, U, lam, diag, temperature, threads=1)
    for threads in (2, 3, 8):
        np.testing.assert_array_equal(
            numba_affinity.affinity_apply(v, U, lam, diag, temperature, threads=threads), expected
        )
    np.testing.assert_array_equal(numba_affinity.affinity_apply(v[2], U, lam, diag, temperature), expected[2])
    assert numba_affinity.affinity_apply(v[:0], U, lam, diag, temperature).shape == (0, 3000)


def test_layouts_and_types():
    U, lam, diag = factors(1400, 4, np.float32)
    v = masses(1400, np.float32)[1]
    expected = affinity_apply(v, U, lam, diag, 2.0)
    assert expected.dtype == np.float32
    for x in (v, U, lam, diag):
        x.flags.writeable = False
    np.testing.assert_array_equal(affinity_apply(np.asfortranarray(v), np.asfortranarray(U), lam, diag, 2.0), expected)
    spread = [np.repeat(x, 2, axis=-1)[..., ::2] for x in (v, U, lam, diag)]
    np.testing.assert_array_equal(affinity_apply(*spread, 2.0), expected)
    exact = affinity_apply(*(x.astype(np.float64) for x in (v, U, lam, diag)), 2.0)
    np.testing.assert_array_equal(affinity_apply(v, U.astype(np.float64), lam, diag, 2.0), exact)
    assert exact.dtype == np.float64
    np.testing.assert_allclose(expected, exact, atol=2e-6 * np.abs(v).sum(axis=-1).max())


@pytest.mark.parametrize("dtype", FLOATS)
def test_memory_is_linear_in_the_vocabulary(dtype):
    """2,000 rows of 20,000 columns are 160 MB of float32, the matrix 1.6 GB; the kernel takes twice its input."""
    U, lam, diag = factors(20_000, 8, dtype)
    v = np.zeros(20_000, dtype)
    v[::10] = 1 / 2000
    affinity_apply(v, U, lam, diag, 1.0)  # compiles
    peaks = []
    for vocab in (10_000, 20_000):
        tracemalloc.start()
        try:
            r = affinity_apply(v[:vocab], U[:vocab], lam, diag[:vocab], 1.0)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] < 2.5 * (U.nbytes + v.nbytes + diag.nbytes) and peaks[1] < 2.2 * peaks[0]
    assert r.sum(dtype=np.float64) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((np.ones(3), np.ones((2, 1)), np.ones(1), np.ones(3), 1.0), r"U: shape \(2, 1\); expected \(3, R\)"),
        ((np.ones(3), np.ones((3, 2)), np.ones(1), np.ones(3), 1.0), r"lam: shape \(1,\); expected \(2,\)"),
        ((np.ones(3), np.ones((3, 2)), np.ones(2), np.ones(2), 1.0), r"diag: shape \(2,\); expected \(3,\)"),
        (
            (np.ones(3), np.ones((3, 2)), np.ones(2), np.ones(3), -1.0),
            "temperature: -1.0; expected a positive finite number",
        ),
        ((np.ones(2), np.ones(2), np.ones(1), np.ones(2), 1.0), r"U: shape \(2,\)"),
        ((np.ones(2), np.ones((2, 1)), np.ones(1), np.ones(2), 0.0), "temperature: 0.0"),
        ((np.ones(2), np.ones((2, 1)), np.ones(1), np.ones(2), math.nan), "temperature: nan"),
        ((np.ones(()), np.ones((3, 2)), np.ones(2), np.ones(3), 1.0), r"v: shape \(\); expected a last axis"),
    ],
)
def test_wrong_input_is_named(given, message):
    with pytest.raises(ValueError, match=message):
        affinity_apply(*given)


@pytest.mark.parametrize("vocab", [5, 2000])  # the reference, and the compiled loops
@pytest.mark.parametrize("name", ["v", "U", "lam", "diag"])
@pytest.mark.parametrize("bad", [np.nan, INF, -INF])
def test_numbers_that_are_not_finite_are_refused_whatever_the_size(vocab, name, bad) -> None:
    arrays = {"v": np.eye(1, vocab)[0], "U": np.zeros((vocab, 1)), "lam": np.ones(1), "diag": np.zeros(vocab)}
    arrays[name].flat[-1] = bad
    if name == "diag" and bad == -INF:
        assert affinity_apply(**arrays, temperature=1.0).shape == (vocab,)
        return
    with pytest.raises(ValueError, match=f"{name}: holds NaN or infinity"):
        affinity_apply(**arrays, temperature=1.0)
