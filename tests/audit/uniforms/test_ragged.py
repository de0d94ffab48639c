"""Rows that are shorter than others of a batch: what a sampler is given there, and tokens beyond the drafts of a row."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit.calling import Broken
from simspec.audit.pairs import Pair
from simspec.audit.uniforms.ragged import shorter_rows

PAIR = Pair("two drafts", np.full((3, 2), 0.5), np.array([[0.5, 0.5], [0.0, 1.0]]))


@pytest.mark.parametrize("token", [0, 1])
def test_a_token_beyond_the_drafts_of_a_row_is_an_error_whatever_token_it_is(token) -> None:
    def sampler(p, q, drafts, uniforms):
        return np.full((len(drafts), 3), token)

    shorter, less = shorter_rows(sampler, PAIR)
    with pytest.raises(Broken, match="emits 3 tokens in a row with 1 draft tokens; other rows of the batch have 2"):
        shorter(less.p, less.q, np.array([[1]]), np.full((1, 5), 0.5))


def test_every_second_row_is_whole() -> None:
    """The others lack their last draft."""
    given = []

    def sampler(p, q, drafts, uniforms):
        given.append(drafts.tolist())
        tokens = np.full((len(drafts), 3), -1)
        tokens[:, 0] = drafts[:, 0]
        return tokens

    shorter, less = shorter_rows(sampler, PAIR)
    tokens = shorter(less.p, less.q, np.array([[1], [0]]), np.full((2, 5), 0.5))
    (rows,) = given
    assert rows[::2] == [[1, -1], [0, -1]] and all(-1 not in row for row in rows[1::2])
    assert tokens.tolist() == [[1, -1], [0, -1]]
