"""Statements that are decided in another drawer."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

from simspec import cli
from simspec.claims import find, registry
from simspec.claims.elsewhere import ELSEWHERE


def test_by_hand() -> None:
    """Gumbel keys: the acceptance, and its lower bound."""
    assert [claim.name for claim in find("Watermark.Strongest")] == ["coupling.formula", "coupling.minhash-bound"]
    assert [claim.name for claim in find(["greedy.margin", "greedy.margin-reverse"])] == [
        "relaxed.certificate-margin",
        "greedy.margin-reverse",
    ]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_every_name_stands_for_claims_and_is_none_itself(name) -> None:
    """The drawer that would state it names it or what decides it, and the name hides no claim."""
    claims = registry()
    assert name not in claims and set(ELSEWHERE[name]) <= set(claims)
    assert all(not claim.startswith(f"{name.split('.')[0]}.") for claim in ELSEWHERE[name])
    words = inspect.getdoc(import_module(f"simspec.claims.{name.split('.')[0]}"))
    assert words is not None
    assert any(f"`{known}`" in words for known in (name, *ELSEWHERE[name]))


def test_the_command_says_so(capsys) -> None:
    assert cli.main(["claims", "loss.pinsker"]) == 0
    assert capsys.readouterr().out.startswith(
        "loss.pinsker is decided by stop.entropy-bound-corrected:\n\nstop.entropy-bound-corrected  ("
    )
