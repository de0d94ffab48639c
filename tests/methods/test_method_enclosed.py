"""One step of a rule whose powers and exponentials are enclosed: rates, output laws and bias, on exact laws."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given

from simspec import laws, methods
from simspec.claims.balls import ball, enclose, exp, is_ball, power
from simspec.laws import ratio
from simspec.methods import SD, Method, leftover
from tests import strategies as some

P = laws.exact(["1/2", "1/2"])
Q = laws.exact(["3/4", "1/4"])


def powered(exponent: F) -> Method:
    """Keeps a draft with probability min(1, p/d) to a power, and then draws as speculative decoding does."""
    return replace(SD, accept=lambda p, d: enclose(d) * power(np.minimum(ratio(p, d), 1), exponent))


def grown() -> Method:
    """Keeps a draft with probability exp(min(1, p/d) - 1), which is at least min(1, p/d)."""
    return replace(SD, accept=lambda p, d: enclose(d) * exp(np.minimum(ratio(p, d), 1) - 1) * np.where(d > 0, 1, 0))


def strict() -> Method:
    """Keeps a draft with probability min(1, p/d) squared, and draws what is left over."""
    accept = powered(F(2)).accept
    return replace(SD, accept=accept, residual=leftover(accept))


def saturating() -> Method:
    """Keeps a draft with probability 1 - exp(-p/d), which is at most min(1, p/d), and draws what is left over."""

    def accept(p, d):
        return enclose(d) * (1 - exp(-ratio(p, d)))

    return replace(SD, accept=accept, residual=leftover(accept))


RULES = {"power": powered(F(1, 2)), "exp": grown(), "strict": strict(), "saturating": saturating()}
PAIRS = {
    "by hand": (P, Q),
    "equal": (P, P),
    "one token": (laws.exact([1]), laws.exact([1])),
    "apart": (laws.exact([1, 0]), laws.exact([0, 1])),
    "a token of mass zero": (laws.exact(["1/3", "2/3", 0]), laws.exact([0, "1/3", "2/3"])),
    "rows": (np.stack([P, P]), np.stack([P, Q])),
}


def holds(values, numbers) -> bool:
    """Whether enclosures contain numbers, and are narrower than 1e-30."""
    cells = list(zip(np.ravel(values), np.ravel(numbers), strict=True))
    return all((value - ball(number)).contains(0) and float(value.rad()) < 1e-30 for value, number in cells)


def test_by_hand() -> None:
    # token 0 is kept with mass 3/4 sqrt(2/3), token 1 with 1/4; what is drawn after a rejection is token 1
    root = power(F(2, 3), F(1, 2)) * 3 / 4
    assert (methods.acceptance_rate(RULES["power"], P, Q) - root - ball(F(1, 4))).contains(0)
    assert (methods.output_law(RULES["power"], P, Q)[0] - root).contains(0)
    assert (methods.tv(RULES["power"], P, Q) - (root - ball(F(1, 2)))).contains(0)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("name", RULES)
def test_a_rule_of_enclosures_is_a_rule_of_floats(name, pair) -> None:
    p, q = PAIRS[pair]
    for function in (methods.acceptance_rate, methods.output_law, methods.tv, methods.accepted_mass):
        exactly, nearly = function(RULES[name], p, q), function(RULES[name], some.as_float(p), some.as_float(q))
        assert all(map(is_ball, np.ravel(exactly)))
        assert np.allclose(np.ravel(exactly).astype(float), np.ravel(nearly), atol=1e-12)


@pytest.mark.parametrize("name", ["strict", "saturating"])
@pytest.mark.parametrize("pair", PAIRS)
def test_a_residual_of_what_is_left_over_gives_the_target(name, pair) -> None:
    p, q = PAIRS[pair]
    assert holds(methods.output_law(RULES[name], p, q), p)
    assert holds(methods.tv(RULES[name], p, q), 0 * p.sum(axis=-1))


@pytest.mark.parametrize("name", ["power", "exp"])
@given(pair=some.pairs())
def test_bias_is_at_most_the_gain(name, pair) -> None:
    gain = methods.acceptance_rate(RULES[name], *pair) - enclose(laws.overlap(*pair))
    assert not methods.tv(RULES[name], *pair) > gain


def test_a_wrong_residual_is_certainly_biased() -> None:
    wrong = replace(SD, accept=powered(F(2)).accept)
    assert methods.tv(wrong, P, Q) > 0 and methods.is_lossless(wrong, P, Q) is False


def test_a_law_that_was_drawn_in_place_of_the_reported_one() -> None:
    greedy = laws.exact([1, 0])
    kept = methods.accepted_mass(RULES["power"], P, Q, drawn=greedy)
    assert (kept[0] - power(F(2, 3), F(1, 2))).contains(0) and kept[1] == 0


def test_laws_that_are_enclosed_and_a_draft_that_is() -> None:
    assert holds(methods.output_law(SD, enclose(P), enclose(Q)), P)
    assert holds(methods.output_law(SD, P, enclose(Q)), P)
    tempered = replace(SD, propose=lambda q: power(q, F(1, 2)) / power(q, F(1, 2)).sum(axis=-1))
    assert holds(methods.output_law(tempered, P, Q), P)


def test_whether_it_is_lossless_is_not_certain_where_the_bias_contains_zero() -> None:
    with pytest.raises(ValueError, match=r"tv: \[.*\] contains 0, .*; expected .*identity.*your-own"):
        methods.is_lossless(strict(), P, Q)


def test_a_quotient_by_an_enclosure_of_zero_is_named() -> None:
    accept = powered(F(2)).accept
    divides = replace(SD, accept=accept, residual=lambda p, d: (enclose(p) - accept(p, d)) / (1 - accept(p, d).sum()))
    with pytest.raises(ValueError, match=r"^residual\(p, d\): row \(\) holds nan at token 0; .*contains 0.*leftover"):
        methods.output_law(divides, laws.exact(["1/3", "2/3"]), laws.exact(["1/3", "2/3"]))


def test_mass_that_is_certainly_too_large_is_refused_by_token() -> None:
    greedy = replace(SD, accept=lambda p, d: 2 * enclose(d))
    with pytest.raises(ValueError, match=r"row \(\) accepts 1.5.* of token 0, where d is 0.75"):
        methods.acceptance_rate(greedy, P, Q)
    rounded = replace(SD, accept=lambda p, d: np.minimum(p, d).astype(float))
    with pytest.raises(ValueError, match="float64 beside fractions"):
        methods.acceptance_rate(rounded, P, Q)
