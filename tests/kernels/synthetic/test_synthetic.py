"""The fused overlap equals its reference, the reference the stored path; its draws follow their laws."""

import math
import resource
import subprocess
import sys

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simspec import laws
from simspec.engine.study import Rows
from simspec.kernels import random as philox
from simspec.kernels import synthetic
from simspec.kernels.random import core
from simspec.kernels.synthetic import Draws, Model, draw_bound, law_bound, synthetic_overlap
from simspec.kernels.synthetic import numba_synthetic as synthetic_loops
from simspec.kernels.synthetic import reference as synthetic_reference
from simspec.logits import synthetic as generators
from simspec.studies.pairs import synthetic_logits
from tests.kernels.cases import drawn

INF = math.inf
U = 2.0**-24
KEY = philox.make_key(1, "fused", "overlap")
FLOATS = [np.float32, np.float64]
K0, K1 = np.uint64(KEY & 0xFFFFFFFF), np.uint64(KEY >> 32)


def compiled(rows, vocab, rho=0.9, df=INF, location=0.0, scale=1.0, **draws):
    """The backend, however small the request, and its reference with the bound of their difference."""
    centre, spread = np.asarray(location, dtype=np.float64), np.asarray(scale, dtype=np.float64)
    draws, model = drawn(rows, KEY, **{"dtype": np.float32} | draws), Model(df, centre, spread, rho)
    dtype = draws.dtype
    exact = draws if draw_bound(df, dtype) == 0 else draws._replace(dtype=np.dtype(np.float64))
    bound = synthetic_reference.overlap_bound(draws, vocab, model, draw_bound(df, dtype), law_bound(vocab, dtype))
    return synthetic_loops.overlap(draws, vocab, model, 1), synthetic_reference.overlap(exact, vocab, model), bound


def check(rows, vocab, **options):
    got, expected, bound = compiled(rows, vocab, **options)
    assert got.shape == expected.shape == (rows,) and got.dtype == np.float64
    assert (np.abs(got - expected) <= bound).all()
    assert (got >= 0).all() and (got <= 1 + bound).all()
    return np.abs(got - expected).max(initial=0)


# ---- what it means ----


def test_one_token_and_equal_laws_overlap_fully():
    assert synthetic_overlap(drawn(3, 1), 1, Model(rho=0.0)).tolist() == [1, 1, 1]
    assert compiled(3, 1, rho=0.0)[0].tolist() == [1, 1, 1]
    for rows, vocab in ((3, 7), (3, 5000)):
        np.testing.assert_allclose(synthetic_overlap(drawn(rows, 1, dtype=np.float32), vocab, Model()), 1, atol=1e-6)
        np.testing.assert_allclose(
            synthetic_overlap(drawn(rows, 1, dtype=np.float32), vocab, Model(rho=0, scale=0)), 1, atol=1e-6
        )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("df", [1.0, 3.0, INF])
def test_reference_is_the_stored_path(dtype, df):
    """The reference's logits are those of the generators to the bit, and its overlap is that of their laws."""
    location, scale, draws = generators.zipf(50), np.linspace(0, 3, 50), drawn(6, KEY, 4, (5, 6), dtype)
    x, y = synthetic_reference.logits(draws, 50, Model(df, location, scale, -0.6))
    options = {"df": df, "location": location, "scale": scale}
    target = generators.student_t(draws, 50, **options)
    np.testing.assert_array_equal(x, target)
    np.testing.assert_array_equal(y, generators.correlated(target, -0.6, draws, **options))
    got = synthetic_overlap(draws, 50, Model(rho=-0.6, **options))
    p, q = (laws.softmax(z.astype(np.float64)) for z in (x, y))
    np.testing.assert_allclose(got, laws.overlap(p, q), rtol=0, atol=1e-14)


@pytest.mark.parametrize("df", [3.0, INF])
def test_radii_of_the_bound_are_those_of_the_draws(df):
    """No draw exceeds its radius; two normals that share one have it as their length."""
    radii, z = (f(KEY, range(3), 2100, 5, df) for f in (synthetic_reference._radii, _draws))
    assert (np.abs(z) <= radii * (1 + 1e-12)).all()
    if df == INF:
        np.testing.assert_allclose(np.hypot(z[:, :512], z[:, 512:1024]), radii[:, :512], rtol=1e-14)


