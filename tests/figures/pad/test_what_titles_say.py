"""What the titles of the figures on PAD say is in their stored rows."""

from __future__ import annotations

import numpy as np

from simspec.figures import rows


def test_no_line_of_one_length_passes_through_all_printed_points() -> None:
    found = rows("pad.table1")
    printed = [p for p in found if "printed" in p.series]
    assert len(printed) == 9
    lines = [found.of(series=name) for name in found.series() if name.startswith("γ")]
    for line in lines:
        x, y = line.column("x"), line.column("y")
        slope = (y[-1] - y[0]) / (x[-1] - x[0])
        off = [abs(np.interp(p.x, x, y) - p.y) for p in printed]
        assert max(off) > 0.005 + 0.0005 * slope  # half a unit of the last printed digit of each number


def test_twenty_rollouts_are_often_wrong_both_ways() -> None:
    found = rows("pad.label-noise")
    for panel in found.panels():
        for name in ("U = 0.3", "U = 0.5", "U = 0.9"):
            (at_twenty,) = [p.y for p in found.of(panel, name) if p.x == 20]
            assert at_twenty > 0.15


def test_the_printed_rule_loses_in_the_counterexample_and_the_corrected_one_nowhere() -> None:
    found = rows("pad.corrected-rule").of("utility")
    assert [p.y < 0 for p in found.of(series="pivots as printed")] == [False] * 5 + [True]
    assert min(found.of(series="pivots against the replacement").column("y")) >= 0
