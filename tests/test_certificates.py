"""Radii of certified drafts: by hand, against exact balls, and no certified draft that is rejected."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec import certificates
from simspec.claims.authoring import law
from simspec.claims.greedy import least, trees
from simspec.claims.greedy.any_tv import gap
from simspec.claims.greedy.parts import radius
from tests.strategies import laws


def _float(p) -> np.ndarray:
    return np.array([float(m) for m in p])


def test_by_hand() -> None:
    """(3/4, 1/4): the nearest law with another mode is (1/2, 1/2)."""
    p = np.array([0.75, 0.25])
    rejected = certificates.rejects_beyond_top(p)
    assert certificates.kl_radius(p, rejected) == pytest.approx(0.75 * np.log(1.5) + 0.25 * np.log(0.5))
    assert certificates.tv_radius(p, rejected) == 0.25
    assert certificates.tree_radius(p, 1) == pytest.approx(float(certificates.kl_radius(p, rejected)))
    assert certificates.margin_radius(0.5) == pytest.approx(
        float(certificates.kl_radius(p, rejected))
    )  # two tokens: the margin is all


def test_edges() -> None:
    """Equal masses certify nothing; where nothing is rejected everything is certified; one token left out of two."""
    even = np.array([0.5, 0.5])
    assert certificates.kl_radius(even, certificates.rejects_beyond_top(even)) == 0
    assert (
        certificates.kl_radius(even, np.zeros(2, dtype=bool))
        == np.inf
        == certificates.tv_radius(even, np.zeros(2, dtype=bool))
    )
    sure = np.array([1.0, 0.0])
    assert certificates.kl_radius(sure, certificates.rejects_beyond_top(sure)) == pytest.approx(np.log(2))
    assert certificates.kl_radius(np.array([1.0]), np.array([True])) == 0


@given(st.integers(2, 5).flatmap(laws), st.integers(0, 30))
@settings(max_examples=60, deadline=None)
def test_radii_are_those_of_the_claims(p, seed) -> None:
    rng = np.random.default_rng(seed)
    rejected = rng.random(len(p)) < 0.5
    rejected[rng.integers(len(p))] = True
    assert certificates.kl_radius(_float(p), rejected) == pytest.approx(float(radius(p, rejected)), abs=1e-12)
    assert certificates.tv_radius(_float(p), rejected) == pytest.approx(float(gap(p, rejected)), abs=1e-12)
    m = int(rng.integers(1, len(p)))
    assert certificates.tree_radius(_float(p), m) == pytest.approx(float(trees.limit(p, m)), abs=1e-12)


def test_criteria_are_those_of_the_claims() -> None:
    p = law("1/2", "1/4", "1/8", "1/8")
    floats = _float(p)
    assert (certificates.rejects_additive(floats, 0.25) == least.refused_by_margin(p, p[1])).all()
    assert (certificates.rejects_multiplicative(floats, 0.5) == least.refused_by_factor(p, p[0])).all()
    assert (certificates.rejects_beyond_top(floats, 3) == least.refused_by_rank(p, 3)).all()
    assert (
        certificates.rejects_below_entropy(floats, 0.3, 0.9) == least.refused_by_entropy(p, p[1] * 6 / 5, p[0] * 9 / 5)
    ).all()


CRITERIA = {
    "strict": certificates.rejects_beyond_top,
    "three likeliest": partial(certificates.rejects_beyond_top, m=3),
    "additive": partial(certificates.rejects_additive, margin=0.1),
    "multiplicative": partial(certificates.rejects_multiplicative, factor=0.5),
    "typical": certificates.rejects_below_entropy,
}


def _pairs() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.full(12, 0.5), size=3000)
    noise = rng.dirichlet(np.full(12, 0.5), size=3000)
    weight = rng.random((3000, 1)) ** 2
    return p, (1 - weight) * p + weight * noise


@pytest.mark.parametrize("criterion", CRITERIA)
def test_no_certified_draft_is_rejected(criterion) -> None:
    p, q = _pairs()
    rejected = CRITERIA[criterion](p)
    accepted = ~np.take_along_axis(rejected, q.argmax(-1)[:, None], -1)[:, 0]
    for certified in (
        certificates.kl_divergence(p, q) < certificates.kl_radius(p, rejected),
        abs(p - q).sum(-1) / 2 < certificates.tv_radius(p, rejected) - 1e-12,
    ):
        assert certified.any() and accepted[certified].all()
    share, truth = certificates.certified_share(p, q, CRITERIA[criterion])
    assert 0 < share <= truth == accepted.mean()


def test_a_radius_that_is_too_large_certifies_drafts_that_are_rejected() -> None:
    """The planted error that the test before would notice: just beyond the nearest law another token is drafted."""
    p = np.array([0.75, 0.25])
    q = np.array([0.499, 0.501])
    radius = certificates.kl_radius(p, certificates.rejects_beyond_top(p))
    assert radius < certificates.kl_divergence(p, q) < 1.01 * radius
    assert certificates.certified_share(p[None], q[None], certificates.rejects_beyond_top) == (0.0, 0.0)


def test_a_certified_tree_covers_the_target_and_the_margin_certifies_no_more() -> None:
    p, q = _pairs()
    for m in (1, 2, 4):
        covered = (np.argsort(-q, axis=-1)[:, :m] == p.argmax(-1)[:, None]).any(-1)
        certified = certificates.kl_divergence(p, q) < certificates.tree_radius(p, m)
        assert certified.any() and covered[certified].all()
        top_two = np.sort(p, axis=-1)[:, -2:]
        assert (
            certificates.margin_radius(top_two[:, 1] - top_two[:, 0], m) <= certificates.tree_radius(p, m) + 1e-12
        ).all()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: certificates.rejects_additive(np.ones(1), -1), "margin: -1; expected"),
        (lambda: certificates.rejects_multiplicative(np.ones(1), 2), "factor: 2; expected"),
        (lambda: certificates.rejects_beyond_top(np.ones(1), 0), "m: 0; expected"),
        (lambda: certificates.tree_radius(np.array([0.5, 0.5]), 2), "m: 2; expected"),
        (lambda: certificates.margin_radius(2.0), "delta: 2.0; expected"),
        (lambda: certificates.kl_radius(np.ones(1), np.array([True, False])), "rejected: has shape"),
    ],
)
def test_bad_input_is_named(call, name) -> None:
    with pytest.raises(ValueError, match=name):
        call()
