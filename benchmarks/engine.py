"""The Monte Carlo engine against `sinter.collect`: what a hundred cells of trivial replications cost, and what large runs would.

Side by side: 100 cells of 1,000 replications that do nothing, results kept on disk by both, sinter with two workers,
once with a circuit and its defaults, once with a sampler of its own that takes each cell in one batch (as an expert
would).  Each must first report exactly 1,000 replications and 500 hits a cell.  Then the engine alone: its overhead on
blocks of 0.2 s, and a campaign of 10^9 replications over 10^4 cells, planned from measured bytes, messages and times.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness
from benchmarks.cases import Bench, Done, as_json, judged, shown, tabulated
from benchmarks.harness import Peer, Result
from benchmarks.scaling import campaign
from simspec.engine import run as engine
from simspec.engine.study import Cell, Rows
from simspec.studies import Share, Study

__all__ = ["BENCH", "Trivial", "candidates", "make_sampler", "trivial"]

CELLS = 100
ROWS = 1000
HITS = 500
MORE = 5
"""So many times the cells are timed as well, to tell what a cell costs from what starting costs."""
OURS = "simspec"
PEER = "sinter, one batch a cell"
TARGET = 3.0
"""How much faster than the faster sinter the engine is meant to be."""


def trivial(cell: Cell, rows: Rows, device: str) -> dict[str, NDArray[Any]]:
    """Replications that do nothing: every second one is a hit."""
    return {"hit": np.arange(rows.numbers.start, rows.numbers.stop) % 2 == 0}


def _study(cells: int) -> Study:
    grid = tuple({"cell": i} for i in range(cells))
    return Study("trivial", "How long does nothing take?", grid, trivial, rows=ROWS, measures={"hit": Share()})


def _case(quick: bool, repeats: int) -> Done:
    """Time the engine beside sinter, measure a campaign, and return the record with its notes."""
    cells = 4 if quick else CELLS
    peers = candidates()
    results = _compare(peers, cells, repeats)
    larger_results = _compare(peers, MORE * cells, -(-repeats // 2))
    about = {
        "cells": cells,
        "rows": ROWS,
        "more_cells": MORE * cells,
        "more_results": [as_json(r) for r in larger_results],
    }
    notes = []
    times = harness.medians(results)
    if {PEER, OURS} <= times.keys():
        about["ratio"] = ratio = min(x for name, x in times.items() if name.startswith("sinter")) / times[OURS]
        notes.append(f"{OURS} is {ratio:.1f} times as fast as the faster sinter (target: at least {TARGET:g})")
    measured = campaign.measure(quick=quick)
    notes.append(campaign.describe(measured))
    table = _table(f"{cells} cells x {ROWS:,} trivial replications", cells, results, larger_results)
    record = judged(about | {"campaign": measured._asdict()}, results, table)
    return record._replace(notes="\n".join(notes))


def _compare(peers: list[Peer], cells: int, repeats: int) -> list[Result]:
    expected = np.tile([ROWS, HITS], (cells, 1)).astype(np.float64)
    with shown(f"{cells} cells", harness.steps(peers, repeats)) as tick:
        return harness.compare(peers, cells, expected, 0, repeats, tick)


def _table(title: str, cells: int, results: list[Result], larger_results: list[Result]) -> Any:
    our_time = harness.medians(results).get(OURS, float("nan"))
    again = {r.name: r for r in larger_results}

    def row(r: Result) -> tuple[str, ...]:
        larger = again[r.name]
        further = f"{(larger.median - r.median) * 1e3 / ((MORE - 1) * cells):.2f}" if larger.seconds else larger.status
        spread = f"{r.median * 1e3:,.0f} ({min(r.seconds) * 1e3:,.0f}, {max(r.seconds) * 1e3:,.0f})"
        return str(r.threads), spread, f"{r.median / our_time:.2f}", further

    caption = (
        f"medians (least, most) of interleaved runs; ratio: time over that of {OURS}; "
        f"ms a cell: from {cells} to {MORE * cells} cells, which leaves out the start of workers"
    )
    return tabulated(title, caption, ("workers", "ms", "ratio", "ms a cell"), results, row)


def candidates() -> list[Peer]:
    """Ours, then the peers; "threads" are worker processes here.  The data is the number of cells."""
    return [
        Peer(OURS, _simspec, (1,)),
        Peer("simspec, Dask workers", _simspec_workers, (2,)),
        Peer("sinter, its defaults", _sinter_circuit, (2,)),
        Peer(PEER, _sinter_sampler, (2,)),
    ]


def _totals(results: list[engine.CellResult]) -> NDArray[np.float64]:
    return np.array([[r.totals["hit.n"], r.totals["hit.hits"]] for r in results], dtype=np.float64)


def _simspec(cells: int, workers: int) -> harness.Call:
    def call() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            return _totals(engine.run(_study(cells), folder, max_rows=ROWS))

    return call


def _simspec_workers(cells: int, workers: int) -> harness.Call:
    import distributed  # noqa: F401  the peer is listed as missing without it

    from simspec.engine.pools import on_workers

    def call() -> Any:
        with (
            tempfile.TemporaryDirectory() as folder,
            on_workers(engine.work, engine.lost, workers) as pool,
        ):
            return _totals(engine.run(_study(cells), folder, max_rows=ROWS, pool=pool))

    return call


class Trivial:
    """Makes sinter's trivial sampler where it is unpickled, so that this file can be imported without sinter."""

    def __reduce__(self) -> tuple[Any, ...]:
        return make_sampler, ()


