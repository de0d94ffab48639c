"""The most drafts at a given total variation: one draft by hand, the curve, a certificate that is refused, shares of rules."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise

import pytest

from simspec.laws import exact
from simspec.methods import SD, ears, fresh, mixture
from simspec.methods.block.hierarchical import hierarchical_capped, hierarchical_naive
from simspec.methods.block.lossy import curve, lossy_optimum, lossy_program, share_of
from simspec.methods.block.optimum import checked, optimum, solved
from simspec.methods.block.verification import block_verifier
from simspec.methods.registry import kinds, rule
from simspec.methods.verifier.match import exact_match
from simspec.methods.verifier.verifier import from_method

RULES = {kind.name: kind for kind in kinds("token") if not kind.needs}

pytest.importorskip("scipy")
P, Q = exact(["1/2", "3/8", "1/8"]), exact(["1/4", "1/4", "1/2"])


def _p(x):
    return P


def _q(x):
    return Q


@pytest.mark.parametrize("tv", [F(0), F(1, 8), F(3, 8), F(1)])
def test_one_draft_is_overlap_and_distance(tv) -> None:
    """TV(p, q) = 3/8."""
    assert lossy_optimum(_p, _q, 1, tv) == min(1, F(5, 8) + tv)


def test_ends_of_the_curve() -> None:
    """At 0 the lossless optimum; γ from the distance of the drafts' own law on, and not before."""
    found = curve(_p, _q, 2)
    far = sum(max(Q[a] * Q[b] - P[a] * P[b], 0) for a in range(3) for b in range(3))
    assert found[0] == (0, optimum(_p, _q, 2)) and found[-1] == (1, 2)
    assert found[-2] == (far, 2)


@pytest.mark.parametrize("further", [False, True])
def test_the_curve_is_the_optimum_between_its_corners(further) -> None:
    """Concave, rising, and right halfway between two corners."""
    p, q = exact(["1/2", "1/2"]), exact(["7/8", "1/8"])
    target = lambda x: p if not x else exact(["1/4", "3/4"]) if x[-1] else q  # noqa: E731
    found = curve(target, lambda x: q, 2, further)
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(found)]
    assert slopes == sorted(slopes, reverse=True) and len({*slopes}) == len(slopes) > 1
    (t, value), (end, top) = found[:2]
    assert lossy_optimum(target, lambda x: q, 2, (t + end) / 2, further) == (value + top) / 2


def test_a_certificate_of_another_distance_is_refused() -> None:
    of, other = (lossy_program(_p, _q, 1, tv) for tv in (F(1, 8), F(1, 4)))
    good = solved(other)
    assert checked(other, good) == F(7, 8)
    with pytest.raises(ValueError, match="certificate"):
        checked(of, good)


@pytest.mark.parametrize("tv", [F(-1, 8), F(9, 8)])
def test_distances_that_are_none(tv) -> None:
    with pytest.raises(ValueError, match="tv"):
        lossy_program(_p, _q, 1, tv)


@pytest.mark.parametrize(
    ("rule", "most"),
    [(SD, True), (mixture(F(1, 4)), True), (ears(F(1, 4)), True), (replace(ears(F(1, 4)), residual=fresh), False)],
)
def test_of_one_draft_the_residual_decides(rule, most) -> None:
    """With that of speculative decoding relaxed rules reach the most of their distance; with a draw from p they do not."""
    found = share_of(rule, _p, _q, 1)
    assert found.best == F(5, 8) + found.tv
    assert (found.share == 1) == most and found.share <= 1


def test_of_two_drafts_token_by_token_is_not_the_most() -> None:
    """Drafts are those that the rule proposes: one that is always kept has share 1."""
    assert share_of(SD, _p, _q, 2).share == F(65, 68)
    sure = replace(SD, propose=lambda q: exact([1, 0, 0]), accept=lambda p, d: d)
    assert share_of(sure, _p, _q, 2)[:] == (2, 1 - F(1, 4), 2)


@pytest.mark.parametrize(
    ("verifier", "share", "further"),
    [
        (block_verifier(), 1, False),
        (hierarchical_capped, 1, False),
        (from_method(SD)[1], F(10, 11), False),
        (exact_match, F(52, 99), False),
        (hierarchical_naive, 1, True),
        (block_verifier(), F(11, 12), True),
    ],
)
def test_verifiers_of_a_block_beside_the_best(verifier, share, further) -> None:
    """The example of block verification's paper: the best lossless one accepts 11/9 of two drafts, any text after them 4/3."""
    p, q = exact(["1/3", "2/3"]), exact(["2/3", "1/3"])
    found = share_of(verifier, lambda x: p, lambda x: q, 2, further)
    assert (found.tv, found.best) == (0, F(4, 3) if further else F(11, 9))
    assert found.share == share


def test_a_biased_verifier_of_a_block_has_a_share_at_its_distance() -> None:
    p, q = exact(["1/3", "2/3"]), exact(["2/3", "1/3"])
    found = share_of(block_verifier(early=True), lambda x: p, lambda x: q, 2)
    assert found[:] == (F(5, 9), F(1, 3), 2) and found.share == F(5, 18)


NUMBERS = {"typical": "0.3,0.09", "typical-argmax": "0.3,0.09", "top": "2", "thresholds": "0.5,0.9", "sqs": "2,4"}
NUMBERS |= {"csqs": "0.2,4", "dense": "4"}
FLOATS = {"ears-entropy"}
"""Rules whose kept mass is no fraction of fractions."""
SHORT = {"ears-fresh", "cascade-tok3", "thresholds", "strict", "additive", "multiplicative", "top", "fsd-kl", "fsd-tv"}
SHORT |= {"gumbel", "minhash", "quantile", "match", "match-fresh"}
SHORT |= {"p-min", "p-min-kept", "p-min-one-hot", "p-min-rejected"}
"""Rules that do not reach the most of their distance on these laws."""


@pytest.mark.parametrize("name", sorted(RULES.keys() - FLOATS))
def test_every_rule_has_its_share(name) -> None:
    numbers = NUMBERS.get(name, "0.3" if RULES[name].numbers else "")
    found = share_of(rule(f"{name}:{numbers}".rstrip(":")).method, _p, _q, 1)
    assert 0 <= found.accepted <= found.best and (found.share < 1) == (name in SHORT)
