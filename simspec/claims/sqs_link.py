"""Empirical claims about drafting over a thin wire (SQS §4, A.4), decided on simulated links.

A link has contexts of its own (a fold of a bank's documents, or fresh synthetic laws), so links are independent and
differences between schemes are paired.  What is chosen (K, threshold) is chosen on the even links and judged on the odd.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Evidence, Finding
from simspec.claims.data import Data
from simspec.claims.empirical import BESIDE, all_of, line, measured, rows_for
from simspec.studies.edge_cloud import BATCHES, FIRST, SCHEMES, SIZES, TIMES, edge_cloud
from simspec.studies.intervals import Interval, bonferroni, student
from simspec.studies.study import Result, Study, remembered, select

__all__ = ["CLAIMS"]

LEVEL = 0.95
LOW, MIDDLE, HIGH = 0.25, 0.5, 1.0
UPLINK = "slow uplink"
LATENCY = f"{UPLINK} latency"
POINTS = 0.05
"""How much higher the resampling rate may be in sqs.against-dense."""


def _temperatures(data: Data) -> tuple[float, ...]:
    return (LOW, HIGH) if data.effort == "quick" else (LOW, MIDDLE, HIGH)


@lru_cache(maxsize=4)
def _study(data: Data) -> Study:
    """Synthetic and real cells of one study; a real cell names its data after the bank."""
    real = edge_cloud(data.main, data.describe(data.main), SCHEMES, _temperatures(data), paired=True)
    synthetic = edge_cloud(schemes=SCHEMES, temperatures=_temperatures(data), paired=True)

    def simulate(cell: Any, rows: Any, device: str) -> Any:
        return (real if "rows" in cell else synthetic).simulate(cell, rows, device)

    grid = real.grid + synthetic.grid
    rows = rows_for(data, 10, real.rows, real.rows)
    return replace(real, name="edge-cloud-claims", grid=grid, rows=rows, simulate=remembered(simulate))


def _blocks(results: Sequence[Result]) -> list[tuple[str, list[Result]]]:
    """Results by data."""
    names = dict.fromkeys(str(r.cell["data"]) for r in results)
    return [(name, select(results, data=name)) for name in names]


def _value(results: Sequence[Result], quantity: str, scheme: str, temperature: float, longest: int = 64) -> np.ndarray:
    (result,) = select(results, temperature=temperature, longest=longest)
    return result.values[f"{quantity}; {scheme}"]


def _interval(gap: np.ndarray, level: float, quantity: str) -> Interval:
    """Student over links; a rate that is the same on all n links has an interval all the same.

    Equal values show no spread, but the next link may differ: were that likelier than 1 - (1 - level)^(1/n), n equal
    ones would be rarer than the level allows, and a link that differs moves the mean of numbers in [-1, 1] by at most
    1 + |value|.
    """
    found = student(gap, level)
    if quantity != "resampling" or float(np.ptp(gap)) > 1e-12:
        return found
    reach = (1 + abs(found.estimate)) * (1 - (1 - level) ** (1 / len(gap)))
    return Interval(found.estimate, found.estimate - reach, found.estimate + reach, level)


def _statement(
    data: str,
    text: str,
    gap: np.ndarray,
    level: float,
    below: float | None = 0.0,
    quantity: str = LATENCY,
    facts: dict[str, float] | None = None,
) -> Evidence:
    label = f"{data}; {text}" if below is not None else f"{BESIDE}{data}; {text}"
    return measured(label, data.split(":")[0], len(gap), _interval(gap, level, quantity), facts, below=below)


def _beside(data: str, results: Sequence[Result], level: float) -> list[Evidence]:
    """Every scheme's latency and resampling at each temperature, as many drafts as fit and at most eight."""
    out = []
    for result in results:
        t, longest = result.cell["temperature"], result.cell["longest"]
        for name in (LATENCY, f"{UPLINK} batch latency", "fast uplink latency", "resampling"):
            facts = {s: float(result.values[f"{name}; {s}"].mean()) for s in SCHEMES if s != "dense"}
            text = f"T = {t:g}, at most {longest} drafts a batch: {name} of dense quantisation"
            out.append(_statement(data, text, result.values[f"{name}; dense"], level, None, facts=facts))
    return out


