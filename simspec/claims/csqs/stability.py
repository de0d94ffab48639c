"""The resampling rate of C-SQS is more stable than that of K-SQS.

`csqs.stability`: SQS, Fig. 2 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence

from simspec.claims.claim import Evidence, Printed
from simspec.claims.measured import level_of
from simspec.claims.sqs.k_variability import spread
from simspec.claims.sqs.link import (
    HIGH,
    LOW,
    MOVING,
    by_data,
    chosen_scheme,
    evidence_of,
    link_claim,
    top_k_schemes,
    value_of,
)
from simspec.engine.study import Result


def _stable(results: Sequence[Result]) -> list[Evidence]:
    blocks = by_data(results)
    level = level_of(2 * len(blocks))
    evidence = []
    for data, block in blocks:
        fixed, moving = (chosen_scheme(block, HIGH, names) for names in (top_k_schemes(block), MOVING))
        cool, warm = ({n: value_of(block, "resampling", n, t)[1::2] for n in (fixed, moving)} for t in (LOW, HIGH))
        text = f"spread of resampling over links at T = {HIGH:g}: {moving} less {fixed}"
        gap = spread(warm[moving]) - spread(warm[fixed])
        evidence.append(evidence_of(data, text, gap, level, quantity="resampling"))
        text = f"rise of resampling from T = {LOW:g} to T = {HIGH:g}: {moving} less {fixed}"
        gap = (warm[moving] - cool[moving]) - (warm[fixed] - cool[fixed])
        evidence.append(evidence_of(data, text, gap / 2, level, quantity="resampling"))
    return evidence


STABILITY = link_claim(
    "csqs.stability",
    "The resampling rate of C-SQS is more stable than that of K-SQS: it varies less at high temperature, and rises "
    "less with it",
    "SQS, Fig. 2 and 4",
    _stable,
    f"with K and the first threshold of least latency at T = {HIGH:g}, both chosen on the even links: on the odd links "
    f"the spread of "
    f"the resampling rate (mean distance from its median) at T = {HIGH:g}, and half its rise from T = {LOW:g}, are "
    f"smaller for C-SQS.",
    "The threshold hardly moves within a link at the step size of 0.001: what is compared is a fixed K with a nearly "
    "fixed threshold.",
    printed=Printed(
        place="SQS, Fig. 2",
        text="C-SQS maintains more stable performance, achieving a better trade-off between latency and "
        "resampling efficiency in higher-uncertainty regimes",
        read="Its resampling rate varies less over links, and rises less with temperature, than that of K-SQS.",
    ),
)
