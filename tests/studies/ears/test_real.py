"""Relaxed rules on pairs: against their methods, controls at equal cost, refusals."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.engine.study import Result, simulate
from simspec.laws import entropy, kl, overlap, softmax
from simspec.methods import SD, acceptance_rate, bias
from simspec.methods.ears.acceptance import UNCERTAINTIES, ears, fresh
from simspec.methods.ears.relaxed import lenience, mixture
from simspec.studies.ears import real as studied
from simspec.studies.ears.real import CURVES, PAIRS, READINGS, TEMPERATURES, relaxed_rates, uncertainty_table
from tests.engine.fakes import FakeBank

BANK: Any = FakeBank(vocab=80, contexts=40)
STUDY = relaxed_rates({"main": BANK}, {"main": "fake: 40 contexts"}, rows=30)


@cache
def results() -> list[Result]:
    """Run once, by the first test that asks."""
    return gather(STUDY)


def _cell(**fixed: Any) -> Any:
    return next(r for r in results() if all(r.cell.get(k) == v for k, v in fixed.items()))


def _pair(temperature: float) -> tuple[np.ndarray, np.ndarray]:
    return tuple(softmax(x.astype(np.float64), temperature) for x in (BANK.target(), BANK.draft()))


def test_rates_by_hand():
    """Tolerance 0.2 · 1/2: of the draft's one token 1/2 + 1/10 is kept, so a tenth of the mass has moved."""
    p, q = np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])
    accepted, paid, divergence = studied._rates(ears(0.2), p, q)[0]
    assert (accepted, paid) == pytest.approx((0.6, 0.1))
    assert divergence == pytest.approx(0.6 * np.log(1.2) + 0.4 * np.log(0.8))
    assert studied._rates(ears(0.2), p, q, divergence=False).shape == (1, 2)


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_values_are_those_of_the_methods(temperature):
    (p, q), v = _pair(temperature), _cell(bank="main", temperature=temperature, curves=False).values
    rules = {
        "ears": ears(0.1),
        "lenience": lenience(float(v["lenience factor"][0])),
        "mixture": mixture(float(v["mixture weight"][0])),
    }
    assert v["sd"] == pytest.approx(overlap(p, q), abs=1e-5)
    for name, rule in rules.items():
        assert v[name] == pytest.approx(acceptance_rate(rule, p, q), abs=1e-5)
        assert v[f"{name} tv"] == pytest.approx(bias(rule, p, q), abs=1e-5)


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_what_is_gained_is_paid_and_controls_pay_the_same(temperature):
    v = _cell(bank="main", temperature=temperature, curves=False).values
    for rule in ("ears", "lenience", "mixture"):
        assert v[rule] - v["sd"] == pytest.approx(v[f"{rule} tv"], abs=1e-5)
        assert v[f"{rule} tv"].mean() == pytest.approx(v["ears tv"].mean(), abs=1e-5)
    assert (v["ears tv"].mean() > 1e-3) == (temperature > 0)
    other = studied._rates(mixture(0.9), *_pair(1.0))  # negative control: a rule that was not matched
    assert abs(other[:, 1].mean() - v["ears tv"].mean()) > 0.01


def test_curves_hold_every_rule():
    result = _cell(curves=True)
    p, q = _pair(1.0)
    for name, rules in CURVES.items():
        for at, rule in rules.items():
            accepted, paid = result.values[f"{name} {at:g}"].T
            assert accepted == pytest.approx(acceptance_rate(rule, p, q), abs=1e-5)
            assert paid == pytest.approx(bias(rule, p, q), abs=1e-5)
            assert (accepted <= result.values["sd"] + paid + 1e-6).all()


@pytest.mark.parametrize("place", [1, 6, -1])
def test_any_rows_are_the_same_rows(place):
    cell = STUDY.grid[place]
    whole, part = (simulate(STUDY, cell, 0, rows) for rows in (range(cell["rows"]), range(5, 9)))
    names = ("sd", "ears", "ears tv", "document") if "family" in cell else whole
    for name in names:
        assert np.array_equal(part[name], whole[name][5:9]), name


def test_synthetic_cells_are_the_pairs():
    cells = [r.cell for r in results() if "family" in r.cell]
    assert len(cells) == len(PAIRS) * len(TEMPERATURES) and {c["rows"] for c in cells} == {30}
    for pair in PAIRS:
        v = _cell(**pair, temperature=1.0).values
        assert 0.3 < v["sd"].mean() < v["ears"].mean() < 1


def test_the_lenience_of_no_cost_is_none_and_of_all_cost_keeps_all():
    p, q = _pair(1.0)
    assert studied._lenience_at(0.0, p, q) == 1
    rejected = float(1 - acceptance_rate(SD, p, q).mean())
    most = studied._lenience_at(rejected, p, q)
    assert acceptance_rate(lenience(most), p, q) == pytest.approx(np.ones(len(p)), abs=1e-6)
    assert studied._mixture_at(rejected, p, q) == pytest.approx(1)
    assert studied._mixture_at(0.0, p, p) == 0


def test_a_bank_without_draft_is_refused():
    bare: Any = FakeBank(draft=False)
    with pytest.raises(ValueError, match="has no draft"):
        relaxed_rates({"main": bare}, {"main": "fake"})


def test_signals_at_equal_cost():
    table = uncertainty_table(BANK, beta=0.2)
    p, q = _pair(1.0)
    assert [(s.reading, s.uncertainty) for s in table] == [(r, u) for r in READINGS for u in UNCERTAINTIES]
    for s in table:
        method = ears(s.beta, UNCERTAINTIES[s.uncertainty])
        method = method._replace(residual=fresh) if s.reading == "fresh" else method
        assert s.tv == pytest.approx(table[0 if s.reading == "residual" else 3].tv, abs=1e-5)
        assert s.tv == pytest.approx(bias(method, p, q).mean(), abs=1e-5)
        assert s.acceptance == pytest.approx(acceptance_rate(method, p, q).mean(), abs=1e-5)
        assert s.support_violation == 0 and s.kl > 0
    assert table[3].tv > table[0].tv  # the fresh draw is paid for even where nothing is pardoned
    own = table[0].acceptance - overlap(p, q).mean()
    assert [s.acceptance - overlap(p, q).mean() for s in table[:3]] == pytest.approx([own] * 3, abs=1e-5)
    method = ears(table[0].beta)
    out = method.keep(p, q) + (1 - acceptance_rate(method, p, q)[:, None]) * method.residual(p, q)
    assert table[0].kl == pytest.approx(kl(out, p).mean(), abs=1e-5) and entropy(out).min() > 0


def test_a_table_of_the_first_contexts_only():
    whole, part = uncertainty_table(BANK), uncertainty_table(BANK, limit=5)
    assert whole[0].acceptance != part[0].acceptance
    with pytest.raises(ValueError, match="expected a positive tolerance"):
        uncertainty_table(BANK, beta=0)
