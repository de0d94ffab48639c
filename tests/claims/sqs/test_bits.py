"""Claims about what SQS sends: counts by hand and by enumeration, the paper's sizes."""

from fractions import Fraction as F
from math import comb

import numpy as np
import pytest

from simspec.claims.deciding.data import Data
from simspec.methods.sqs.codec import decode, encode
from simspec.methods.sqs.payload import payload_bits
from tests.claims.cases import counterexample, get


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
            ratio = F(vocab * comb(resolution + vocab - 2, vocab - 2), comb(resolution + vocab - 1, vocab - 1))
            assert ratio == F(vocab * (vocab - 1), resolution + vocab - 1)
            assert (ratio <= 1) is (resolution >= (vocab - 1) ** 2)


def test_supports_partition_the_dense_lattice() -> None:
    for vocab in range(1, 5):
        for resolution in range(1, 6):
            support = get("sqs.bandwidth-support")
            sides = [support.sides({"vocab": vocab, "k": k, "resolution": resolution}) for k in range(1, vocab + 1)]
            assert sum(side[0] for side in sides) == sides[0][1] == comb(resolution + vocab - 1, resolution)


def test_counterexample_to_bandwidth_by_hand() -> None:
    """Three laws that one unit can describe, (1,0,0), (0,1,0), (0,0,1); with two of three tokens kept, six code words."""
    found = counterexample("sqs.bandwidth")
    assert (found["vocab"], found["k"], found["resolution"]) == (3, 2, 1)
    assert get("sqs.bandwidth").sides(found) == (6, 3)
    words = set()
    for mask in ([True, True, False], [True, False, True], [False, True, True]):
        for token in np.flatnonzero(mask):
            counts = np.eye(3, dtype=int)[token]
            message = encode(counts, np.array(mask))
            words.add(message)
            assert decode(message, 3, 1, 2)[0].tolist() == counts.tolist()
    assert len(words) == 6 and payload_bits(3, 2, 1) == 3


def test_equality_is_not_below() -> None:
    assert get("sqs.bandwidth").sides({"vocab": 2, "k": 1, "resolution": 1}) == (2, 2)


def test_where_the_paper_saves_bits() -> None:
    """V = 50,257, ℓ = 100, in integers: up to K = 80."""
    vocab, resolution = 50_257, 100
    dense = comb(resolution + vocab - 1, resolution)
    below = [comb(vocab, k) * comb(resolution + k - 1, resolution) < dense for k in (1, 79, 80, 81, 82, 1000)]
    assert below == [True, True, True, False, False, False]
    (shown,) = get("sqs.bandwidth").evidence(Data(effort="quick"))
    assert shown.estimate == 80 and shown.control is not None
    assert shown.control["dense payload, bits"] == pytest.approx(1037.08, abs=0.01)
