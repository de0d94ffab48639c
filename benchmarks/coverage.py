"""How often intervals over few requests hold the truth: simulated for laws of requests whose truth is known exactly.

``python -m benchmarks.coverage`` simulates (about a minute), records the shares and rewrites the table in
``docs/benchmarks``.  Beside the intervals that `simspec lengths` prints stand those of the percentile bootstrap over requests
and of the jackknife alone.  The last law is the limit of the method, and the table shows it as such.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.cases import environment, write
from simspec.engine.estimates.clusters import FEWEST, ends
from simspec.engine.estimates.intervals import document_weights
from simspec.files import fill, write_file

__all__ = [
    "COUNTS",
    "LAWS",
    "LEAST",
    "LIMIT",
    "METHODS",
    "PAGE",
    "PART",
    "RECORD",
    "Law",
    "main",
    "measure",
    "requests",
    "simulate",
    "table",
    "truth",
]

Floats = NDArray[np.float64]
Requests = tuple[NDArray[np.int64], Floats]
Ends = tuple[Floats, Floats]

GAMMA = 4
"""Drafts of every step."""
LEVEL = 0.95
LEAST = 0.93
"""Coverage that is asked of an interval of `LEVEL` that is printed."""
COUNTS = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 300)
RUNS = 10_000
RESAMPLES = 1000
RUNS_AT_A_TIME = 1000
RECORD = Path("docs", "benchmarks", "coverage.json")
PAGE = Path("docs", "benchmarks", "README.md")
PART = "coverage"


class Law(NamedTuple):
    """A law of requests: its meaning, and how steps and acceptance rates of many requests are drawn."""

    meaning: str
    draw: Callable[[np.random.Generator, tuple[int, int]], Requests]


def _near_constant(rng: np.random.Generator, shape: tuple[int, int]) -> Requests:
    return rng.integers(60, 69, shape), np.full(shape, 0.8)


def _geometric(rng: np.random.Generator, shape: tuple[int, int]) -> Requests:
    return rng.geometric(1 / 20, shape), np.full(shape, 0.7)


def _lognormal(z: Floats) -> NDArray[np.int64]:
    """Steps with the median 20 and a logarithm of standard deviation 1.5."""
    return np.maximum(1, np.rint(20 * np.exp(1.5 * z))).astype(np.int64)


def _heavy_tailed(rng: np.random.Generator, shape: tuple[int, int]) -> Requests:
    return _lognormal(rng.normal(size=shape)), rng.beta(4, 2, shape)


def _mixture(rng: np.random.Generator, shape: tuple[int, int]) -> Requests:
    refused = rng.random(shape) < 0.1
    return np.where(refused, 150, 50) + rng.integers(-5, 6, shape), np.where(refused, 0.02, 0.8)


def _correlated(rng: np.random.Generator, shape: tuple[int, int]) -> Requests:
    z = rng.normal(size=shape)
    return _lognormal(z), special.expit(0.8 + 0.7 * z + 0.5 * rng.normal(size=shape))


LAWS = {
    "near-constant": Law("60 to 68 steps, each draft is accepted with probability 0.8", _near_constant),
    "geometric": Law("geometrically many steps, 20 on average, acceptance 0.7", _geometric),
    "heavy-tailed": Law(
        "lognormally many steps, median 20 and σ = 1.5; the acceptance of a request is drawn from Beta(4, 2)",
        _heavy_tailed,
    ),
    "mixture": Law(
        "a tenth of the requests accepts 0.02 of the drafts and needs 145 to 155 steps, the others 0.8 and 45 to 55",
        _mixture,
    ),
    "correlated": Law(
        "heavy-tailed, and long requests accept more: the logit of acceptance is 0.8 + 0.7 z + 0.5 e, z the standardised "
        "logarithm of the steps, e normal",
        _correlated,
    ),
}
LIMIT = "correlated"
"""The law on which the method fails: what the longest requests do decides, and few samples hold one of them."""


def requests(law: Law, rng: np.random.Generator, shape: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Accepted drafts and steps (n, runs): in each step drafts are accepted until the first that is not."""
    steps, rates = law.draw(rng, shape)
    accepted = np.zeros_like(steps)
    alive = steps
    for _ in range(GAMMA):
        alive = rng.binomial(alive, rates)
        accepted += alive
    return accepted, steps


def truth(name: str) -> float:
    """Accepted drafts a step over all requests of a law.

    >>> round(truth("near-constant"), 4), round(truth("geometric"), 4)
    (2.3616, 1.7731)
    """
    powers = range(1, GAMMA + 1)
    if name == "heavy-tailed":  # moments of Beta(4, 2), which is drawn without looking at the steps
        return float(sum(np.prod([(4 + i) / (6 + i) for i in range(k)]) for k in powers))
    if name == "mixture":
        accepted = 0.1 * 150 * sum(0.02**k for k in powers) + 0.9 * 50 * sum(0.8**k for k in powers)
        return accepted / (0.1 * 150 + 0.9 * 50)
    if name == "correlated":  # sums over a fine grid of z and of e
        z = np.linspace(-9, 9, 3601)
        weights = np.exp(-(z**2) / 2)
        rates = special.expit(0.8 + 0.7 * z[:, None] + 0.5 * z[None, ::8])
        accepted = sum(rates**k for k in powers) @ weights[::8] / weights[::8].sum()
        sizes = weights * _lognormal(z)
        return float(sizes @ accepted / sizes.sum())
    return float(sum({"near-constant": 0.8, "geometric": 0.7}[name] ** k for k in powers))


