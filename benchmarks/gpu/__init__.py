"""On a GPU: total variation of stored logits, acceptance of synthetic pairs and rounds, against CuPy, PyTorch and the device.

Stored pairs: every candidate computes 1/2 sum |softmax(a) - softmax(b)| for each row of float32, float16 or bfloat16 logits on
the device and brings the result to the host; all must be within 1e-6 of float64 NumPy.  The limit is memory: a copy of one of
the two arrays on the device, which moves as many bytes as reading both.  Beside the kernel that the device gets stand the
others that it can run (`simspec.kernels.tv.held.plans`): pairs of rows spread over other numbers of blocks, and `two reads`,
which reads both rows twice, so half the limit is all that it can reach.

Synthetic pairs: the cases of `python -m benchmarks synthetic` with more rows; every candidate draws the logits and returns the
mean acceptance.  Peers draw in float32, by their library's sampler and by the closed form, which gives two normal draws from
one radius; PyTorch's closed form also compiled.  Ours is there in float32 and in float64.  Means must be within six standard
errors of other rows' (false alarm 2e-9 a candidate), and some of our rows within 1e-6 (float32) and 1e-9 of the reference.
The limit is instructions: a kernel that only draws each pair once in float32.  Beside ours, which draws each pair once and
keeps its powers on the chip, stands `drawn twice`, which keeps nothing; how near the instructions of ours let it come to the
limit, is counted in its machine code (`benchmarks.gpu.instructions`) and stands beside what is measured.
Beside it stands how many float64 instructions a pair would take the time of ours in float64, by the measured rate of
independent multiplications and additions.

Studies of many small cells: `benchmarks.gpu.cells`.  Rounds: `benchmarks.gpu.paths`.

Every call waits for the device, so launching counts.  Without CuPy or a device there is nothing to time: one line says so.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness, synthetic, tv
from benchmarks.cases import Bench, Done, judged, table, timed
from benchmarks.gpu import cells, paths
from benchmarks.gpu.peers import COPY, DOUBLE, DRAWS, OURS, Pairs, Stored, overlaps, pair_peers, stored_peers
from benchmarks.harness import Result
from simspec.kernels.cuda.launch import cupy, launch
from simspec.kernels.tv.cuda_tv import available
from simspec.kernels.tv.held.plans import KINDS, SIZES

__all__ = ["BENCH", "CASES", "float64_rate", "rate_of", "share_of"]

TOLERANCE = tv.TOLERANCE
EXACT = {np.float32: 1e-6, np.float64: 1e-9}
CASES = tuple((*size, dtype) for dtype in tv.DTYPES for size in ((4096, 32_000), (1024, 128_256)))
"""Rows, vocabulary, type."""
QUICK = ((16, 2_000, "float32"), (16, 2_000, "bfloat16"))
ROWS = (512, 4096)
"""Of the cases of synthetic pairs: with few rows what a launch costs shows as well; quick: as on a CPU."""
_STEPS = 4096


# ---- limits ----


def share_of(results: Sequence[Result], limit: str) -> float | None:
    """Which part of the limit ours reaches: the limit's median time over ours; None where one was not timed.

    >>> share_of([Result(OURS, "ok", seconds=[4.0]), Result(COPY, "ok", seconds=[3.0])], COPY)
    0.75
    """
    times = harness.medians(results)
    return times[limit] / times[OURS] if {OURS, limit} <= times.keys() else None


def rate_of(results: Sequence[Result], name: str, amount: float) -> float | None:
    """What a candidate does in a second, if a run does `amount` of it; None where it was not timed.

    >>> rate_of([Result(COPY, "ok", seconds=[2.0, 4.0, 3.0])], COPY, 12.0)
    4.0
    """
    times = harness.medians(results)
    return amount / times[name] if name in times else None


def float64_rate(cp: Any, repeats: int) -> float:
    """Float64 multiplications and additions a second, by the median of timed launches after one that is not."""
    blocks = 32 * _device(cp)["multiProcessorCount"]
    threads = 256
    out = cp.empty(blocks * threads)
    seconds = []
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


def _table(title: str, results: Sequence[Result], limit: str, remark: str, share: float | None) -> Any:
    """The usual table without threads, which a device has its own of; the caption says how near ours is to the limit."""
    gpu_table = table(title, results, OURS, limit)
    reached = "" if share is None else f"simspec reaches {share:.0%} of the limit; "
    gpu_table.caption = f"{remark}{reached}{gpu_table.caption}"
    gpu_table.columns.pop(1)
    gpu_table.columns[-1].header = "to limit"
    return gpu_table


# ---- stored pairs ----


def _stored(cp: Any, rows: int, vocab: int, dtype: str, seed: int, repeats: int) -> Done:
    def prepare() -> Any:
        logits = tv.draw(rows, vocab, seed, dtype)
        return Stored(cp, *map(cp.asarray, logits)), tv.expected(logits), TOLERANCE

    title = f"{rows} x {vocab:,} {dtype}"
    results = timed(title, stored_peers(vocab, dtype), repeats, prepare)
    bytes_read = 2 * SIZES[KINDS[dtype]] * rows * vocab
    copied = rate_of(results, COPY, bytes_read)
    facts = {"rows": rows, "vocab": vocab, "dtype": dtype, "bytes": bytes_read, "copied_bytes_per_second": copied}
    facts["kernel"] = available(vocab, KINDS[dtype])[0].kernel
    about = _about(cp, results, COPY) | facts
    remark = "" if copied is None else f"copies {copied / 1e9:,.0f} GB/s; "
    return judged(about, results, _table(title, results, COPY, remark, about["share_of_limit"]))


# ---- synthetic pairs ----


def _pairs(cp: Any, case: synthetic.Case, repeats: int) -> Done:
    """A case of synthetic pairs: every candidate timed and judged, and the largest share of the limit that instructions allow."""
    from benchmarks.gpu.instructions import most_of_limit  # here, as that module is a command of its own

    errors, expected, tolerance = _expectation(cp, case)
    rate = float64_rate(cp, repeats)
    results = timed(case.name, pair_peers(), repeats, lambda: (Pairs(cp, case), expected, tolerance))
    pairs = case.rows * case.vocab
    speed, exact = (rate_of(results, name, pairs) for name in (OURS, DOUBLE))
    about = _about(cp, results, DRAWS) | case.facts()
    about |= {"row_errors": {np.dtype(real).name: error for real, error in errors.items()}, "float64_per_second": rate}
    about |= {"pairs_per_second": speed, "float64_a_pair": None if exact is None else rate / exact}
    share_by_instructions = most_of_limit("gaussian" if case.df == math.inf else "student")
    about |= {"most_share_by_instructions": share_by_instructions}
    remark = f"by its instructions at most {share_by_instructions:.0%}; "
    remark += "" if exact is None else f"in float64 a pair in the time of {rate / exact:,.0f} instructions; "
    gpu_table = _table(f"{case.name}, {case.rows} x {case.vocab:,}", results, DRAWS, remark, about["share_of_limit"])
    gpu_table.columns[2].header = "mean's error"
    return judged(about, results, gpu_table, right=all(error <= EXACT[real] for real, error in errors.items()))


def _expectation(cp: Any, case: synthetic.Case) -> tuple[dict[Any, float], NDArray[np.float64], float]:
    """Errors of our first rows in both types, the mean of other rows, and six standard errors of a difference."""
    others = cp.asnumpy(overlaps(case, 4 * case.rows, case.rows))
    first_rows = min(case.rows, 2)
    row_errors = {
        real: synthetic.expectation(case, cp.asnumpy(overlaps(case, first_rows, dtype=real)), others) for real in EXACT
    }
    return {real: error for real, (error, *_) in row_errors.items()}, *row_errors[np.float64][1:]


def _cases(args: argparse.Namespace, repeats: int) -> list[Callable[[], Done]]:
    cp = cupy()
    pairs = synthetic.QUICK if args.quick else [case._replace(rows=rows) for rows in ROWS for case in synthetic.CASES]
    works = [partial(_stored, cp, *size, args.seed, repeats) for size in (QUICK if args.quick else CASES)]
    works += [partial(_pairs, cp, case._replace(seed=args.seed), repeats) for case in pairs]
    works.append(partial(cells.case, cp, args.seed, repeats, cells.QUICK if args.quick else None))
    size = paths.QUICK if args.quick else paths.SIZE
    return works + [partial(paths.case, cp, name, size, args.seed, repeats) for name in paths.RULES]


BENCH = Bench(
    name="gpu",
    summary="CUDA kernels on a GPU, against CuPy, PyTorch and the device's limits",
    repeats=21,
    quick="small cases",
    cases=_cases,
    seed="the logits and of every generator",
    seeds=2**31,
    place=lambda: {"device": _name(cupy())},
)
