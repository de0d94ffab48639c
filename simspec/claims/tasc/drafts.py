"""The n-gram drafts that TASC-spec's empirical claims are decided on, and what is measured on them.

What SmolLM2 wrote greedily decides.  What it drew at temperature 1, and the two tasks of Python's standard library, whose
texts no language model wrote, stand beside.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simspec.claims.authoring import chosen_here
from simspec.claims.measured import (
    Data,
    Evidence,
    Interval,
    Result,
    Results,
    Study,
    documents,
    measured,
    rows_for,
    shared,
)
from simspec.engine.study import Cell, Rows, Values
from simspec.studies.tasc.ngram_drafts import ngram_drafts
from simspec.studies.tasc.outputs import read_outputs
from simspec.studies.tasc.written_drafts import written_drafts

__all__ = [
    "DATA",
    "STAND_IN",
    "compared",
    "decides",
    "deciding_cells",
    "described",
    "drafts",
    "gain_of",
    "model_of",
    "rate_of",
]

STAND_IN = "n-gram stand-in"
TASKS = {
    "intents": "requests of SLURP to intents and slots",
    "questions": "medical questions of MedQuAD",
    "reading": "medical questions on a text of MedQuAD",
}
"""What SmolLM2 was asked, in words."""


@shared
def drafts(data: Data) -> Study:
    """The study that all claims about n-gram drafters are decided on: what SmolLM2 wrote, and small tasks beside it."""
    ways = ("reference",) if data.effort == "quick" else ("reference", "sampled")
    pairs = {"reference": rows_for(data, 16, 100, 1000), "sampled": rows_for(data, 16, 40, 1000)}
    tuning = rows_for(data, 8, 20, 100)
    small = ngram_drafts(pairs=pairs, tuning=tuning, verify=ways, seed=data.seed)
    model_study = written_drafts(read_outputs(), pairs=rows_for(data, 50, 1000, 1000), seed=data.seed)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        study = model_study if "model" in cell else small
        return study.simulate(cell, rows, device)

    grid = (*model_study.grid, *small.grid)
    return replace(small, grid=grid, simulate=simulate, rows=max(model_study.rows, small.rows))


def decides(result: Result) -> bool:
    """Whether a cell decides: what a language model wrote greedily.

    >>> [decides(Result({"model": "one", "verify": way}, {})) for way in ("greedy", "drawn")]
    [True, False]
    >>> decides(Result({"verify": "reference"}, {}))
    False
    """
    return "model" in result.cell and result.cell["verify"] == "greedy"


def deciding_cells(results: Results) -> int:
    """How many cells decide; one where none does, so that an interval has a level."""
    return max(1, sum(map(decides, results)))


def described(result: Result) -> str:
    """Data, size and verification of a cell, for the evidence."""
    n = len(result.values["tokens"])
    tokens = int(result.values["tokens"].sum())
    ways = {
        "greedy": "what the target wrote greedily",
        "drawn": "what the target drew at temperature 1",
        "reference": "greedy match on reference outputs",
        "sampled": f"sampling from the {STAND_IN}",
    }
    source = TASKS.get(result.cell["source"], result.cell["source"])
    return f"{source}, {n} test pairs, {tokens:,} tokens, {ways[result.cell['verify']]}"


def model_of(result: Result) -> str:
    """The target of a cell, for the evidence."""
    if "model" in result.cell:
        return str(result.cell["model"])
    return {"reference": "none: the reference text", "sampled": STAND_IN}[result.cell["verify"]]


DATA = (
    chosen_here("the target, the tasks and the number of outputs")
    + "The target is SmolLM2-135M-Instruct, not fine-tuned, asked in its chat format; the paper's targets are of 0.5 "
    "to 8 billion parameters and fine-tuned to the task. Three tasks: requests of SLURP, the source of MASSIVE, to "
    "intents and slots after four examples; medical questions of MedQuAD, the paper's; and such questions on a text "
    "that is given, as in Asclepius. Tables are counted on half of each task's outputs, which the target wrote too, "
    "weights are chosen on an eighth, and the rest is the test. Back-off tables up to n = 4, n-grams seen fewer "
    "than 5 times left out, 8 greedy drafts a call. What the target wrote greedily decides, as a beam of one does. "
    "What it drew at temperature 1 stands beside, and so do token types of functions and docstrings of headers of "
    "Python's standard library, with words as tokens: verified against the reference outputs, which is agreement "
    "with a text and not a model's run, and by sampling from a stand-in, an n-gram model with a cache of its "
    "prompt. "
)


def rate_of(result: Result, drafter: str) -> float:
    """Tokens per target call."""
    return float(result.values["tokens"].sum() / result.values[f"{drafter} calls"].sum())


def gain_of(result: Result, one: str, other: str, level: float, pairs: int | None = None) -> Interval:
    """Tokens per call of one drafter less those of another, resampled over pairs of texts, or over the first so many."""
    v = result.values
    table = np.column_stack([v["tokens"], v[f"{one} calls"], v[f"{other} calls"]])[:pairs]
    return documents(
        table, np.arange(len(table)), level, statistic=lambda m: m[..., 0] / m[..., 1] - m[..., 0] / m[..., 2]
    )


def compared(
    result: Result,
    quantity: str,
    interval: Interval,
    facts: dict[str, float] | None = None,
    exceed: float | None = None,
    below: float | None = None,
    pairs: int | None = None,
) -> Evidence:
    """Evidence on one cell; its limit is left away where the cell stands beside."""
    n = len(result.values["tokens"])
    if not decides(result):
        exceed = below = None
    label = f"{described(result)}: {quantity}"
    return measured(label, model_of(result), min(n, pairs or n), interval, facts, exceed, below)
