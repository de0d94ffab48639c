"""Rounds against the formula: exact lengths by hand and by enumeration, intervals that hold them, a control that must not."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from simspec.engine import run as engine
from simspec.engine.study import simulate
from simspec.kernels.rounds import Draws, run_rounds, tables
from simspec.methods import SD, block_outcomes, mean_acceptance_length
from simspec.methods.registry import rule
from simspec.studies import HalfWidth
from simspec.studies.sd import rounds
from simspec.studies.sd.rounds import RULES, STEADIED, expected_rounds, rounds_against_formula

CELL = {"laws": "one", "rho": 0.9, "scale": 2.0, "vocab": 32, "model": 1, "rounds": 64}


def models(states: int, vocab: int, seed: int):
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(vocab), (2, states))
    return p, q


def test_by_hand() -> None:
    # state 0 keeps its draft, token 1, always; state 1 never and stays: rounds of 1 + 1 tokens, then of 1
    p = q = np.array([[0.0, 1.0], [0.0, 1.0]])
    kept = np.array([[0.0, 1.0], [0.0, 0.0]])
    made = expected_rounds(kept, p, p, gamma=2, rounds=3)
    assert made.length == pytest.approx((2 + 1 + 1) / 3) and made.alpha == pytest.approx(1 / 3)
    found = run_rounds(tables(q, kept, p, p), Draws(0, range(2)), gamma=2, rounds=3)
    assert found.accepted.tolist() == [[1, 0, 0]] * 2
    assert expected_rounds(kept, p, p, gamma=0, rounds=5).length == 1


@pytest.mark.parametrize("text", RULES)
@pytest.mark.parametrize("gamma", [1, 3])
def test_one_round_is_every_outcome_of_a_block(text, gamma) -> None:
    """Enumeration of every draft and uniform, the state being the last token: also of the state after the round."""
    p, q = models(3, 3, 7)
    method = rule(text).method if text != "sqs:4,16" else rule("sqs:2,16").method
    d = method.propose(q)
    k, r = method.accept(p, d), method.residual(p, d)

    def outcomes(state):
        return list(block_outcomes(method, lambda x: p[x[-1]], lambda x: q[x[-1]], (state,), gamma))

    first = outcomes(0)
    length = sum(o.probability * len(o.tokens) for o in first)
    made = expected_rounds(k, r, p, gamma, 1)
    assert made.length == pytest.approx(length) and made.alpha == pytest.approx(k[0].sum())
    second = sum(o.probability * sum(n.probability * len(n.tokens) for n in outcomes(o.tokens[-1])) for o in first)
    assert expected_rounds(k, r, p, gamma, 2).length == pytest.approx((length + second) / 2)


@pytest.mark.parametrize("text", RULES)
def test_with_one_pair_of_laws_the_formula_is_exact(text) -> None:
    p, q = models(1, 6, 3)
    method = rule(text).method
    d = method.propose(q)
    made = expected_rounds(method.accept(p, d), method.residual(p, d), p, 5, 9)
    assert made.length == pytest.approx(mean_acceptance_length(min(1, made.alpha), 5), rel=1e-12)


def test_bad_input_is_named() -> None:
    p = np.full((2, 3), 1 / 3)
    for arguments, message in [
        ((p, p, p, 1, 1), "accepted_mass: 2 states and 3 tokens"),
        ((p[:1], p[:1], p[:1], -1, 1), "gamma, rounds: -1, 1"),
        ((p[:1], p[:1], p[:1], 1, 0), "gamma, rounds: 1, 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            expected_rounds(*arguments)
    for options in ({"rules": ()}, {"gammas": (0,)}, {"gammas": ()}, {"models": ()}):
        with pytest.raises(ValueError, match="expected one or more of each"):
            rounds_against_formula(**options)
    with pytest.raises(ValueError, match="rule: 'nothing' is not known"):
        rounds_against_formula(rules=("nothing",))


def test_equal_laws_accept_every_draft() -> None:
    study = rounds_against_formula()
    found = simulate(study, {**CELL, "rule": "sd", "gamma": 4, "rho": 1}, 0, range(5))
    assert (found["length"] == 5).all() and (found["first"] == 1).all()
    assert found["formula"] == pytest.approx(5) and found["exact"] == pytest.approx(5)


@pytest.mark.parametrize("text", RULES)
def test_simulated_rounds_are_as_long_as_computed_and_the_formula_fails_where_steps_depend(text) -> None:
    """Five standard errors of 4096 paths: false alarm below 1e-6 a value; the control has to miss by as much."""
    study = rounds_against_formula()
    for laws in ("one", "stretches"):
        cell = {**CELL, "laws": laws, "rule": text, "gamma": 8}
        found = simulate(study, cell, 0, range(4096))
        error = {name: found[name].std() / 64 for name in ("length", "first")}
        assert abs(found["length"].mean() - found["exact"][0]) < 5 * error["length"]
        assert abs(found["first"].mean() - found["alpha"][0]) < 5 * error["first"]
        miss = abs(found["length"].mean() - found["formula"][0])
        assert miss < 5 * error["length"] if laws == "one" else miss > 5 * error["length"]


@pytest.mark.parametrize("model", range(4))
def test_stretches_are_easy_or_hard_and_last(model) -> None:
    cell = {**CELL, "laws": "stretches", "rule": "sd", "gamma": 8, "model": model}
    made = rounds._model(tuple(sorted(cell.items())), "cpu")
    laws = made.tables.laws
    drafts, targets = (np.diff(x, axis=1, prepend=0) for x in (laws.draft, laws.target))
    rate = (drafts * laws.share).sum(axis=1)
    assert rate[:16].mean() > rate[16:].mean() + 0.2
    assert targets[:16, :16].sum(axis=1).mean() > 0.9 < targets[16:, 16:].sum(axis=1).mean()
    assert made.expected.length > mean_acceptance_length(made.expected.alpha, 8) + 0.05


def test_a_lossless_rule_emits_the_target_and_keeps_the_overlap() -> None:
    found = simulate(rounds_against_formula(), {**CELL, "rule": "sd", "gamma": 1}, 0, range(2))
    p, q = models(1, 6, 3)
    assert expected_rounds(SD.accept(p, q), SD.residual(p, q), p, 1, 1).alpha == pytest.approx(np.minimum(p, q).sum())
    assert (found["alpha"] <= 1).all()


def test_a_gpu_is_given_the_tables(monkeypatch) -> None:
    """With arrays that only say that they were made: the study asks for the device's, all four, and rounds are the same."""
    asked = []
    fake = SimpleNamespace(asarray=lambda x: asked.append(x.shape) or x)
    monkeypatch.setattr(rounds, "arrays", lambda device: fake if device == "gpu" else np)
    cell = {**CELL, "rule": "mixture:0.1", "gamma": 2}
    found, expected = (simulate(rounds_against_formula(), cell, 0, range(4), device) for device in ("gpu", "cpu"))
    assert asked == [(1, 32)] * 4
    assert all(np.array_equal(found[name], expected[name]) for name in expected)


