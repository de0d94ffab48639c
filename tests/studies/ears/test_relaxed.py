"""Relaxed rules side by side: known answers, the frontier, rows apart from their block, and bounds that enclose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.engine.study import Study, simulate
from simspec.kernels import random as philox
from simspec.laws import softmax, tv
from simspec.logits import synthetic
from simspec.methods import SD, bias, ears, output_law
from simspec.studies.ears.relaxed import BOUNDS, FAMILIES, LENGTHS, MOST_KL, QUANTITIES, relaxed_curves, sequence_bias
from tests.kernels.cases import drawn

CELL = {"family": "gaussian", "scale": 2.0, "rho": 0.5, "vocab": 40, "nucleus": 1.0}
LOSSLESS = {"rule": "SD", "strength": 0.0, "model": 0, "rho": 0.5, "scale": 2.0, "vocab": 16}


def values(study: Study, cell: dict, rows: range = range(16)) -> dict[str, np.ndarray]:
    return simulate(study, cell, 0, rows)


def test_a_draft_that_is_the_target_costs_nothing() -> None:
    found = values(relaxed_curves(), {**CELL, "rho": 1})
    for name in FAMILIES:
        if name != "typical":  # which rejects by the target alone
            assert found[f"acceptance {name}"] == pytest.approx(1)
        assert found[f"support {name}"].max() == 0
        if "fresh" not in name and name != "typical":
            assert found[f"tv {name}"].max() < 1e-12 and found[f"kl {name}"].max() < 1e-12


def test_one_token() -> None:
    found = values(relaxed_curves(), {**CELL, "vocab": 1})
    assert (
        (found["alpha"] == 1).all() and (found["acceptance lenience"] == 1).all() and (found["tv mixture"] == 0).all()
    )


def test_values_are_those_of_the_methods() -> None:
    study, row = relaxed_curves(), 3
    key = philox.make_key(0, study.name, CELL)
    target = synthetic.gaussian(drawn(1, key, first=row), 40, scale=2.0)
    draft = synthetic.correlated(target, 0.5, drawn(len(target), key, first=row), location=0, scale=2.0)
    p, q = softmax(target)[0], softmax(draft)[0]
    found = values(study, CELL)
    assert found["tv SD"][row] == pytest.approx(0, abs=1e-12)
    assert found["acceptance SD"][row, 0] == found["alpha"][row] == pytest.approx(1 - tv(p, q))
    assert found["tv ears one minus max"][row] == pytest.approx(
        [bias(ears(beta), p, q) for beta in FAMILIES["ears one minus max"].strengths]
    )


@pytest.mark.parametrize("nucleus", [1.0, 0.9])
def test_every_rule_lies_on_or_below_the_frontier(nucleus) -> None:
    found = values(relaxed_curves(), {**CELL, "nucleus": nucleus})
    for name in FAMILIES:
        below = found[f"frontier {name}"] - found[f"acceptance {name}"]
        assert below.min() > -1e-12
        if name in ("typical", "ears fresh"):
            assert below.max() > 0.01
        else:
            assert below.max() < 1e-12
            assert found[f"tv {name}"] == pytest.approx(
                found[f"acceptance {name}"] - found["alpha"][:, None], abs=1e-12
            )
        assert found[f"kl {name}"].max() <= MOST_KL
    levelled, plain = found["kl lenience levelled"], found["kl lenience"]
    assert (levelled <= plain + 1e-12).all() and (levelled < plain - 1e-4).any()
    assert found["tv lenience levelled"] == pytest.approx(found["tv lenience"], abs=1e-12)


def test_only_additive_rules_leave_the_nucleus() -> None:
    found = values(relaxed_curves(), {**CELL, "nucleus": 0.9})
    for name in ("SD", "lenience", "lenience levelled", "typical"):
        assert found[f"support {name}"].max() == 0 and not found[f"infinite {name}"].any()
    for name in ("ears one minus max", "ears variance", "mixture"):
        assert found[f"support {name}"].max() > 0.01
        assert (found[f"infinite {name}"] == (found[f"support {name}"] > 0)).all()
        assert (found[f"kl {name}"][found[f"infinite {name}"]] == MOST_KL).all()
    whole = values(relaxed_curves(), CELL)
    assert not any(whole[f"infinite {name}"].any() for name in FAMILIES)


def test_strengths_run_from_strict_to_relaxed() -> None:
    found = values(relaxed_curves(), CELL)
    for name, family in FAMILIES.items():
        assert found[f"acceptance {name}"].shape == (16, len(family.strengths))
        assert (np.diff(found[f"acceptance {name}"], axis=1) > 0).all()


def test_measures_name_every_family_and_quantity() -> None:
    assert set(relaxed_curves().measures) == {"alpha"} | {f"{q} {name}" for q in QUANTITIES for name in FAMILIES}


def test_lossless_texts_are_unbiased() -> None:
    found = values(sequence_bias(), LOSSLESS)
    assert all(np.allclose(found[name], 0, atol=1e-6) for name in ("tv", *BOUNDS))


@pytest.mark.parametrize("rule", ["ears", "ears fresh", "lenience", "lenience levelled", "mixture", "typical"])
def test_bounds_enclose_the_estimate(rule) -> None:
    """Five standard errors: false alarm below 1e-6 a place; the lossless rule's bounds (zero) are the negative control."""
    rows = range(2000)
    cell = {**LOSSLESS, "rule": rule, "strength": 0.5 if rule.startswith("lenience") else 0.2}
    found = values(sequence_bias(), cell, rows)
    estimate, error = found["tv"].mean(axis=0), 5 * found["tv"].std(axis=0) / np.sqrt(len(rows)) + 1e-9
    assert found["tv"].shape == (2000, len(LENGTHS)) and (np.diff(estimate) > 0).all()
    low, *above = (found[name][0] for name in BOUNDS)
    assert (low <= estimate + error).all()
    for bound in above:
        assert (estimate <= bound + error).all() and (np.diff(bound) >= 0).all()
    assert (estimate[1:] > error[1:]).all()
    assert estimate[0] == pytest.approx(found["disagreement"][0, 0]) == pytest.approx(found["summed bias"][0, 0])
    assert (found["disagreement"] <= found["summed bias"] + 1e-12).all()
    assert (np.ptp(found["root high"], axis=0) == 0).all()  # exact, the same for every row


def test_rules_are_compared_on_one_model() -> None:
    """One token: the bias of EARS from the start is that of its method on the model that SD is run on."""
    cell = {**LOSSLESS, "rule": "ears", "strength": 0.2}
    key = philox.make_key(0, "sequence-bias", {name: cell[name] for name in ("model", "rho", "scale", "vocab")})
    target = synthetic.gaussian(drawn(16, key), 16, scale=2.0)
    draft = softmax(synthetic.correlated(target, 0.5, drawn(len(target), key), location=0, scale=2.0))[0]
    law = softmax(target)[0]
    assert values(sequence_bias(), cell)["tv"][:, 0] == pytest.approx(bias(ears(0.2), law, draft))
    assert values(sequence_bias(), {**cell, "model": 1})["tv"][0, 0] != values(sequence_bias(), cell)["tv"][0, 0]
    assert tv(output_law(SD, law, draft), law) < 1e-12


def test_a_run_of_a_cell() -> None:
    cell = {**CELL, "vocab": 8}
    result = gather(replace(relaxed_curves(), grid=(cell,)), rows=3)[0]
    assert result.values["kl typical"].shape == (3, 1)
