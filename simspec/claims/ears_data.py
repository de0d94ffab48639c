"""Empirical claims of EARS on real logits: block length, and what its uncertainty measures; the rest is in `ears_utility`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.claims import ears_utility
from simspec.claims.claim import Claim, Evidence, Finding
from simspec.claims.data import Data
from simspec.claims.empirical import BESIDE, all_of, measured, rows_for
from simspec.methods.block import block_length
from simspec.studies.ears_real import CURVES, TEMPERATURES, relaxed_rates
from simspec.studies.ears_uncertainty import SIGNALS, kendall, kendall_interval, uncertainty_ranks
from simspec.studies.intervals import Interval, bonferroni, documents
from simspec.studies.study import Result, Study, remembered, select

if TYPE_CHECKING:
    from simspec.logits.bank import Bank

__all__ = ["CLAIMS"]

LEVEL = 0.95
GAMMA = 5
GAMMAS = (1, 3, 10, 20)
BETA = 0.1


def _banks(data: Data) -> dict[str, Bank]:
    """The real pairs: a bank of the user's own, or those that ship (in a quick run the first)."""
    return {"main": data.main} | ({"stories": data.stories} if data.shipped and data.effort != "quick" else {})


def _described(data: Data) -> dict[str, str]:
    return {name: data.describe(bank) for name, bank in _banks(data).items()}


def _source(result: Result) -> str:
    cell = result.cell
    if "bank" in cell:
        return str(cell["data"])
    family = f"{cell['family']} (df {cell['df']:g})" if "df" in cell else cell["family"]
    return (
        f"synthetic {family} logits of scale {cell['scale']:g}, correlation {cell['rho']:g} with the draft's, "
        f"V = {cell['vocab']}: {cell['rows']} contexts"
    )


def _model(result: Result) -> str:
    return _source(result).split(":")[0]


def _short(result: Result) -> str:
    """Name of a line in a plot."""
    return _model(result) if "bank" in result.cell else f"synthetic, {result.cell['family']}"


def _sources(results: Sequence[Result]) -> list[list[Result]]:
    """Results of one source each, in order."""
    names = list(dict.fromkeys(_source(r) for r in results))
    return [[r for r in results if _source(r) == name] for name in names]


# --- throughput -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _rates(data: Data) -> Study:
    few = data.effort == "quick"
    study = relaxed_rates(
        _banks(data),
        _described(data),
        rows=rows_for(data, 20, 200, 1000),
        beta=BETA,
        temperatures=(0.0, 1.0) if few else TEMPERATURES,
        curves=not few,
    )
    return replace(study, simulate=remembered(study.simulate))


def _lengths(cells: Sequence[Result], gamma: int, means: Any) -> Any:
    """Tokens per target call over those of speculative decoding, averaged over temperatures.

    The means (..., 2 n) are acceptance rates: of speculative decoding in each of the n cells, then of the rule.
    """
    lengths = block_length(np.minimum(means, 1), gamma)  # a resampled mean may pass 1 by its last bit
    return (lengths[..., len(cells) :] / lengths[..., : len(cells)]).mean(axis=-1)


def _columns(cells: Sequence[Result], rule: str) -> Any:
    return np.column_stack([cell.values[name] for name in ("sd", rule) for cell in cells])


def _ratio(cells: Sequence[Result], level: float) -> Interval:
    """That of EARS with its document-bootstrap interval."""
    value = partial(_lengths, cells, GAMMA)
    return documents(_columns(cells, "ears"), cells[0].values["document"], level, statistic=value)


def _estimate(cells: Sequence[Result], rule: str, gamma: int = GAMMA) -> float:
    return float(_lengths(cells, gamma, _columns(cells, rule).mean(axis=0)))


