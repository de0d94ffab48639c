"""Pruning fitted by halves: each context is judged by what the other half of the documents chose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simspec.engine.study import simulate
from simspec.laws import overlap, restrict, softmax
from simspec.logits.bank import MissingPart
from simspec.methods.rdk.affinity import factored
from simspec.studies.rdk.pruning_halves import crossed, pruning_halves
from simspec.studies.rdk.real_pruning import FORMS, KERNELS, ORDERS, Laws, exact_families, kept_mask, real_pruning
from simspec.studies.rdk.static_gain import fitted
from tests.engine.fakes import FakeBank

BANK: Any = FakeBank(vocab=80, contexts=30)
STUDY = pruning_halves(BANK, "fake", (0.1, 0.05))
HALVES = np.unique(BANK.documents, return_inverse=True)[1] % 2 == 0


def test_the_choice_of_a_context_is_that_of_the_other_half() -> None:
    rng = np.random.default_rng(0)
    table = rng.random((7, 20))
    halves = rng.random(20) < 0.5
    choice = crossed(table, halves)
    for context in range(20):
        others = [column for column in range(20) if halves[column] != halves[context]]
        means = [np.mean([table[row, column] for column in others]) for row in range(7)]
        assert choice[context] == int(np.argmax(means))


def test_what_needs_no_tuning_is_that_of_the_study_with_tuning_contexts() -> None:
    other = real_pruning(BANK, "fake", (0.1, 0.05), beyond=None)
    assert [(c["order"], c["kept"]) for c in STUDY.grid] == [(c["order"], c["kept"]) for c in other.grid]
    assert [c["order"] for c in STUDY.grid] == [*ORDERS, *ORDERS]
    for cell, same in zip(STUDY.grid, other.grid, strict=True):
        if cell["order"] != "random":  # its key follows the study's cell
            values, theirs = (simulate(s, c, 0, range(30)) for s, c in ((STUDY, cell), (other, same)))
            assert set(theirs) == set(values)
            for name in ("unpruned", "none", "tli", "uniform", "unigram", "learnt", "document"):
                assert values[name] == pytest.approx(theirs[name])


def test_exact_rdk_is_the_named_map_and_the_best_of_the_other_half() -> None:
    cell = STUDY.grid[0]
    values = simulate(STUDY, cell, 0, range(30))
    data = Laws(BANK, is_tuned=False)
    p, q = softmax(BANK.target()), softmax(BANK.draft())
    v = restrict(q, kept_mask(data, "frequency", cell["kept"], 0))
    acceptances = {}
    for name, grid, _ in exact_families(data, v):
        for temperature in grid:
            drafted = v if name == "identity" else factored(*BANK.statistics.factors(name), float(temperature))(v)
            acceptances[KERNELS.index(name), float(temperature)] = overlap(p, drafted)
    for here in (HALVES, ~HALVES):
        kinds = set(zip(values["exact kind"][here], values["exact temperature"][here], strict=True))
        ((kind, temperature),) = kinds
        chosen = acceptances[int(kind), temperature]
        assert values["exact"][here] == pytest.approx(chosen[here], abs=1e-5)
        assert chosen[~here].mean() == pytest.approx(max(a[~here].mean() for a in acceptances.values()), abs=2e-5)
        # a choice that looked at the contexts it is judged by would be no worse: the sign of a leak
        assert values["exact"][here].mean() <= max(a[here].mean() for a in acceptances.values()) + 1e-6
    assert set(values["linear form"]) <= set(range(len(FORMS))) and not values["no law"].any()


def test_any_rows_are_the_same_rows() -> None:
    whole, part = (simulate(STUDY, STUDY.grid[1], 0, rows) for rows in (range(30), range(4, 9)))
    assert all(np.array_equal(part[name], whole[name][4:9]) for name in whole)


def test_a_bank_without_statistics_is_refused_by_what_it_lacks() -> None:
    bare: Any = FakeBank(statistics=False)
    with pytest.raises(MissingPart, match=r"'fake' has no statistics; expected them too \(capture it with"):
        pruning_halves(bare, "fake")


def test_fixed_masses_stand_beside_fitted_on_the_other_half_and_on_the_contexts_themselves() -> None:
    study = pruning_halves(BANK, "fake", (0.1,), fixed=True)
    values = simulate(study, study.grid[0], 1, range(30))
    p, q = (law.astype(np.float64) for law in Laws(BANK, is_tuned=False).evaluation)
    mask = kept_mask(Laws(BANK, is_tuned=False), study.grid[0]["order"], study.grid[0]["kept"], 0)
    known, other = fitted(p / p.sum(axis=-1, keepdims=True), q / q.sum(axis=-1, keepdims=True), mask, HALVES)
    assert values["static hindsight"] == pytest.approx(known)
    assert values["static"] == pytest.approx(other)
    assert known.mean() > other.mean() and not np.allclose(known, other)
    assert "static" not in simulate(STUDY, STUDY.grid[0], 1, range(30))
