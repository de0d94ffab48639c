"""Added tokens raise the normalised entropy of the output tokens and flatten their distribution.

`tasc.entropy-rises`: TASC, Table 9, Figure 8 and Appendix D.
"""

from __future__ import annotations

from simspec.claims.claim import Printed
from simspec.claims.measured import Found, Results, empirical, level_of
from simspec.claims.tasc.enrichment import (
    DATA_USED,
    EXPECTED,
    FEW,
    MANY,
    WAYS,
    encodings_of,
    enrichment_study,
    evidence_of,
    full,
    rise_of,
    whole,
)
from simspec.studies.tasc.corpus_statistics import resampled


def _entropy(results: Results) -> Found:
    """Yield the rise of two normalised entropies with each number of added tokens, for both encodings."""
    cells = full(results)
    # two budgets times two entropies decide of each task whose outputs a corpus expects, through the merge table
    level = level_of(4 * len(EXPECTED))
    for result in cells:
        for encoding in encodings_of(result):
            for budget in (FEW, MANY):
                for name, quantity in (
                    ("normalised", "Shannon entropy / log V"),
                    ("flatness", "2-Rényi entropy / log V"),
                ):
                    column = f"{name} {encoding}"
                    control = {"before": whole(result, column, 0), "after": whole(result, column, budget)}
                    control["training outputs, before"] = whole(result, f"train {name}", 0)
                    control["training outputs, after"] = whole(result, f"train {name}", budget)
                    label = f"rise of {quantity} by {budget} tokens, {WAYS[encoding]}"
                    rise = resampled(rise_of(result, column, budget), level)
                    is_deciding = result.cell["task"] in EXPECTED and encoding == "merge"
                    yield evidence_of(result, label, rise, control, is_deciding, exceed=0.0)


ENTROPY = empirical(
    name="tasc.entropy-rises",
    statement="enrichment by 500 to 1,000 tokens raises the normalised entropy of the output tokens and flattens their "
    "distribution",
    reference="TASC, Table 9, Figure 8 and Appendix D",
    note="Merging takes its occurrences from the most frequent tokens, and the new tokens are rarer than what they are "
    "made of. It is no law of nature: merging can lower the entropy of a repetitive text (tasc.entropy-monotone). "
    "log V grows with the budget, which works against the rise, the more so the smaller the base vocabulary.",
    study=enrichment_study,
    estimate=_entropy,
    criterion=DATA_USED + "Supported when, on both tasks and for 500 and for 1,000 tokens made of n-grams up to 4, the "
    "token law of the held-out outputs through the merge table has a higher Shannon and a higher 2-Rényi entropy, "
    "both divided by log V of their own vocabulary, than under the base; unsupported when one of these eight "
    "differences has its interval at or below 0. Table 9 is of tokenised outputs as well, without a model.",
    printed=Printed(
        place="TASC, Appendix D",
        text="TASC-ft consistently increases token entropy across settings, indicating reduced redundancy",
        read="By 500 to 1,000 tokens, on the texts that ship.",
    ),
)
