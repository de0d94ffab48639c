"""The compiled fixed point gives the bits of the NumPy reference, and both are the fixed point."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from simspec.kernels import student
from simspec.kernels.student import numba_student, reference

SIZES = (8, 15, 128, 129, 300, 1000, 4097, 16_384)


@pytest.mark.parametrize("size", SIZES)
def test_a_sum_of_pieces_is_numpys_to_the_last_bit(size) -> None:
    values = np.random.default_rng(size).normal(size=size) * 10.0 ** np.random.default_rng(1).integers(-8, 9, size=size)
    ends, joins = numba_student.pieces(size)
    sums = np.array([numba_student._lanes(values[low:high], high - low) for low, high in pairwise(ends)])
    for first, second in joins:
        sums[first] += sums[second]
    assert sums[0] == values.sum()
    assert size < 300 or np.add.accumulate(values)[-1] != values.sum()  # the order is seen


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", ["normal", "heavy", "ties", "law"])
def test_the_loop_gives_the_references_bits(size, kind) -> None:
    rng = np.random.default_rng([size, len(kind)])
    row = {
        "normal": lambda: rng.normal(3, 2, size),
        "heavy": lambda: rng.standard_t(0.7, size),
        "ties": lambda: np.where(rng.random(size) < 0.5, 1.0, rng.normal(size=size).round()),
        "law": lambda: rng.dirichlet(np.full(size, 0.01)),
    }[kind]()
    for df in (0.05, 3.0, 1e4):
        begin = (row, df, float(np.median(row)), max(float(row.std()), 1e-300), 25, 1e-9)
        assert numba_student.fixed_point(*begin) == reference.fixed_point(*begin)


def test_a_step_at_the_fixed_point_stays_there() -> None:
    row = np.random.default_rng(0).standard_t(4, student.SMALL) * 2 + 1
    location, scale = student.fixed_point(row, 4.0, 0.0, 1.0, 500, 1e-13)
    again = student.fixed_point(row, 4.0, location, scale, 1, 0.0)
    assert again == pytest.approx((location, scale), abs=1e-11) and abs(location - 1) < 0.2 and abs(scale - 2) < 0.2
    weight = 5 / (4 + ((row - location) / scale) ** 2)
    assert (weight * (row - location)).sum() / row.size == pytest.approx(0, abs=1e-10)


def test_short_rows_and_rows_with_gaps_take_the_reference(monkeypatch) -> None:
    monkeypatch.setattr(reference, "fixed_point", lambda *what: "reference")
    row = np.arange(2.0 * student.SMALL)
    for given in (row[: student.SMALL - 1], row[::2], row.astype(np.float32)):
        assert student.fixed_point(given, 1.0, 0.0, 1.0, 1, 0.0) == "reference"
    assert student.fixed_point(row, 1.0, 0.0, 1.0, 1, 0.0) != "reference"


def test_fewer_than_eight_numbers_are_refused_by_the_loop() -> None:
    with pytest.raises(ValueError, match=r"row: 7 numbers; expected at least eight"):
        numba_student.fixed_point(np.zeros(7), 1.0, 0.0, 1.0, 1, 0.0)
