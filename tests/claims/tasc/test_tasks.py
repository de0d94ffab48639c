"""Claims about task entropy, typical sets and n-gram drafters: cases by hand, verdicts, definitions by enumeration, mutations."""

from fractions import Fraction as F
from math import log

from simspec.claims.deciding.shrink import violated
from simspec.claims.words import law, matrix
from simspec.laws import overlap
from tests.claims.cases import counterexample, get
from tests.claims.tasc.cases import plain_entropy


def test_two_tasks_by_hand() -> None:
    """Each task certain of its own output: mean entropy 0, mixture log 2, all of it information about the task."""
    laws = matrix("1 0", "0 1")
    mean, mixed = get("tasc.task-entropy").sides({"laws": laws})
    assert mean == 0 and abs(float(mixed) - log(2)) < 1e-15
    lhs, rhs = get("tasc.task-entropy-corrected").sides({"laws": laws, "prior": law("1/4", "3/4")})
    assert abs(float(lhs) - plain_entropy([F(1, 4), F(3, 4)])) < 1e-15 > abs(float(lhs - rhs))


def test_conditioning_fails_in_both_readings() -> None:
    found = counterexample("tasc.conditioning")["laws"]
    assert found.size <= 4
    each = [plain_entropy(row) for row in found.tolist()]
    mixture = plain_entropy([sum(column) / len(found) for column in zip(*found.tolist(), strict=True)])
    assert max(each) > sum(each) / len(each) + 1e-9 and max(each) > mixture + 1e-9


def test_equal_tasks_are_not_counterexamples() -> None:
    assert not violated(get("tasc.conditioning").slack({"laws": matrix("1/3 2/3", "1/3 2/3")}))


# --- drafters -------------------------------------------------------------------------------------------------------


def test_greedy_told_as_sampled_by_hand() -> None:
    """p = (1/2, 1/2); token 0 is always drafted, told (3/4, 1/4): kept with 2/3, else token 1 is drawn."""
    claim = get("tasc.spec-lossless")
    (outside,) = claim.outside.values()
    assert claim.sides(outside)[0].tolist() == [F(2, 3), F(1, 3)]


def test_what_mixing_gains_by_hand() -> None:
    """Two drafters certain of the two halves of a fair target: 1/2 each, together 1."""
    both = {"p": law("1/2", "1/2"), "c": law(1, 0), "r": law(0, 1), "mix": F(1, 2)}
    assert get("tasc.mixture-average").sides(both) == (1, F(1, 2))
    assert get("tasc.mixture-average-sharp").sides(both) == (F(1, 2), F(1, 2))


def test_a_mixture_can_be_worse_than_its_better_part() -> None:
    p, c, r = law(1, 0), law(1, 0), law(0, 1)
    assert overlap(p, (c + r) / 2) == F(1, 2) < overlap(p, c)
