"""Drafting over a thin wire: an edge device drafts and sends quantised laws, a cloud model verifies.

A row is one link with contexts of its own, on which every scheme runs: a fold of a bank's documents, or fresh
synthetic laws.  Positions of a link draw their contexts independently from its pool, because a bank holds scattered
contexts and not running text; what neighbouring positions share is therefore not modelled.  Schemes and times are
made in `simspec.studies.sqs.link_schemes`; what SQS leaves open (times, rate) is `TIMES`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from simspec.engine.estimates import stopping
from simspec.engine.estimates.statistics import Mean
from simspec.engine.estimates.stopping import HalfWidth
from simspec.engine.study import Cell, Rows, Study, Values
from simspec.kernels.link import Contexts, sort_contexts
from simspec.laws import Array, softmax
from simspec.logits.bank import Bank, MissingPart, open_bank
from simspec.studies.pairs import bank_laws, synthetic_logits
from simspec.studies.sqs.link_schemes import BATCHES, SCHEMES, STEPS, TIMES, Times, check_times, draws, run_scheme

__all__ = [
    "FOLDS",
    "LONGEST",
    "SYNTHETIC",
    "TEMPERATURES",
    "edge_cloud",
    "real_links",
    "stories",
    "synthetic_links",
    "wiki",
]

FOLDS = 30
"""Links that a bank's documents are shared out to."""
FEWEST_DOCUMENTS = 4
"""Documents that paired schemes need: one is chosen on every other link, and its spread needs two links of the others."""
SYNTHETIC = "synthetic Student-t logits"
"""What laws that are made up here are called in the cells."""
POOL = 10
"""Contexts of a synthetic link."""
_ENTRIES = 2**24
"""Entries of the laws that are held at once: with what sorting them takes, about 1 GB."""


def synthetic_links(cell: Cell, rows: Rows) -> Contexts:
    """Contexts of fresh synthetic links: `POOL` pairs of laws each, at the cell's temperature."""
    contexts = range(rows.numbers.start * POOL, rows.numbers.stop * POOL)
    logits = synthetic_logits(cell, Rows(rows.key, contexts))
    p, q = (softmax(z.astype(np.float64), cell["temperature"]).reshape(-1, POOL, z.shape[-1]) for z in logits)
    return sort_contexts(p, q)


@lru_cache(maxsize=2)
def real_links(bank: Bank, temperature: float, numbers: range = range(FOLDS)) -> Contexts:
    """Contexts of some folds of a bank; whole documents stay in one fold, folds have equally many contexts.

    Documents are dealt out in turn; a fold with fewer contexts than another repeats some of its own.
    """
    rows = _folds(np.asarray(bank.documents))[numbers.start : numbers.stop]
    p, q = bank_laws(bank, rows.ravel(), temperature)
    return sort_contexts(*(x.reshape(*rows.shape, -1) for x in (p, q)))


def _held_at_once(bank: Bank | None, numbers: range) -> Iterator[range]:
    """Consecutive links whose laws are held at once: as many as `_ENTRIES` allow, one at least."""
    if bank is None:
        yield numbers
        return
    contexts_of_a_link = _folds(np.asarray(bank.documents)).shape[1]
    at_once = max(1, _ENTRIES // (contexts_of_a_link * bank.vocab))
    for start in range(0, len(numbers), at_once):
        yield numbers[start : start + at_once]


def _folds(documents: Array) -> Array:
    """Context numbers (folds, contexts of a fold), documents dealt out in turn."""
    names, index = np.unique(documents, return_inverse=True)
    folds = min(FOLDS, len(names))
    dealt = [np.flatnonzero(index % folds == fold) for fold in range(folds)]
    largest_fold = max(map(len, dealt))
    return np.stack([np.resize(rows, largest_fold) for rows in dealt])


TEMPERATURES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5)
LONGEST = (64, 8)
"""Most drafts of a batch: as many as the bits allow (64 bounds what nearly free drafts would add), or eight."""


