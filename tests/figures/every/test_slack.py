"""Slack of proved bounds: by hand, equality cases at zero, every proved bound in the picture."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims import registry
from simspec.claims.claim import Claim, at_least, at_most
from simspec.engine.row_values import gather
from simspec.figures.every.slack import bound_slack, proved_bounds, relative
from simspec.figures.gallery import rows
from simspec.logits import open_bank


@pytest.mark.parametrize(
    ("lhs", "rhs", "relation", "expected"),
    [
        (F(1, 4), F(1, 2), at_most, [0.5]),
        (F(1, 2), F(1, 4), at_least, [0.5]),
        (F(1, 2), F(1, 2), at_most, [0.0]),
        (F(-1), F(1), at_most, [1.0]),
        (F(0), F(0), at_most, []),
        (np.array([1.0, 0.0]), np.array([np.inf, 4.0]), at_most, [1.0]),
    ],
)
def test_by_hand(lhs, rhs, relation, expected) -> None:
    claim = Claim("x", "bound", "", "", lambda: lhs, relation, lambda: rhs)
    assert relative(claim, {}).tolist() == expected


def test_a_known_bound() -> None:
    claim = registry()["rdk.non-expansive"]
    results = gather(bound_slack(open_bank("stories"), [claim], exact=20, floats=2, vocab=16))
    assert [(r.cell["source"], r.cell["rows"]) for r in results] == [("exact", 20), ("float", 2), ("real", 2)]
    for result in results:
        assert (result.values["least"] <= result.values["median"]).all()
        assert (result.values["least"] >= 0).all() and (result.values["median"] <= 1).all()
    assert results[0].values["listed"].tolist() == [0.0] * 20


def test_every_proved_bound_has_its_place() -> None:
    assert {p.label for p in rows("all.slack")} == {claim.name for claim in proved_bounds()}
