"""`ears.sequence-bias`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.deciding.data import Data
from simspec.claims.ears.sequence_bias import (
    _LAST_ONLY,
    _bhattacharyya,
    _block_tv,
    _chain,
    _distances,
    _root_sides,
    _shared_roots,
    _some_text,
    _step_of,
    long_texts,
)
from simspec.claims.words import matrix
from simspec.methods import ears, output_law
from simspec.methods.ears.texts import agreement, expected_bias
from tests.claims.cases import assert_broken, claims_of, getter

get = getter(claims_of("ears.sequence-bias"))


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


def _last_step_only(p, q, beta, length, gamma):
    """Distances that count one step."""
    o, step = output_law(ears(beta), p, q), _step_of(p)
    once = expected_bias(p, o, step, 0, 1)
    return np.array([once, once, once, once, once], dtype=object)


def _one_short(p, q, beta, length, gamma):
    o, step = output_law(ears(beta), p, q), _step_of(p)
    return np.array([1 - agreement(p, o, step, 0, length - 1)] * 5, dtype=object)


def _root_without_a_factor(p, q, beta, length, place):
    """The bound by the worst state with T/2 in place of 2 T, and that by 1 - b with T in place of 2 T."""
    larger = _root_sides(p, q, beta, length)[1]
    step = min(_shared_roots(p, q, beta)[1].sum(axis=-1).tolist(), key=float)
    larger[place] = 1 - step ** (length // 2) if place == 2 else length * (1 - step)
    return np.array(larger, dtype=object)


def _sum_of_gains(p, q, beta, length):
    return expected_bias(p, output_law(ears(beta), p, q), _step_of(p), 0, length)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ears.sequence-bias", {"rhs": _last_step_only}),
        ("ears.sequence-bias", {"rhs": _one_short}),
        ("ears.sequence-bias", {"rhs": _chain("tv", "shorter", "apart", "summed", "most")}),
        ("ears.sequence-bias", {"rhs": _chain("tv", "tv", "tv", "tv", "most")}),
        ("ears.sequence-bias-sharp", {"rhs": _sum_of_gains}),
        ("ears.sequence-bias-sharp", {"instances": _some_text, "assumes": {}}),
        (
            "ears.sequence-bias.root",
            {"rhs": lambda p, q, beta, length: np.array(_root_sides(p, q, beta, 1)[1], dtype=object)},
        ),
        ("ears.sequence-bias.root", {"rhs": lambda p, q, beta, length: _root_without_a_factor(p, q, beta, length, 2)}),
        ("ears.sequence-bias.root", {"rhs": lambda p, q, beta, length: _root_without_a_factor(p, q, beta, length, 3)}),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
