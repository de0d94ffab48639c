"""Features of what is emitted after right tests, by exact shares: each with the fault that looks most like it as a control."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from simspec.audit.diagnosis.emission import (
    depends_on_draft,
    draws_depend,
    emits_from_another_row,
    emits_in_another_order,
    follows_draft,
    gives_up_after_draft,
    goes_wrong_late,
    has_row_of_another_place,
    is_end_alone_wrong,
    is_row_of_another_place,
    recovers_without_token,
    stops_elsewhere,
)
from simspec.audit.diagnosis.features import part_of
from simspec.audit.diagnosis.observations import Observation
from tests.audit.diagnosis.shares import ONE, TWO, first_refusal, observed, ratio, residual


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
    assert not emits_in_another_order(right) and not stops_elsewhere(right) and not follows_draft(right)


@pytest.mark.parametrize("needs_all", [True, False])
def test_tokens_that_change_places_are_bookkeeping(needs_all) -> None:
    def order(tokens):
        return tokens if needs_all and len(tokens) < 3 else tokens[::-1]

    turned = [observed(pair, order=order) for pair in TWO]
    assert emits_in_another_order(turned) and part_of(turned) == "bookkeeping"
    turned = [observed(pair, order=lambda tokens: tokens[::-1]) for pair in ONE]
    assert emits_in_another_order(turned) and part_of(turned) == "bookkeeping"


@pytest.mark.parametrize(
    "count",
    [
        sum,
        lambda passes: min(first_refusal(passes), 1),
        lambda passes: 2 if passes[-1] else first_refusal(passes),
        lambda passes: len(passes) if all(passes) else max(i for i, is_passed in enumerate(passes) if not is_passed),
    ],
    ids=["all passes", "at most one", "up to the last pass", "before the last refusal"],
)
def test_a_number_of_drafts_that_is_not_that_before_the_first_refusal_is_the_stop(count) -> None:
    shares = [*(observed(pair) for pair in ONE), *(observed(pair, count=count) for pair in TWO)]
    assert stops_elsewhere(shares) and part_of(shares) == "stopping"


def test_a_wrong_second_test_is_no_other_stop() -> None:
    """Negative control: with two drafts, tests pass with the square of p/q, and stop at the first refusal."""
    shares = [*map(observed, ONE), *(observed(pair, chance=lambda *at: ratio(*at) ** 2) for pair in TWO)]
    assert any(map(Observation.biased, shares)) and not stops_elsewhere(shares)


def test_a_token_that_depends_on_the_draft_before_it_shares_its_random_number() -> None:
    def next_id(pair, drafts):
        return np.roll(np.eye(pair.vocab)[drafts[-1]] + pair.p[-1], 1)

    shares = [observed(pair, bonus=lambda pair, drafts: next_id(pair, drafts) / 2) for pair in ONE]
    assert depends_on_draft(shares) and part_of(shares) == "uniforms"
    for control in (again, lambda pair, drafts: pair.p[0], lambda pair, drafts: pair.p[-1]):
        assert not depends_on_draft([observed(pair, bonus=control) for pair in ONE])


def test_a_draft_that_is_penalised_after_it_is_another_target_and_one_that_is_repeated_is_not() -> None:
    follows = [observed(pair, bonus=penalised) for pair in ONE]
    assert follows_draft(follows) and part_of(follows) == "reported/sampled"
    repeats = [observed(pair, bonus=again) for pair in ONE]
    assert not follows_draft(repeats) and part_of(repeats) == "bookkeeping"
    first_row = [observed(pair, bonus=lambda pair, drafts: pair.p[0]) for pair in ONE]
    assert not follows_draft(first_row) and part_of(first_row) == "bookkeeping"


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


def test_drafts_penalised_by_the_draft_before_were_not_drawn_from_the_report() -> None:
    def draft(pair, drafts, i):
        row = pair.q[i].copy()
        row[drafts[i - 1]] /= 3 if i else 1
        return row / row.sum()

    seen = [observed(pair, draft=draft) for pair in (*ONE, *TWO)]
    assert follows_draft(seen) and part_of(seen) == "reported/sampled"


def test_a_bonus_that_does_not_depend_on_the_draft_is_no_uniform_that_serves_twice() -> None:
    """Token 0 is masked in the last row; the control draws the bonus with the draft's own uniform, here the same token."""

    def masked(pair, drafts):
        law = pair.p[-1] * (np.arange(pair.vocab) > 0)
        return law / law.sum()

    seen = [observed(pair, bonus=masked) for pair in ONE]
    assert is_end_alone_wrong(seen) and part_of(seen) == "bookkeeping"
    assert not is_end_alone_wrong([observed(pair, bonus=again) for pair in ONE])


