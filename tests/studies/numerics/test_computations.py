"""The study of a measurement, by hand on three positions of two texts."""

from __future__ import annotations

import numpy as np

from simspec.engine.row_values import gather
from simspec.studies.numerics.computations import computations
from simspec.studies.numerics.measurement import FORMATS, PAIRS, Measurement


def by_hand() -> Measurement:
    """Two texts of 2 and 1 tokens: bfloat16 moves the likeliest token of the first one, at its second position."""
    shape = (len(PAIRS), 3)
    flips = np.zeros(shape, dtype=bool)
    flips[PAIRS.index("prefill: float32 and bfloat16"), 1] = True
    epsilon = np.full(shape, 0.25)
    margin = np.broadcast_to([1.0, 0.5, 0.75], shape)
    common = np.array([[2, 1], [1, 1], [2, 1]])
    facts = {"model": {"name": "none"}, "prompts": 2, "formats": list(FORMATS), "device": "cpu"}
    return Measurement(epsilon, margin, epsilon / 2, flips, np.array([0, 0, 1]), common, np.array([2, 1]), facts)


def test_values_by_hand() -> None:
    results = gather(computations(by_hand()))
    cells = {result.cell.get("pair", result.cell.get("format")): result.values for result in results}
    assert set(cells) == {*PAIRS, *FORMATS[1:]}
    assert cells["prefill: float32 and bfloat16"]["near"].tolist() == [0.0, 1.0, 0.0]
    assert cells["prefill: float32 and bfloat16"]["flips"].tolist() == [0.0, 1.0, 0.0]
    assert cells["bfloat16"]["seen"].tolist() == cells["bfloat16"]["predicted"].tolist() == [1.0, 0.0]
    assert cells["float16"]["seen"].tolist() == cells["float16"]["predicted"].tolist() == [0.0, 0.0]
    assert cells["bfloat16"]["certain"].tolist() == [0.0, 1.0]