def make_sampler() -> Any:
    """A `sinter.Sampler` that does what `trivial` does, a whole cell at a time."""
    import sinter

    class Compiled(sinter.CompiledSampler):
        def sample(self, suggested_shots: int) -> sinter.AnonTaskStats:
            return sinter.AnonTaskStats(shots=ROWS, errors=HITS)

        def handles_throttling(self) -> bool:
            return True

    class Sampler(sinter.Sampler):
        def compiled_sampler_for_task(self, task: sinter.Task) -> sinter.CompiledSampler:
            return Compiled()

        def __reduce__(self) -> tuple[Any, ...]:
            return make_sampler, ()

    return Sampler()


def _circuit() -> Any:
    """A qubit that is flipped in half of the shots; `vacuous`, which predicts nothing, counts the flips."""
    import stim

    return stim.Circuit("X_ERROR(0.5) 0\nM 0\nOBSERVABLE_INCLUDE(0) rec[-1]")


def _collect(cells: int, workers: int, **options: Any) -> NDArray[np.float64]:
    import sinter

    tasks = [sinter.Task(circuit=_circuit(), json_metadata={"cell": i}, decoder=None) for i in range(cells)]
    with tempfile.TemporaryDirectory() as folder:
        statistics = sinter.collect(
            num_workers=workers,
            tasks=tasks,
            max_shots=ROWS,
            save_resume_filepath=Path(folder, "stats.csv"),
            **options,
        )
    counted = {stats.json_metadata["cell"]: (stats.shots, stats.errors) for stats in statistics}
    return np.array([counted[i] for i in range(cells)], dtype=np.float64)


def _sinter_sampler(cells: int, workers: int) -> harness.Call:
    import sinter  # noqa: F401
    import stim  # noqa: F401

    sampler = make_sampler()
    options = {"decoders": ["trivial"], "custom_decoders": {"trivial": sampler}, "start_batch_size": ROWS}
    return lambda: _collect(cells, workers, **options)


def _sinter_circuit(cells: int, workers: int) -> harness.Call:
    import sinter  # noqa: F401
    import stim  # noqa: F401

    def call() -> Any:
        counts = _collect(cells, workers, decoders=["vacuous"])
        counts[:, 1] = np.where(abs(counts[:, 1] - HITS) < 160, HITS, counts[:, 1])  # random there: ten deviations
        return counts

    return call


BENCH = Bench(
    name="engine",
    summary="the Monte Carlo engine, against sinter.collect; and what a campaign would cost",
    repeats=7,
    quick="small sizes",
    cases=lambda args, repeats: [partial(_case, args.quick, repeats)],
)
