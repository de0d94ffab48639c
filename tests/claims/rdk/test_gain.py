"""When RDK beats TLI: the gain recomputed by hand and in plain loops."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import law, mask, matrix
from simspec.claims.draw import ExactDraw
from simspec.claims.rdk.moves import arriving, leaving, surplus_only
from simspec.laws import overlap, restrict, tv
from tests.claims.cases import claims_of, get
from tests.claims.rdk.cases import plain_gain

CLAIMS = claims_of("rdk.gain", "rdk.gain-moved", "rdk.gain-guessed", "rdk.stationary-target")


def test_half_of_the_surplus_by_hand() -> None:
    """p even, draft certain of token 0: moving half of the surplus ½ to token 1 gains ¼."""
    p, q, M = law("1/2", "1/2"), law(1, 0), matrix("3/4 1/4", "0 1")
    assert surplus_only(p, q, M)
    assert leaving(q, M).tolist() == [F(1, 4), F(0)] and arriving(q, M).tolist() == [F(0), F(1, 4)]
    assert plain_gain(p.tolist(), q.tolist(), M.tolist()) == F(1, 4)


@pytest.mark.parametrize("claim", CLAIMS[:3], ids=lambda c: c.name)
def test_instances_gain(claim) -> None:
    """The instances are no trivial ones: none breaks an assumption, and many gain."""
    rng, gains = np.random.default_rng(0), 0
    for _ in range(100):
        instance = claim.draw(ExactDraw(rng=rng))
        assert claim.broken(instance) == []
        d = restrict(instance["q"], instance["shared"]).tolist()
        gain = plain_gain(instance["p"].tolist(), d, instance["M"].tolist())
        assert gain == claim.sides(instance)[0]
        gains += gain > 0
    assert gains > 25


def test_all_surplus_moved_is_lossless() -> None:
    """M that sends each token's surplus to what is wanted, in proportion, drafts from the target."""
    p, d = law("1/2", "1/3", "1/6"), law("1/6", "1/3", "1/2")
    M = matrix("1 0 0", "0 1 0", "2/3 0 1/3")
    assert (d @ M == p).all()
    assert leaving(d, M).sum() == 1 - overlap(p, d) == F(1, 3)


def test_the_stationary_target_by_hand() -> None:
    """W = ((2, 1), (1, 2)) has equal row sums: the even target stays, and (1, 0) has the form ½ · 2 · 1 · (1/3)² = 1/9."""
    claim, W = get("rdk.stationary-target"), matrix("2 1", "1 2")
    assert claim.lhs(W, law("1/2", "1/2")).tolist() == claim.rhs(W, law("1/2", "1/2")).tolist() == [0, 0]
    assert claim.lhs(W, law(1, 0)).tolist() == [F(1, 9), 0]


def test_a_wrong_guess_may_lose() -> None:
    """Two tokens, a draft that is the target, a guess ¼ away: a gain of ¼ is expected, and as much is lost."""
    p, guess, M = law("1/2", "1/2"), law("1/4", "3/4"), matrix("1/2 1/2", "0 1")
    assert surplus_only(guess, p, M) and not surplus_only(p, p, M)
    assert plain_gain(p.tolist(), p.tolist(), M.tolist()) == F(1, 4) - 2 * tv(p, guess) == F(-1, 4)
    assert get("rdk.gain-guessed").slack({"p": p, "guess": guess, "q": p, "shared": mask("11"), "M": M}) == 0
