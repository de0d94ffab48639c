"""Claims about what SQS sends: counts by hand and by enumeration, the paper's sizes, verdicts, mutations."""

from fractions import Fraction as F
from math import comb

from tests.claims.cases import get


def test_two_tokens_by_hand() -> None:
    """ℓ = 3 over two tokens: (3, 0), (2, 1), (1, 2), (0, 3), two bits; two of them have positive counts."""
    assert get("sqs.bits").sides({"k": 2, "resolution": 3})[0].tolist() == [4, 2, 4, 2]
    assert get("sqs.bits-sharp").sides({"k": 2, "resolution": 3})[0].tolist() == [2, 2]


def test_subsets_by_hand() -> None:
    """Two tokens of four: six subsets, three bits, and two more for a size of one to four."""
    assert get("sqs.subset-bits").sides({"vocab": 4, "k": 2, "least": 1})[0].tolist() == [3, 6, 5, 3, 5]


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
