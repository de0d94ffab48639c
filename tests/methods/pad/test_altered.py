"""Processes whose parts are valid but for one element: refused by name, or the values of the sum over all texts."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from simspec.laws import exact
from simspec.methods import SD, pad, pivots
from simspec.methods.pad.process import Process, Run, along, evaluate
from simspec.methods.registry import as_rule
from tests.altered import alter, judged, outcomes
from tests.methods.pad.process_cases import play

NAMES = "process|target|draft|step|utility|start|horizon|gamma|rule|measure|keep|propose|residual"
FIELDS = Process._fields
RULES = {"sd": SD, "pad": lambda t, here, after: pad(pivots(here, after))}
OTHERS = {
    "rule": [
        None,
        "sd",
        3,
        lambda t, here: SD,
        lambda t, here, after: None,
        lambda t, here, after: "sd",
        [SD],
        SD.accept,
    ],
    "measure": [None, lambda now: None, lambda now: now.kept, lambda now: "x", lambda now: np.zeros(99), lambda now: 1],
}


def _rejected(now: Any) -> Any:
    return (now.drafted - now.kept).sum(axis=-1)


def _valid(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, 13])
    states, vocab = int(rng.integers(1, 5)), int(rng.integers(2, 4))
    target, draft = (rng.multinomial(8, rng.dirichlet(np.ones(vocab)), states) / 8 for _ in range(2))
    utility = rng.integers(0, 5, states) / 4
    if seed % 2:
        target, draft, utility = exact(target), exact(draft), exact(utility)
    return {
        "target": target,
        "draft": draft,
        "step": rng.integers(0, states, (states, vocab)),
        "utility": utility,
        "start": int(rng.integers(states)),
        "horizon": int(rng.integers(0, 4)),
        "rule": RULES[str(rng.choice(list(RULES)))],
        "gamma": int(rng.integers(0, 4)),
        "measure": _rejected,
    }


def _call(parts: dict[str, Any]) -> tuple[Run, Any]:
    process = Process(*(parts[name] for name in FIELDS))
    return evaluate(process, parts["rule"], parts["gamma"]), along(process, parts["rule"], parts["measure"])


def _check(parts: dict[str, Any], made: tuple[Run, Any]) -> None:
    """Every draft and coin of the same process, its parts made plain."""
    run, _ = made
    laws = [np.asarray(parts[name]) for name in ("target", "draft", "utility")]
    if not all(x.dtype.kind == "O" for x in laws):
        laws = [x.astype(np.float64) for x in laws]
    target, draft, utility = laws
    step, start, horizon = np.asarray(parts["step"]).astype(np.int64), int(parts["start"]), int(parts["horizon"])
    process = Process(target, draft, step, utility, start, horizon)
    gamma = None if parts["gamma"] is None else int(parts["gamma"])
    rule = parts["rule"]
    paths = play(process, as_rule(rule).single if isinstance(rule, str) else rule, gamma)
    close = {"rtol": 1e-3, "atol": 1e-3}  # half precision
    for name in ("accepted", "drafts", "calls"):
        expected = sum(path.chance * getattr(path, name) for path in paths)
        np.testing.assert_allclose(float(getattr(run, name)), float(expected), err_msg=name, **close)
    useful = sum(path.chance * utility[path.states[-1]] for path in paths)
    np.testing.assert_allclose(float(run.utility), float(useful), err_msg="utility", **close)
    assert run.values.shape == (horizon + 1, len(utility))


def outcome(seed: int) -> str:
    """How a process with one changed element ends."""
    return judged(alter(random.Random(seed), _valid(seed), OTHERS), _call, NAMES, _check)


def test_valid_processes_are_those_of_the_sum_over_all_texts() -> None:
    for seed in range(20):
        parts = _valid(seed)
        _check(parts, _call(parts))


def test_one_changed_element_of_a_process_is_refused_by_name_or_legitimate() -> None:
    counts = outcomes(outcome, range(200))
    assert counts["refused"] > 100 and counts["right"] > 30
