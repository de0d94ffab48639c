"""Coding quantised draft laws: the enumerative codec and the range coder, length against the formula and time.

Every message is decoded and compared before anything is timed.  The yardstick is the formula, the logarithm of how
many (subset, lattice point) there are: no code of fixed length is shorter.  A general compressor (zlib at its best
level, of the kept tokens and their counts as 32-bit integers) stands beside as what one would write.
"""

from __future__ import annotations

import statistics
import time
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.cases import Bench, Done, columns
from simspec.laws import Array, softmax

__all__ = ["BENCH", "CASES", "draw", "time_case"]

CASES = ((16_384, 100, 100), (128_256, 100, 100), (128_256, 1_000, 100), (128_256, 1_000, 1_000))
"""Vocabulary, kept tokens, resolution."""
QUICK = ((1_000, 20, 50),)


def _case(vocab: int, k: int, resolution: int, seed: int, repeats: int) -> Done:
    case = time_case(vocab, k, resolution, seed, repeats)
    title = f"a law of {k:,} of {vocab:,} tokens, resolution {resolution}; formula: {case['formula']:.2f} bits"
    table = columns(title, "medians of interleaved runs", ("bits", "encoding, ms", "decoding, ms"))
    for name, coder in case["coders"].items():
        times = (f"{1e3 * coder[step]['median']:.3f}" for step in ("encode", "decode"))
        table.add_row(name, f"{coder['bits']:,}", *times)
    return Done(case, table, all(coder["right"] for coder in case["coders"].values()))


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
            for step, call in (
                ("encode", lambda e=encode: e(counts, mask)),
                ("decode", lambda d=decode, n=name: d(messages[n])),
            ):
                start = time.perf_counter()
                call()
                seconds[name][step].append(time.perf_counter() - start)
    return {
        "vocab": vocab,
        "k": k,
        "resolution": resolution,
        "formula": float(payload_log2(vocab, np.array([k]), resolution)[0]),
        "coders": {
            name: {"bits": _bits(messages[name]), "right": right[name]}
            | {step: {"median": statistics.median(runs), "seconds": runs} for step, runs in seconds[name].items()}
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
    support = np.flatnonzero(mask)
    gaps = np.diff(support, prepend=0)
    return zlib.compress(np.concatenate([gaps, counts[support]]).astype("<u4").tobytes(), 9)


def _unpack(message: bytes, vocab: int) -> tuple[Array, Array]:
    gaps, kept_counts = np.frombuffer(zlib.decompress(message), dtype="<u4").astype(np.int64).reshape(2, -1)
    support = np.cumsum(gaps)
    mask = np.zeros(vocab, dtype=bool)
    counts = np.zeros(vocab, dtype=np.int64)
    mask[support] = True
    counts[support] = kept_counts
    return counts, mask


BENCH = Bench(
    name="codec",
    summary="bits and time of the codecs of quantised draft laws, against the formula",
    repeats=21,
    quick="one small case",
    cases=lambda args, repeats: [
        partial(_case, *size, args.seed, repeats) for size in (QUICK if args.quick else CASES)
    ],
    seed="the draft law",
)
