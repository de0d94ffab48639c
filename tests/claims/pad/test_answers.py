"""PAD on answers that are checked: planted candidates and rules are judged as planted, each beside one that must fail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simspec.claims import find
from simspec.engine.row_values import gather
from simspec.studies.pad.answered import answered
from tests.studies.pad.test_answers import made


def verdict(name: str, answers) -> str:
    (claim,) = (claim for claim in find(name) if claim.name == name)
    finding = claim.finding
    return finding.decide(finding.estimate(gather(answered(answers), 0)))


CLEAR = made(candidates=400, tasks=80)


def test_features_that_tell_pivots_are_supported_and_noise_is_not() -> None:
    assert verdict("pad.classifier", CLEAR) == "supported"
    noise = replace(CLEAR, score=np.random.default_rng(1).random(400))
    assert verdict("pad.classifier", noise) == "unsupported"


def test_most_refused_drafts_are_no_pivots_where_few_are() -> None:
    assert verdict("pad.unnecessary-rejections", CLEAR) == "supported"
    all_pivots = replace(CLEAR, after=np.zeros(400, dtype=np.int64))
    assert verdict("pad.unnecessary-rejections", all_pivots) == "unsupported"
    nothing_right = replace(CLEAR, before=np.zeros(400, dtype=np.int64), after=np.zeros(400, dtype=np.int64))
    assert verdict("pad.unnecessary-rejections", nothing_right) == "inconclusive"


def traded(*shares: float):
    """PAD keeps two drafts in ten more, at each threshold, and is right in a share of what speculative decoding is right in."""
    tasks = 2000
    rng = np.random.default_rng(2)
    base = rng.random((tasks, 4)) < 0.5
    right = np.stack([base, *(base & (rng.random(base.shape) < share) for share in shares)])
    return replace(
        CLEAR,
        is_test=np.arange(2 * tasks) % 2 == 1,
        right=right,
        drafted=np.full(right.shape, 10),
        kept=np.full(right.shape, 4) + 2 * (np.arange(len(right)) > 0)[:, None, None],
        facts={**CLEAR.facts, "rules": ["SD", *(f"PAD, σ = {at}" for at in range(len(shares)))]},
    )


@pytest.mark.parametrize(
    ("shares", "expected"), [((1.0,), "supported"), ((0.8, 1.0), "supported"), ((0.8, 0.7), "unsupported")]
)
def test_one_threshold_with_more_drafts_at_no_loss_is_enough(shares, expected) -> None:
    assert verdict("pad.tradeoff", traded(*shares)) == expected
