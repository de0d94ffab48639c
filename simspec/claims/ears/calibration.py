"""One minus the largest probability ranks positions as the target's entropy does.

`ears.calibration`: EARS, first experiments, 3.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import chosen_here
from simspec.claims.claim import Printed
from simspec.claims.deciding.evidence import measured, rows_for
from simspec.claims.ears.parts import banks_of, by_source, described_banks, model_of, source_of
from simspec.claims.measured import (
    LEVEL,
    ON_ANSWERS,
    Data,
    Found,
    Interval,
    Result,
    Results,
    Study,
    empirical,
    figure,
    shared,
)
from simspec.studies.ears.uncertainty import SIGNALS, kendall, kendall_interval, uncertainty_ranks


def _short(result: Result) -> str:
    """Name of a line in a plot."""
    return model_of(result) if "bank" in result.cell else f"synthetic, {result.cell['family']}"


@shared
def _ranks(data: Data) -> Study:
    temperatures = (1.0,) if data.effort == "quick" else (0.25, 0.5, 1.0)
    # one target once on each kind of text
    banks = {name: bank for name, bank in banks_of(data).items() if name in data.targets}
    return uncertainty_ranks(
        banks,
        described_banks(data),
        rows=rows_for(data, 50, 200, 1000),
        temperatures=temperatures,
        cut_data={name: data.describe_cut(bank) for name, bank in banks.items()},
    )


def _tau(result: Result, resamples: int = 2000) -> Interval:
    v = result.values
    return kendall_interval(v[SIGNALS[0]], v["entropy"], v["document"], LEVEL, resamples)


def _calibration(results: Results) -> Found:
    for result in results:
        v = result.values
        at = result.cell["temperature"]
        decides = result.cell.get("bank") == "main" and at == 1
        control = {"1 - sum of squares": float(kendall(v["variance"], v["entropy"]))}
        control["positions shuffled"] = float(kendall(v["shuffled"], v["entropy"]))
        label = f"{source_of(result)}, temperature {at:g}: Kendall tau of 1 - max p and entropy"
        interval = _tau(result, 10_000) if decides else _tau(result)
        exceed = 0.8 if decides else None
        yield measured(label, model_of(result), len(v["entropy"]), interval, control, exceed=exceed)


def _calibration_plot(results: Results) -> dict[str, Any]:
    series = []
    for cells in by_source(results):
        taus = [float(kendall(c.values[SIGNALS[0]], c.values["entropy"])) for c in cells]
        series.append({"name": _short(cells[0]), "x": [c.cell["temperature"] for c in cells], "y": taus})
    return figure(
        "One minus the largest probability against entropy", "temperature", "Kendall's tau over contexts", series
    )


CALIBRATION = empirical(
    name="ears.calibration",
    statement=r"$1 - \max_x p_x$ ranks positions as the entropy of $p$ does: Kendall's $\tau > 0.8$",
    reference="EARS, first experiments, 3",
    note="One number of the law cannot tell two likely tokens from a long tail: the two disagree most among uncertain "
    "positions, so the agreement falls as the temperature rises. The sum of squares, as cheap, ranks more like entropy. "
    "The kind of text matters too: corpus texts, which the target did not write and of which it is less certain, stand beside.",
    study=_ranks,
    estimate=_calibration,
    criterion=chosen_here("the measure of agreement and how much of it is enough")
    + "Over the contexts of the most realistic bank at temperature 1, with the entropies of whole laws that stand beside its "
    "cut rows: supported when Kendall's tau-b of 1 - max p "
    "and the Shannon entropy of the target's law exceeds 0.8, by a 95 % document-bootstrap interval; unsupported when "
    "the interval lies at or below 0.8. Other temperatures (whole rows), small models and synthetic laws stand beside. "
    + ON_ANSWERS,
    plot=_calibration_plot,
    printed=Printed(
        place="EARS, first experiment 3",
        text="Compute correlation between 1 - max(P_t) and actual token-level diversity",
        read="Diversity is the entropy of the target; the correlation is Kendall’s.",
    ),
)
