"""Which CUDA kernel takes rows of stored logits: a pure function of vocabulary, type and device.

A row pair that a multiprocessor, or a cluster of up to eight, can hold is read once (`held.h`); any other is read twice
(`tv.cu`).  The result has the same bits either way.  Not here: launching (`cuda_tv`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["KINDS", "SIZES", "Device", "Plan", "plans", "shared_bytes"]

KINDS = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16"}
"""Endings of the kernels by the type of the logits."""
SIZES = {"f32": 4, "f16": 2, "bf16": 2}
"""Bytes of a logit, for the types whose rows are held."""
CLUSTERS = (1, 2, 4, 8)
"""Blocks of a pair; eight is the largest cluster that every device of compute capability 9.0 launches."""
STEP = 2048
"""Tokens of a step: eight of each of 256 lanes (`STEP` and `LANES` of the sources)."""
REGISTERS = 64
"""Of a thread, at most (`cuda.OPTIONS`)."""
RESERVED = 1024
"""Bytes of shared memory that each block takes beside its own (compute capability 8.0 and later)."""
TWO_READS = 256
"""Threads of a block of `tv.cu`."""


class Device(NamedTuple):
    """What decides, by the names of `cudaDeviceProp`."""

    major: int
    sharedMemPerBlockOptin: int
    sharedMemPerMultiprocessor: int
    regsPerMultiprocessor: int

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Device:
        """From the dictionary of `cupy.cuda.runtime.getDeviceProperties`.

        >>> Device.of(dict.fromkeys(Device._fields, 9) | {"name": b"a device"}).major
        9
        """
        return cls(*(int(properties[name]) for name in cls._fields))


class Plan(NamedTuple):
    """A launch: the source and its kernel, blocks a pair of rows, threads and bytes of shared memory a block."""

    source: str
    kernel: str
    blocks: int
    threads: int
    shared: int

    @property
    def reads(self) -> int:
        """How often each logit is read from the memory of the device."""
        return 2 if self.source == "tv" else 1


def plans(vocab: int, kind: str, device: Device) -> tuple[Plan, ...]:
    """Every launch that the device can run, the best first; the last reads each row twice and always runs.

    A block of a cluster of C takes ``steps = ceil(ceil(V / 2048) / C)`` steps, with a thread for every 16 bytes of 256 logits.
    Best are the fewest blocks of which a multiprocessor holds two at once, so that one computes while the other reads;
    then the fewest that fit at all.

    Parameters
    ----------
    vocab : V >= 1
    kind : a value of `KINDS`
    device : what it offers

    Examples
    --------
    >>> h200 = Device(9, 232_448, 233_472, 65_536)
    >>> [(plan.kernel, plan.threads) for plan in plans(32_000, "f32", h200)]
    [('held_f32_2', 512), ('held_f32_4', 256), ('held_f32_8', 128), ('held_f32_1', 1024), ('tv_f32', 256)]
    >>> plans(128_256, "f32", h200)[0]
    Plan(source='spread_f32', kernel='held_f32_8', blocks=8, threads=512, shared=108544)
    >>> [plan.kernel for plan in plans(128_256, "f32", h200._replace(major=8))]
    ['tv_f32']
    """
    two_reads = Plan("tv", f"tv_{kind}", 1, TWO_READS, 0)
    if kind not in SIZES:
        return (two_reads,)
    clusters = CLUSTERS if device.major >= 9 else CLUSTERS[:1]
    single_reads = [plan for blocks in clusters if (plan := _held(vocab, kind, blocks)) and _fits(plan, device)]
    return *sorted(single_reads, key=lambda plan: (not _fits_twice(plan, device), plan.blocks)), two_reads


def shared_bytes(steps: int, threads: int) -> int:
    """Shared memory of a block: eight times 16 bytes a thread, then what `Board` of `held.h` lays out.

    >>> shared_bytes(1, 64)
    22528
    """
    quads = 8 * 16 * threads
    joined = 2 * 256 * (4 + 4 + 8) + 2 * 256 * 4  # `Masses<float>`, and the block's largest logits
    return quads + joined + steps * 2 * 256 * (4 + 4)


def _held(vocab: int, kind: str, blocks: int) -> Plan | None:
    """The launch of so many blocks a pair; None where a block would have more than 1024 threads."""
    steps = -(-vocab // (STEP * blocks))
    threads = steps * 256 * SIZES[kind] // 16
    source = "held" if blocks == 1 else "spread"
    plan = Plan(f"{source}_{kind}", f"held_{kind}_{blocks}", blocks, threads, shared_bytes(steps, threads))
    return plan if threads <= 1024 else None


def _fits(plan: Plan, device: Device) -> bool:
    return plan.shared <= device.sharedMemPerBlockOptin and plan.threads * REGISTERS <= device.regsPerMultiprocessor


def _fits_twice(plan: Plan, device: Device) -> bool:
    return (
        2 * (plan.shared + RESERVED) <= device.sharedMemPerMultiprocessor
        and 2 * plan.threads * REGISTERS <= device.regsPerMultiprocessor
    )
