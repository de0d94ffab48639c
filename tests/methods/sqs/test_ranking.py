"""Numbers of subsets: what cannot be written down or computed in some seconds is refused before it is begun."""

import numpy as np
import pytest

from simspec.methods.sqs.codec import (
    Message,
    decode,
    encode,
    lattice_rank,
    lattice_unrank,
    range_encode,
    subset_rank,
    subset_unrank,
)
from simspec.methods.sqs.ranking import check_rank, number_of, places_of

TOO_LONG = "would take the exact binomial of .*; expected at most 2\\*\\*40 bits"
WIDE = np.arange(2**22) % 2 == 0  # as many bits as places
TWO = np.array([True, True])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: subset_unrank(5, 2**39, 2), "vocab: 549755813888; would take 8.0 TiB of memory"),
        (lambda: subset_unrank(5, 10**400, 2), "vocab: 1000.*; would take .* of memory"),
        (lambda: subset_unrank(5, 2**22, 2**21), "vocab: " + TOO_LONG),
        (lambda: subset_rank(WIDE), "mask: " + TOO_LONG),
        (lambda: lattice_unrank(5, 2, 2**39), "resolution: 549755813889; would take .* TiB of memory"),
        (lambda: lattice_unrank(5, 2**21, 2**21), "resolution: " + TOO_LONG),
        (lambda: lattice_rank(np.ones(2**22, int)), "counts: " + TOO_LONG),
        (lambda: encode(np.array([2**39, 2**39]), TWO), "counts: 1099511627776; would take 1.0 TiB of memory"),
        (lambda: range_encode(np.array([2**52, 2**52]), TWO), "counts: 9007199254740992; would take 8.0 PiB of memory"),
        (lambda: decode(Message(bytes(5), 39), 2, 2**39 - 1, 2), "resolution: .*; would take .* TiB of memory"),
        (lambda: decode(Message(bytes(10), 80), 2**39, 2**39, 2**38), "k: " + TOO_LONG),
    ],
)
def test_what_cannot_fit_or_end_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_every_subset_has_its_own_number_and_comes_back() -> None:
    masks = [np.array([(n >> i) & 1 for i in range(6)], bool) for n in range(2**6)]
    for k in range(7):
        numbers = {number_of("mask", mask): mask for mask in masks if mask.sum() == k}
        assert sorted(numbers) == list(range(len(numbers)))
        for number, mask in numbers.items():
            back = places_of(check_rank("vocab", number, 6, k, "?"), 6, k)
            assert back.tolist() == mask.tolist()


@pytest.mark.parametrize("k", [-1, 3, 2**63])
def test_more_places_than_there_are_is_refused_at_once(k) -> None:
    with pytest.raises(ValueError, match=f"k: {k}; expected a number of places from 0 to 2"):
        places_of(1, 2, k)
