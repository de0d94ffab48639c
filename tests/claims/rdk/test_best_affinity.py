"""The best affinity, by hand."""

from __future__ import annotations

from fractions import Fraction as F

from simspec.claims.authoring import matrix
from simspec.claims.rdk.best_affinity import (
    CERTIFICATE,
    MIXED,
    ONE_CONTEXT,
    TWO_CONTEXTS,
    accepted,
    one_target,
    worth,
)

IDENTITY = matrix("1 0", "0 1")


def test_a_token_is_split() -> None:
    """A sure draft and a fair target: half is accepted wherever the token goes, all of it where it is split."""
    assert one_target(**ONE_CONTEXT) == F(1, 2)
    assert accepted(**ONE_CONTEXT, M=matrix("1/2 1/2", "0 1")) == 1


def test_the_certificate_of_the_best_is_zero() -> None:
    """Two contexts in which the draft is right: the identity is best, and its certificate says so whatever stands at ties."""
    for tie in (F(0), F(1, 2), F(1)):
        instance = {**TWO_CONTEXTS, "M": IDENTITY, "other": IDENTITY, "tie": tie}
        assert CERTIFICATE.slack(instance) == 0


def test_what_a_place_is_worth() -> None:
    """Of the mixture 1/2, 1/2 in each context more is wanted of 0 in the first and of 1 in the second."""
    G = worth(MIXED["w"], MIXED["p"], MIXED["q"], MIXED["M"], 0)
    assert G.tolist() == [[F(3, 8), F(1, 8)], [F(1, 8), F(3, 8)]]
    sides = CERTIFICATE.sides({**MIXED, "other": IDENTITY, "tie": F(0)})
    assert sides == (1, F(3, 4) + F(1, 4))


def test_means_are_the_same_for_very_different_contexts() -> None:
    """Laws that come together, or that come crosswise: the same means, and 1 or 0 of acceptance."""
    crossed = {**TWO_CONTEXTS, "q": TWO_CONTEXTS["q"][::-1]}
    assert (accepted(**TWO_CONTEXTS, M=IDENTITY), accepted(**crossed, M=IDENTITY)) == (1, 0)
