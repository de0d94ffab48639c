"""The resampling rate of K-SQS varies more at high temperature, and more for a smaller K.

`sqs.k-variability`: SQS, Fig. 2 and A.4.1.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from simspec.claims.claim import Evidence, Printed
from simspec.claims.measured import level_of
from simspec.claims.sqs.link import HIGH, LOW, by_data, evidence_of, link_claim, top_k_schemes, value_of
from simspec.engine.study import Result

__all__ = ["spread"]


def spread(values: np.ndarray) -> np.ndarray:
    """How far each link is from the median of all: as Brown and Forsythe compare variances, by means of these.

    >>> spread(np.array([1.0, 2.0, 4.0])).tolist()
    [1.0, 0.0, 2.0]
    """
    return np.abs(values - np.median(values))


def _varies(results: Sequence[Result]) -> list[Evidence]:
    blocks = by_data(results)
    level = level_of(sum(2 * len(top_k_schemes(block)) - 1 for _, block in blocks))
    evidence = []
    for data, block in blocks:
        fixed = top_k_schemes(block)
        cool, warm = ({n: spread(value_of(block, "resampling", n, t)) for n in fixed} for t in (LOW, HIGH))
        for name in fixed:
            text = f"spread of resampling over links, {name}: at T = {LOW:g} less at T = {HIGH:g}"
            evidence.append(evidence_of(data, text, cool[name] - warm[name], level, quantity="resampling"))
        for small, large in itertools.pairwise(fixed):
            text = f"spread of resampling over links at T = {HIGH:g}: {large} less {small}"
            evidence.append(evidence_of(data, text, warm[large] - warm[small], level, quantity="resampling"))
    return evidence


K_VARIABILITY = link_claim(
    "sqs.k-variability",
    "The resampling rate of K-SQS varies more at high temperature than at low, and more for a smaller K",
    "SQS, Fig. 2 and A.4.1",
    _varies,
    f"for each K the spread of the resampling rate over links (mean distance from their median) is larger at T = "
    f"{HIGH:g} than at "
    f"T = {LOW:g}, and at T = {HIGH:g} larger for each K than for the next larger one.",
    "A rate that is near one for most links cannot vary much: the spread of a rate has its maximum at one half, whatever K.",
    printed=Printed(
        place="SQS, Fig. 2",
        text="shows increasing latency and higher variability in resampling rate with increase in …",
        read="The spread of the rate over links rises with temperature, and as K falls (A.4.1).",
    ),
)
