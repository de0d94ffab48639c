"""Blocks by hand: the paper's example, the smallest laws on which a rule fails, and two roads to the same number."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import law, matrix
from simspec.claims.block import hsd_laws
from simspec.claims.block.gain import HALVES
from simspec.claims.block.hsd_laws import texts_asked
from simspec.claims.block.one_hot import certain, listed
from simspec.claims.block.optimal import place, verifier_of
from simspec.claims.block.parts import (
    EXAMPLE,
    accepted,
    contexts,
    ended,
    expected,
    paths,
    reached,
    target_law,
    token_ends,
)
from simspec.claims.block.stop import stopping
from simspec.claims.draw import ExactDraw
from simspec.claims.texts import markov
from simspec.methods.block.hierarchical import hierarchical_naive
from simspec.methods.block.optimum import optimum
from simspec.methods.block.verification import block_verifier
from tests.claims.cases import counterexample, get


def test_the_paper_counts_ten_and_eleven_ninths() -> None:
    """Both keep the first with 2/3; the block both with 5/9, since 4/9 · 1/4 + 2/9 + 2/9 · 1/2 + 1/9; one by one with 4/9."""
    left, right = get("block.example").sides(EXAMPLE)
    assert left.tolist() == right.tolist() == [F(10, 9), F(11, 9)]
    found = ended(block_verifier(), **EXAMPLE)
    assert [reached(found, at) for at in (1, 2)] == [F(2, 3), F(5, 9)]


def test_the_ideal_of_the_paper_needs_more_than_one_token() -> None:
    assert get("block.example-ideal.one-token").sides(EXAMPLE) == (F(11, 9), F(12, 9))
    assert get("block.example-ideal.any").sides(EXAMPLE)[0].tolist() == [F(12, 9), 0]


@pytest.mark.parametrize("seed", range(4))
def test_the_linear_program_finds_nothing_better(seed) -> None:
    """The block is the best of all that emit one token more, the naive hierarchical rule of all that may emit any text."""
    pytest.importorskip("scipy")
    p, q, gamma = contexts(ExactDraw(rng=np.random.default_rng(seed))).values()
    models = markov(p), markov(q)
    assert optimum(*models, gamma) == accepted(ended(block_verifier(), p, q, gamma))
    overlaps = sum(np.minimum(target_law(p, i), target_law(q, i)).sum() for i in range(1, gamma + 1))
    assert optimum(*models, gamma, further=True) == accepted(ended(hierarchical_naive, p, q, gamma)) == overlaps


def test_a_later_token_makes_up_for_an_earlier_one() -> None:
    """Ratio 1/2, then 2 half of the time: 3/4 one by one, 1 by the block."""
    assert accepted(token_ends(**HALVES)) == F(3, 4)
    assert accepted(ended(block_verifier(), **HALVES)) == 1
    assert [(path.weight, path.block, path.token) for path in paths(**HALVES)] == [
        (F(1, 2), (1, F(1, 2), 1), (1, F(1, 2), F(1, 2))),
        (F(1, 2), (1, F(1, 2), 0), (1, F(1, 2), 0)),
    ]
    assert get("block.gain-two").sides(HALVES) == (F(1, 4), F(1, 4))


def test_three_drafts_can_gain_one_half() -> None:
    """After the second draft both models agree: what was made up for is kept."""
    p, q = matrix("1/2 1/2", "1 0", "1 0"), matrix("1 0", "1/2 1/2", "1/2 1/2")
    three = {"p": p, "q": q, "gamma": 3}
    gain, most = get("block.gain-most").sides(three)
    assert gain <= most
    assert gain == expected(p, q, 3, lambda path: sum(path.block) - sum(path.token))


def test_token_residuals_show_with_three_tokens_only() -> None:
    """One draft of the first token with ratio 1/4 is kept now and then; after it (r P − Q)₊ is not (P − Q)₊."""
    found = counterexample("block.token-residual")
    assert found["p"].shape[-1] == 3
    two = [contexts(ExactDraw(rng=np.random.default_rng(seed))) for seed in range(8)]
    claim = get("block.token-residual")
    assert all((claim.slack(i) == 0).all() for i in two if i["p"].shape[-1] == 2)


def test_products_of_coins_keep_too_many() -> None:
    """Ratios 1/2 and 1/2: both are kept with (1 + ln 4)/4, not 1/4."""
    p, q = matrix(*["1/2 1/2"] * 3), matrix(*["1 0"] * 3)
    left, right = get("block.cumprod").sides({"p": p, "q": q, "gamma": 2})
    assert float(left[0]) == pytest.approx((1 + np.log(4)) / 4)
    assert float(left.sum()) == pytest.approx(1)
    assert float(right[0]) == 0.25


HALF, FIRST, SECOND, THIRD, OTHER_THIRD = ("1/2 1/2", "1 0", "0 1", "1/3 2/3", "2/3 1/3")


@pytest.mark.parametrize(
    ("p", "q", "gamma", "is_lossless"),
    [
        ([THIRD] * 3, [OTHER_THIRD] * 3, 1, True),  # one uniform: token verification
        ([THIRD] * 3, [OTHER_THIRD] * 3, 2, False),
        ([THIRD, HALF, FIRST], [THIRD, HALF, FIRST], 4, True),  # ties: every product is 1
        ([FIRST] * 3, [SECOND] * 3, 3, True),  # disjoint supports: every product is 0
        ([HALF, HALF, HALF], [FIRST, FIRST, FIRST], 2, False),  # the second draft at 1/4
        ([HALF, FIRST, FIRST], [FIRST, SECOND, SECOND], 3, True),  # 1/2, and then 0
        ([HALF, FIRST, FIRST], [FIRST, FIRST, FIRST], 2, False),  # 1/2, and still 1/2
        ([FIRST, FIRST, FIRST], [FIRST, HALF, HALF], 3, True),  # 1, and then 1 or 0
        ([FIRST, HALF, HALF], [FIRST, FIRST, FIRST], 2, False),  # 1, and then 1/2
        ([FIRST, FIRST, HALF], [FIRST, FIRST, FIRST], 4, True),  # laws that differ where no draft comes
        ([SECOND, FIRST, HALF], [SECOND, HALF, FIRST], 2, False),
        ([SECOND, FIRST, HALF], [SECOND, HALF, HALF], 2, True),
        ([SECOND, THIRD, HALF], [SECOND, OTHER_THIRD, HALF], 3, False),  # the third draft alone
    ],
)
def test_the_rule_of_products_is_lossless_where_none_is_between(p, q, gamma: int, is_lossless: bool) -> None:
    left, right = get("block.cumprod-corrected").sides({"p": matrix(*p), "q": matrix(*q), "gamma": gamma})
    assert left == right == int(is_lossless)


def test_a_text_that_is_no_likelier_anywhere_is_emitted_with_the_law_of_a_product() -> None:
    """Three ratios of 1/2: kept with (1/8)(1 + b + b²/2), b = ln 8, not 1/8."""
    emitted, target = get("block.cumprod").sides({"p": matrix(*[HALF] * 3), "q": matrix(*[FIRST] * 3), "gamma": 3})
    b = np.log(8)
    assert float(emitted[0]) == pytest.approx((1 + b + b * b / 2) / 8) and float(target[0]) == 1 / 8


def test_a_drafter_that_stops_makes_shorter_drafts() -> None:
    halts = np.array([[True, False], [False, False]])
    half = law("1/2", "1/2")
    drafts = {x: weight for weight, x in stopping(halts)(lambda x: half, 2)}
    assert drafts == {(0,): F(1, 2), (1, 0): F(1, 4), (1, 1): F(1, 4)}


def test_certain_texts_have_no_other_outcome() -> None:
    p, q = matrix("1/2 1/2", "1/3 2/3", "1 0"), matrix("0 1", "1 0", "1 0")
    text = certain(q, 2)
    assert text == (1, 0)
    for found in (ended(block_verifier(), p, q, 2), token_ends(p, q, 2)):
        assert listed(found, text, 2).sum() == 1


def test_every_draft_kept_is_more_than_its_distance_buys() -> None:
    """Total variation 1/3 and two drafts; block verification keeps 11/9, and 11/9 + 2/3 is less than 2, 4/3 + 2/3 is not."""
    found = counterexample("block.lossy-price")
    assert get("block.lossy-price").sides(found) == (2, F(11, 9) + F(2, 3))
    assert get("block.lossy-price-corrected").sides(found) == (2, 2)


def test_shares_have_a_place_for_every_prefix() -> None:
    texts = [(0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1)]
    assert [place(x, 2) for x in texts] == list(range(6))
    found = ended(verifier_of(EXAMPLE["p"], law(0, 0, 0, 0, 0, 0), False), **EXAMPLE)
    assert accepted(found) == 0


def test_texts_that_are_asked_for_by_hand() -> None:
    """One sure draft of two tokens: capped HSD asks after none, one and two of them; naive HSD, of one, after none and one."""
    p, q = matrix(*["1/2 1/2"] * 3), matrix(*["1 0"] * 3)
    assert texts_asked(p, q, 2) == [(0, 0), (1, 0), (1, 0), (0, 0), (1, 0)]


def test_a_text_that_leaves_the_draft_is_counted(monkeypatch) -> None:
    """Naive HSD in the place of the capped rule: what it draws anew leaves the draft, and is no text of the proof."""
    monkeypatch.setattr(hsd_laws, "hierarchical_capped", hsd_laws.hierarchical_naive)
    p, q = matrix(*["0 1"] * 3), matrix(*["1 0"] * 3)
    assert sum(strange for _, strange in texts_asked(p, q, 2)) > 0
    claim = hsd_laws.HSD_LAWS_CORRECTED
    assert claim.slack({"p": p, "q": q, "gamma": 2}) < 0
