"""`rdk.static-mixture`: cases by hand."""

from fractions import Fraction as F

from simspec.claims.authoring import mask, matrix
from simspec.claims.deciding.data import Data
from simspec.claims.rdk.static_mixture import ATTAINED, balanced


def test_a_level_by_hand() -> None:
    """Two contexts want ¼ and ¾ of token 1: ¼ of it fills the lower one, and shared token 0 is missed in one context."""
    p, q, shared = matrix("3/4 1/4", "1/4 3/4"), matrix("1 0", "1 0"), mask("10")
    assert balanced(p, q, shared, matrix("0 1/4")[0], F(1, 2)) == (True, True)
    assert balanced(p, q, shared, matrix("0 1/8")[0], F(1, 2)) == (False, False)


def test_the_gain_on_real_laws_comes_with_its_interval_and_controls() -> None:
    assert ATTAINED.evidence is not None
    stories = type("Stories", (Data,), {"main": Data().stories})()  # laws of a pair with fewer tokens
    found = ATTAINED.evidence(stories)
    assert len(found) == 2
    for line in found:
        assert line.interval is not None and line.interval[0] < line.estimate < line.interval[1]
        assert line.control is not None and line.control["gain of the best masses for these documents"] >= line.estimate
