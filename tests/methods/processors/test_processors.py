"""Processors around the test: each verifier by hand, against closed forms on fractions and floats, and with planted errors."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product
from typing import Any

import numpy as np
import pytest

from simspec.claims.authoring import law
from simspec.laws import exact, top_k, tv
from simspec.methods.processors import (
    after_draft_tv,
    bonus,
    frequency_penalty,
    fresh_bound,
    least_tv,
    min_p,
    overshoot,
    overshoot_bound,
    penalised,
    prefix,
    processed,
    residual_only,
    sharpened,
    stale,
)
from simspec.methods.verifier import Verifier, next_tokens, outcomes

LAWS = [law("1/2", "1/2"), law("3/4", "1/4"), law(1, 0), law(0, 1)]
PENALTY = frequency_penalty(F(1, 2))
TEXT = (0,)


def emitted(verifier: Verifier, p: Any, q: Any, right: Any) -> dict[tuple[int, ...], Any]:
    """Law of two tokens after one call of one draft, continued with the right law."""
    return next_tokens(outcomes(verifier, lambda x: p[len(x)], lambda x: q, 1), right, 2)


def bias(verifier: Verifier, p: Any, q: Any) -> Any:
    """Total variation of two tokens from those of the processed target."""
    wanted = processed(lambda x: p[len(x) - len(TEXT)], PENALTY)
    return two_token_tv(emitted(verifier, p, q, lambda x: wanted((*TEXT, *x))), wanted)


def two_token_tv(law_of_text: dict[tuple[int, ...], Any], wanted: Any) -> Any:
    exact_law = {(x, y): wanted(TEXT)[x] * wanted((*TEXT, x))[y] for x, y in product(range(2), repeat=2)}
    return sum(abs(law_of_text.get(text, 0) - mass) for text, mass in exact_law.items()) / 2


def closed(p: Any, q: Any, used: Any) -> Any:
    """The same from the closed form, with the law that is used after an accepted draft."""
    first = PENALTY(TEXT, p[0])
    right = np.stack([PENALTY((*TEXT, x), p[1]) for x in range(2)])
    return after_draft_tv(first, q, np.stack([used(x) for x in range(2)]), right)


@pytest.mark.parametrize(("p", "after", "q"), list(product(LAWS, LAWS, LAWS)))
def test_the_bias_is_that_of_the_closed_form(p: Any, after: Any, q: Any) -> None:
    laws = np.stack([p, after])
    assert bias(prefix(PENALTY, TEXT), laws, q) == 0
    assert bias(stale(PENALTY, TEXT), laws, q) == closed(laws, q, lambda x: PENALTY(TEXT, after))
    assert bias(bonus(PENALTY, TEXT), laws, q) == closed(laws, q, lambda x: after)
    floats = laws.astype(float)
    for rule in (stale, bonus):
        got = bias(rule(PENALTY, TEXT), floats, q.astype(float))
        assert got == pytest.approx(float(bias(rule(PENALTY, TEXT), laws, q)), abs=1e-12)


def test_a_planted_error_is_seen() -> None:
    """The closed form without the draft's share is another number: the comparison above can fail."""
    laws = np.stack([LAWS[0], LAWS[0]])
    right = np.stack([PENALTY((*TEXT, x), laws[1]) for x in range(2)])
    used = np.stack([laws[1]] * 2)
    assert (tv(used, right) * PENALTY(TEXT, laws[0])).sum() != bias(bonus(PENALTY, TEXT), laws, LAWS[3])


def test_residual_only_by_hand() -> None:
    """Top-1 of (3/4, 1/4) leaves the first token only; the raw test accepts the second as often as it is drafted, 1/4."""
    p = LAWS[1]
    verifier = residual_only(lambda text, residual: top_k(residual, 1))
    found = next_tokens(outcomes(verifier, lambda x: p, lambda x: p, 1), lambda x: p, 1)
    assert found == {(0,): F(3, 4), (1,): F(1, 4)}


def test_filters_by_hand() -> None:
    p = law("2/3", "1/3")
    assert penalised(p, np.array([2, 0]), F(1, 2)).tolist() == [F(1, 3), F(2, 3)]
    assert penalised(law(1, 0), np.array([1, 0]), 0).tolist() == [1, 0], "nothing is left, so p stays"
    assert min_p(p, F(1, 2)).tolist() == p.tolist()
    assert min_p(sharpened(p, 2), F(1, 2)).tolist() == [1, 0]
    assert sharpened(p, 2).tolist() == [F(4, 5), F(1, 5)]
    assert sharpened(np.array([1e-30, 1 - 1e-30]), 64).tolist() == [0.0, 1.0]


def test_a_rule_is_within_its_bound_and_reaches_it() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        p, q = (exact(w) / w.sum() for w in rng.integers(0, 6, (2, 3)) + np.array([0, 1, 0]))
        accepted = np.minimum(q, p * F(int(rng.integers(2, 9)), 2))
        most = overshoot(accepted, p)
        acceptance = accepted.sum()
        assert least_tv(accepted, p) <= overshoot_bound(max(most, F(1)), acceptance)
        fresh = accepted + (1 - acceptance) * p
        assert tv(fresh, p) <= fresh_bound(most, acceptance)
    p, accepted = law("1/2", "1/2"), law(1, 0)
    assert overshoot(accepted, p) == 2
    assert least_tv(accepted, p) == overshoot_bound(F(2)) == F(1, 2)
    assert least_tv(accepted, p) > overshoot_bound(F(3, 2)), "the bound of a smaller c does not hold"


def test_overshoot_at_the_edges() -> None:
    assert overshoot(law(0, 0), law(1, 0)) == 0
    assert overshoot(law(0, "1/2"), law(1, 0)) == np.inf
    assert overshoot_bound(np.inf, 0.5) == 0.5
    assert overshoot_bound(F(1, 2), F(1, 2)) == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: penalised(LAWS[0], np.array([1, 0]), 2), "factor: 2; expected exp"),
        (lambda: min_p(LAWS[0], -1), "share: -1; expected a share"),
        (lambda: sharpened(LAWS[0], 0), "n: 0; expected"),
        (lambda: overshoot(np.array([-1.0, 0.0]), np.array([0.5, 0.5])), "accepted: "),
        (lambda: overshoot_bound(-1), "c: -1; expected"),
        (lambda: overshoot_bound(2, 3), "acceptance: 3; expected"),
        (lambda: fresh_bound(0.25, 0.5), "c: 0.25; expected at least"),
    ],
)
def test_bad_input(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
