"""Utility under relaxed acceptance: one process by hand, families against direct evaluation."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.engine.study import Rows
from simspec.kernels import random as philox
from simspec.methods.ears.acceptance import ears, fresh
from simspec.methods.pad.families import FAMILIES
from simspec.methods.pad.process import Process, evaluate, values
from simspec.studies.ears import utility as studied
from simspec.studies.ears.utility import BETAS, CAREFUL, relaxed_utility, true_pivots
from simspec.studies.pad.problems import NAMES, Pairs, make_problem

STUDY = relaxed_utility(6, 3, horizons=(8, 12))

ONE = Process(  # one token; worth 1, 0 and 1/2
    target=np.array([[0.5, 0.5, 0.0]] * 4),
    draft=np.array([[0.0, 0.5, 0.5]] * 4),
    step=np.array([[1, 2, 3]] * 4),
    utility=np.array([0.0, 1.0, 0.0, 0.5]),
    start=0,
    horizon=1,
)


@cache
def results() -> dict:
    """Run once, by the first test that asks."""
    return {(r.cell["family"], r.cell["horizon"], r.cell["draft"]): r.values for r in gather(STUDY)}


def test_one_token_by_hand():
    """A tolerance t pardons t/2 of the token worth 1/2, in place of the token worth 1: t/4 is lost, t half of beta."""
    found = studied._one(ONE, BETAS, 0.1)
    assert found["target"] == found["sd"] == 0.5
    for beta in BETAS:
        assert found[f"ears {beta:g}"] == pytest.approx(0.5 - beta / 8)
        assert found[f"ears {beta:g} share"] == pytest.approx(0.5 + beta / 4)
    # a fresh draw after a rejection (0.5 - t/2): worth 1/2, where the residual is worth 1
    assert found["fresh"] == pytest.approx(0.05 / 4 + (0.5 - 0.05 / 2) / 2)
    assert found["pad"] == 0.5 and found["pad share"] == 0.5  # both drafts are worth less than the replacement


def test_true_pivots_reject_what_is_worth_less_than_its_replacement():
    better = ONE._replace(utility=np.array([0.0, 0.5, 0.0, 1.0]))  # the token that the target never takes is worth 1
    found = studied._one(better, BETAS, 0.1)
    assert found["target"] == 0.25 and found["pad"] == 0.5 and found["pad share"] == 1
    assert evaluate(better, true_pivots(better)).utility == 0.5


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_are_processes_of_the_family(family):
    cell = next(c for c in STUDY.grid if c["family"] == family)
    key = philox.make_key(0, STUDY.name, dict(cell))
    process = FAMILIES[family](philox.make_key(key, "process", 4), horizon=8)
    v = results()[family, 8, "weaker"]
    assert v["target"][4] == values(process)[0, process.start] == pytest.approx(v["sd"][4])
    assert v["ears 0.1"][4] == evaluate(process, ears(0.1)).utility
    assert v["fresh"][4] == evaluate(process, ears(0.1)._replace(residual=fresh)).utility
    assert v["pad"][4] >= v["target"][4] - 1e-12
    assert np.array_equal(STUDY.simulate(cell, Rows(key, range(4, 6)), "cpu")["pad"], v["pad"][4:6])


def test_a_tolerance_accepts_more_and_costs_more_where_the_draft_errs():
    for family in CAREFUL:
        weak, careful = results()[family, 8, "weaker"], results()[family, 8, "careful"]
        shares = [weak["sd share"], *(weak[f"ears {b:g} share"] for b in BETAS)]
        assert (np.diff(np.stack(shares), axis=0) > 0).all()
        loss = [(v["target"] - v["ears 0.2"]).mean() for v in (weak, careful)]
        assert loss[0] > 0.01 > loss[1]


@pytest.mark.parametrize("family", CAREFUL)
def test_a_careful_draft_has_the_targets_mass_on_what_matters(family):
    process = FAMILIES[family](1, horizon=8, **CAREFUL[family])
    place = process.step // 8  # flag, count or (ruined or not, phase); a step of 8 contexts
    matters = place >= 4 if family == "needle" else place != np.arange(len(place))[:, None] // 8
    mass = [np.where(matters, law, 0).sum(axis=1) for law in (process.target, process.draft)]
    assert mass[0] == pytest.approx(mass[1])
    own = FAMILIES[family](1, horizon=8)  # negative control: the family's own draft
    assert not np.allclose(*(np.where(matters, law, 0).sum(axis=1) for law in (own.target, own.draft)))


def test_given_laws_are_those_of_the_problem():
    """Every family with a bank's laws, and what EARS loses on each as evaluated directly; the target does not change."""
    draw = np.random.default_rng(1).dirichlet(np.ones(studied.VOCAB), (2, 40))
    pairs = Pairs(draw[0], draw[1], np.arange(40) % 2)
    study = relaxed_utility(2, 1, horizons=(8,), sources={"made": lambda vocab: pairs})
    found = {r.cell["family"]: r for r in gather(study) if "laws" in r.cell}
    assert set(found) == set(NAMES)
    for family, result in found.items():
        states = studied.STATES.get(family, 8)
        key = philox.make_key(0, study.name, dict(result.cell))
        cell = {"family": family, "vocab": studied.VOCAB, "horizon": 8, "states": states}
        process = make_problem(cell, key, 1, pairs).process
        assert result.values["ears 0.1"][1] == evaluate(process, ears(0.1)).utility
        assert result.values["sd"][1] == pytest.approx(values(process)[0, 0])
        assert (process.target[0] == pairs.p).all(axis=-1).any()
