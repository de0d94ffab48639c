"""Rules at equal numbers of drafted tokens on a bank without tuning contexts: trees are fitted on one half of the documents.

Each half is judged by the trees that were fitted on the other.  Rules and values are those of
`simspec.studies.joint.budgets`, whose study of a bank needs tuning contexts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from simspec.engine.study import Cell, Rows, Study, Values, cross
from simspec.laws import Array
from simspec.logits.bank import Bank, MissingPart
from simspec.studies.joint.budgets import ALIKE, BUDGETS, RULES, STRIDE, drafts_by_rule, fitted_trees, rates_of_children
from simspec.studies.pairs import bank_laws

__all__ = ["drafted_halves"]


def drafted_halves(
    bank: Bank,
    temperatures: tuple[float, ...] = (1.0,),
    contexts: int | None = None,
    rules: Sequence[str] = RULES,
) -> Study:
    """Mean accepted drafts of a call on the contexts of a bank, with trees fitted on the other half of the documents.

    Level i of call n in contexts of its own has the context of number n + 37 i, of the half that call n is in.  Values are
    those of `simspec.studies.joint.budgets.drafted_on_bank`.

    Parameters
    ----------
    bank : Bank; a pair
    temperatures : numbers > 0
    contexts : how many of the bank's; by default all, two documents at least
    rules : those that are measured at least, of `simspec.studies.joint.budgets.RULES`; some take long on many tokens

    Raises MissingPart for a bank without a draft, ValueError for contexts of one document.

    >>> from simspec.logits import open_bank
    >>> drafted_halves(open_bank("smollm2")).grid[0]
    {'contexts': 'one a call', 'temperature': 1.0, 'budget': 1, 'rows': 52}
    """
    if "draft" not in bank.file:
        raise MissingPart(f"bank: {bank.name!r} has no draft; expected a pair (capture it with --draft)")
    count = min(contexts or bank.contexts, bank.contexts)
    documents = np.asarray(bank.documents)[:count]
    is_even = np.unique(documents, return_inverse=True)[1] % 2 == 0
    if is_even.all():
        raise ValueError(f"contexts: {count} of one document; expected contexts of two documents at least")
    halves = (np.flatnonzero(is_even), np.flatnonzero(~is_even))

    @lru_cache(maxsize=2)
    def rates(temperature: float) -> dict[str, Array]:
        return rates_of_children(*bank_laws(bank, np.arange(count), temperature), range(count))

    def of_half(cell: Cell, key: int, first: int, judged: Array, fitted: Array) -> dict[str, Array]:
        """Values of all contexts of one half, by trees fitted on the other; its draws have the numbers from `first` on."""
        budget = int(cell["budget"])
        levels = 1 if cell["contexts"] == ALIKE[0] else budget
        steps = STRIDE * np.arange(levels)
        at = judged[(np.arange(len(judged))[:, None] + steps) % len(judged)]
        tuned = fitted[(np.arange(len(fitted))[:, None] + steps) % len(fitted)]
        context_rates = rates(cell["temperature"])
        shapes = fitted_trees({rule: values[tuned] for rule, values in context_rates.items()}, budget)
        p, q = (law.reshape(*at.shape, -1) for law in bank_laws(bank, at.reshape(-1), cell["temperature"]))
        here = {rule: values[at] for rule, values in context_rates.items()}
        return drafts_by_rule(p, q, budget, here, shapes, Rows(key, range(first, first + len(judged))), rules)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        values: dict[str, Array] = {}
        for start, judged, fitted in ((0, *halves), (len(halves[0]), *halves[::-1])):
            for rule, accepted in of_half(cell, rows.key, start, judged, fitted).items():
                values.setdefault(rule, np.empty(count))[judged] = accepted
        row_slice = slice(rows.numbers.start, rows.numbers.stop)
        return {rule: accepted[row_slice] for rule, accepted in values.items()} | {
            "document": documents[row_slice].astype(np.float64)
        }

    return Study(
        name="drafted-halves",
        question="How many drafts does each rule accept for the same number of drafted tokens?",
        grid=cross(contexts=ALIKE, temperature=temperatures, budget=BUDGETS, rows=(count,)),
        simulate=simulate,
        summary="mean accepted drafts of a call, trees fitted on other documents of the same bank",
        rows=count,
    )
