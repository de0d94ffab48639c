"""What threads say, by hand: the smallest laws on which a statement fails, and two roads to the same number where it holds."""

from fractions import Fraction as F
from functools import partial

import numpy as np
import pytest

from simspec.audit.zoo import rules
from simspec.claims.authoring import law
from simspec.claims.folk.block_one_hot import BLOCK_ONE_HOT_CORRECTED
from simspec.claims.folk.eagle_greedy import law_one_by_one
from simspec.claims.folk.noise_reuse import race_again
from simspec.claims.folk.parts import at_top, first_token, top
from simspec.claims.folk.q_one import deterministic
from simspec.claims.folk.residual_zero import float32_row
from simspec.laws import overlap
from simspec.methods.block.verification import block_verifier
from simspec.methods.verifier.match import exact_match, match_candidates, own_samples
from simspec.methods.verifier.verifier import by_program, by_rows, outcomes
from tests.claims.cases import counterexample, get

THIRDS = law("1/3", "2/3"), law("2/3", "1/3")


def test_two_drafts_of_the_paper() -> None:
    """Two drafts of p = (1/3, 2/3) from q = (2/3, 1/3): 11/9 are accepted by the block, 10/9 one by one."""
    p, q = THIRDS
    claim = get("folk.block-gamma-two")
    chances = claim.sides({"p": p, "q": q, "gamma": 2})
    assert [sum(n * mass for n, mass in enumerate(c)) for c in chances] == [F(11, 9), F(10, 9)]
    one = claim.sides({"p": p, "q": q, "gamma": 1})
    assert one[0].tolist() == one[1].tolist() == [F(1, 3), F(2, 3)]


@pytest.mark.parametrize("early", [False, True])
def test_the_block_is_that_of_the_zoo(early) -> None:
    """The rule of the audit's zoo and the verifier here are written apart, and have the same outcomes."""
    rows = (
        [law("1/4", "1/2", "1/4"), law(0, "1/3", "2/3"), law("1/2", "1/2", 0)],
        [law("1/2", "1/2", 0), law("1/3", "1/3", "1/3")],
    )
    models = [by_rows(r) for r in rows]
    ours = outcomes(block_verifier(early), *models, 2)
    theirs = outcomes(by_program(partial(rules.block, stop_at_failure=early)), *models, 2)
    assert [tuple(o) for o in ours] == [tuple(o) for o in theirs]


def test_the_second_race_is_that_of_the_zoo() -> None:
    """Three tokens in closed form, against the integral over any number of them."""
    for q, r in ((["1/2", "1/2", 0], [0, "1/2", "1/2"]), (["1/2", "1/8", "3/8"], [0, "1/4", "3/4"])):
        assert race_again(law(*q), law(*r)).tolist() == rules.recovery(law(*q), law(*r))


def test_certain_drafts_gain_nothing_from_a_block() -> None:
    """Masses 1/2 and 1/3: both with 1/6, the first alone with 1/3, none with 1/2."""
    block, token = BLOCK_ONE_HOT_CORRECTED.sides({"masses": law("1/2", "1/3")})
    assert block.tolist() == token.tolist() == [F(1, 6), F(1, 3), F(1, 2)]


def test_a_target_that_is_surer_than_its_draft() -> None:
    """p = (1, 0), q = (1/2, 1/2): a certain draft is always accepted, a sample half of the time."""
    p, q = law(1, 0), law("1/2", "1/2")
    assert (at_top(p, q), overlap(p, q)) == (1, F(1, 2))
    found = counterexample("folk.one-hot-better.enough")
    assert at_top(found["q"], found["q"]) < at_top(found["p"], found["q"]) < overlap(found["p"], found["q"])


def test_two_candidates_with_a_sample_each() -> None:
    """Both candidates the first of two equal tokens: it comes out with 3/4; with one sample for both with 1/2."""
    p = law("1/2", "1/2")
    each, one = (first_token(rule(lambda x: p, lambda x: p, (0, 0)), 2)[0] for rule in (own_samples, match_candidates))
    assert (each, one) == (F(3, 4), F(1, 2))
    assert own_samples(lambda x: law(0, 1), lambda x: p, ())[0].tokens == (1,)


def test_candidates_in_turn_are_lossless() -> None:
    p = law("1/2", "1/3", "1/6")
    assert deterministic(p, [2, 0]).tolist() == p.tolist()
    assert deterministic(law("51/100", "49/100"), [0])[1] == F(49, 100)


def test_matches_are_counted_along_the_path() -> None:
    """Two drafts, each matched with probability 1/2, and the rows of the target's own."""
    half = law("1/2", "1/2")
    found = exact_match(by_rows([half] * 3), by_rows([half] * 2), (0, 1))
    assert [sum(o.probability for o in found if o.accepted == n) for n in range(3)] == [F(1, 2), F(1, 4), F(1, 4)]


def test_rows_of_float32_leave_nothing_to_draw() -> None:
    """(1/2, 1/2 − 2⁻²⁵) is nowhere above (1/2, 1/2): a draft of the second token can be refused, and nothing is left."""
    p, q = float32_row([2**24, 2**24 - 1]), float32_row([2**24] * 2)
    assert p.tolist() == [F(1, 2), F(1, 2) - F(1, 2**25)]
    assert (np.maximum(p - q, 0).sum(), q[1] - p[1]) == (0, F(1, 2**25))


def test_one_coin_in_sixteen_million() -> None:
    assert get("folk.zero-coin").sides({"c": F(0), "grid": 2**24}) == (F(1, 2**24), 0)


def test_the_first_of_equals_is_the_top() -> None:
    assert top(np.array([[0.5, 0.5], [0.25, 0.75]])).tolist() == [[1, 0], [0, 1]]


def test_a_token_that_is_no_candidate_is_never_emitted_where_one_is_always_accepted() -> None:
    """0.51 and 0.49: by EAGLE's rule with 0.49; with the ratio of equal laws, which is 1, never."""
    p = law("51/100", "49/100")
    assert law_one_by_one(p, [0], [p[0]]).tolist() == p.tolist()
    assert law_one_by_one(p, [0], [F(1)]).tolist() == [1, 0]
    assert law_one_by_one(p, [0], [F(0)]).tolist() == [0, 1]
    claim = get("folk.eagle-greedy-corrected")
    for accepts in ([F(1, 4), F(1, 2)], [F(1), F(0)], [F(0), F(0)]):
        instance = {"p": law("1/2", "1/4", "0", "1/4"), "candidates": [1, 0], "accepts": accepts}
        emitted, formulas = claim.sides(instance)
        assert emitted.tolist() == formulas.tolist()
        assert emitted[0].tolist() == [
            0,
            0,
            0,
            (1 - accepts[0]) * (1 - accepts[1]),
        ]  # all that is left is the last token
        assert emitted[2].tolist() == [0, 0, 1, int(1 in accepts)]
