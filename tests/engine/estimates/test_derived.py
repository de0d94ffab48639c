"""Values made of others: labels of paired measures by hand, bounds that hold every row, controls that are right or wrong."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.estimates.derived import (
    ALARM,
    Control,
    Controlled,
    Difference,
    contradiction,
    controlled,
    derive,
    paired,
    regression,
)
from simspec.engine.estimates.statistics import Counts, Mean, Share, bounded, histogram, proportion
from simspec.engine.estimates.stopping import intervals


def blocks_of(**values: np.ndarray) -> dict[str, list[int]]:
    """One block of statistics for each value (rows, ...), a label for each place of its further axes."""
    blocks: dict[str, list[int]] = {}
    for name, value in values.items():
        columns = value.reshape(len(value), -1).T
        for place, column in enumerate(columns):
            label = f"{name}[{place}]" if value.ndim > 1 else name
            totals = proportion(label, column) if column.dtype == bool else bounded(label, column)
            blocks |= {key: [total] for key, total in totals.items()}
    return blocks


def of_mean(mean: float) -> dict[str, Control]:
    return {"z": Control("y", "x", lambda cell: mean)}


# ------------------------------------------------------------------------------------------------------------ labels

HALF, MOST = np.full(1000, 0.5), np.full(1000, 0.9)


@pytest.mark.parametrize(
    ("blocks", "label"),
    [
        (blocks_of(x=MOST), "x"),
        (blocks_of(x=np.stack([HALF, MOST], axis=1)), r"x\[1\]"),
        (blocks_of(x=np.stack([MOST, HALF], axis=1)), r"x\[0\]"),
        (blocks_of(x=np.stack([HALF, MOST], axis=1) > 0.7), r"x\[0\]"),  # shares 0 and 1: the first is refused first
        (blocks_of(y=HALF, x=MOST), "x"),
    ],
)
def test_every_place_of_a_control_is_held_against_the_mean(blocks, label) -> None:
    """Of 1000 rows that are all 0.9 the interval is 0.9 -+ 0.074, which excludes 1/2."""
    measures = {"x": Share() if "x[0].hits" in blocks else Mean()}
    message = contradiction(of_mean(0.5), {}, measures, blocks)
    assert message is not None and message.startswith(f"control: the mean of '{label.replace(chr(92), '')}' lies in [")


@pytest.mark.parametrize("name", ["x2", "y", "x.x", "y[0]", "xx[0]"])
def test_values_of_other_names_are_not_held_against_it(name) -> None:
    """Their mean is 0.9; the control's own is 1/2, as it was said."""
    others = {f"{name}.{kind}": total for kind, total in (("n", [1000]), ("sum", [0]), ("squares", [0]))}
    assert contradiction(of_mean(0.5), {}, {"x": Mean()}, {**others, **blocks_of(x=HALF)}) is None
    counts = {key: [total] for key, total in histogram("x", HALF, np.array([0.7])).items()}
    assert contradiction(of_mean(0.5), {}, {"x": Mean()}, {**counts, **blocks_of(x=HALF)}) is None


def test_the_interval_of_a_contradiction_is_that_of_its_alarm_after_the_last_block() -> None:
    """It narrows from block to block: after one block nothing is excluded that the second excludes."""
    first, second = ({key: value * count for key, value in blocks_of(x=HALF).items()} for count in (1, 2))
    low, high = (float(end[-1]) for end in intervals(second, "x", 1 - ALARM))
    before = float(intervals(first, "x", 1 - ALARM)[1][-1])
    between, inside = (high + before) / 2, high - 1e-9
    assert contradiction(of_mean(between), {}, {"x": Mean()}, first) is None
    message = contradiction(of_mean(between), {}, {"x": Mean()}, second)
    assert message is not None and f"[{low:.6g}, {high:.6g}] with confidence 1 - 1e-06" in message
    assert contradiction(of_mean(inside), {}, {"x": Mean()}, second) is None
    assert contradiction(of_mean(low), {}, {"x": Mean()}, second) is None  # the ends belong to it
    assert contradiction(of_mean(high), {}, {"x": Mean()}, second) is None


def test_a_controls_bounds_are_its_measures_own() -> None:
    """The same integers stand for 5 where the bounds are 0 and 10."""
    blocks = blocks_of(x=HALF)
    assert contradiction(of_mean(5), {}, {"x": Mean(0, 10)}, blocks) is None
    assert contradiction(of_mean(0.5), {}, {"x": Mean(0, 10)}, blocks) is not None


# ------------------------------------------------------------------------------------------------------------ bounds


@pytest.mark.parametrize(
    ("a", "b", "bounds"),
    [
        (Mean(0, 3), Share(), (-1, 3)),
        (Share(), Mean(2, 5), (-5, -1)),
        (Mean(-2, 7), Mean(3, 4), (-6, 4)),
    ],
)
def test_a_difference_lies_between_the_extreme_differences_of_the_bounds(a, b, bounds) -> None:
    gain = paired({"gain": ("a", "b")}, {"a": a, "b": b})["gain"]
    assert gain == Difference(*bounds, "a", "b")
    ends = [(x.low, x.high) if isinstance(x, Mean) else (0, 1) for x in (a, b)]
    corners = [x - y for x in ends[0] for y in ends[1]]
    assert bounds == (min(corners), max(corners))


