"""Scrambled nets: one point in each box, means without bias, and far less spread than independent points."""

import numpy as np
import pytest

from simspec.engine.estimates.intervals import student, within
from simspec.engine.study import Rows
from simspec.kernels import random
from simspec.studies.nets import net

SURE = 1 - 1e-6
"""Level of the intervals: a correct mean falls outside once in a million keys."""


def smooth(u: np.ndarray) -> np.ndarray:
    """A product over coordinates whose mean is 1."""
    return np.prod(0.5 + u, axis=-1)


def test_two_points_lie_in_the_two_halves() -> None:
    u = net(Rows(1, range(50)), 2, 1)[:, :, 0]
    assert (np.sort(u, axis=1) < [[0.5, 1]]).all() and (np.sort(u, axis=1) > [[0, 0.5]]).all()
    assert len({*map(float, u[:, 0])}) == 50


@pytest.mark.parametrize("exponent", [1, 3, 6])
def test_every_box_of_the_net_holds_one_point(exponent: int) -> None:
    """All boxes of 2^-a by 2^-(m-a) in two coordinates; a matrix with a hole in its diagonal, or digits dropped, loses some."""
    u = net(Rows(2, range(20)), 2**exponent, 2)
    for a in range(exponent + 1):
        places = (u * [2**a, 2 ** (exponent - a)]).astype(int)
        box = places[..., 0] * 2 ** (exponent - a) + places[..., 1]
        assert (np.sort(box, axis=1) == np.arange(2**exponent)).all()
    moved = (u * 0.9 * 2**exponent).astype(int)[..., 0]  # the control: points that were moved a little
    assert not (np.sort(moved, axis=1) == np.arange(2**exponent)).all()


def test_each_coordinate_alone_is_even_in_many_dimensions() -> None:
    u = net(Rows(3, range(4)), 256, 50)
    assert (np.sort((u * 256).astype(int), axis=1) == np.arange(256)[:, None]).all()


def test_the_mean_is_without_bias_and_the_interval_of_rows_holds() -> None:
    """False alarm: once in a million keys.  Control: points whose low digits were dropped miss the mean."""
    u = net(Rows(4, range(300)), 64, 3)
    assert within(student(smooth(u).mean(axis=1), SURE), 1)
    assert not within(student(smooth(np.floor(u * 64) / 64).mean(axis=1), SURE), 1)
    for power, mean in ((1, 1 / 2), (2, 1 / 3), (3, 1 / 4)):  # a point alone is uniform
        assert within(student(u[:, 5, 1] ** power, SURE), mean)


def test_a_net_spreads_far_less_than_independent_points() -> None:
    """By a factor of over a thousand in variance at 256 points (some ten thousand is usual)."""
    alone = random.uniform(5, range(200), range(256 * 2)).reshape(200, 256, 2)
    ratio = smooth(alone).mean(axis=1).var() / smooth(net(Rows(5, range(200)), 256, 2)).mean(axis=1).var()
    assert ratio > 1000


def test_rows_are_the_same_in_any_block_and_differ_by_key_and_purpose() -> None:
    whole = net(Rows(6, range(10)), 16, 3)
    assert (net(Rows(6, range(4, 7)), 16, 3) == whole[4:7]).all()
    assert (net(Rows(7, range(10)), 16, 3) != whole).all()
    assert (net(Rows(6, range(10)), 16, 3, purpose=1) != whole).all()
    assert abs(np.corrcoef(smooth(whole).mean(axis=1)[:-1], smooth(whole).mean(axis=1)[1:])[0, 1]) < 0.99


@pytest.mark.parametrize(
    ("points", "dimensions", "message"),
    [(12, 2, "power of two, such as 8"), (0, 2, "points"), (2**17, 2, "points"), (4, 0, "dimensions")],
)
def test_what_is_no_net_is_refused(points: int, dimensions: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        net(Rows(1, range(2)), points, dimensions)
