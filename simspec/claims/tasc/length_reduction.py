"""1,000 added tokens shorten the outputs of a task of low variability by more than half.

`tasc.length-reduction`: TASC, 4.1 and Figure 2 (2.65 and 2.67).
"""

from __future__ import annotations

from typing import Any

from simspec.claims.claim import Printed
from simspec.claims.measured import LEVEL, Found, Results, empirical, figure, level_of, line
from simspec.claims.tasc.enrichment import (
    DATA_USED,
    EXPECTED,
    FEW,
    MANY,
    WAYS,
    at,
    encodings_of,
    enrichment_study,
    evidence_of,
    full,
    tokens_of,
    whole,
)
from simspec.studies.tasc.corpus_statistics import resampled


def _shorter(results: Results) -> Found:
    """Yield the factors by which 1,000 added tokens shorten the outputs; the task of low variability decides."""
    cells = full(results)
    deciding = EXPECTED[0]
    level = level_of(2)  # two quantities of one task, through the merge table
    for result in cells:
        low = result.cell["task"] == deciding
        for encoding in encodings_of(result):
            bytes_name = "bytes per token merge" if encoding == "merge" else "shown bytes per token added"
            none, with_few, with_many = (tokens_of(result, encoding, budget) for budget in (0, FEW, MANY))
            longer = at(result, bytes_name, MANY) / at(result, bytes_name, 0)
            shares = {
                "tokens a text, before / after": none / with_many,
                "bytes per token, mean of texts, after / before": longer,
            }
            control = {
                "training outputs": float((at(result, "train tokens", 0) / at(result, "train tokens", MANY))[0]),
                f"{FEW} tokens": float((none / with_few)[0]),
                "bytes per token before": whole(result, bytes_name, 0),
                "tokens made": float(result.values["made"][0]),
            }
            for quantity, ratio in shares.items():
                factor = resampled(ratio, level, ratio=True)
                yield evidence_of(
                    result, f"{quantity}, {MANY} tokens {WAYS[encoding]}", factor, control, low, exceed=2.0
                )


def _length_plot(results: Results) -> dict[str, Any]:
    series = []
    for result in results:
        lengths = result.values["tokens merge"]
        ratios = [resampled(lengths[:, 0] / column, LEVEL, ratio=True) for column in lengths.T]
        name = f"{result.cell['task']}, n-grams up to {result.cell['n_max']}"
        series.append(line(name, result.cell["budgets"], ratios))
    return figure("Held-out outputs through the merge table", "new tokens", "times shorter", series)


LENGTH = empirical(
    name="tasc.length-reduction",
    statement="1,000 added tokens shorten the held-out outputs of a task of low variability by a factor above 2, and raise "
    "the bytes per token likewise",
    reference="TASC, 4.1 and Figure 2 (2.65 and 2.67)",
    note="The number of bytes does not change, so that bytes per token of all outputs together is the same figure turned "
    "over; the mean over texts is another one.",
    study=enrichment_study,
    estimate=_shorter,
    criterion=DATA_USED + "1,000 tokens made of n-grams up to 4, as in Figure 2. Supported when on the task of low "
    "variability both the mean number of tokens falls and the bytes per token (mean of texts) rise by more than a "
    "factor 2, through the merge table; unsupported when one of these two factors has its interval at or below 2. "
    "Figure 2 is of tokenised outputs as well, without a model; its corpus has several times as many. The task of "
    "high variability stands beside.",
    plot=_length_plot,
    printed=Printed(
        place="TASC 4.1",
        text="reduction in the average output length",
        read="A factor above two with 1,000 tokens, on held-out outputs of a task of low variability.",
    ),
)
