"""A smaller K lowers the latency, and latency and resampling rise with temperature.

`sqs.k-latency`: SQS, Figs 4 and 6.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from simspec.claims.claim import Evidence, Printed
from simspec.claims.measured import level_of
from simspec.claims.sqs.link import LATENCY, by_data, evidence_of, link_claim, shown_beside, top_k_schemes, value_of
from simspec.engine.study import Result
from simspec.studies.sqs.link_schemes import FIRST, SIZES


def _k_latency(results: Sequence[Result]) -> list[Evidence]:
    """Compare neighbouring K at each temperature, then neighbouring temperatures for each scheme."""
    blocks = by_data(results)
    temperatures = sorted({r.cell["temperature"] for r in results})
    adaptive = f"C-SQS from {FIRST[1]:g}"
    sizes = [len(top_k_schemes(block)) for _, block in blocks]
    # of n sizes: n - 1 neighbours at each temperature; two quantities of n + 1 schemes at each rise of temperature
    count = sum(len(temperatures) * (n - 1) + 2 * (len(temperatures) - 1) * (n + 1) for n in sizes)
    level = level_of(count)
    evidence = []
    for data, block in blocks:
        fixed = top_k_schemes(block)
        for t in temperatures:
            for small, large in itertools.pairwise(fixed):
                gap = value_of(block, LATENCY, small, t) - value_of(block, LATENCY, large, t)
                evidence.append(evidence_of(data, f"T = {t:g}: latency at {small} less {large}, s", gap, level))
        for cool, warm in itertools.pairwise(temperatures):
            for name in (*fixed, adaptive):
                for quantity in (LATENCY, "resampling"):
                    gap = value_of(block, quantity, name, cool) - value_of(block, quantity, name, warm)
                    text = f"{name}: {quantity} at T = {cool:g} less T = {warm:g}"
                    evidence.append(evidence_of(data, text, gap, level, quantity=quantity))
        evidence += shown_beside(data, block, level)
    return evidence


K_LATENCY = link_claim(
    "sqs.k-latency",
    "Smaller $K$ gives lower latency, and latency and resampling rate rise with temperature",
    "SQS, Figs 4 and 6",
    _k_latency,
    f"at every temperature latency falls from each K to the next smaller one ({', '.join(map(str, SIZES))}; all tokens "
    "of a smaller vocabulary), and latency and resampling rise from each temperature to the next for each K and for C-SQS, "
    "on synthetic and real laws, all at once.",
    "With as many drafts as the bits allow, a small K makes drafts cheap and batches long: most of what is drafted after the "
    "first rejection is thrown away, and the draft time of it is paid.",
    printed=Printed(
        place="SQS A.4.1",
        text="K values yield lower latency but may reduce stability",
        read="Smaller $K$: lower latency; latency and resampling rise with temperature.",
    ),
)
