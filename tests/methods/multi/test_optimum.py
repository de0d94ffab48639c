"""The optimum: certificates that are no proof are refused, and the quick forms agree with the exact ones."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings

from simspec.laws import exact
from simspec.methods.multi import (
    certified,
    draft_sets,
    greedy_acceptance,
    iid,
    optimal_acceptance,
    optimum,
    share,
    spechub_acceptance,
    subset_form,
    swor,
    thresholds,
)
from simspec.methods.multi import leaving as leaving_module
from simspec.methods.multi.leaving import CHUNK, leaving
from simspec.methods.multi.optimum import LARGEST, subset_value, two_step
from simspec.methods.multi.thresholds import iid_optimum, swor_optimum
from simspec.methods.registry import kinds, rule
from simspec.tools.rates import rates
from simspec.tools.reading import Pairs
from tests.methods.multi.test_rules import P, Q, pairs

NAMES = {kind.name: kind for kind in kinds("siblings") if kind.name != "gumbel-list"}

ALL = {"iid": iid, "swor": swor}


@settings(max_examples=20, deadline=None)
@given(pairs())
def test_flow_cut_and_selection_agree(drawn) -> None:
    p, q, k = drawn
    for name, drafts in ALL.items():
        sets = draft_sets(drafts(q, k))
        found = optimum(p, sets)
        assert certified(found, p, sets)
        assert found.value == subset_form(p, sets) == two_step(p, sets)
        quick = optimal_acceptance(p.astype(float), q.astype(float), k, name)
        assert abs(quick - found.value) < 1e-12


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_quick_forms_with_one_heavy_token(k) -> None:
    """Most of q on one token: the integral has times of two sizes."""
    p, q = exact([1, 5, 2, 2]) / 10, exact([10**6, 3, 2, 1]) / (10**6 + 6)
    for quick, drafts in ((iid_optimum, iid), (swor_optimum, swor)):
        assert abs(quick(p.astype(float), q.astype(float), k) - float(subset_form(p, draft_sets(drafts(q, k))))) < 1e-12


def test_quick_forms_on_many_tokens() -> None:
    """Against every prefix in the order of p/q, one integral for all: the search in buckets loses nothing."""
    rng = np.random.default_rng(3)
    p, q = (rng.dirichlet(np.full(3000, 0.1)) for _ in range(2))
    order = np.argsort(p / q, kind="stable")
    mass, told = np.cumsum(p[order]), q[order]
    assert abs(iid_optimum(p, q, 4) - min(1, (mass + 1 - np.cumsum(told) ** 4).min())) < 1e-12
    inside = np.cumsum(told)
    pairs_ = inside * np.cumsum(told / (1 - told)) - np.cumsum(told**2 / (1 - told))  # two drafts, in closed form
    assert abs(swor_optimum(p, q, 2) - min(1, (mass + 1 - pairs_).min())) < 1e-11
    assert optimal_acceptance(np.stack([p, q]), np.stack([q, q]), 2).shape == (2,)


def test_the_grid_counts_small_and_large_tokens_alike() -> None:
    """A token more or less among those that are counted one by one changes nothing."""
    q = np.array([0.4, 0.3, 0.2, 0.0995, 0.0005])
    made = leaving(q, 3, np.arange(5))
    assert 4 not in made.single
    empty = made.probability(np.array([1.0]), np.zeros((5, 1)), np.array([0]))
    assert abs(empty[0] - 1) < 1e-12


def test_tokens_of_one_ratio_are_looked_at_once(monkeypatch) -> None:
    """One sure token and a tail that both laws share: its p/q differ by rounding only, and no part of it does better."""
    p = np.arange(1, 5001) ** -1.1
    q = p / p.sum()
    p = 1e-3 * q / q[1:].sum()
    p[0] = 1 - 1e-3
    real, passes = np.bincount, []

    def counted(x, weights=None):
        if weights is None:
            passes.append(len(x))
        return real(x, weights)

    monkeypatch.setattr(thresholds.np, "bincount", counted)
    order = np.argsort(p / q, kind="stable")
    least = (np.cumsum(p[order]) + 1 - np.cumsum(q[order]) ** 4).min()
    assert abs(iid_optimum(p, q, 4) - least) < 1e-12
    assert passes == [5000]
    assert iid_optimum(p, q, 4) <= swor_optimum(p, q, 4) and passes == [5000] * 3


@pytest.mark.parametrize("size", [1, 7, CHUNK, 5 * CHUNK, 5 * CHUNK + 3])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 7])
def test_the_largest_of_many(size, count, monkeypatch) -> None:
    """Chunks give what a sort of all gives, with ties, and never partition all tokens: of equal ones that is slow."""
    rng = np.random.default_rng(size)
    real = np.partition
    monkeypatch.setattr(
        leaving_module.np, "partition", lambda x, at: real(x, at) if len(x) <= max(8, size // 2) else pytest.fail("all")
    )
    for q in (rng.random(size), np.full(size, 0.25), np.round(4 * rng.random(size)), np.sort(rng.random(size))):
        count = min(count, size)
        assert abs(leaving_module._largest(q, count) - np.sort(q)[size - count :].sum()) < 1e-12


FOUND = optimum(P, draft_sets(iid(Q, 2)))


@pytest.mark.parametrize(
    "changes",
    [
        {"value": FOUND.value + F(1, 100)},
        {"chosen": frozenset({1})},
        {"chosen": frozenset({7})},
        {"flow": {}},
        {"flow": {**FOUND.flow, (frozenset({0}), 2): F(1, 100)}},
        {"flow": {**FOUND.flow, (frozenset({0}), 0): F(1, 2)}},
        {"flow": {**FOUND.flow, (frozenset({0}), 0): F(-1, 2)}},
    ],
)
def test_a_certificate_that_proves_nothing_is_refused(changes) -> None:
    sets = draft_sets(iid(Q, 2))
    assert certified(FOUND, P, sets)
    assert not certified(FOUND._replace(**changes), P, sets)


def test_every_subset_is_a_bound() -> None:
    sets = draft_sets(iid(Q, 2))
    values = [subset_value(P, sets, [t for t in range(3) if at >> t & 1]) for at in range(8)]
    assert min(values) == FOUND.value == subset_form(P, sets)
    with pytest.raises(ValueError, match=rf"at most {LARGEST}"):
        subset_form(np.full(20, 1 / 20), {})


def test_hub_and_greedy_drafts_are_the_same_sets() -> None:
    p, q = P.astype(float), Q.astype(float)
    assert optimal_acceptance(p, q, 2, "hub") == greedy_acceptance(p, q, 2) == spechub_acceptance(p, q)
    assert share(spechub_acceptance(p, q), p, q, 2, "hub") == 1
    with pytest.raises(ValueError, match="expected iid, swor, greedy or hub"):
        optimal_acceptance(p, q, 2, "beam")


def test_nothing_to_accept() -> None:
    """Laws without a common token: nothing is accepted, which is all that can be."""
    p, q = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    assert optimal_acceptance(p, q, 2) == 0 and share(0.0, p, q, 2) == 1


@pytest.mark.parametrize("name", NAMES)
def test_names(name) -> None:
    text = name if not NAMES[name].numbers else f"{name}:2"
    p, q = P.astype(float)[None], Q.astype(float)[None]
    made = rates(Pairs(p, q, np.array([0]), "by hand"), [text])[0]
    acceptance, part = (made.values[column].estimate for column in ("acceptance", "share"))
    assert made.rule == text and 0 < part <= 1 + 1e-12 and made.values["tv"].estimate == 0
    given = rule(text, several=True)
    assert acceptance == given.accepts(p, q)[0]
    assert abs(part - acceptance / given.most(p, q)[0]) < 1e-12


@pytest.mark.parametrize(
    ("text", "said"),
    [("rrs", "expected rrs:K"), ("spechub:2", "expected spechub"), ("kseq:0", "K: 0; expected"), ("rrs:1/2", "K: 0.5")],
)
def test_names_that_are_refused(text, said) -> None:
    with pytest.raises(ValueError, match=said):
        rule(text, several=True)


def test_a_rule_of_several_drafts_is_none_for_one_token() -> None:
    with pytest.raises(ValueError, match="'rrs:2' drafts several tokens"):
        rule("rrs:2")
    assert rule("sd").most is None
