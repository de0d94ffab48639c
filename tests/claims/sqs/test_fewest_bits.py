"""How many words a code of laws needs, by hand and by counting."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product
from math import comb, e

import pytest

from simspec.claims.authoring import law, matrix
from simspec.claims.sqs.fewest_bits import farthest, lattice_laws, radius, within


@pytest.mark.parametrize(("vocab", "units"), [(1, 3), (2, 2), (3, 1), (3, 2), (4, 2)])
def test_near_laws_counted(vocab, units) -> None:
    """The formula of the crystal ball beside all integer vectors."""
    steps = product(range(-units, units + 1), repeat=vocab)
    assert within(vocab, units) == sum(sum(s) == 0 and sum(abs(v) for v in s) <= 2 * units for s in steps)


def test_a_lattice_law_is_its_own_word() -> None:
    assert farthest(lattice_laws(3, 2), 2) == 0
    assert farthest(matrix("1/3 1/3 1/3"), 1) == F(2, 3)


def test_two_tokens() -> None:
    """Two words reach 1/4, the lattice of two words 1/2."""
    assert (radius(law("1/4", "3/4")), radius(law(0, 1))) == (F(1, 4), F(1, 2))


def test_the_lattice_is_within_log2_e_bits_a_token() -> None:
    """Words of fine lattices over the limit of the bound at ε = V/(4ℓ): below e^(V − 1), and more than half of its bits."""
    for rank in (1, 2, 5, 20, 100):
        ratio = F(comb(2 * rank, rank), 1) * F(rank + 1, 4) ** rank
        for n in range(1, rank + 1):
            ratio /= n
        assert 1 <= ratio <= F(e) ** rank
    assert ratio > F(2) ** rank