def _printed(accepted: Floats, steps: Floats) -> Ends:
    """As `simspec lengths` computes it; no interval of fewer than `FEWEST` requests."""
    if len(steps) < FEWEST:
        nan = np.full(steps.shape[1], np.nan)
        return nan, nan
    sizes = (accepted + steps).mean(axis=0), steps.mean(axis=0)
    return ends(accepted, steps, LEVEL, (0, GAMMA), sizes)


def _percentile(accepted: Floats, steps: Floats) -> Ends:
    weights = document_weights(len(steps), RESAMPLES)
    low, high = np.quantile((weights @ accepted) / (weights @ steps), [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return low, high


def _jackknife(accepted: Floats, steps: Floats) -> Ends:
    """Without a further request, with n - 1 degrees of freedom."""
    n = len(steps)
    left_out = (accepted.sum(axis=0) - accepted) / (steps.sum(axis=0) - steps)
    error = np.sqrt((n - 1) ** 2 / n) * left_out.std(axis=0, ddof=1) * special.stdtrit(n - 1, (1 + LEVEL) / 2)
    estimate = accepted.sum(axis=0) / steps.sum(axis=0)
    return estimate - error, estimate + error


METHODS = {"simspec": _printed, "jackknife": _jackknife, "percentile bootstrap": _percentile}


def simulate(name: str, count: int, runs: int = RUNS, seed: int = 0) -> dict[str, dict[str, float | None]]:
    """Share of the runs whose interval holds the truth, and the median half-width; None where no interval is printed.

    Parameters
    ----------
    name : of `LAWS`
    count : requests of each run
    runs : a multiple of `RUNS_AT_A_TIME`, or fewer
    """
    rng = np.random.default_rng([seed, count, *name.encode()])
    target = truth(name)
    holds: dict[str, list[Any]] = {method: [] for method in METHODS}
    halves: dict[str, list[Any]] = {method: [] for method in METHODS}
    for at in range(0, runs, RUNS_AT_A_TIME):
        sample = requests(LAWS[name], rng, (count, min(RUNS_AT_A_TIME, runs - at)))
        accepted, steps = (x.astype(np.float64) for x in sample)
        for method, interval in METHODS.items():
            low, high = interval(accepted, steps)
            holds[method].append((low <= target) & (target <= high))
            halves[method].append((high - low) / 2)
    shares: dict[str, dict[str, float | None]] = {}
    for method in METHODS:
        half = float(np.median(np.concatenate(halves[method])))
        covered = float(np.concatenate(holds[method]).mean())
        shares[method] = {"coverage": None, "half": None} if np.isnan(half) else {"coverage": covered, "half": half}
    return shares


def measure(runs: int = RUNS, counts: Sequence[int] = COUNTS) -> dict[str, Any]:
    """The record: of each law its meaning and truth, and of each number of requests what `simulate` finds."""
    laws = {
        name: {
            "meaning": law.meaning,
            "truth": truth(name),
            "counts": {str(count): simulate(name, count, runs) for count in counts},
        }
        for name, law in LAWS.items()
    }
    return {"benchmark": "coverage", "environment": environment(()), "runs": runs, "level": LEVEL, "laws": laws}


def table(document: Mapping[str, Any]) -> str:
    """Markdown table: a row for each number of requests, of each law the coverage of each method in per cent.

    >>> numbers = {"simspec": {"coverage": 0.9512, "half": 0.5}, "jackknife": {"coverage": 0.9, "half": 0.25}}
    >>> law = {"meaning": "all alike", "truth": 1.0, "counts": {"5": numbers | {"percentile bootstrap": numbers["simspec"]}}}
    >>> print(table({"runs": 2500, "level": 0.95, "laws": {"constant": law}}).splitlines()[2])
    | 5 | 95.1 (±0.50), 90.0 (±0.25), 95.1 (±0.50) |
    """
    laws = document["laws"]
    runs = document["runs"]
    lines = [f"| requests | {' | '.join(laws)} |", "|---" * (1 + len(laws)) + "|"]
    for count in next(iter(laws.values()))["counts"]:
        cells = []
        for law in laws.values():
            numbers = law["counts"][count]
            cells.append(", ".join(_cell(numbers[method]) for method in METHODS))
        lines.append(f"| {count} | {' | '.join(cells)} |")
    error = 100 * (document["level"] * (1 - document["level"]) / runs) ** 0.5
    legend = (
        f"Per cent of {runs:,} runs whose {document['level']:.0%} interval of the acceptance length holds the truth, with the "
        f"median half-width in brackets: {', '.join(METHODS)}. A dash: no interval is printed. Standard error of a share of "
        f"{document['level']:.0%}: {error:.2f} points. {GAMMA} drafts a step."
    )
    meanings = [f"* {name}: {law['meaning']}; {1 + law['truth']:.3f} tokens a step" for name, law in laws.items()]
    return "\n".join([*lines, "", legend, "", *meanings])


def _cell(numbers: Mapping[str, float | None]) -> str:
    covered = numbers["coverage"]
    half = numbers["half"]
    return "–" if covered is None or half is None else f"{100 * covered:.1f} (±{half:.2f})"


def main() -> int:
    """Simulate, record, and rewrite the table, from the root of a clone."""
    document = measure()
    write(RECORD, document)
    write_file(PAGE, fill(PAGE.read_text(encoding="utf-8"), PART, table(document)).encode())
    print(json.dumps({name: law["counts"] for name, law in document["laws"].items()}, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