def _k_latency(results: Sequence[Result]) -> list[Evidence]:
    blocks = _blocks(results)
    temperatures = sorted({r.cell["temperature"] for r in results})
    adaptive = f"C-SQS from {FIRST[1]:g}"
    count = len(blocks) * (len(temperatures) * (len(SIZES) - 1) + 2 * (len(temperatures) - 1) * (len(SIZES) + 1))
    level = bonferroni(LEVEL, count)
    evidence = []
    for data, block in blocks:
        for t in temperatures:
            for small, large in zip(TOP_K, TOP_K[1:], strict=False):
                gap = _value(block, LATENCY, small, t) - _value(block, LATENCY, large, t)
                evidence.append(_statement(data, f"T = {t:g}: latency at {small} less {large}, s", gap, level))
        for cool, warm in zip(temperatures, temperatures[1:], strict=False):
            for name in (*TOP_K, adaptive):
                for quantity in (LATENCY, "resampling"):
                    gap = _value(block, quantity, name, cool) - _value(block, quantity, name, warm)
                    text = f"{name}: {quantity} at T = {cool:g} less T = {warm:g}"
                    evidence.append(_statement(data, text, gap, level, quantity=quantity))
        evidence += _beside(data, block, level)
    return evidence


def _chosen(block: Sequence[Result], temperature: float, names: Sequence[str], dense_limit: bool = False) -> str:
    """The scheme with the least latency on the even links, among those whose resampling there stays in the limit."""

    def mean(quantity: str, name: str) -> float:
        return float(_value(block, quantity, name, temperature)[::2].mean())

    allowed = mean("resampling", "dense") + POINTS if dense_limit else float("inf")
    return min(names, key=lambda name: (mean("resampling", name) > allowed, mean(LATENCY, name)))


TOP_K = tuple(f"K = {k}" for k in SIZES)
MOVING = tuple(f"C-SQS from {first:g}" for first in FIRST)
HELD = tuple(f"threshold {first:g}" for first in FIRST)


def _difference(
    block: Sequence[Result], quantity: str, temperature: float, one: str, other: str, longest: int = 64
) -> np.ndarray:
    """Paired differences on the odd links."""
    first, second = (_value(block, quantity, name, temperature, longest) for name in (one, other))
    return (first - second)[1::2]


def _against_dense(results: Sequence[Result]) -> list[Evidence]:
    blocks = _blocks(results)
    temperatures = sorted({r.cell["temperature"] for r in results})
    level = bonferroni(LEVEL, 2 * len(blocks) * len(temperatures))
    evidence = []
    for data, block in blocks:
        for t in temperatures:
            name = _chosen(block, t, (*TOP_K, *MOVING), dense_limit=True)
            slower = _difference(block, LATENCY, t, name, "dense")
            again = _difference(block, "resampling", t, name, "dense")
            evidence.append(_statement(data, f"T = {t:g}: latency of {name} less dense, s", slower, level))
            text = f"T = {t:g}: resampling of {name} less dense"
            evidence.append(_statement(data, text, again, level, POINTS, "resampling"))
            for uplink in TIMES:
                for longest in (64, 8):
                    gap = _difference(block, f"{uplink} latency", t, name, "dense", longest)
                    text = f"T = {t:g}, {uplink}, at most {longest} drafts a batch: latency of {name} less dense, s"
                    evidence.append(_statement(data, text, gap, level, None))
        evidence += _beside(data, block, level)
    return evidence


def _crossover(results: Sequence[Result]) -> list[Evidence]:
    blocks = _blocks(results)
    level = bonferroni(LEVEL, 4 * len(blocks))
    evidence = []
    for data, block in blocks:
        fixed, moving = _chosen(block, LOW, TOP_K), _chosen(block, HIGH, MOVING)
        for t, better, worse in ((LOW, fixed, moving), (HIGH, moving, fixed)):
            for quantity in (LATENCY, "resampling"):
                gap = _difference(block, quantity, t, better, worse)
                text = f"T = {t:g}: {quantity} of {better} less {worse}"
                evidence.append(_statement(data, text, gap, level, quantity=quantity))
            for uplink in TIMES:
                for longest in (64, 8):
                    gap = _difference(block, f"{uplink} latency", t, better, worse, longest)
                    text = f"T = {t:g}, {uplink}, at most {longest} drafts a batch: latency of {better} less {worse}, s"
                    evidence.append(_statement(data, text, gap, level, None))
    return evidence


def _adaptivity(results: Sequence[Result]) -> list[Evidence]:
    blocks = _blocks(results)
    temperatures = sorted({r.cell["temperature"] for r in results})
    level = bonferroni(LEVEL, 2 * len(blocks) * len(temperatures))
    moving, held = MOVING[-1], HELD[-1]
    evidence = []
    for data, block in blocks:
        for t in temperatures:
            best = _chosen(block, t, HELD)
            for quantity in (LATENCY, "resampling"):
                gap = _value(block, quantity, moving, t) - _value(block, quantity, held, t)
                text = f"T = {t:g}: {quantity} of {moving} less the same threshold held"
                evidence.append(_statement(data, text, gap, level, quantity=quantity))
                control = _difference(block, quantity, t, moving, best)
                text = f"T = {t:g}: {quantity} of {moving} less {best} held (the best of the held ones)"
                evidence.append(_statement(data, text, control, level, None, quantity))
    return evidence


