"""The list coupling: its joint law, its acceptance by two roads, the lemma's bound."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from simspec import laws
from simspec.kernels.random import make_key, uniform
from simspec.methods.coupling import (
    gumbel_list,
    joint_law,
    list_bound,
    list_masses,
    list_match,
    match_probability,
    race,
    several,
)
from simspec.methods.verifier.verifier import facts, outcomes

HALF, SKEW = laws.exact([0.5, 0.5]), laws.exact([0.75, 0.25])
PAIRS = [
    (HALF, SKEW),
    (laws.exact([0, 0.5, 0.5]), laws.exact([0.5, 0, 0.5])),
    (laws.exact([0.5, 0.25, 0.25]), laws.exact([0.25, 0.25, 0.5])),
    (laws.exact([1, 0]), laws.exact([0, 1])),
    (laws.exact([0.25, 0.75]), laws.exact([0.25, 0.75])),
    (laws.exact([1]), laws.exact([1])),
]


def test_by_hand() -> None:
    """Two drafts of (3/4, 1/4) for (1/2, 1/2): 41/48; the lemma gives 2/(2 + 2) + 2/(4 + 2) = 5/6."""
    assert list_match(HALF, SKEW, 2) == F(41, 48)
    assert list_bound(HALF, SKEW, 2) == F(5, 6)


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_the_joint_law_has_its_margins_and_its_matches(p, q) -> None:
    for drafts in (1, 2, 3):
        law = joint_law(p, q, drafts)
        places = list(np.ndindex(law.shape))
        assert (law.sum(axis=tuple(range(drafts))) == p).all()
        assert all(law.sum(axis=-1)[x] == np.prod(q[list(x)]) for x in np.ndindex(law.shape[:-1]))
        assert sum(law[at] for at in places if at[-1] in at[:-1]) == list_match(p, q, drafts)
        assert list_bound(p, q, drafts) <= list_match(p, q, drafts)
    assert list_match(p, q, 1) == list_bound(p, q, 1) == match_probability(p, q)


@pytest.mark.parametrize(("p", "q"), PAIRS)
@pytest.mark.parametrize("drafts", [2, 5, 8])
def test_floats_are_those_of_the_sum_of_exponentials(p, q, drafts) -> None:
    found = list_match(p.astype(float), q.astype(float), drafts)
    assert abs(found - float(list_match(p, q, drafts))) < 1e-9


def test_rows_and_small_masses() -> None:
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.full(50, 0.05), 4), rng.dirichlet(np.full(50, 0.05), 4)
    found = list_match(p, q, 3)
    assert found.shape == (4,)
    assert found[2] == list_match(p[2], q[2], 3)
    assert (list_bound(p, q, 3) <= found + 1e-9).all()
    low = np.array([1 - 1e-300, 1e-300])
    assert list_masses(low, low[::-1], 2).tolist() == [0, 0] or (list_masses(low, low[::-1], 2) < 1e-9).all()


def test_one_step_as_a_verifier() -> None:
    p, q = PAIRS[2]
    found = facts(outcomes(gumbel_list, lambda x: p, lambda x: q, 1, several(2)), lambda x: p, 1)
    assert (found.tv, found.acceptance) == (0, list_match(p, q, 2))


def test_races_with_coins_match_as_often() -> None:
    """Six standard errors of 20,000 lists of three drafts: false alarm below 1e-8; the lemma's bound misses by more."""
    n, p, q = 20_000, np.array([0.5, 0.3, 0.0, 0.2]), np.array([0.1, 0.2, 0.5, 0.2])
    key = make_key(0, "tests", "lists")
    noise = -np.log(uniform(key, range(n), range(12))).reshape(n, 3, 4)
    matched = (race(noise, q) == race(noise.min(axis=1), p)[:, None]).any(axis=1).mean()
    within = 6 * 0.5 / np.sqrt(n)
    assert abs(matched - list_match(p, q, 3)) < within < matched - list_bound(p, q, 3)


@pytest.mark.parametrize("drafts", [0, 65, 1.5, "2"])
def test_no_number_of_drafts(drafts) -> None:
    with pytest.raises(ValueError, match="drafts"):
        list_match(HALF, SKEW, drafts)


def test_one_law_of_fractions_at_a_time() -> None:
    rows = np.stack([HALF, SKEW])
    for asked in (joint_law, lambda p, q: list_match(p, q, 2)):
        with pytest.raises(ValueError, match="expected one law"):
            asked(rows, rows)
