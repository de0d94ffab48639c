"""The best lossless verifier: its program by hand, certificates that are refused, and the optimum."""

from fractions import Fraction as F

import pytest

from simspec.claims.authoring import law
from simspec.methods.block.optimum import Certificate, checked, optimum, program, solved

P, Q = law("1/3", "2/3"), law("2/3", "1/3")


def _one():
    return program(lambda x: P, lambda x: Q, 1)


def test_one_draft_by_hand() -> None:
    """Two drafts, kept or not, and two tokens after them: eight ways, six rows."""
    of = _one()
    assert len(of.names) == 8 and len(of.wanted) == 6
    assert of.names[2] == ((0,), 1, (0,)) and of.gain[2] == 1
    assert of.columns[2] == {0: 1, 2: 1}
    assert of.columns[0] == {0: 1, 2: F(1, 3), 3: F(2, 3)}
    assert of.wanted == (F(2, 3), F(1, 3), F(1, 9), F(2, 9), F(2, 9), F(4, 9))


def test_a_certificate_is_refused_for_each_fault() -> None:
    pytest.importorskip("scipy")
    of = _one()
    good = solved(of)
    assert checked(of, good) == F(2, 3)
    first = next(iter(good.primal))
    with pytest.raises(ValueError, match="negative"):
        checked(of, good._replace(primal={**good.primal, first: F(-1)}))
    with pytest.raises(ValueError, match="no lossless verifier"):
        checked(of, good._replace(primal={**good.primal, first: good.primal[first] + 1}))
    with pytest.raises(ValueError, match="below its gain"):
        checked(of, good._replace(dual=(F(0),) * 6))
    with pytest.raises(ValueError, match="differ"):
        checked(of, Certificate(good.primal, tuple(price + 1 for price in good.dual)))


def test_the_optimum_of_the_example() -> None:
    pytest.importorskip("scipy")
    assert optimum(lambda x: P, lambda x: Q, 2) == F(11, 9)
    assert optimum(lambda x: P, lambda x: Q, 2, further=True) == F(12, 9)


@pytest.mark.parametrize("gamma", [0, 13])
def test_bad_numbers_of_drafts(gamma) -> None:
    with pytest.raises(ValueError, match="gamma"):
        program(lambda x: P, lambda x: Q, gamma)


def test_programs_that_are_too_large() -> None:
    with pytest.raises(ValueError, match="variables"):
        program(lambda x: P, lambda x: Q, 12)
