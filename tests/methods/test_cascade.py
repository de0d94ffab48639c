"""Cascades: tokens by enumeration, by hand and in order, costs, and planted errors."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import pytest

from simspec.claims.cascade.order import emitted
from simspec.claims.cascade.pays import counted
from simspec.methods.cascade import (
    cascade_speed,
    cascade_time,
    cascade_tokens,
    chain_tokens,
    survival,
    verified_tokens,
)
from simspec.methods.verifier.chance import every

ACCEPTANCES = (F(0), F(1, 3), F(1))


@pytest.mark.parametrize(("lower", "upper"), list(product(ACCEPTANCES, repeat=2)))
def test_tokens_are_those_of_every_test(lower: F, upper: F) -> None:
    for gamma, rounds in product(range(3), range(3)):
        assert cascade_tokens(lower, upper, gamma, rounds) == counted(lower, upper, gamma, rounds)
        assert cascade_tokens(float(lower), float(upper), gamma, rounds) == pytest.approx(
            float(counted(lower, upper, gamma, rounds))
        )


@pytest.mark.parametrize("lower", ACCEPTANCES)
def test_the_target_verifies_what_every_test_of_the_middle_model_emits(lower: F) -> None:
    for gamma, rounds in product(range(4), range(3)):

        def program(chance, gamma=gamma, rounds=rounds):
            emitted = 0
            for _ in range(rounds):
                accepted = 0
                while accepted < gamma and chance.keep(lower, 1):
                    accepted += 1
                emitted += accepted + 1
            return emitted

        mean = sum((weight * tokens for weight, tokens in every(program)), start=F(0))
        assert verified_tokens(lower, gamma, rounds) == mean
        assert verified_tokens(float(lower), gamma, rounds) == pytest.approx(float(mean))
    # a planted error: all drafts of a round in place of those that the middle model emits
    assert verified_tokens(F(1, 3), 2, 2) != 2 * 3


@pytest.mark.parametrize("acceptances", list(product(ACCEPTANCES, repeat=3)))
def test_a_chain_emits_what_every_test_says(acceptances: tuple[F, ...]) -> None:
    for gamma in range(3):
        assert chain_tokens(acceptances, gamma) == emitted(acceptances, gamma)
        assert chain_tokens(acceptances[:2], gamma) == cascade_tokens(*acceptances[:2], gamma=gamma, rounds=1)


def test_a_planted_error_is_seen() -> None:
    """A round that ends without the middle model's own token has one token less to offer."""
    assert survival(F(1, 2), F(1, 2), 1) == F(3, 8) != F(1, 2) * F(1, 2)
    assert chain_tokens((F(1, 2), F(1, 3)), 1) != chain_tokens((F(1, 3), F(1, 2)), 1)


def test_speed_is_tokens_over_time() -> None:
    assert cascade_time(F(1, 8), F(1, 4), gamma=2, rounds=2) == 2
    assert cascade_speed(1, 1, F(1, 8), F(1, 4), gamma=2, rounds=2) == F(7, 2)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="middle_cost: -1; expected a time"):
        cascade_time(0, -1, 1, 1)
    with pytest.raises(ValueError, match="gamma"):
        cascade_tokens(0.5, 0.5, -1, 1)
    with pytest.raises(ValueError, match="rounds"):
        verified_tokens(0.5, 1, 0.5)