def test_the_coefficient_is_one_by_default() -> None:
    control = Control("y", "x", lambda cell: 0.5)
    z = controlled({"z": control}, {"y": Mean(), "x": Mean()})["z"]
    assert z == Controlled(-1, 2, "y", "x") and isinstance(z, Controlled)
    assert z.row({"y": np.array([0.25]), "x": np.array([1.0])}, 0.5).tolist() == [-0.25]


@pytest.mark.parametrize("c", [-2.0, 0.0, 0.5, 3.0])
def test_a_controlled_value_keeps_within_its_bounds_at_every_corner(c) -> None:
    """The known mean may be anything between the control's bounds, and the value and the control anything between theirs."""
    measures = {"y": Mean(1, 3), "x": Mean(-1, 4)}
    z = controlled({"z": Control("y", "x", lambda cell: 0, c)}, measures)["z"]
    assert isinstance(z, Controlled) and (z.low, z.high) == (1 - 5 * abs(c), 3 + 5 * abs(c))
    for mean in (-1, 4):
        rows = z.row({"y": np.array([1, 1, 3, 3.0]), "x": np.array([-1, 4, -1, 4.0])}, mean)
        assert rows.min() >= z.low and rows.max() <= z.high
        assert rows.tolist() == [y - c * (x - mean) for y in (1, 3) for x in (-1, 4)]


def test_measures_that_are_made_twice_are_the_same() -> None:
    """A study that is copied derives its measures again; another pair, control or coefficient of the name has other bounds."""
    pair, measures = {"gain": ("a", "b")}, {"a": Mean(), "b": Mean()}
    once = paired(pair, {**measures, "gain": Mean(0, 0.25)})
    assert paired(pair, once) == once and once["gain"] == Difference(0, 0.25, "a", "b")
    control = {"z": Control("a", "b", lambda cell: 0.5, 2.0)}
    twice = controlled(control, {**measures, "z": Mean(0, 1)})
    assert controlled(control, twice) == twice and twice["z"] == Controlled(0, 1, "a", "b", 2.0)
    for change in ({"control": "a"}, {"value": "b"}, {"coefficient": -2.0}):
        other = {"z": control["z"]._replace(**change)}
        assert controlled(other, twice)["z"] == Controlled(
            -2, 3, other["z"].value, other["z"].control, other["z"].coefficient
        )
    changed = paired({"gain": ("b", "a")}, once)
    assert changed["gain"] == Difference(-1, 1, "b", "a")


# -------------------------------------------------------------------------------------------------------------- rows


def test_derived_values_by_hand() -> None:
    measures = {"gain": Difference(-1, 1, "a", "b"), "z": Controlled(-9, 9, "a", "b", 2.0), "n": Counts((1.0,))}
    values = {"a": np.array([1.0, 0.5]), "b": np.array([0.25, 0.75]), "n": np.array([0, 1])}
    derived = derive(measures, {"z": 0.5}, values)
    assert {name: rows.tolist() for name, rows in derived.items()} == {"gain": [0.75, -0.25], "z": [1.5, 0]}


@pytest.mark.parametrize(
    ("change", "shapes"),
    [
        ({"b": None}, r"shapes \(2,\) and None"),
        ({"a": None}, r"shapes None and \(2,\)"),
        ({"b": np.zeros((2, 1))}, r"shapes \(2,\) and \(2, 1\)"),
        ({"gain": np.zeros(2)}, r"shapes \(2,\) and \(2,\)"),
    ],
)
def test_values_that_do_not_fit_are_refused(change, shapes) -> None:
    values = {"a": np.zeros(2), "b": np.zeros(2), **change}
    values = {name: value for name, value in values.items() if value is not None}
    with pytest.raises(ValueError, match=f"simulate: 'gain' is made of 'a' and 'b', of {shapes}"):
        derive({"gain": Difference(-1, 1, "a", "b")}, {}, values)


def test_the_coefficient_of_least_variance_by_hand() -> None:
    """(0, 1, 5) on (0, 1, 2): covariance 5/3 over variance 2/3; a constant control has none."""
    control, value = np.array([0.0, 1, 2]), np.array([0.0, 1, 5])
    best = regression(value, control)
    assert best == pytest.approx(2.5)
    residual = [np.var(value - c * control) for c in (best - 0.1, best, best + 0.1)]
    assert residual[1] == min(residual)
    shares = np.array([0.1, 0.2, 0.6])  # neither their mean nor that of 0.1 three times is a float
    assert [regression(shares, np.full(3, constant)) for constant in (0.0, 0.1, 0.5, 0.7)] == [0] * 4
    assert regression(np.stack([value, value + 9], axis=1), np.stack([control, control - 4], axis=1)) == pytest.approx(
        2.5
    )
