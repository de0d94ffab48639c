"""Empirical claims about TASC-ft: what enriching a tokenizer does to outputs held out (TASC §4, §6.1, Appendices D, E).

Those about surprisal are in `simspec.claims.tasc_ft_surprisal`, those about prediction in `simspec.claims.tasc_ft_predict`;
all are listed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Evidence, Finding
from simspec.claims.empirical import all_of, line
from simspec.claims.tasc_ft_parts import (
    DATA_USED,
    FEW,
    LEVEL,
    MANY,
    NAMES,
    WAYS,
    at,
    enrichment_study,
    evidence_of,
    full,
    rise_of,
    tokens_of,
)
from simspec.claims.tasc_ft_predict import REGIMES, RENYI
from simspec.claims.tasc_ft_surprisal import UID, UID_CORRECTED
from simspec.studies.corpus_statistics import resampled
from simspec.studies.enrichment import ENCODINGS
from simspec.studies.intervals import bonferroni
from simspec.studies.study import Result

__all__ = ["CLAIMS"]


# --- entropy ----------------------------------------------------------------------------------------------------------


def _entropy(results: Sequence[Result]) -> list[Evidence]:
    cells = full(results)
    level = bonferroni(LEVEL, 4 * len(cells))
    evidence = []
    for result in cells:
        for encoding in ENCODINGS:
            for budget in (FEW, MANY):
                for name, what in (("normalised", "Shannon entropy / log V"), ("flatness", "2-Rényi entropy / log V")):
                    column = f"{name} {encoding}"
                    control = {
                        "before": float(at(result, column, 0)[0]),
                        "after": float(at(result, column, budget)[0]),
                        "training outputs, before": float(at(result, f"train {name}", 0)[0]),
                        "training outputs, after": float(at(result, f"train {name}", budget)[0]),
                    }
                    label = f"rise of {what} by {budget} tokens, {WAYS[encoding]}"
                    rise = resampled(rise_of(result, column, budget), level)
                    evidence.append(evidence_of(result, label, rise, control, encoding == "merge", exceed=0.0))
    return evidence


ENTROPY = Claim(
    name="tasc.entropy-rises",
    kind="empirical",
    statement="enrichment by 500 to 1,000 tokens raises the normalised entropy of the output tokens and flattens their "
    "distribution",
    reference="TASC, Table 9, Figure 8 and Appendix D",
    note="Merging takes its occurrences from the most frequent tokens, and the new tokens are rarer than what they are made of. "
    "It is no law of nature: merging can lower the entropy of a repetitive text (tasc.entropy-monotone). log V grows "
    "with the budget, which works against the rise, the more so the smaller the base vocabulary.",
    sources=(),
    finding=Finding(
        study=enrichment_study,
        estimate=_entropy,
        decide=all_of,
        criterion=DATA_USED
        + "Supported when, on both tasks and for 500 and for 1,000 tokens made of n-grams up to 4, the "
        "token law of the held-out outputs through the merge table has a higher Shannon and a higher 2-Rényi entropy, both "
        "divided by log V of their own vocabulary, than under the base; unsupported when one of these eight "
        "differences has its interval at or below 0. Added tokens stand beside.",
    ),
)


# --- length -----------------------------------------------------------------------------------------------------------


def _shorter(results: Sequence[Result]) -> list[Evidence]:
    cells = full(results)
    level = bonferroni(LEVEL, 2 * len(ENCODINGS))
    evidence = []
    for result in cells:
        low = result.cell["task"] == NAMES[0]
        for encoding in ENCODINGS:
            bytes_name = "bytes per token merge" if encoding == "merge" else "shown bytes per token added"
            shares = {
                "tokens a text, before / after": tokens_of(result, encoding, 0) / tokens_of(result, encoding, MANY),
                "bytes per token, mean of texts, after / before": at(result, bytes_name, MANY)
                / at(result, bytes_name, 0),
            }
            control = {
                "training outputs": float((at(result, "train tokens", 0) / at(result, "train tokens", MANY))[0]),
                f"{FEW} tokens": float((tokens_of(result, encoding, 0) / tokens_of(result, encoding, FEW))[0]),
                "bytes per token before": float(at(result, bytes_name, 0)[0]),
                "tokens made": float(result.values["made"][0]),
            }
            for what, ratio in shares.items():
                label = f"{what}, {MANY} tokens {WAYS[encoding]}"
                evidence.append(
                    evidence_of(result, label, resampled(ratio, level, ratio=True), control, low, exceed=2.0)
                )
    return evidence


def _length_plot(results: Sequence[Result]) -> dict[str, Any]:
    series = []
    for result in results:
        lengths = result.values["tokens merge"]
        ratios = [resampled(lengths[:, 0] / column, LEVEL, ratio=True) for column in lengths.T]
        name = f"{result.cell['task']}, n-grams up to {result.cell['n_max']}"
        series.append(line(name, result.cell["budgets"], ratios))
    return {
        "title": "Held-out outputs through the merge table",
        "x_label": "new tokens",
        "y_label": "times shorter",
        "x_log": False,
        "series": series,
    }


LENGTH = Claim(
    name="tasc.length-reduction",
    kind="empirical",
    statement="1,000 added tokens shorten the held-out outputs of a task of low variability by a factor above 2, and raise "
    "the bytes per token likewise",
    reference="TASC, §4.1 and Figure 2 (2.65 and 2.67)",
    note="The number of bytes does not change, so that bytes per token of all outputs together is the same figure turned "
    "over; the mean over texts is another one.",
    sources=(),
    finding=Finding(
        study=enrichment_study,
        estimate=_shorter,
        decide=all_of,
        criterion=DATA_USED + "1,000 tokens made of n-grams up to 4, as in Figure 2. Supported when on the task of low "
        "variability both the mean number of tokens falls and the bytes per token (mean of texts) rise by more than a factor "
        "2, through the merge table and with added tokens matched before all else; unsupported when one of these four "
        "factors has its interval at or below 2. The task of high variability stands beside.",
        plot=_length_plot,
    ),
)


def _halves(results: Sequence[Result]) -> list[Evidence]:
    cells = full(results)
    level = bonferroni(LEVEL, len(cells))
    evidence = []
    for result in cells:
        for encoding in ENCODINGS:
            none, few, many = (tokens_of(result, encoding, budget) for budget in (0, FEW, MANY))
            control = {
                "tokens a text with none": float(none[0]),
                f"with {FEW}": float(few[0]),
                f"with {MANY}": float(many[0]),
                "rise of the factor by the second half over that by the first": float(
                    ((none / many - none / few) / (none / few - 1))[0]
                ),
                "training outputs": float(
                    (rise_of(result, "train tokens", MANY) / rise_of(result, "train tokens", FEW) - 1)[0]
                ),
                "if a token's gain fell as 1 / its rank": float(np.log((MANY + 1) / (FEW + 1)) / np.log(FEW + 1)),
            }
            share = resampled((few - many) / (none - few), level)
            label = f"tokens saved by the second {FEW} over those by the first, {WAYS[encoding]}"
            evidence.append(evidence_of(result, label, share, control, encoding == "merge", below=0.5))
    return evidence


DIMINISHING = Claim(
    name="tasc.diminishing",
    kind="empirical",
    statement="the second 500 added tokens gain less than half of what the first 500 gain",
    reference="TASC, §6.1",
    note="The order is that of the training outputs' rewards, which never rise (tasc.reward-decreasing); on outputs held out "
    "late tokens, made of rare n-grams, gain less still. A gain that falls as 1 / rank stays far below a half too.",
    sources=(),
    finding=Finding(
        study=enrichment_study,
        estimate=_halves,
        decide=all_of,
        criterion=DATA_USED
        + "Tokens made of n-grams up to 4. Supported when on both tasks the tokens saved by the second 500 "
        "are less than half of those saved by the first 500, through the merge table; unsupported when one of the two "
        "shares has its interval at or above a half. Added tokens, and the same for the speed-up factor, stand beside.",
    ),
)

CLAIMS = [ENTROPY, UID, UID_CORRECTED, LENGTH, DIMINISHING, RENYI, REGIMES]
