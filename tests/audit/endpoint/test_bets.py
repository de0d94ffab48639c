"""Evidence from categories: a case by hand, false alarms at any stop, and that each family sees its fault."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

from simspec.audit.endpoint.bets import BETS, CAP, FIXED, SHARES, Bet, Wealth, divergence, fixed_laws
from simspec.audit.endpoint.categories import Judged, judged_text
from simspec.audit.endpoint.distance import Distance
from simspec.audit.endpoint.options import judged_under, processed

IDS = (7, 8)
ERROR = 0.05


def token(masses, category, repeated=2, agreed=-1, is_ending=False, has_company=False, **more) -> Judged:
    names = (*IDS, 99)
    return Judged(masses, category, names[category], IDS, 5, repeated, agreed, 0, is_ending, has_company, **more)


def texts(rng: np.random.Generator, tokens: int, replaced: float = 0.0, shared: float = 0.0) -> list[Judged]:
    """Tokens of random laws; some are replaced by the mode, some by what an earlier answer had."""
    judged = []
    for masses in rng.dirichlet([2.0, 1.0, 1.0], size=tokens):
        agreed = int(rng.choice(3, p=masses))
        category = int(rng.choice(3, p=masses))
        if rng.random() < replaced:
            category = 0
        if rng.random() < shared:
            category = agreed
        judged.append(token(tuple(masses), category, repeated=int(rng.integers(3)), agreed=agreed))
    return judged


def test_a_case_by_hand() -> None:
    """Masses 1/2, 1/4, 1/4 and the mode seen: 10 % more on the mode is 0.55, a factor of 1.1."""
    wealth = Wealth().add([token((0.5, 0.25, 0.25), 0)])
    place = BETS.index(Bet("mode", 0.1))
    assert wealth.logs[0, place] == pytest.approx(math.log(1.1))
    assert wealth.logs[1, place] == 0  # no end of a text
    assert wealth.logs[2, place] == pytest.approx(math.log(1.1))  # alone
    assert wealth.logs[3, place] == 0


def test_every_bet_is_a_law_whatever_the_token() -> None:
    """So each factor is 1 on average: the wealth is fair."""
    rng = np.random.default_rng(0)
    for judged in texts(rng, 50):
        laws = fixed_laws(
            judged._replace(unprocessed=(0.2, 0.2, 0.6), late=(0.1, 0.8, 0.1), narrowed=(0.9, 0.0, 0.1))
        ).laws
        assert laws.shape == (len(FIXED), 3) and (laws >= 0).all()
        assert np.allclose(laws.sum(axis=1), 1)
    assert sum(SHARES) == pytest.approx(1)
    assert [Wealth().log_value, Wealth(aimed=("late",)).log_value] == pytest.approx([0, 0], abs=1e-12)


def mean_factor(history: list[Judged], masses: tuple[float, float, float]) -> float:
    """The mixture's mean growth at the next token, over its law."""
    base = Wealth().add(history).log_value
    grown = [Wealth().add([*history, token(masses, category)]).log_value for category in range(3)]
    return float(np.dot(masses, np.exp(np.array(grown) - base)))


def test_the_mixture_is_fair_after_any_history() -> None:
    """What is learned is learned before the token is seen: exactly 1 on average."""
    rng = np.random.default_rng(1)
    for length in (0, 1, 7, 40):
        assert mean_factor(texts(rng, length, replaced=0.3), (0.6, 0.3, 0.1)) == pytest.approx(1)


def test_false_alarms_at_any_stop() -> None:
    """Of 100 lossless runs at most 5 % on average reach 20 at any time; 13 or more of 100 do with probability below 0.002."""
    rng = np.random.default_rng(2)
    alarms = sum(Wealth().add(texts(rng, 100)).largest >= -math.log(ERROR) for _ in range(100))
    assert alarms < 13


@pytest.mark.parametrize("fault", [{"replaced": 0.3}, {"shared": 0.5}])
def test_faults_are_seen(fault) -> None:
    """The negative control: of 20 runs with a fault nearly all are seen, so the bound above could have failed."""
    rng = np.random.default_rng(3)
    seen = sum(Wealth().add(texts(rng, 150, **fault)).largest >= -math.log(ERROR) for _ in range(20))
    assert seen >= 17


