"""CUDA backends, through CuPy: synthetic row pairs that are drawn on the device and never leave it.

The type is that of the draws, as on a CPU: in float64 the logits have the bits of `simspec.logits.synthetic`; in float32
they are the draws that `simspec.kernels.synthetic.numba_synthetic` makes and bounds, to rounding.  Below df = 1 all is float64.

Which kernel runs, follows from the model and the type, not from the rows beside it: so the same bits come out for any number of
threads, any batch, any device, and from the host build that the tests run.

Held (`pairs.h`): float32 with one location and one scale, as `is_held` says.  Each pair is drawn once, its powers of two
are kept in the shared memory of a block or a cluster of blocks and behind it.  A mass is relatively off by
N = 4 u + 2 u + s: its powers, sums of four in float32, sums of float64 (`sum_bound`).  A term of the overlap is off by its
power, the mass, the rounded inverse of that and a product, and by 2 u of its sum of four; hence 2 (N + 8 u) + s, which is
within the bound below for two tokens or more.  One token has only the inverse and the product.

Drawn twice (`synthetic.cu`): everything else.  With u and s of `simspec.kernels.tv.cuda_tv` a mass is relatively off by
N = u (log V + 4 + 2) + 2 s + a few roundings: its exponentials, sums of four in the type of the logits, sums of float64
that are rescaled.  A law's logarithm is (x - m) - log mass, two differences and a logarithm rounded to the type: off by at most
2 u |log p|, whose mean is at most 2 u log V, and by N; the exponential and its sums of four add 6 u.  Only the smaller law
counts; hence `overlap_bound`, which holds for both kernels.  CuPy is imported on first use.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.checks import whole_number
from simspec.kernels import random as philox
from simspec.kernels.cuda.launch import cupy, launch, on_device, properties
from simspec.kernels.random import Draws
from simspec.kernels.random.core import NORMAL_DF
from simspec.kernels.synthetic.held import LOG2_E, Held, held, is_held
from simspec.kernels.synthetic.reference import Model, check_rho
from simspec.kernels.tv.cuda_tv import sum_bound

__all__ = [
    "Checked",
    "Request",
    "logits",
    "overlap",
    "overlap_bound",
    "overlap_drawn_twice",
    "overlaps",
    "overlaps_held",
    "sums",
    "table",
]


class Request(NamedTuple):
    """Rows of one cell: their draws, the number of tokens, and the model."""

    draws: Draws
    vocab: int
    model: Model


class Checked(NamedTuple):
    """A request whose values are known to be in their ranges, its location and scale as NumPy numbers or arrays (V,).

    The scale of Student-t draws in float32 is over sqrt(df) ahead of the kernel.
    """

    draws: Draws
    vocab: int
    df: float
    rho: float
    location: Any
    scale: Any
    kind: str

    @property
    def rows(self) -> int:
        """Number of row pairs."""
        return len(self.draws.rows)

    @property
    def is_per_token(self) -> bool:
        """Whether each token has a location and a scale of its own."""
        return bool(self.location.shape or self.scale.shape)


def overlap_bound(vocab: int, dtype: Any) -> float:
    """Worst-case absolute error of the overlap of two laws of `vocab` tokens, for given logits: 2 (N + u (2 log V + 6)) + s.

    >>> overlap_bound(1, np.float64) < 1e-14, overlap_bound(128_256, np.float32) < 6e-6
    (True, True)
    """
    u = float(np.finfo(dtype).eps) / 2
    s = sum_bound(vocab)
    return 2 * (u * (3 * math.log(vocab) + 12) + 2 * s + 2.0**-50) + s


def overlap(draws: Draws, vocab: int, model: Model, threads: int | None = None) -> Any:
    """Backend of `reference.overlap`: row pairs are drawn and forgotten.

    Memory: a number a row, two a token if location or scale are arrays, and `held.behind_bytes` of powers.
    """
    return overlaps([Request(draws, vocab, model)], threads)[0]


def overlap_drawn_twice(draws: Draws, vocab: int, model: Model, threads: int | None = None) -> Any:
    """`overlap` by the kernel that takes every model and keeps nothing: float32 ones differ from it by rounding.

    What `overlap` saves by holding its pairs is measured against it.
    """
    return _drawn_twice([_checked(draws, vocab, model)], threads)


def overlaps(
    requests: Sequence[tuple[Draws, int, Model]], threads: int | None = None, on_host: bool = False
) -> list[Any]:
    """Overlaps of the rows of several cells, an array (n,) each, in as few launches as there are kernels that they need.

    With `on_host` they are NumPy arrays, which a copy a launch brings.

    A row has the same bits as in a launch of its own.  Cells whose tokens have locations or scales of their own are launched
    one by one.

    Raises ValueError as `overlap` does.
    """
    checked = [_checked(*request) for request in requests]
    plans = [_plan(request, threads) for request in checked]
    groups: dict[Any, list[int]] = {}
    for i, (request, plan) in enumerate(zip(checked, plans, strict=True)):
        kernel = request.kind if plan is None else plan.kernel
        groups.setdefault((kernel, i if request.is_per_token else None), []).append(i)
    out: list[Any] = [None] * len(checked)
    for members in groups.values():
        cells = [checked[i] for i in members]
        largest = plans[max(members, key=lambda i: checked[i].vocab)]  # whose rows need most room
        values = _drawn_twice(cells, threads) if largest is None else _drawn_once(cells, largest)
        values = cupy().asnumpy(values) if on_host else values
        starts = np.cumsum([0, *(request.rows for request in cells)]).tolist()
        for i, first, last in zip(members, starts[:-1], starts[1:], strict=True):
            out[i] = values[first:last]
    return out


def _plan(request: Checked, threads: int | None) -> Held | None:
    """The launch that holds a request's pairs; None where they are drawn twice."""
    if request.kind != "f32" or request.is_per_token:
        return None
    if not is_held(request.df, float(request.location), float(request.scale)):
        return None
    plan = held(request.vocab, int(properties()["major"]), one_block=threads is not None)
    return plan if threads is None else plan._replace(threads=threads)


