"""Latency and resampling on a thin wire: over temperature, over the parameter K or β, and with the threshold held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Cell, Result, Study, remembered
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point
from simspec.logits.bank import open_bank
from simspec.studies.sqs.edge_cloud import edge_cloud
from simspec.studies.sqs.link_schemes import dense, threshold, top_k

__all__ = ["ADAPTIVITY", "PARAMETERS", "STEP_SIZE", "TEMPERATURE"]

SIZES = (2, 4, 8, 16, 32, 64, 128, 256)
FIRSTS = (0.1, 0.03, 0.01, 0.003, 0.001, 0.0003)
STEP_SIZES = (1e-4, 1e-3, 1e-2, 1e-1)
SCHEMES: Mapping[str, Cell] = {
    "dense": dense(),
    **{f"K = {k}": top_k(k) for k in SIZES},
    **{f"C-SQS from {first:g}": threshold(first) for first in FIRSTS},
    **{f"threshold {first:g}": threshold(first, step_size=0) for first in FIRSTS},
    **{f"step {step:g}": threshold(0.01, step_size=step) for step in STEP_SIZES},
}
LATENCY, RESAMPLING = "slow uplink latency", "resampling"
_KINDS = {"wiki": "wiki bank", "synthetic Student-t logits": "Student-t logits"}
_TITLES = {LATENCY: "latency", RESAMPLING: "resampling"}


@cache
def _study(effort: str) -> Study:
    temperatures = (0.5, 1.0) if effort == "quick" else (0.25, 0.5, 0.75, 1.0, 1.25, 1.5)
    links = partial(edge_cloud, schemes=SCHEMES, temperatures=temperatures, paired=True, longest=(64,))
    real, made = links(open_bank("wiki")), links()
    simulate = {False: made.simulate, True: real.simulate}
    return replace(
        real,
        grid=real.grid + made.grid if effort != "quick" else made.grid,
        simulate=remembered(lambda cell, rows, device: simulate["rows" in cell](cell, rows, device)),
        rows={"quick": 3, "default": 30, "deep": 30}[effort],
    )


def _over(results: Sequence[Result], schemes: Mapping[str, str], quantity: str) -> Iterator[Point]:
    """A quantity over temperature: a panel for each kind of laws, a curve for each scheme."""
    for result in results:
        for scheme, series in schemes.items():
            found = student(result.values[f"{quantity}; {scheme}"], 0.95, 0)
            panel = f"{_TITLES[quantity]}, {_KINDS[result.cell['data']]}"
            yield point(panel, series, result.cell["temperature"], found)


def _temperature(results: Sequence[Result]) -> Iterator[Point]:
    names = ("dense", "K = 8", "K = 32", "K = 128", "C-SQS from 0.01", "C-SQS from 0.001")
    for quantity in (LATENCY, RESAMPLING):
        yield from _over(results, {name: name for name in names}, quantity)


def _adaptivity(results: Sequence[Result]) -> Iterator[Point]:
    names = {f"C-SQS from {f:g}": f"adaptive, β₁ = {f:g}" for f in (0.1, 0.01, 0.001)}
    names |= {f"threshold {f:g}": f"held, β = {f:g}" for f in (0.1, 0.01, 0.001)}
    for quantity in (LATENCY, RESAMPLING):
        yield from _over(results, names, quantity)


def _parameters(results: Sequence[Result]) -> Iterator[Point]:
    """Latency over K and over the first threshold, a curve for each temperature."""
    for result in results:
        kind, series = _KINDS[result.cell["data"]], f"T = {result.cell['temperature']:g}"
        for k in SIZES:
            yield point(f"K-SQS, {kind}", series, k, student(result.values[f"{LATENCY}; K = {k}"], 0.95, 0))
        for first in FIRSTS:
            found = student(result.values[f"{LATENCY}; C-SQS from {first:g}"], 0.95, 0)
            yield point(f"C-SQS, {kind}", series, first, found)


def _step_size(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        for quantity in (LATENCY, RESAMPLING):
            panel, series = f"{_TITLES[quantity]}, {_KINDS[result.cell['data']]}", f"T = {result.cell['temperature']:g}"
            for step in STEP_SIZES:
                found = student(result.values[f"{quantity}; step {step:g}"], 0.95, 0)
                yield point(panel, series, step, found)


_DATA = (
    "the wiki bank (30 links of its documents) and synthetic Student-t logits (V = 1,000, df 8, scale 2.5, correlation "
    "0.9); 5,000 bits a batch, 100 kbit/s, a draft 0.01 s, a verification 0.05 s"
)
_MISSING = "the printed latencies rest on GPT-Neo models and their hardware; here bits are counted on a stated link"
_WORDS = "Student-t over links, 95 % each; schemes run on the same links with the same random numbers"

TEMPERATURE = Figure(
    name="sqs.temperature",
    title="Latency per token and resampling over temperature",
    source="SQS, Figures 2 and 6",
    study=_study,
    compact=_temperature,
    data=_DATA,
    intervals=_WORDS,
    claims=("csqs.crossover", "sqs.k-latency", "sqs.against-dense"),
    shape=(2, 2),
    size=(9.6, 7.0),
    missing=_MISSING,
)

PARAMETERS = Figure(
    name="sqs.parameters",
    title="Latency over the number of tokens kept and over the first threshold",
    source="SQS, Figure 4",
    study=_study,
    compact=_parameters,
    data=_DATA,
    intervals=_WORDS,
    claims=("sqs.k-latency",),
    shape=(2, 2),
    size=(9.6, 7.0),
    missing=_MISSING,
)

ADAPTIVITY = Figure(
    name="sqs.adaptivity",
    title="An adaptive threshold beside one that is held where it began",
    source="SQS, Figure 5",
    study=_study,
    compact=_adaptivity,
    data=_DATA,
    intervals=_WORDS,
    claims=("csqs.adaptivity", "csqs.adaptive-against-fixed"),
    shape=(2, 2),
    size=(9.6, 7.0),
    missing=_MISSING,
)

STEP_SIZE = Figure(
    name="sqs.step-size",
    title="C-SQS over its step size: small steps adapt late",
    source="SQS, Figure 5, over η",
    study=_study,
    compact=_step_size,
    data=f"{_DATA}; C-SQS from 0.01",
    intervals=_WORDS,
    claims=("csqs.adaptivity",),
    shape=(2, 2),
    size=(9.6, 7.0),
    missing=_MISSING,
)
