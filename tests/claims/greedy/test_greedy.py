"""Greedy certificates by hand: the nearest laws of three tokens, ties, criteria that reject nothing, and eleven branches."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from simspec.claims.authoring import F, exact, law
from simspec.claims.greedy.any_tv import gap
from simspec.claims.greedy.least import refused_by_entropy, refused_by_rank
from simspec.claims.greedy.parts import nearest, radius
from simspec.claims.greedy.trees import drafted, limit, pool, tree_margin
from simspec.claims.relaxed.certificate_strict import limit as strict
from tests.claims.cases import get

P = law("1/2", "3/8", "1/8")


def test_the_nearest_law_with_a_rejected_mode() -> None:
    """The last token rejected: both others are above 1/3, so all three meet there."""
    rejected = np.array([False, False, True])
    expected = log(3) - (0.5 * log(2) + 3 / 8 * log(8 / 3) + log(8) / 8)
    assert float(radius(P, rejected)) == pytest.approx(expected) == float(nearest(P, rejected))
    assert gap(P, rejected) == F(1, 3) - F(1, 8)


def test_greedy_decoding_is_the_certificate_that_is_known() -> None:
    rejected = refused_by_rank(P, 1)
    assert rejected.tolist() == [False, True, True]
    assert float(radius(P, rejected)) == pytest.approx(float(strict(P))) == pytest.approx(float(limit(P, 1)))


def test_the_entropy_criterion_is_decided_on_integers() -> None:
    """exp(−H) of (1/2, 1/4, 1/4) is 2^(−3/2), between 1/4 and 1/2; of a uniform law it is every mass."""
    assert refused_by_entropy(law("1/2", "1/4", "1/4"), F(1), F(1)).tolist() == [False, True, True]
    assert not refused_by_entropy(exact([F(1, 3)] * 3), F(1), F(1)).any()
    assert not refused_by_entropy(law("1/2", "1/4", "1/4"), F(1, 4), F(1)).any()


def test_a_tie_leaves_the_certificate_as_it_is() -> None:
    claim = get("greedy.nested.strict")
    tie = {
        "p": law("1/2", "1/4", "1/4"),
        "fewer": np.array([False, False, True]),
        "rejected": np.array([False, True, True]),
    }
    assert claim.slack(tie) == -1
    assert claim.slack({**tie, "p": P}) == 0


def test_a_tree_pools_the_tokens_below_the_mean() -> None:
    """Two branches: of 3/8 and 1/8 only the last is below the mean of the pool, (1/2 + 1/8)/2."""
    height, members = pool(P, 2)
    assert (height, members.tolist()) == (F(5, 16), [True, False, True])
    assert float(limit(P, 2)) == pytest.approx(0.5 * log(8 / 5) + log(2 / 5) / 8)
    assert drafted(law("1/2", "1/4", "1/4"), law("1/3", "1/3", "1/3"), 2) == [1, 2]


def test_branches_certify_without_limit() -> None:
    """At half a margin ten branches certify less than log 2 and eleven more; the last of two tokens is the margin's own."""
    assert float(tree_margin(F(1, 2), 10)) < log(2) < float(tree_margin(F(1, 2), 11))
    assert float(tree_margin(F(1, 2), 10**6)) > 5
    assert float(tree_margin(F(1), 3)) == pytest.approx(log(4))


def test_the_square_of_the_margin_is_no_certificate() -> None:
    claim = get("greedy.margin-square")
    value, bound = claim.sides({"p": law(1, 0), "q": law("1/2", "1/2"), "b": 1})
    assert float(value) == pytest.approx(log(2)) and bound == 1
