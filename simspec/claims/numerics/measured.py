"""How large the differences of logits are on a real model, by shape and by number format.

`numerics.bf16`: own statement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import chosen_here
from simspec.claims.measured import (
    Data,
    Found,
    Results,
    Study,
    documents,
    empirical,
    figure,
    level_of,
    measured,
    model_of,
    shared,
)
from simspec.claims.numerics.parts import OWN
from simspec.engine.study import Values
from simspec.laws import Array
from simspec.studies.numerics.computations import computations
from simspec.studies.numerics.measurement import FORMATS, PAIRS

SHAPES = {name: f"{name}: prefill and decode" for name in FORMATS}
"""Prefill and decode in a number format."""
SIMILAR = 0.5
"""From here on the differences between two shapes are as large as those between two formats."""
SMALL = 0.01
"""Below this part they are much smaller."""
TAIL = 0.999


@shared
def _study(data: Data) -> Study:
    return computations()


def _ratio(means: Array) -> Array:
    """Ratio of the means of two columns."""
    return means[..., 0] / means[..., 1]


def _compared(first: Values, second: Values, level: float) -> Any:
    """Interval of the ratio of two mean differences, over texts."""
    columns = np.stack([first["epsilon"], second["epsilon"]], axis=-1)
    return documents(columns, first["document"], level, statistic=_ratio)


def _sizes(values: Values) -> dict[str, float]:
    """Quantiles of the differences, and changes of the most likely token."""
    return {
        "median": float(np.median(values["epsilon"])),
        "99.9 %": float(np.quantile(values["epsilon"], TAIL)),
        "largest TV": float(values["tv"].max()),
        "argmax differs": float(values["flips"].mean()),
        "margin within 2 epsilon": float(values["near"].mean()),
    }


def _differences(results: Results) -> Found:
    """Shapes against formats, float32 against bfloat16, then the sizes themselves, then greedy texts."""
    values = {str(result.cell["pair"]): result.values for result in results if "pair" in result.cell}
    model = model_of(results[0])
    level = level_of(2)
    shapes = values[SHAPES["bfloat16"]]
    positions = len(shapes["epsilon"])
    formats = values["prefill: float32 and bfloat16"]
    label = "differences between prefill and decode in bfloat16, over those between bfloat16 and float32"
    yield measured(label, model, positions, _compared(shapes, formats, level), _sizes(shapes), exceed=SIMILAR)
    reference = values[SHAPES["float32"]]
    label = "differences between prefill and decode in float32, over those in bfloat16"
    yield measured(label, model, positions, _compared(reference, shapes, level), _sizes(reference), below=SMALL)
    for pair in PAIRS:
        interval = documents(values[pair]["epsilon"], values[pair]["document"], level)
        yield measured(pair, model, positions, interval, _sizes(values[pair]))
    yield from _texts([result for result in results if "format" in result.cell], level)


def _texts(results: Results, level: float) -> Found:
    """How many greedy texts leave those of float32 beyond what prefill predicts, of each format."""
    for result in results:
        v = result.values
        interval = documents(v["seen"] - v["predicted"], v["document"], level)
        control = {name: float(v[name].mean()) for name in ("seen", "predicted", "certain")}
        label = f"greedy texts in {result.cell['format']} that leave those of float32: seen less predicted"
        yield measured(label, model_of(result), len(v["seen"]), interval, control)


def _plot(results: Results) -> dict[str, Any]:
    shares = np.linspace(0, 1, 101)
    series = [
        {
            "name": str(result.cell["pair"]),
            "x": shares.tolist(),
            "y": np.quantile(result.values["epsilon"], shares).tolist(),
        }
        for result in results
        if "pair" in result.cell
    ]
    return figure("Differences of logits between computations", "share of positions", "difference", series)


BF16 = empirical(
    name="numerics.bf16",
    statement="On a real model the logits of prefill and of decode in bfloat16 differ about as much as those of bfloat16 and "
    "float32, and a hundred times more than prefill and decode in float32",
    reference=OWN,
    study=_study,
    estimate=_differences,
    criterion=chosen_here("the model, the texts, and which ratios count as alike and as small")
    + "Half of the range of the differences of a position's logits, averaged over positions. Supported when the mean between "
    f"prefill and decode in bfloat16 is more than {SIMILAR:g} of the mean between bfloat16 and float32, and the mean between "
    f"prefill and decode in float32 less than {SMALL:g} of that in bfloat16, by text-bootstrap intervals that hold together at "
    "95 %; unsupported when one of them lies on the other side.",
    plot=_plot,
    note="Measured once on a processor; a GPU's kernels sum in other orders. `simspec numerics MODEL` measures another model. "
    "The greedy texts stand beside: how many leave those of float32, and how many prefill says would.",
)
