"""The Monte Carlo engine against `sinter.collect`: what a hundred cells of trivial replications cost, and what large runs would.

Side by side: 100 cells of 1,000 replications that do nothing, results kept on disk by both, sinter with two workers,
once with a circuit and its defaults, once with a sampler of its own that takes each cell in one batch (as an expert
would).  Each must first report exactly 1,000 replications and 500 hits a cell.  Then the engine alone: its overhead on
blocks of 0.2 s, and a campaign of 10^9 replications over 10^4 cells, planned from measured bytes, messages and times.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.bench import campaign, harness
from simspec.bench.harness import Peer, Result
from simspec.engine import run as engine
from simspec.engine.study import Cell, Rows
from simspec.studies import Share, Study

__all__ = ["Trivial", "add_arguments", "candidates", "main", "make_sampler", "run", "trivial"]

CELLS, ROWS, HITS = 100, 1000, 500
MORE = 5
"""So many times the cells are timed as well, to tell what a cell costs from what starting costs."""
OURS, PEER = "simspec", "sinter, one batch a cell"
TARGET = 3.0
"""How much faster than the faster sinter the engine is meant to be."""
_PACKAGES = ("numpy", "pyarrow", "distributed", "sinter", "stim")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `simspec bench engine`."""
    parser.add_argument("--quick", action="store_true", help="small sizes: checks the benchmark, measures little")
    parser.add_argument("--repeats", type=int, default=None, metavar="N", help="timed rounds (default 7; quick: 1)")
    parser.add_argument("--json", type=Path, metavar="PATH", help="also write every number to PATH")


def trivial(cell: Cell, rows: Rows, device: str) -> dict[str, NDArray[Any]]:
    """Replications that do nothing: every second one is a hit."""
    return {"hit": np.arange(rows.numbers.start, rows.numbers.stop) % 2 == 0}


def _study(cells: int) -> Study:
    grid = tuple({"cell": i} for i in range(cells))
    return Study("trivial", "How long does nothing take?", grid, trivial, rows=ROWS, measures={"hit": Share()})


def run(args: argparse.Namespace) -> int:
    """Validate, time and print; 0, or 1 when our own result is wrong, or 2 for bad usage."""
    repeats = args.repeats if args.repeats is not None else 1 if args.quick else 7
    if repeats < 1:
        return harness.fail(f"--repeats {repeats}: expected at least 1")
    try:
        harness.check_place("--json", args.json)
    except ValueError as error:
        return harness.fail(str(error))
    from rich.console import Console

    out, cells = Console(), 4 if args.quick else CELLS
    peers = candidates()
    document: dict[str, Any] = {"benchmark": "engine", "version": 1, "environment": harness.environment(_PACKAGES)}
    results = _compare(peers, cells, repeats)
    more = _compare(peers, MORE * cells, -(-repeats // 2))
    out.print(_table(f"{cells} cells x {ROWS:,} trivial replications", cells, results, more))
    document |= {"cells": cells, "rows": ROWS, "results": [harness.as_json(r) for r in results]}
    document |= {"more_cells": MORE * cells, "more_results": [harness.as_json(r) for r in more]}
    by_name = {r.name: r for r in results}
    if by_name[PEER].seconds and by_name[OURS].seconds:
        ratio = min(r.median for r in results if r.name.startswith("sinter") and r.seconds) / by_name[OURS].median
        document["ratio"] = ratio
        out.print(f"{OURS} is {ratio:.1f} times as fast as the faster sinter (target: at least {TARGET:g})")
    measured = campaign.measure(quick=args.quick)
    document["campaign"] = measured._asdict()
    out.print(campaign.describe(measured), highlight=False, soft_wrap=True)
    if args.json is not None:
        try:
            harness.write(args.json, document)
        except OSError as error:
            return harness.fail(f"--json {args.json}: cannot be written ({error.strerror}); expected a writable path")
    return 0 if by_name[OURS].status == "ok" else 1


def _compare(peers: list[Peer], cells: int, repeats: int) -> list[Result]:
    from rich.console import Console
    from rich.progress import Progress

    expected = np.tile([ROWS, HITS], (cells, 1)).astype(np.float64)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"{cells} cells", total=harness.steps(peers, repeats))

        def tick(name: str) -> None:
            progress.update(task, advance=1, description=f"{cells} cells: {name}")

        return harness.compare(peers, cells, expected, 0, repeats, tick)


def _table(title: str, cells: int, results: list[Result], more: list[Result]) -> Any:
    from rich.table import Table

    own = next((r.median for r in results if r.name == OURS and r.seconds), float("nan"))
    caption = (
        f"medians (least, most) of interleaved runs; ratio: time over that of {OURS}; "
        f"ms a cell: from {cells} to {MORE * cells} cells, which leaves out the start of workers"
    )
    out = Table(title=title, caption=caption)
    out.add_column("", no_wrap=True)
    for heading in ("workers", "ms", "ratio", "ms a cell"):
        out.add_column(heading, justify="right", no_wrap=heading == "ms")
    for r, again in zip(results, more, strict=True):
        if not r.seconds:
            out.add_row(r.name, "", r.status, "", "")
            continue
        further = f"{(again.median - r.median) * 1e3 / ((MORE - 1) * cells):.2f}" if again.seconds else again.status
        spread = f"{r.median * 1e3:,.0f} ({min(r.seconds) * 1e3:,.0f}, {max(r.seconds) * 1e3:,.0f})"
        out.add_row(r.name, str(r.threads), spread, f"{r.median / own:.2f}", further)
    return out


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
        found = sinter.collect(
            num_workers=workers,
            tasks=tasks,
            max_shots=ROWS,
            save_resume_filepath=Path(folder, "stats.csv"),
            **options,
        )
    counted = {stats.json_metadata["cell"]: (stats.shots, stats.errors) for stats in found}
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
        found = _collect(cells, workers, decoders=["vacuous"])
        found[:, 1] = np.where(abs(found[:, 1] - HITS) < 160, HITS, found[:, 1])  # random there: ten deviations
        return found

    return call


def main(argv: list[str] | None = None) -> int:
    """`python -m simspec.bench.engine --quick`."""
    parser = argparse.ArgumentParser(
        prog="simspec bench engine",
        description="Time the Monte Carlo engine against sinter.collect, after checking both, and plan a large campaign.",
        epilog="example: simspec bench engine --json engine.json",
    )
    add_arguments(parser)
    return run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
