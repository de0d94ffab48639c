"""Coding quantised draft laws: the enumerative codec and the range coder, length against the formula and time.

Every message is decoded and compared before anything is timed.  The yardstick is the formula, the logarithm of how
many (subset, lattice point) there are: no code of fixed length is shorter.  A general compressor (zlib at its best
level, of the kept tokens and their counts as 32-bit integers) stands beside as what one would write.
"""

from __future__ import annotations

import argparse
import statistics
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from simspec.bench import harness
from simspec.laws import Array, softmax

__all__ = ["CASES", "add_arguments", "draw", "run", "time_case"]

CASES = ((16_384, 100, 100), (128_256, 100, 100), (128_256, 1_000, 100), (128_256, 1_000, 1_000))
"""Vocabulary, kept tokens, resolution."""
QUICK = ((1_000, 20, 50),)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `simspec bench codec`."""
    parser.add_argument("--quick", action="store_true", help="one small case: checks the benchmark, measures little")
    parser.add_argument("--repeats", type=int, default=21, metavar="N", help="timed rounds (default 21)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draft law (default 0)")
    parser.add_argument("--json", type=Path, metavar="PATH", help="also write every run to PATH")


def run(args: argparse.Namespace) -> int:
    """Validate, time and print; 0, or 1 when a message does not come back, or 2 for bad usage."""
    if args.repeats < 1:
        return harness.fail(f"--repeats {args.repeats}: expected at least 1")
    if args.seed < 0:
        return harness.fail(f"--seed {args.seed}: expected a number that is not negative")
    try:
        harness.check_place("--json", args.json)
    except ValueError as error:
        return harness.fail(str(error))
    from rich.console import Console
    from rich.progress import track
    from rich.table import Table

    table = Table(
        title="one quantised draft law", box=None, caption="medians of interleaved runs; formula: log2 of the messages"
    )
    for heading in ("V", "K", "resolution", "coder", "bits", "formula", "enc. ms", "dec. ms"):
        table.add_column(heading, justify="left" if heading == "coder" else "right", no_wrap=True)
    cases = []
    for vocab, k, resolution in track(
        QUICK if args.quick else CASES, "coding", console=Console(stderr=True), transient=True
    ):
        case = time_case(vocab, k, resolution, args.seed, args.repeats)
        cases.append(case)
        for name, coder in case["coders"].items():
            times = (f"{1e3 * coder[part]['median']:.3f}" for part in ("encode", "decode"))
            formula = f"{case['formula']:.2f}"
            table.add_row(f"{vocab:,}", f"{k:,}", str(resolution), name, f"{coder['bits']:,}", formula, *times)
    Console().print(table)
    if args.json is not None:
        about = {"benchmark": "codec", "version": 1, "environment": harness.environment(("numpy", "numba"))}
        try:
            harness.write(args.json, about | {"seed": args.seed, "cases": cases})
        except OSError as error:
            return harness.fail(f"--json {args.json}: cannot be written ({error.strerror}); expected a writable path")
    return 0 if all(coder["right"] for case in cases for coder in case["coders"].values()) else 1


def draw(vocab: int, k: int, resolution: int, seed: int) -> tuple[Array, Array]:
    """Counts and mask of a quantised law: the k likeliest tokens of a softmax of normal logits, deviation 3."""
    from simspec.methods.sqs.quantised import quantise, sparsify, top_mask

    law = softmax(3 * np.random.default_rng(seed).standard_normal(vocab))
    mask = top_mask(law, k)
    return quantise(sparsify(law, mask), resolution, mask), mask


def time_case(vocab: int, k: int, resolution: int, seed: int, repeats: int) -> dict[str, Any]:
    """Bits, correctness and times of every coder on one law."""
    from simspec.methods.sqs.payload import payload_log2

    counts, mask = draw(vocab, k, resolution, seed)
    coders = _coders(vocab, k, resolution)
    messages = {name: encode(counts, mask) for name, (encode, _) in coders.items()}
    right = {
        name: all(np.array_equal(a, b) for a, b in zip(decode(messages[name]), (counts, mask), strict=True))
        for name, (_, decode) in coders.items()
    }
    seconds: dict[str, dict[str, list[float]]] = {name: {"encode": [], "decode": []} for name in coders}
    for _ in range(repeats):
        for name, (encode, decode) in coders.items():
            for part, call in (
                ("encode", lambda e=encode: e(counts, mask)),
                ("decode", lambda d=decode, n=name: d(messages[n])),
            ):
                start = time.perf_counter()
                call()
                seconds[name][part].append(time.perf_counter() - start)
    return {
        "vocab": vocab,
        "k": k,
        "resolution": resolution,
        "formula": float(payload_log2(vocab, np.array([k]), resolution)[0]),
        "coders": {
            name: {"bits": _bits(messages[name]), "right": right[name]}
            | {part: {"median": statistics.median(runs), "seconds": runs} for part, runs in seconds[name].items()}
            for name in coders
        },
    }


def _bits(message: Any) -> int:
    return 8 * len(message) if isinstance(message, bytes) else int(message.length)


def _coders(vocab: int, k: int, resolution: int) -> dict[str, tuple[Callable[..., Any], Callable[[Any], Any]]]:
    from simspec.methods.sqs.codec import decode, encode, range_decode, range_encode

    return {
        "enumerative": (encode, lambda message: decode(message, vocab, resolution, k)),
        "range coder": (range_encode, lambda message: range_decode(message, vocab, resolution, k)),
        "zlib": (_squeeze, lambda message: _unpack(message, vocab)),
    }


def _squeeze(counts: Array, mask: Array) -> bytes:
    kept = np.flatnonzero(mask)
    gaps = np.diff(kept, prepend=0)
    return zlib.compress(np.concatenate([gaps, counts[kept]]).astype("<u4").tobytes(), 9)


def _unpack(message: bytes, vocab: int) -> tuple[Array, Array]:
    gaps, kept_counts = np.frombuffer(zlib.decompress(message), dtype="<u4").astype(np.int64).reshape(2, -1)
    kept = np.cumsum(gaps)
    mask, counts = np.zeros(vocab, dtype=bool), np.zeros(vocab, dtype=np.int64)
    mask[kept], counts[kept] = True, kept_counts
    return counts, mask
