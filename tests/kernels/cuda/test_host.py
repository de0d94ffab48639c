"""The arithmetic of the headers to the last bit, and the host's threads: early returns, atomics and every barrier."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from simspec.kernels import cuda
from simspec.kernels.random import core as philox_core
from tests.kernels.cuda import host
from tests.requirements import require


def test_functions_have_the_bits_of_numpy_and_the_stated_error(library):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(0, 80, 3000), rng.uniform(0, 700, 3000), 2.0 ** np.arange(-60, 9), [1, 0.5**0.5]])
    log, expm1, fall, fall32 = (np.empty(x.size, dtype) for dtype in (float, float, float, np.float32))
    host.launch(library, "functions", -(-x.size // 32), 32, x, np.int64(x.size), log, expm1, fall, fall32)
    np.testing.assert_array_equal(log, philox_core.log(x))
    np.testing.assert_array_equal(expm1, philox_core.expm1(x))
    exact = np.exp(-x.astype(np.longdouble))
    assert (np.abs(fall / exact - 1) <= 4 * 2.0**-53)[x <= 700].all()
    single = x.astype(np.float32)
    exact = np.exp(-single.astype(np.longdouble))
    assert (np.abs(fall32 / exact - 1) <= 4 * 2.0**-24)[single <= 80].all()
    assert (fall32[single > 80] == 0).all() and (single > 80).any()


def test_exponential_at_the_ends(library):
    x = np.array([0.0, -0.0, np.inf, np.nan, 79.99, 80.5, 699.9, 700.5])
    log, expm1, fall, fall32 = (np.empty(x.size, dtype) for dtype in (float, float, float, np.float32))
    host.launch(library, "functions", 1, 8, x, np.int64(x.size), log, expm1, fall, fall32)
    assert fall[:3].tolist() == fall32[:3].tolist() == [1, 1, 0]
    assert np.isnan(fall[3]) and np.isnan(fall32[3])
    assert (fall[4:] > 0).tolist() == [True, True, True, False]
    assert (fall32[4:] > 0).tolist() == [True, False, False, False]


def test_powers_of_two_have_the_stated_error(library):
    """Exact at whole numbers; the bound is not ten times too wide."""
    rng = np.random.default_rng(0)
    sizes = 2.0 ** rng.uniform(-30, 7, 20_000) * rng.choice([-1, 1], 20_000)
    x = np.concatenate([sizes.clip(-125, 126), rng.uniform(-125, 126, 50_000), np.arange(-125.0, 127)]).astype(
        np.float32
    )
    power = np.empty_like(x)
    host.launch(library, "doublings", 1, 4, x, np.int64(x.size), power)
    errors = np.abs(power / np.exp2(x.astype(np.longdouble)) - 1) * 2.0**24
    assert 0.4 < errors.max() <= 4
    assert (errors[-252:] == 0).all()


def test_the_exponential_of_any_nan_is_nan(library):
    """A GPU's own has all bits set: those of its power of two once made a number of it."""
    x = np.array([0x7FF8 << 48, 0xFFF8 << 48, 2**63 - 1, 2**64 - 1, (0x7FF8 << 48) + 2**29 * 5], np.uint64).view(float)
    log, expm1, fall, fall32 = (np.empty(x.size, dtype) for dtype in (float, float, float, np.float32))
    host.launch(library, "functions", 1, 8, x, np.int64(x.size), log, expm1, fall, fall32)
    assert np.isnan(fall).all() and np.isnan(fall32).all()


@pytest.mark.parametrize("df", [0.065, 0.26, 1, 3.5, 1e4, 2.0**59])
def test_draws_of_all_words_have_the_bits_of_numpy(library, df):
    ends = [0, 1, 2, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1, int(2**32 * 0.5**0.5)]
    rng = np.random.default_rng(1)
    radius = np.array([*ends, *(2.0 ** rng.uniform(0, 32, 2000)).astype(np.uint64)], dtype=np.uint32)
    angle = rng.permutation(radius)
    out = [np.empty(radius.size) for _ in range(4)]
    host.launch(library, "polar", 1, 16, radius, angle, np.int64(radius.size), np.float64(df), *out)
    np.testing.assert_array_equal(out[0], philox_core.unit(radius))
    np.testing.assert_array_equal(out[1], philox_core.sine(angle))
    np.testing.assert_array_equal(out[2], philox_core.box_muller(radius, angle))
    np.testing.assert_array_equal(out[3], philox_core.bailey(radius, angle, np.float64(df)))


@pytest.mark.parametrize("df", [1, 2, 5.0, 1e4])
def test_radii_and_waves_in_float32_have_the_stated_error(library, df):
    """Of words everywhere, at the ends, around 1/2 and where the logarithm's two ways meet; no bound is ten times too wide."""
    ends = [
        np.arange(2000),
        2**32 - 1 - np.arange(2000),
        2**31 - 1000 + np.arange(2000),
        3037000500 - 1000 + np.arange(2000),
    ]
    rng = np.random.default_rng(2)
    word = np.concatenate([*ends, 2.0 ** rng.uniform(0, 32, 20_000), rng.integers(2**32, size=20_000)]).astype(
        np.uint32
    )
    found = np.empty((4, word.size), np.float32)
    host.launch(library, "singles", 1, 4, word, np.int64(word.size), np.float64(df), *found)
    size = np.sqrt(philox_core.log(philox_core.unit(word)) * -2.0), student_radius(word, df)
    waves = philox_core.sine(word), philox_core.cosine(word)
    errors = [np.abs(x / y - 1).max() for x, y in zip(found[:2].astype(float), size, strict=True)]
    errors += [np.abs(x - y).max() for x, y in zip(found[2:].astype(float), waves, strict=True)]
    limits = np.array([2.5, 7.9, 1.94, 2.64]) * 2.0**-24
    assert (errors <= limits).all() and (errors >= limits / 10).all(), errors / limits


