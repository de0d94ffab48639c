"""The second 500 added tokens gain less than half of what the first 500 gain.

`tasc.diminishing`: TASC, 6.1.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.claim import Printed
from simspec.claims.measured import Found, Results, empirical, level_of
from simspec.claims.tasc.enrichment import (
    DATA_USED,
    FEW,
    MANY,
    WAYS,
    enrichment_study,
    evidence_of,
    full,
    rise_of,
    tokens_of,
)
from simspec.studies.tasc.corpus_statistics import resampled
from simspec.studies.tasc.enrichment import ENCODINGS


def _halves(results: Results) -> Found:
    """Yield the share of tokens saved by the second 500 added tokens over that saved by the first 500."""
    cells = full(results)
    level = level_of(len(cells))
    for result in cells:
        for encoding in ENCODINGS:
            none, with_few, with_many = (tokens_of(result, encoding, budget) for budget in (0, FEW, MANY))
            second = (none / with_many - none / with_few) / (none / with_few - 1)
            train = rise_of(result, "train tokens", MANY) / rise_of(result, "train tokens", FEW) - 1
            control = {
                "tokens a text with none": float(none[0]),
                f"with {FEW}": float(with_few[0]),
                f"with {MANY}": float(with_many[0]),
                "rise of the factor by the second half over that by the first": float(second[0]),
                "training outputs": float(train[0]),
                # the sum of 1 / rank up to M is about log(M + 1)
                "if a token's gain fell as 1 / its rank": float(np.log((MANY + 1) / (FEW + 1)) / np.log(FEW + 1)),
            }
            share = resampled((with_few - with_many) / (none - with_few), level)
            label = f"tokens saved by the second {FEW} over those by the first, {WAYS[encoding]}"
            yield evidence_of(result, label, share, control, encoding == "merge", below=0.5)


DIMINISHING = empirical(
    name="tasc.diminishing",
    statement="the second 500 added tokens gain less than half of what the first 500 gain",
    reference="TASC, 6.1",
    note="The order is that of the training outputs' rewards, which never rise (tasc.reward-decreasing); on outputs held out "
    "late tokens, made of rare n-grams, gain less still. A gain that falls as 1 / rank stays far below a half too.",
    study=enrichment_study,
    estimate=_halves,
    criterion=DATA_USED
    + "Tokens made of n-grams up to 4. Supported when on both tasks the tokens saved by the second 500 "
    "are less than half of those saved by the first 500, through the merge table; unsupported when one of the two "
    "shares has its interval at or above a half. Added tokens, and the same for the speed-up factor, stand beside.",
    printed=Printed(
        place="TASC 6.1",
        text="the effective cutoff improvement in our experiments is no larger than … tokens",
        read="The second 500 tokens gain less than half of what the first 500 gain.",
    ),
)
