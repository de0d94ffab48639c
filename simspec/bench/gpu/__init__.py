"""On a GPU: total variation of stored logits and acceptance of synthetic pairs, against CuPy, PyTorch and the device.

Stored pairs: every candidate computes 1/2 sum |softmax(a) - softmax(b)| for each row of float32 logits on the device and
brings the result to the host; all must be within 1e-6 of float64 NumPy.  The limit is memory: a copy of one of the two
arrays on the device, which moves as many bytes as reading both.

Synthetic pairs: the cases of `simspec bench synthetic` with more rows; every candidate draws the logits and returns the
mean acceptance.  Ours works in float64 and is the same on every machine; peers draw in float32, by their library's sampler
and by the closed form, which gives two normal draws from one radius; PyTorch's closed form also compiled.  Means must be
within six standard errors of other rows' (false alarm 2e-9 a candidate), and some of our rows within 1e-9 of the reference.
The limit is instructions: a kernel that only draws each pair once (ours draws it three times and stores nothing).  Beside
it stands how many float64 instructions a pair would take our time, by the measured rate of independent multiplications and
additions.

Every call waits for the device, so launching counts.  Without CuPy or a device there is nothing to time: one line says so.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.bench import harness, synthetic, tv
from simspec.bench.gpu.peers import COPY, DRAWS, OURS, Pairs, Stored, overlaps, pair_peers, stored_peers
from simspec.bench.harness import Result
from simspec.kernels.cuda.launch import cupy, launch
from simspec.kernels.softmax import reference
from simspec.kernels.synthetic import reference as synthetic_reference

__all__ = ["CASES", "add_arguments", "float64_rate", "main", "rate_of", "run", "share_of"]

TOLERANCE, EXACT = tv.TOLERANCE, 1e-9
CASES = ((4096, 32_000), (1024, 128_256))
QUICK = ((16, 2_000),)
ROWS = 512
"""Of a case of synthetic pairs; quick: as on a CPU."""
REPEATS = 21
_PACKAGES = ("numpy", "cupy-cuda12x", "cupy-cuda13x", "torch", "triton")
_STANDARD_ERRORS = 6
_STEPS = 4096


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `simspec bench gpu`."""
    harness.add_arguments(parser, REPEATS, quick="small cases", seed="the logits and of every generator")


def run(args: argparse.Namespace) -> int:
    """Validate, time and print; 0, or 1 when our own result is wrong, or 2 for bad usage or where there is no GPU."""
    try:
        repeats = harness.repeats_of(args, REPEATS, seeds=2**31)
        cp = cupy()
    except (ValueError, ImportError, RuntimeError) as error:
        return harness.fail(" ".join(str(error).split()))
    pairs = synthetic.QUICK if args.quick else [case._replace(rows=ROWS) for case in synthetic.CASES]
    works = [partial(_stored, cp, *size, args.seed, repeats) for size in (QUICK if args.quick else CASES)]
    works += [partial(_pairs, cp, case._replace(seed=args.seed), repeats) for case in pairs]
    return harness.run_cases("gpu", _PACKAGES, args, works, place={"device": _name(cp)})


# ---- limits ----


def share_of(results: Sequence[Result], limit: str) -> float | None:
    """Which part of the limit ours reaches: the limit's median time over ours; None where one was not timed.

    >>> share_of([Result(OURS, "ok", seconds=[4.0]), Result(COPY, "ok", seconds=[3.0])], COPY)
    0.75
    """
    times = {r.name: r.median for r in results if r.seconds}
    return times[limit] / times[OURS] if {OURS, limit} <= times.keys() else None


def rate_of(results: Sequence[Result], name: str, amount: float) -> float | None:
    """What a candidate does in a second, if a run does `amount` of it; None where it was not timed.

    >>> rate_of([Result(COPY, "ok", seconds=[2.0, 4.0, 3.0])], COPY, 12.0)
    4.0
    """
    times = {r.name: r.median for r in results if r.seconds}
    return amount / times[name] if name in times else None


def float64_rate(cp: Any, repeats: int) -> float:
    """Float64 multiplications and additions a second, by the median of timed launches after one that is not."""
    blocks, threads = 32 * _device(cp)["multiProcessorCount"], 256
    out, seconds = cp.empty(blocks * threads), []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        launch("rate", "float64_chains", blocks, threads, _STEPS, np.float64(0.5), out)
        cp.cuda.runtime.deviceSynchronize()
        seconds.append(time.perf_counter() - start)
    return 16 * _STEPS * blocks * threads / statistics.median(seconds[1:])


