r"""How many tokens n-gram drafters give per target call, on tasks of input -> output pairs (TASC-spec, 6.2 and C.5).

The pairs of a task are split in three: tables are counted on one part, the stand-in for the target model is fitted on
another, and calls are counted on the third.  Tokens are words, and an end of text.  Drafts are made greedily and
verified in two ways:

* ``reference``: against the task's own outputs.  The target is the reference text itself, not a model's output.
* ``sampled``: against texts that the stand-in writes.  For greedy drafts that is sampling verification, in law: a draft
  x is kept with probability p(x), the probability that a token drawn from p is x.

A draft that is looked at follows accepted tokens only, so that one pass over a text finds every draft that can be kept
(`drafts_along`), for all mixing weights at once; `runs_of` then cuts it into target calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import Array
from simspec.logits.corpora import Corpus, standard_library
from simspec.methods.block import check_gamma
from simspec.methods.tasc.drafters import Ngrams, PromptNgrams, train
from simspec.studies.tasc.ngram_target import BackOff, fitted
from simspec.studies.tasc.ngram_tasks import Model, Row, Source, Task, Writer, task_of

__all__ = [
    "DRAFTERS",
    "MIXES",
    "POSITIONS",
    "Drafting",
    "Run",
    "Table",
    "drafts_along",
    "ngram_drafts",
    "positions",
    "runs_of",
]
MIXES = (0.0, 0.1, 0.25, 0.5, 0.6, 0.75, 0.9, 1.0)
"""Weights of the corpus that are tried."""
MIX = 0.75
N_MAX = 4
MIN_COUNT = 5
GAMMA = 8
"""TASC's weight and smallest count (6.2); its largest order and number of drafts are not printed."""
TABLES = {"": (N_MAX, MIN_COUNT), " all": (N_MAX, 1), " n=2": (2, 1)}
"""Largest order and smallest count of the corpus tables: as printed, with rare n-grams, and bigrams."""
DRAFTERS = tuple(f"{side}{name}" for name in (*TABLES, " n-grammys") for side in ("corpus", "mixed"))
"""Each table, and the target's own bigrams, alone and mixed with the prompt at the weight `MIX`."""
POSITIONS = ("mixed", "corpus")
"""Drafters whose acceptance is kept by position: TASC-spec and its corpus table alone."""
_COLUMNS = (*(f"mix {mix:g}" for mix in MIXES), *DRAFTERS)


class Table:
    """A corpus table as a `Source`: the law after each context is made once.

    >>> row = Table(train([[0, 2, 0, 1, 0, 1]], n_max=2)).row([0])
    >>> row.first, row.most, row.mass(2), row.mass(0)
    (1, 0.6666666666666666, 0.3333333333333333, 0.0)
    """

    def __init__(self, table: Ngrams) -> None:
        self.table = table
        self.known: dict[tuple[int, ...], Row] = {}
        self.answers: dict[tuple[int, ...], Row] = {}

    def row(self, context: Sequence[int]) -> Row:
        """The law after a context."""
        newest = tuple(context[max(len(context) - self.table.window, 0) :])
        if newest not in self.known:
            order, tokens, counts = self.table.match(newest)
            read = newest[len(newest) + 1 - order :] if order else (-1,)
            if read not in self.answers:
                masses = (counts / counts.sum()).tolist()
                law = dict(zip(tokens.tolist(), masses, strict=True))
                place = int(counts.argmax())
                self.answers[read] = Row(int(tokens[place]), masses[place], lambda token: law.get(token, 0.0))
            self.known[newest] = self.answers[read]
        return self.known[newest]


def _candidates(tokens: Sequence[int], shares: Sequence[float], row: Row) -> list[tuple[int, float, float]]:
    """Tokens of the prompt that some mixture may put first, with their share there and in the corpus.

    `tokens` come by falling share; a token with no more of the corpus than one before it can never be first.
    """
    front = []
    highest_mass = -1.0
    for token, share in zip(tokens, shares, strict=True):
        mass = row.mass(token)
        if mass > highest_mass:
            front.append((token, share, mass))
            highest_mass = mass
    return front


def _first(weight: float, row: Row, front: Sequence[tuple[int, float, float]]) -> int:
    """The most likely token of a mixture: one of the prompt's, or the corpus's first."""
    if weight == 1:
        return row.first
    best = row.first
    highest_mass = weight * row.most
    for token, share, mass in front:
        value = weight * mass + (1 - weight) * share
        if value > highest_mass or (value == highest_mass and token < best):
            best = token
            highest_mass = value
    return best


