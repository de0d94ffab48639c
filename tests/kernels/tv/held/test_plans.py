"""Which kernel takes which rows on which device, without a device: by hand, and that no plan asks for more than there is."""

from __future__ import annotations

import re

import pytest

from simspec.kernels import cuda
from simspec.kernels.tv.held.plans import CLUSTERS, KINDS, REGISTERS, RESERVED, STEP, Device, plans, shared_bytes

H200 = Device(9, 232_448, 233_472, 65_536)
A100 = Device(8, 166_912, 167_936, 65_536)
T4 = Device(7, 65_536, 65_536, 65_536)
DESKTOP = Device(12, 101_376, 102_400, 65_536)
DEVICES = {"H200": H200, "A100": A100, "T4": T4, "desktop": DESKTOP}


@pytest.mark.parametrize(
    ("vocab", "kind", "device", "kernel", "threads"),
    [
        (1, "f32", H200, "held_f32_1", 64),
        (2_049, "bf16", H200, "held_bf16_1", 64),
        (16_384, "f32", H200, "held_f32_1", 512),
        (32_000, "f32", H200, "held_f32_2", 512),
        (32_000, "f16", H200, "held_f16_2", 256),
        (128_256, "f32", H200, "held_f32_8", 512),
        (128_256, "bf16", H200, "held_bf16_8", 256),
        (262_144, "f32", H200, "held_f32_8", 1024),
        (262_145, "f32", H200, "tv_f32", 256),
        (32_000, "f64", H200, "tv_f64", 256),
        (10_000, "f32", A100, "held_f32_1", 320),
        (32_000, "f16", A100, "held_f16_1", 512),
        (32_000, "f32", A100, "tv_f32", 256),
        (128_256, "f16", A100, "tv_f16", 256),
        (128_256, "f32", T4, "tv_f32", 256),
        (128_256, "f32", DESKTOP, "tv_f32", 256),
        (32_000, "f16", DESKTOP, "held_f16_4", 128),
    ],
)
def test_the_best_plan_by_hand(vocab, kind, device, kernel, threads):
    best = plans(vocab, kind, device)[0]
    assert (best.kernel, best.threads) == (kernel, threads)


@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize("kind", KINDS.values())
def test_no_plan_asks_for_more_than_there_is(name, kind):
    device = DEVICES[name]
    for vocab in (1, 255, 2_048, 2_049, 30_522, 32_000, 50_257, 128_256, 151_936, 262_144, 10**6):
        *held, last = plans(vocab, kind, device)
        assert last.reads == 2 and last.shared == 0
        for plan in held:
            width = 256 // (16 // {"f32": 4}.get(kind, 2))
            steps = plan.threads // width
            assert plan.reads == 1 and plan.threads % width == 0 and plan.threads <= 1024
            assert steps * plan.blocks * STEP >= vocab > (steps - 1) * plan.blocks * STEP
            assert plan.shared == shared_bytes(steps, plan.threads) <= device.sharedMemPerBlockOptin
            assert plan.threads * REGISTERS <= device.regsPerMultiprocessor
            assert plan.blocks == 1 or device.major >= 9


def test_two_blocks_share_a_multiprocessor_where_they_can():
    """At both sizes of the benchmark, for every type; and of those that do, the fewest blocks are the first."""
    for vocab in (32_000, 128_256):
        for kind in ("f32", "f16", "bf16"):
            *held, _ = plans(vocab, kind, H200)
            twice = [2 * (plan.shared + RESERVED) <= 233_472 and plan.threads <= 512 for plan in held]
            assert twice == sorted(twice, reverse=True) and twice[0]
            assert [plan.blocks for plan, both in zip(held, twice, strict=True) if both] == sorted(
                plan.blocks for plan, both in zip(held, twice, strict=True) if both
            )


def test_every_plan_names_a_kernel_of_its_source():
    names = {plan[:3] for vocab in (5, 32_000) for kind in KINDS.values() for plan in plans(vocab, kind, H200)}
    assert len(names) == 3 * len(CLUSTERS) + len(KINDS)
    for source, kernel, blocks in names:
        head = rf"CLUSTER_KERNEL\({blocks}, " if blocks > 1 else r"KERNEL\("
        assert re.search(f"^{head}{kernel}, ", cuda.source(source), re.MULTILINE), kernel
