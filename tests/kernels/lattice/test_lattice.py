"""The compiled lattice: the same integers as the reference, ties included, whatever the input, layout and threads."""

import tracemalloc
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.kernels import lattice
from simspec.kernels.lattice import numba_lattice, reference
from tests.kernels.cases import alone
from tests.kernels.lattice.test_reference import LENGTHS, laws

FLOATS = [np.float32, np.float64]
INF = float("inf")


def same(got, expected):
    for x, y in zip(got, expected, strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_array_equal(x, y)


def check_top(q, k, resolution):
    """The backend itself, also on input that the dispatch would hand to the reference."""
    made = numba_lattice.quantise_top(lattice._rows(q)[0], k, resolution)
    same(made, reference.quantise_top(q, k, resolution))
    assert (made.counts.sum(axis=1) == resolution).all() and (made.counts >= 0).all()


def check_above(q, edge, resolution, keep_top=True):
    edges = np.broadcast_to(np.asarray(edge, dtype=np.float64), len(q)).copy()
    made = numba_lattice.quantise_above(lattice._rows(q)[0], edges, resolution, keep_top)
    same(made, reference.quantise_above(q, edges, resolution, keep_top))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("vocab", LENGTHS)
def test_every_length_equals_the_reference(vocab, dtype):
    for levels in (None, 2):
        q = laws(3, vocab, dtype, levels=levels)
        for k in {1, vocab // 100 + 1, vocab // 8 + 1, vocab // 2 + 1, vocab}:
            check_top(q, k, 97)
        for edge in (-1, 0, np.median(q), q[0].max(), 0.99):
            check_above(q, edge, 97)
            check_above(q, edge, 97, keep_top=False)


def rows(vocab, dtype):
    """Rows on which selection or rounding is at its limits."""
    rng = np.random.default_rng(0)
    tiny = np.finfo(dtype).smallest_subnormal
    rising = np.arange(1, vocab + 1, dtype=dtype)
    spread = 2.0 ** rng.integers(-100, 100, vocab)
    return {
        "uniform": np.ones(vocab, dtype),
        "one token": np.where(np.arange(vocab) == vocab - 3, 1, 0).astype(dtype),
        "two levels": np.where(np.arange(vocab) % 7 == 3, 2, 1).astype(dtype),
        "rising": rising,
        "falling": rising[::-1],
        "period of the groups": (np.arange(vocab) % 256).astype(dtype) + 1,
        "all in one group": np.where(np.arange(vocab) % 256 == 5, rising, 1).astype(dtype),
        "subnormal": rng.integers(1, 50, vocab).astype(dtype) * tiny,
        "huge range": spread.astype(dtype),
        "adjacent floats": np.nextafter(dtype(1), dtype(2))
        - np.finfo(dtype).epsneg * rng.integers(0, 3, vocab).astype(dtype),
        "half steps": np.full(vocab, 0.5, dtype),
    }


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", rows(10, np.float32))
def test_extreme_rows_equal_the_reference(name, dtype):
    q = np.stack([rows(6000, dtype)[name]] * 2)
    for k, resolution in ((1, 1), (3, 2**43), (40, 1000), (700, 333), (6000, 4), (6000, 12_000)):
        mass = np.where(reference.top_mask(q, k), q, 0).sum(axis=1)
        assert (mass > 0).all()
        check_top(q, k, resolution)
    check_above(q, q[0, 17], 1000)
    check_above(q, float(q[0].max()) * (1 + 2.0**-40), 1000)  # above it in float64 only


@given(
    masses=st.lists(st.integers(0, 5), min_size=1, max_size=40).filter(any),
    resolution=st.integers(1, 100),
    dtype=st.sampled_from(FLOATS),
    data=st.data(),
)
def test_ties_go_as_in_the_reference(masses, resolution, dtype, data):
    q = np.array([masses, masses[::-1]], dtype) / dtype(sum(masses))
    k = data.draw(st.integers(1, len(masses)))
    check_top(q, k, resolution)
    edge = data.draw(st.sampled_from([*q[0].tolist(), 0.3, 2.0]))
    if edge <= q.max():
        check_above(q, edge, resolution)
    check_above(q, max(edge, 0.01), resolution, keep_top=False)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("vocab", LENGTHS)
def test_sums_over_kept_tokens_are_the_references_bit_for_bit(vocab, dtype):
    rng = np.random.default_rng(vocab)
    leaves, merges, waiting = numba_lattice._plan(vocab)
    for share in (1.0, 0.3, 0.01):
        tokens = np.flatnonzero(rng.random(vocab) < share).astype(np.int32)
        values = rng.exponential(size=vocab).astype(dtype)
        row = np.zeros(vocab, dtype)
        row[tokens] = values[: len(tokens)]
        lanes, stack = np.empty(8, dtype), np.empty(waiting, dtype)
        got = alone(numba_lattice._sum)(tokens, values, len(tokens), leaves, merges, lanes, stack)
        assert got == reference.pairwise_sum(row)


def exact_counts(values, resolution):
    """The lattice point on fractions."""
    scaled = [resolution * v / sum(values) for v in values]
    counts = [(s + F(1, 2)).__floor__() for s in scaled]
    excess = sum(counts) - resolution
    sign = 1 if excess > 0 else -1
    order = sorted(range(len(values)), key=lambda i: (-sign * (counts[i] - scaled[i]), i))
    for i in order[: abs(excess)]:
        counts[i] -= sign
    return counts, scaled


@pytest.mark.parametrize(("dtype", "resolution"), [(np.float32, 1000), (np.float32, 2**25), (np.float64, 2**43)])
def test_against_fractions_within_the_derived_bound(dtype, resolution):
    q = laws(4, 5000, dtype)
    made = lattice.quantise_top(q, 200, resolution)
    differ = 0
    for law, tokens, counts in zip(q, made.tokens, made.counts, strict=True):
        expected, scaled = exact_counts([F(float(x)) for x in law[tokens]], resolution)
        differ += expected != counts.tolist()
        distance = sum(abs(b - s) for b, s in zip(counts.tolist(), scaled, strict=True))
        least = sum(abs(b - s) for b, s in zip(expected, scaled, strict=True))
        assert distance <= least + F(2 * resolution * lattice.error_bound(5000, dtype))
    assert (differ > 0) == (resolution == 2**25)  # steps as fine as float32 rounding: there the bound is put to use


def test_float32_against_float64():
    q = laws(200, 5000, np.float32)
    single, double = lattice.quantise_top(q, 50, 500), lattice.quantise_top(q.astype(np.float64), 50, 500)
    np.testing.assert_array_equal(single.tokens, double.tokens)
    assert (single.counts != double.counts).any(axis=1).mean() < 0.01  # near ties: about 50 u 500 of the rows


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("wrong", [-0.1, -INF, INF, np.nan, -np.nan])
@pytest.mark.parametrize(("vocab", "at"), [(10, 7), (5000, 7), (5000, 4999)])
def test_masses_that_are_none_are_refused(wrong, dtype, vocab, at):
    q = laws(3, vocab, dtype)
    q[1, at] = wrong
    with pytest.raises(ValueError, match=f"q: row 1 has .* at token {at}; expected finite masses"):
        lattice.quantise_top(q, 3, 10)
    with pytest.raises(ValueError, match=f"q: row 1 has .* at token {at}; expected finite masses"):
        lattice.quantise_above(q, 0.01, 10)


@pytest.mark.parametrize("vocab", [10, 5000])
def test_rows_without_mass_or_with_too_much_are_refused(vocab):
    q = laws(3, vocab)
    q[2] = 0
    with pytest.raises(ValueError, match="kept tokens of row 2 have mass 0.0"):
        lattice.quantise_top(q, 3, 10)
    with pytest.raises(ValueError, match="kept tokens of row 2 have mass 0.0"):
        lattice.quantise_above(q, 0.0, 10)
    assert lattice.quantise_above(q, 0.001, 10, keep_top=False).offsets[-1] > 0
    q[2] = 1e308
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="kept tokens of row 2 have mass inf"):
        lattice.quantise_top(q, 3, 10)


@pytest.mark.parametrize("dtype", FLOATS)
def test_minus_zero_is_zero(dtype):
    q = laws(2, 5000, dtype)
    q[:, 10:4500] = 0
    signed = np.where(q == 0, dtype(-0.0), q)
    assert np.signbit(signed).any()
    same(lattice.quantise_top(signed, 900, 50), lattice.quantise_top(q, 900, 50))
    same(lattice.quantise_above(signed, 0.0, 50), lattice.quantise_above(q, 0.0, 50))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 0}, "k: 0"),
        ({"k": 6}, "between 1 and V = 5"),
        ({"k": True}, "k: True"),
        ({"k": 1.5}, "k: 1.5"),
        ({"resolution": 0}, "resolution: 0"),
        ({"resolution": 2**44}, "resolution: 17592186044416"),
        ({"q": np.float64(1)}, "expected a last axis"),
        ({"q": np.zeros((2, 0))}, "expected a last axis"),
        ({"q": np.array([1j])}, "dtype complex128"),
        ({"q": np.array([F(1)])}, "dtype object"),
    ],
)
def test_bad_arguments(change, message):
    with pytest.raises(ValueError, match=message):
        lattice.quantise_top(**({"q": np.full((2, 5), 0.2), "k": 2, "resolution": 3} | change))