def _plot(results: Sequence[Result]) -> dict[str, Any]:
    data, block = _blocks(results)[0]
    temperatures = sorted({r.cell["temperature"] for r in results})
    series = []
    for name in ("dense", *TOP_K, *MOVING):
        shown = [student(_value(block, LATENCY, name, t)) for t in temperatures]
        series.append(line(name, temperatures, shown))
    return {
        "title": f"Seconds per token on the {UPLINK}: {data.split(':')[0]}",
        "x_label": "temperature",
        "y_label": "latency, s per token",
        "x_log": False,
        "series": series,
    }


_RULE = (
    "All intervals hold at once at 95 % (Student over links, Bonferroni; a rate equal on all links "
    "by how often a link can differ unseen); unsupported when one statement fails beyond its "
    "interval, inconclusive otherwise."
)
_OPEN = (
    f"Links of {BATCHES} batches with B = 5000 bits and ℓ = 100, each position one of the link's contexts drawn independently "
    f"(banks hold scattered contexts, not running text), at temperatures {LOW:g}, {MIDDLE:g} and {HIGH:g} (quick: without "
    f"{MIDDLE:g}); times that SQS leaves open: draft {TIMES[UPLINK].draft:g} s, "
    f"uplink {TIMES[UPLINK].rate:g} bit/s, verification {TIMES[UPLINK].verify:g} s; latency is seconds per emitted token, and "
    "C-SQS pays for the passes whose law it does not send: the one it computes to learn that it no longer fits, and the new "
    "token's when all drafts were accepted"
)


def _claim(name: str, statement: str, reference: str, estimate: Callable[..., Any], criterion: str, note: str) -> Claim:
    return Claim(
        name=name,
        kind="empirical",
        statement=statement,
        reference=reference,
        sources=(),
        finding=Finding(_study, estimate, all_of, f"Supported when {criterion} {_RULE} {_OPEN}.", _plot),
        note=note,
    )


K_LATENCY = _claim(
    "sqs.k-latency",
    "Smaller $K$ gives lower latency, and latency and resampling rate rise with temperature",
    "SQS, Figs 4 and 6",
    _k_latency,
    f"at every temperature latency falls from each K to the next smaller one ({', '.join(map(str, SIZES))}), and latency and "
    "resampling rise from each temperature to the next for each K and for C-SQS, on synthetic and real laws, all at once.",
    "With as many drafts as the bits allow, a small K makes drafts cheap and batches long: most of what is drafted after the "
    "first rejection is thrown away, and the draft time of it is paid.",
)

AGAINST_DENSE = _claim(
    "sqs.against-dense",
    "SQS lowers latency against dense quantisation at a resampling rate at most 5 points higher",
    "SQS §1, contributions, and §4",
    _against_dense,
    "at every temperature, the K-SQS or C-SQS with the least latency on the even links among those whose resampling there is "
    "at most 5 points above dense has, on the odd links, lower latency than dense and resampling less than 5 points higher.",
    "The dense lattice at ℓ = 100 keeps few tokens anyway, so its payload is not what its size suggests (sqs.bandwidth).",
)

CROSSOVER = _claim(
    "csqs.crossover",
    "K-SQS has lower latency and resampling at low temperature, C-SQS at high temperature",
    "SQS, Figs 2 and 6 (η = 1e-3, α = 5e-4)",
    _crossover,
    f"with K of least latency at T = {LOW:g} and the first threshold of least latency at T = {HIGH:g}, both chosen on the even "
    f"links: on the odd links K-SQS has lower latency and lower resampling at T = {LOW:g}, C-SQS both at T = {HIGH:g}.",
    "Resampling per batch depends on how many drafts a batch has: a batch without a draft, because its law does not fit the "
    "budget, resamples nothing.",
)

ADAPTIVITY = _claim(
    "csqs.adaptivity",
    r"A moving threshold ($\eta > 0$) lowers both latency and resampling against the same threshold held ($\eta = 0$), for "
    r"small $\beta$",
    "SQS, Fig. 5",
    _adaptivity,
    f"from β = {min(FIRST):g}, η = 1e-3 gives lower latency and lower resampling than η = 0 at every temperature, on synthetic "
    "and real laws, all at once; beside it the best of the held thresholds, chosen on the even links.",
    "A threshold that moves so as to drop 0.05 % of the mass soon keeps nearly every token; what that costs in bits and "
    "saves in rejections depends on the temperature. "
    "Where nearly every batch ends in a resampling, both rates are 1 and none is lower.",
)

CLAIMS = (K_LATENCY, AGAINST_DENSE, CROSSOVER, ADAPTIVITY)