def student_radius(word, df):
    """Over sqrt(df)."""
    return np.sqrt(philox_core.expm1(philox_core.log(philox_core.unit(word)) * -2.0 / df))


def test_every_pattern_of_float16_is_widened_exactly(library):
    """Also the smallest, infinity and NaN; bfloat16 is the upper half of a float32."""
    bits = np.arange(2**16, dtype=np.uint16)
    half, brain = np.empty((2, bits.size), np.float32)
    host.launch(library, "widened", 1, 8, bits, np.int64(bits.size), half, brain)
    expected = bits.view(np.float16).astype(np.float32)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(half), ~number)
    np.testing.assert_array_equal(half[number].view(np.uint32), expected[number].view(np.uint32))
    np.testing.assert_array_equal(brain.view(np.uint32), bits.astype(np.uint32) << 16)


@pytest.mark.parametrize("threads", [1, 2, 7, 32, 64])
def test_threads_that_return_leave_the_barrier(library, threads):
    """Each of the n threads that stay ends with the number of its neighbour, `steps` places back."""
    steps, blocks, n = 5, 3, (threads + 1) // 2
    out, visits = np.zeros((blocks, threads), np.uint64), np.zeros(1, np.uint64)
    host.launch(library, "relay", blocks, threads, np.int64(steps), out, visits)
    assert out[:, ::2].tolist() == [[2 * ((i - steps) % n) + 1 for i in range(n)]] * blocks
    assert not out[:, 1::2].any() and visits[0] == blocks * n


@pytest.fixture(scope="module")
def race(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require("cxx")
    code = host.source() + (host.HERE / "race.cpp").read_text(encoding="utf-8")
    out = tmp_path_factory.mktemp("race") / "race"
    return host.compile(code, out, "-O1", "-g", "-fsanitize=thread")


AT_ONCE = "atexit_sleep_ms=0"
"""A program sleeps a second before it ends, for threads that it has left alone: these are all waited for."""
NAMELESS = "symbolize=0"
"""Names of functions take longer than the program; where races are expected nobody reads them."""


def races(program: Path, removed: int) -> int:
    """How many ThreadSanitizer reports without the barrier of a line; some kernels need fixed addresses for it."""
    options = f"{AT_ONCE} {NAMELESS}" if removed else AT_ONCE
    for prefix in ([], ["setarch", "-R"]):
        command = [*prefix, str(program), str(removed)]
        env = os.environ | {"TSAN_OPTIONS": options}
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, env=env)
        if "unexpected memory mapping" not in done.stderr:
            break
    reports = done.stderr.count("WARNING: ThreadSanitizer: data race")
    assert done.returncode == (66 if reports else 0), done.stderr
    return reports


TRIES = 10
"""ThreadSanitizer remembers the last few accesses of an address: whether it sees a race hangs on the threads' times."""


def is_needed(program: Path, line: int) -> bool:
    """Whether some run without the barrier of a line races: one report shows it, a run without any shows nothing."""
    return any(races(program, line) > 0 for _ in range(TRIES))


def barriers(program: Path) -> list[int]:
    """The lines of the barriers that the host compiles."""
    text = subprocess.run(
        ["c++", "-std=c++20", "-E", "-P", str(program.with_suffix(".cpp"))], capture_output=True, text=True, check=True
    )
    return sorted({int(line) for line in re.findall(r"host::meet(?:_cluster)?\((\d+)\)", text.stdout)})


def test_every_barrier_is_needed_and_none_is_missing(race):
    lines = barriers(race)
    # three of block_reduce, five of largest, two of the relay, one of quantise, seven of rows that are held, one of pairs
    assert len(lines) == 19
    assert races(race, 0) == 0
    assert {line: is_needed(race, line) for line in lines} == dict.fromkeys(lines, True)


def test_sources_are_named_and_whole():
    assert set(cuda.names()) >= {"affinity", "held_f32", "rounds", "sparsify", "spread_bf16", "synthetic", "tv"}
    for name in cuda.names():
        assert '#include "' not in cuda.source(name)
        assert cuda.source(name).count("#define SIMSPEC_DEVICE_H") == 1
    with pytest.raises(ValueError, match="source_names: .*nothing.*; expected some of affinity"):
        cuda.source("tv", "nothing")


def test_a_wrong_program_does_not_compile(tmp_path):
    require("cxx")
    with pytest.raises(AssertionError, match="error"):
        host.compile(
            cuda.source("tv").replace("block_reduce<Maximum, 2>", "block_reduce<Minimum, 2>"), tmp_path / "x", "-c"
        )


def test_the_launcher_refuses_what_a_kernel_could_not_read(library):
    out = np.zeros(4, np.uint64)
    for given in (5, np.int32(5), np.uint64(5), np.float64(5), out):
        with pytest.raises(AssertionError):
            host.launch(library, "relay", 1, 1, given, out, out)
    for given in (out.astype(np.int64), out.astype(np.uint32), out[::2], np.uint64(1)):
        with pytest.raises(AssertionError):
            host.launch(library, "relay", 1, 1, np.int64(5), out, given)
    with pytest.raises(AssertionError):
        host.launch(library, "relay", 1, 1, np.int64(5), out)
    with pytest.raises(AttributeError):
        host.launch(library, "nothing", 1, 1)
