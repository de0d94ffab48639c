"""Rules for several drafts: by hand, against each other, and against their closed forms; what they refuse."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec.laws import exact
from simspec.methods import SD, acceptance_rate
from simspec.methods.multi import (
    at_root,
    greedy_acceptance,
    greedy_drafts,
    greedy_verification,
    hub,
    iid,
    kseq,
    kseq_acceptance,
    kseq_rho,
    match_acceptance,
    of_law,
    recursive_rejection,
    rrs_acceptance,
    rrsw_acceptance,
    rrsw_rates,
    spechub,
    spechub_acceptance,
    step_law,
    swor,
)
from simspec.methods.tree import rates_of_drawn
from simspec.methods.verifier import by_rows, facts, outcomes
from simspec.methods.verifier.chance import UniformChance
from tests.strategies import laws

P, Q = exact([2, 1, 1]) / 4, exact([1, 2, 1]) / 4
SURE = exact([0, 1, 0])


@st.composite
def pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    vocab = draw(st.integers(1, 3))
    return draw(laws(vocab)), draw(laws(vocab)), draw(st.integers(1, 3))


def test_one_draft_is_speculative_decoding() -> None:
    for node, drafts in ((recursive_rejection(), iid), (recursive_rejection(False), swor), (kseq(F(1)), iid)):
        found = step_law(node, drafts, 1, P, Q)
        assert found.law.tolist() == P.tolist()
        assert found.acceptance == acceptance_rate(SD, P, Q)


def test_two_drafts_of_a_sure_target() -> None:
    """p is sure of a token of mass 1/2: two independent drafts miss it in a quarter of the steps."""
    assert step_law(recursive_rejection(), iid, 2, SURE, Q).acceptance == F(3, 4)
    assert rrs_acceptance(SURE, Q, 2) == match_acceptance(SURE, Q, 2) == F(3, 4)
    assert step_law(recursive_rejection(False), swor, 2, SURE, Q).acceptance == F(1, 2) + 2 * F(1, 4) * F(2, 3)


@settings(max_examples=15, deadline=None)
@given(pairs())
def test_closed_forms_are_those_of_the_rules(drawn) -> None:
    p, q, k = drawn
    low, rho = kseq_rho(p, q, k, 12)
    assert 1 <= low <= rho <= k
    rules = [
        (recursive_rejection(), iid, k, rrs_acceptance(p, q, k)),
        (kseq(rho), iid, k, kseq_acceptance(p, q, k, rho)),
        (greedy_verification, greedy_drafts, k, greedy_acceptance(p, q, k)),
        (spechub, hub, 2, spechub_acceptance(p, q)),
    ]
    for node, drafts, number, acceptance in rules:
        found = step_law(node, drafts, number, p, q)
        assert found.law.tolist() == p.tolist()
        assert found.acceptance == acceptance


@settings(max_examples=15, deadline=None)
@given(pairs())
def test_without_replacement_by_paths(drawn) -> None:
    """To rounding for two drafts; for three within 0.1, beyond 6 standard errors of 2000 paths (false alarms under 1e-8)."""
    p, q, k = drawn
    found = float(step_law(recursive_rejection(False), swor, k, p, q).acceptance)
    told = rrsw_acceptance(p.astype(float), q.astype(float), k, 2000 if k > 2 else 1)
    assert abs(told - found) < (1e-9 if k <= 2 else 0.07)


def test_paths_differ_where_the_price_of_a_draft_does() -> None:
    """A biased sum over paths would be seen: the estimate of three drafts is within 5 standard errors of 1e-3."""
    p, q = exact([1, 2, 3, 4]) / 10, exact([4, 3, 2, 1]) / 10
    found = float(step_law(recursive_rejection(False), swor, 3, p, q).acceptance)
    assert abs(rrsw_acceptance(p.astype(float), q.astype(float), 3, 4000) - found) < 5e-3
    assert abs(rrsw_acceptance(p.astype(float), q.astype(float), 2) - found) > 5e-2


def test_rates_of_children_without_replacement() -> None:
    """Two to rounding, the others within 0.045: 1000 paths, masses in [0, 0.4] (Hoeffding: false alarms under 1e-8)."""
    p, q = exact([1, 2, 3, 4]) / 10, exact([4, 3, 2, 1]) / 10
    upto = [float(step_law(recursive_rejection(False), swor, k, p, q).acceptance) for k in range(1, 5)]
    found = rrsw_rates(p.astype(float), q.astype(float), 4, 1000)
    apart = abs(found - np.diff([0.0, *upto]))
    assert apart[:2].max() < 1e-12 and apart.max() < 0.045
    assert abs(rates_of_drawn(p.astype(float), q.astype(float), 4) - np.diff([0.0, *upto])).max() > 0.05
    sure = rrsw_rates(np.array([[1.0, 0.0]] * 2), np.array([[0.0, 1.0], [1.0, 0.0]]), 3)
    assert sure.tolist() == [[0, 0, 0], [1, 0, 0]]


def test_shapes() -> None:
    rng = np.random.default_rng(0)
    p, q = (rng.dirichlet(np.ones(50), size=(2, 3)) for _ in range(2))
    for rate in (rrs_acceptance, kseq_acceptance, greedy_acceptance, rrsw_acceptance, match_acceptance):
        found = rate(p, q, 3)
        assert found.shape == (2, 3)
        assert abs(found[1, 2] - rate(p[1, 2], q[1, 2], 3)) < 0.05
    assert spechub_acceptance(p, q).shape == (2, 3)


@pytest.mark.parametrize("drafts", [iid, swor, greedy_drafts])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_laws_of_drafts_have_mass_one(drafts, k) -> None:
    for q in (Q, SURE):
        assert sum(weight for weight, _ in drafts(q, k)) == 1


def test_a_hub() -> None:
    """The most likely token 1 has half: (0, 1), (2, 1), (1, 0), (1, 2) with a quarter each."""
    assert list(hub(Q)) == [(F(1, 4), (0, 1)), (F(1, 4), (2, 1)), (F(1, 4), (1, 0)), (F(1, 4), (1, 2))]
    assert list(hub(SURE)) == [(1, (1,))]
    with pytest.raises(ValueError, match=r"k: 3; expected 2"):
        list(hub(Q, 3))


def test_fewer_tokens_than_drafts() -> None:
    """Without replacement no more are drawn than q has; greedy drafts then are tokens of mass zero."""
    assert list(swor(SURE, 3)) == [(1, (1,))]
    assert list(greedy_drafts(SURE, 3)) == [(1, (1, 0))]
    for node, drafts in ((recursive_rejection(False), swor), (greedy_verification, greedy_drafts)):
        assert step_law(node, drafts, 3, P, SURE).law.tolist() == P.tolist()


def test_as_a_verifier() -> None:
    """An accepted draft is followed by a token of the target; two tokens then have the target's law."""
    rows = [P, exact([1, 1, 2]) / 4]
    found = outcomes(at_root(recursive_rejection()), by_rows(rows), by_rows([Q]), 1, of_law(iid, 2))
    made = facts(found, by_rows(rows), 1)
    assert made.tv == 0
    assert made.length == 1 + made.acceptance == 1 + rrs_acceptance(P, Q, 2)
    with pytest.raises(ValueError, match=r"gamma: 2; expected 1"):
        outcomes(at_root(recursive_rejection()), by_rows(rows), by_rows([Q]), 2, of_law(iid, 2))


def test_orders() -> None:
    """Two drafts, the last first: the first test is of the last."""
    first = iter([0.0])
    uniforms = UniformChance(lambda: next(first))
    assert recursive_rejection(order=(1, 0))(P, Q, (1, 0), uniforms) == (0, 1)
    for order, said in (((0, 0), "each place of the 2 drafts once"), ("by-r", "drawn, by-p, by-q or a permutation")):
        with pytest.raises(ValueError, match=said):
            step_law(recursive_rejection(order=order), iid, 2, P, Q)


def test_too_small_a_threshold_is_lossy() -> None:
    p, q = exact([1, 3]) / 4, exact([3, 1]) / 4
    assert step_law(kseq(F(1)), iid, 2, p, q).law.tolist() != p.tolist()