def test_bad_thresholds():
    with pytest.raises(ValueError, match="threshold: nan"):
        lattice.quantise_above(np.ones((2, 3)), np.nan, 3)
    with pytest.raises(ValueError, match=r"threshold: shape \(3,\)"):
        lattice.quantise_above(np.ones((2, 3)), np.ones(3), 3)


@pytest.mark.parametrize("vocab", [1, 6, 5000])
def test_layouts_types_and_shapes(vocab):
    q = laws(12, vocab, np.float32)
    k = min(5, vocab)
    expected = lattice.quantise_top(q, k, 30)
    strided = np.zeros((24, 2 * vocab), np.float32)
    strided[::2, ::2] = q
    for other in (strided[::2, ::2], np.asfortranarray(q), np.frombuffer(q.tobytes(), np.float32).reshape(q.shape)):
        same(lattice.quantise_top(other, k, 30), expected)
    batch = lattice.quantise_top(q.reshape(2, 3, 2, vocab), k, 30)
    assert batch.counts.shape == (2, 3, 2, k)
    same((x.reshape(12, k) for x in batch), expected)
    one = lattice.quantise_top(q[4], k, 30)
    same(one, (expected.tokens[4], expected.counts[4]))
    assert lattice.quantise_top(q[:0], k, 30).counts.shape == (0, k)
    assert lattice.quantise_above(q[:0], 0.1, 30).offsets.tolist() == [0]
    half = q.astype(np.float16) + np.float16(2e-3)
    same(lattice.quantise_top(half, k, 30), lattice.quantise_top(half.astype(np.float32), k, 30))
    whole = np.arange(1, vocab + 1)
    same(lattice.quantise_top(whole, k, 30), lattice.quantise_top(whole.astype(np.float64), k, 30))
    edges = np.linspace(0, 1, 6).reshape(2, 3, 1)
    wide = lattice.quantise_above(q.reshape(2, 3, 2, vocab), edges, 30)
    same(wide, lattice.quantise_above(q, np.repeat(edges.ravel(), 2), 30))


