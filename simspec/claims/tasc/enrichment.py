"""The tasks that TASC-ft's empirical claims are decided on, their studies, and how evidence is labelled.

What is a matter of texts and tokens alone is decided on outputs that corpora expect, in SmolLM2's tokens.  What is a matter of a
model fine-tuned with the new tokens cannot be decided here: no such model is trained.  Tasks of Python's standard library, with
a small tokenizer, stand beside.
"""

from __future__ import annotations

import sysconfig
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from simspec.claims.authoring import chosen_here
from simspec.claims.measured import BESIDE, Data, Evidence, Interval, Result, Results, Study, measured, rows_for, shared
from simspec.studies.tasc.enrichment import ORDERS, enrichment
from simspec.studies.tasc.outputs import read_outputs
from simspec.studies.tasc.regimes import regimes

if TYPE_CHECKING:
    from simspec.studies.tasc.task_tokens import Task

__all__ = [
    "DATA_USED",
    "DRAWN",
    "EXPECTED",
    "FEW",
    "MANY",
    "NAMES",
    "NOT_TRAINED",
    "SMOLLM2",
    "WAYS",
    "Column",
    "Outputs",
    "at",
    "encodings_of",
    "enrichment_study",
    "evidence_of",
    "full",
    "library",
    "model_of",
    "pairs_of",
    "regimes_study",
    "rise_of",
    "smollm2_tasks_of",
    "source_of",
    "tasks_of",
    "tokens_of",
    "whole",
]

NAMES = ("tagging", "docstrings")
"""Tasks of the standard library of low and of high variability."""


class Outputs(NamedTuple):
    """Outputs in SmolLM2's tokens: of which task on file, written in which way (None: expected by a corpus), in words."""

    task: str
    way: str | None
    words: str


SMOLLM2 = {
    "intents expected": Outputs("intents", None, "intents and slots that SLURP expects of requests"),
    "answers expected": Outputs("questions", None, "answers that MedQuAD expects of medical questions"),
    "intents drawn": Outputs("intents", "drawn", "intents and slots that SmolLM2 drew at temperature 1"),
    "answers drawn": Outputs("questions", "drawn", "answers to medical questions that SmolLM2 drew at temperature 1"),
    "intents greedy": Outputs("intents", "greedy", "intents and slots that SmolLM2 wrote greedily"),
    "answers greedy": Outputs("questions", "greedy", "answers to medical questions that SmolLM2 wrote greedily"),
}
EXPECTED = tuple(name for name, outputs in SMOLLM2.items() if outputs.way is None)
"""Tasks of low and of high variability whose outputs a corpus expects."""
DRAWN = tuple(name for name, outputs in SMOLLM2.items() if outputs.way == "drawn")
"""Tasks of low and of high variability whose outputs SmolLM2 drew: texts of its own law."""
FEW = 500
MANY = 1000
"""The budgets that the claims speak of."""
DATA_USED = chosen_here("tasks and tokens") + (
    "In the tokens of SmolLM2 (V = 49,152): the intents and slots that SLURP, the source of MASSIVE, expects of "
    "2,400 requests (low variability), and the first 64 tokens of 700 answers of MedQuAD (high). 60 % of the "
    "outputs make the new tokens (no collision limit), the rest are measured; intervals by bootstrap over held-out "
    "outputs, given the split and the new tokens, all holding together at 95 %. Beside: what SmolLM2 itself wrote "
    "to such inputs, and from the sources of Python's own standard library functions -> types of their tokens (low "
    "variability) and headers -> docstrings (high), under a byte-level BPE of 2,000 tokens that knows every word of "
    "the tag set. "
)
NOT_TRAINED = (
    "Neither supported nor unsupported here: the paper speaks of models of 0.5 to 7 billion parameters that were "
    "fine-tuned with the new tokens, and no model is trained here. "
)
"""How the criterion of a claim begins that nothing at hand decides."""

Column = NDArray[Any]


@lru_cache(maxsize=4)
def tasks_of(data: Data) -> tuple[Task, ...]:
    """Both tasks under one base tokenizer."""
    from simspec.logits.corpora import standard_library
    from simspec.studies.tasc.task_tokens import prepare

    share = 0.1 if data.effort == "quick" else 0.4
    most_pairs = rows_for(data, 20_000, 40_000, 90_000)
    return prepare([standard_library(name) for name in NAMES], share, data.seed, most_pairs)


