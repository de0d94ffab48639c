"""One place of several drafts, by exact shares: what is wrong there only, beside the fault that looks most like it."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit.diagnosis.acceptance import is_residual_alone_wrong, is_test_alone_wrong
from simspec.audit.diagnosis.features import part_of
from simspec.audit.diagnosis.observations import Observation
from simspec.audit.diagnosis.places import (
    draws_second_from_another_law,
    emits_second_too_often,
    first_drafts_of_several,
    has_second_ids_exchanged,
    is_second_right_for_other_laws,
    passes_first_test_again,
    reads_rows_of_another_place,
    second_drafts,
    second_drafts_after_each,
    stops_before_second,
)
from tests.audit.diagnosis.shares import ONE, TWO, observed, ratio, residual

FEATURES = (
    draws_second_from_another_law,
    emits_second_too_often,
    has_second_ids_exchanged,
    is_second_right_for_other_laws,
    passes_first_test_again,
    reads_rows_of_another_place,
    stops_before_second,
)


def hot(law):
    return np.sqrt(law) / np.sqrt(law).sum()


def seen(**changed):
    """Calls with one draft that are right, and with two of which something is exchanged."""
    return [*map(observed, ONE), *(observed(pair, **changed) for pair in TWO)]


def test_right_calls_have_none_of_these_features() -> None:
    right = seen()
    assert not any(feature(right) for feature in FEATURES)
    assert not is_test_alone_wrong(second_drafts(right)) and not is_residual_alone_wrong(second_drafts(right))
    assert not first_drafts_of_several(right)


def test_second_drafts_are_calls_with_one_draft() -> None:
    for observation in (*second_drafts(seen()), *second_drafts_after_each(seen())):
        overlap = np.minimum(observation.pair.p[0], observation.pair.q[0])
        assert observation.first(True) == pytest.approx(overlap) and not observation.biased()
        assert sum(observation.ends.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    "law",
    [lambda pair: pair.q[0], lambda pair: np.sqrt(pair.q[1]) / np.sqrt(pair.q[1]).sum()],
    ids=["first row", "hot"],
)
def test_second_drafts_from_another_law_were_not_drawn_from_the_report(law) -> None:
    drawn = seen(draft=lambda pair, drafts, i: law(pair) if i else pair.q[0])
    assert draws_second_from_another_law(drawn) and part_of(drawn) == "reported/sampled"


def test_a_second_test_by_another_row_is_bookkeeping_and_another_law_is_the_report() -> None:
    """Second drafts are tested by the first draft row, or by their own at another temperature; refusals too."""

    def by(law):
        def refuse(pair, i):
            return residual(pair.p[i], law(pair) if i else pair.q[0])

        def chance(pair, i, x):
            row = law(pair) if i else pair.q[0]
            return min(pair.p[i, x] / row[x], 1) if row[x] else 1

        return seen(chance=chance, refuse=refuse)

    first_row = by(lambda pair: pair.q[0])
    assert reads_rows_of_another_place(first_row) and part_of(first_row) == "bookkeeping"
    hotter = by(lambda pair: hot(pair.q[1]))
    assert not reads_rows_of_another_place(hotter)
    assert is_second_right_for_other_laws(hotter) and part_of(hotter) == "reported/sampled"


@pytest.mark.parametrize(
    "stop",
    [
        lambda pair, drafts: 1 if pair.p[0, drafts[0]] > 0.6 else 2,
        lambda pair, drafts: 1 if drafts[0] == pair.p[0].argmax() else 2,
        lambda pair, drafts: 1 if drafts[0] == drafts[1] else 2,
        lambda pair, drafts: 1 if drafts[1] == 0 else 2,
    ],
    ids=["after a sure token", "after the likeliest", "a draft again", "before an id"],
)
def test_second_drafts_that_count_as_refused_after_some_first_are_the_stop(stop) -> None:
    stopped = seen(stop=stop)
    assert stops_before_second(stopped) and part_of(stopped) == "stopping"


def test_a_ratio_that_counts_again_is_the_test_and_no_stop() -> None:
    shares = []
    for pair in TWO:
        right = observed(pair)
        ends = dict(right.ends)
        for tokens, mass in right.ends.items():
            if len(tokens) == 3:
                share = ratio(pair, 0, tokens[0])
                ends[tokens] -= mass * (1 - share)
                for token, law in enumerate(residual(pair.p[1], pair.q[1])):
                    text = (tokens[0], token)
                    ends[text] = ends.get(text, 0.0) + mass * (1 - share) * law
        shares.append(Observation(pair, {text: mass for text, mass in ends.items() if mass > 0}))
    again = [*map(observed, ONE), *shares]
    assert passes_first_test_again(again) and not stops_before_second(again) and part_of(again) == "uniforms"


def test_second_drafts_that_are_copied_are_bookkeeping() -> None:
    copied = seen(order=lambda tokens: (tokens[0], *tokens) if len(tokens) == 2 else tokens)
    assert emits_second_too_often(copied) and part_of(copied) == "bookkeeping"


def test_second_ids_that_are_exchanged_are_bookkeeping() -> None:
    shares = []
    for pair in TWO:
        ends = {
            (tokens[0], (tokens[1] + 1) % 3, tokens[2]) if len(tokens) == 3 else tokens: mass
            for tokens, mass in observed(pair).ends.items()
        }
        shares.append(Observation(pair, ends))
    exchanged = [*map(observed, ONE), *shares]
    assert has_second_ids_exchanged(exchanged) and part_of(exchanged) == "bookkeeping"


def test_a_wrong_second_test_is_the_test_and_a_wrong_second_refusal_the_residual() -> None:
    squared = seen(chance=lambda pair, i, x: ratio(pair, i, x) ** (1 + i))
    assert is_test_alone_wrong(second_drafts(squared)) and part_of(squared) == "uniforms"
    whole = seen(refuse=lambda pair, i: pair.p[1] if i else residual(pair.p[0], pair.q[0]))
    assert is_residual_alone_wrong(second_drafts(whole)) and part_of(whole) == "residual"


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        ("uniforms", {"chance": lambda pair, i, x: ratio(pair, i, x) if i else 1 / 2}),
        ("reported/sampled", {"draft": lambda pair, drafts, i: pair.q[i] if i else hot(pair.q[0])}),
        ("stopping", {"stop": lambda pair, drafts: 2 if drafts[0] else 0}),
        ("residual", {"refuse": lambda pair, i: residual(pair.p[i], pair.q[i]) if i else pair.q[0]}),
    ],
)
def test_the_first_of_several_is_asked_what_one_draft_is_asked(part, changed) -> None:
    first_wrong = seen(**changed)
    assert first_drafts_of_several(first_wrong) and part_of(first_wrong) == part


def test_drafts_that_changed_places_are_no_first_draft_that_alone_is_wrong() -> None:
    turned = seen(order=lambda tokens: (*sorted(tokens[:2]), tokens[2]) if len(tokens) == 3 else tokens)
    assert not first_drafts_of_several(turned) and part_of(turned) == "bookkeeping"
