"""Exported conclusions computed in Coq: both sides are Python's numbers, and another number or another text is seen."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq.evaluated import compiled_rational, computed_sides, conclusions_at, main  # noqa: E402
from proofs_check.coq.terms import NotExported  # noqa: E402
from proofs_check.rules.terms import eq, le, total, x  # noqa: E402

p, q = (sp.IndexedBase(name, nonnegative=True) for name in "pq")
n = sp.Symbol("n", integer=True, nonnegative=True)
half = Fraction(1, 2)
INSTANCE: dict[str, Any] = {"p": [half, Fraction(1, 3), Fraction(1, 6)], "q": lambda k: Fraction(k, 6), "V": 3, "n": 2}


@pytest.fixture(scope="module")
def folder(compiled_once) -> Path:
    return compiled_once("rational", compiled_rational)


def conclusions() -> list[Any]:
    """The kept mass in two ways, and a bound with a power, a negative number and a rounded one."""
    kept = total(sp.Min(p[x], q[x]), x)
    relations = [
        eq(kept, 1 - total(sp.Max(0, p[x] - q[x]), x)),
        le(-(kept**n) / 2, sp.Abs(p[1] - q[3]) - sp.floor(7 * q[2])),
    ]
    return list(conclusions_at(SimpleNamespace(conclusions=relations, maps=[]), INSTANCE, {"n": [2]}))


def test_coq_computes_both_sides(folder) -> None:
    at = conclusions()
    assert computed_sides(at, folder) == [one.values for one in at]
    assert at[0].values == (Fraction(2, 3), Fraction(2, 3))
    assert at[1].values == (Fraction(-2, 9), Fraction(-2))


@pytest.mark.parametrize("planted", ["another entry", "another text"])
def test_a_planted_mismatch_is_seen(folder, planted) -> None:
    (first, _) = conclusions()
    if planted == "another entry":
        wrong = first._replace(definitions=first.definitions.replace("(1)%Z # 3", "(1)%Z # 4", 1))
    else:
        wrong = first._replace(sides=(first.sides[0].replace("Rmin", "Rmax"), first.sides[1]))
    assert wrong != first and computed_sides([wrong], folder) != [first.values]


def test_a_logarithm_is_no_fraction() -> None:
    derivation = SimpleNamespace(conclusions=[le(sp.log(p[1]), 0)], maps=[])
    with pytest.raises(NotExported, match="no fraction"):
        list(conclusions_at(derivation, INSTANCE, {}))


def test_a_claims_conclusion_agrees(capsys) -> None:
    assert main(["sd.acceptance"]) == 0
    assert "1 derivations agree, 0 differ, 0 are not computed" in capsys.readouterr().out
