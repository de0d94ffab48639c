"""Studies of which one part, or one option of the run, is changed: refused by name, or what its rows say."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from simspec.engine import run as engine
from simspec.engine.estimates.derived import Control
from simspec.engine.estimates.statistics import SCALE, Counts, Mean, Share
from simspec.engine.estimates.stopping import HalfWidth, Rows
from simspec.engine.row_values import gather
from simspec.engine.study import Study
from tests.altered import NOTHING, alter, judged, outcomes
from tests.engine.coins import coin

NAMES = (
    "study|name|question|grid|cell|simulate|summary|rows|measures|stop|devices|pair|control|seed|max_rows|level|"
    "simultaneous|seconds|shard|device|low, high|edges|values of|hits of|count|value|asymptotic"
)
STUDY = ("name", "question", "grid", "simulate", "summary", "rows", "measures", "stop", "devices", "pair", "control")
OPTIONS = ("seed", "max_rows", "level", "simultaneous", "seconds", "shard", "device")
MEASURES = {"heads": Share(), "depth": Mean(0, 2), "length": Counts((1.0, 2.0, 3.0))}


def _coin(cell: Any, rows: Any, device: str) -> dict[str, Any]:
    values = coin(cell, rows, device)
    return {**values, "depth": values["depth"][:, 0]}


def _returning(change: Any) -> Any:
    """The coin with its values changed."""
    return lambda cell, rows, device: change(_coin(cell, rows, device))


def _half(cell: Any) -> float:
    return 1.0


OTHERS: dict[str, list[Any]] = {
    "name": ["", "other", "a\nb", 3, "\ud800"],
    "grid": [
        (),
        [{"bias": 0.5}],
        ({"bias": 0.5}, {"bias": 0.5}),
        (None,),
        ("bias",),
        ({"bias": np.array([0.5, 0.25])},),
        ({"bias": np.float64(0.5)},),
        ({"bias": float("nan")},),
        ({1: 0.5, "bias": 0.5},),
        {"bias": 0.5},
        *[({"bias": 0.5, "rows": rows},) for rows in (0, -1, 1, 2.5, True, None, "9", float("nan"), 10**30, [3])],
    ],
    "simulate": [
        None,
        "coin",
        lambda: None,
        lambda cell, rows: _coin(cell, rows, "cpu"),
        _returning(lambda values: None),
        _returning(list),
        _returning(lambda values: {**values, "heads": 1}),
        _returning(lambda values: {**values, "heads": values["heads"][:-1]}),
        _returning(lambda values: {**values, "heads": values["heads"] * 2.0}),
        _returning(lambda values: {**values, "heads": values["heads"][:, None]}),
        _returning(lambda values: {**values, "heads": list(values["heads"])}),
        _returning(lambda values: {**values, "depth": values["depth"] * np.nan}),
        _returning(lambda values: {**values, "depth": values["depth"] + 5}),
        _returning(lambda values: {**values, "depth": values["depth"] + 0j}),
        _returning(lambda values: {**values, "depth": np.asfortranarray(np.stack([values["depth"]] * 2, axis=1))}),
        _returning(lambda values: {**values, "depth": values["depth"].astype(np.float16)}),
        _returning(lambda values: {**values, "length": [1, [2]]}),
        _returning(lambda values: {**values, "length": None}),
        _returning(lambda values: {**values, "gain": values["depth"]}),
        _returning(lambda values: {**values, 3: values["depth"]}),
        _returning(lambda values: {name: x for name, x in values.items() if name != "depth"}),
    ],
    "measures": [
        {},
        list(MEASURES),
        {**MEASURES, "heads": None},
        {**MEASURES, "heads": Share},
        {**MEASURES, "none": Share()},
        {**MEASURES, "heads": Mean(0, 0.5)},
        {**MEASURES, "a[0]": Share()},
        {**MEASURES, 3: Share()},
        *[{**MEASURES, "depth": Mean(low, 2)} for low in (3, float("nan"), float("inf"), "0", None, -1, 2)],
        *[{**MEASURES, "length": Counts(edges)} for edges in ((), (2, 1), (1, float("nan")), "ab", None, 3, (1, 1))],
    ],
    "stop": [HalfWidth("heads", 0.2), HalfWidth("none", 0.2), HalfWidth("depth", 0.2), Rows(20), Rows, "rows", 3],
    "devices": [(), "cpu", None, ("tpu",), ["cpu"], ("gpu",), 3],
    "pair": [
        {"gain": ("depth",)},
        {"gain": ("depth", "heads", "heads")},
        {"gain": ("depth", "none")},
        {"gain": ("depth", "length")},
        {"gain": None},
        {"gain": 3},
        {"heads": ("depth", "heads")},
        [("gain", ("depth", "heads"))],
        {"gain": ("heads", "heads")},
        {},
    ],
    "control": [
        {"calm": Control("heads", "none", _half)},
        {"calm": Control("heads", "depth", lambda cell: 0.1)},
        {"calm": Control("heads", "depth", lambda cell: "x")},
        {"calm": Control("heads", "depth", lambda cell: float("nan"))},
        {"calm": Control("heads", "depth", None)},
        *[{"calm": Control("heads", "depth", _half, c)} for c in (float("inf"), "1", None, 0, True)],
        {"calm": ("heads", "depth")},
        {"calm": None},
        [],
        3,
    ],
    "device": ["gpu", "tpu", "", None, 3],
    "shard": [(1, 1), (0, 0), (-1, 2), (0, 2.0), (0,), (0, 1, 2), None, 3, "01", (True, 2), (0.5, 2)],
    "seconds": [0, -1, float("nan"), "x", None, True, 10**400],
    "max_rows": [None, 1, 7, 2**31],
}


def _valid(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, 17])
    control = {"calm": Control("heads", "depth", _half, 0.25)} if seed % 2 else {}
    return {
        "name": "coins",
        "question": "How often heads?",
        "grid": ({"bias": 0.25}, {"bias": 0.5, "rows": 9}),
        "simulate": _coin,
        "summary": "",
        "rows": int(rng.integers(1, 20)),
        "measures": MEASURES,
        "stop": Rows(int(rng.integers(1, 60))),
        "devices": ("cpu",),
        "pair": {"gain": ("depth", "heads")},
        "control": control,
        "seed": int(rng.integers(100)),
        "max_rows": int(rng.integers(1, 60)),
        "level": 0.95,
        "simultaneous": bool(rng.integers(2)),
        "seconds": 1e6,
        "shard": (0, 1),
        "device": "cpu",
    }


def _call(parts: dict[str, Any]) -> Any:
    """Results of a run; the error of a cell's simulation, by its last line."""
    study = Study(*(parts[name] for name in STUDY))
    results = engine.run(study, **{name: parts[name] for name in OPTIONS})
    repr(study)
    for result in results:
        if result.error is not None:
            *_, last = result.error.strip().splitlines()
            if last == "KeyError: 'bias'":  # of the simulation itself, in a cell without a bias
                raise ValueError(f"cell: {last}")
            assert last.startswith(("ValueError: ", "control: ")), last
            raise ValueError(last.removeprefix("ValueError: "))
    return study, results


