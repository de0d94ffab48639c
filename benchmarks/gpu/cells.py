"""A study of many small cells on a device: all cells in one launch, beside a launch for each.

The work is a block of 16 rows of each cell of the study `acceptance` (`python -m simspec study list`), float64 as there.
Both bring all rows to the host, and a row has the same bits either way: the bench fails where it has not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness
from benchmarks.cases import Done, judged, tabulated, timed
from benchmarks.harness import Peer, Result
from simspec.kernels.random import Draws, make_key
from simspec.kernels.synthetic import Model
from simspec.kernels.synthetic import cuda_synthetic as pairs
from simspec.studies.catalogue import acceptance

__all__ = ["ALONE", "QUICK", "ROWS", "case"]

OURS = "simspec"
ALONE = "a launch a cell"
ROWS = 16
"""Of a cell: a block of the study."""
QUICK = 6
"""Cells of a quick run, those of the smallest vocabulary."""


def case(cp: Any, seed: int, repeats: int, cell_limit: int | None = None) -> Done:
    """Rows of the first block of every cell, in one launch and in a launch for each cell.

    With `cell_limit`: at most so many cells, those of the smallest vocabulary.
    """
    cells = [cell for cell in acceptance().grid if cell_limit is None or cell["vocab"] == 1000][:cell_limit]
    requests = [
        pairs.Request(
            Draws(make_key(seed, "acceptance", dict(cell)), range(ROWS)),
            cell["vocab"],
            Model(cell.get("df", math.inf), scale=np.float64(cell["scale"]), rho=cell["rho"]),
        )
        for cell in cells
    ]

    def together() -> NDArray[np.float64]:
        return np.concatenate(pairs.overlaps(requests, on_host=True))

    def alone() -> NDArray[np.float64]:
        return np.concatenate([cp.asnumpy(pairs.overlap(*request)) for request in requests])

    title = f"study of {len(cells)} cells, {ROWS} rows of each"
    expected = alone()
    peers = [Peer(OURS, lambda data, n: together, (1,)), Peer(ALONE, lambda data, n: alone, (1,))]
    results = timed(title, peers, repeats, lambda: (None, expected, 0.0))
    our_time = harness.medians(results).get(OURS, math.nan)

    def columns(r: Result) -> tuple[str, ...]:
        return f"{r.median * 1e3:.2f}", f"{len(cells) * ROWS / r.median:,.0f}", f"{r.median / our_time:.2f}"

    caption = f"medians of interleaved runs; ratio above 1: slower than {OURS}; the same bits"
    facts = {"cells": len(cells), "rows": ROWS, "seed": seed}
    return judged(facts, results, tabulated(title, caption, ("ms", "rows/s", "ratio"), results, columns))
