"""`rdk.gain-guessed`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.rdk.moves import arriving, surplus_only
from simspec.claims.words import law, mask, matrix
from simspec.laws import restrict, tv
from tests.claims.cases import assert_broken, claims_of, getter
from tests.claims.rdk.cases import plain_gain

get = getter(claims_of("rdk.gain-guessed"))


def test_a_wrong_guess_may_lose() -> None:
    """Two tokens, a draft that is the target, a guess ¼ away: a gain of ¼ is expected, and as much is lost."""
    p, guess, M = law("1/2", "1/2"), law("1/4", "3/4"), matrix("1/2 1/2", "0 1")
    assert surplus_only(guess, p, M) and not surplus_only(p, p, M)
    assert plain_gain(p.tolist(), p.tolist(), M.tolist()) == F(1, 4) - 2 * tv(p, guess) == F(-1, 4)
    assert get("rdk.gain-guessed").slack({"p": p, "guess": guess, "q": p, "shared": mask("11"), "M": M}) == 0


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        (
            "rdk.gain-guessed",
            {
                "rhs": lambda p, guess, q, shared, M: (
                    np.minimum(np.maximum(guess - restrict(q, shared), 0), arriving(restrict(q, shared), M)).sum()
                    - tv(p, guess)
                )
            },
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