def _check(parts: dict[str, Any], made: Any) -> None:
    """Totals of the rows that a result says it used, from all rows of the cell at once."""
    study, results = made
    assert len(results) == len(study.grid)
    for place, result in enumerate(results):
        if not result.rows:
            continue
        (plain,) = [gather(study, int(parts["seed"]), result.rows)[place]]
        assert len(plain.values["heads"]) == result.rows
        assert result.totals["heads.hits" if "heads.hits" in result.totals else "heads.n"] is not None
        for name, measure in study.measures.items():
            values = np.asarray(plain.values[name])
            if values.ndim > 1:
                continue
            for key, total in measure.reduce(name, values).items():
                slack = 0 if isinstance(measure, Share | Counts) or key.endswith(".n") else 2 * result.rows
                np.testing.assert_allclose(result.totals[key], total, rtol=0, atol=slack, err_msg=key)
        estimate = result.estimates.get("heads")
        if estimate is not None and np.ndim(plain.values["heads"]) == 1:
            np.testing.assert_allclose(estimate.mean, np.mean(plain.values["heads"]), atol=4 / SCALE)
            assert estimate.low <= estimate.mean <= estimate.high


def outcome(seed: int) -> str:
    """How a study with one changed part ends."""
    others = {name: [*values, *NOTHING] for name, values in OTHERS.items()}
    return judged(alter(random.Random(seed), _valid(seed), others), _call, NAMES, _check)


def test_valid_studies_are_what_their_rows_say() -> None:
    for seed in range(10):
        parts = _valid(seed)
        _check(parts, _call(parts))


def test_one_changed_part_of_a_study_is_refused_by_name_or_legitimate() -> None:
    counts = outcomes(outcome, range(200))
    assert counts["refused"] > 80 and counts["right"] > 20
