"""Rules at equal numbers of drafted tokens, trees fitted on the other half: by hand what needs no tree, no leak, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.laws import overlap
from simspec.logits import open_bank
from simspec.logits.bank import MissingPart
from simspec.studies.joint import budgets_halves
from simspec.studies.joint.budgets import RULES
from simspec.studies.joint.budgets_halves import drafted_halves
from simspec.studies.pairs import bank_laws

CONTEXTS = 9


def _results(budget: int, rules: tuple[str, ...] = RULES):
    study = drafted_halves(open_bank("stories"), contexts=CONTEXTS, rules=rules)
    return gather(replace(study, grid=tuple(cell for cell in study.grid if cell["budget"] == budget)))


def test_what_needs_no_tree_is_that_of_each_context() -> None:
    p, q = bank_laws(open_bank("stories"), np.arange(CONTEXTS))
    alpha = overlap(p, q)
    alike, apart = _results(2)
    assert alike.values["token"] == pytest.approx(alpha + alpha**2)
    documents = np.asarray(open_bank("stories").documents)[:CONTEXTS]
    half = np.unique(documents, return_inverse=True)[1] % 2 == 0
    for own in (half, ~half):
        next_level = alpha[own][(np.arange(own.sum()) + 37) % own.sum()]
        assert apart.values["token"][own] == pytest.approx(alpha[own] * (1 + next_level))
    assert (alike.values["document"] == documents).all()
    assert set(alike.values) == {*RULES, "document"}


def test_trees_come_from_the_other_half(monkeypatch) -> None:
    """Of the fits, each sees only contexts that it does not judge: the first as many as the second half has."""
    sizes = []
    fit = budgets_halves.fitted_trees

    def recorded(rates, budget):
        sizes.append(next(iter(rates.values())).shape[0])
        return fit(rates, budget)

    monkeypatch.setattr(budgets_halves, "fitted_trees", recorded)
    _results(2)
    assert sizes == [4, 5, 4, 5]


def test_some_rules_are_measured_as_among_all() -> None:
    some = _results(2, ("block", "match"))
    for few, every in zip(some, _results(2), strict=True):
        assert {"block", "match", "token"} <= set(few.values) and "gumbel list" not in few.values
        for name, values in few.values.items():
            assert values.tolist() == every.values[name].tolist()


def test_too_few_documents_or_no_draft_are_refused() -> None:
    with pytest.raises(ValueError, match="contexts: 1 of one document; expected contexts of two documents at least"):
        drafted_halves(open_bank("stories"), contexts=1)
    with pytest.raises(MissingPart, match="bank: 'gpt2' has no draft"):
        drafted_halves(open_bank("gpt2"))
