"""Pivot-aware decoding in blocks: values in every phase, against a text written draft by draft."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import law, matrix
from simspec.claims.draw import ExactDraw
from simspec.claims.pad.blocks import phase_gaps, phase_values, phase_visits, round_values
from simspec.claims.pad.parts import flagged, process_of, run_pad, true_pivots
from tests.claims.pad.cases import LEMMA, _flags


def in_block(case, flags, gamma, state=0, t=0, kept=0):
    """Expected utility of a text of which a block of drafts is under way, by enumeration."""
    if t == case["horizon"]:
        return case["utility"][state]
    p, q, step = (case[name][state].tolist() for name in ("target", "draft", "step"))
    tokens = range(len(p))

    def then(x, kept):
        return in_block(case, flags, gamma, step[x], t + 1, kept)

    if kept == gamma:
        return sum((p[x] * then(x, 0) for x in tokens if p[x]), F(0))
    left = [max(p[y] - q[y], F(0)) for y in tokens]
    total = F(0)
    for x in tokens:
        accept = F(1) if not flags[t][state][x] or q[x] <= p[x] else p[x] / q[x]
        if q[x] * accept:
            total += q[x] * accept * then(x, kept + 1)
        if q[x] * (1 - accept):
            total += q[x] * (1 - accept) * sum(left[y] / sum(left) * then(y, 0) for y in tokens if left[y])
    return total


@pytest.mark.parametrize("gamma", [1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_values_and_visits_in_every_phase(seed, gamma) -> None:
    """Against enumeration, the package's evaluation, and each other."""
    case = flagged(ExactDraw(rng=np.random.default_rng(seed)), longest=3)
    flags = case.pop("flags")
    process = process_of(**case)
    table, visits, run = (
        phase_values(process, flags, gamma),
        phase_visits(process, flags, gamma),
        run_pad(process, flags, gamma=gamma),
    )
    states = range(len(process.utility))
    assert table[0].tolist() == [[in_block(case, flags, gamma, s, 0, j) for s in states] for j in range(gamma + 1)]
    assert (table[:, 0] == run.values).all()
    assert (visits[:, :-1].sum(axis=1) == run.drafting).all()
    assert (visits.sum(axis=1) == run.visits).all()


def test_a_round_by_hand() -> None:
    """One draft and the target's own token: the text of the lemma ends with the round; after that nothing follows."""
    process = process_of(**LEMMA)
    flags = _flags(LEMMA, true_pivots)
    assert round_values(process, flags, 1)[0, 0, 0] == phase_values(process, flags, 1)[0, 0, 0] == F(1, 4)
    assert round_values(process, flags, 1)[0, 1, 0] == F(1, 2)


def test_a_token_can_pay_early_in_a_block_and_not_late() -> None:
    """State 0 goes on to a bad token in the second draft; only the target's own token is spared."""
    case = {
        "target": matrix("1 0", "1 0", "1 0"),
        "draft": matrix("0 1", "0 1", "1 0"),
        "step": np.array([[1, 1], [1, 2], [2, 2]]),
        "utility": law(0, 1, 0),
        "horizon": 2,
    }
    gaps = phase_gaps(process_of(**case), np.zeros((2, 3, 2), dtype=bool), 2)
    assert gaps[0, 0, 0, 1] == 0 and gaps[0, 1, 0, 1] == 1