def test_a_mass_of_zero_does_not_decide_alone() -> None:
    wealth = Wealth().add([token((1 - 2e-12, 1e-12, 1e-12), 2)])
    assert wealth.log_value <= math.log(CAP)


def test_a_rest_that_may_be_rounding_wins_little() -> None:
    """A rest of 1e-9 that is seen: what is put on it is divided by 1e-5, and the listed tokens are as they were."""
    wealth = Wealth().add([token((0.6, 0.4 - 1e-9, 1e-9), 2, repeated=2)])
    place = BETS.index(Bet("repetition", 0.02))
    assert wealth.logs[0, place] == pytest.approx(math.log(0.02 / 1e-5), rel=1e-6)
    listed = Wealth().add([token((0.6, 0.4 - 1e-9, 1e-9), 0)])
    assert listed.logs[0, BETS.index(Bet("mode", 0.1))] == pytest.approx(math.log(0.64 / 0.6))


def test_bets_on_temperature_know_where_the_mass_of_the_rest_goes() -> None:
    """Ranks to the power -2: of what the right law of the categories wins, the bet wins nearly all; a lump as one token loses."""
    whole = np.arange(1, 50_001) ** -2.0
    whole /= whole.sum()
    p = np.array([*whole[:5], whole[5:].sum()])
    row = Judged(tuple(p), 0, 1, (1, 2, 3, 4, 5), 9, -1, -1, 0, False, False)
    for temperature in (0.7, 1.4):
        other = whole ** (1 / temperature)
        other /= other.sum()
        true = np.array([*other[:5], other[5:].sum()])
        law = fixed_laws(row).laws[FIXED.index(Bet("temperature", temperature))]
        lump = p ** (1 / temperature) / (p ** (1 / temperature)).sum()
        limit, won, lumped = (float((true * np.log(q / p)).sum()) for q in (true, law, lump))
        assert 0.97 * limit < won <= limit and lumped < 0.8 * limit


def test_the_hardest_fault_needs_what_its_divergence_says() -> None:
    wealth = Wealth().add([token((0.5, 0.25, 0.25), 0)] * 10)
    bet, tv, needed = divergence(wealth, 0.01)
    off_mode = np.array([0.45, 0.25, 0.25]) / 0.95
    gain = float((off_mode * np.log(off_mode / [0.5, 0.25, 0.25])).sum())
    assert bet == Bet("off mode", 0.1) and tv == pytest.approx(0.5 - 0.45 / 0.95)
    # six bets are on options and nine on a known draft; they have no stake here
    assert needed == pytest.approx((math.log(100) + math.log(len(BETS) - 15) - math.log(SHARES[0])) / gain)


def test_distance_covers_the_shift_at_all_looks() -> None:
    """Of 100 runs with a shift of 0.15 the interval misses it at some look in 1 at most on average; 6 or more: below 0.001."""
    rng = np.random.default_rng(4)
    missed = 0
    for _ in range(100):
        distance = Distance()
        ends = []
        for _ in range(10):
            categories = rng.choice(2, p=[0.65, 0.35], size=50)
            distance.add([token((0.5, 0.25, 0.25), int(category)) for category in categories])
            ends.append(distance.interval(0.01))
        missed += not all(low <= 0.25 <= high for low, high in ends)  # (0.65, 0.35, 0) is 0.25 away
    assert missed < 6
    assert ends[-1][0] > 0.1


def test_under_options_the_law_is_that_of_the_processors() -> None:
    """Penalties, truncation and temperature of the kept tokens by hand."""
    row = ((3, math.log(0.4)), (5, math.log(0.2)), (7, math.log(0.1)))
    assert processed(row, {}, {"min_p": 0.3}).is_closed
    assert processed(row, {}, {"min_p": 0.3}).masses[:3] == pytest.approx((2 / 3, 1 / 3, 0), abs=1e-9)
    assert processed(row, {}, {"top_p": 0.5}).masses[:3] == pytest.approx((2 / 3, 1 / 3, 0), abs=1e-9)
    assert processed(row, {}, {"temperature": 0.5}).masses[:3] == pytest.approx((16 / 21, 4 / 21, 1 / 21))
    late = processed(row, {3: 2}, {"frequency_penalty": math.log(2)})
    assert late.masses[:3] == pytest.approx((1 / 4, 1 / 2, 1 / 4)) and not late.is_closed


