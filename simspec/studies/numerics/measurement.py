r"""What was measured on a model that was computed in several ways, as arrays and as a file.

Two computations of one model are compared position by position, along texts that the model wrote greedily in float32.
A computation has a number format (`FORMATS`) and a shape: *prefill* reads a text at once, *decode* token by token with a
cache, *batch* at once beside other texts.  Of each pair of computations and each position the file has

* ``epsilon``: half of the range of the differences of the logits, so that the largest is smallest after a shift,
* ``margin``: the gap between the two largest logits of the first computation,
* ``tv``: the total variation of both laws at temperature 1,
* ``flips``: whether the most likely tokens differ;

and of each format and text the number of tokens that greedy decoding in that format has in common with float32.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array
from simspec.logits.npz import facts_in, read_npz, write_npz

__all__ = ["FORMATS", "PAIRS", "SHIPPED", "Measurement", "read_measurement", "save_measurement"]

FORMATS = ("float32", "bfloat16", "float16")
"""Number formats of weights and logits, the reference first."""
PAIRS = (
    *(f"{name}: prefill and decode" for name in FORMATS),
    *(f"{name}: alone and in a batch" for name in FORMATS),
    *(f"prefill: float32 and {name}" for name in FORMATS[1:]),
)
"""Pairs of computations that are compared."""
SHIPPED = Path(__file__).with_name("data") / "smollm2.npz"
"""What was measured on SmolLM2-135M-Instruct."""
_ARRAYS = ("epsilon", "margin", "tv", "flips")


@dataclass(frozen=True)
class Measurement:
    """Differences between computations of one model.

    Attributes
    ----------
    epsilon, margin, tv : arrays (pairs, n), in the order of `PAIRS`
    flips : bool array (pairs, n)
    document : int array (n,); the text of each position
    common : int array (formats, texts); leading tokens that greedy decoding in a format has in common with float32
    lengths : int array (texts,); tokens of each greedy text in float32
    facts : what was measured, on what, and with which versions
    """

    epsilon: Array
    margin: Array
    tv: Array
    flips: NDArray[np.bool_]
    document: NDArray[np.int64]
    common: NDArray[np.int64]
    lengths: NDArray[np.int64]
    facts: dict[str, Any]


def save_measurement(measurement: Measurement, path: Path) -> None:
    """Write a measurement as an ``.npz`` file; numbers in float32, which is more than they are known to."""
    arrays: dict[str, Any] = {name: getattr(measurement, name).astype(np.float32) for name in _ARRAYS[:3]}
    arrays |= {name: getattr(measurement, name) for name in ("flips", "document", "common", "lengths")}
    write_npz(path, arrays, measurement.facts)


def read_measurement(path: Path = SHIPPED) -> Measurement:
    """A measurement that `save_measurement` wrote; by default the one that ships.

    Raises ValueError for a file that holds none.

    >>> measurement = read_measurement()
    >>> measurement.epsilon.shape == measurement.margin.shape == (len(PAIRS), len(measurement.document))
    True
    """
    arrays = read_npz(path)
    missing = {*_ARRAYS, "document", "common", "lengths", "facts"} - set(arrays)
    if missing:
        raise ValueError(
            f"{str(path)!r} has no {', '.join(sorted(missing))}; expected a file of `simspec numerics MODEL --save FILE`"
        )
    return Measurement(
        epsilon=arrays["epsilon"].astype(float),
        margin=arrays["margin"].astype(float),
        tv=arrays["tv"].astype(float),
        flips=arrays["flips"].astype(bool),
        document=arrays["document"].astype(np.int64),
        common=arrays["common"].astype(np.int64),
        lengths=arrays["lengths"].astype(np.int64),
        facts=facts_in(arrays),
    )
