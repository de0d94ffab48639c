"""Token-level intersection and its neighbours: proposals by hand, their order, and bad masks."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from simspec.methods import SD, acceptance_rate, restricted, tli, uniform, unigram_mixture
from tests import strategies as some

P = laws.exact(np.array([0.5, 0.25, 0.25]))
Q = laws.exact(np.array([0.25, 0.25, 0.5]))
SHARED = np.array([True, True, False])


def test_by_hand() -> None:
    assert tli(SHARED).propose(Q).tolist() == [F(1, 2), F(1, 2), 0]
    assert acceptance_rate(tli(SHARED), P, Q) == F(3, 4)
    assert acceptance_rate(restricted(SHARED), P, Q) == F(1, 2)
    assert acceptance_rate(uniform(), P, Q) == F(1, 3) + F(1, 4) + F(1, 4)
    mixture = unigram_mixture(SHARED, P, F(1, 4))
    assert mixture.propose(Q).tolist() == [F(3, 8), F(3, 8), F(1, 4)]
    assert acceptance_rate(mixture, P, Q) == F(7, 8)


def test_a_draft_without_mass_on_the_shared_vocabulary_proposes_uniformly_there() -> None:
    outside = laws.exact(np.array([0, 0, 1]))
    assert tli(SHARED).propose(outside).tolist() == [F(1, 2), F(1, 2), 0]
    assert acceptance_rate(restricted(SHARED), P, outside) == 0


def test_a_mixture_with_nothing_outside_is_plain_tli() -> None:
    everywhere = np.ones(3, dtype=bool)
    assert unigram_mixture(everywhere, P, F(1, 2)).propose(Q).tolist() == Q.tolist()
    within = laws.exact(np.array([0.5, 0.5, 0]))  # no unigram mass outside the shared vocabulary
    assert unigram_mixture(SHARED, within, F(1, 2)).propose(Q).tolist() == tli(SHARED).propose(Q).tolist()


@given(st.data())
def test_acceptance_is_ordered_and_below_the_ceiling(data) -> None:
    p, q = data.draw(some.pairs())
    mask = data.draw(some.masks(len(p)))
    pruned, renormalised = acceptance_rate(restricted(mask), p, q), acceptance_rate(tli(mask), p, q)
    assert pruned <= renormalised <= p[mask].sum()
    assert pruned <= acceptance_rate(SD, p, q)
    assert acceptance_rate(uniform(), p, q) == sum(min(x, F(1, len(p))) for x in p)


@given(st.data())
def test_a_full_mask_changes_nothing_and_weight_zero_is_tli(data) -> None:
    p, q = data.draw(some.pairs())
    everywhere, mask = np.ones(len(p), dtype=bool), data.draw(some.masks(len(p)))
    assert (tli(everywhere).propose(q) == q).all()
    assert (restricted(everywhere).accept(p, q) == SD.accept(p, q)).all()
    assert (unigram_mixture(mask, p, 0).propose(q) == tli(mask).propose(q)).all()
    tail = np.where(mask, 0, p)
    if tail.sum():
        assert (unigram_mixture(mask, p, 1).propose(q) == tail / tail.sum()).all()


@given(st.data())
def test_no_method_looks_at_the_target_when_it_proposes(data) -> None:
    """`propose` takes the draft law alone; nothing outside the mask is proposed by TLI."""
    p, q = data.draw(some.pairs())
    mask = data.draw(some.masks(len(p)))
    assert not tli(mask).propose(q)[~mask].any()


@pytest.mark.parametrize("make", [tli, restricted, lambda s: unigram_mixture(s, np.full(3, 1 / 3), 0.5)])
@pytest.mark.parametrize(
    ("shared", "message"),
    [
        (np.array([False] * 3), "shared: no token is true"),
        (np.array([1, 1, 0]), "shared: dtype int64; expected a boolean mask"),
        (np.array(True), r"shared: shape \(\)"),
    ],
)
def test_bad_masks_are_refused(make, shared, message) -> None:
    with pytest.raises(ValueError, match=message):
        make(shared)


@pytest.mark.parametrize("method", [tli(SHARED), restricted(SHARED), unigram_mixture(SHARED, P, F(1, 2))])
def test_a_mask_for_another_vocabulary_is_refused(method) -> None:
    p = laws.exact(np.array([0.25] * 4))
    with pytest.raises(ValueError, match=r"shared: shape \(3,\); expected one element per token, \(..., 4\)"):
        acceptance_rate(method, p, p)


@pytest.mark.parametrize("mix", [-0.1, 1.1, np.nan])
def test_bad_weights_are_refused(mix) -> None:
    with pytest.raises(ValueError, match=f"mix: {mix}; expected a weight between 0 and 1"):
        unigram_mixture(SHARED, P, mix)


def test_a_bad_unigram_is_refused() -> None:
    with pytest.raises(ValueError, match="unigram: row .* sums to 2"):
        unigram_mixture(SHARED, np.array([1.0, 1.0, 0.0]), 0.5)
