"""The vast majority of the entries of the affinity matrix are near zero.

`rdk.affinity-sparsity`: RDK, Appendix C.3 and Figure 11.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import chosen_here
from simspec.claims.claim import Printed
from simspec.claims.measured import (
    Data,
    Found,
    Results,
    Study,
    decides,
    empirical,
    figure,
    level_of,
    measured,
    on_each,
    rows_for,
    student,
)
from simspec.claims.rdk.parts import OF_ANSWERS, banks, model_of
from simspec.studies.rdk.affinity import TEMPERATURES, sparsity


def _study(data: Data) -> Study:
    rows = rows_for(data, 64, 256, 4096)
    return on_each(banks(data), lambda bank: sparsity(bank, data.describe_statistics(bank), rows))


def _sparse(results: Results) -> Found:
    level = level_of(sum(map(decides, results)) * len(TEMPERATURES))
    for result in results:
        for share in TEMPERATURES:
            values = result.values[f"{share:g}"]
            label = f"{result.cell['data']}: covariance of {result.cell['kind']}, temperature {share:g} of its largest entry"
            control = {"uniform rows": 0.0, "identity": 1 - 1 / result.cell["vocab"]}
            interval = student(values, level, 0, 1)
            exceed = 0.9 if decides(result) else None
            yield measured(label, model_of(result.cell["data"]), len(values), interval, control, exceed=exceed)


def _sparse_plot(results: Results) -> dict[str, Any]:
    """The plot of the shares."""
    return figure(
        "Entries of the affinity below 1/(10 V)",
        "temperature, share of the largest entry of the covariance",
        "share of entries",
        [
            {
                "name": r.cell["kind"],
                "x": list(TEMPERATURES),
                "y": [float(r.values[f"{t:g}"].mean()) for t in TEMPERATURES],
            }
            for r in results
            if decides(r)
        ],
        x_log=True,
    )


SPARSITY = empirical(
    name="rdk.affinity-sparsity",
    statement=r"the vast majority of the entries of $M$ are near zero: the share below $1/(10V)$ exceeds 0.9, for "
    r"each $\tau$ and each of the three $\Omega$",
    reference="RDK, Appendix C.3 and Figure 11",
    note="Sparsity is a property of the temperature: rows go from uniform (no entry near zero) to one-hot as it "
    "falls. Most tokens vary far less than the one that varies most, so their rows stay nearly uniform at "
    "temperatures that sharpen its row.",
    study=_study,
    estimate=_sparse,
    criterion=chosen_here("the bounds of what is small, and of nearly all")
    + "M from Eq. 2 on the bank's covariance factors; rows of M drawn at random. Supported when the mean "
    "share of entries below 1/(10 V) exceeds 0.9 for the covariance of probabilities, logits and tokens at "
    "temperatures of 1, 0.1, ..., 0.00001 of its largest entry, by t-intervals over rows that hold together at 95 "
    "%; unsupported when one interval lies at or below 0.9. Small models stand beside. " + OF_ANSWERS,
    plot=_sparse_plot,
    printed=Printed(
        place="RDK C.3",
        text="the vast majority of entries are near zero",
        read="More than nine tenths lie below a tenth of the uniform entry.",
    ),
)