@lru_cache(maxsize=4)
def smollm2_tasks_of(data: Data) -> tuple[Task, ...]:
    """The tasks of `SMOLLM2`."""
    from simspec.studies.tasc.written_tokens import expected_tokens, written_tokens

    outputs = read_outputs()
    texts = rows_for(data, 600, 100_000, 100_000)
    tasks = []
    for task, way, _ in SMOLLM2.values():
        if way is None:
            tasks.append(expected_tokens(outputs, task, data.seed, texts))
        else:
            tasks.append(written_tokens(outputs, task, way, data.seed))
    return tuple(tasks)


def _all_tasks(data: Data) -> tuple[Task, ...]:
    return (*smollm2_tasks_of(data), *tasks_of(data))


ALL = (*SMOLLM2, *NAMES)
"""Names of all tasks, in the order of the studies."""


@shared
def enrichment_study(data: Data) -> Study:
    """Lengths, entropies and surprisal by budget."""
    step = rows_for(data, 250, 25, 20)
    n_max = {"quick": (4,), "default": (2, 4), "deep": (2, 3, 4)}[data.effort]
    budgets = range(0, MANY + 1, step)
    orders = rows_for(data, 2, ORDERS, ORDERS)
    resamples = rows_for(data, 40, 100, 400)
    return enrichment(lambda: _all_tasks(data), ALL, budgets, n_max=n_max, orders=orders, resamples=resamples)


@shared
def regimes_study(data: Data) -> Study:
    """Enrichment against drafting; it stands here so that one process decides all that rests on these tasks."""
    texts = rows_for(data, 20, 10_000, 10_000)
    resamples = rows_for(data, 40, 400, 400)
    # drafts are judged on what a model wrote: outputs that a corpus expects have no prompt
    names = [name for name in ALL if name not in EXPECTED]
    return regimes(lambda: _all_tasks(data)[len(EXPECTED) :], names, MANY, texts, resamples=resamples)


def library() -> str:
    """Where the tasks come from: other versions of Python have other sources."""
    return f"standard library of Python {sysconfig.get_python_version()}"


def model_of(result: Result) -> str:
    """The tokenizer, in words."""
    if result.cell["task"] in SMOLLM2:
        return f"tokens of SmolLM2-135M-Instruct, enriched by n-grams up to {result.cell['n_max']}"
    return f"byte-level BPE of 2,000 tokens, enriched by n-grams up to {result.cell['n_max']}"


def pairs_of(result: Result) -> int:
    """Held-out pairs."""
    return int(result.values["pairs"][0])


def full(results: Results) -> list[Result]:
    """The cells that are measured in full, one a task."""
    return [r for r in results if r.cell["shown"]]


def at(result: Result, name: str, budget: int) -> Column:
    """Values at one budget, over the rows."""
    values = result.values[name]
    field_name = "budgets" if values.shape[1] == len(result.cell["budgets"]) else "shown"
    return values[:, list(result.cell[field_name]).index(budget)]


def whole(result: Result, name: str, budget: int) -> float:
    """Value at one budget over all pairs."""
    return float(at(result, name, budget)[0])


def rise_of(result: Result, name: str, budget: int) -> Column:
    """Change of a value from no new token to a budget, over the rows."""
    return at(result, name, budget) - at(result, name, 0)


def tokens_of(result: Result, encoding: str, budget: int) -> Column:
    """Tokens a held-out text, over the rows."""
    return at(result, "tokens merge" if encoding == "merge" else "shown tokens added", budget)


def source_of(result: Result) -> str:
    """Where the texts of a cell come from, in words."""
    task = str(result.cell["task"])
    return SMOLLM2[task].words if task in SMOLLM2 else f"{library()}: {task}"


def encodings_of(result: Result) -> list[str]:
    """The encodings that were measured of a cell in full: with added tokens only where there is a tokenizer."""
    return [encoding for encoding in WAYS if f"normalised {encoding}" in result.values]


def evidence_of(
    result: Result,
    what: str,
    interval: Interval,
    control: dict[str, float],
    decides: bool = True,
    exceed: float | None = None,
    below: float | None = None,
) -> Evidence:
    """Evidence on one task; its limit is left away where it stands beside."""
    label = f"{'' if decides else BESIDE}{source_of(result)}: {what}"
    if not decides:
        exceed = below = None
    return measured(label, model_of(result), pairs_of(result), interval, control, exceed, below)


WAYS = {"merge": "through the merge table", "added": "with added tokens matched first"}