def _drawn_twice(cells: Sequence[Checked], threads: int | None) -> Any:
    """Rows of one type by the kernel of `synthetic.cu`."""
    rows = sum(request.rows for request in cells)
    out = cupy().empty(rows)
    sound = cupy().zeros(1, dtype=np.uint64)
    launch("synthetic", f"overlap_{cells[0].kind}", rows, threads, *_given(cells), out, sound)
    if (wrong := rows - int(sound[0])) > 0:
        raise ValueError(f"a logit of {wrong} rows overflows: expected a smaller location or scale")
    return out


def overlaps_held(requests: Sequence[Request], plan: Held) -> Any:
    """Overlaps of the rows of cells that `is_held` takes, one after the other (n,), by one launch with room for each row."""
    return _drawn_once([_checked(*request) for request in requests], plan)


def _drawn_once(cells: Sequence[Checked], plan: Held) -> Any:
    """Rows that the kernel leaves out (their masses are out of range) are drawn twice."""
    cp = cupy()
    rows = sum(request.rows for request in cells)
    out = cp.empty(rows)
    clusters = min(rows, plan.clusters(int(properties()["multiProcessorCount"])))
    words = cp.empty(4 * clusters * plan.blocks * plan.behind_quads, dtype=np.uint32)
    numbers = rows, plan.in_shared, words, plan.behind_quads, out
    cell_table = cp.asarray(table(cells, LOG2_E))
    blocks = clusters * plan.blocks
    launch(plan.source, plan.kernel, blocks, plan.threads, cell_table, len(cells), *numbers, shared=plan.shared)
    if all(request.df == math.inf for request in cells):
        return out
    values = cp.asnumpy(out)
    redrawn_rows = np.flatnonzero(values < 0)
    if len(redrawn_rows):
        values[redrawn_rows] = cp.asnumpy(_drawn_twice([_row(cells, int(i)) for i in redrawn_rows], None))
        return cp.asarray(values)
    return out


def _row(cells: Sequence[Checked], number: int) -> Checked:
    """A row of the launch of some cells as a request of its own."""
    for request in cells:
        if number < request.rows:
            first = request.draws.rows.start + number
            return request._replace(draws=request.draws._replace(rows=range(first, first + 1)))
        number -= request.rows
    raise IndexError(f"number: {number} more than there are rows")


