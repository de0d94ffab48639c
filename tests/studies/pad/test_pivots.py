"""Exact figures of PAD on processes: against enumeration by recursion, against `evaluate`, and at size."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.methods import SD, Method, ears, evaluate, pad, pivots, replacement_pivots
from simspec.methods.pad.process import Process, values
from simspec.studies.pad.pivots import decoding, rejection_shares, unnecessary
from simspec.studies.pad.problems import NAMES, ended, make_problem

CELL: dict[str, Any] = {"laws": "synthetic", "vocab": 6, "horizon": 7, "states": 4}
SMALL: dict[str, Any] = {**CELL, "family": "answer", "vocab": 3, "horizon": 5, "states": 3, "ceiling": 1.0}


def _override(t: int, here: Any, after: Any) -> Method:
    return pad(pivots(here, after, 1e-9))


def _corrected(process: Process) -> Any:
    return lambda t, here, after: pad(replacement_pivots(process.target, process.draft, after, 1e-9))


def test_the_override_that_loses_by_hand():
    p, d = np.array([[0.5, 0.5, 0]] + [[1, 0, 0]] * 3), np.array([[0, 0.5, 0.5]] + [[1, 0, 0]] * 3)
    step = np.array([[1, 2, 3], [1, 1, 1], [2, 2, 2], [3, 3, 3]])
    process = Process(p, d, step, np.array([0, 1, 0, 0.5]), 0, 1)
    own, made = decoding(process, SD, 2, 0.5), decoding(process, _override, 2, 0.5)
    assert own.utility.item() == 0.5 and made.utility.item() == 0.25
    assert own.share.item() == 0.5 and made.share.item() == 1 and made.calls.item() == own.calls.item() == 1
    assert own.speed.item() == 0.5  # one token a call, which costs 1 + 2/2


def _walk(process: Process, rule: Any, gamma: int) -> np.ndarray:
    """Utility, accepted, tested, calls, tokens: by recursion over every draft, uniform and replacement."""
    table, over = values(process), ended(process)

    def go(s: int, t: int, j: int) -> np.ndarray:
        if t == process.horizon or over[s]:
            return np.array([process.utility[s], 0, 0, j > 0, 0])
        method = rule if isinstance(rule, Method) else rule(t, table[t], table[t + 1][process.step])
        kept = method.accept(process.target, process.draft)[s]
        left = (1 - kept.sum()) * method.residual(process.target, process.draft)[s]
        total = np.zeros(5)
        for x, there in enumerate(process.step[s]):
            if j == gamma:
                total += process.target[s, x] * (go(there, t + 1, 0) + np.array([0, 0, 0, 1, 1]))
            else:
                total += kept[x] * (go(there, t + 1, j + 1) + np.array([0, 1, 1, 0, 1]))
                total += left[x] * (go(there, t + 1, 0) + np.array([0, 0, 1, 1, 1]))
        return total

    return go(process.start, 0, 0)


@pytest.mark.parametrize("gamma", [1, 2, 10])
@pytest.mark.parametrize("rule", [SD, ears(0.5), _override], ids=["sd", "ears", "pad"])
def test_decoding_equals_enumeration(gamma, rule):
    for number in range(3):
        process = make_problem(SMALL, 3, number).process
        made = decoding(process, rule, gamma, cost=0.25)
        found = [made.utility, made.accepted, made.tested, made.calls, made.tokens]
        walked = _walk(process, rule, gamma)
        assert np.allclose(np.array(found, dtype=float), walked, atol=1e-12)
        assert np.isclose(made.speed.item(), walked[4] / (walked[3] * (0.25 * gamma + 1)))


@pytest.mark.parametrize("family", NAMES[1:])
@pytest.mark.parametrize("gamma", [1, 3, 10])
def test_decoding_equals_evaluate_where_texts_do_not_end_early(family, gamma):
    process = make_problem({**CELL, "family": family}, 1, 0).process
    for rule in (SD, ears(0.3), _override):
        ours, theirs = decoding(process, rule, gamma), evaluate(process, rule, gamma)
        for name in ("utility", "accepted", "calls"):  # `evaluate` counts drafts that were never decided on, too
            assert np.isclose(getattr(ours, name).item(), getattr(theirs, name))
        assert ours.tested.item() <= float(theirs.drafts) + 1e-9
        assert ours.tokens.item() == pytest.approx(process.horizon)


def test_rules_side_by_side_are_rules_alone():
    process = make_problem({**CELL, "family": "answer"}, 1, 0).process
    flags = np.random.default_rng(0).random((3, 1, *process.step.shape)) < 0.5
    together = decoding(process, pad(flags))
    for i in range(3):
        alone = decoding(process, pad(flags[i, 0]))
        for a, b in zip(together, alone, strict=True):
            assert a.shape == (3, 1) and np.isclose(a[i, 0], b)


def test_speculative_decoding_loses_nothing_and_corrected_pivots_gain():
    for family in NAMES:
        for number in range(3):
            process = make_problem({**CELL, "family": family}, 2, number).process
            own = decoding(process, SD)
            assert np.isclose(own.utility, values(process)[0, process.start])
            made = decoding(process, _corrected(process))
            assert made.utility >= own.utility - 1e-7


def _shares(process: Process) -> tuple[float, float]:
    """Share of non-pivots among rejected drafts and among the target's tokens, by enumeration of the texts."""
    table, over = values(process), ended(process)
    sums = np.zeros(4)

    def go(s: int, t: int, mass: float) -> None:
        if t == process.horizon or over[s]:
            return
        for x, there in enumerate(process.step[s]):
            free = table[t + 1, there] >= table[t, s] - 1e-9
            rejected = mass * max(process.draft[s, x] - process.target[s, x], 0)
            sums[:] += [rejected * free, rejected, mass * process.target[s, x] * free, mass * process.target[s, x]]
            go(there, t + 1, mass * process.target[s, x])

    go(process.start, 0, 1.0)
    return sums[0] / sums[1], sums[2] / sums[3]


