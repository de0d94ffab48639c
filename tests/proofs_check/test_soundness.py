"""Ways that once led to a false statement, or to a proof that was not about its claim; each must be refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.requirements import require

require("proofs")
import sympy as sp  # noqa: E402

from proofs_check.checking.proof import check  # noqa: E402
from proofs_check.rules.derivation import Derivation, Unproved  # noqa: E402
from proofs_check.rules.terms import V, eq, ge, gt  # noqa: E402
from proofs_check.rules.values import evaluate  # noqa: E402
from proofs_check.sd.acceptance import PROOF  # noqa: E402
from tests.proofs_check.attacks.earlier import WAYS  # noqa: E402

v, c = sp.symbols("v c", real=True)
a = sp.IndexedBase("a", real=True)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_it_is_refused(way: Callable[[Derivation], object]) -> None:
    with pytest.raises((Unproved, ValueError, TypeError)):
        way(Derivation("a test"))


def test_the_functions_of_the_language_are_few() -> None:
    for f in (sp.binomial(v, v), sp.gamma(v), sp.factorial(v), sp.sin(v), sp.Piecewise((0, v < 1), (1, True))):
        with pytest.raises(ValueError, match="no function of the language"):
            Derivation("a test").domain("given", ge(f, 0))


def test_a_proof_assumes_no_more_than_its_claim() -> None:
    def prove(d: Derivation) -> None:
        d.assume("an assumption that nobody makes", ge(V, 1))
        PROOF.prove(d)

    with pytest.raises(Unproved, match="which the claim does not"):
        check(replace(PROOF, prove=prove))


def test_conditions_keep_what_they_rest_on() -> None:
    """A sign that was shown from a given stays with that given."""
    d = Derivation("a test")
    u, s = d.number("u", 1, 2), sp.Symbol("s", positive=True)
    fact = d.instantiate("at u", d.derive("positive", gt(s, 0)), {s: u})
    assert fact.givens == {"u is in its range"}


def test_a_failed_end_leaves_no_conclusion() -> None:
    d = Derivation("a test")
    with pytest.raises(Unproved):
        d.qed(d.suppose("H", eq(1, 0)))
    assert d.conclusions == ()


def test_wide_enclosures_and_places_before_the_first_are_refused() -> None:
    assert evaluate(a[1], {"a": [3]}) == 3
    for wrong in (a[0], a[sp.Rational(3, 2)]):
        with pytest.raises((IndexError, ValueError)):
            evaluate(wrong, {"a": [3, 4]})
    with pytest.raises(ValueError, match="equal"):
        evaluate(sp.KroneckerDelta(v, sp.log(6)), {"v": evaluate(sp.log(2) + sp.log(3), {})})
