"""Blocks whose contents follow from their number, and a writer that is killed.  Run as a program, it does the killing:

    store_cases.py random FOLDER COUNT SEED    writers that flush as fast as they can, killed after random milliseconds
    store_cases.py points FOLDER ACTION        one run for each system call of ACTION, killed just before that call

FOLDER/<number> is one killed run's directory.  Prints as JSON what each run had been promised: blocks flushed.
It forks, so it uses no threads and reads no results.
"""

from __future__ import annotations

import json
import os
import random
import signal
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path

from simspec.engine.store import segment
from simspec.engine.store.results import Block, Manifest, Store, compact, merge

PLAN = Manifest("kills", "Does a kill harm?", seed=1, block_size=10, grid=({"x": 0}, {"x": 1}), created="2024-01-01")
DESIGNS = [PLAN.design(cell) for cell in PLAN.grid]


def made(number: int, cell: int = 0) -> Block:
    """A block that can be recomputed from its number."""
    counts = [(number * k) % 101 for k in range(1, 40)]
    statistics = {"kept.n": 10, "kept.sum": number * 2**32 + cell, "length.counts": counts}
    return Block(DESIGNS[cell], segment.canonical(PLAN.grid[cell]), number, 10, statistics, seconds=0.5)


def numbers(folder: Path, cell: int = 0) -> list[int]:
    """Blocks found in a folder; each is compared with what it should be."""
    store = Store(folder)
    done = store.done(DESIGNS[cell]).tolist()
    if done:
        columns = store.blocks(DESIGNS[cell])
        for row, number in enumerate(done):
            for name, value in made(number, cell).statistics.items():
                assert columns[name][row].tolist() == value, (number, name)
    return done


def write(folder: Path, blocks: range, cell: int = 0, per_segment: int = 1) -> None:
    """Write blocks, a few in each segment."""
    with Store(folder, manifest=PLAN, interval=1e9) as store:
        for number in blocks:
            store.append(made(number, cell))
            if number % per_segment == per_segment - 1:
                store.flush()


def careless(path: Path, data: bytes) -> None:
    """A negative control: writes under the final name, in two halves."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT)
    half = len(data) // 2
    os.write(handle, data[:half])
    os.write(handle, data[half:])
    os.close(handle)


def _forked(action: Callable[[int], None]) -> tuple[int, int]:
    """Start a child that runs `action` with the writing end of a pipe; its process and the reading end."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        action(writing)
        os._exit(0)
    except BaseException as error:
        print(error, file=sys.stderr)
        os._exit(1)


def _promised(reading: int) -> int:
    """Sum of the counts that a child has sent."""
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    return sum(count for (count,) in struct.iter_unpack("<i", data[: len(data) // 4 * 4]))


def random_kills(folder: Path, count: int, seed: int) -> list[int]:
    """Blocks promised by each of `count` writers, killed at random."""
    choose = random.Random(seed)
    result = []
    for run in range(count):

        def action(pipe: int, run: int = run) -> None:
            with Store(folder / str(run), manifest=PLAN, interval=1e9) as store:
                for number in range(100_000):
                    store.append(made(number))
                    if number % 3 == 2:
                        store.flush()
                        os.write(pipe, struct.pack("<i", 3))

        child, reading = _forked(action)
        started = len(os.read(reading, 4)) // 4 * 3  # the first segment is there
        time.sleep(choose.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
        result.append(started + _promised(reading))
    return result


CALLS = ("open", "write", "fsync", "close", "replace", "unlink")


def _deadly(point: int) -> None:
    """Kill this process before its system call number `point` that changes files; a write is done by half first."""
    passed = 0

    def wrapped(name: str, call: Callable) -> Callable:
        def instead(*args: object, **options: object) -> object:
            nonlocal passed
            passed += 1
            if passed - 1 == point:
                if name == "write":
                    call(args[0], args[1][: len(args[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **options)

        return instead

    for name in CALLS:
        setattr(os, name, wrapped(name, getattr(os, name)))


def kill_points(folder: Path, action: str) -> list[int]:
    """Kill at the first, second, ... call until a run ends by itself; 1 for runs that had been promised a flush."""
    actions = {
        "flush": lambda run: write(run, range(3, 6), per_segment=3),
        "careless": lambda run: write(run, range(3, 6), per_segment=3),
        "compact": lambda run: compact(run),
        "merge": lambda run: merge([folder / "source"], run),
    }
    write(folder / "source", range(2, 9), per_segment=3)
    result = []
    for point in range(1000):
        run = folder / str(point)
        write(run, range(3), per_segment=3)
        if action == "compact":
            write(run, range(3, 5))

        def deadly(pipe: int, run: Path = run, point: int = point) -> None:
            if action == "careless":
                segment.write_file = careless
            send = os.write
            _deadly(point)
            actions[action](run)
            send(pipe, struct.pack("<i", 1))

        child, reading = _forked(deadly)
        status = os.waitpid(child, 0)[1]
        result.append(_promised(reading))
        if not os.WIFSIGNALED(status):
            assert status == 0, f"{action} failed"
            return result
    raise AssertionError("no run ended by itself")


if __name__ == "__main__":
    kind, where, *rest = sys.argv[1:]
    write(Path(where) / "imports", range(1))  # once, before forking
    found = kill_points(Path(where), *rest) if kind == "points" else random_kills(Path(where), *map(int, rest))
    print(json.dumps(found))
