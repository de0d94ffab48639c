"""Rare events with exact weights: by hand, against exact probabilities, and where weights are forgotten."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.engine import run as engine
from simspec.engine.estimates.intervals import student, within
from simspec.engine.estimates.stopping import RelativeError
from simspec.engine.study import Rows, simulate
from simspec.kernels import random
from simspec.laws import Array
from simspec.studies import rare
from simspec.studies.rare import Tilted, few_exactly, rare_texts, tail, tilt_for

SURE = 1 - 1e-6
"""Level of the intervals: a correct mean falls outside once in a million keys."""
HARD, EASY = np.array([0.4, 0.24, 0.36]), np.array([0.2, 0.16, 0.64])
"""Up to two drafts are accepted, each with probability 0.6, or 0.8."""


def followed(tilt: float, calls: int, texts: int, key: int = 1) -> Tilted:
    """Texts in which a call is hard where the one before has accepted nothing."""
    u = random.uniform(key, range(texts), range(calls))
    text, last = Tilted(texts, tilt), np.ones(texts, dtype=int)
    for i in range(calls):
        last = text.step(np.where((last == 0)[:, None], HARD, EASY), u[:, i])
    return text


def exactly(calls: int, few: int) -> float:
    """Probability that such a text accepts `few` drafts or fewer, by following state and sum."""
    mass = np.zeros((2, 2 * calls + 1))
    mass[1, 0] = 1
    for _ in range(calls):
        after = np.zeros_like(mass)
        for easy, law in enumerate((HARD, EASY)):
            for length, p in enumerate(law):
                after[min(length, 1), length:] += p * mass[easy, : mass.shape[1] - length]
        mass = after
    return float(mass[:, : few + 1].sum())


def test_four_coins_by_hand() -> None:
    fair = np.array([[0.5, 0.5]] * 4)
    assert tail(fair, 4) == 1 / 16 and tail(fair, 0) == 1 and tail(fair, 5) == 0
    assert tail(fair, 1, fewer=True) == 5 / 16 and tail(fair, -1, fewer=True) == 0
    assert math.isclose(tilt_for(fair, 3), math.log(3), rel_tol=1e-9)
    text = Tilted(1, math.log(3))
    for _ in range(4):
        text.step(fair[:1], np.array([0.99]))
    assert text.total.tolist() == [4] and math.isclose(math.exp(text.log_weight[0]), (2 / 3) ** 4)


def test_weighted_texts_have_the_probability_of_paths_that_depend_on_themselves() -> None:
    """Some 1e-6, which 20,000 texts drawn as they are never meet.  Control: without their weights the texts miss it."""
    exact = exactly(40, 20)
    assert exact < 1e-5
    mean = (HARD + EASY) / 2
    text = followed(tilt_for(np.tile(mean, (40, 1)), 20), 40, 20_000)
    few = text.total <= 20
    found = student(np.where(few, np.exp(text.log_weight), 0), SURE)
    assert within(found, exact) and found.high < 1.5 * exact
    assert not within(student(few.astype(float), SURE), exact)
    assert not (followed(0, 40, 20_000).total <= 20).any()


def test_other_events_have_their_probability_too() -> None:
    """The same weights serve any event: here a common one, that an even number of drafts is accepted."""
    calls = 6
    exact = sum(exactly(calls, few) - exactly(calls, few - 1) for few in range(0, 2 * calls + 1, 2))
    text = followed(-0.3, calls, 20_000, key=2)
    assert within(student(np.where(text.total % 2 == 0, np.exp(text.log_weight), 0), SURE), exact)


def test_without_a_tilt_texts_weigh_one() -> None:
    text = followed(0, 5, 100)
    assert abs(text.log_weight).max() < 1e-12


laws = st.lists(st.integers(0, 5), min_size=2, max_size=5).filter(any).map(lambda x: np.array(x) / sum(x))


@given(laws, st.integers(1, 6), st.floats(0.05, 0.95))
def test_a_weight_is_at_most_chernoffs_bound_and_what_has_no_mass_is_not_drawn(
    law: Array, calls: int, part: float
) -> None:
    has = np.flatnonzero(law)
    if len(has) == 1:
        return
    total = float(calls * (has[0] + part * (has[-1] - has[0])))
    tilt = tilt_for(np.tile(law, (calls, 1)), total)
    log_sum = calls * math.log((law * np.exp(tilt * np.arange(len(law)))).sum())
    text, u = Tilted(50, tilt), random.uniform(3, range(50), range(calls))
    u[0], u[1] = 2.0**-33, 1 - 2.0**-33
    for i in range(calls):
        assert law[text.step(law, u[:, i])].min() > 0
    event = text.total >= total if tilt >= 0 else text.total <= total
    assert (text.log_weight[event] <= log_sum - tilt * total + 1e-9).all()
    assert (
        tail(np.tile(law, (calls, 1)), math.ceil(total), False) <= math.exp(log_sum - tilt * total) + 1e-9 or tilt < 0
    )


def test_what_cannot_be_is_refused() -> None:
    fair = np.array([[0.5, 0.5]] * 4)
    for total in (0, 4, 9):
        with pytest.raises(ValueError, match="between 0 and 4 drafts"):
            tilt_for(fair, total)
    with pytest.raises(ValueError, match="tilt"):
        Tilted(2, math.inf)
    with pytest.raises(ValueError, match="texts"):
        Tilted(0, 1)
    with pytest.raises(ValueError, match="one for each of 2 texts"):
        Tilted(2, 1).step(fair[:1], np.zeros(3))
    with pytest.raises(ValueError, match="law"):
        Tilted(2, 1).step(np.array([0.5, 0.6]), np.zeros(2))


def test_few_exactly_is_the_sum_over_all_texts() -> None:
    """Three calls of four drafts, each text by hand; and every text keeps twelve drafts or fewer."""
    cell = {"rate": 0.6, "after a rejection": 0.3, "calls": 3, "most": 5}
    hard, easy = rare._calls(cell)
    total = 0.0
    for lengths in itertools.product(range(5), repeat=3):
        laws = [easy, *(easy if length else hard for length in lengths[:2])]
        total += math.prod(law[length] for law, length in zip(laws, lengths, strict=True)) * (sum(lengths) <= 5)
    assert few_exactly(cell) == pytest.approx(total, rel=1e-12)
    assert few_exactly(cell | {"most": 12}) == pytest.approx(1) and few_exactly(cell | {"most": 0}) == pytest.approx(
        0.4 * 0.49
    )


def test_the_study_finds_what_is_exact_in_every_cell() -> None:
    """By intervals with confidence 1 - 1e-6, to four tenths of probabilities down to 1e-10, in a hundred thousand texts."""
    study, stop = rare_texts(), RelativeError("few", 0.4)
    for cell, result in zip(study.grid, engine.run(study, max_rows=150_000, level=SURE, stop=stop), strict=True):
        bound = simulate(study, cell, 0, range(1))["bound"][0]
        _, low, high = result.estimates["few"]
        assert result.decided and low < few_exactly(cell) / math.exp(bound) < high


def test_texts_without_their_weights_are_found_out(monkeypatch) -> None:
    """The control: every text in the event weighs the same."""
    step = Tilted.step

    def forgetful(self: Tilted, laws: Array, uniform: Array) -> Array:
        length = step(self, laws, uniform)
        self.log_weight[:] = -5.0
        return length

    monkeypatch.setattr(Tilted, "step", forgetful)
    study = rare_texts()
    bound = simulate(study, study.grid[0], 0, range(1))["bound"][0]
    (result, *_) = engine.run(study, max_rows=5000, level=SURE)
    assert result.estimates["few"].low > few_exactly(study.grid[0]) / math.exp(bound)


def test_the_bound_of_the_weights_holds_and_is_nearly_met() -> None:
    study = rare_texts()
    for cell in study.grid:
        weight = rare._few(cell, Rows(3, range(5000)), "cpu")["few"]
        assert 0.05 < weight.max() < 1  # were it too small, weights would be cut at 1