def _facts(cell: Result) -> dict[str, float]:
    """What a rule gains and costs at one temperature, and the controls of the same mean total variation."""
    v = {name: float(x.mean()) for name, x in cell.values.items()}
    facts = {"speculative decoding": 1.0, "its acceptance": v["sd"], "EARS: acceptance gained": v["ears"] - v["sd"]}
    facts |= {"EARS: total variation paid": v["ears tv"], "EARS: KL(output || target), nats": v["ears kl"]}
    for rule in ("lenience", "mixture"):
        facts[f"{rule} at that total variation"] = _estimate([cell], rule)
        facts[f"its KL(output || target), {rule}"] = v[f"{rule} kl"]
    return facts


def _shared(cells: Sequence[Result]) -> float:
    """The same ratio when all positions of a block have the acceptance of one context."""
    length = [[block_length(c.values[rule], GAMMA).mean() for c in cells] for rule in ("ears", "sd")]
    return float((np.array(length[0]) / length[1]).mean())


def _throughput(results: Sequence[Result]) -> list[Evidence]:
    evidence = []
    blocks = _sources([r for r in results if not r.cell["curves"]])
    level = bonferroni(LEVEL, sum("bank" in cells[0].cell for cells in blocks))
    for cells in blocks:
        first, label = cells[0], f"{_source(cells[0])}, EARS at {BETA:g}, {GAMMA} drafts a call"
        n = len(first.values["sd"])
        facts = {
            "paper: throughput": 1.1812,
            "speculative decoding": 1.0,
            "acceptance shared by a block": _shared(cells),
        }
        facts |= {f"{gamma} drafts a call": _estimate(cells, "ears", gamma) for gamma in GAMMAS}
        over = "average over temperatures " + ", ".join(format(c.cell["temperature"], "g") for c in cells)
        exceed = 1.05 if "bank" in first.cell else None
        interval = _ratio(cells, level)
        evidence.append(measured(f"{label}: {over}", _model(first), n, interval, facts, exceed=exceed))
        for cell in cells if "bank" in first.cell else ():
            at = f"{BESIDE}{label}: temperature {cell.cell['temperature']:g}"
            evidence.append(measured(at, _model(first), n, _ratio([cell], level), _facts(cell)))
    return evidence


def _curve_plot(results: Sequence[Result]) -> dict[str, Any]:
    """Acceptance against mean total variation at temperature 1: the frontier, and the rules on it and below."""
    series: list[dict[str, Any]] = []
    for result in select(results, curves=True):
        v = {name: x.mean(axis=0) for name, x in result.values.items()}
        points = {name: [v[f"{name} {at:g}"].tolist() for at in rules] for name, rules in CURVES.items()}
        lossless, last = float(v["sd"]), max(tv for line in points.values() for _, tv in line)
        x = [0.0, min(last, 1 - lossless), last]
        series.append({"name": "frontier", "x": x, "y": [min(1.0, lossless + tv) for tv in x]})
        series += [
            {"name": name, "x": [tv for _, tv in line], "y": [alpha for alpha, _ in line]}
            for name, line in points.items()
        ]
    if not series:  # a quick run has the temperatures only
        for cells in _sources([r for r in results if r.cell.get("bank") == "main"]):
            points = {
                name: [(float(c.values[f"{name} tv"].mean()), float(c.values[name].mean())) for c in cells]
                for name in ("ears", "lenience", "mixture")
            }
            series = [{"name": n, "x": [a for a, _ in line], "y": [b for _, b in line]} for n, line in points.items()]
    return {
        "title": "What acceptance costs, real logits",
        "x_label": "total variation to the target, mean over contexts",
        "y_label": "acceptance",
        "x_log": False,
        "series": series,
    }


