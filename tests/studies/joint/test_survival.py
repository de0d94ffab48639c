"""Rules for whole drafts along a text: against enumeration of the printed rule, and by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from simspec.laws import softmax
from simspec.methods import SD
from simspec.methods.block.hierarchical import hierarchical_capped, hierarchical_naive
from simspec.methods.steps import step_starts
from simspec.methods.verifier import by_program, by_rows, from_method, outcomes
from simspec.studies.joint import survival as joint
from simspec.studies.joint.survival import survival


def printed(p, q, x, chance):
    """Block verification as Sun et al. 2024 print it: the largest place whose uniform falls below its threshold."""
    weight, end = 1.0, 0
    for i, token in enumerate(x):
        weight = min(1.0, weight * p[i][token] / q[i][token])
        over = np.maximum(weight * p[i + 1] - q[i + 1], 0).sum() if i + 1 < len(x) else 0.0
        rest = over + 1 - weight
        threshold = weight if i + 1 == len(x) else (over / rest if rest > 0 else 1.0)
        if chance.keep(threshold, 1):
            end = i + 1
    return (*x[:end], 0), end


def test_survival_is_that_of_the_printed_rule(monkeypatch) -> None:
    """Three positions of three tokens, enumerated; 20,000 draws, four standard errors: false alarm below 1e-3."""
    monkeypatch.setattr(joint, "DRAWS", 20_000)
    rng = np.random.default_rng(1)
    p, q = softmax(1.5 * rng.normal(size=(2, 4, 3)))
    found = outcomes(by_program(printed), by_rows(p), by_rows(q[:3]), 3)
    exact = [sum(o.probability for o in found if o.accepted >= i) for i in (1, 2, 3)]
    made = survival("block", [(slice(0, 2), p[:2], q[:2]), (slice(2, 4), p[2:], q[2:])], 4, 3)[0]
    assert np.abs(made - exact).max() < 4 * 0.5 / 20_000**0.5
    by_token = np.cumprod(np.minimum(p, q).sum(axis=-1)[:3])
    assert exact[0] == pytest.approx(by_token[0]) and exact[1] > by_token[1] + 0.01  # a block keeps more


@pytest.mark.parametrize(
    ("name", "verifier"),
    [("token", from_method(SD)[1]), ("hsd-capped", hierarchical_capped), ("hsd-naive", hierarchical_naive)],
)
def test_survival_is_that_of_the_exact_verifier(name, verifier, monkeypatch) -> None:
    """As above: false alarm below 1e-3."""
    monkeypatch.setattr(joint, "DRAWS", 20_000)
    p, q = softmax(1.5 * np.random.default_rng(1).normal(size=(2, 3, 2)))
    found = outcomes(verifier, by_rows(p), by_rows(q[:2]), 2)
    exact = [sum(o.probability for o in found if o.accepted >= i) for i in (1, 2)]
    made = survival(name, [(slice(0, 3), p, q)], 3, 2)[0]
    assert np.abs(made - exact).max() < 4 * 0.5 / 20_000**0.5


def test_equal_laws_keep_every_draft_and_disjoint_ones_none() -> None:
    p = np.array([[0.5, 0.5, 0.0]] * 6)
    same = survival("block", [(slice(0, 6), p, p)], 6, 4)
    assert (same == 1).all() and (1 / step_starts(same, (4,)).mean()) == pytest.approx(5, rel=0.2)
    none = survival("block", [(slice(0, 6), p, np.array([[0.0, 0.0, 1.0]] * 6))], 6, 4)
    assert (none == 0).all() and step_starts(none, (4,)).mean() == 1


def test_survival_falls_and_no_part_changes_a_draw() -> None:
    rng = np.random.default_rng(0)
    p, q = softmax(rng.normal(size=(2, 6, 5)))
    whole = survival("block", [(slice(0, 6), p, q)], 6, 5)
    parts = survival("block", [(slice(n, n + 2), p[n : n + 2], q[n : n + 2]) for n in (0, 2, 4)], 6, 5)
    assert (whole == parts).all()
    assert all((later <= earlier + 1e-12).all() for earlier, later in pairwise(whole.T))
