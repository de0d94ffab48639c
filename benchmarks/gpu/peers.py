"""The candidates of the benchmark `gpu`: ours, CuPy as a user would write it, PyTorch plain and compiled, and the limits."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks import harness, synthetic, tv
from benchmarks.harness import Peer
from simspec.kernels.random import Draws
from simspec.kernels.synthetic import cuda_synthetic as pairs
from simspec.kernels.tv import cuda_tv as gpu
from simspec.kernels.tv.held.plans import KINDS, Plan

__all__ = [
    "COPY",
    "DOUBLE",
    "DRAWS",
    "OURS",
    "TWICE",
    "TWO_READS",
    "Pairs",
    "Stored",
    "overlaps",
    "pair_peers",
    "stored_peers",
]

OURS = "simspec"
TWO_READS = "simspec, two reads"
TWICE = "simspec, drawn twice"
DOUBLE = "simspec in float64"
COPY = "device copy (limit)"
DRAWS = "draws alone (limit)"


class Stored(NamedTuple):
    """CuPy, and two arrays of logits (rows, V) on the device: float32, float16, or int16 for the bits of bfloat16."""

    cp: Any
    a: Any
    b: Any


def stored_peers(vocab: int, dtype: str = "float32") -> list[Peer]:
    """Ours first, by the plan that the device prefers; the other plans, the peers, and the copy."""
    best, *others = gpu.available(vocab, KINDS[dtype])
    return [
        Peer(OURS, partial(_simspec, best), (1,)),
        *[Peer(_name(plan), partial(_planned, plan), (1,)) for plan in others],
        Peer("CuPy", lambda data, n: lambda: data.cp.asnumpy(_cupy_tv(data)), (1,)),
        Peer("PyTorch", lambda data, n: _torch_tv(data, compiled=False), (1,)),
        Peer("PyTorch compiled", lambda data, n: _torch_tv(data, compiled=True), (1,)),
        Peer(COPY, _copy, (1,), checked=False),
    ]


def _name(plan: Plan) -> str:
    return TWO_READS if plan.reads == 2 else f"simspec, {plan.blocks} block{'s' * (plan.blocks > 1)} a pair"


def _simspec(best: Plan, data: Stored, threads: int) -> harness.Call:
    """What a user calls; NumPy has no bfloat16, so its bits go to the kernel."""
    if data.a.dtype == np.int16:
        return _planned(best, data, threads)
    return lambda: data.cp.asnumpy(gpu.tv_from_logits(data.a, data.b))


def _planned(plan: Plan, data: Stored, threads: int) -> harness.Call:
    x, y = (z.view(np.uint16) if z.itemsize == 2 else z for z in (data.a, data.b))
    return lambda: data.cp.asnumpy(gpu.tv_rows(x, y, plan))


def _cupy_law(cp: Any, z: Any) -> Any:
    """Softmax in one new array."""
    law = z - z.max(axis=-1, keepdims=True)
    cp.exp(law, out=law)
    law /= law.sum(axis=-1, keepdims=True)
    return law


def _cupy_tv(data: Stored) -> Any:
    difference = _cupy_law(data.cp, tv.widened(data.a))
    difference -= _cupy_law(data.cp, tv.widened(data.b))
    return data.cp.abs(difference, out=difference).sum(axis=-1) / 2


def _torch_tv(data: Stored, compiled: bool) -> harness.Call:
    import torch

    a, b = (torch.as_tensor(data.cp.asnumpy(z), device=_torch_device()) for z in (data.a, data.b))
    if data.a.dtype == np.int16:
        a, b = (z.view(torch.bfloat16) for z in (a, b))
    function = _compiled(tv.torch_rows) if compiled else tv.torch_rows
    return lambda: function(a, b).cpu().numpy()


def _compiled(function: Any) -> Any:
    """Compiled by PyTorch, which needs triton for a device."""
    import torch
    import triton  # noqa: F401

    return torch.compile(function)


def _torch_device() -> Any:
    """The device; where PyTorch was built without CUDA it counts as not installed."""
    import torch

    if not torch.cuda.is_available():
        raise ImportError("PyTorch finds no CUDA device", name="torch with CUDA")
    return torch.device("cuda")


def _copy(data: Stored, threads: int) -> harness.Call:
    scratch = data.cp.empty_like(data.a)

    def call() -> None:
        data.cp.copyto(scratch, data.a)
        data.cp.cuda.runtime.deviceSynchronize()

    return call


class Pairs(NamedTuple):
    """CuPy, and a case of `python -m benchmarks synthetic`."""

    cp: Any
    case: synthetic.Case


def overlaps(case: synthetic.Case, rows: int, first_row: int = 0, dtype: Any = np.float64) -> Any:
    """Our overlaps of some rows of a case."""
    return pairs.overlap(_drawn(case, rows, first_row, dtype), case.vocab, case.model)


def _drawn(case: synthetic.Case, rows: int, first_row: int = 0, dtype: Any = np.float32) -> Draws:
    return Draws(case.seed, range(first_row, first_row + rows), dtype=np.dtype(dtype))


def pair_peers() -> list[Peer]:
    """Ours first, drawn once and twice and in float64, then the peers, then the kernel that only draws."""
    return [
        Peer(OURS, lambda data, n: lambda: _ours(data, np.float32), (1,)),
        Peer(TWICE, lambda data, n: lambda: _drawn_twice(data), (1,)),
        Peer(DOUBLE, lambda data, n: lambda: _ours(data, np.float64), (1,)),
        Peer("CuPy sampler", lambda data, n: _cupy_pairs(data, library=True), (1,)),
        Peer("CuPy closed form", lambda data, n: _cupy_pairs(data, library=False), (1,)),
        Peer("PyTorch sampler", lambda data, n: _torch_pairs(data.case, _torch_device(), library=True), (1,)),
        Peer("PyTorch closed form", lambda data, n: _torch_pairs(data.case, _torch_device(), library=False), (1,)),
        Peer("PyTorch closed form, compiled", _torch_compiled_pairs, (1,)),
        Peer(DRAWS, _draws, (1,), checked=False),
    ]


def _ours(data: Pairs, dtype: Any) -> Any:
    return data.cp.asnumpy(overlaps(data.case, data.case.rows, dtype=dtype)).mean(keepdims=True)


def _drawn_twice(data: Pairs) -> Any:
    case = data.case
    return data.cp.asnumpy(pairs.overlap_drawn_twice(_drawn(case, case.rows), case.vocab, case.model)).mean(
        keepdims=True
    )


def _cupy_pairs(data: Pairs, library: bool) -> harness.Call:
    """The call that returns the mean acceptance with CuPy, with its sampler or with the closed form."""
    cp, case = data
    shape = (case.rows, case.vocab)
    scale = np.float32(case.scale)
    noise = np.float32(case.scale * math.sqrt(1 - case.rho**2))
    generator = cp.random.default_rng(case.seed)
    older = cp.random.RandomState(case.seed)  # the new generators have no Student-t

    def draw() -> Any:
        if library and case.df == math.inf:
            return generator.standard_normal(shape, dtype=np.float32)
        if library:
            return older.standard_t(case.df, shape, dtype=np.float32)
        u, v = generator.random((2, case.radii(case.rows)), dtype=np.float32)
        return synthetic.closed_form(cp, u, v, case.df)[: math.prod(shape)].reshape(shape)

    def call() -> Any:
        p = draw()
        q = draw()
        p *= scale
        q *= noise
        q += p * np.float32(case.rho)
        common = cp.minimum(_cupy_law(cp, p), _cupy_law(cp, q)).sum(axis=-1)
        return cp.asnumpy(common).mean(keepdims=True, dtype=np.float64)

    return call


def _torch_pairs(case: synthetic.Case, device: Any, library: bool, compiled: bool = False) -> harness.Call:
    """The call that returns the mean acceptance with PyTorch, with its sampler or with the closed form."""
    import torch

    shape = (case.rows, case.vocab)
    torch.manual_seed(case.seed)  # the Student-t sampler takes no generator

    def draw() -> Any:
        if library and case.df == math.inf:
            return torch.randn(shape, device=device)
        if library:
            return torch.distributions.StudentT(torch.tensor(case.df, device=device)).sample(shape)
        u, v = torch.rand(2, case.radii(case.rows), device=device)
        return synthetic.torch_closed_form(u, v, case.df)[: math.prod(shape)].view(shape)

    def mean() -> Any:
        p = draw().mul_(case.scale)
        q = draw().mul_(case.scale * math.sqrt(1 - case.rho**2)).add_(p, alpha=case.rho)
        return torch.minimum(p.softmax(-1), q.softmax(-1)).sum(-1).double().mean()

    function = _compiled(mean) if compiled else mean
    return lambda: function().cpu().numpy().reshape(1)


def _torch_compiled_pairs(data: Pairs, threads: int) -> harness.Call:
    return _torch_pairs(data.case, _torch_device(), library=False, compiled=True)


def _draws(data: Pairs, threads: int) -> harness.Call:
    case = data.case
    return lambda: data.cp.asnumpy(pairs.sums(_drawn(case, case.rows), case.vocab, case.model))
