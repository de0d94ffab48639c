"""Pairs of laws for audits: what is no law is refused with its place, and what every shipped pair must be."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simspec.audit.pairs import MOST_TOKENS, Pair, checked, revealing

HALF = np.array([0.5, 0.5])
ROWS = np.array([HALF, HALF])


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        ([HALF, HALF], [HALF], None),
        (np.array([[1.0, 0.0], [0.0, 1.0]]), ROWS[:1], None),  # a mass may be 0
        (ROWS, np.array([[1.5, -0.5]]), "q of the pair “mine”: a mass is -0.5; expected none below 0, none NaN"),
        (
            np.array([[0.5, 0.5], [-0.25, 1.25]]),
            ROWS[:1],
            "p of the pair “mine”: a mass is -0.25; expected none below 0",
        ),
        (np.array([[np.nan, 0.5], [0.5, 0.5]]), ROWS[:1], "p of the pair “mine”: a mass is nan; expected none below 0"),
        (np.array([[np.inf, 0.5], [0.5, 0.5]]), ROWS[:1], "p of the pair “mine”: a mass is inf; expected none below 0"),
        (ROWS, np.array([[0.5, 0.25]]), "q of the pair “mine”: a law sums to 0.75; expected 1"),
        (ROWS, np.array([[0.5, 0.5 + 2e-6]]), "q of the pair “mine”: a law sums to 1; expected 1"),
        (ROWS, np.array([[0.5, 0.5 - 5e-7]]), None),  # single precision
        (ROWS, ROWS, "q of the pair “mine”: 2 laws; expected one fewer than the 2 of p"),
        (ROWS, np.full((1, 4), 0.25), r"q of the pair “mine”: law 0 has the shape \(4,\); expected 2 tokens"),
        (ROWS.tolist(), ROWS[:1], r"p of the pair “mine”: .*; expected an array of rows, or a tuple of levels"),
        (np.full((17, 2), 0.5), np.full((16, 2), 0.5), r"p of the pair “mine”: 2\^17 texts; expected at most 65536"),
        (np.full((16, 2), 0.5), np.full((15, 2), 0.5), None),
        ((HALF, ROWS), (HALF,), None),  # a tree: the second law depends on the first token
        ((HALF, np.array([[0.5, 0.5], [2, -1]])), (HALF,), "p of the pair “mine”: a mass is -1"),
        ((HALF, np.array([[0.5, 0.5], [0.5, 0.25]])), (HALF,), "p of the pair “mine”: a law sums to 0.75"),
        ((HALF, np.full((2, 3), 1 / 3)), (HALF,), r"law 1 has the shape \(2, 3\); expected 2 tokens"),
    ],
)
def test_what_is_no_pair_of_laws_is_refused(p, q, message) -> None:
    pair = Pair("mine", p, q)
    if message is None:
        assert checked([pair]) == [pair]
    else:
        with pytest.raises(ValueError, match=message):
            checked([pair])


def test_what_is_no_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="pairs: none; expected at least one pair of laws"):
        checked([])
    with pytest.raises(ValueError, match=r"expected a simspec.audit.Pair of a name and arrays p and q"):
        checked([("mine", ROWS, ROWS[:1])])


@pytest.mark.parametrize("prefixes", [False, True])
@pytest.mark.parametrize(("gamma", "vocab"), [(0, 2), (1, 2), (2, 3), (3, 4), (2, 5), (0, MOST_TOKENS)])
def test_every_revealing_pair_passes_and_is_held_exactly_by_floats(gamma, vocab, prefixes) -> None:
    pairs = checked(revealing(gamma, vocab, prefixes=prefixes))
    for pair in pairs:
        for level in (*pair.p, *pair.q):
            assert all(sum(map(Fraction, law.tolist())) == 1 for law in level.reshape(-1, level.shape[-1])), pair.name


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ({"gamma": -1}, "gamma: -1; expected a number of drafts from 0 to 8"),
        ({"gamma": 9}, "gamma: 9; expected a number of drafts from 0 to 8"),
        ({"vocab": 1}, "vocab: 1; expected a number of tokens from 2 to 52"),
        ({"vocab": 53}, "vocab: 53; expected a number of tokens from 2 to 52"),
        ({"gamma": 8, "vocab": 4}, "vocab: 4; expected at most 65536 texts of 9 tokens"),
    ],
)
def test_sizes_out_of_range_are_refused(size, message) -> None:
    with pytest.raises(ValueError, match=message):
        revealing(**size)
    assert revealing(7, 4) and revealing(1, MOST_TOKENS)  # the largest of each
