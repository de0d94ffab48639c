"""The rule that decides empirical claims, on artificial evidence."""

from __future__ import annotations

from typing import Any

import pytest

from simspec.claims.claim import Evidence
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import all_of, illustration, judge, measured, rows_for
from simspec.engine.estimates.intervals import Interval


def _evidence(low: float, high: float, **limits: Any) -> Evidence:
    return measured("bank", "model", 9, Interval((low + high) / 2, low, high, 0.95), **limits)


@pytest.mark.parametrize(
    ("low", "high", "above", "below"),
    [
        (0.6, 0.7, "supported", "unsupported"),
        (0.4, 0.6, "inconclusive", "inconclusive"),
        (0.3, 0.4, "unsupported", "supported"),
        (0.5, 0.5, "unsupported", "unsupported"),  # neither above nor below one half
    ],
)
def test_one_statement(low, high, above, below):
    assert judge(_evidence(low, high, exceed=0.5)) == above
    assert judge(_evidence(low, high, below=0.5)) == below


def test_a_conjunction_fails_by_one_and_doubts_by_one():
    good, doubt, bad = (_evidence(*ends, exceed=0.5) for ends in ((0.6, 0.7), (0.4, 0.6), (0.3, 0.4)))
    assert all_of([good, good]) == "supported"
    assert all_of([good, doubt]) == "inconclusive"
    assert all_of([good, doubt, bad]) == "unsupported"


def test_what_stands_beside_decides_nothing():
    bad = _evidence(0.3, 0.4)
    assert bad.data == "beside: bank" and judge(bad) is None
    assert all_of([_evidence(0.6, 0.7, exceed=0.5), bad, illustration("five vectors", "m", 5, 0.0)]) == "supported"
    assert all_of([bad]) == "inconclusive"
    labelled = measured("beside: bank", "model", 9, Interval(0.3, 0.2, 0.4, 0.95), exceed=0.5)
    assert judge(labelled) is None


def test_rows_by_effort():
    assert [rows_for(Data(effort=e), 1, 2, 3) for e in ("quick", "default", "deep")] == [1, 2, 3]
