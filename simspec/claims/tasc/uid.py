"""Adding tokens evens out the surprisal along sequences.

`tasc.uid`, with an own statement beside it: TASC, 4.1 and Appendix D.  The paper speaks of a model that is fine-tuned with the
new tokens; none is trained here.  What can be measured of SmolLM2 is a model that keeps its law over texts: by the chain rule a
new token then has the sum of the surprisals of what it stands for.
"""

from __future__ import annotations

from functools import partial

from simspec.claims.claim import Printed
from simspec.claims.measured import Found, Result, Results, empirical, level_of
from simspec.claims.tasc.enrichment import (
    DATA_USED,
    DRAWN,
    FEW,
    MANY,
    NOT_TRAINED,
    enrichment_study,
    evidence_of,
    full,
    rise_of,
    whole,
)
from simspec.studies.tasc.corpus_statistics import resampled


def _models_of(result: Result) -> list[str]:
    """Under what surprisal was measured: SmolLM2's own law where it wrote the texts, and n-gram models."""
    law_names = ["own"] if "within own" in result.values else []
    return [*law_names, *(str(order) for order in range(1, result.cell["orders"] + 1))]


def _spread(results: Results, deciding: str | None) -> Found:
    """Changes of the variance of surprisal and of its coefficient of variation, by the models of `_models_of`."""
    measures = {
        "within": "variance of surprisal within a text, bits²",
        "variation": "coefficient of variation of surprisal",
    }
    level = level_of(2 * len(DRAWN))
    for result in full(results):
        for model in _models_of(result):
            for budget in (FEW, MANY):
                for name, quantity in measures.items():
                    column = f"{name} {model}"
                    control = {"before": whole(result, column, 0), "after": whole(result, column, budget)}
                    if name == "within":
                        control["mean before"] = whole(result, f"mean {model}", 0)
                        control["mean after"] = whole(result, f"mean {model}", budget)
                        around_one = rise_of(result, f"variance {model}", budget)
                        control["change of the variance around one mean"] = float(around_one[0])
                    change = resampled(rise_of(result, column, budget), level)
                    words = "SmolLM2's law, kept over texts" if model == "own" else f"{model}-gram model"
                    label = f"change of the {quantity}, by {budget} tokens, {words}"
                    is_deciding = name == deciding and model == "own" and result.cell["task"] in DRAWN
                    yield evidence_of(result, label, change, control, is_deciding, below=0.0)


SURPRISAL = (
    "Surprisal in bits, through the merge table: of what SmolLM2 wrote, under SmolLM2, a new token having the sum "
    "of what it stands for, as under a model that keeps its law over texts; and of all texts under n-gram models "
    "(Witten-Bell) fitted to the training outputs in the same encoding. "
)

UID = empirical(
    name="tasc.uid",
    statement="of a model fine-tuned with them, new tokens even out the surprisal of tokens along sequences: its variance "
    "falls",
    reference="TASC, 4.1 and Appendix D",
    corrected_by=("tasc.uid-corrected",),
    note="A model without context sees fewer very frequent tokens, and its surprisal evens out. A model with context "
    "found the merged n-grams nearly certain already; a new token carries the information of all its parts, so that "
    "the mean rises, and where it rises most, on a task of low variability, the variance with it. A model trained "
    "with the new tokens may have another law.",
    study=enrichment_study,
    estimate=partial(_spread, deciding=None),
    criterion=NOT_TRAINED
    + DATA_USED
    + SURPRISAL
    + "The change of the variance of the surprisal of a token around the mean of its text, by 500 and by 1,000 tokens "
    "made of n-grams up to 4, is shown, with that around one mean and that of the coefficient of variation.",
    printed=Printed(
        place="TASC 4.1",
        text="leading to approximately uniform per-token surprisal along sequences",
        read="The variance of surprisal falls with enrichment.",
    ),
)

UID_CORRECTED = empirical(
    name="tasc.uid-corrected",
    statement="in texts that it drew itself, a model that keeps its law over texts has more even surprisal with new tokens, "
    "relative to its mean: the coefficient of variation within texts falls",
    reference="own statement",
    note="Variance has a unit: adding up the information of several tokens raises mean and variance, but the mean "
    "faster, as for sums of parts that are not fully dependent. Greedy texts are none of the law: of SmolLM2's "
    "greedy answers to questions the coefficient rises. The statement was first made of n-gram models of two tasks "
    "of the standard library, before SmolLM2 was measured.",
    study=enrichment_study,
    estimate=partial(_spread, deciding="variation"),
    criterion=DATA_USED
    + SURPRISAL
    + "Supported when, of the texts that SmolLM2 drew at temperature 1 for both tasks and for 500 and for 1,000 "
    "tokens made of n-grams up to 4, the standard deviation of the surprisal of a token around the mean of its "
    "text, divided by the mean of all tokens, under SmolLM2's own law, is lower than under the base; unsupported "
    "when one of these four differences has its interval at or above 0. What it wrote greedily, expected outputs "
    "and n-gram models stand beside.",
)
