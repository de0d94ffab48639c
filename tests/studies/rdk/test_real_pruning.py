"""Pruning on a bank: every scheme against its method, tuning on the tuning contexts, refusals."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.laws import overlap, restrict, softmax
from simspec.methods import acceptance_rate
from simspec.methods.rdk.affinity import factored, rdk
from simspec.methods.rdk.pruning import keep_first, pruning_order
from simspec.methods.rdk.static import static_acceptance, static_mixture
from simspec.methods.tli import restricted, tli, unigram_mixture
from simspec.studies.rdk import real_pruning as studied
from simspec.studies.rdk.real_pruning import COVARIANCES, FORMS, KERNELS, ORDERS, real_pruning
from tests.engine.fakes import FakeBank

BANK: Any = FakeBank()
STUDY = real_pruning(BANK, "fake: 24 contexts", shares=(0.1,))


@cache
def results() -> dict:
    """Run once, by the first test that asks."""
    return {(r.cell["order"], r.cell["rdk"]): r for r in gather(STUDY)}


def _pair() -> tuple[np.ndarray, np.ndarray]:
    return softmax(BANK.target().astype(np.float64)), softmax(BANK.draft().astype(np.float64))


@pytest.mark.parametrize("order", ["frequency", "worst"])
def test_schemes_are_the_methods(order):
    (p, q), result = _pair(), results()[order, True]
    v = result.values
    mask = keep_first(pruning_order(order, BANK.statistics.counts.sum(axis=0)), 6)
    assert v["none"] == pytest.approx(acceptance_rate(restricted(mask), p, q), abs=1e-5)
    assert v["tli"] == pytest.approx(acceptance_rate(tli(mask), p, q), abs=1e-5)
    assert v["unpruned"] == pytest.approx(overlap(p, q), abs=1e-5)
    weight = float(v["mixture weight"][0])
    assert v["mixture"] == pytest.approx(
        acceptance_rate(unigram_mixture(mask, BANK.statistics.mean, weight), p, q), abs=1e-5
    )
    kind, temperature = KERNELS[int(v["exact kind"][0])], float(v["exact temperature"][0])
    U, lam, diag = BANK.statistics.factors(kind)
    exact = rdk(mask, factored(U, lam, diag, temperature))
    assert v["exact"] == pytest.approx(acceptance_rate(exact, p, q), abs=1e-5)
    weight = float(v["spread weight"][0])
    restricted_draft = restrict(q, mask)
    assert v["spread"] == pytest.approx(overlap(p, (1 - weight) * restricted_draft + weight / 60), abs=1e-5)
    assert v["uniform"] == pytest.approx(np.minimum(p, 1 / 60).sum(axis=1), abs=1e-5)
    assert 0 <= v["linear form"][0] < len(FORMS)


def test_cells_beyond_a_quarter_keep_just_below_it():
    cells = [r.cell for (_, full), r in results().items() if not full]
    assert [c["kept"] for c in cells] == [14, 14, 14] and sorted(c["order"] for c in cells) == sorted(ORDERS)
    assert "exact" not in results()["random", False].values


def test_the_best_fixed_masses_stand_beside_and_leave_the_rest_as_it_is():
    fixed = gather(real_pruning(BANK, "fake: 24 contexts", shares=(0.1,), beyond=None, fixed=True))
    for result in fixed:
        order, v = result.cell["order"], result.values
        plain = results()[order, True].values
        assert all(v[name].tolist() == plain[name].tolist() for name in plain)
        assert v["static hindsight"].mean() >= v["static"].mean()
        assert v["static hindsight"].mean() >= max(v["tli"].mean(), v["mixture"].mean()) - 1e-6
    (p, q), v = _pair(), fixed[0].values
    mask = keep_first(pruning_order("frequency", BANK.statistics.counts.sum(axis=0)), 6)
    assert v["static hindsight"].mean() == pytest.approx(float(static_mixture(p, q, mask).acceptance), abs=1e-5)
    target, draft = softmax(BANK.tuning_target().astype(float)), softmax(BANK.tuning_draft().astype(float))
    extra = static_mixture(target, draft, mask).extra
    assert v["static"].mean() == pytest.approx(float(static_acceptance(p, q, mask, extra)), abs=1e-5)


def test_choices_are_the_best_on_the_tuning_contexts():
    data = studied.Laws(BANK)
    p, q = data.tuning
    v = restrict(q, keep_first(np.arange(60), 6))
    fit = studied._choose(p, v, studied.exact_families(data, v))
    for _name, grid, make in studied.exact_families(data, v):
        for t in grid:
            assert fit.tuned.mean >= overlap(p, make(float(t))(v)).mean() - 1e-7


def test_the_identity_is_in_the_grid_and_chosen_unless_another_kernel_is_better():
    """A draft that is the target has nothing to gain: what rounding adds to other kernels is no gain, and RDK is TLI."""
    data = studied.Laws(BANK)
    p = data.tuning[0]
    families = list(studied.exact_families(data, p))
    assert [name for name, _, _ in families] == ["identity", *COVARIANCES]
    fit = studied._choose(p, p, iter(families))
    assert fit.family == "identity" and fit.affinity(p) is p and fit.tuned.mean == pytest.approx(1)
    alone = studied._choose(p, p, iter(families[1:]))
    assert fit.tuned.mean < alone.tuned.mean <= fit.tuned.mean + studied.ROUNDING and alone.family in COVARIANCES


def test_below_the_lowest_temperature_nothing_changes():
    """Of one-hot tokens, whose covariance is exact, the grid ends at the limit: rows of tokens that occur are the identity."""
    data = studied.Laws(BANK)
    mask = keep_first(pruning_order("frequency", data.counts), 6)
    v = restrict(data.evaluation[1], mask)
    assert (data.counts[mask] > 0).all()
    grid, make = next((grid, make) for name, grid, make in studied.exact_families(data, v) if name == "tokens")
    assert len(grid) == studied.TEMPERATURES and 1 + len(COVARIANCES) * len(grid) == studied.MIXTURES
    lowest, lower = make(float(grid[0]))(v), make(float(grid[0]) / 16)(v)
    assert lowest == pytest.approx(v, abs=1e-6) and lower == pytest.approx(v, abs=1e-6)
    assert np.abs(make(float(grid[-1]))(v) - v).max() > 0.1


def test_a_gain_within_rounding_is_none():
    assert studied.leading([0.5, 0.5 + studied.ROUNDING / 2]) == 0
    assert studied.leading([0.5, 0.4, 0.5 + 2 * studied.ROUNDING]) == 2


def test_linear_forms_are_laws_on_every_tuning_context():
    data = studied.Laws(BANK)
    v = restrict(data.tuning[1], keep_first(np.arange(60), 6))
    for name, grid, make in studied.linear_families(data, v):
        for t in grid:
            r = make(float(t))(v)
            assert (r >= 0).all(), name
            assert r.sum(axis=-1) == pytest.approx(1, abs=1e-4)


def test_a_vector_with_a_negative_entry_is_no_drafter():
    p = np.array([[0.5, 0.5], [0.5, 0.5]])
    assert studied.accepted(p, np.array([[1.25, -0.25], [0.25, 0.75]])).tolist() == [0, 0.75]


def test_a_bank_without_draft_or_statistics_is_refused():
    without_draft: Any = FakeBank(draft=False)
    without_statistics: Any = FakeBank(statistics=False)
    with pytest.raises(ValueError, match=r"'fake' has no draft; expected it too \(capture it with --draft MODEL\)"):
        real_pruning(without_draft, "fake")
    with pytest.raises(
        ValueError, match=r"'fake' has no statistics; expected them too \(capture it with --statistics N"
    ):
        real_pruning(without_statistics, "fake")
