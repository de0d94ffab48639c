"""Claims about task entropy, typical sets and n-gram drafters: cases by hand, definitions by enumeration."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise, product
from math import log, sqrt

import numpy as np
import pytest

from simspec.claims.authoring import law, matrix
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.shrink import violated
from simspec.claims.draw import ExactDraw
from simspec.claims.tasc.parts import shannon
from simspec.claims.tasc.typical_set import ERGODIC, _Constants, _source, levels, smallest_set
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


def texts_of(start, M, n) -> dict[tuple[int, ...], F]:
    """Every text with its probability, one by one."""
    found = {}
    for text in product(range(len(start)), repeat=n):
        mass = start[text[0]]
        for a, b in pairwise(text):
            mass *= M[a][b]
        found[text] = mass
    return found


@pytest.mark.parametrize("seed", range(12))
def test_levels_and_deviation_by_enumeration(seed) -> None:
    source = _source(ExactDraw(rng=np.random.default_rng(seed)))
    start, M, n = source["start"].tolist(), source["M"].tolist(), source["n"]
    texts = {t: m for t, m in texts_of(start, M, n).items() if m}
    assert sum(levels(source["start"], source["M"], n).values()) == len(texts)
    assert sum(m * k for m, k in levels(source["start"], source["M"], n).items()) == 1
    ordered, taken = sorted(texts.values(), reverse=True), F(0)
    size = 0
    while taken < 1 - source["missed"]:
        taken, size = taken + ordered[size], size + 1
    assert smallest_set(levels(source["start"], source["M"], n), source["missed"]) == size
    mean = sum(float(m) * -log(m) for m in texts.values())
    spread = sqrt(sum(float(m) * (-log(m) - mean) ** 2 for m in texts.values()))
    c = _Constants(source["M"], source["start"])
    assert spread <= float(c.deviation(n)) + 1e-12
    assert abs(mean - float(c.first + (n - 1) * c.rate)) < 1e-12


def test_the_martingale_part_is_what_grows() -> None:
    """On a long text the true deviation is that of the steps, σ√(n − 1), but for what happens at its two ends."""
    M, start, n = matrix("7/8 1/8", "1/2 1/2"), law("4/5", "1/5"), 40
    masses = levels(start, M, n)
    mean = sum(float(m * k) * -log(m) for m, k in masses.items())
    spread = sqrt(sum(float(m * k) * (-log(m) - mean) ** 2 for m, k in masses.items()))
    c = _Constants(M, start)
    ends = 2 * float(c.ends) + float(c.begin)
    assert abs(spread - float(c.step) * sqrt(n - 1)) <= ends < float(c.step) * sqrt(n - 1) / 2


def test_a_mixture_of_sources_has_no_typical_set_of_its_rate() -> None:
    """A quarter always says 0, three quarters toss coins: half of the mass takes 2^n/3 texts and more, 2^(3n/4) would be few."""
    claim = get("tasc.typical-set")
    outside = claim.outside[ERGODIC]
    n = outside["n"]
    assert smallest_set(levels(outside["start"], outside["M"], n), F(1, 2)) > 2**n / 4
    assert abs(float(_Constants(outside["M"], outside["start"]).rate) - 0.75 * log(2)) < 1e-15


def test_evidence_shows_the_rate() -> None:
    """Gaps times root n stay below what the bound allows times root n, and the bound itself shrinks."""
    shown = get("tasc.typical-set").evidence(Data(effort="quick"))
    widths = []
    for e in shown:
        c = e.control
        assert c["bound below"] <= e.estimate <= c["bound above"]
        widths.append((c["bound above"] - c["bound below"]) * sqrt(e.n))
    assert (
        len(shown) == 3
        and max(widths) < 3
        and abs(plain_entropy([0.25, 0.75]) - shown[0].control["entropy rate"]) < 1e-12
    )


def test_uniform_laws_have_no_spread() -> None:
    lhs, rhs = get("tasc.typical-set-sharp").sides({"p": law("1/4", "1/4", "1/4", "1/4"), "missed": F(1, 5)})
    assert abs(float(lhs[0]) - log(4)) < 1e-15 and abs(float(rhs[0]) - log(4)) < 1e-15
    assert abs(float(shannon(law("1/2", "1/2"))) - log(2)) < 1e-15


@pytest.mark.parametrize("rare", [2, 5, 64])
def test_laws_of_two_probabilities_attain_the_lower_bound(rare) -> None:
    """The set is the likelier outcomes, of mass 1 − δ; the rarer ones are as many as one likes."""
    p = law("1/4", "1/4", "1/4", *[F(1, 4 * rare)] * rare)
    slack = get("tasc.typical-set-sharp").slack({"p": p, "missed": F(1, 4)})
    assert abs(float(slack[1])) < 1e-15 and float(slack[0]) >= 0


def test_the_upper_bound_grows_as_the_deviation() -> None:
    """A rare half and a little more in ever more outcomes: bound less size stays bounded, the deviation does not."""
    p = {F(7, 16): 1, F(9, 16) / 10**60: 10**60}
    size = smallest_set(p, F(1, 2))
    H = sum(float(m) * k * -log(m) for m, k in p.items())
    deviation = sqrt(sum(float(m) * k * (-log(m) - H) ** 2 for m, k in p.items()))
    assert log(size) > H + 0.8 * deviation > H + 50


def test_a_wrong_necessity_is_noticed() -> None:
    """An instance that keeps the assumption does not show that it is needed."""
    from simspec.claims.deciding.search import EFFORTS, check_exact

    claim = get("tasc.typical-set")
    kept = replace(claim, outside={**claim.outside, ERGODIC: claim.tight[0]})
    assert check_exact(kept, EFFORTS["quick"], 0).not_needed == (ERGODIC,)
