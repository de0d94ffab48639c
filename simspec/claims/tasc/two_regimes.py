"""Fine-tuning gains most for outputs of low variability, drafting for outputs of high variability.

`tasc.two-regimes`: TASC, end of 5.
"""

from __future__ import annotations

from collections.abc import Callable

from simspec.claims.claim import Printed
from simspec.claims.measured import Found, Result, Results, empirical, level_of, measured
from simspec.claims.tasc.enrichment import DATA_USED, NAMES, NOT_TRAINED, SMOLLM2, model_of, regimes_study, source_of
from simspec.studies.tasc.corpus_statistics import resampled


def _compared(results: Results) -> Found:
    """Pairs of tasks under one tokenizer, of each pair the one of lower variability first."""
    for names in (tuple(n for n in SMOLLM2 if SMOLLM2[n].way == way) for way in ("greedy", "drawn")):
        yield from _pair(source_of, [r for r in results if r.cell["task"] in names])
    yield from _pair(source_of, [r for r in results if r.cell["task"] in NAMES])


def _pair(words: Callable[[Result], str], results: Results) -> Found:
    """The gains of two tasks, the one of lower variability first."""
    low, high = sorted(results, key=lambda r: float(r.values["variability"][0]))
    level = level_of(2)
    low_texts, high_texts = (int(r.values["texts"][0]) for r in (low, high))
    model = f"{model_of(low)}; TASC-spec's drafter with its settings"
    facts = {
        f"{r.cell['task']}, {name}": float(r.values[name][0])
        for r in (low, high)
        for name in ("enrichment", "drafting")
    } | {f"{r.cell['task']}, bigram entropy in bits": float(r.values["variability"][0]) for r in (low, high)}
    first = resampled(low.values["enrichment"] / high.values["enrichment"], level, ratio=True)
    second = resampled(high.values["drafting"] / high.values["enrichment"], level, ratio=True)
    third = resampled(low.values["drafting"] / low.values["enrichment"], level, ratio=True)
    ratio_label = f"gain of enrichment, {words(low)} / {words(high)}"
    yield measured(ratio_label, model, low_texts + high_texts, first, facts)
    yield measured(f"{words(high)}, gain of drafting / of enrichment", model, high_texts, second)
    yield measured(f"{words(low)}, gain of drafting / of enrichment", model, low_texts, third)


REGIMES = empirical(
    name="tasc.two-regimes",
    statement="the lower the variability of the outputs, the larger the gain of TASC-ft at a fixed budget; for high "
    "variability TASC-spec gains more",
    reference="TASC, end of 5",
    note="Enrichment gains where few n-grams hold most of the outputs. Where they do not, both gain little, and drafting "
    "only a few per cent more: an n-gram too rare for the budget is seldom drafted rightly either. Of the few "
    "hundred outputs that SmolLM2 wrote drafting gains more than enrichment on both tasks.",
    study=regimes_study,
    estimate=_compared,
    criterion=NOT_TRAINED
    + DATA_USED
    + "Gain: base tokens per model step, on the same outputs, if a fine-tuned model wrote the same texts; enrichment "
    "by 1,000 tokens made of n-grams up to 4, through the merge table; drafting with TASC-spec (n-grams up to 4, "
    "least count 5, weight 0.75 of the corpus, 10 drafts), accepted while they agree with the held-out text. "
    "Variability: entropy of word bigrams at equal numbers. The ratio of the gains of enrichment on two tasks, and "
    "of drafting over enrichment on each, are shown.",
    printed=Printed(
        place="TASC, end of 5",
        text="when the set is large, TASC-ft would require a larger budget to succeed",
        read="At a fixed budget the gain of TASC-ft falls with variability; TASC-spec gains more where it is high.",
    ),
)
