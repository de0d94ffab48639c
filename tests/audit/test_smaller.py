"""Smaller pairs of laws: each is a pair of laws, by hand and for every revealing pair."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit.levels import is_tree
from simspec.audit.pairs import Pair, checked, revealing
from simspec.audit.smaller import smaller


def test_a_draft_less_at_the_end_and_at_the_beginning() -> None:
    p, q = np.array([[0.25, 0.75], [0.5, 0.5], [0.75, 0.25]]), np.array([[0.125, 0.875], [0.375, 0.625]])
    last, first = list(smaller(Pair("two drafts", p, q)))[:2]
    assert (last.p.tolist(), last.q.tolist()) == (p[:2].tolist(), q[:1].tolist())
    assert (first.p.tolist(), first.q.tolist()) == (p[1:].tolist(), q[1:].tolist())


@pytest.mark.parametrize("prefixes", [False, True])
def test_every_smaller_pair_is_a_pair_of_laws_and_another_one(prefixes) -> None:
    for pair in revealing(2, 3, prefixes=prefixes):
        steps = list(smaller(pair))
        assert not steps or checked(steps) == steps
        for step in steps:
            assert (step.gamma, step.vocab) <= (pair.gamma, pair.vocab) and is_tree(step.p) <= is_tree(pair.p)