@pytest.mark.parametrize("family", NAMES)
def test_shares_of_rejections_equal_enumeration(family):
    process = make_problem({**SMALL, "family": family, "states": 2 if family == "random" else 3}, 4, 0).process
    made = rejection_shares(process)
    rejected, own = _shares(process)
    assert np.isclose(made["definition"], rejected) and np.isclose(made["definition of texts"], own)
    assert made["ties"] <= made["definition"] <= made["one point"] + 1e-12
    assert all(0 <= share <= 1 + 1e-12 for share in made.values())


def test_bad_input_is_refused():
    process = make_problem({**CELL, "family": "needle"}, 1, 0).process
    with pytest.raises(ValueError, match="gamma: 0"):
        decoding(process, SD, gamma=0)
    with pytest.raises(ValueError, match="horizon 0"):
        decoding(process._replace(horizon=0), SD)
    with pytest.raises(ValueError, match="no draft is ever rejected"):
        rejection_shares(process._replace(draft=process.target))


def test_the_study_is_the_same_in_any_blocks_and_needle_s_pivots_are_rare():
    grid = tuple({**CELL, "family": family} for family in NAMES)
    study = unnecessary(grid, rows=3)
    whole, parts = gather(study, seed=1), gather(study, seed=1, block=1)
    for a, b in zip(whole, parts, strict=True):
        assert all(np.array_equal(a.values[name], b.values[name]) for name in a.values)
    needle = whole[NAMES.index("needle")].values
    assert needle["definition"].min() > needle["ties"].max()
    assert {c["vocab"] for c in unnecessary().grid} >= {256} and {c["horizon"] for c in unnecessary().grid} >= {64}


def test_horizon_64_and_vocabulary_256_take_seconds():
    cell = unnecessary().grid[-1]
    assert (cell["vocab"], cell["horizon"]) == (256, 64)
    process = make_problem(cell, 1, 0).process
    start = time.process_time()
    shares, made, own = rejection_shares(process), decoding(process, _override), decoding(process, SD)
    assert time.process_time() - start < 10  # about two seconds alone on one core
    assert np.isclose(own.utility, values(process)[0, 0]) and made.speed > own.speed and 0 < shares["rejected"] < 1


def test_a_text_that_is_over_from_the_start():
    """No token, no call: the utility of the start, nothing drafted, and the target's own speed."""
    only = np.array([[1.0, 0.0]])
    made = decoding(Process(only, only, np.array([[0, 0]]), np.array([0.5]), 0, 3), SD, gamma=2)
    assert (made.utility.item(), made.tokens.item(), made.calls.item()) == (0.5, 0, 0)
    assert (made.speed.item(), made.share.item()) == (1, 1)
