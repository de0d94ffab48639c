"""Features of what is accepted with one draft, by exact shares: each beside the fault that looks most like it."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit.diagnosis.acceptance import (
    accepts_for_another_call,
    accepts_other_ids,
    draws_from_another_law,
    drops_drafts,
    gives_up_passed_drafts,
    recovers_certain_drafts_wrong,
    recovers_one_id,
    recovers_other_ids,
)
from simspec.audit.diagnosis.features import part_of
from simspec.audit.diagnosis.observations import Observation
from tests.audit.diagnosis.shares import ONE, observed, ratio, residual

FEATURES = (
    accepts_for_another_call,
    accepts_other_ids,
    draws_from_another_law,
    drops_drafts,
    gives_up_passed_drafts,
    recovers_certain_drafts_wrong,
)


def overlap(pair):
    return np.minimum(pair.p[0], pair.q[0])


def ends_of(accept, refuse):
    """Exact shares of one draft, where accepted drafts and tokens after a refusal have these masses."""
    shares = []
    for pair in ONE:
        accepted = accept(pair)
        refused = refuse(pair) * (1 - accepted.sum())
        ends = {(x, y): accepted[x] * pair.p[1][y] for x in range(pair.vocab) for y in range(pair.vocab)}
        ends |= {(x,): refused[x] for x in range(pair.vocab)}
        shares.append(Observation(pair, {text: mass for text, mass in ends.items() if mass > 0}))
    return shares


def left(pair):
    return residual(pair.p[0], pair.q[0])


def next_ids(pair):
    return np.roll(overlap(pair), 1)


def of_any_draft(pair):
    return pair.q[0] * overlap(pair).sum()


def likely_drafts(pair):
    return overlap(pair) * (pair.q[0] >= 0.3)


def three_of_four(pair):
    return overlap(pair) * 0.75


def certain(pair):
    return np.eye(pair.vocab)[pair.q[0].argmax()] * pair.p[0]


def padded(pair):
    return np.eye(pair.vocab)[0] * ratio(pair, 0, 0)


CASES = {
    accepts_other_ids: (next_ids, left, "bookkeeping"),
    accepts_for_another_call: (of_any_draft, left, "bookkeeping"),
    drops_drafts: (likely_drafts, left, "stopping"),
    gives_up_passed_drafts: (three_of_four, left, "stopping"),
    recovers_certain_drafts_wrong: (certain, lambda pair: pair.p[0], "residual"),
}


@pytest.mark.parametrize("feature", CASES, ids=lambda feature: feature.__name__)
def test_each_is_seen_alone_and_names_its_part(feature) -> None:
    accept, refuse, part = CASES[feature]
    shares = ends_of(accept, refuse)
    assert [other for other in FEATURES if other(shares)] == [feature]
    assert part_of(shares) == part


def test_drafts_of_another_law_are_seen_where_each_token_can_pass() -> None:
    """A draft that is always 0; where q(0) = 0 it passes whenever the target says it."""
    pairs = [pair for pair in ONE if pair.q[0][0] > 0 and (pair.p[0] > 0).all()]
    shares = [shares for shares in ends_of(padded, left) if any(shares.pair is pair for pair in pairs)]
    assert len(shares) > 4 and draws_from_another_law(shares) and part_of(shares) == "reported/sampled"


@pytest.mark.parametrize("power", [0.5, 1, 2])
def test_neither_right_steps_nor_wrong_tests_have_one_of_these_features(power) -> None:
    shares = [observed(pair, chance=lambda *at: ratio(*at) ** power) for pair in ONE]
    assert not any(feature(shares) for feature in FEATURES)
    assert part_of(shares) == ("numerics" if power == 1 else "uniforms")


def test_recovered_tokens_under_other_ids_or_one_id_are_bookkeeping() -> None:
    shifted = ends_of(overlap, lambda pair: np.roll(left(pair), 1))
    assert recovers_other_ids(shifted) and part_of(shifted) == "bookkeeping"
    padding = ends_of(overlap, lambda pair: np.eye(pair.vocab)[0])
    assert recovers_one_id(padding) and part_of(padding) == "bookkeeping"
    likeliest = ends_of(overlap, lambda pair: np.eye(pair.vocab)[left(pair).argmax()])
    assert not recovers_one_id(likeliest) and not recovers_other_ids(likeliest) and part_of(likeliest) == "residual"


def test_drafts_that_are_all_refused_on_some_laws_or_on_all_are_the_stop() -> None:
    unsure = ends_of(lambda pair: overlap(pair) * (pair.q[0].max() >= 0.6), left)
    assert gives_up_passed_drafts(unsure) and part_of(unsure) == "stopping"
    never = ends_of(lambda pair: 0 * overlap(pair), left)
    assert part_of(never) == "stopping"


def test_one_law_after_accepted_and_refused_drafts_is_a_token_of_another_call() -> None:
    """The tokens that end calls are exchanged between independent calls."""
    shares = []
    for pair in ONE:
        kept = overlap(pair)
        law = kept.sum() * pair.p[1] + (1 - kept.sum()) * left(pair)
        ends = {(x, y): kept[x] * law[y] for x in range(pair.vocab) for y in range(pair.vocab)}
        ends |= {(x,): (1 - kept.sum()) * law[x] for x in range(pair.vocab)}
        shares.append(Observation(pair, {text: mass for text, mass in ends.items() if mass > 0}))
    assert part_of(shares) == "bookkeeping"
