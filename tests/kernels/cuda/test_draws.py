"""Synthetic rows on the device: logits with the bits of NumPy, and sums that no split can change."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from simspec.kernels import random as philox
from simspec.kernels import synthetic as cpu
from simspec.kernels.cuda.launch import launch
from simspec.kernels.synthetic import Model, reference
from simspec.kernels.synthetic import cuda_synthetic as gpu
from simspec.kernels.synthetic.held import held
from simspec.logits import synthetic
from tests.kernels.cases import FLOATS, drawn

KEY = 0xFEDCBA9876543210
INF = float("inf")


@pytest.mark.parametrize("df", [0.065, 0.5, 1, 2, 3.5, 30, 1e4, 2.0**59, 2.0**60, INF])
@pytest.mark.parametrize("first_row", [5, 2**32 - 1, 2**64 - 3])
def test_synthetic_logits_are_those_of_the_library(cp, df, first_row):
    """To the last bit, and so is every draw: of 1,050 tokens, which have both bits that the counters lack."""
    location, scale = synthetic.zipf(1050), np.linspace(0, 3, 1050)
    draws, model = drawn(3, KEY, first_row, (4, 2**32 - 1)), {"df": df, "location": location, "scale": scale}
    target, draft = gpu.logits(draws, 1050, Model(**model, rho=0.7), threads=32)
    own = synthetic.student_t(draws, 1050, **model)
    np.testing.assert_array_equal(cp.asnumpy(target), own)
    np.testing.assert_array_equal(cp.asnumpy(draft), synthetic.correlated(own, 0.7, draws, **model))


def check(cp, draws, vocab, model):
    """Overlaps within the bound of their type; the largest error."""
    got = cp.asnumpy(gpu.overlap(draws, vocab, model, threads=16))
    units, exact = cpu.draw_bound(model.df, draws.dtype), draws._replace(dtype=np.dtype(np.float64))
    laws = gpu.overlap_bound(vocab, draws.dtype if units else np.float64)
    errors = np.abs(got - reference.overlap(exact, vocab, model))
    assert got.dtype == np.float64
    assert (errors <= reference.overlap_bound(draws, vocab, model, units, laws)).all()
    return errors.max()


@pytest.mark.parametrize("vocab", [1, 2, 255, 256, 257, 3000])
@pytest.mark.parametrize("rho", [-1, 0.0, 0.9, 1])
@pytest.mark.parametrize("df", [0.5, 1.0, 2.0, 30, 2.0**59, INF])
@pytest.mark.parametrize("dtype", FLOATS)
def test_synthetic_overlaps_equal_the_reference(cp, vocab, rho, df, dtype):
    model = Model(df, synthetic.zipf(vocab), np.asarray(2.0), rho)
    error = check(cp, drawn(2, KEY, 3, dtype=dtype), vocab, model)
    assert error < (1e-6 if dtype == np.float32 and df > 2 else 1e-5)


@pytest.mark.parametrize("df", [1.0, 4.0, INF])
def test_another_law_is_not_within_the_bounds_in_float32(cp, df):
    """The control: a scale or a correlation that is off by a part in a thousand, or other draws."""
    scale = np.asarray(0.5 if df > 1 else 1e-3)
    draws, model = drawn(3, KEY, dtype=np.float32), Model(df, scale=scale, rho=0.8)
    check(cp, draws, 3000, model)
    wrong = [(draws, {"scale": 1.001 * scale}), (draws, {"rho": 0.801}), (drawn(3, KEY, 1, dtype=np.float32), {})]
    for other, change in wrong:
        got = cp.asnumpy(gpu.overlap(other, 3000, model._replace(**change), threads=16))
        expected = reference.overlap(draws._replace(dtype=np.dtype(np.float64)), 3000, model)
        bound = reference.overlap_bound(
            draws, 3000, model, cpu.draw_bound(df, np.float32), gpu.overlap_bound(3000, np.float32)
        )
        assert (np.abs(got - expected) > bound).any(), change


@pytest.mark.parametrize("df", [1.0, 2.5, 1e3, INF])
def test_logits_in_float32_are_rounded_draws(cp, df):
    """Within (c + 4) and (c + 7) units of |m| + s R, as `synthetic_overlap` says, R the radii."""
    location, scale = synthetic.zipf(1050), np.linspace(0, 3, 1050)
    draws, model = drawn(2, KEY, 2**32 - 1, (4, 7), np.float32), Model(df, location, scale, 0.7)
    got = [cp.asnumpy(x) for x in gpu.logits(draws, 1050, model, threads=32)]
    exact = reference.logits(draws._replace(dtype=np.dtype(np.float64)), 1050, model)
    radii = [scale * reference._radii(KEY, draws.rows, 1050, use, df) for use in draws.purposes]
    own, c = np.abs(location) + radii[0], cpu.draw_bound(df, np.float32)
    bounds = (c + 4) * own, (c + 7) * (0.7 * own + np.abs(location) + radii[1])
    for x, y, bound in zip(got, exact, bounds, strict=True):
        assert x.dtype == np.float32 and (np.abs(x - y) <= 2.0**-24 * bound).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_cpu_function_gives_the_same_overlap(cp, dtype):
    draws, model = drawn(2, KEY, dtype=dtype), Model(4, scale=2, rho=0.8)
    got = cp.asnumpy(gpu.overlap(draws, 1000, model, threads=16))
    expected = cpu.synthetic_overlap(draws, 1000, model)
    assert (np.abs(got - expected) < (1e-6 if dtype == np.float32 else 1e-13)).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_neither_block_nor_split_changes_an_overlap(cp, dtype):
    draws, model = drawn(6, KEY, dtype=dtype), Model(4, rho=0.8)
    whole = cp.asnumpy(gpu.overlap(draws, 500, model, threads=64))
    for threads in (1, 32, 256):
        np.testing.assert_array_equal(cp.asnumpy(gpu.overlap(draws, 500, model, threads=threads)), whole)
    split = [drawn(n, KEY, first, dtype=dtype) for n, first in ((4, 0), (2, 4), (0, 6))]
    parts = [cp.asnumpy(gpu.overlap(some, 500, model, threads=8)) for some in split]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_a_scale_beyond_float32_is_refused_as_an_overflow(cp):
    with pytest.raises(ValueError, match="a logit of 2 rows overflows"):
        gpu.overlap(drawn(2, KEY, dtype=np.float32), 300, Model(scale=1e300), threads=4)


def test_one_number_and_as_many_as_tokens_place_alike(cp):
    draws = drawn(2, KEY)
    whole = cp.asnumpy(gpu.overlap(draws, 300, Model(4, 1.5, 2.0, 0.3), threads=8))
    for location, scale in ((np.full(300, 1.5), 2.0), (1.5, np.full(300, 2.0)), (np.full(300, 1.5), np.full(300, 2.0))):
        found = cp.asnumpy(gpu.overlap(draws, 300, Model(4, location, scale, 0.3), threads=8))
        np.testing.assert_array_equal(found, whole)


@pytest.mark.parametrize(("dtype", "size"), [(np.float64, 1e308), (np.float32, 2e38)])
def test_a_row_with_an_overflow_is_refused(cp, dtype, size):
    """One logit of scale 1e308 overflows upwards (the law would be NaN), downwards (it would look sound), or not."""
    scale = np.ones(300)
    scale[7] = size
    with np.errstate(over="ignore"):
        logits = (philox.normal(KEY, range(40), [7])[:, 0] * scale[7]).astype(dtype)
    model = Model(scale=scale)
    for kind in (np.inf, -np.inf):
        row = int(np.flatnonzero(logits == kind)[0])
        with pytest.raises(ValueError, match="a logit of 1 rows overflows: expected a smaller location or scale"):
            gpu.overlap(drawn(1, KEY, row, dtype=dtype), 300, model, threads=4)
    with pytest.raises(ValueError, match=f"a logit of {(~np.isfinite(logits)).sum()} rows overflows"):
        gpu.overlap(drawn(40, KEY, dtype=dtype), 300, model, threads=4)
    sound = int(np.flatnonzero(np.isfinite(logits))[0])
    assert gpu.overlap(drawn(1, KEY, sound, dtype=dtype), 300, model, threads=4).tolist() == pytest.approx([1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gpu.overlap(drawn(2), 3, Model(0.01)), "df: 0.01"),
        (lambda: gpu.overlap(drawn(2), 0, Model()), "vocab: 0"),
        (lambda: gpu.overlap(drawn(2, 2**64), 3, Model()), "key: 18446744073709551616"),
        (lambda: gpu.overlap(drawn(2), 3, Model(rho=1.5)), "rho: 1.5"),
        (lambda: gpu.overlap(drawn(2), 3, Model(float("nan"))), "df: nan"),
        (lambda: gpu.overlap(drawn(2, first=2**64 - 1), 3, Model()), "rows: 18446744073709551616"),
        (lambda: gpu.overlap(drawn(2), 3, Model(scale=-1)), r"scale: shape \(\); expected .* at least 0"),
        (lambda: gpu.overlap(drawn(2, purposes=(1, 1)), 3, Model()), "purposes: .*; expected two that differ"),
        (lambda: gpu.logits(drawn(2, purposes=(0, -1)), 3, Model()), "purposes: -1"),
        (lambda: gpu.logits(drawn(2), 3, Model(location=[0, 1])), r"location: shape \(2,\)"),
    ],
)
def test_bad_input_is_named(cp, call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("df", [5.0, INF])
@pytest.mark.parametrize("vocab", [1, 1023, 8193])
def test_neither_blocks_nor_where_powers_are_kept_change_an_overlap(cp, df, vocab):
    """A row of one block, of a cluster of eight, and all of them behind shared memory; within the bound of the reference."""
    draws, model = drawn(2, KEY, dtype=np.float32), Model(df, scale=np.asarray(0.5), rho=0.8)
    plans = [held(vocab, 8), held(vocab, 9)._replace(blocks=8, kernel="pairs_8", source="spread_pairs")]
    plans += [plan._replace(in_shared=0, behind_quads=2 * plan.behind_quads + 32 * 1024) for plan in plans]
    request = gpu.Request(draws, vocab, model)
    first, *others = (cp.asnumpy(gpu.overlaps_held([request], plan._replace(threads=16))) for plan in plans)
    for other in others:
        np.testing.assert_array_equal(other, first)
    np.testing.assert_array_equal(cp.asnumpy(gpu.overlap(draws, vocab, model, threads=4)), first)
    check(cp, draws, vocab, model)


def test_rows_whose_masses_are_out_of_range_are_drawn_twice(cp):
    """Two tokens far apart: no power of two in float32 holds their masses."""
    draws, model = drawn(40, KEY, dtype=np.float32), Model(2.0, scale=np.asarray(1e3), rho=0.5)
    launched = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu, "launch", lambda *given, **options: launched.append(given[1]) or launch(*given, **options))
        got = cp.asnumpy(gpu.overlap(draws, 2, model, threads=8))
    assert launched == ["pairs_1", "overlap_f32"]
    arrays = model._replace(scale=np.full(2, 1e3))  # for which the pairs are not held
    np.testing.assert_array_equal(got, cp.asnumpy(gpu.overlap(draws, 2, arrays, threads=8)))
    assert (got >= 0).all() and (got < 0.5).any()


def test_cells_in_one_launch_have_the_rows_of_their_own_launches(cp):
    """Cells that differ in everything; as many launches as kernels, and one for each cell with locations of its own."""
    cells = []
    for i, (df, vocab, dtype) in enumerate(itertools.product((4.0, INF), (1, 300, 2000), FLOATS)):
        model = Model(df, location=np.asarray(0.1 * i), scale=np.asarray(0.5 + 0.05 * i), rho=0.9 - 0.1 * i)
        cells.append(gpu.Request(drawn(1 + i % 3, KEY + i, 5 * i, (i, i + 1), dtype), vocab, model))
    cells.append(gpu.Request(drawn(2, KEY), 300, Model(INF, np.linspace(0, 1, 300), 2.0, 0.5)))
    launched = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu, "launch", lambda *given, **options: launched.append(given[1]) or launch(*given, **options))
        together = gpu.overlaps(cells, threads=8)
    assert sorted(launched) == ["overlap_f64", "overlap_f64", "pairs_1"]
    for values, cell in zip(together, cells, strict=True):
        np.testing.assert_array_equal(cp.asnumpy(values), cp.asnumpy(gpu.overlap(*cell, threads=8)))
    assert len({float(cp.asnumpy(x)[0]) for x in together}) > 6
    assert gpu.overlaps([]) == []
