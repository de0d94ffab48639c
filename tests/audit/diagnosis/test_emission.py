"""Features of what is emitted after right tests, by exact shares: each with the fault that looks most like it as a control."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from simspec.audit.diagnosis.emission import (
    counts_every_pass,
    draws_depend,
    emits_from_another_row,
    emits_in_another_order,
    target_follows_draft,
)
from simspec.audit.diagnosis.features import part_of
from simspec.audit.diagnosis.observations import Observation, probes

ONE = [pair for pair in probes() if pair.gamma == 1]
TWO = [pair for pair in probes() if pair.gamma == 2]


def residual(p, q):
    left = np.maximum(p - q, 0)
    return left / left.sum() if left.any() else p


def observed(pair, bonus=lambda pair, drafts: pair.p[-1], stops=True, order=lambda tokens: tokens):
    """Exact shares of speculative decoding; without `stops` as many drafts are emitted as pass, wherever they stand."""
    ends: dict[tuple[int, ...], float] = {}
    for drafts in np.ndindex(*(pair.vocab,) * pair.gamma):
        drawn = np.prod([pair.q[i, x] for i, x in enumerate(drafts)])
        for passes in np.ndindex(*(2,) * pair.gamma):
            mass = drawn
            for i, x in enumerate(drafts):
                chance = min(pair.p[i, x] / pair.q[i, x], 1) if pair.q[i, x] else 0
                mass *= chance if passes[i] else 1 - chance
            accepted = sum(passes) if not stops else (*passes, 0).index(0)
            if accepted == pair.gamma:
                law = bonus(pair, drafts)
            else:
                law = residual(pair.p[accepted], pair.q[accepted])
            for last, share in enumerate(law):
                text = order((*drafts[:accepted], last))
                ends[text] = ends.get(text, 0.0) + mass * share
    return Observation(pair, {text: mass for text, mass in ends.items() if mass > 0})


def penalised(pair, drafts):
    law = pair.p[-1].copy()
    law[drafts[-1]] /= 2
    return law / law.sum()


def again(pair, drafts):
    return np.eye(pair.vocab)[drafts[-1]]


def test_right_calls_have_none_of_these_features() -> None:
    right = [observed(pair) for pair in (*ONE, *TWO)]
    assert not any(map(Observation.biased, right))
    assert not emits_from_another_row(right) and not draws_depend(right)
    assert not emits_in_another_order(right) and not counts_every_pass(right) and not target_follows_draft(right)


@pytest.mark.parametrize("needs_all", [True, False])
def test_tokens_that_change_places_are_bookkeeping(needs_all) -> None:
    def order(tokens):
        return tokens if needs_all and len(tokens) < 3 else tokens[::-1]

    turned = [observed(pair, order=order) for pair in TWO]
    assert emits_in_another_order(turned) and part_of(turned) == "bookkeeping"
    turned = [observed(pair, order=lambda tokens: tokens[::-1]) for pair in ONE]
    assert emits_in_another_order(turned) and part_of(turned) == "bookkeeping"


def test_counting_passes_after_a_refusal_is_the_stop() -> None:
    counted = [observed(pair, stops=False) for pair in (*ONE, *TWO)]
    assert counts_every_pass(counted) and part_of(counted) == "stopping"


def test_a_draft_that_is_penalised_after_it_is_another_target_and_one_that_is_repeated_is_not() -> None:
    follows = [observed(pair, bonus=penalised) for pair in ONE]
    assert target_follows_draft(follows) and part_of(follows) == "reported/sampled"
    repeats = [observed(pair, bonus=again) for pair in ONE]
    assert not target_follows_draft(repeats) and part_of(repeats) == "bookkeeping"
    first_row = [observed(pair, bonus=lambda pair, drafts: pair.p[0]) for pair in ONE]
    assert not target_follows_draft(first_row) and part_of(first_row) == "bookkeeping"


def test_drafts_copied_from_another_place_are_bookkeeping_and_drafts_of_one_uniform_are_not() -> None:
    """The first draft is emitted for the second; or both are drawn with one uniform, so that each alone has its law."""

    def copied(tokens):
        return (tokens[0], tokens[0], *tokens[2:]) if len(tokens) == 3 else tokens

    right = [observed(pair) for pair in ONE]
    copies = [*right, *(observed(pair, order=copied) for pair in TWO)]
    assert emits_from_another_row(copies) and part_of(copies) == "bookkeeping"

    pair = next(pair for pair in TWO if pair.name == "probe: equal laws")
    edges = np.unique(np.concatenate([[0], pair.p[0].cumsum(), pair.p[1].cumsum()]))
    ends = {}
    for low, high in pairwise(edges):
        x, y = (int((law.cumsum() <= low).sum()) for law in pair.p[:2])
        for z, share in enumerate(pair.p[2]):
            ends[x, y, z] = ends.get((x, y, z), 0.0) + (high - low) * share
    depends = [*right, Observation(pair, ends)]
    assert draws_depend(depends) and part_of(depends) == "uniforms"
