"""The fifth list of faulty samplers: each is a sampler whose law is wrong, and its lossless twin has the target's law."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.engine_faults import ENGINES
from benchmarks.fault_list import FIRST, HELD_OUT, SECOND, Fault
from benchmarks.fifth_faults import FIFTH, dropped, mirrored, one_step, processed, remembered
from benchmarks.formed_faults import HALVES, counted
from benchmarks.fourth_faults import FOURTH
from benchmarks.later_faults import LATER
from benchmarks.reported_faults import FRESH, verified
from benchmarks.sampler_faults import adapted
from simspec.audit import Pair, handing, revealing
from simspec.audit.levels import as_levels
from simspec.audit.processors import processor_of
from simspec.audit.zoo import MEMBERS

PAIRS = revealing(2, 3)[:4]
"""Those on which `benchmarks.sampler_faults` audits a fault."""
CALLS = 40_000
"""The mean TV of a law of 27 texts that is right is 0.01 at most: sqrt(26 / (2 pi CALLS))."""
SHOWS = 0.03
SHARED = "tests shared by a launch"
"""Its calls are right one by one."""


def pair_of(fault: Fault, pair: Pair) -> Pair:
    """A pair as a fault is audited on it: with the processor that is asked for, if any."""
    return handing.processed(pair, processor_of(fault.processor)) if fault.processor else pair


def called(fault: Fault, pair: Pair, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Tokens (n, gamma + 1) of n calls."""
    return handing.handed(adapted(fault).sampler, pair)(pair.p, pair.q, n, rng)


def law_of_target(levels: tuple[Any, ...], prefix: tuple[int, ...] = ()) -> NDArray[np.float64]:
    """The law of the texts (V,) * (gamma + 1) of levels of a tree that begin with a prefix."""
    law = np.ones(())
    for level in levels[len(prefix) :]:
        law = law[..., None] * level[prefix]
    return law


def tv_of(fault: Fault, pair: Pair) -> float:
    """TV of the texts that calls begin, and that the target ends, from the target's law."""
    pair = pair_of(fault, pair)
    levels = as_levels(pair.p)
    difference = -law_of_target(levels)
    rows, counts = np.unique(called(fault, pair, CALLS, np.random.default_rng(0)), axis=0, return_counts=True)
    for row, count in zip(rows, counts, strict=True):
        prefix = tuple(int(token) for token in row[row >= 0])
        difference[prefix] += count / CALLS * law_of_target(levels, prefix)
    return float(np.abs(difference).sum() / 2)


def fault_named(name: str) -> Fault:
    """The fault of the list that has this name."""
    (fault,) = (fault for fault in FIFTH if fault.name == name)
    return fault


def test_the_list_has_thirty_faults_of_all_parts_and_forms_and_none_of_an_earlier_list() -> None:
    names = {fault.name for fault in FIFTH}
    earlier = [*FIRST, *SECOND, *HELD_OUT, *FRESH, *LATER, *ENGINES, *FOURTH]
    assert len(names) == len(FIFTH) == 30
    assert not names & {fault.name for fault in earlier} and not names & MEMBERS.keys()
    assert {fault.part for fault in FIFTH} == {member.part for member in MEMBERS.values()} | {"processor"}
    assert {fault.form for fault in FIFTH} == {"", "step", "state", "numpy"}
    assert all((fault.part == "processor") == bool(fault.processor) for fault in FIFTH)


@pytest.mark.parametrize("fault", FIFTH, ids=lambda fault: fault.name)
def test_a_fault_returns_tokens_of_the_vocabulary_and_minus_one_after_the_last(fault) -> None:
    for pair in revealing(2, 3):
        tokens = adapted(fault).sampler(pair.p, pair.q, 20, np.random.default_rng(0))
        assert tokens.shape == (20, len(pair.p)) and tokens.dtype == np.int64
        assert (tokens[:, 0] >= 0).all() and tokens.max() < pair.vocab and tokens.min() >= -1
        assert not ((tokens[:, 1:] >= 0) & (tokens[:, :-1] < 0)).any()


@pytest.mark.parametrize("fault", [fault for fault in FIFTH if fault.name != SHARED], ids=lambda fault: fault.name)
def test_a_fault_shows_on_one_of_the_pairs_at_least(fault) -> None:
    assert max(tv_of(fault, pair) for pair in PAIRS) > SHOWS


def chance_alike(fault: Fault) -> float:
    """How often both calls of a launch of two accept a first draft that is certain and has the chance 1/8."""
    pair = PAIRS[3]
    rng = np.random.default_rng(0)
    launches = [called(fault, pair, 2, rng)[:, 0] for _ in range(2000)]
    return float(np.mean([(first == 0).all() for first in launches]))


def test_tests_that_a_launch_shares_show_in_two_calls_and_not_in_one() -> None:
    """By hand: both calls accept with the chance 1/8 where they share the uniform, else 1/64."""
    fault = fault_named(SHARED)
    assert chance_alike(fault) == pytest.approx(1 / 8, abs=0.02)
    assert chance_alike(fault._replace(sampler=one_step)) == pytest.approx(1 / 64, abs=0.01)


TWINS = (
    Fault("exchanged steps", "", "", verified),
    Fault("tests", "", "", one_step),
    Fault("stop", "", "", dropped),
    Fault("whole step", "", "", mirrored, "step"),
    Fault("state", "", "", remembered, "state"),
    Fault("penalised state", "", "", counted, "state", HALVES),
    *(
        Fault(required, "", "", partial(processed, change=processor_of(required)), "numpy", required)
        for required in ("top-p:0.7", "temperature:0.5", HALVES)
    ),
)
"""What the faults change, unchanged."""


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_a_lossless_twin_has_the_law_of_the_target(twin, pair) -> None:
    assert tv_of(twin, pair) < SHOWS / 2