def drafts_along(
    groups: Sequence[tuple[Source, Sequence[float]]], prompts: PromptNgrams, prompt: Sequence[int], text: Sequence[int]
) -> list[list[int]]:
    r"""The draft at each place of a text if all before it is accepted, for each source and mixing weight.

    .. math:: \arg\max_x\; \lambda\,c(x) + (1-\lambda)\,r(x)

    with r the law of the prompt table, which has counted the prompt and the text so far, accepted drafts included.

    Parameters
    ----------
    groups : pairs (source, weights); the corpus's side c of the mixture, and its weights
    prompts : PromptNgrams; settings of the prompt's side
    prompt, text : tokens

    Returns
    -------
    list of len(text) drafts for each weight, in the order of the groups

    >>> source, prompts = Table(train([[0, 1, 0, 1]], n_max=2, vocab=3)), PromptNgrams(n_max=2, vocab=3)
    >>> drafts_along([(source, (0, 0.75))], prompts, [0, 2, 0], [2, 0])
    [[2, 0], [1, 0]]
    """
    state = prompts.begin(prompt)
    window = max(state.window, N_MAX - 1)
    text_so_far = list(prompt[max(len(prompt) - window, 0) :])
    out: list[list[int]] = [[] for _, weights in groups for _ in weights]
    for token in text:
        context = text_so_far[max(len(text_so_far) - window, 0) :]
        _, tokens, counts = state.match(context)
        order = np.argsort(-counts, kind="stable")
        ranked = tokens[order].tolist()
        shares = (counts[order] / counts.sum()).tolist()
        column = 0
        for source, weights in groups:
            row = source.row(context)
            front = _candidates(ranked, shares, row)
            for weight in weights:
                out[column].append(_first(weight, row, front))
                column += 1
        state.append(token)
        text_so_far.append(token)
    return out


class Run(NamedTuple):
    """One target call: drafts accepted, and drafts there could have been (fewer than γ at the end of a text)."""

    accepted: int
    offered: int


def runs_of(drafts: Sequence[int], text: Sequence[int], gamma: int) -> list[Run]:
    """Cut a text into target calls: each accepts drafts up to the first miss, at most `gamma`, and emits one token more.

    Parameters
    ----------
    drafts : tokens; the draft at each place of the text, made when all before it is accepted
    text : tokens
    gamma : int >= 0

    >>> runs_of([7, 0, 9, 6, 5], [7, 8, 9, 6, 5], gamma=2)
    [Run(accepted=1, offered=2), Run(accepted=2, offered=2)]
    """
    check_gamma(gamma)
    place = 0
    runs = []
    while place < len(text):
        offered = min(gamma, len(text) - place)
        accepted = 0
        while accepted < offered and drafts[place + accepted] == text[place + accepted]:
            accepted += 1
        runs.append(Run(accepted, offered))
        place += accepted + 1
    return runs


def positions(runs: Sequence[Run], gamma: int) -> dict[str, Array]:
    """Of calls, by position of the draft: how many offer one, reach it with all before accepted, and accept it.

    >>> {what: counts.tolist() for what, counts in positions([Run(1, 2), Run(2, 2)], 2).items()}
    {'offered': [2, 2], 'reached': [2, 2], 'accepted': [2, 1]}
    """
    accepted, offered = np.array(runs, dtype=int).reshape(-1, 2).T
    place = np.arange(gamma)[:, None]
    reached = np.minimum(accepted + 1, offered)
    return {
        name: (place < last).sum(axis=1)
        for name, last in (("offered", offered), ("reached", reached), ("accepted", accepted))
    }


class Drafting:
    """Drafters of one task, and target calls on its texts; `task` and `bigrams` say which, the latter N-Grammys' table."""

    task: Task
    bigrams: Source

    def __init__(self, task: Task, bigrams: Source) -> None:
        self.task = task
        self.bigrams = bigrams

    @cached_property
    def groups(self) -> list[tuple[Source, Sequence[float]]]:
        """Sources and weights, in the order of `_COLUMNS`."""
        tables = [Table(train(self.task.table, n_max, count, self.task.vocab)) for n_max, count in TABLES.values()]
        rest: list[Source] = [*tables[1:], self.bigrams]
        return [(tables[0], (*MIXES, 1.0, MIX)), *((source, (1.0, MIX)) for source in rest)]

    def text(self, cell: Cell, rows: Rows, number: int, prompt: list[int], text: list[int]) -> list[int]:
        """What is verified of a pair: its text."""
        return text

    def _runs(self, cell: Cell, rows: Rows, number: int, groups: int | None = None) -> tuple[int, list[list[Run]]]:
        """Length of the text of a pair (a test pair, or after those a tuning pair), and target calls for each column."""
        tests = len(self.task.test)
        prompt, text = self.task.test[number] if number < tests else self.task.tuning[number - tests]
        text = self.text(cell, rows, number, prompt, text)
        drafts = drafts_along(self.groups[:groups], PromptNgrams(N_MAX, self.task.vocab), prompt, text)
        return len(text), [runs_of(column, text, cell["gamma"]) for column in drafts]

    def values(self, cell: Cell, rows: Rows) -> Values:
        """Calls of each drafter on the pairs asked for, and of each weight on the tuning pairs."""
        out: dict[str, list[Any]] = {}
        for number in rows.numbers:
            length, runs = self._runs(cell, rows, number)
            out.setdefault("tokens", []).append(length)
            for name, calls in zip(_COLUMNS, runs, strict=True):
                out.setdefault(f"{name} calls", []).append(len(calls))
                if name in POSITIONS:
                    for statistic, counts in positions(calls, cell["gamma"]).items():
                        out.setdefault(f"{name} {statistic}", []).append(counts)
        values = {name: np.array(column, dtype=np.float64) for name, column in out.items()}
        return values | {"tuned": np.tile(self._tuned(cell, rows), (len(rows.numbers), 1))}

    def _tuned(self, cell: Cell, rows: Rows) -> Array:
        """Tokens per call of each weight on the tuning pairs."""
        tokens = 0
        calls = np.zeros(len(MIXES))
        for number in range(len(self.task.tuning[: cell["tuning"]])):
            length, runs = self._runs(cell, rows, len(self.task.test) + number, 1)
            tokens += length
            calls += [len(column) for column in runs[: len(MIXES)]]
        return tokens / calls


