"""The outputs of a constrained task have lower bigram entropy and coverage than its inputs.

`tasc.output-entropy`: TASC, 3.1 and Table 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.claim import Printed
from simspec.claims.measured import LEVEL, Found, Results, empirical, figure, level_of, line, measured
from simspec.claims.tasc.corpora import CONSTRAINED, corpora_study, label_of, model_of
from simspec.studies.tasc.corpus_statistics import resampled


def _outputs(results: Results) -> Found:
    level = level_of(2)
    for result in results:
        v = result.values
        decides = result.cell["corpus"] == CONSTRAINED
        n = int(min(v["input bigrams"][0], v["output bigrams"][0]))
        for quantity, of in (("entropy", lambda x: x), ("cover", np.log2)):
            input_value, two = (of(v[f"equal {side} {quantity}"]) for side in ("input", "output"))
            facts = {side: float(v[f"equal {side} {quantity}"][0]) for side in ("input", "output")}
            facts |= {f"{side}, all bigrams": float(v[f"{side} {quantity}"][0]) for side in ("input", "output")}
            cover = "log2 of 80 % coverage, input / output"
            name = "entropy in bits, input less output" if quantity == "entropy" else cover
            label = f"{label_of(result)}, equal numbers of bigrams: {name}"
            exceed = 0.0 if decides else None
            yield measured(label, model_of(result), n, resampled(input_value - two, level), facts, exceed=exceed)


def _outputs_plot(results: Results) -> dict[str, Any]:
    series = []
    for result in results:
        ends = [resampled(result.values[f"equal {side} entropy"], LEVEL) for side in ("input", "output")]
        series.append(line(result.cell["corpus"], (1, 2), ends))
    return figure("Bigram entropy at equal numbers of bigrams", "1: inputs, 2: outputs", "bits", series)


OUTPUT = empirical(
    name="tasc.output-entropy",
    statement="a constrained task has lower entropy and lower 80 % coverage of word bigrams in its outputs than in its "
    "inputs, at equal numbers of bigrams",
    reference="TASC, 3.1 and Table 1",
    note="Where each output word is a function of one input word, as in the synthetic classes beside, the bigrams of the "
    "output are a function of those of the input, and neither entropy nor coverage can rise; tags that depend on "
    "the context are nearly so. Table 1 compares samples of different lengths, and both figures grow with the "
    "length: the docstrings, free text like the paper's creative writing, show how much of a difference that alone "
    "can make.",
    study=corpora_study,
    estimate=_outputs,
    criterion="Word bigrams of requests of SLURP and of the intents and slots that SmolLM2-135M-Instruct writes to them "
    "greedily after four examples, the longer side thinned to the length of the shorter. Supported when the entropy "
    "of the inputs exceeds that of the outputs, and the number of bigrams that cover 80 % too, by bootstrap "
    "intervals over pairs that hold together at 95 %; unsupported when one interval lies at or below zero. Beside "
    "stand medical questions with and without a text, answered by the same model, and of Python's standard library "
    "functions -> token types, headers -> docstrings (free text) and inputs against other inputs (no difference "
    "expected).",
    plot=_outputs_plot,
    printed=Printed(
        place="TASC 3.1",
        text="some generation tasks result in a small set of bigrams that cover a large portion of the bigram "
        "distribution",
        read="Of constrained tasks: lower entropy and coverage of the outputs than of the inputs, at equal "
        "numbers of bigrams.",
    ),
)
