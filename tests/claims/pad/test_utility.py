"""Claims about the utility of pivot-aware decoding: hand cases, enumeration of paths."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import law, matrix
from simspec.claims.deciding.search import EFFORTS, check_exact
from simspec.claims.draw import ExactDraw
from simspec.claims.pad.parts import flagged, fork, process_of, relative_pivots, run_pad, true_pivots
from simspec.laws import overlap
from simspec.methods import evaluate, fresh, pad, strict, values
from tests.claims.cases import QUICK, counterexample, get
from tests.claims.pad.cases import LEMMA, _flags, binary, everything, share, target_worth, worth
from tests.claims.pad.mutations import _unflagged


def test_lemma_by_hand() -> None:
    """The draft writes failures and coins, half and half; all of it is accepted, and a quarter of the texts succeed."""
    assert target_worth(LEMMA) == F(1, 2)
    flags = _flags(LEMMA, true_pivots)
    assert flags[0, 0].tolist() == [False, True, False]
    assert worth(LEMMA, flags) == F(1, 4)
    assert binary(LEMMA)


def test_corrections_of_the_lemma_by_hand() -> None:
    """Against the replacement (a sure success) the coin is a pivot too: SD.

    Rejecting failures outright, with replacements from the target: the coin succeeds 1/2 + 1/4, so 1/2 · 3/4 + 1/2 · 1/2.
    """
    flags = _flags(LEMMA, relative_pivots)
    assert flags[0, 0].tolist() == [False, True, True]
    assert worth(LEMMA, flags) == F(1, 2)
    assert worth(LEMMA, _flags(LEMMA, true_pivots), "strict") == F(5, 8)


def test_search_finds_the_counterexample_itself() -> None:
    effort = EFFORTS["default"]._replace(climb=100, shrink=30)
    for name in ("pad.utility-preserved", "pad.better-classifier"):
        case = check_exact(replace(get(name), against=()), effort, seed=0).counterexample
        assert case is not None and worth(case, case["flags"] & ~case.get("removed", False)) < target_worth(case)


@pytest.mark.parametrize("name", ["pad.pathwise", "pad.utility-preserved"])
def test_counterexample_to_the_lemma(name) -> None:
    """Recomputed by enumeration: binary utility, every pivot flagged, and a loss."""
    case = counterexample(name)
    assert binary(case) and case["flags"][_flags({k: case[k] for k in LEMMA}, true_pivots)].all()
    assert worth(case, case["flags"]) < target_worth(case)
    assert len(case["target"][0]) == 3


def test_counterexamples_to_changing_labels() -> None:
    better, flip = counterexample("pad.better-classifier"), counterexample("pad.flip-utility")
    assert better["removed"].sum() == 1 and (better["flags"] & better["removed"]).any()
    assert worth(better, better["flags"] & ~better["removed"]) < worth(better, better["flags"])
    assert worth(flip, flip["flags"] | flip["flips"]) < worth(flip, flip["flags"])


def test_flips_can_bring_utility_below_the_target() -> None:
    """A good override first, a bad one second: the first is flipped, the second stays."""
    case = {
        "target": matrix("1 0", "1 0", "1 0"),
        "draft": matrix("0 1", "0 1", "1 0"),
        "step": np.array([[1, 2], [0, 1], [2, 2]]),
        "utility": law(1, 0, 1),
        "horizon": 2,
    }
    none = np.zeros((2, 3, 2), dtype=bool)
    flipped = none.copy()
    flipped[0, 0, 1] = True
    assert (worth(case, none), target_worth(case), worth(case, flipped)) == (1, 1, 0)


def test_lemma_loses_a_quarter_at_most_in_one_override() -> None:
    """One free position: the loss is at most α(1 − α), on a grid of laws and coins; the hand case attains it."""
    worst = F(0)
    for bad in range(5):
        for free in range(5):
            p = law(F(4 - bad, 4), F(bad, 4), 0)
            q = law(0, F(4 - free, 4), F(free, 4))
            for coin in range(5):
                case = fork(p, q, F(coin, 4))
                loss = target_worth(case) - worth(case, _flags(case, true_pivots))
                alpha = overlap(p, q)
                assert loss <= alpha * (1 - alpha)
                worst = max(worst, loss)
    assert worst == F(1, 4)


@pytest.mark.parametrize("seed", range(20))
def test_corrected_rules_on_enumerated_paths(seed) -> None:
    """Both corrections, and the evaluation of every rule in the claims, against draft-by-draft enumeration."""
    case = flagged(ExactDraw(rng=np.random.default_rng(seed)))
    flags = case.pop("flags")
    process, target = process_of(**case), target_worth(case)
    judged, printed = flags | relative_pivots(process), flags | true_pivots(process)
    assert worth(case, judged) >= target
    assert worth(case, printed, "strict") >= target
    assert share(case, judged) == run_pad(process, judged).share
    assert run_pad(process, printed, strict).utility == worth(case, printed, "strict")
    other = run_pad(process, printed, lambda f: pad(f)._replace(residual=fresh))
    assert other.utility == worth(case, printed, "fresh")
    assert worth(case, everything(case)) == target == values(process)[0][0]


def test_losses_over_two_positions_add_up_to_two_fifths() -> None:
    """Every printed pivot is flagged, and 3/5 falls to 1/5: more than a quarter, less than two of them."""
    case = {
        "target": matrix("1/2 1/2 0", "4/5 1/5 0", "2/5 3/5 0", "1 0 0", "1 0 0", "2/5 3/5 0", "4/5 1/5 0"),
        "draft": matrix("1/2 0 1/2", "4/5 0 1/5", "2/5 0 3/5", "1 0 0", "1 0 0", "2/5 3/5 0", "4/5 1/5 0"),
        "step": np.array([[1, 3, 2], [4, 3, 6], [4, 3, 5], [3, 3, 3], [4, 4, 4], [4, 3, 4], [4, 3, 4]]),
        "utility": law(0, 0, 0, 1, 0, 0, 0),
        "horizon": 3,
    }
    flags = true_pivots(process_of(**case))
    assert (target_worth(case), worth(case, flags)) == (F(3, 5), F(1, 5))
    assert F(3, 5) ** 4 < F(1, 5) < F(3, 5) ** 2


@pytest.mark.parametrize("chance", [F(k, 7) for k in range(8)])
def test_one_position_keeps_the_square_and_no_more(chance) -> None:
    """By enumeration: the draft replaces a sure success by a coin that is as good as the target on average."""
    case = fork(law(chance, 1 - chance, 0), law(0, 1 - chance, chance), chance)
    assert worth(case, true_pivots(process_of(**case))) == chance**2 == target_worth(case) ** 2


def test_removing_flags_at_several_positions() -> None:
    """The identity itself on the instances on which its mutation fails."""
    check = check_exact(replace(get("pad.better-classifier-sharp"), instances=_unflagged), QUICK, seed=0)
    assert check.exact is not None and check.exact.violations == 0


@pytest.mark.parametrize(
    ("name", "at"), [("pad.utility-slack", 0), ("pad.utility-slack", 1), ("pad.utility-slack.printed", 1)]
)
def test_the_prices_of_an_override_cannot_be_lower(name, at) -> None:
    """In the tight instances a missed pivot costs 1, a tolerated token ε, a printed non-pivot α = 1/2."""
    claim = get(name)
    smaller, larger = claim.sides(claim.tight[at])
    assert smaller[0] == larger[0] > 0


def test_counterexample_in_the_other_readings() -> None:
    ties, replaced = counterexample("pad.utility-preserved.ties"), counterexample("pad.utility-preserved.fresh")
    assert ties["flags"][true_pivots(process_of(**{k: ties[k] for k in LEMMA}), ties=True)].all()
    assert worth(ties, ties["flags"]) < target_worth(ties)
    assert worth(replaced, replaced["flags"], "fresh") < target_worth(replaced)


def test_counterexample_with_a_tolerance() -> None:
    case = counterexample("pad.utility-preserved.tolerance")
    assert worth(case, case["flags"]) + case["epsilon"] < target_worth(case)


def test_counterexample_with_the_guardrail_needs_no_unlikely_token() -> None:
    """No token of the first position is below the limit, so the guardrail changes nothing there, and the loss is there."""
    case = get("pad.utility-preserved.guardrail").against[0]
    assert min(case["target"][0]) > F(1, 10_000)
    assert worth(case, case["flags"]) < target_worth(case)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("gamma", [1, 2, 3])
def test_utility_in_blocks(seed, gamma) -> None:
    """Pivots judged against the replacement keep the target's utility in blocks of drafts too; those of the paper lose it."""
    found = flagged(ExactDraw(rng=np.random.default_rng(seed)), relative_pivots, longest=3)
    flags = found.pop("flags")
    process = process_of(**found)
    assert evaluate(process, lambda t, here, after: pad(flags[t]), gamma).utility >= values(process)[0, 0]
    printed = dict(get("pad.utility-preserved").against[0])
    wrong = printed.pop("flags")
    assert evaluate(process_of(**printed), lambda t, here, after: pad(wrong[t]), gamma).utility == F(1, 4)


def test_blocks_by_hand() -> None:
    """The Lemma's counterexample in blocks of one draft: the first token is all that the draft decides, a quarter again."""
    flags = _flags(LEMMA, true_pivots)
    process = process_of(**{k: LEMMA[k] for k in ("target", "draft", "step", "utility", "horizon")})
    assert run_pad(process, flags, gamma=1).utility == run_pad(process, flags).utility == F(1, 4)
    assert run_pad(process, _flags(LEMMA, relative_pivots), gamma=1).utility == F(1, 2)
