"""The simulated links on which drafting over a thin wire is decided (SQS 4, A.4): `sqs.k-latency`, `csqs.adaptivity`, ….

A link has contexts of its own (a fold of a bank's documents, or fresh synthetic laws), so links are independent and
differences between schemes are paired.  What is chosen (K, threshold) is chosen on the even links and judged on the odd.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from simspec.claims.authoring import chosen_here
from simspec.claims.claim import Printed
from simspec.claims.deciding.evidence import BESIDE, beside, judge, line, measured, rows_for
from simspec.claims.measured import (
    ON_ANSWERS,
    Claim,
    Data,
    Evidence,
    Result,
    Results,
    Study,
    decides,
    empirical,
    figure,
    on_each,
    shared,
)
from simspec.engine.estimates.intervals import Interval, student
from simspec.engine.study import Cell, select
from simspec.logits.bank import MissingPart
from simspec.studies.sqs.edge_cloud import FEWEST_DOCUMENTS, SYNTHETIC, edge_cloud
from simspec.studies.sqs.link_schemes import BATCHES, FIRST, SCHEMES, SIZES, TIMES, top_k

__all__ = [
    "HIGH",
    "LATENCY",
    "LOW",
    "MIDDLE",
    "MOVING",
    "POINTS",
    "UPLINK",
    "by_data",
    "chosen_scheme",
    "difference_of",
    "evidence_of",
    "link_claim",
    "shown_beside",
    "top_k_schemes",
    "value_of",
]

LOW = 0.25
MIDDLE = 0.5
HIGH = 1.0
UPLINK = "slow uplink"
LATENCY = f"{UPLINK} latency"
POINTS = 0.05
"""How much higher the resampling rate may be in sqs.against-dense."""


def _temperatures(data: Data) -> tuple[float, ...]:
    return (LOW, HIGH) if data.effort == "quick" else (LOW, MIDDLE, HIGH)


def _schemes(vocab: int) -> dict[str, Cell]:
    """The schemes over a vocabulary: a K above V is V, every token kept, and no K is there twice."""
    fitting = {f"K = {k}": top_k(k) for k in dict.fromkeys(min(k, vocab) for k in SIZES)}
    return {"dense": SCHEMES["dense"], **fitting, **{n: s for n, s in SCHEMES.items() if s["scheme"] == "threshold"}}


@shared
def _study(data: Data) -> Study:
    """Real and synthetic cells of one study; a real cell names its data after the pair and the kind of text."""
    bank = data.realistic
    if bank.vocab <= min(SIZES):
        raise MissingPart(
            f"bank: {bank.name!r} has {bank.vocab} tokens; expected more than {min(SIZES)}, the smallest K"
        )
    schemes = _schemes(bank.vocab)
    # corpus texts stand beside, where there are enough for links of their own
    texts = {name: pair for name, pair in data.texts.items() if len(np.unique(pair.documents)) >= FEWEST_DOCUMENTS}
    real = on_each(
        {**data.deciding, **texts},
        lambda pair: edge_cloud(pair, data.describe(pair), schemes, _temperatures(data), paired=True),
    )
    synthetic = edge_cloud(schemes=SCHEMES, temperatures=_temperatures(data), paired=True)

    def simulate(cell: Any, rows: Any, device: str) -> Any:
        return (real if "bank" in cell else synthetic).simulate(cell, rows, device)

    grid = real.grid + synthetic.grid
    rows = rows_for(data, 10, real.rows, real.rows)
    return replace(real, name="edge-cloud-claims", grid=grid, rows=rows, simulate=simulate)


def by_data(results: Results) -> list[tuple[str, list[Result]]]:
    """Results by data."""
    names = dict.fromkeys(str(r.cell["data"]) for r in results)
    return [(name, select(results, data=name)) for name in names]


def _names(block: Results) -> list[str]:
    """The schemes that ran on some data."""
    prefix = f"{LATENCY}; "
    return [name.removeprefix(prefix) for name in block[0].values if name.startswith(prefix)]


def top_k_schemes(block: Results) -> list[str]:
    """Those of a fixed K, the smallest first."""
    return sorted((n for n in _names(block) if n.startswith("K = ")), key=lambda n: int(n.removeprefix("K = ")))


def value_of(results: Results, quantity: str, scheme: str, temperature: float, longest: int = 64) -> np.ndarray:
    """A quantity of one scheme on each link."""
    (result,) = select(results, temperature=temperature, longest=longest)
    return result.values[f"{quantity}; {scheme}"]


def _interval(gap: np.ndarray, level: float, quantity: str) -> Interval:
    """Student over links; a rate that is the same on all n links has an interval all the same.

    Equal values show no spread, but the next link may differ: were that likelier than 1 - (1 - level)^(1/n), n equal
    ones would be rarer than the level allows, and a link that differs moves the mean of numbers in [-1, 1] by at most
    1 + |value|.
    """
    student_interval = student(gap, level)
    if quantity != "resampling" or float(np.ptp(gap)) > 1e-12:
        return student_interval
    reach = (1 + abs(student_interval.estimate)) * (1 - (1 - level) ** (1 / len(gap)))
    return Interval(
        student_interval.estimate, student_interval.estimate - reach, student_interval.estimate + reach, level
    )


def evidence_of(
    data: str,
    text: str,
    gap: np.ndarray,
    level: float,
    below: float | None = 0.0,
    quantity: str = LATENCY,
    facts: dict[str, float] | None = None,
) -> Evidence:
    """Evidence on a paired difference; shown beside when nothing is to stay below."""
    label = f"{data}; {text}" if below is not None else f"{BESIDE}{data}; {text}"
    return measured(
        label,
        data.split(": ")[0],
        len(gap),
        _interval(gap, level, quantity),
        facts,
        below=below,
        made_up=data == SYNTHETIC and below is not None,
    )


def shown_beside(data: str, results: Results, level: float) -> list[Evidence]:
    """Every scheme's latency and resampling at each temperature, as many drafts as fit and at most eight."""
    out = []
    for result in results:
        t = result.cell["temperature"]
        longest = result.cell["longest"]
        for name in (LATENCY, f"{UPLINK} batch latency", "fast uplink latency", "resampling"):
            facts = {s: float(result.values[f"{name}; {s}"].mean()) for s in _names(results) if s != "dense"}
            text = f"T = {t:g}, at most {longest} drafts a batch: {name} of dense quantisation"
            out.append(evidence_of(data, text, result.values[f"{name}; dense"], level, None, facts=facts))
    return out


