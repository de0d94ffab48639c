"""A search that is known to find nothing is not made again; what is found is what was found, and another code knows nothing."""

from __future__ import annotations

import json
import re

import pytest

from tests.requirements import require

require("proofs")

import sympy as sp  # noqa: E402
from sympy.polys.rings import ring  # noqa: E402

from proofs_check.checking.listed import listed  # noqa: E402
from proofs_check.coq import vain  # noqa: E402
from proofs_check.coq.check import harder_steps, traced  # noqa: E402
from proofs_check.coq.export import exported  # noqa: E402
from proofs_check.coq.polynomials import Inequality, combination  # noqa: E402
from proofs_check.coq.vain import (  # noqa: E402
    forget,
    met,
    unless_vain,
    writing,
)
from proofs_check.coq.vain.__main__ import main  # noqa: E402
from simspec.claims.deciding.in_coq import coq_record  # noqa: E402

R, a, b = ring("a b", sp.QQ)


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(vain, "KEPT", tmp_path / "searches.json")
    vain.known.cache_clear()
    forget()
    yield
    vain.known.cache_clear()
    forget()


def keep(*keys: str) -> None:
    vain.KEPT.write_text(json.dumps(keys), encoding="utf-8")
    vain.known.cache_clear()


def test_a_search_that_finds_nothing_is_made_once(monkeypatch) -> None:
    monkeypatch.setattr(vain, "LONG", -1.0)
    made = []

    def search(number: int) -> None:
        made.append(number)

    assert unless_vain(search, 1) is None and made == [1]
    (key,) = met()
    keep(key)
    assert unless_vain(search, 1) is None and made == [1]
    assert unless_vain(search, 2) is None and made == [1, 2]


def test_a_short_search_is_not_kept() -> None:
    assert unless_vain(lambda number: None, 1) is None
    assert met() == frozenset()


def test_what_is_found_is_found_whatever_is_kept(monkeypatch) -> None:
    monkeypatch.setattr(vain, "LONG", -1.0)
    facts = [Inequality(a, False, "A"), Inequality(b, False, "B"), Inequality(-a * b - 1, True, "N")]
    found = combination((), facts)
    assert found is not None
    assert unless_vain(combination, (), facts) == found
    assert met() == frozenset()


def test_another_fact_is_another_search(monkeypatch) -> None:
    monkeypatch.setattr(vain, "LONG", -1.0)
    weak = [Inequality(a, False, "A"), Inequality(-a - b, True, "N")]
    assert unless_vain(combination, (), weak) is None
    keep(*met())
    strong = [*weak[:1], Inequality(b, False, "B"), *weak[1:]]
    assert unless_vain(combination, (), strong) is not None
    assert unless_vain(combination, (), [weak[0], weak[1]._replace(strict=False)]) is None
    assert len(met()) == 2  # strict or not is part of the question


def test_it_stands_for_nothing_once_the_code_that_searches_has_changed(monkeypatch) -> None:
    before = vain._hash("combination", [a], {})
    monkeypatch.setattr(vain, "_code", lambda: "another")
    assert vain._hash("combination", [a], {}) != before


def test_a_script_is_the_same_with_what_is_kept() -> None:
    """And the command keeps what writing it met."""
    file = "ears/best_tradeoff_kl.py"
    (proof,) = (p for p in listed()[file] if p.claim.name == "ears.best-tradeoff-kl")
    place = listed()[file].index(proof)
    harder = harder_steps(coq_record()["derivations"])[file, place]
    without = exported(traced(proof), *harder)
    assert len(met()) > 10
    keep(*met())
    forget()
    assert exported(traced(proof), *harder) == without
    assert len(met()) > 10


def test_the_command_keeps_what_it_meets(monkeypatch, capsys) -> None:
    monkeypatch.setattr(vain, "LONG", -1.0)
    monkeypatch.setattr("proofs_check.coq.vain.__main__.KEPT", vain.KEPT)
    keep("0" * 16)
    assert main(["ears.best-tradeoff-kl", "--workers", "1"]) == 0
    kept = json.loads(vain.KEPT.read_text(encoding="utf-8"))
    assert kept == sorted(kept) and "0" * 16 in kept and len(kept) > 10  # of some claims: what is kept of others stays
    assert all(re.fullmatch("[0-9a-f]{16}", key) for key in kept)
    assert f"{len(kept)} searches that find nothing are kept in searches.json" in capsys.readouterr().out
    assert writing.met_by(("sd/acceptance.py", 0)) <= {*kept} | met()


def test_what_ships_is_about_the_code_that_searches(monkeypatch) -> None:
    """Else `make coq` searches in vain for minutes, and nobody knows: python -m proofs_check.coq.vain"""
    monkeypatch.undo()
    vain.known.cache_clear()
    assert len(vain.known()) > 500
    forget()
    writing.met_by(("ears/best_tradeoff_kl.py", 0))
    assert len(met() & vain.known()) > 10