@pytest.mark.parametrize("dtype", FLOATS)
def test_neither_threads_nor_the_batch_change_anything(dtype):
    q = laws(37, 5000, dtype, levels=3)
    top, above = lattice.quantise_top(q, 60, 70, threads=1), lattice.quantise_above(q, 0.002, 70, threads=1)
    for threads in (2, 3, 8):
        same(lattice.quantise_top(q, 60, 70, threads=threads), top)
        same(lattice.quantise_above(q, 0.002, 70, threads=threads), above)
    for i in (0, 17, 36):
        same(lattice.quantise_top(q[i], 60, 70), (top.tokens[i], top.counts[i]))
        part = lattice.quantise_above(q[i], 0.002, 70)
        np.testing.assert_array_equal(part.counts, above.counts[above.offsets[i] : above.offsets[i + 1]])


def test_the_input_is_neither_copied_nor_changed():
    q = laws(500, 4000, np.float32)
    before = q.copy()
    lattice.quantise_top(q, 10, 10, threads=2)
    tracemalloc.start()
    lattice.quantise_top(q, 10, 10, threads=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500 * (10 * 12 + 8) + 2 * 64 * 4000 + 100_000 < q.nbytes / 8
    np.testing.assert_array_equal(q, before)
    assert q.flags.writeable
