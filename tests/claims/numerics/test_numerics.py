"""Numerics by hand: two tokens with ε/T = log 3, a text that leaves at a small margin, and what the halved bound misses."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from simspec.claims.authoring import F, law
from simspec.claims.numerics.laws import FURTHER, TIGHT, most
from simspec.claims.numerics.steps import agreement, noisy_output
from simspec.claims.numerics.tokens import agree, clear, sharp
from tests.claims.cases import get


def test_two_tokens_attain_the_bounds() -> None:
    """(1/4, 3/4) against (3/4, 1/4): TV ½, each divergence half of log 3."""
    assert get("numerics.tv").sides(TIGHT) == (F(1, 2), F(1, 2))
    divergences, bounds = get("numerics.kl").sides(TIGHT)
    assert [float(v) for v in divergences] == pytest.approx([log(3) / 2, log(3)])
    assert [float(v) for v in bounds] == pytest.approx([log(3) ** 2 / 2, log(3)])
    assert get("numerics.tv").slack(FURTHER) < 0


def test_one_direction_can_have_more_than_half() -> None:
    """(1/3, 2/3) against (9/11, 2/11)."""
    value, half = get("numerics.kl-half").sides(get("numerics.kl-half").against[0])
    expected = (log(11 / 27) + 2 * log(11 / 3)) / 3
    assert float(value) == pytest.approx(expected) and float(half) == pytest.approx(log(3) / 2)
    assert float(half) < float(value) < float(most(F(3))) < log(3) ** 2 / 2


def test_a_text_leaves_at_a_small_margin() -> None:
    """The first token is clear, the second is not: there the two texts part."""
    z = np.array([[F(3), F(0)], [F(1), F(0)], [F(0), F(3)]])
    shift = np.array([[F(-1), F(1)], [F(-1), F(1)], [F(0), F(0)]])
    assert clear(z, F(1)).tolist() == [1, 0, 1]
    assert agree(z, shift, 3).tolist() == [1, 0, 0]


def test_noise_in_the_draft_is_bias() -> None:
    """All drafts are the first token, and q̂ = p accepts them: the output is q."""
    assert noisy_output(law("1/2", "1/2"), law(1, 0), law("1/2", "1/2")).tolist() == [1, 0]


def test_agreement_is_the_product_of_overlaps() -> None:
    p = np.stack([law("1/4", "3/4")] * 3)
    other = np.stack([law("3/4", "1/4")] * 3)
    assert agreement(p, other, 2).tolist() == [1, F(1, 2), F(1, 4)]


def test_a_tie_is_no_greedy_decoding_at_any_temperature() -> None:
    assert [sharp(np.array([F(2), F(2)]), n) for n in (1, 9)] == [F(1, 2)] * 2
    assert sharp(np.array([F(2), F(1)]), 9) == F(512, 513)
