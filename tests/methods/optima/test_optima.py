"""Stored optima: all hold without a solver, every fault is refused, and what is quoted is what is stored."""

from __future__ import annotations

import sys
from fractions import Fraction as F
from itertools import islice
from pathlib import Path

import pytest

from simspec.claims import registry
from simspec.methods.optima import __main__ as command
from simspec.methods.optima import check, stored
from simspec.methods.optima.making import TOUR_RULES, found, quoted
from simspec.methods.optima.stored import Stored

ROOT = Path(__file__).parents[3]
EVERY = stored()
BLOCK, LOSSY = EVERY[0], next(one for one in EVERY if one.tv)
STEP = next(one for one in EVERY if one.drafted == "iid")
ONE = STEP._replace(target=(F(1),), draft=(F(1),), value=F(1), certificate={"flow": [[[0], 0, "1"]], "chosen": []})


def test_all_hold_without_a_solver(monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    assert command.main([]) == 0
    assert check(ONE) == 1
    assert f"{len(EVERY)} of {len(EVERY)} certificates hold" in capsys.readouterr().out
    with pytest.raises(ValueError, match="scipy"):
        found(BLOCK)


def _with(one: Stored, **parts: object) -> Stored:
    return one._replace(certificate={**one.certificate, **parts})


def _more(amounts: dict[str, str]) -> dict[str, str]:
    first = next(iter(amounts))
    return {**amounts, first: str(F(amounts[first]) + 1)}


@pytest.mark.parametrize(
    "broken",
    [
        BLOCK._replace(value=F(12, 9)),
        BLOCK._replace(target=BLOCK.draft),
        BLOCK._replace(target=(F(1, 3), F(1, 3))),
        BLOCK._replace(drafts=1),
        BLOCK._replace(further=True),
        LOSSY._replace(tv=LOSSY.tv + F(1, 100)),
        _with(BLOCK, primal=_more(BLOCK.certificate["primal"])),
        _with(BLOCK, primal={**BLOCK.certificate["primal"], "-1": "0"}),
        _with(BLOCK, primal=[]),
        _with(BLOCK, dual=["0"] * len(BLOCK.certificate["dual"])),
        _with(BLOCK, dual=BLOCK.certificate["dual"][:-1]),
        _with(BLOCK, dual=["1/0", *BLOCK.certificate["dual"][1:]]),
        BLOCK._replace(certificate={}),
        STEP._replace(value=F(1)),
        ONE._replace(target=(F(2),)),
        STEP._replace(drafted="swor"),
        STEP._replace(drafted="beam"),
        STEP._replace(tv=F(1, 4)),
        STEP._replace(drafts=1),
        _with(STEP, flow=STEP.certificate["flow"][1:]),
        _with(STEP, chosen=[]),
    ],
)
def test_a_broken_certificate_is_refused(broken, monkeypatch, capsys) -> None:
    with pytest.raises(ValueError):
        check(broken)
    monkeypatch.setattr(command, "stored", lambda: [BLOCK, broken])
    assert command.main([]) == 1
    out = capsys.readouterr().out
    assert " refused  " in out and "1 of 2 certificates hold" in out


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
def test_what_is_quoted_is_there(one) -> None:
    """Claims exist; files hold the value, or, of a rule's share, the rule."""
    for place in one.quoted:
        if "/" not in place:
            assert place in registry()
            continue
        said = one.name.removeprefix("at the distance of ") if "distance" in one.name else str(one.value)
        assert said in (ROOT / place).read_text(encoding="utf-8")


def test_stored_are_those_that_are_quoted() -> None:
    """In the order of the list; some are found again: the values, if not the same certificates."""
    pytest.importorskip("scipy")
    asked = list(islice(quoted(), 10))  # those of the page are found where it is run
    assert [one._replace(value=F(0), certificate={}) for one in EVERY[:10]] == asked
    distances = [one.name.removeprefix("at the distance of ") for one in EVERY[10:] if "curve" not in one.name]
    assert distances == [name for name in TOUR_RULES if name in distances]
    for before, now in zip(EVERY[:6], map(found, asked), strict=False):
        assert check(now) == now.value == before.value
