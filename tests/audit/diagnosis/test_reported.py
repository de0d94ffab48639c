"""Verifiers that are right for other laws, by exact shares, beside wrong tests and residuals."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit.diagnosis.features import part_of
from simspec.audit.diagnosis.reported import is_right_for_other_laws, verifies_by_another_draft_law
from tests.audit.diagnosis.shares import ONE, TWO, observed, ratio, residual


def reported(law, residual_law=None):
    """Shares of a verifier that takes `law(q)` for the draft law."""

    def chance(pair, i, x):
        row = law(pair.q[i])
        return min(pair.p[i, x] / row[x], 1) if row[x] else 1

    return [
        observed(pair, chance=chance, recover=lambda p, q: residual(p, (residual_law or law)(q)))
        for pair in (*ONE, *TWO)
    ]


def floored(q):
    row = np.maximum(q, 0.1)
    return row / row.sum()


def test_a_report_that_differs_only_in_small_masses_is_the_report() -> None:
    shares = reported(floored)
    assert is_right_for_other_laws(shares) and part_of(shares) == "reported/sampled"


def test_a_report_that_does_not_sum_to_1_is_the_report_and_the_same_test_with_the_right_residual_is_not() -> None:
    shares = reported(lambda q: 1.3 * q)
    assert verifies_by_another_draft_law(shares) and part_of(shares) == "reported/sampled"
    strict = reported(lambda q: 1.3 * q, residual_law=lambda q: q)
    assert not verifies_by_another_draft_law(strict) and part_of(strict) == "uniforms"
    lenient = reported(lambda q: q / 1.5, residual_law=lambda q: q)
    assert not verifies_by_another_draft_law(lenient) and part_of(lenient) == "uniforms"


def test_a_report_whose_masses_partly_show_in_refusals_only_is_the_report() -> None:
    shares = reported(lambda q: q**2)
    assert verifies_by_another_draft_law(shares) and part_of(shares) == "reported/sampled"


@pytest.mark.parametrize("power", [1 / 2, 2])
def test_a_wrong_test_refuses_what_it_recovers(power) -> None:
    shares = [observed(pair, chance=lambda pair, i, x: ratio(pair, i, x) ** power) for pair in (*ONE, *TWO)]
    assert not is_right_for_other_laws(shares) and not verifies_by_another_draft_law(shares)
    assert part_of(shares) == "uniforms"


def test_a_draft_that_the_target_never_says_is_accepted_under_no_report() -> None:
    shares = [observed(pair, chance=lambda pair, i, x: max(ratio(pair, i, x), 1 / 4)) for pair in (*ONE, *TWO)]
    assert not verifies_by_another_draft_law(shares) and part_of(shares) == "uniforms"


def test_a_threshold_with_the_likeliest_token_after_it_is_no_other_target() -> None:
    """Where p = q no token is refused and recovered, as with another target; but the first token depends on the draft law."""
    shares = [
        observed(
            pair,
            chance=lambda pair, i, x: float(pair.p[i, x] > 0.3),
            recover=lambda p, q: np.eye(len(p))[p.argmax()],
        )
        for pair in (*ONE, *TWO)
    ]
    assert not is_right_for_other_laws(shares)
