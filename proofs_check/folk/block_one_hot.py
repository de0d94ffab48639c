"""folk.block-one-hot: with certain drafts the tests telescope, and exactly i drafts are accepted with r_i − r_(i+1)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq
from simspec.claims.authoring import exact
from simspec.claims.claim import Instance
from simspec.claims.folk.block_one_hot import BLOCK_ONE_HOT, BLOCK_ONE_HOT_CORRECTED

n = sp.Symbol("n", integer=True, nonnegative=True)
PRODUCTS = "r is the target's mass of the drafts so far"
TESTS = "a prefix passes with Z/(Z + 1 − r)"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of drafts and all masses that the target gives them, in every context; n counts from the last draft."""
    r, a, h = (sp.IndexedBase(name, real=True) for name in ("r", "a", "h"))
    longer = d.domain(PRODUCTS, eq(r[n], r[n + 1] * a[n]))
    last, tested = d.domain(
        TESTS,
        eq(h[0], constant * r[0]),
        eq(h[n + 1] * (r[n + 1] * (1 - a[n]) + 1 - r[n + 1]), r[n + 1] * (1 - a[n])),
    )
    tested = d.derive(
        "Z is what the next draft loses", eq(h[n + 1] * (1 - r[n]), r[n + 1] - r[n]), tested, longer, by="smt"
    )
    D = sp.IndexedBase("D", real=True)
    none, recursion_step = d.recursion(
        "the last n + 1 prefixes fail", eq(D[0], 1 - sign * h[0]), eq(D[n + 1], (1 - h[n + 1]) * D[n])
    )
    fail = eq(D[n], 1 - r[n])
    before = d.suppose("those before fail", fail)
    first = d.derive("the whole block", fail.replace({n: 0}), none, last)
    step = d.derive("one prefix more", fail.replace({n: n + 1}), recursion_step, before, tested, by="smt")
    all_ = d.induction("for every n", fail, n, first, step)
    shorter = d.derive(
        "this one passes, none longer does", eq(h[n + 1] * D[n], r[n + 1] * (1 - a[n])), all_, tested, longer, by="smt"
    )
    d.qed(last, shorter)


def _values(masses: Any) -> dict[str, Any]:
    """The values of the symbols of `prove`: prefix masses r, target masses a and test probabilities h."""
    gamma = len(masses)
    r = [F(1)]
    for mass in masses:
        r.append(r[-1] * mass)

    def test(at: int) -> Any:
        i = gamma - at
        if not at:
            return r[gamma]
        mass_drop = r[i] - r[i + 1]
        return mass_drop / (mass_drop + 1 - r[i]) if mass_drop + 1 - r[i] else F(1)

    return {
        **{"r": lambda at: r[gamma - at], "a": lambda at: masses[gamma - 1 - at], "h": test, "V": 1},
        "ranges": {"n": range(gamma)},
    }


def by_size() -> Iterator[Instance]:
    """One, two and three drafts to which the target gives 1/2 or 1."""
    for gamma in (2, 3):
        yield from ({"masses": exact(list(m))} for m in product((F(1, 2), F(1)), repeat=gamma))


PROOFS = (
    Refutation(
        BLOCK_ONE_HOT,
        by_size,
        scope="two drafts to which the target gives 1/2 each; by the corrected claim any masses are a counterexample",
        repaired={"the same": BLOCK_ONE_HOT_CORRECTED},
    ),
    Proof(BLOCK_ONE_HOT_CORRECTED, prove, drop=TESTS, bind=_values),
)