def test_the_logits_are_the_same_for_every_rule_and_seed() -> None:
    study = rounds_against_formula()
    rates = {
        (text, seed): simulate(study, {**CELL, "rule": text, "gamma": 1}, seed, range(1))["alpha"][0]
        for text in ("sd", "lenience:1", "mixture:0")
        for seed in (0, 1)
    }
    assert max(rates.values()) - min(rates.values()) < 1e-12


@pytest.mark.parametrize("laws", ["one", "stretches"])
@pytest.mark.parametrize("gamma", [1, 4, 8])
def test_the_steadied_length_has_the_exact_mean_and_varies_less(laws, gamma) -> None:
    """Five standard errors of 4,096 paths, false alarm 6e-7; every row is within the bounds that are stated."""
    study = rounds_against_formula()
    cell = {**CELL, "laws": laws, "rule": "sd", "gamma": gamma}
    values = simulate(study, cell, 0, range(4096))
    steadied = values[STEADIED]
    assert abs(steadied.mean() - values["exact"][0]) < 5 * steadied.std() / 64
    saving = values["length"].var() / steadied.var()
    assert saving == pytest.approx(1) if gamma == 1 else saving > 1.2
    # per cell the bounds are 0 and max(1 + γ, 3); one draft alone reaches more than its length
    assert steadied.min() >= 0 and steadied.max() <= max(1 + gamma, 3)


def _of_stretches(study, rule):
    """The result of the one cell of texts with stretches."""
    (cell,) = (cell for cell in study.grid if cell["laws"] == "stretches")
    (result,) = engine.run(replace(study, grid=(cell,)), stop=rule)
    return result


def test_a_run_stops_by_the_control_and_says_what_it_saved() -> None:
    study = rounds_against_formula(("sd",), (8,), (1,))
    narrow = [HalfWidth(name, 0.02, low, 9) for name, low in ((STEADIED, 0), ("length", 1))]
    steadied, plain = (_of_stretches(study, rule) for rule in narrow)
    assert steadied.error is None and steadied.decided and steadied.rows < plain.rows
    estimator = steadied.estimators[STEADIED]
    assert estimator.name == "control variate" and estimator.saving > 1.2
    assert steadied.estimators["length"].is_plain
    low, high = steadied.estimates[STEADIED][1:]
    assert low < steadied.estimates["exact"].mean < high


def test_a_wrong_probability_of_the_first_draft_is_an_error_of_the_cell(monkeypatch) -> None:
    """The negative control: three in a hundred too low, the steadied length is biased, and the cell says so."""
    right = rounds._first_kept
    monkeypatch.setattr(rounds, "_first_kept", lambda cell: 0.97 * right(cell))
    study = rounds_against_formula(("sd",), (8,), (1,))
    result = _of_stretches(study, HalfWidth("length", 0.02, 1, 9))
    assert "which excludes" in (result.error or "")