def edge_cloud(
    bank: Bank | None = None,
    label: str = "",
    schemes: Mapping[str, Cell] | None = None,
    temperatures: tuple[float, ...] = TEMPERATURES,
    paired: bool = False,
    times: Mapping[str, Times] = TIMES,
    longest: tuple[int, ...] = LONGEST,
) -> Study:
    """Latency, resampling and bits of each scheme by temperature, on synthetic laws or on the contexts of a bank.

    Parameters
    ----------
    bank : Bank, optional; a pair; without it, synthetic Student-t logits
    label : str; what the data is called in the cells
    schemes : {name: scheme}
        made by `top_k`, `threshold` and `dense`, which take K, β, η, α, resolution and budget; default: `SCHEMES` and
        `STEPS`, sweeps of K, β and η.
    temperatures : of both models
    paired : bool
        a cell runs every scheme on the same links with the same random numbers, so that differences between schemes
        are paired; values are then called ``QUANTITY; NAME``, otherwise each scheme has cells of its own, and values
        have the names of `summarise`.
    times : {name: Times}
        seconds of a draft and of a verification, bits per second; a synthetic cell stops on the latency of the first.
    longest : most drafts of a batch

    Raises ValueError for times that are none, no scheme, no `longest`, a negative temperature; for K > V when it is
    simulated.  Raises MissingPart for paired schemes on a bank with fewer documents than `FEWEST_DOCUMENTS`.

    >>> len(edge_cloud().grid), len(edge_cloud(paired=True).grid)
    (156, 12)
    """
    shipped = SCHEMES | STEPS
    schemes_by_name = dict(shipped if schemes is None else schemes)
    check_times(times)
    if not schemes_by_name or not longest or min(longest) < 1:
        raise ValueError(
            f"schemes: {sorted(schemes_by_name)}, longest: {longest}; expected one or more of each, longest >= 1"
        )
    if not temperatures or not all(t >= 0 for t in temperatures):
        raise ValueError(f"temperatures: {temperatures}; expected one or more, none of them negative")
    laws: Cell = {"data": label or SYNTHETIC, "vocab": 1000, "df": 8.0, "scale": 2.5, "rho": 0.9}
    if bank is not None:
        document_count = len(np.unique(bank.documents))
        if paired and document_count < FEWEST_DOCUMENTS:
            raise MissingPart(
                f"bank: {bank.name!r} has contexts of {document_count} document{'s' if document_count != 1 else ''}; "
                f"expected {FEWEST_DOCUMENTS} or more, as a link has documents of its own (capture it from more texts)"
            )
        laws = {"data": label or bank.name, "vocab": bank.vocab, "rows": min(FOLDS, document_count)}
    # what is not as shipped is part of the cell, so that its results are never mixed with others
    changed_times: dict[str, Any] = (
        {} if dict(times) == TIMES else {"times": {name: list(t) for name, t in times.items()}}
    )
    changed = {name: dict(s) for name, s in schemes_by_name.items() if s != shipped.get(name)}

    def values_of(cell: Cell, rows: Rows) -> Values:
        """Values of links whose laws are held at once."""
        if bank is None:
            contexts = synthetic_links(cell, rows)
        else:
            contexts = real_links(bank, float(cell["temperature"]), rows.numbers)
        batch_draws = draws(rows.key, rows.numbers, BATCHES, int(cell["longest"]))
        if not paired:
            return run_scheme(schemes_by_name[cell["scheme"]], contexts, *batch_draws, times)
        return {
            f"{quantity}; {name}": values
            for name, scheme in schemes_by_name.items()
            for quantity, values in run_scheme(scheme, contexts, *batch_draws, times).items()
        }

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        parts = [values_of(cell, Rows(rows.key, numbers)) for numbers in _held_at_once(bank, rows.numbers)]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    if paired:
        names: list[Cell] = [{"schemes": changed} if changed else {}]
    else:
        names = [{"scheme": n} | ({"parameters": changed[n]} if n in changed else {}) for n in schemes_by_name]
    tops = _tops(schemes_by_name, times, max(longest))
    first = f"{next(iter(times))} latency"
    if paired:
        tops = {f"{quantity}; {name}": top for name in schemes_by_name for quantity, top in tops.items()}
        first += f"; {next(iter(schemes_by_name))}"
    return Study(
        name="edge-cloud" if bank is None else "edge-cloud-real",
        question="How much latency do sparse quantised drafts save on a slow link, and how many more are rejected?",
        grid=tuple(
            {**laws, "temperature": t, "longest": n, **changed_times, **name}
            for t in temperatures
            for n in longest
            for name in names
        ),
        simulate=simulate,
        summary="latency per token, resampled tokens per batch and bits, by scheme",
        rows=FOLDS if paired or bank is not None else 64,
        measures={name: Mean(0, top) for name, top in tops.items()},
        stop=stopping.Rows(FOLDS) if bank is not None else HalfWidth(first, 0.03, 0, tops[first]),
    )


def wiki() -> Study:
    """The shipped pair with one vocabulary: ``simspec study run simspec.studies.sqs.edge_cloud:wiki``.

    >>> wiki().grid[0]["vocab"]
    16384
    """
    return edge_cloud(open_bank("wiki"))


def stories() -> Study:
    """The shipped pair whose draft has a vocabulary of its own: ``simspec study run simspec.studies.sqs.edge_cloud:stories``.

    >>> stories().grid[0]["vocab"]
    2048
    """
    return edge_cloud(open_bank("stories"))


def _tops(schemes: Mapping[str, Cell], times: Mapping[str, Times], longest: int) -> dict[str, float]:
    """Largest value of each quantity that is kept: no token takes longer than the longest batch."""
    budget = max(1, *(scheme["budget"] for scheme in schemes.values()))
    latencies = {f"{n} latency": t.draft * (longest + 1) + budget / t.rate + t.verify for n, t in times.items()}
    shares = dict.fromkeys(("resampling", "per draft", "discarded", "idle"), 1.0)
    return {**latencies, **shares, "bits per token": budget, "drafts": longest}