def test_a_token_beyond_a_closed_law_is_evidence_and_beyond_an_open_one_is_none() -> None:
    row = ((3, math.log(0.4)), (5, math.log(0.2)))
    closed = judged_under({"top_k": 1}, [1], [9], [row], False)
    assert Wealth(aimed=("unprocessed", "late")).add(closed).log_value > 4
    assert judged_under({"temperature": 0.5}, [1], [9], [row], False) == []


def test_bets_that_know_the_draft_are_what_a_step_emits() -> None:
    """By hand: p = (1/2, 1/2, 0), q = (1/4, 3/4, 0) nearly; a refused draft replaced from p, and acceptance twice as often."""
    judged = token((0.5, 0.5 - 1e-9, 1e-9), 0)._replace(drafted=(0.25, 0.75, 0.0))
    laws = fixed_laws(judged).laws
    # accepted 1/4 + 1/2; the quarter that is refused is replaced by either token with probability 1/2, and not by the first
    assert laws[FIXED.index(Bet("recovery", 1.0))] == pytest.approx([0.375, 0.625, 0], abs=1e-8)
    # with c = 1.6 all of the draft is accepted
    assert laws[FIXED.index(Bet("relaxed", 1.6))] == pytest.approx([0.25, 0.75, 0], abs=1e-8)
    assert laws[FIXED.index(Bet("relaxed", 1.15))] == pytest.approx([0.425, 0.575, 0], abs=1e-8)
    assert laws[FIXED.index(Bet("drafted", 0.1))] == pytest.approx([0.475, 0.525, 0], abs=1e-8)
    unknown = fixed_laws(judged._replace(drafted=())).laws
    for bet in ("recovery", 1.0), ("relaxed", 4.0), ("drafted", 0.3):
        assert unknown[FIXED.index(Bet(*bet))] == pytest.approx(judged.masses)


def test_bets_that_know_the_draft_are_fair_and_have_a_stake_only_then() -> None:
    """The mixture's mean growth is exactly 1; a fault of the draft is seen by the bets that know it and not by the others."""
    rng = np.random.default_rng(8)
    knowing = Wealth(knows_draft=True)
    blind = Wealth()
    for masses in rng.dirichlet([2.0, 2.0, 1.0], size=400):
        drafted = rng.dirichlet([1.0, 1.0, 1.0])
        category = int(rng.choice(3, p=0.8 * masses + 0.2 * drafted))
        judged = token(tuple(masses), category)._replace(drafted=tuple(drafted))
        factors = [np.exp(_after(knowing, judged._replace(category=c)) - knowing.log_value) for c in range(3)]
        assert float(np.dot(masses, factors)) == pytest.approx(1)
        knowing.add([judged])
        blind.add([judged])
    assert knowing.stakes == len(BETS) - 6 and blind.stakes == len(BETS) - 15
    assert knowing.largest > math.log(100) > blind.largest


def _after(wealth: Wealth, judged: Judged) -> float:
    """The evidence after one more token."""
    return copy.deepcopy(wealth).add([judged]).log_value


def test_texts_that_end_by_themselves_are_no_evidence() -> None:
    """Each token ends its text with probability 0.3: at the last places too, where only texts that went on would have no end.

    Of 10 lossless runs at most 5 % on average reach 20; 4 or more do with probability 0.001.
    """
    rng = np.random.default_rng(5)
    row = ((3, math.log(0.6)), (9, math.log(0.3)))
    alarms = 0
    for _ in range(10):
        wealth = Wealth()
        for _ in range(200):
            tokens: list[int] = []
            while len(tokens) < 6 and 9 not in tokens:
                tokens.append(int(rng.choice([3, 9, 1], p=[0.6, 0.3, 0.1])))
            wealth.add(judged_text([1], tokens, [row] * len(tokens), {}, max_tokens=6, has_company=False))
        alarms += wealth.largest >= -math.log(ERROR)
    assert alarms < 4