def _device(cp: Any) -> Any:
    return cp.cuda.runtime.getDeviceProperties(cp.cuda.runtime.getDevice())


def _name(cp: Any) -> str:
    name = _device(cp)["name"]
    return name.decode() if isinstance(name, bytes) else str(name)


def _about(cp: Any, results: Sequence[Result], limit: str) -> dict[str, Any]:
    processors = int(_device(cp)["multiProcessorCount"])
    return {"multiprocessors": processors, "share_of_limit": share_of(results, limit)}


def _table(title: str, results: Sequence[Result], limit: str, said: str, share: float | None) -> Any:
    """The usual table without threads, which a device has its own of; the caption says how near ours is to the limit."""
    table = harness.table(title, results, OURS, limit)
    reached = "" if share is None else f"simspec reaches {share:.0%} of the limit; "
    table.caption = f"{said}{reached}{table.caption}"
    table.columns.pop(1)
    table.columns[-1].header = "to limit"
    return table


# ---- stored pairs ----


def _stored(cp: Any, rows: int, vocab: int, seed: int, repeats: int) -> harness.Done:
    peers = stored_peers()
    with harness.shown(f"{rows} x {vocab:,}", harness.steps(peers, repeats) + 1) as tick:
        a, b = tv.draw(rows, vocab, seed)
        blocks = zip(np.array_split(a, -(-rows // 16)), np.array_split(b, -(-rows // 16)), strict=True)
        expected = np.concatenate([reference.tv_from_logits(x, y) for x, y in blocks])
        tick("reference")
        data = Stored(cp, cp.asarray(a), cp.asarray(b))
        results = harness.compare(peers, data, expected, TOLERANCE, repeats, tick)
    moved = a.nbytes + b.nbytes
    copied = rate_of(results, COPY, moved)
    about = _about(cp, results, COPY) | {
        "rows": rows,
        "vocab": vocab,
        "bytes": moved,
        "copied_bytes_per_second": copied,
    }
    said = "" if copied is None else f"copies {copied / 1e9:,.0f} GB/s; "
    table = _table(f"{rows} x {vocab:,} float32", results, COPY, said, about["share_of_limit"])
    return harness.judged(about, results, table)


# ---- synthetic pairs ----


def _pairs(cp: Any, case: synthetic.Case, repeats: int) -> harness.Done:
    peers = pair_peers()
    with harness.shown(case.name, harness.steps(peers, repeats) + 2) as tick:
        error, expected, tolerance = _expectation(cp, case)
        tick("reference")
        rate = float64_rate(cp, repeats)
        tick("float64")
        results = harness.compare(peers, Pairs(cp, case), expected, tolerance, repeats, tick)
    pairs = case.rows * case.vocab
    speed = rate_of(results, OURS, pairs)
    about = _about(cp, results, DRAWS) | case._asdict() | {"df": None if case.df == math.inf else case.df}
    about |= {"row_error": error, "float64_per_second": rate, "pairs_per_second": speed}
    about |= {"float64_a_pair": None if speed is None else rate / speed}
    said = "" if speed is None else f"a pair in the time of {rate / speed:,.0f} float64 instructions; "
    table = _table(f"{case.name}, {case.rows} x {case.vocab:,}", results, DRAWS, said, about["share_of_limit"])
    table.columns[2].header = "mean's error"
    return harness.judged(about, results, table, right=error <= EXACT)


def _expectation(cp: Any, case: synthetic.Case) -> tuple[float, NDArray[np.float64], float]:
    """Error of our first rows, mean acceptance of four times as many others, and six standard errors."""
    few = range(min(case.rows, 2))
    numbers = (np.asarray(0.0), np.asarray(case.scale), (0, 1), np.dtype(np.float64))
    exact = synthetic_reference.overlap(few, case.vocab, case.seed, case.rho, case.df, *numbers)
    error = float(np.abs(cp.asnumpy(overlaps(case, len(few))) - exact).max())
    others = cp.asnumpy(overlaps(case, 4 * case.rows, first_row=case.rows))
    spread = float(others.std(ddof=1)) * math.sqrt(1 / case.rows + 1 / len(others))
    return error, others.mean(keepdims=True), _STANDARD_ERRORS * spread


def main(argv: list[str] | None = None) -> int:
    """`python -m simspec.bench.gpu --quick`."""
    parser = argparse.ArgumentParser(
        prog="simspec bench gpu",
        description="Time the CUDA kernels against CuPy, PyTorch and the device's limits, after checking them all.",
        epilog="example: simspec bench gpu --json gpu.json",
    )
    add_arguments(parser)
    return run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
