"""How many tokens n-gram drafters give per target call on outputs that a language model wrote.

Tables are counted on some of a task's outputs, which the model wrote in the same way, greedily or at temperature 1; weights are
chosen on others, and calls are counted on a third kind.  No input is on two sides.  N-Grammys' table is the model's own: its law
after the begin of a text and one token.  Drafts are made greedily.  A greedy draft that is verified by speculative sampling is
kept with the probability that a token drawn from the target is that draft, so that calls on drawn texts have the law of a run.

What the model wrote is on file (`simspec.studies.tasc.outputs`); what is measured here is measured anew each time.
Prompts are on file in pieces, with fillers for what the outputs do not hold: in the split of seed 0 the same
drafts are accepted, in others nearly all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.kernels import random as philox
from simspec.methods.tasc.drafters import PromptNgrams, train
from simspec.studies.tasc.ngram_drafts import GAMMA, MIN_COUNT, MIX, N_MAX, Drafting, Table, drafts_along, runs_of
from simspec.studies.tasc.ngram_tasks import Row, Task
from simspec.studies.tasc.outputs import WAYS, TaskOutputs

__all__ = ["SHARES", "OwnBigrams", "parts_of", "written_drafts", "written_task"]

SHARES = (0.5, 0.125)
"""Shares of the pairs for tables and for the choice of weights; all others are the test."""


class OwnBigrams:
    """N-Grammys' table of a model from the likeliest tokens after each; a token that is not among them has no mass.

    Raises KeyError for a context that was not recorded.
    """

    def __init__(self, outputs: TaskOutputs) -> None:
        self._place = {int(token): place for place, token in enumerate(outputs.bigram_contexts)}
        self._tokens = outputs.bigram_tokens
        self._masses = outputs.bigram_masses

    @cached_property
    def _rows(self) -> dict[int, Row]:
        return {}

    def row(self, context: Sequence[int]) -> Row:
        """The law after the last token."""
        place = self._place[context[-1]]
        if place not in self._rows:
            law = dict(zip(self._tokens[place].tolist(), self._masses[place].tolist(), strict=True))
            first = int(self._tokens[place][0])
            self._rows[place] = Row(first, law[first], lambda token: law.get(token, 0.0))
        return self._rows[place]


def parts_of(outputs: TaskOutputs, task: str, seed: int = 0) -> tuple[list[int], list[int], list[int]]:
    """Numbers of the pairs of a task for tables, for tuning and for the test, drawn without replacement.

    Raises ValueError for a task that is not on file.
    """
    if task not in outputs.facts["tasks"]:
        raise ValueError(f"task: {task!r}; expected one of {', '.join(outputs.facts['tasks'])}")
    pairs = np.array(outputs.pairs(task))
    uniforms = philox.uniform(philox.make_key(seed, "written-drafts", len(pairs)), [0], range(len(pairs)))[0]
    order = pairs[np.argsort(uniforms, kind="stable")].tolist()
    ends = np.round(np.cumsum(SHARES) * len(order)).astype(int)
    return order[: ends[0]], order[ends[0] : ends[1]], order[ends[1] :]


def written_task(outputs: TaskOutputs, task: str, way: str, seed: int = 0) -> Task:
    """A task whose texts the model wrote, greedily or at temperature 1, in the parts of `parts_of`."""
    texts = outputs.texts(way)
    table, tuning, test = parts_of(outputs, task, seed)

    def pairs(numbers: Sequence[int]) -> list[tuple[list[int], list[int]]]:
        return [(outputs.prompts[number], texts[number]) for number in numbers]

    facts = outputs.facts
    return Task(
        name=task,
        vocab=outputs.prompt_vocab,
        end=facts["end"],
        table=[texts[number] for number in table],
        target=[],
        tuning=pairs(tuning),
        test=pairs(test),
    )


class _Written(Drafting):
    """A task with the control that knows another task: TASC-spec with tables of what the model wrote to that one."""

    def __init__(self, task: Task, bigrams: OwnBigrams, elsewhere: Sequence[list[int]]) -> None:
        super().__init__(task, bigrams)
        self._elsewhere = elsewhere

    @cached_property
    def _control(self) -> Table:
        return Table(train(self._elsewhere, N_MAX, MIN_COUNT, self.task.vocab))

    def values(self, cell: Cell, rows: Rows) -> Values:
        """Calls of each drafter, those of the control among them."""
        calls = []
        for number in rows.numbers:
            prompt, text = self.task.test[number]
            prompts = PromptNgrams(N_MAX, self.task.vocab)
            (drafts,) = drafts_along([(self._control, (MIX,))], prompts, prompt, text)
            calls.append(float(len(runs_of(drafts, text, cell["gamma"]))))
        return {**super().values(cell, rows), "mixed elsewhere calls": np.array(calls)}


def written_drafts(
    outputs: TaskOutputs, pairs: int | None = None, tuning: int | None = None, gamma: int = GAMMA, seed: int = 0
) -> Study:
    """Target calls of n-gram drafters on the test pairs of each task and way of writing.

    Values as of `ngram_drafts`, and ``mixed elsewhere calls``: TASC-spec with tables of the next task, a control.

    Parameters
    ----------
    outputs : what a model wrote
    pairs, tuning : int, optional
        how many test and tuning pairs at most; by default all.
    gamma : int; drafts a call
    seed : int, of the split into parts
    """
    drafting: dict[tuple[str, str], Drafting] = {}
    grid: list[Cell] = []
    bigrams = OwnBigrams(outputs)
    target = outputs.facts["target"]["name"]
    tasks = outputs.facts["tasks"]
    for task, next_task in zip(tasks, [*tasks[1:], *tasks[:1]], strict=True):
        for way in WAYS:
            elsewhere = written_task(outputs, next_task, way, seed).table
            drafting[task, way] = _Written(written_task(outputs, task, way, seed), bigrams, elsewhere)
            tests = len(drafting[task, way].task.test)
            cell = {"corpus": task, "source": task, "model": target, "verify": way, "gamma": gamma, "tuning": tuning}
            grid.append({**cell, "rows": min(pairs or tests, tests)})
    return Study(
        name="written-drafts",
        question="How many tokens per target step do n-gram drafters give on what a model writes?",
        grid=tuple(grid),
        simulate=lambda cell, rows, device: drafting[cell["corpus"], cell["verify"]].values(cell, rows),
        summary="tokens and target calls of each test pair",
        rows=max(int(cell["rows"]) for cell in grid),
    )
