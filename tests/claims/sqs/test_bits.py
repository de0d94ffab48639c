"""Claims about what SQS sends: counts by hand and by enumeration, the paper's sizes, verdicts, mutations."""

from fractions import Fraction as F
from math import comb

import numpy as np
import pytest

from tests.claims.cases import assert_broken, assert_verdict, claims_of, getter

CLAIMS = claims_of("sqs.bits", "sqs.subset-bits", "sqs.bandwidth", "sqs.bandwidth-support")

get = getter(CLAIMS)


def test_two_tokens_by_hand() -> None:
    """ℓ = 3 over two tokens: (3, 0), (2, 1), (1, 2), (0, 3), two bits; two of them have positive counts."""
    assert get("sqs.bits").sides({"k": 2, "resolution": 3})[0].tolist() == [4, 2, 4, 2]
    assert get("sqs.bits-sharp").sides({"k": 2, "resolution": 3})[0].tolist() == [2, 2]


def test_subsets_by_hand() -> None:
    """Two tokens of four: six subsets, three bits, and two more for a size of one to four."""
    assert get("sqs.subset-bits").sides({"vocab": 4, "k": 2, "least": 1})[0].tolist() == [3, 6, 5, 3, 5]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_verdict(claim) -> None:
    assert_verdict(claim, "refuted" if claim.name == "sqs.bandwidth" else "holds")


def test_where_the_square_comes_from() -> None:
    """K = V − 1: V(V − 1) code words for every ℓ + V − 1 laws."""
    for vocab in range(2, 9):
        for resolution in range(1, 60):
            ratio = F(
                vocab * comb(resolution + vocab - 2, vocab - 2),
                comb(resolution + vocab - 1, vocab - 1),
            )
            assert ratio == F(vocab * (vocab - 1), resolution + vocab - 1)
            assert (ratio <= 1) is (resolution >= (vocab - 1) ** 2)


def test_supports_partition_the_dense_lattice() -> None:
    for vocab in range(1, 5):
        for resolution in range(1, 6):
            support = get("sqs.bandwidth-support")
            sides = [support.sides({"vocab": vocab, "k": k, "resolution": resolution}) for k in range(1, vocab + 1)]
            assert sum(side[0] for side in sides) == sides[0][1] == comb(resolution + vocab - 1, resolution)


def _numbers(*counts):
    return np.array([F(c) for c in counts], dtype=object)


def _bits_of(count):
    return (count - 1).bit_length()


def _swapped(name):
    claim = get(name)
    return {"lhs": claim.rhs, "rhs": claim.lhs}


MUTATIONS = [
    ("sqs.bits", {"rhs": lambda k, resolution: _numbers(*[c := comb(resolution + k, k), _bits_of(c)] * 2)}),
    ("sqs.bits", {"rhs": lambda k, resolution: _numbers(*[c := comb(resolution + k - 1, k - 1), c.bit_length()] * 2)}),
    ("sqs.bits-sharp", {"rhs": lambda k, resolution: F(comb(resolution, k - 1))}),
    (
        "sqs.subset-bits",
        {
            "rhs": lambda vocab, k: _numbers(
                _bits_of(c := comb(vocab, k)), c, now := _bits_of(c) + vocab.bit_length(), _bits_of(c), now
            )
        },
    ),
    (
        "sqs.subset-bits",
        {"assumes": {}, "instances": lambda draw: {"vocab": (n := draw.integer(1, 4)), "k": n, "least": 0}},
    ),
    (
        "sqs.bandwidth-corrected",
        {"rhs": lambda vocab, resolution: _numbers(resolution + 1 >= (vocab - 1) ** 2, resolution > (vocab - 1) ** 2)},
    ),
    (
        "sqs.bandwidth-corrected",
        {"rhs": lambda vocab, resolution: _numbers(resolution >= (vocab - 1) ** 2, resolution >= (vocab - 1) ** 2)},
    ),
    ("sqs.bandwidth-sharp", _swapped("sqs.bandwidth-sharp")),
    ("sqs.bandwidth-support", {"lhs": get("sqs.bandwidth").lhs}),
    ("sqs.bandwidth-support", {"rhs": lambda vocab, resolution: F(comb(resolution + vocab - 2, vocab - 1))}),
]


@pytest.mark.parametrize(("name", "changes"), MUTATIONS, ids=[f"{i}-{n}" for i, (n, _) in enumerate(MUTATIONS)])
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
