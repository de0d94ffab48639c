"""The second 500 added tokens save less than half of the tokens that the first 500 save.

`tasc.diminishing`: TASC, 6.1.  The paper speaks of the latency of models that were fine-tuned with the new tokens; no such
model is trained here, and tokens are counted.  What the paper's own Tables 5 and 8 say of milliseconds is in
`tasc.table5-diminishing` and `tasc.table8-diminishing`, which are refuted.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.claim import Printed
from simspec.claims.measured import Found, Results, empirical, level_of
from simspec.claims.tasc.enrichment import (
    DATA_USED,
    FEW,
    MANY,
    NOT_TRAINED,
    WAYS,
    encodings_of,
    enrichment_study,
    evidence_of,
    full,
    rise_of,
    tokens_of,
)
from simspec.studies.tasc.corpus_statistics import resampled


def _halves(results: Results) -> Found:
    """Yield the share of tokens saved by the second 500 added tokens over that saved by the first 500."""
    cells = full(results)
    level = level_of(len(cells))
    for result in cells:
        for encoding in encodings_of(result):
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
            yield evidence_of(result, label, share, control, False)


DIMINISHING = empirical(
    name="tasc.diminishing",
    statement="of a model fine-tuned with them, the second 500 added tokens save less than half of the latency that the first "
    "500 save",
    reference="TASC, 6.1",
    note="Of token counts, on outputs held out, the second 500 do save less than half, whichever tokenizer and texts: "
    "the order is that of the training outputs' rewards, which never rise (tasc.reward-decreasing), and late tokens "
    "are made of rare n-grams. A gain that falls as 1 / rank stays far below a half too. Latency is another matter: "
    "that marginal gains diminish from interval to interval is refuted by the milliseconds of the paper's own "
    "tables (tasc.table5-diminishing, tasc.table8-diminishing).",
    study=enrichment_study,
    estimate=_halves,
    criterion=NOT_TRAINED
    + DATA_USED
    + "Tokens made of n-grams up to 4. The share of the tokens saved by the second 500 over those by the first, and "
    "the same for the speed-up factor, are shown; tokens are no latency.",
    printed=Printed(
        place="TASC 6.1",
        text="the effective cutoff improvement in our experiments is no larger than … tokens",
        read="Of latency: the second 500 save less than half of what the first 500 save.",
    ),
)
