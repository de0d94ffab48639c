"""Rounds of joint rules: exact lengths by enumeration, means of paths that must be near them, and a control that must not."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.study import simulate
from simspec.laws import exact
from simspec.methods.block.verification import block_verifier
from simspec.methods.verifier import outcomes
from simspec.studies.joint.rounds import RULES, block_rounds_length, joint_rounds


@pytest.mark.parametrize("gamma", [0, 1, 3])
def test_a_block_is_as_long_as_its_outcomes_say(gamma) -> None:
    p, q = exact([0.5, 0.25, 0.25]), exact([0.25, 0.0, 0.75])
    found = outcomes(block_verifier(), lambda x: p, lambda x: q, gamma)
    length = float(sum(o.probability * (1 + o.accepted) for o in found))
    assert block_rounds_length(p.astype(float), q.astype(float), gamma) == pytest.approx(length)


@pytest.mark.parametrize("name", RULES)
def test_the_mean_of_the_paths_is_the_exact_one_and_no_other(name) -> None:
    """512 rows of 64 independent rounds: five standard errors (false alarm below 1e-6 by the normal law)."""
    cells = [c for c in joint_rounds().grid if c["rule"] == name and c["gamma"] == 4 and c["rho"] == 0.5]
    for cell in cells:
        found = simulate(joint_rounds(), cell, 0, range(512))
        error = found["length"].std(ddof=1) / 512**0.5
        assert abs(found["length"].mean() - found["exact"][0]) < 5 * error
        token = simulate(joint_rounds(), {**cell, "rule": "token", "drafts": 1}, 0, range(1))["exact"][0]
        assert name == "token" or abs(found["length"].mean() - token) > 5 * error


def test_rows_do_not_depend_on_their_block() -> None:
    cell = next(c for c in joint_rounds().grid if c["rule"] == "rrsw")
    whole, part = (simulate(joint_rounds(), cell, 0, r)["length"] for r in (range(30), range(7, 9)))
    np.testing.assert_array_equal(whole[7:9], part)


def test_bad_input_is_named() -> None:
    for options in ({"gammas": ()}, {"gammas": (0,)}, {"drafts": ()}, {"drafts": (9,)}):
        with pytest.raises(ValueError, match="gammas, drafts: "):
            joint_rounds(**options)
