"""Counterexamples inside the paper's own range: they refute, with its printed parameters and laws of full support."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from simspec.claims import registry
from simspec.claims.authoring import law
from simspec.claims.claim import Claim
from simspec.claims.deciding.proved import record
from simspec.claims.deciding.shrink import violated
from simspec.cli import main
from simspec.report.refuted import WEIGHTS
from tests.claims.cases import get

PAPERS = ("rdk", "ears", "pad", "sqs", "csqs", "tasc")
REFUTED = [name for names in WEIGHTS.values() for name in names if name.split(".")[0] in PAPERS]
SAID = [name for name, claim in registry().items() if claim.within and not isinstance(claim.within, str)]
PRINTED: dict[str, Any] = {"resolution": 100, "step_size": F(1, 1000), "dropped_target": F(1, 2000), "budget": 5000}
"""Parameters of SQS 4."""
BETAS = {F(0), F(1, 20), F(1, 10), F(3, 20), F(1, 5)}
"""Tolerances of EARS, first experiment 1."""
LIMIT = F(1, 10_000)
"""PAD's guardrail."""
VALUES = {"utility", "after", "w", "M", "other", "offered", "r", "z"}
"""Arrays that are worths of texts, chances, logits or what replaces a draft, and no laws of a model."""
OTHERS = [name for names in WEIGHTS.values() for name in names if name.split(".")[0] not in PAPERS]
COUNTS = {"drafted", "accepted", "order"}
"""Numbers of drafts, and places."""


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
        assert not claim.broken_assumptions(instance) and violated(claim.slack(instance))
        knows = instance.get("above", 0)  # a pruned drafter's law is over the tokens that it knows
        laws = {name: value[knows:] if name == "d" else value for name, value in instance.items() if name not in VALUES}
        assert all(full(value) for value in laws.values())
        assert not claim.name.startswith("ears.") or instance.get("beta", F(0)) in BETAS
        assert instance.get("limit", LIMIT) == LIMIT or not claim.name.startswith("pad.")
        printed = PRINTED if claim.name.startswith(("sqs.", "csqs.")) else {}
        assert all(instance.get(name) in (None, value) for name, value in printed.items())


@pytest.mark.parametrize("name", REFUTED)
def test_every_refuted_claim_has_one_or_says_why_not(name) -> None:
    assert get(name).within


def in_range(value: Any) -> bool:
    """Whether rows of a recorded counterexample that are laws are over two tokens or more, each with mass."""
    if not isinstance(value, list):
        return True
    if value and isinstance(value[0], list):
        return all(map(in_range, value))
    if any(not isinstance(v, (int, str)) or isinstance(v, bool) for v in value):
        return True
    row = [F(v) for v in value]
    return sum(row) != 1 or (len(row) > 1 and min(row) > 0)


@pytest.mark.parametrize("name", OTHERS)
def test_where_no_paper_prints_a_range_laws_have_mass_on_every_token(name) -> None:
    """On record, or else in a second counterexample, or the claim says why there is none."""
    found = next((e["instance"] for e in record()["proofs"].get(name, []) if "instance" in e), {})
    laws = {n: v for n, v in found.items() if n not in VALUES | COUNTS}
    assert get(name).within or all(map(in_range, laws.values()))


def test_laws_without_mass_on_a_token_are_noticed() -> None:
    assert in_range(["1/2", "1/2"]) and in_range([["1/3", "2/3"], ["2", "0"]]) and in_range("1")
    assert not in_range(["1", "0"]) and not in_range(["1"]) and not in_range([["1/2", "1/2"], ["1", "0"]])


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


@pytest.mark.parametrize("change", [{"beta": F(2)}, {"q": law(0, 1)}, {"p": law(1), "q": law(1)}])
def test_others_are_noticed_in_ears(change) -> None:
    claim = get("ears.fidelity.residual")
    with pytest.raises(AssertionError):
        check(replace(claim, within=({**claim.within[0], **change},)))


def test_the_worth_of_a_text_is_no_law() -> None:
    claim = get("pad.single-token")
    assert not full(claim.within[0]["utility"])
    with pytest.raises(AssertionError):
        check(replace(claim, within=({**claim.within[0], "draft": claim.against[0]["draft"]},)))


def test_impossible_tokens_are_accepted_at_the_paper_s_tolerance() -> None:
    """As `ears.support` says in words: half of the drafts, each with probability β/2."""
    claim = get("ears.support")
    step = {"p": law("1/2", "1/2", 0), "q": law("1/4", "1/4", "1/2"), "beta": F(1, 10)}
    assert claim.slack(step) == -F(1, 2) * F(1, 20)
    assert "p = [1/2, 1/2, 0] and q = [1/4, 1/4, 1/2]" in claim.within


def test_the_command_shows_it(capsys) -> None:
    assert main(["claims", "sqs.k-no-significance"]) == 0
    assert "refuted within the paper's own range: p = [1/2, 1/2], q = [1/2, 1/2], k = 1" in capsys.readouterr().out
