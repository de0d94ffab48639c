"""K-SQS has lower latency and resampling at low temperature, C-SQS at high temperature.

`csqs.crossover`: SQS, Figs 2 and 6 (η = 1e-3, α = 5e-4).
"""

from __future__ import annotations

from collections.abc import Sequence

from simspec.claims.claim import Evidence, Printed
from simspec.claims.measured import level_of
from simspec.claims.sqs.link import (
    HIGH,
    LATENCY,
    LOW,
    MOVING,
    by_data,
    chosen_scheme,
    difference_of,
    evidence_of,
    link_claim,
    top_k_schemes,
)
from simspec.engine.study import Result
from simspec.studies.sqs.link_schemes import TIMES


def _crossover(results: Sequence[Result]) -> list[Evidence]:
    """Compare the best K-SQS with the best C-SQS at the low and at the high temperature."""
    blocks = by_data(results)
    # two temperatures times two quantities decide; the latencies of single uplinks are shown beside
    level = level_of(4 * len(blocks))
    evidence = []
    for data, block in blocks:
        fixed = chosen_scheme(block, LOW, top_k_schemes(block))
        moving = chosen_scheme(block, HIGH, MOVING)
        for t, better, worse in ((LOW, fixed, moving), (HIGH, moving, fixed)):
            for quantity in (LATENCY, "resampling"):
                gap = difference_of(block, quantity, t, better, worse)
                text = f"T = {t:g}: {quantity} of {better} less {worse}"
                evidence.append(evidence_of(data, text, gap, level, quantity=quantity))
            for uplink in TIMES:
                for longest in (64, 8):
                    gap = difference_of(block, f"{uplink} latency", t, better, worse, longest)
                    text = f"T = {t:g}, {uplink}, at most {longest} drafts a batch: latency of {better} less {worse}, s"
                    evidence.append(evidence_of(data, text, gap, level, None))
    return evidence


CROSSOVER = link_claim(
    "csqs.crossover",
    "K-SQS has lower latency and resampling at low temperature, C-SQS at high temperature",
    "SQS, Figs 2 and 6 (η = 1e-3, α = 5e-4)",
    _crossover,
    f"with K of least latency at T = {LOW:g} and the first threshold of least latency at T = {HIGH:g}, both chosen on the even "
    f"links: on the odd links K-SQS has lower latency and lower resampling at T = {LOW:g}, C-SQS both at T = {HIGH:g}.",
    "Resampling per batch depends on how many drafts a batch has: a batch without a draft, because its law does not fit the "
    "budget, resamples nothing.",
    printed=Printed(
        place="SQS 4",
        text="we observe a clear crossover",
        read="K-SQS has lower latency and resampling at low temperature, C-SQS at high.",
    ),
)