THROUGHPUT = Claim(
    name="ears.throughput",
    kind="empirical",
    statement=r"$\beta = 0.1$ raises the tokens per target call by more than 5 % (throughput by 18.12 % in the paper), "
    "on real pairs at temperatures from 0 to 1",
    reference="EARS, Key Results",
    note="The gain is bought: with the residual of speculative decoding the acceptance gained is the total variation "
    "paid, exactly, in every context, and lenience or a plain mixture at the same total variation gains the same. It "
    "grows with the temperature and vanishes at 0, where the target is certain. The formula takes positions as "
    "independent: where those of a block share their acceptance the gain is smaller, and so it is on the second pair. "
    "Which temperatures count decides: at 1 alone each pair passes 5 % (beside).",
    sources=(),
    finding=Finding(
        study=_rates,
        estimate=_throughput,
        decide=all_of,
        criterion="On the evaluation contexts of each real pair (the homogeneous and the heterogeneous one that ship; "
        "the first in a quick run), the temperature applied to target and draft: tokens per target "
        "call from the mean acceptance, with 5 drafts a call, as a ratio to speculative decoding. Supported when the "
        "average of that ratio over temperatures 0, 0.25, 0.5, 0.75 and 1 (0 and 1 in a quick run) exceeds 1.05 on "
        "each pair, by document-bootstrap intervals that hold together at 95 %; unsupported when one interval lies at "
        "or below 1.05.",
        plot=_curve_plot,
    ),
)


# --- calibration ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _ranks(data: Data) -> Study:
    temperatures = (1.0,) if data.effort == "quick" else (0.25, 0.5, 1.0)
    study = uncertainty_ranks(
        _banks(data), _described(data), rows=rows_for(data, 50, 200, 1000), temperatures=temperatures
    )
    return replace(study, simulate=remembered(study.simulate))


def _tau(result: Result, resamples: int = 2000) -> Interval:
    v = result.values
    return kendall_interval(v[SIGNALS[0]], v["entropy"], v["document"], LEVEL, resamples)


def _calibration(results: Sequence[Result]) -> list[Evidence]:
    evidence = []
    for result in results:
        v, at = result.values, result.cell["temperature"]
        decides = result.cell.get("bank") == "main" and at == 1
        control = {"1 - sum of squares": float(kendall(v["variance"], v["entropy"]))}
        control["positions shuffled"] = float(kendall(v["shuffled"], v["entropy"]))
        label = f"{_source(result)}, temperature {at:g}: Kendall tau of 1 - max p and entropy"
        interval = _tau(result, 10_000) if decides else _tau(result)
        exceed = 0.8 if decides else None
        evidence.append(measured(label, _model(result), len(v["entropy"]), interval, control, exceed=exceed))
    return evidence


def _calibration_plot(results: Sequence[Result]) -> dict[str, Any]:
    series = []
    for cells in _sources(results):
        taus = [float(kendall(c.values[SIGNALS[0]], c.values["entropy"])) for c in cells]
        series.append({"name": _short(cells[0]), "x": [c.cell["temperature"] for c in cells], "y": taus})
    return {
        "title": "One minus the largest probability against entropy",
        "x_label": "temperature",
        "y_label": "Kendall's tau over contexts",
        "x_log": False,
        "series": series,
    }


CALIBRATION = Claim(
    name="ears.calibration",
    kind="empirical",
    statement=r"$1 - \max_x p_x$ ranks positions as the entropy of $p$ does: Kendall's $\tau > 0.8$",
    reference="EARS, first experiments, 3",
    note="One number of the law cannot tell two likely tokens from a long tail: the two disagree most among uncertain "
    "positions, so the agreement falls as the temperature rises. The sum of squares, as cheap, ranks more like entropy.",
    sources=(),
    finding=Finding(
        study=_ranks,
        estimate=_calibration,
        decide=all_of,
        criterion="Over the evaluation contexts of the bank at temperature 1: supported when Kendall's tau-b of "
        "1 - max p and the Shannon entropy of the target's law exceeds 0.8, by a 95 % document-bootstrap interval; "
        "unsupported when the interval lies at or below 0.8. Other temperatures, the second bank and synthetic laws "
        "stand beside.",
        plot=_calibration_plot,
    ),
)


CLAIMS = (THROUGHPUT, CALIBRATION, *ears_utility.CLAIMS)
