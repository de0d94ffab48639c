"""Several drafts, by hand: the smallest laws on which a statement fails, and two roads to the same number where it holds."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import law
from simspec.claims.multi.parts import at_best, between, iid_best, rrs, rrsw, sets_of
from simspec.claims.multi.thresholds import threshold_sets
from simspec.methods.multi import iid, rrs_acceptance, swor
from simspec.methods.multi.kseq import kseq_acceptance
from simspec.methods.multi.optimum import draft_sets, subset_form, subset_value
from tests.claims.cases import counterexample, get

HALVES, SKEW = law("1/2", "1/2"), law("3/4", "1/4")


def test_another_order_of_two_drafts_without_replacement() -> None:
    """q = (3/4, 1/4): the second draft comes first; token 0 is then emitted only where it was drawn second, and kept."""
    found = rrsw(HALVES, SKEW, 2, (1, 0)).law
    assert found.tolist() == [F(1, 6), F(5, 6)]
    assert rrsw(HALVES, SKEW, 2).law.tolist() == [F(1, 2), F(1, 2)]


def test_a_coin_buys_acceptance_one_for_one() -> None:
    """p = (1/2, 1/2) and pairs from q = (3/4, 1/4): 15/16 are accepted losslessly, the rest at TV 1/16."""
    sets = draft_sets(iid(SKEW, 2))
    for w in (F(0), F(1, 2), F(1)):
        assert get("multi.lossy-attained").sides({"p": HALVES, "sets": sets, "w": w}) == (w / 16, w / 16)


def test_drafts_in_order_of_likelihood() -> None:
    """q = p = (1/2, 1/2) in order of p: equal masses leave the order; (1/3, 2/3) draws token 1 too often."""
    p = law("1/3", "2/3")
    assert rrs(p, HALVES, 2, "by-p").law.tolist() == [F(1, 6), F(5, 6)]


@pytest.mark.parametrize("name", ["multi.cover.rrs", "multi.skip-duplicates", "multi.kseq-under-rrsw"])
def test_what_fails_fails_inside_its_assumptions(name) -> None:
    found = counterexample(name)
    assert not get(name).broken(found)
    left, right = get(name).sides(found)
    assert np.any(left != right)


def test_independent_drafts_may_be_the_same_wrong_token() -> None:
    """p = (0, 1), q = (1/2, 1/2): a quarter of the pairs is (0, 0)."""
    assert get("multi.cover.rrs").sides({"p": law(0, 1), "q": HALVES, "k": 2})[0] == F(3, 4)


def test_the_optimum_of_sets_of_drafts_is_that_of_drafts() -> None:
    """With three drafts: sets made from q(H)^3, and from every triple."""
    p, q = law("1/2", "1/3", "1/6"), law("1/6", "1/3", "1/2")
    assert iid_best(p, q, 3) == subset_form(p, draft_sets(iid(q, 3)))
    assert [len(s) for s in sets_of(3)] == [1, 1, 1, 2, 2, 2, 3]


def test_a_hub_beside_recursive_rejection() -> None:
    """Four tokens that are alike to q: SpecHub refuses 5/12, recursive rejection 3/8."""
    left, right = get("multi.spechub-over-rrs.top-safe").sides({"p": law("1/4", 0, 0, "3/4"), "q": law(*["1/4"] * 4)})
    assert (left, right) == (F(7, 12), F(5, 8))


def test_at_its_best_threshold() -> None:
    """p = (1/2, 1/2), q = (3/4, 1/4), two drafts: b = 2 − ρ and 1/4 + 1/(2 ρ) = b, so that ρ = (7 + √17)/8."""
    rho = (7 + 17**0.5) / 8
    accepted = kseq_acceptance(HALVES.astype(float), SKEW.astype(float), 2, rho)
    assert abs(float(at_best(HALVES, SKEW, 2).mid()) - accepted) < 1e-9
    assert (
        at_best(HALVES, SKEW, 2)
        > rrs_acceptance(HALVES, SKEW, 2).numerator / rrs_acceptance(HALVES, SKEW, 2).denominator
    )
    assert between(1, 3).contains(3) and not between(1, 3).contains(4)


def test_thresholds_of_tokens_that_are_never_drafted() -> None:
    assert threshold_sets(law("1/2", "1/4", "1/4"), law(0, "1/2", "1/2")) == [[], [1, 2]]


def test_a_threshold_set_without_replacement() -> None:
    """q = (1/2, 1/3, 1/6), two drafts: both are tokens 0 and 1 with 1/2 · 2/3 + 1/3 · 3/4 = 7/12; p/q = 1/2, 3/4, 3."""
    p, q = law("1/4", "1/4", "1/2"), law("1/2", "1/3", "1/6")
    assert get("multi.threshold.swor").sides({"p": p, "q": q, "k": 2}) == (F(11, 12), F(11, 12))
    assert subset_value(p, draft_sets(swor(q, 2)), [0, 1]) == F(1, 2) + 1 - F(7, 12)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_tuple_of_drafts_is_judged_as_a_whole(k) -> None:
    """For p = q every rule accepts for sure."""
    assert rrs(SKEW, SKEW, k).acceptance == rrsw(SKEW, SKEW, k).acceptance == 1
