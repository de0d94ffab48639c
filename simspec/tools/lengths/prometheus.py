"""Counters of vLLM or llama.cpp, as their /metrics page prints them for Prometheus: one scrape."""

from __future__ import annotations

import re
from math import isfinite
from typing import NamedTuple

from simspec.tools.lengths.records import MOST_DRAFTS, Counts, Log, checked, whole

__all__ = ["Engine", "prometheus"]

BEGINNINGS = ("vllm:spec_decode_num_", "llamacpp:spec_decode_num_")
"""Both engines give their counters the same names."""
LABELS = r'\{((?:[a-zA-Z_]\w*="(?:[^"\\]|\\.)*",?\s*)*)\}'
SAMPLE = re.compile(rf"(vllm|llamacpp):spec_decode_num_(\w+)(?:{LABELS})?\s+(\S+)(?:\s+-?[\d.]+)?(?:\s+#.*)?", re.ASCII)
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"', re.ASCII)
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|Inf)|NaN", re.ASCII)
POSITIONS = "accepted_tokens_per_pos"
COUNTERS = ("drafts", "draft_tokens", "accepted_tokens", POSITIONS)


class Engine(NamedTuple):
    """Counters of one engine: by name, and accepted tokens by position."""

    counters: dict[str, int]
    positions: dict[int, int]


def prometheus(text: str) -> Log:
    """Counts of each engine from its counters, pooled over requests.

    Raises
    ------
    ValueError
        for a counter that is no count, is missing, or stands there twice; for counters of an engine that contradict each
        other.

    >>> prometheus("vllm:spec_decode_num_drafts_total 2\\nvllm:spec_decode_num_accepted_tokens_total 3").counts[0].accepted
    3
    """
    engines: dict[str, Engine] = {}
    places: dict[tuple[str, str, int], tuple[int, int]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith(BEGINNINGS):
            continue
        sample = SAMPLE.fullmatch(line.rstrip())
        if sample is None:
            raise ValueError(f"line {number}: {line[:80]!a}; expected a counter's name, its labels and a number")
        name = sample[2].removesuffix("_total")
        if name not in COUNTERS:
            continue  # times at which the counters were created
        labels = dict(LABEL.findall(sample[3] or ""))
        position = _position(labels.pop("position", None), number) if name == POSITIONS else 0
        value = _value(sample[4], f"line {number}: {name}")
        key = f"{sample[1]} {sorted(labels.items())!a}"
        earlier = places.get((name, key, position))
        if earlier is not None:
            change = f"goes down from {earlier[1]} to {value}" if value < earlier[1] else "stands there again"
            raise ValueError(
                f"line {number}: {name} {change}, after line {earlier[0]}; expected one scrape of /metrics: keep the last, or "
                "the difference of two"
            )
        places[name, key, position] = (number, value)
        engine = engines.setdefault(key, Engine({}, {}))
        if name == POSITIONS:
            engine.positions[position] = value
        else:
            engine.counters[name] = value
    counts = tuple(_counts(engine, key) for key, engine in engines.items())
    names = {"vllm": "vLLM", "llamacpp": "llama.cpp"}
    sources = sorted({names[key.split()[0]] for key in engines})
    return Log(f"{' and '.join(sources)}, Prometheus", counts, by_request=False)


def _value(text: str, name: str) -> int:
    """A counter's value: Prometheus prints counts as float64."""
    value = float(text) if NUMBER.fullmatch(text) else None
    if value is None or not isfinite(value) or value != int(value):
        raise ValueError(f"{name} is {text[:40]!a}; expected a whole number that is not negative")
    return whole(int(value), name)


def _position(text: str | None, number: int) -> int:
    """The position of a draft in its step, from 0."""
    if text is None or not re.fullmatch(r"\d{1,4}", text, re.ASCII) or int(text) >= MOST_DRAFTS:
        raise ValueError(
            f"line {number}: accepted_tokens_per_pos without a position, or with {text!a}; expected one from 0 to "
            f"{MOST_DRAFTS - 1}"
        )
    return int(text)


def _counts(engine: Engine, key: str) -> Counts:
    """Counts of an engine."""
    prefix = key.split()[0]
    place = f"counters of {key[:200]}"
    for name in ("drafts", "accepted_tokens"):
        if name not in engine.counters:
            raise ValueError(
                f"{place}: no {prefix}:spec_decode_num_{name}; expected all of these counters, with the same labels"
            )
    reached = None
    if engine.positions:
        if sorted(engine.positions) != list(range(len(engine.positions))):
            raise ValueError(f"{place}: positions {sorted(engine.positions)[:8]}; expected all from 0 on")
        reached = tuple(engine.positions[i] for i in range(len(engine.positions)))
    counters = engine.counters
    counts = Counts(counters["drafts"], counters["accepted_tokens"], counters.get("draft_tokens"), reached)
    if counts.drafted is not None and counts.drafted < counts.steps:
        raise ValueError(f"{place}: {counts.steps} drafts with {counts.drafted} tokens; expected a token in each draft")
    return checked(counts, place)
