"""Block verification by hand, and the rules that are written in its place."""

import math
from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import law
from simspec.methods import SD
from simspec.methods.block.hierarchical import hierarchical_capped, hierarchical_naive, hierarchical_package
from simspec.methods.block.verification import block_verifier, cumulative_verifier, reached
from simspec.methods.joint.verifier import Verifier, by_rows, facts, from_method, outcomes

P, Q = law("1/3", "2/3"), law("2/3", "1/3")
THREE = (
    [law("1/2", "1/4", "1/4"), law("3/5", "2/5", 0), law("1/3", "1/3", "1/3")],
    [law("3/4", "1/4", 0), law("1/4", "1/4", "1/2")],
)


def _facts(verifier: Verifier, p=P, q=Q, gamma=2):
    return facts(outcomes(verifier, lambda x: p, lambda x: q, gamma), lambda x: p, gamma)


def test_the_example_of_the_paper() -> None:
    """Sun et al. 2024, section 1: 11/9 by the block, 10/9 one by one, 12/9 at best."""
    assert _facts(block_verifier()).accepted == F(11, 9)
    assert _facts(from_method(SD)[1]).accepted == F(10, 9)
    assert _facts(hierarchical_naive).accepted == F(12, 9)
    assert _facts(hierarchical_capped).accepted == F(11, 9)


@pytest.mark.parametrize("verifier", [block_verifier(), hierarchical_naive, hierarchical_capped])
def test_lossless_rules_are_lossless(verifier) -> None:
    target, draft = (by_rows(rows) for rows in THREE)
    assert facts(outcomes(verifier, target, draft, 2), target, 2).tv == 0


@pytest.mark.parametrize(
    "verifier",
    [block_verifier(early=True), block_verifier(token_residual=True), hierarchical_package, cumulative_verifier()],
)
def test_others_are_not(verifier) -> None:
    target, draft = (by_rows(rows) for rows in THREE)
    assert facts(outcomes(verifier, target, draft, 2), target, 2).tv > 0.001


@pytest.mark.parametrize("verifier", [block_verifier(), hierarchical_naive, hierarchical_capped, hierarchical_package])
@pytest.mark.parametrize("gamma", [0, 1, 2, 3])
def test_equal_laws_keep_all_but_by_the_package(verifier, gamma) -> None:
    """Ratios of one: everything is kept, in floats too."""
    for half in (law("1/2", "1/2"), np.array([0.5, 0.5])):
        model = by_rows([half] * (gamma + 1))
        found = outcomes(verifier, model, model, gamma)
        assert {o.accepted for o in found} == {gamma}
        assert sum(o.probability for o in found) == 1


def test_one_token_and_disjoint_supports() -> None:
    one = law(1)
    for verifier in (block_verifier(), hierarchical_naive, hierarchical_capped, cumulative_verifier()):
        assert {o.tokens for o in outcomes(verifier, lambda x: one, lambda x: one, 2)} == {(0, 0, 0)}
        apart = outcomes(verifier, lambda x: law(1, 0), lambda x: law(0, 1), 2)
        assert {o.accepted for o in apart} == {0} and {set(o.tokens) == {0} for o in apart} == {True}


def test_the_naive_rule_asks_for_laws_that_were_not_drafted() -> None:
    asked = set()

    def target(x):
        asked.add(x)
        return P

    list(hierarchical_naive(target, lambda x: Q, (0, 0)))
    assert asked - {(), (0,), (0, 0)} == {(1,)}


def test_products_of_coins_against_simulation() -> None:
    """200,000 draws; the false-alarm rate of six standard errors is below 1e-8 for each of the four numbers."""
    rows = [law("1/4", "3/4"), law("1/2", "1/2"), law("2/3", "1/3"), law(1, 0)]
    drafts = [law("1/2", "1/2"), law("5/8", "3/8"), law("3/4", "1/4")]
    found = cumulative_verifier()(by_rows(rows), by_rows(drafts), (0, 0, 0))
    exact = [sum(o.probability for o in found if o.accepted == k) for k in range(4)]
    assert sum(exact) == pytest.approx(1)
    ratios = np.cumprod([min(1.0, float(p[0] / q[0])) for p, q in zip(rows, drafts, strict=False)])
    passes = ratios >= np.cumprod(np.random.default_rng(0).random((200_000, 3)), axis=1)
    last = np.where(passes.any(axis=1), 3 - np.argmax(passes[:, ::-1], axis=1), 0)
    seen = np.bincount(last, minlength=4) / len(last)
    assert np.abs(seen - exact).max() < 6 * math.sqrt(0.25 / len(last))


def test_what_is_reached_never_exceeds_one() -> None:
    assert reached([P, P, P], [Q, Q], (1, 0)) == [1, 1, F(1, 2)]
    assert reached([P, P, P], [Q, Q], (0, 1)) == [1, F(1, 2), 1]
