"""Programs with chance: enumerated and run with coins."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simspec.methods.joint.chance import Chance, Coins, every

THIRD = Fraction(1, 3)


def two_draws(chance: Chance) -> tuple[int, ...]:
    first = chance.draw([THIRD, 0, 1 - THIRD])
    return (first,) if first else (first, chance.draw([1, 3]))


def test_by_hand() -> None:
    assert list(every(two_draws)) == [
        (Fraction(1, 12), (0, 0)),
        (Fraction(1, 4), (0, 1)),
        (Fraction(2, 3), (2,)),
    ]


def test_a_program_without_decisions_goes_one_way() -> None:
    assert list(every(lambda chance: "done")) == [(1, "done")]


@pytest.mark.parametrize(("part", "whole", "ways"), [(0, 1, [False]), (1, 1, [True]), (2, 1, [True]), (0, 0, [False])])
def test_certain_answers_are_no_decisions(part, whole, ways) -> None:
    assert [kept for _, kept in every(lambda chance: chance.keep(part, whole))] == ways


def test_coins_follow_the_enumerated_law() -> None:
    """False alarm: five sigmas of one proportion, below 1e-6; the wrong law is forty sigmas away."""
    rng = np.random.default_rng(1)
    coins = Coins(rng.random)
    n = 4000
    share = sum(two_draws(coins) == (0, 1) for _ in range(n)) / n
    assert abs(share - 1 / 4) < 5 * (3 / 16 / n) ** 0.5
    assert abs(share - 1 / 12) > 5 * (3 / 16 / n) ** 0.5


def test_a_coin_of_the_end_takes_a_token_that_has_mass() -> None:
    assert Coins(lambda: np.nextafter(1, 0)).draw([0.1, 0.2, 0.0]) == 1
    assert Coins(lambda: 0.0).draw([0.0, 0.2]) == 1


@pytest.mark.parametrize("run", [lambda program: list(every(program)), lambda program: program(Coins(lambda: 0.5))])
def test_nothing_to_draw_from_is_refused(run) -> None:
    with pytest.raises(ValueError, match="expected one that is positive"):
        run(lambda chance: chance.draw([0, 0]))
