"""Bits of a payload: counted by hand and by enumeration, exact for large sizes, logarithms within their stated error."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simspec.methods.sqs import payload
from simspec.methods.sqs.payload import (
    adaptive_subset_bits,
    dense_bits,
    lattice_bits,
    lattice_log2,
    payload_bits,
    payload_log2,
    subset_bits,
    subset_log2,
)


def test_by_hand() -> None:
    assert subset_bits(5, 2) == 4  # 10 subsets
    assert adaptive_subset_bits(5, 2) == 4 + 3  # 5 sizes
    assert lattice_bits(3, 2) == 3  # (2,0,0) and (1,1,0), three of each: 6 points
    assert payload_bits(5, 3, 2) == 4 + 3 and payload_bits(5, 3, 2, adaptive=True) == 4 + 3 + 3
    assert dense_bits(3, 2) == 3


def test_edges_with_a_meaning() -> None:
    assert subset_bits(7, 0) == subset_bits(7, 7) == 0  # a single subset needs no bits
    assert lattice_bits(1, 1000) == 0  # one token has all the counts
    assert payload_bits(1, 1, 5) == payload_bits(1, 1, 5, adaptive=True) == 0
    assert subset_bits(8, 1) == 3 and subset_bits(9, 1) == 4  # around a power of two


@given(st.integers(1, 8), st.integers(1, 5), st.data())
def test_no_shorter_and_no_longer_than_the_enumeration_needs(vocab, resolution, data) -> None:
    k = data.draw(st.integers(1, vocab))
    subsets = len(list(itertools.combinations(range(vocab), k)))
    points = sum(sum(b) == resolution for b in itertools.product(range(resolution + 1), repeat=min(k, 5)))
    assert 2 ** (subset_bits(vocab, k) - 1) < subsets <= 2 ** subset_bits(vocab, k)
    assert 2 ** (lattice_bits(min(k, 5), resolution) - 1) < points <= 2 ** lattice_bits(min(k, 5), resolution)


def test_large_sizes_equal_the_binomial() -> None:
    wrong = [
        (n, k)
        for n in (*range(131, 260, 3), 1000, 20_000)
        for k in range(n + 1)
        if k < 400 and subset_bits(n, k) != (math.comb(n, k) - 1).bit_length()
    ]
    assert wrong == []
    assert subset_bits(128_256, 1_000) == (math.comb(128_256, 1_000) - 1).bit_length()


def test_logarithms_next_to_an_integer_are_settled_by_the_binomial(monkeypatch) -> None:
    """If the doubt covers everything, every size goes to the binomial, and nothing changes."""
    monkeypatch.setattr(payload.math, "lgamma", lambda x: math.log(2) * 70.0)  # bits = -70, an integer
    payload._log2_above.cache_clear()
    try:
        assert subset_bits(200, 100) == (math.comb(200, 100) - 1).bit_length()
    finally:
        payload._log2_above.cache_clear()


@given(st.integers(1, 200_000), st.data())
@example(200_000, None)
def test_logarithms_are_within_the_stated_error(vocab, data) -> None:
    k = vocab // 200 if data is None else data.draw(st.integers(0, min(vocab, 2000)))
    truth = math.log2(math.comb(vocab, k))
    assert abs(float(subset_log2(vocab, k)) - truth) <= 1e-15 * (vocab + 10) * math.log2(vocab + 2)


def test_logarithms_for_arrays() -> None:
    k = np.array([0, 1, 2, 4, 5, -1])
    np.testing.assert_allclose(subset_log2(4, k), [0, 2, math.log2(6), 0, -np.inf, -np.inf], atol=1e-12)
    np.testing.assert_allclose(lattice_log2(np.array([1, 2, 3]), 2), np.log2([1, 3, 6]), atol=1e-12)
    bits = payload_log2(4, np.array([1, 2]), 2, adaptive=True)
    np.testing.assert_allclose(bits, np.log2([4, 6 * 3]) + 2, atol=1e-12)
    for k in (1, 7, 40):
        assert 0 <= payload_bits(40, k, 100) - payload_log2(40, np.array(k), 100) < 2  # two numbers, each rounded up


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: subset_bits(4, 5), "k: 5; expected a number of tokens between 0 and V = 4"),
        (lambda: subset_bits(0, 0), "vocab: 0; expected a number of tokens >= 1"),
        (lambda: adaptive_subset_bits(4, 0), "k: 0; expected a number of tokens between 1 and V = 4"),
        (lambda: lattice_bits(0, 1), "k: 0; expected a number of tokens >= 1"),
        (lambda: lattice_bits(1, 0), "resolution: 0; expected an integer >= 1"),
        (lambda: lattice_bits(2, 1.5), "resolution: 1.5; expected an integer >= 1"),
        (lambda: payload_bits(4, 5, 1), "k: 5; expected a number of tokens between 1 and V = 4"),
        (lambda: dense_bits(True, 1), "k: True; expected a number of tokens >= 1"),
    ],
)
def test_bad_input_is_named(call, message) -> None:
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message
