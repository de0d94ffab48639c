"""`rdk.gain-guessed`: cases by hand and mutations."""

from fractions import Fraction as F

from simspec.claims.rdk.moves import surplus_only
from simspec.claims.words import law, mask, matrix
from simspec.laws import tv
from tests.claims.cases import get
from tests.claims.rdk.cases import plain_gain


def test_a_wrong_guess_may_lose() -> None:
    """Two tokens, a draft that is the target, a guess ¼ away: a gain of ¼ is expected, and as much is lost."""
    p, guess, M = law("1/2", "1/2"), law("1/4", "3/4"), matrix("1/2 1/2", "0 1")
    assert surplus_only(guess, p, M) and not surplus_only(p, p, M)
    assert plain_gain(p.tolist(), p.tolist(), M.tolist()) == F(1, 4) - 2 * tv(p, guess) == F(-1, 4)
    assert get("rdk.gain-guessed").slack({"p": p, "guess": guess, "q": p, "shared": mask("11"), "M": M}) == 0