def logits(draws: Draws, vocab: int, model: Model, threads: int | None = None) -> tuple[Any, Any]:
    """`reference.logits` on the device: target and draft (n, V), in float64 to the last bit."""
    request = _checked(draws, vocab, model)
    target, draft = cupy().empty((2, request.rows, vocab), dtype=_REAL[request.kind])
    launch("synthetic", f"logits_{request.kind}", request.rows, threads, *_given([request]), target, draft)
    return target, draft


def sums(draws: Draws, vocab: int, model: Model, threads: int | None = None) -> Any:
    """Sums of the target and of the draft logits of each row, float64 (2, n): what it costs to draw each pair once.

    Raises ValueError for tokens with locations or scales of their own.
    """
    request = _checked(draws, vocab, model)
    if request.is_per_token:
        raise ValueError("model: location and scale of each token; expected one number each")
    out = cupy().empty((2, request.rows))
    launch("synthetic", f"sums_{request.kind}", request.rows, threads, *_given([request]), *out)
    return out


_REAL = {"f32": np.float32, "f64": np.float64}


def _checked(draws: Draws, vocab: int, model: Model) -> Checked:
    """The request with checked arguments: of float32 the scale is times sqrt(df); below one degree of freedom it is float64.

    Raises ValueError for a vocabulary, a model's number, or a location or scale out of range or of another shape.
    """
    draws = draws.pair()
    whole_number("vocab", vocab, 1, 2**31 - 1024)
    rho = check_rho(model.rho)
    df = float(philox.degrees(model.df, draws.dtype))
    single = draws.dtype == np.float32 and df >= 1
    kind, over = ("f32", math.sqrt(df) if df < NORMAL_DF else 1.0) if single else ("f64", 1.0)
    tokens = []
    for name, value, minimum in (("location", model.location, -math.inf), ("scale", model.scale, 0)):
        x = (cupy() if on_device(value) else np).asarray(
            value, dtype=np.float64
        )  # a few numbers are checked sooner here
        if x.shape not in ((), (vocab,)) or not bool(((x >= minimum) & (x < math.inf)).all()):
            raise ValueError(f"{name}: shape {x.shape}; expected one or {vocab} finite numbers of at least {minimum}")
        tokens.append(x * over if name == "scale" else x)
    location, scale = tokens
    return Checked(draws, vocab, df if df < NORMAL_DF else math.inf, rho, location, scale, kind)


def _given(cells: Sequence[Checked]) -> tuple[Any, ...]:
    """The arguments that the kernels of `synthetic.cu` begin with."""
    cp = cupy()
    first = cells[0]
    wide = (first.vocab if first.is_per_token else 0,)
    with np.errstate(over="ignore"):  # what overflows the type is seen in the logits
        token_arrays = [
            cp.asarray((cp if on_device(x) else np).broadcast_to(x, wide).astype(_REAL[first.kind]))
            if first.is_per_token
            else cp.empty(0, dtype=_REAL[first.kind])
            for x in (first.location, first.scale)
        ]
    return cp.asarray(table(cells)), len(cells), *token_arrays, int(first.is_per_token)


def table(cells: Sequence[Checked], unit: float = 1.0) -> NDArray[np.uint64]:
    """What the kernels read of each cell (`Cell` of `model.h`), floats by their bits; location and scale times `unit`.

    >>> request = Checked(Draws(7, range(3, 5)), 10, 5.0, 0.5, np.float64(0), np.float64(2), "f64")
    >>> table([request, request])[:, [0, 1, 2, 8, 9]].tolist()
    [[7, 3, 4294967296, 10, 0], [7, 3, 4294967296, 10, 2]]
    """
    rows = np.zeros((len(cells), 10), dtype=np.uint64)
    start = 0
    for cell_row, request in zip(rows, cells, strict=True):
        target, noise = request.draws.purposes
        numbers = request.df, request.rho, math.sqrt((1 - request.rho) * (1 + request.rho))
        place = (0.0, 0.0) if request.is_per_token else (float(request.location) * unit, float(request.scale) * unit)
        cell_row[:3] = request.draws.key, request.draws.rows.start, target | noise << 32
        cell_row[3:8] = np.array([*numbers, *place]).view(np.uint64)
        cell_row[8:] = request.vocab, start
        start += request.rows
    return rows
