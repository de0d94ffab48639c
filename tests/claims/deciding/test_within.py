"""Counterexamples inside the paper's own range: they refute, with its printed parameters and laws of full support."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from simspec.claims import registry
from simspec.claims.claim import Claim
from simspec.claims.deciding.shrink import violated
from simspec.claims.words import law
from simspec.cli import main
from simspec.report.refuted import WEIGHTS
from tests.claims.cases import get

DRAWERS = ("sqs", "csqs", "tasc")
REFUTED = [name for names in WEIGHTS.values() for name in names if name.split(".")[0] in DRAWERS]
SAID = [name for name, claim in registry().items() if claim.within and not isinstance(claim.within, str)]
PRINTED: dict[str, Any] = {"resolution": 100, "step_size": F(1, 1000), "dropped_target": F(1, 2000), "budget": 5000}
"""Parameters of SQS 4."""


def full(value: Any) -> bool:
    """Whether an array of laws is over two outcomes or more, each with mass; other values pass."""
    if not isinstance(value, np.ndarray) or value.dtype != object:
        return True
    rows = value.reshape(-1, value.shape[-1])
    return all(sum(row) != 1 or (len(row) > 1 and min(row) > 0) for row in rows.tolist())


def check(claim: Claim) -> None:
    """Every listed instance refutes the claim and lies in the range."""
    for instance in claim.within:
        assert not isinstance(instance, str)
        assert not claim.broken(instance) and violated(claim.slack(instance))
        assert all(full(value) for value in instance.values())
        printed = PRINTED if claim.name.startswith(("sqs.", "csqs.")) else {}
        assert all(instance.get(name) in (None, value) for name, value in printed.items())


@pytest.mark.parametrize("name", REFUTED)
def test_every_refuted_claim_has_one_or_says_why_not(name) -> None:
    assert get(name).within


@pytest.mark.parametrize("name", SAID)
def test_it_refutes_within_the_range(name) -> None:
    check(get(name))


@pytest.mark.parametrize(
    "instance",
    [
        {"q": law("1/2", "1/2"), "k": 1, "resolution": 4},
        {"q": law(1), "k": 1, "resolution": 100},
        {"q": law("1/2", "1/2", 0), "k": 1, "resolution": 100},
        {"q": law("1/2", "1/2"), "k": 2, "resolution": 100},
    ],
)
def test_others_are_noticed(instance) -> None:
    with pytest.raises(AssertionError):
        check(replace(get("sqs.algorithm-printed"), within=(instance,)))


def test_the_command_shows_it(capsys) -> None:
    assert main(["claims", "sqs.k-no-significance"]) == 0
    assert "refuted within the paper's own range: p = [1/2, 1/2], q = [1/2, 1/2], k = 1" in capsys.readouterr().out