def chosen_scheme(block: Results, temperature: float, names: Sequence[str], dense_limit: bool = False) -> str:
    """The scheme with the least latency on the even links, among those whose resampling there stays in the limit."""

    def mean(quantity: str, name: str) -> float:
        return float(value_of(block, quantity, name, temperature)[::2].mean())

    allowed = mean("resampling", "dense") + POINTS if dense_limit else float("inf")
    return min(names, key=lambda name: (mean("resampling", name) > allowed, mean(LATENCY, name)))


MOVING = tuple(f"C-SQS from {first:g}" for first in FIRST)


def difference_of(
    block: Results, quantity: str, temperature: float, one: str, other: str, longest: int = 64
) -> np.ndarray:
    """Paired differences on the odd links."""
    first, second = (value_of(block, quantity, name, temperature, longest) for name in (one, other))
    return (first - second)[1::2]


def _plot(results: Results) -> dict[str, Any]:
    data, block = by_data(results)[0]
    temperatures = sorted({r.cell["temperature"] for r in results})
    series = []
    for name in ("dense", *top_k_schemes(block), *MOVING):
        intervals = [student(value_of(block, LATENCY, name, t)) for t in temperatures]
        series.append(line(name, temperatures, intervals))
    return figure(
        f"Seconds per token on the {UPLINK}: {data.split(':')[0]}", "temperature", "latency, s per token", series
    )


_RULE = (
    "All intervals hold at once at 95 % (Student over links, Bonferroni; a rate equal on all links by how often a link "
    "can differ unseen); unsupported when one statement fails beyond its interval, inconclusive otherwise. Synthetic laws are "
    "made up here: where they alone would decide, inconclusive."
)
_OPEN = (
    f"Links of {BATCHES} batches with B = 5000 bits and ℓ = 100, each position one of the link's contexts drawn independently "
    f"(banks hold scattered contexts, not running text), at temperatures {LOW:g}, {MIDDLE:g} and {HIGH:g} (quick: without "
    f"{MIDDLE:g}); times that SQS leaves open: draft {TIMES[UPLINK].draft:g} s, "
    f"uplink {TIMES[UPLINK].rate:g} bit/s, verification {TIMES[UPLINK].verify:g} s; latency is seconds per emitted token, and "
    "C-SQS pays for the passes whose law it does not send: the one it computes to learn that it no longer fits, and the new "
    "token's when all drafts were accepted"
)


def link_claim(
    name: str,
    statement: str,
    reference: str,
    estimate: Callable[..., Any],
    criterion: str,
    note: str,
    printed: Printed | None = None,
) -> Claim:
    """An empirical claim that is decided on the simulated links."""

    def of_each_kind(results: Results) -> list[Evidence]:
        """What decides, and what the same comparisons say of corpus texts alone, by intervals of their own level."""
        evidence = list(estimate([result for result in results if decides(result)]))
        texts = [result for result in results if not decides(result)]
        shown = [row for row in estimate(texts) if judge(row) is not None] if texts else []
        return [*evidence, *map(beside, shown)]

    words: dict[str, Any] = {
        "name": name,
        "statement": statement,
        "reference": reference,
        "note": note,
        "printed": printed,
    }
    return empirical(
        _study,
        of_each_kind,
        f"{chosen_here('the times of a link')}{ON_ANSWERS} Supported when {criterion} {_RULE} {_OPEN}.",
        _plot,
        **words,
    )
