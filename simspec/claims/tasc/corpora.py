"""The study of bigrams that `tasc.typical-set-bigrams` and `tasc.output-entropy` are decided on.

The inputs of three tasks and what SmolLM2 wrote to them greedily decide; tasks of Python's standard library stand beside.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.measured import Data, Result, Study, rows_for, shared
from simspec.kernels import random as philox
from simspec.logits.corpora import TASKS, Corpus, standard_library
from simspec.studies.tasc.corpus_statistics import corpus_statistics
from simspec.studies.tasc.outputs import TaskOutputs, read_outputs

__all__ = ["CLASSES", "CONSTRAINED", "NULL", "WRITTEN", "corpora_study", "label_of", "model_of", "written_corpora"]

WRITTEN = {
    "smollm2-intents": "requests of SLURP -> intents and slots",
    "smollm2-questions": "medical questions of MedQuAD -> answers",
    "smollm2-reading": "medical questions on a text of MedQuAD -> answers",
}
"""Tasks whose outputs SmolLM2 wrote: as many of each as there are inputs."""
CONSTRAINED = "smollm2-intents"
"""The task of low output variability that decides."""

NULL = "inputs against other inputs"
CLASSES = "synthetic classes"


def _null(corpus: Corpus) -> Corpus:
    """A task whose outputs are inputs: the even inputs against the odd ones."""
    even_inputs = corpus.inputs[::2]
    two = corpus.inputs[1::2]
    pairs = min(len(even_inputs), len(two))
    return Corpus(NULL, even_inputs[:pairs], two[:pairs], f"{corpus.source}, {NULL}")


def _classes(texts: int = 300, length: int = 30, vocab: int = 1000, classes: int = 8) -> Corpus:
    """Words of Zipf's law -> the class of each: a function of the words, so its bigrams are a function of theirs."""
    law = np.cumsum(1 / np.arange(1, vocab + 1))
    u = philox.uniform(philox.make_key(0, "tasc-corpora", "classes"), range(texts), range(length))
    word_numbers = np.minimum(np.searchsorted(law / law[-1], u), vocab - 1)
    inputs = tuple(" ".join(f"w{n}" for n in line) for line in word_numbers.tolist())
    outputs = tuple(" ".join(f"c{n % classes}" for n in line) for line in word_numbers.tolist())
    return Corpus(CLASSES, inputs, outputs, f"synthetic words of Zipf's law over {vocab}, {classes} classes")


def written_corpora(outputs: TaskOutputs) -> list[Corpus]:
    """Inputs of each task with what the model wrote to them greedily; a word of an input is its label on file."""
    corpora = []
    for name, source in WRITTEN.items():
        pairs = outputs.pairs(name.removeprefix("smollm2-"))
        inputs = tuple(" ".join(map(str, outputs.inputs[number])) for number in pairs)
        model_outputs = tuple(outputs.text_of(outputs.greedy[number]) for number in pairs)
        corpora.append(Corpus(name, inputs, model_outputs, f"{source}, written greedily"))
    return corpora


def model_of(result: Result) -> str | None:
    """What wrote the outputs of a cell, for the evidence; None for the outputs of a corpus."""
    return "SmolLM2-135M-Instruct" if result.cell["corpus"] in WRITTEN else None


@shared
def corpora_study(data: Data) -> Study:
    """Entropy and coverage of the bigrams of tasks."""
    library = [standard_library(task) for task in TASKS]
    beside = [] if data.effort == "quick" else [_null(library[0]), _classes()]
    model_corpora = written_corpora(read_outputs())
    return corpus_statistics([*model_corpora, *library, *beside], rows_for(data, 20, 60, 1000))


def label_of(result: Result) -> str:
    """Words for the data of a cell."""
    return f"{result.cell['source']}: {result.cell['pairs']} pairs"
