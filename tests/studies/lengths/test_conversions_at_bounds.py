"""Conversions between numbers of a log at their bounds: no draft accepted, and every one."""

from __future__ import annotations

import pytest

from simspec.studies.lengths.conventions import converted


@pytest.mark.parametrize(("tokens", "drafts", "rate"), [(1.0, 0.0, 0.0), (2.0, 1.0, 0.5), (3.0, 2.0, 1.0)])
def test_none_half_and_all_of_two_drafts(tokens, drafts, rate) -> None:
    values = {"tokens": tokens, "drafts": drafts, "rate": rate}
    for source, value in values.items():
        assert {target: converted(value, source, target, gamma=2) for target in values} == values
    assert converted(tokens, "tokens", "drafts") == drafts  # without the number of drafts there is no upper bound


@pytest.mark.parametrize(
    ("value", "source", "gamma", "bound"),
    [(0.5, "tokens", None, "gamma"), (0.5, "tokens", 2, "2"), (2.5, "drafts", 2, "2"), (1.25, "rate", 4, "4")],
)
def test_the_bound_of_accepted_drafts_is_named(value, source, gamma, bound) -> None:
    target = "tokens" if source == "drafts" else "drafts"
    with pytest.raises(
        ValueError, match=f"value: {value} as {source}; expected between 0 and {bound} accepted drafts a step"
    ):
        converted(value, source, target, gamma)