def _draws(key, rows, vocab, purpose, df):
    return philox.student_t(key, rows, range(vocab), purpose, df=df)


def test_overlap_of_a_study_cell():
    cell = {"vocab": 3000, "scale": 2.0, "rho": 0.8, "df": 4.0}
    p, q = (laws.softmax(z) for z in synthetic_logits(cell, Rows(KEY, range(7, 12))))
    got = synthetic_overlap(drawn(5, KEY, 7), 3000, Model(4, scale=2, rho=0.8))
    np.testing.assert_allclose(got, laws.overlap(p, q), rtol=0, atol=1e-13)


# ---- the backend against the reference ----


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("vocab", [1, 2, 1023, 1024, 1025, 5000])
def test_every_length_equals_the_reference(vocab, dtype):
    for df in (3.0, INF):
        error = check(3, vocab, df=df, scale=2.0, dtype=dtype)
        assert error < (1e-6 if dtype == np.float32 else 1e-13)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("df", [0.26, 0.5, 0.9999, 1, 1.0001, 1.7, 3, 20, 1e3, 1e9, 2.0**59, INF])
def test_every_df_equals_the_reference(df, dtype):
    for rho in (-1.0, 0.0, 0.7, 1.0):
        check(3, 2100, df=df, rho=rho, scale=0.5, dtype=dtype)
    if dtype == np.float64:
        check(3, 2100, df=0.065 if df == 0.26 else df, dtype=dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_extremes_equal_the_reference(dtype):
    check(0, 3000, dtype=dtype)
    check(2, 3000, scale=0.0, location=5.0, rho=-0.5, dtype=dtype)
    check(2, 3000, scale=1e-30, dtype=dtype)
    check(2, 3000, scale=300.0, dtype=dtype)
    check(2, 3000, location=1e4, rho=0.3, dtype=dtype)
    check(2, 3000, first=2**64 - 2, dtype=dtype)
    check(2, 3000, purposes=(2**32 - 1, 0), dtype=dtype)
    rising = np.linspace(-60, 60, 3000)
    check(2, 3000, location=rising, scale=np.linspace(2, 0, 3000), rho=0.5, dtype=dtype)
    check(2, 3000, location=-rising, df=2.0, dtype=dtype)
    check(2, 3000, scale=np.linspace(2, 0, 3000), location=1.0, dtype=dtype)


@given(
    vocab=st.integers(1, 3000),
    rho=st.floats(-1, 1),
    df=st.sampled_from([0.3, 1.0, 2.5, 7.0, 300.0, INF]),
    location=st.floats(-50, 50),
    scale=st.floats(0, 10),
    first=st.integers(0, 2**64 - 3),
    dtype=st.sampled_from(FLOATS),
)
def test_random_requests_equal_the_reference(vocab, rho, df, location, scale, first, dtype):
    check(2, vocab, rho=rho, df=df, location=location, scale=scale, first=first, dtype=dtype)


def test_float32_sums_of_a_large_vocabulary():
    for df in (5.0, INF):
        model = Model(df, scale=3.0, rho=0.9)
        rough, exact = (synthetic_overlap(drawn(3, KEY, dtype=dtype), 128_256, model) for dtype in FLOATS)
        assert np.abs(rough - exact).max() < 1e-6
    p, q = (
        laws.softmax(z) for z in synthetic_logits({"vocab": 128_256, "scale": 3.0, "rho": 0.9}, Rows(KEY, range(1)))
    )
    assert abs(synthetic_overlap(drawn(1, KEY), 128_256, Model(scale=3.0, rho=0.9))[0] - laws.overlap(p, q)[0]) < 1e-13


# ---- threads, batches, memory ----


@pytest.mark.parametrize("dtype", FLOATS)
def test_neither_threads_nor_the_batch_change_a_bit(dtype):
    draws, model = drawn(37, KEY, dtype=dtype), Model(3, scale=2.0, rho=0.5)
    whole = synthetic_overlap(draws, 5000, model, threads=1)
    for threads in (2, 3, 8):
        np.testing.assert_array_equal(synthetic_overlap(draws, 5000, model, threads=threads), whole)
    some = (draws._replace(rows=rows) for rows in (range(20), range(20, 36), range(36, 37)))
    parts = [synthetic_overlap(draws, 5000, model) for draws in some]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_memory_does_not_grow_with_the_rows():
    """100 rows of V = 128,256 would take 205 MB as float64 pairs."""
    program = (
        "import resource, sys, numpy; from simspec.kernels.synthetic import Draws, Model, synthetic_overlap;"
        "f = lambda n: synthetic_overlap("
        "    Draws(1, range(n), dtype=numpy.float32), 128256, Model(rho=0.9), threads=2);"
        "used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "f(2); a = used();"
        "f(100); print(used() - a)"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    unit = 1024 if sys.platform != "darwin" else 1
    assert int(out.stdout) * unit < 16 * 2**20, resource.getrusage(resource.RUSAGE_CHILDREN)


def test_the_chunk_is_that_of_the_loops():
    assert synthetic.CHUNK == synthetic_loops.CHUNK


# ---- the draws ----


@numba.njit(error_model="numpy")
def draws_of_words(radius, angle, df, out):
    """A multiple of CHUNK draws of given words, half as many if normal: no key gives the extreme ones.

    Of half a chunk of words a chunk of normal draws is made: first the sines, then the cosines.
    """
    chunk = synthetic_loops.CHUNK
    size = chunk // 2 if df == np.inf else chunk
    for i in range(len(out) // chunk):
        words = slice(i * size, (i + 1) * size)
        synthetic_loops._draw(radius[words], angle[words], df, synthetic_loops._chunk(out, i))


def backend(radius, angle, df, dtype, side=0):
    """Draws of given words, Student-t ones with their factor sqrt(df); of normal draws the sines (0) or cosines (1)."""
    n = -(-len(radius) // 1024) * 1024
    words = np.zeros((2, n), dtype=np.uint32)
    words[:, : len(radius)] = radius, angle
    out = np.empty((2 * n if df == INF else n), dtype=dtype)
    draws_of_words(words[0], words[1], df, out)
    if df == INF:
        return out.reshape(-1, 2, 512)[:, side].ravel()[: len(radius)].astype(np.float64)
    factor = math.sqrt(df) if dtype == np.float32 else 1
    return out[: len(radius)].astype(np.float64) * factor


@pytest.mark.parametrize("df", [0.26, 1.0, 5.0, INF])
def test_exact_draws_are_those_of_philox(df):
    out = np.empty(4096)
    synthetic_loops.draws(K0, K1, np.uint64(2**63 + 9), np.uint32(7), df, out)
    np.testing.assert_array_equal(out, philox.student_t(KEY, [2**63 + 9], range(4096), 7, df=df)[0])


@pytest.mark.parametrize("df", [1.0, 1.3, 2.0, 5.0, 29.0, 1e3, 1e7, 1e15, INF])
def test_float32_draws_are_within_their_bound(df):
    """Words over the whole range and all of both ends, with angles of every size."""
    n = np.concatenate([np.arange(0, 2**32, 2**32 // 300_007), np.arange(50_000), np.arange(2**32 - 50_000, 2**32)])
    n = np.concatenate([n, np.arange(-5000, 5000) + int(math.sqrt(0.5) * 2**32)])
    radius, angle = n.astype(np.uint32), (np.arange(len(n)) * 2654435761 % 2**32).astype(np.uint32)
    exact = core.log(core.unit(radius)) * -2.0
    size = np.sqrt(exact if df == INF else df * core.expm1(exact / df))
    for side in range(2 if df == INF else 1):
        error = np.abs(backend(radius, angle, df, np.float32, side) - backend(radius, angle, df, np.float64, side))
        assert (error <= draw_bound(df, np.float32) * U * size).all()
        assert error.max() > 0.1 * U  # float32 it is


@numba.njit
def _student_radii(n, df, out):
    """Radii over sqrt(df), as a chunk makes them."""
    rate = 2 / df
    high = synthetic_loops._bits(
        np.int32(synthetic_loops._bits(np.float32(rate), np.int32(0)) & np.int32(-(2**12))), np.float32(0)
    )
    low, slope = np.float32(rate - np.float64(high)), np.float32(rate / math.log(2))
    for j in range(len(n)):
        out[j] = synthetic_loops._student_radius(n[j], high, low, slope)


@numba.njit
def _logarithms(n, out):
    for j in range(len(n)):
        power, log = synthetic_loops._logarithm(n[j])
        out[j] = np.float64(power) * math.log(2) - np.float64(log)


@numba.njit
def _powers(r, out):
    for j in range(len(r)):
        out[j] = r[j] * synthetic_loops._polynomial(synthetic_loops._POWER, r[j])


SINE, PRODUCT = 1.94, 1.0  # errors of the other factor and of the product, in units u
LOG, NEAR, POWER, RADIUS = 1.51, 2.51, 2.2, 7.9
"""In units u: absolute error of -ln U below sqrt(1/2), relative above; relative errors of 2**r - 1 and of radii."""


def radius_errors(n, df):
    got = np.empty(len(n), np.float32)
    _student_radii(n.astype(np.uint32), float(df), got)
    exact = np.sqrt(core.expm1(core.log(core.unit(n.astype(np.uint32))) * -2.0 / df))
    return np.abs(got / exact - 1) / U


def half_unit(x):
    """Half a unit in the last place of numbers up to x, in units u."""
    return 2.0 ** np.floor(np.log2(np.maximum(x, 1e-300)))


def radius_bound():
    """The largest bound of a Student-t radius' error, in units u: each term at the worse end of cells of x, of the
    word's power -e and of m = log2(1 + f), where U**(-2/df) = 2**x and 2/df = x / (-e - m) <= 2."""
    x = np.unique(np.concatenate([np.geomspace(1e-20, 66, 3000), np.linspace(1e-3, 3, 3000), np.arange(1, 133) / 2]))
    x0, x1, ln2, worst = x[:-1, None], x[1:, None], math.log(2), 0.0
    m0, m1 = np.arange(-32, 32) / 64, np.arange(-31, 33) / 64
    k = np.round((x0 + x1) / 2)
    r = np.minimum(np.maximum(np.abs(x0 - k), np.abs(x1 - k)), 0.5)
    least = np.expm1(ln2 * x0)
    slope = ln2 * 2**x1 / np.expm1(ln2 * x1) * (x1 / x0)  # x 2**x / (2**x - 1) rises with x
    part = np.where(k == 0, 1, np.maximum(np.abs(2**k - 2**x0), np.abs(2**x1 - 2**k)) / least)
    sums = half_unit(np.expm1(ln2 * x1)) / least + np.where(k > 23, 2**k / least, 0)
    for power in range(34):
        far = np.maximum(np.abs(m0), np.abs(m1))
        if power == 0:  # x = -rate log: errors relative to x
            fine, error, possible = x1, (NEAR + 1) * x1, (m0 < 0) & (x0 <= -2 * m0)
            low = 0.0
        else:
            rate = np.minimum(x1 / (power - m1), 2)
            fine, low, possible = rate * far, 2.0**-11 * rate * power, x0 <= 2 * (power - m0)
            error = rate * LOG / ln2 + half_unit(rate / ln2) * far + 2 * low
        error = error + half_unit(fine) + half_unit(fine + low) + half_unit(r)
        total = (slope * error + POWER * part + sums) / 2 + 1
        worst = max(worst, float(np.where(possible, total, 0).max()))
    return worst


def test_bound_of_student_t_draws_is_derived_for_every_df():
    """What the derivation takes from measurement holds for words of fresh strides, and its maximum is the bound."""
    start = int(np.random.default_rng().integers(1, 4001))
    print("start", start)
    n = np.concatenate([np.arange(start, 2**32, 4001), np.arange(2**32 - 50_000, 2**32), np.arange(50_000)])
    n = np.concatenate([n, np.arange(-50_000, 50_000) + int(math.sqrt(0.5) * 2**32)]).astype(np.uint32)
    got, exact = np.empty(len(n)), -core.log(core.unit(n))
    _logarithms(n, got)
    near = n >= math.sqrt(0.5) * 2**32
    assert (np.abs(got - exact) <= np.where(near, NEAR * exact, LOG) * U).all()
    r = np.concatenate([np.geomspace(1e-20, 0.50001, 500_000), np.linspace(0.01, 0.50001, 500_000)]).astype(np.float32)
    r = np.concatenate([r, -r])
    power = np.empty_like(r)
    _powers(r, power)
    assert (np.abs(power / np.expm1(math.log(2) * r.astype(np.float64)) - 1) <= POWER * U).all()
    assert 7 < radius_bound() < RADIUS
    assert draw_bound(1, np.float32) >= RADIUS + SINE + PRODUCT


def test_radii_where_they_cancel_are_within_their_bound():
    """U just below sqrt(1/2) and df near 2: U**(-2/df) is just above sqrt(2), and 2 * 2**r - 1 cancels."""
    worst = radius_errors(np.array([3034844800]), 1.9798021344088197)[0]
    assert worst > 5  # the largest that is known
    edge = int(math.sqrt(0.5) * 2**32)
    n = np.concatenate([np.arange(edge - 5 * 10**7, edge, 10**4 + 1), np.arange(edge - 3000, edge + 100)])
    for df in np.concatenate([np.linspace(1.95, 2.05, 201), [1.9798021344088197]]):
        worst = max(worst, radius_errors(n, df).max())
    for df in 1 / np.random.default_rng().random(50):
        worst = max(worst, radius_errors(np.arange(0, 2**32, 2**32 // 20_011), df).max())
    assert worst + SINE + PRODUCT <= draw_bound(2, np.float32)
    assert worst < RADIUS


def test_exact_twin_of_given_words_is_that_of_philox():
    radius, angle = np.random.default_rng(5).integers(0, 2**32, (2, 1024), dtype=np.uint32)
    size = core.normal_radius(radius)
    np.testing.assert_array_equal(backend(radius, angle, INF, np.float64), size * core.sine(angle))
    np.testing.assert_array_equal(backend(radius, angle, INF, np.float64, 1), size * core.cosine(angle))
    np.testing.assert_array_equal(backend(radius, angle, 3.0, np.float64), core.bailey(radius, angle, np.float64(3)))


def quantile_error(df, z, side=0):
    """Mean error of the float32 draws whose value is the quantile at Phi(z), on the normal scale.

    The quantile function is wrong by the mean of the draw's error given its value (to first order).  Every radius
    word beyond the quantile counts (32,768 of them if there are more), with the angles that lead to it; given the radius
    R, the density there is 1 / (pi sqrt(R^2 - t^2)).
    """
    t = z if df == INF else stats.t.isf(stats.norm.sf(z), df)
    beyond = math.exp(-t * t / 2) if df == INF else (1 + t * t / df) ** (-df / 2)
    count = int(beyond * 2**32 - 0.5) + 1
    n = np.unique(np.linspace(0, count - 1, min(count, 1 << 15)).astype(np.int64))
    exact = core.log((n + 0.5) / 2**32) * -2.0
    size = np.sqrt(exact if df == INF else df * core.expm1(exact / df))
    n, size = n[size > t], size[size > t]
    turns = 0.5 + (np.arccos if side else np.arcsin)(t / size) / np.pi
    at = np.round(turns * 2**32)[:, None] + np.arange(-4000, 4000, 1001)
    if side:
        at = at // 2 * 2  # the cosine is positive
    words = np.repeat(n, at.shape[1]), np.clip(at, 0, 2**32 - 1).ravel()
    weight = np.repeat(1 / np.sqrt(size**2 - t**2), at.shape[1])
    exact = backend(*words, df, np.float64, side)
    assert (np.abs(exact - t) < 1e-5 * np.repeat(size, at.shape[1])).all()  # the angles lead there
    error = np.abs(backend(*words, df, np.float32, side) - exact)
    per_z = 1 if df == INF else stats.t.pdf(t, df) / stats.norm.pdf(z)
    return float((weight * error).sum() / weight.sum() * per_z)


@pytest.mark.parametrize("df", [1.0, 2.0, 5.0, 100.0, 1e4, INF])
def test_quantiles_are_right_to_a_millionth_of_the_normal_scale(df):
    farthest = float(stats.norm.isf(1e-9))
    for side in range(2 if df == INF else 1):
        assert max(quantile_error(df, z, side) for z in (0.01, 1.0, 2.0, 3.0, 4.0, 5.0, farthest)) < 1e-6


LEVEL = 1e-6
"""Chance that one of the statistical tests below fails although all is right."""


@pytest.mark.parametrize("df", [1.0, 3.0, INF])
def test_draws_follow_their_law(df):
    out = np.empty(1 << 18, dtype=np.float32)
    synthetic_loops.draws(K0, K1, np.uint64(3), np.uint32(1), df, out)
    z = out * (math.sqrt(df) if df < INF else 1.0)
    assert stats.kstest(z, stats.norm.cdf if df == INF else stats.t(df).cdf).pvalue > LEVEL
    # controls: a spread that is wrong by 5 %, and a generator whose angle repeats the radius
    assert stats.kstest(z * 1.05, stats.norm.cdf if df == INF else stats.t(df).cdf).pvalue < LEVEL
    word = philox.words(KEY, [3], range(1 << 18))[0, :, 0]
    assert stats.kstest(backend(word, word, df, np.float32), stats.t(df).cdf).pvalue < LEVEL
    if df == INF:
        for side in range(2):  # sines and cosines apart; the control is a cosine without its sign
            half = z.reshape(-1, 2, 512)[:, side].ravel()
            assert stats.kstest(half, stats.norm.cdf).pvalue > LEVEL
            assert stats.kstest(np.abs(half), stats.norm.cdf).pvalue < LEVEL


def test_overlaps_follow_their_law():
    """Against an independent sampler, NumPy's; the control is a generator whose draft noise is the target's."""
    rows, vocab, rho = 4000, 8, 0.5
    rng = np.random.default_rng(20)
    x = 2 * rng.standard_t(4, (rows, vocab))
    y = rho * x + 2 * math.sqrt(1 - rho**2) * rng.standard_t(4, (rows, vocab))
    independent = laws.overlap(laws.softmax(x), laws.softmax(y))
    options = {"rho": rho, "df": 4.0, "scale": 2.0}
    assert stats.ks_2samp(synthetic_overlap(drawn(rows, KEY), vocab, Model(**options)), independent).pvalue > LEVEL
    assert stats.ks_2samp(compiled(rows, vocab, purposes=(0, 0), **options)[0], independent).pvalue < LEVEL


# ---- what is refused ----


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"vocab": 0}, "vocab: 0"),
        ({"vocab": 2**31 + 1}, "vocab: 2147483649"),
        ({"draws": drawn(2, -1)}, "key: -1"),
        ({"draws": drawn(2, first=-1)}, "rows: -1"),
        ({"draws": drawn(2, first=2**64 - 1)}, "rows: 18446744073709551616"),
        ({"draws": Draws(0, [4, 5])}, "rows: .* that follow one another"),
        ({"draws": Draws(0, range(0, 9, 3))}, "rows: .* that follow one another"),
        ({"draws": drawn(2, purposes=(1, 1))}, "purposes: .* two that differ"),
        ({"draws": drawn(2, purposes=(0,))}, "purposes: .* two that differ"),
        ({"draws": drawn(2, purposes=(0, 2**32))}, "purposes: 4294967296"),
        ({"draws": drawn(2, dtype=np.float16)}, "dtype: float16"),
        ({"model": Model(rho=1.5)}, "rho: 1.5"),
        ({"model": Model(rho=math.nan)}, "rho: nan"),
        ({"model": Model(0.2), "draws": drawn(2, dtype=np.float32)}, "df: 0.2"),
        ({"model": Model(math.nan)}, "df: nan"),
        ({"model": Model(0.06)}, "df: 0.06"),
        ({"model": Model(location=[1.0, 2.0])}, "location"),
        ({"model": Model(location=math.inf)}, "location: inf"),
        ({"model": Model(scale=-1.0)}, "scale: -1.0"),
        ({"threads": 0}, "threads: 0"),
    ],
)
def test_bad_arguments_are_named(change, name):
    with pytest.raises(ValueError, match=name):
        synthetic_overlap(**({"draws": drawn(2), "vocab": 3000, "model": Model(rho=0.5)} | change))


def test_logits_that_could_overflow_take_the_reference():
    draws, model = drawn(2, KEY, dtype=np.float32), Model(0.26, scale=1e4, rho=0.5)
    got = synthetic_overlap(draws, 3000, model)
    expected = synthetic_reference.overlap(draws, 3000, model)
    assert got.tolist() == expected.tolist()
    with pytest.raises(ValueError, match="overflows dtype = float32"):
        synthetic_overlap(draws, 3000, model._replace(scale=1e38))