def test_an_id_that_is_never_recovered_is_the_residual_and_no_uniform_that_serves_twice() -> None:
    def padded(p, q):
        left = np.maximum(p - q, 0)
        left[-1] = 0
        return left / left.sum() if left.any() else p

    seen = [observed(pair, recover=padded) for pair in ONE]
    assert recovers_without_token(seen) and part_of(seen) == "residual"
    fresh = [observed(pair, recover=lambda p, q: p) for pair in ONE]
    assert not recovers_without_token(fresh) and part_of(fresh) == "residual"


def test_a_token_that_only_another_row_says_and_one_that_is_lost_are_bookkeeping() -> None:
    """With two drafts, after the first is refused, a second token from the last row; or no token after the second is refused."""

    def lost(tokens):
        return tokens[:1] if len(tokens) == 2 else tokens

    right = [observed(pair) for pair in ONE]
    late = [*right, *(observed(pair, order=lost) for pair in TWO)]
    assert goes_wrong_late(late) and part_of(late) == "bookkeeping"

    pair = next(pair for pair in TWO if pair.name == "probe: two ways to recover after a sure draft")
    ends: dict[tuple[int, ...], float] = {}
    for tokens, mass in observed(pair).ends.items():
        for token, share in enumerate(pair.p[2]) if len(tokens) == 1 else [(None, 1.0)]:
            text = tokens if token is None else (*tokens, token)
            ends[text] = ends.get(text, 0.0) + mass * share
    added = [*right, Observation(pair, {text: mass for text, mass in ends.items() if mass > 0})]
    assert is_row_of_another_place(added) and part_of(added) == "bookkeeping"
    assert not is_row_of_another_place(right) and not goes_wrong_late(right)


def test_a_test_that_equal_rows_hide_is_no_mixed_row() -> None:
    """Only the target's likeliest token passes, else p is drawn: on equal rows whose likeliest is not drafted texts are right."""
    seen = [
        observed(pair, chance=lambda pair, i, x: float(x == pair.p[i].argmax()), recover=lambda p, q: p)
        for pair in (*ONE, *TWO)
    ]
    equal = next(observation for observation in seen if observation.pair.name == "probe: equal rows")
    assert not equal.biased() and part_of(seen) == "uniforms"


def test_a_first_token_with_the_law_of_the_next_row_is_bookkeeping_and_with_another_law_is_not() -> None:
    """Each draft is tested by the target's row after its own; or by its own row with ids in another order."""

    def tested_by(rows):
        return [observed(pair._replace(p=rows(pair)))._replace(pair=pair) for pair in ONE]

    late = tested_by(lambda pair: pair.p[[1, 1]])
    assert has_row_of_another_place(late) and part_of(late) == "bookkeeping"
    assert not has_row_of_another_place(tested_by(lambda pair: np.array([pair.p[0][::-1], pair.p[1]])))


def test_drafts_of_which_none_is_accepted_after_one_were_given_up() -> None:
    """After an accepted token 1 the second draft counts as refused; the control shares one uniform between the tests."""
    pair = next(pair for pair in TWO if pair.name == "probe: equal rows")
    ends: dict[tuple[int, ...], float] = {}
    for tokens, mass in observed(pair).ends.items():
        if tokens[0] == 1 and len(tokens) > 1:
            continue
        ends[tokens] = mass
    for token, share in enumerate(residual(pair.p[1], pair.q[1])):
        ends[1, token] = share / 4
    seen = [*(observed(one) for one in ONE), Observation(pair, {text: mass for text, mass in ends.items() if mass > 0})]
    assert gives_up_after_draft(seen) and part_of(seen) == "stopping"
    assert not gives_up_after_draft([observed(pair) for pair in (*ONE, *TWO)])
