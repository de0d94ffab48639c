"""Rows that are shorter than others of a batch: what a sampler is given there, and tokens beyond the drafts of a row."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit.calling import Broken
from simspec.audit.pairs import Pair, revealing
from simspec.audit.report import Verdict
from simspec.audit.uniforms.exact_law import exact
from simspec.audit.uniforms.ragged import shorter_rows

PAIR = Pair("two drafts", np.full((3, 2), 0.5), np.array([[0.5, 0.5], [0.0, 1.0]]))


@pytest.mark.parametrize("token", [0, 1])
def test_a_token_beyond_the_drafts_of_a_row_is_an_error_whatever_token_it_is(token) -> None:
    def sampler(p, q, drafts, uniforms):
        return np.full((len(drafts), 3), token)

    shorter, less = shorter_rows(sampler, PAIR)
    with pytest.raises(Broken, match="emits 3 tokens in a row with 1 draft tokens; other rows of the batch have 2"):
        shorter(less.p, less.q, np.array([[1]]), np.full((1, 5), 0.5))


@pytest.mark.parametrize(("number", "whole"), [(1, [1]), (2, [1]), (8, [1]), (9, [1, 10]), (20, [1, 10, 19])])
def test_a_whole_row_stands_behind_the_first_of_every_eight(number, whole) -> None:
    """The others lack their last draft; a sampler pays for few rows that are not judged."""
    given = []

    def sampler(p, q, drafts, uniforms):
        given.append((drafts, uniforms))
        tokens = np.full((len(drafts), 3), -1)
        tokens[:, 0] = drafts[:, 0]
        return tokens

    shorter, less = shorter_rows(sampler, PAIR)
    drafts = np.arange(number)[:, None] % 2
    coins = np.random.default_rng(0).random((number, 5))
    tokens = shorter(less.p, less.q, drafts, coins)
    ((rows, uniforms),) = given
    assert np.flatnonzero((rows >= 0).all(axis=1)).tolist() == whole
    judged = np.delete(np.arange(len(rows)), whole)
    assert rows[judged].tolist() == [[token, -1] for token in drafts[:, 0]]
    assert uniforms[judged].tolist() == coins.tolist()
    assert tokens.tolist() == [[token, -1] for token in drafts[:, 0]]


def verify_a_row(p, q, draft, coins, gamma):
    """Tokens that speculative decoding emits for a row; the last uniform of the batch draws the last token."""
    tokens = []
    for place in range(gamma + 1):
        token = draft[place] if place < gamma else -1
        if token >= 0 and coins[place] * q[place, token] < p[place, token]:
            tokens.append(token)
            continue
        weights = np.maximum(p[place] - q[place], 0) if token >= 0 else p[place]
        weights = weights if weights.any() else p[place]
        cumulative = np.cumsum(weights)
        return [*tokens, min(int((cumulative <= coins[-1] * cumulative[-1]).sum()), len(weights) - 1)]
    raise AssertionError("the last place is no draft")


@pytest.mark.parametrize("sees_padding", [True, False])
def test_an_honest_loop_over_rows_is_lossless_after_few_rows(sees_padding) -> None:
    """The control takes the padding for the last token of the vocabulary, as an index of -1 does."""
    rows_verified = 0

    def sampler(p, q, drafts, uniforms):
        nonlocal rows_verified
        rows_verified += len(drafts)
        tokens = np.full((len(drafts), len(p)), -1)
        given = drafts if sees_padding else drafts % p.shape[1]
        for row, draft in enumerate(given.tolist()):
            emitted = verify_a_row(p, q, draft, uniforms[row], len(draft))
            tokens[row, : len(emitted)] = emitted
        return tokens

    pairs = revealing(2, 3, edges=False)[:3]
    report = exact(sampler, 2, pairs=pairs, ragged=True, confirmed=2000, diagnose=False)
    assert report.verdict is (Verdict.LOSSLESS if sees_padding else Verdict.BROKEN)
    if sees_padding:
        assert len(report.tried) == 2 * len(pairs)
        assert rows_verified < 1.25 * report.calls  # it was 1.5 times with a whole row behind each
