"""Edges of a claim of one's own: where it breaks there it has no proof, and a claim that holds passes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.requirements import require

require("proofs")
from proofs_check.checking.edges import EdgeDraw, broken_at, named_numbers  # noqa: E402
from simspec.claims.claim import Claim, at_most  # noqa: E402


def pair(draw: Any) -> dict[str, Any]:
    target, draft = draw.pair(draw.vocab())
    return {"p": target, "q": draft}


def overlap(p: Any, q: Any) -> Any:
    return np.minimum(p, q).sum(axis=-1)


def own(lhs: Any, instances: Any = pair, most: int = 1, **more: Any) -> Claim:
    return Claim("own.claim", "bound", "a claim of one's own", "nobody", lhs, at_most, lambda: most, instances, **more)


def test_draws_by_hand() -> None:
    low, high = EdgeDraw(Fraction(0)), EdgeDraw(Fraction(1))
    assert (low.integer(2, 9), high.integer(2, 9), EdgeDraw(Fraction(1, 2)).integer(2, 9)) == (2, 9, 5)
    assert (low.number(0, 1), high.number(0, "1/3")) == (0, Fraction(1, 3))
    assert [*map(sum, (low.law(1), low.law(4), high.law(4), EdgeDraw(high.end, Fraction(1, 7)).law(4)))] == [1] * 4
    assert EdgeDraw(low.end, Fraction(7)).integer(0, 6) == 0 and EdgeDraw(low.end, Fraction(7)).integer(0, 7) == 7
    first, second = low.pair(3)
    assert first is second  # a tie


def test_a_claim_that_holds_passes() -> None:
    assert broken_at(own(overlap)) is None


@pytest.mark.parametrize(
    "lhs",
    [
        lambda p, q: 2 if p[0] == Fraction(1, 7919) else overlap(p, q),
        lambda p, q: 2 if np.array_equal(p, q) and p.max() < 1 else overlap(p, q),
        lambda p, q: 2 if p[-1] == 1 else overlap(p, q),
        lambda p, q: 2 if len(p) == 4097 else overlap(p, q),
        lambda p, q: 2 if len(p) > 500 else overlap(p, q),
    ],
    ids=["a number", "a tie", "an end", "a size", "many tokens"],
)
def test_a_claim_that_breaks_at_an_edge(lhs) -> None:
    assert "does not hold at an edge" in str(broken_at(own(lhs)))


def test_what_breaks_an_assumption_is_no_edge() -> None:
    claim = own(lambda p, q: len(p), most=100, assumes={"few tokens": lambda p: len(p) <= 100})
    assert broken_at(claim) is None


def test_an_end_of_every_coin() -> None:
    def coins(draw: Any) -> dict[str, Any]:
        return {"n": sum(draw.integer(0, 1) for _ in range(20))}

    assert broken_at(own(lambda n: n, coins, most=19)) == "the claim does not hold at an edge of its instances: n = 20"


def test_a_formula_that_grows_too_fast_is_left_alone() -> None:
    """Of 2^V a formula is asked for few V only: it would not end."""
    sizes: list[int] = []

    def subsets(p: Any, q: Any) -> Any:
        sizes.append(len(p))
        return sum(1 for _ in range(2 ** len(p))) * 0

    assert broken_at(own(subsets)) is None
    assert max(sizes) <= 24


def test_a_formula_without_a_value_refutes_nothing() -> None:
    assert broken_at(own(lambda p, q: 1 / (p[0] - p[0]))) is None


def test_numbers_that_the_code_names() -> None:
    """Those of functions inside are among them."""

    def lhs(p: Any) -> Any:
        return [mass for mass in p if mass < Fraction(3, 11)]

    assert {Fraction(3), Fraction(11), Fraction(3, 11), Fraction(1, 11)} <= {*named_numbers(own(lhs))}
