"""Vocabularies that differ: texts read in other tokens, what SLEM and SLRS emit."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from simspec.claims.authoring import law
from simspec.methods.relaxed import Vocabulary, first_tokens, slem_law, slrs

TWO = Vocabulary(("a", "aa"))


def after(tokens):
    """A target that follows its own tokens: after (a, a) it says aa, after anything else either."""
    return law(0, 1) if tokens == (0, 0) else law("1/2", "1/2")


def test_the_longest_token_is_read() -> None:
    assert TWO.read("aaa") == (1, 0) and TWO.read("") == ()
    with pytest.raises(ValueError, match="fits at 1"):
        TWO.read("ab")


def test_first_tokens_by_hand() -> None:
    """Draft tokens a, a with 1/2 each way: the text aa begins with the token aa, ab with a."""
    psi = first_tokens([(F(1, 2), "aa"), (F(1, 4), "a"), (F(1, 4), "ab")], Vocabulary(("a", "aa", "b")))
    assert psi.tolist() == [F(1, 2), F(1, 2), 0]
    with pytest.raises(ValueError, match="without text"):
        first_tokens([(1, "")], TWO)


@pytest.mark.parametrize("drafts", [[(1, "a")], [(F(1, 2), "aaa"), (F(1, 2), "a")], [(1, "aaaa")]])
def test_tokens_that_are_kept_are_lossless_and_texts_read_again_are_not(drafts) -> None:
    kept, again = (slem_law(after, lambda text: drafts, TWO, 3, flag) for flag in (False, True))
    own = {}
    for x in range(8):
        tokens = tuple(x >> n & 1 for n in (2, 1, 0))
        mass = F(1)
        for n in range(3):
            mass *= after(tokens[:n])[tokens[n]]
        if mass:
            own[tokens] = mass
    assert kept == own
    assert sum(again.values()) == 1
    assert again != own


def test_one_token_is_lossless_by_weight() -> None:
    rate, out = slrs(law("1/4", "3/4"), [(F(1, 2), "a"), (F(1, 2), "aa")], TWO)
    assert rate == F(3, 4) and out.tolist() == [F(1, 4), F(3, 4)]
