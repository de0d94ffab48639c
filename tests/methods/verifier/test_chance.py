"""Programs with chance: enumerated and run with uniforms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simspec.methods.verifier.chance import Chance, SharedUniform, UniformChance, every, many

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
    uniforms = UniformChance(rng.random)
    n = 4000
    share = sum(two_draws(uniforms) == (0, 1) for _ in range(n)) / n
    assert abs(share - 1 / 4) < 5 * (3 / 16 / n) ** 0.5
    assert abs(share - 1 / 12) > 5 * (3 / 16 / n) ** 0.5


def test_a_coin_of_the_end_takes_a_token_that_has_mass() -> None:
    assert UniformChance(lambda: np.nextafter(1, 0)).draw([0.1, 0.2, 0.0]) == 1
    assert UniformChance(lambda: 0.0).draw([0.0, 0.2]) == 1


def test_many_calls_at_once_follow_the_enumerated_law() -> None:
    """False alarm: five sigmas for each result, below 3e-6 in all; the law with its ends swapped is far away."""
    n, law = 40_000, {result: float(weight) for weight, result in every(two_draws)}
    found = list(many(two_draws, n, np.random.default_rng(1)))
    assert sorted(np.concatenate([calls for calls, _ in found])) == list(range(n))
    shares = {result: len(calls) / n for calls, result in found}
    assert shares.keys() == law.keys()
    far = [abs(shares[result] - law[result]) / (law[result] * (1 - law[result]) / n) ** 0.5 for result in law]
    assert max(far) < 5
    assert abs(shares[0, 0] - law[2,]) > 0.5


def test_coins_of_one_call_are_its_own() -> None:
    """Two uniforms of each call are independent: all four pairs occur, each a quarter within five sigmas."""
    pairs = many(lambda chance: (chance.keep(1, 2), chance.keep(1, 2)), 10_000, np.random.default_rng(2))
    shares = {pair: len(calls) / 10_000 for calls, pair in pairs}
    assert len(shares) == 4
    assert all(abs(share - 1 / 4) < 5 * (3 / 16 / 10_000) ** 0.5 for share in shares.values())
    assert list(many(two_draws, 0, np.random.default_rng(0))) == []


def test_one_coin_for_two_decisions() -> None:
    """Kept below 1/4; a draw from (1/2, 1/2) by the same uniform is then 0, and after a refusal 1/3 to 2/3."""

    def reused(chance: Chance) -> tuple[bool, int]:
        uniform = SharedUniform(chance)
        return uniform.keep(Fraction(1, 4), 1), uniform.draw([1, 1])

    law = {result: weight for weight, result in every(reused)}
    assert law == {(True, 0): Fraction(1, 4), (False, 0): Fraction(1, 4), (False, 1): Fraction(1, 2)}
    assert [kept for _, kept in every(lambda chance: SharedUniform(chance).keep(0, 1))] == [False]


def many_of(program):
    return list(many(program, 3, np.random.default_rng(0)))


@pytest.mark.parametrize(
    "run", [lambda program: list(every(program)), lambda program: program(UniformChance(lambda: 0.5)), many_of]
)
def test_nothing_to_draw_from_is_refused(run) -> None:
    with pytest.raises(ValueError, match="expected one that is positive"):
        run(lambda chance: chance.draw([0, 0]))
