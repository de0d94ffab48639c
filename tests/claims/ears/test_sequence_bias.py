"""`ears.sequence-bias`: cases by hand."""

from fractions import Fraction as F

import pytest

from simspec.claims.authoring import matrix
from simspec.claims.deciding.data import Data
from simspec.claims.ears.sequence_bias import (
    _LAST_ONLY,
    _bhattacharyya,
    _block_tv,
    _distances,
    _shared_roots,
    long_texts,
)
from tests.claims.cases import get


def test_long_texts_lie_between_their_bounds() -> None:
    """Intervals of 32 texts (and half a point, for values that are all alike) meet the bounds; speculative decoding, without
    any distance, is the negative control."""
    found = long_texts(Data(effort="quick"))
    assert {e.data.rpartition(": ")[2].rpartition(" ")[0].rpartition(" ")[0] for e in found} >= {
        "SD",
        "ears",
        "typical",
    }
    for e in found:
        control = dict(e.control or {})
        low, high = e.interval or (0, 0)
        assert low <= min(control["root high"], control["disagreement"]) + 0.005 and high >= control["root low"] - 0.005
        assert ("SD" in e.data) == (e.estimate < 1e-6)
        if " 4 tokens" in e.data:
            longer = next(x for x in found if x.data == e.data.replace(" 4 tokens", " 64 tokens"))
            assert longer.estimate >= e.estimate


SAME_STEPS = {"p": matrix(*["1/2 1/2"] * 3), "q": matrix(*["3/4 1/4"] * 3), "beta": F(1)}


def test_two_tokens_by_hand() -> None:
    """p = (1/2, 1/2), q = (3/4, 1/4), β = 1 keeps every draft: texts (9, 3, 3, 1)/16 against 4/16 each."""
    found = _distances(**SAME_STEPS, length=2, gamma=2)
    assert (found["shorter"], found["tv"], found["block"]) == (F(1, 4), F(5, 16), F(5, 16))
    assert (found["apart"], found["summed"], found["most"]) == (F(7, 16), F(1, 2), 1)


def test_a_block_of_one_draft_takes_every_other_token_from_the_target() -> None:
    """γ = 1, every draft kept: the second token is the target's own, so TV stays at 1/4."""
    assert _block_tv(**SAME_STEPS, length=2, gamma=1) == F(1, 4)


def test_roots_by_hand() -> None:
    """One step of SAME_STEPS overlaps by √(3/8) + √(1/8); two by its square."""
    _, roots = _shared_roots(**SAME_STEPS)
    once, twice = (float(_bhattacharyya(roots, n)) for n in (1, 2))
    assert once == pytest.approx((3 / 8) ** 0.5 + (1 / 8) ** 0.5, rel=1e-14) and twice == pytest.approx(
        once**2, rel=1e-14
    )
    assert 1 - twice <= 5 / 16 <= (1 - twice**2) ** 0.5


def test_foreign_tokens_by_hand() -> None:
    """A step writes a token that the target cannot with G = 1/4 (t = 1/2, q = 1/2 there): TV after two is 1 − (3/4)²."""
    instance = _LAST_ONLY
    lhs, rhs = get("ears.sequence-bias-sharp").sides(instance)
    assert lhs == rhs == 1 - F(3, 4) ** 2
