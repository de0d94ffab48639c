"""`tasc.entropy-monotone`: cases by hand and mutations."""

from collections import Counter
from fractions import Fraction as F
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.methods.tasc.enrichment import merge_text
from tests.claims.cases import counterexample, get


def test_all_three_entropies_fall() -> None:
    """a b a b a b a b: one token is left, entropies log 2, 1, log 2 fall to 0."""
    lhs, rhs = get("tasc.entropy-monotone").sides({"texts": [[0, 1] * 4], "vocab": 2, "n_max": 2})
    assert [float(x) for x in lhs] == [0, 0, 0]
    assert np.allclose([float(x) for x in rhs], [log(2), 1, log(2)])
    found = get("tasc.entropy-monotone").slack(counterexample("tasc.entropy-monotone"))
    assert all(bool(x < 0) for x in found)


def test_renyi_rule_by_hand() -> None:
    """a b c c: Q = 3/8; merging a b gives z c c with Q' = 5/9: (3/8 - 5/9)(3/4)² = -13/128."""
    merged = {"texts": [[0, 1, 2, 2]], "ngram": [0, 1]}
    assert get("tasc.entropy-monotone-corrected").sides(merged) == ((F(3, 8) - F(5, 9)) * F(9, 16),) * 2


def test_entropy_can_rise() -> None:
    """c b a b c: five tokens, Q = 9/25; b c merged: c b a z, Q' = 1/4."""
    lhs, _ = get("tasc.entropy-monotone-corrected").sides({"texts": [[2, 1, 0, 1, 2]], "ngram": [1, 2]})
    assert lhs == (F(9, 25) - F(1, 4)) * F(16, 25) > 0


@given(st.lists(st.integers(0, 2), min_size=2, max_size=14), st.data())
def test_renyi_rule_predicts_the_direction(text, data) -> None:
    n = data.draw(st.integers(2, min(4, len(text))))
    at = data.draw(st.integers(0, len(text) - n))
    ngram = text[at : at + n]
    after = merge_text(text, ngram, 3)
    q, new = (sum(F(t.count(x), len(t)) ** 2 for x in range(4)) for t in (text, after))
    bracket = get("tasc.entropy-monotone-corrected").rhs([text], ngram)
    assert (new < q) == (bracket > 0) and (new == q) == (bracket == 0)


@pytest.mark.parametrize(
    ("rest", "rises"), [([5] * 700 + [8] * 700 + [0, 6] * 500 + [1, 7] * 500, True), ([5] * 1500 + [0, 6] * 200, False)]
)
def test_for_a_rare_pair_the_shares_of_its_tokens_add_up(rest, rises) -> None:
    """0 1 occurs three times; in the first text the sum of their shares is above Q and their mean below."""
    text = rest + [0, 1] * 3
    after = merge_text(text, [0, 1], 9)
    share, (q, new) = (
        (text.count(0) + text.count(1)) / len(text),
        (sum((n / len(t)) ** 2 for n in Counter(t).values()) for t in (text, after)),
    )
    assert (new < q) == rises == (share > q) and share / 2 < q
    assert "shares of its two tokens add up to more than Q" in get("tasc.entropy-monotone-corrected").note
