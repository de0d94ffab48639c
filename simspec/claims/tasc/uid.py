"""Adding tokens evens out the surprisal along sequences.

`tasc.uid`, with its correction: TASC, 4.1 and Appendix D.
"""

from __future__ import annotations

from functools import partial

from simspec.claims.claim import Printed
from simspec.claims.measured import Found, Results, empirical, level_of
from simspec.claims.tasc.enrichment import DATA_USED, FEW, MANY, enrichment_study, evidence_of, full, rise_of, whole
from simspec.studies.tasc.corpus_statistics import resampled


def _spread(results: Results, deciding: str) -> Found:
    """Changes of the variance of surprisal and of its coefficient of variation, of which one decides (bigram model)."""
    measures = {
        "within": "variance of surprisal within a text, bits²",
        "variation": "coefficient of variation of surprisal",
    }
    cells = full(results)
    level = level_of(2 * len(cells))
    for result in cells:
        for order in range(1, result.cell["orders"] + 1):
            for budget in (FEW, MANY):
                for name, quantity in measures.items():
                    column = f"{name} {order}"
                    control = {"before": whole(result, column, 0), "after": whole(result, column, budget)}
                    if name == "within":
                        control["mean before"] = whole(result, f"mean {order}", 0)
                        control["mean after"] = whole(result, f"mean {order}", budget)
                        around_one = rise_of(result, f"variance {order}", budget)
                        control["change of the variance around one mean"] = float(around_one[0])
                    change = resampled(rise_of(result, column, budget), level)
                    label = f"change of the {quantity}, by {budget} tokens, {order}-gram model"
                    yield evidence_of(result, label, change, control, name == deciding and order == 2, below=0.0)


SURPRISAL = (
    "Surprisal in bits under n-gram models (Witten-Bell) fitted to the training outputs in the same encoding, through the "
    "merge table. "
)

UID = empirical(
    name="tasc.uid",
    statement="enrichment evens out the surprisal of tokens along sequences: its variance falls",
    reference="TASC, 4.1 and Appendix D",
    corrected_by=("tasc.uid-corrected",),
    note="A model without context sees fewer very frequent tokens, and its surprisal evens out. A model with context found the "
    "merged n-grams nearly certain already; a new token carries the information of all its parts and of the choice where "
    "to end, so that the mean rises, and where it rises most, on the task of low variability, the variance with it.",
    study=enrichment_study,
    estimate=partial(_spread, deciding="within"),
    criterion=DATA_USED
    + SURPRISAL
    + "Supported when, on both tasks and for 500 and for 1,000 tokens made of n-grams up to 4, the variance of the "
    "surprisal of a token around the mean of its text under the bigram model is lower than under the base; unsupported "
    "when one of these four differences has its interval at or above 0. Unigram and trigram models, the variance "
    "around one mean and the coefficient of variation stand beside.",
    printed=Printed(
        place="TASC 4.1",
        text="leading to approximately uniform per-token surprisal along sequences",
        read="The variance of surprisal falls with enrichment.",
    ),
)

UID_CORRECTED = empirical(
    name="tasc.uid-corrected",
    statement="enrichment evens out the surprisal of tokens relative to its mean: the coefficient of variation within texts "
    "falls",
    reference="own statement",
    note="Variance has a unit: adding up the information of several tokens raises mean and variance, but the mean faster, as for "
    "sums of parts that are not fully dependent. The criterion was written after the shipped data had been seen for "
    "tasc.uid, and then tried on six other corpora (tags, intents, arithmetic, medical answers, stories, code), where "
    "it held for both budgets.",
    study=enrichment_study,
    estimate=partial(_spread, deciding="variation"),
    criterion=DATA_USED
    + SURPRISAL
    + "Supported when, on both tasks and for 500 and for 1,000 tokens made of n-grams up to 4, the standard deviation "
    "of the surprisal of a token around the mean of its text, divided by the mean of all tokens, under the bigram "
    "model, is lower than under the base; unsupported when one of these four differences has its interval at or above "
    "0. Unigram and trigram models stand beside.",
)