class _Prepared(Drafting):
    """A corpus with a target, either made when first needed."""

    def __init__(self, corpus: Corpus, seed: int, model: Model | None) -> None:
        self.corpus = corpus
        self.seed = seed
        self.model = model

    @cached_property
    def task(self) -> Task:  # type: ignore[override]
        model = self.model
        return task_of(self.corpus, self.seed, *(() if model is None else (model.longest, model)))

    @cached_property
    def target(self) -> Writer:
        task = self.task
        return self.model or fitted(task.target, task.tuning, task.vocab, task.end, N_MAX)

    @cached_property
    def bigrams(self) -> Source:  # type: ignore[override]
        """N-Grammys' table: the target's law after a text of one token (the stand-in's cache has nothing to repeat)."""
        task = self.task
        return self.model.bigrams if self.model else BackOff(train(task.target, 2, 1, task.vocab))

    def text(self, cell: Cell, rows: Rows, number: int, prompt: list[int], text: list[int]) -> list[int]:
        """What is verified of a pair: its own text, or one that the target writes after its prompt."""
        if cell["verify"] != "sampled":
            return text
        return self.target.write(prompt, 2 * len(text) + 8, rows.key, number)


def ngram_drafts(
    corpora: Mapping[str, Corpus] | None = None,
    pairs: int | Mapping[str, int] | None = None,
    tuning: int | None = None,
    gamma: int = GAMMA,
    verify: Sequence[str] = ("reference", "sampled"),
    seed: int = 0,
    model: Model | None = None,
) -> Study:
    """Target calls of n-gram drafters on the test pairs of each corpus, verified in each way.

    Values of a pair: ``tokens``; ``NAME calls`` for the drafters of `DRAFTERS` and for ``mix λ`` of `MIXES`; for
    `POSITIONS` by position ``offered``, ``reached``, ``accepted``; and ``tuned``, the tokens per call of
    each weight of `MIXES` on the tuning pairs (the same in each row).

    Parameters
    ----------
    corpora : {name: Corpus}, optional; by default the two tasks of the standard library
    pairs, tuning : int, optional
        how many test and tuning pairs at most; by default all.  `pairs` may be given for each way to verify.
    gamma : int; drafts a call
    verify : "reference", "sampled"
    seed : int, of the split into parts
    model : Model, optional
        a language model in place of the stand-in (`simspec.studies.tasc.ngram_model`); tokens are then its own.

    Raises ValueError for another way to verify, no drafts, or a corpus with fewer than ten different inputs.
    """
    unknown = set(verify) - {"reference", "sampled"}
    if unknown:
        raise ValueError(f"verify: {', '.join(sorted(unknown))}; expected reference or sampled")
    if gamma < 1:
        raise ValueError(f"gamma: {gamma}; expected at least one draft a call")
    corpora_by_name = corpora or {name: standard_library(name) for name in ("tagging", "docstrings")}
    prepared = {name: _Prepared(corpus, seed, model) for name, corpus in corpora_by_name.items()}
    grid: list[Cell] = []
    for name, prepared_corpus in prepared.items():
        for way in verify:
            pair_limit = pairs.get(way) if isinstance(pairs, Mapping) else pairs
            rows = min(pair_limit or len(prepared_corpus.task.test), len(prepared_corpus.task.test))
            cell = {
                "corpus": name,
                "source": corpora_by_name[name].source,
                "verify": way,
                "gamma": gamma,
                "tuning": tuning,
            }
            grid.append({**cell, "rows": rows})
    return Study(
        name="ngram-drafts",
        question="How many tokens per target step do n-gram drafters give?",
        grid=tuple(grid),
        simulate=lambda cell, rows, device: prepared[cell["corpus"]].values(cell, rows),
        summary="tokens and target calls of each test pair",
        rows=max(int(cell["rows"]) for cell in grid),
    )
