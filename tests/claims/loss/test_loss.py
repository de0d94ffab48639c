"""Losses by hand: the smallest laws on which divergence and acceptance disagree, slopes as small steps, and reused text."""

from __future__ import annotations

from fractions import Fraction as F
from math import log

import numpy as np
import pytest

from simspec.claims.authoring import law
from simspec.claims.loss.gradient import gain, raised
from simspec.claims.loss.reuse import kept
from simspec.claims.relaxed.parts import FAR, HALF, divergence
from simspec.laws import overlap
from tests.claims.cases import get


def test_the_nearer_draft_is_accepted_less() -> None:
    """p = (1/4, 3/4): (1/2, 1/2) is nearer than (1/16, 15/16), and shares 3/4 in place of 13/16."""
    p, q, rival = law("1/4", "3/4"), HALF, law("1/16", "15/16")
    assert float(divergence(p, q)) == pytest.approx(0.25 * log(0.5) + 0.75 * log(1.5))
    assert divergence(p, q) < divergence(p, rival)
    assert (overlap(p, q), overlap(p, rival)) == (F(3, 4), F(13, 16))


def test_the_slope_is_the_limit_of_the_step() -> None:
    p, q = law("1/2", "1/4", "1/4"), law("1/4", "1/2", "1/4")
    q = q + np.array([F(0), F(1, 16), F(-1, 16)])
    slope = gain(p, q, 0)
    assert slope == F(1, 4) * (1 - F(7, 16))
    for growth in (F(1, 10), F(1, 1000)):
        change = overlap(p, raised(q, 0, growth)) - overlap(p, q)
        assert float(change / growth) == pytest.approx(float(slope), rel=float(growth))


def test_a_draft_without_the_token_gets_no_signal_from_acceptance() -> None:
    """A mass of 1/1000: α changes by about a thousandth of what its logarithm does."""
    claim = get("loss.vanishing")
    accepted, divergence_, logarithm = claim.sides({"q": law("1/1000", "999/1000"), "token": 0, "growth": F(1, 100)})[0]
    assert float(accepted / logarithm) == pytest.approx(0.001, rel=0.01)
    assert float(divergence_) == pytest.approx(float(logarithm))


def test_a_policy_step_costs_its_variation() -> None:
    p, after = law("1/4", "3/4"), HALF
    moved, bounds = get("loss.drift").sides({"p": p, "after": after, "q": p})
    assert float(moved[0]) == float(bounds[0]) == 0.25
    assert float(moved[1]) == 0.125 < float(bounds[1])


def test_what_was_rejected_is_what_the_old_policy_lacks() -> None:
    assert kept(FAR, HALF, HALF).tolist() == [0, 1]
    assert get("loss.reuse-corrected").slack({"p": FAR, "after": HALF, "q": HALF}).tolist() == [0, 0]
