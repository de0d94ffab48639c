"""A measurement of several computations in a few lines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simspec.numerics import greedy_margin, tv_bound
from simspec.studies.numerics.measurement import FORMATS, PAIRS, Measurement

__all__ = ["pairs_of", "plain", "summary"]

TAIL = 0.999
"""Quantile that stands for the largest differences."""


def pairs_of(measurement: Measurement) -> Iterator[dict[str, float | str]]:
    """Of each pair of computations that was measured: quantiles of the difference, the laws' distance, and changes of the argmax.

    `tv bound` is tanh(epsilon/2) at the largest difference; `near` counts positions with a margin of at most 2 epsilon.
    """
    for row, pair in enumerate(PAIRS):
        epsilon = measurement.epsilon[row]
        if np.isnan(epsilon).any():
            continue
        yield {
            "pair": pair,
            "median": float(np.median(epsilon)),
            "99.9 %": float(np.quantile(epsilon, TAIL)),
            "largest": float(epsilon.max()),
            "largest TV": float(measurement.tv[row].max()),
            "TV bound": float(tv_bound(epsilon.max())),
            "flips": int(measurement.flips[row].sum()),
            "near": int((measurement.margin[row] <= greedy_margin(epsilon)).sum()),
        }


def _texts(measurement: Measurement) -> Iterator[dict[str, float | str]]:
    """Of each format that was measured, how many greedy texts leave those of float32, and after how many tokens."""
    for name in measurement.facts["formats"]:
        common = measurement.common[FORMATS.index(name)]
        leaves = common < measurement.lengths
        yield {
            "format": name,
            "texts": len(common),
            "leave": int(leaves.sum()),
            "tokens in common": int(common.sum()),
        }


def plain(measurement: Measurement) -> dict[str, object]:
    """All numbers of the summary, as a dictionary for JSON."""
    return {
        "facts": measurement.facts,
        "pairs": list(pairs_of(measurement)),
        "greedy texts": list(_texts(measurement)),
    }


def summary(measurement: Measurement) -> str:
    """The measurement as text: a table of the pairs, then the greedy texts."""
    positions = len(measurement.document)
    facts = measurement.facts
    lines = [
        f"{facts['model']['name']} on {facts['device']}: {positions:,} positions of {facts['prompts']} greedy texts in float32",
        "differences of logits after the best shift of each row; TV at temperature 1",
        "",
        f"{'computations':<34}{'median':>10}{'99.9 %':>10}{'largest':>10}{'TV':>9}{'bound':>9}{'argmax':>8}{'near':>6}",
    ]
    lines += [
        f"{p['pair']:<34}{p['median']:>10.3g}{p['99.9 %']:>10.3g}{p['largest']:>10.3g}"
        f"{p['largest TV']:>9.2g}{p['TV bound']:>9.2g}{p['flips']:>8}{p['near']:>6}"
        for p in pairs_of(measurement)
    ]
    lines += [
        "",
        "argmax: positions at which the most likely token differs; near: margin within 2 epsilon, where it may",
        "",
    ]
    lines += [
        f"greedy texts in {text['format']}: {text['leave']} of {text['texts']} leave those of float32 (same prefixes decoded "
        f"token by token; {text['tokens in common']:,} tokens in common)"
        for text in _texts(measurement)
    ]
    return "\n".join(lines)
