"""Pruning on the whole rows of a bank without tuning contexts: every parameter is fitted on one half of the documents.

Each half is judged by what was fitted on the other.  Methods, grids and values are those of
`simspec.studies.rdk.real_pruning`, which needs tuning contexts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from simspec import laws
from simspec.engine.study import Rows, Study, Values
from simspec.laws import Array, unchecked
from simspec.logits.bank import Bank
from simspec.methods.sd import SD
from simspec.methods.tli import restricted, tli, uniform
from simspec.studies.rdk import real_pruning as tuned
from simspec.studies.rdk.static_gain import fitted
from simspec.studies.rdk.tuning import weights

__all__ = ["crossed", "pruning_halves"]


def crossed(table: Array, halves: Array) -> Array:
    """Which row of a table each context is judged by: the one with the best mean over the other half, see `leading`.

    Parameters
    ----------
    table : (choices, contexts)
        acceptance of each choice of parameters in each context
    halves : boolean (contexts,)

    Returns
    -------
    integer array (contexts,)

    >>> crossed(np.array([[0.9, 0.1], [0.2, 0.3]]), np.array([True, False])).tolist()
    [1, 0]
    """
    choice = np.empty(table.shape[1], dtype=np.int64)
    for here in (halves, ~halves):
        choice[here] = tuned.leading(table[:, ~here].mean(axis=1))
    return choice


def _fitted(
    p: Array, v: Array, families: Iterable[tuple[str, Array, Callable[[float], Any]]], halves: Array
) -> tuple[Array, Array, list[tuple[str, float]]]:
    """By the map that is best on the other half: acceptance of each context, whether it had no law, the map's name."""
    rows = []
    lawless = []
    labels = []
    for name, grid, make in families:
        for temperature in grid:
            drafted = make(float(temperature))(v)
            rows.append(tuned.accepted(p, drafted))
            lawless.append((drafted < 0).any(axis=-1))
            labels.append((name, float(temperature)))
    table = np.stack(rows).astype(np.float64)
    choice = crossed(table, halves)
    contexts = np.arange(len(p))
    return table[choice, contexts], np.stack(lawless)[choice, contexts], [labels[place] for place in choice]


def _redistributed(data: tuned.Laws, mask: Array, halves: Array) -> Values:
    """Acceptance under RDK and plain controls by context, each with the parameters that the other half chose."""
    p, q = data.evaluation
    v = unchecked.restrict(q, mask)
    # the grids follow the drafts of all contexts; no target has a part in them
    exact, _, exact_choices = _fitted(p, v, tuned.exact_families(data, v), halves)
    linear, lawless, linear_choices = _fitted(p, v, tuned.linear_families(data, v), halves)
    # TLI is computed as RDK is, so that the identity differs from it by nothing at all
    values: Values = {"tli": tuned.accepted(p, v), "exact": exact, "linear": linear}
    values["unigram"] = unchecked.overlap(p, data.mean)
    values["no law"] = lawless
    if data.statistics.affinity is not None:
        values["learnt"] = unchecked.overlap(p, data.statistics.affinity(v))
    trial_weights: Array = weights(tuned.MIXTURES).astype(np.float32)
    for name, mixed_law in tuned.mixed_with(data, mask).items():
        table: Array = np.stack([unchecked.overlap(p, (1 - w) * v + w * mixed_law) for w in trial_weights])
        choice = crossed(table, halves)
        values[name] = table[choice, np.arange(len(p))]
        values[f"{name} weight"] = trial_weights[choice]
    values["exact kind"] = np.array([tuned.KERNELS.index(name) for name, _ in exact_choices])
    values["exact temperature"] = np.array([temperature for _, temperature in exact_choices])
    values["linear form"] = np.array([tuned.FORMS.index(name) for name, _ in linear_choices])
    values["linear temperature"] = np.array([temperature for _, temperature in linear_choices])
    return values


def pruning_halves(
    bank: Bank,
    data: str,
    shares: tuple[float, ...] = (0.05, 0.01, 0.0025),
    context_limit: int | None = None,
    fixed: bool = False,
) -> Study:
    """Acceptance on the contexts of a bank, for each order and share of the vocabulary kept; values as in `real_pruning`.

    Parameters
    ----------
    bank : Bank; with a draft and statistics, and two documents at least
    data : str; what the bank is, for the report
    shares : shares of the vocabulary kept, in whole tokens and at least one, none twice
    context_limit : int, optional; contexts, evenly spaced; all by default
    fixed : bool; whether fixed masses stand beside: fitted on the other half (``static``), and on the contexts themselves
        (``static hindsight``)

    Raises ValueError for a bank that lacks a draft or statistics.
    """
    laws_of = tuned.Laws(bank, context_limit, is_tuned=False)
    context_numbers = np.arange(bank.contexts)[laws_of.rows]
    documents = np.asarray(bank.documents)[context_numbers]
    halves = np.unique(documents, return_inverse=True)[1] % 2 == 0

    def simulate(cell: Any, rows: Rows, device: str) -> Values:
        p, q = laws_of.evaluation
        mask = tuned.kept_mask(laws_of, cell["order"], cell["kept"], rows.key)
        methods = {"unpruned": SD, "none": restricted(mask), "tli": tli(mask), "uniform": uniform()}
        values = {name: m.accept(p, m.propose(q)).sum(axis=-1) for name, m in methods.items()}
        values |= _redistributed(laws_of, mask, halves) | {"document": documents}
        if fixed:
            target, draft = (laws.normalise(law.astype(np.float64)) for law in (p, q))
            values["static hindsight"], values["static"] = fitted(target, draft, mask, halves)
        row_slice = slice(rows.numbers.start, rows.numbers.stop)
        return {name: np.asarray(v, dtype=np.float64)[row_slice] for name, v in values.items()}

    kept_counts = dict.fromkeys(max(1, round(share * bank.vocab)) for share in shares)
    return Study(
        name="pruning-halves",
        question="Which methods restore the acceptance of a pruned drafter, fitted on other documents of the same bank?",
        grid=tuple(
            {
                **{"data": data, "vocab": bank.vocab, "order": order, "kept": count},
                **{"rdk": True, "rows": len(context_numbers)},
            }
            for count in kept_counts
            for order in tuned.ORDERS
        ),
        simulate=simulate,
        summary="acceptance rates, exact for each context",
        rows=len(context_numbers),
    )
