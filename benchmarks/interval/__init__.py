"""Time to an interval: seconds until a 95 % interval is no wider than plus or minus 0.001, the whole path, beside what a user
would write.

Two questions at V = 128,256, for Gaussian and for Student-t pairs: the acceptance, and what a relaxed rule (EARS) gains over
speculative decoding on the same pair.  Every candidate is validated and timed on a few rows; its seconds are those, per
row, times the rows that its interval needs, which follow from the mean and the spread of a pilot with a key of its own.  So
the seconds are extrapolated, and linear in the rows by construction.

The candidates differ in what they promise.  `simspec` is what the studies of this package make of the question: levels
(`simspec.studies.levels`), in which few whole rows correct many draws of the large tokens alone, with a design that a
pilot chose beforehand for the one question; its interval holds at every stop in the limit of many rows, and Student's at
one stop stands beside.  `simspec, whole rows` stops on an empirical-Bernstein confidence sequence, valid at every stop for any
law within the bounds; its rows under an asymptotic sequence, and with a coin a row under the beta-binomial one, stand beside.
The others take Student's interval, which holds for many rows, at one number of them that is chosen beforehand from a pilot
(whose time is not counted): averaging exact rates, or counting coins as samplers of events do.

Below each table stand the ratios of like to like, and what no design can beat: the rows that a sequence valid for every law
takes where rows do not vary at all, and the time of as many whole rows as levels need at least.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks import harness
from benchmarks.cases import Bench, Done, judged, tabulated, timed
from benchmarks.harness import Peer, Result
from benchmarks.interval import users
from benchmarks.interval.asked import ENOUGH, HALF_WIDTH, TOLERANCE, acceptance_study, gain_study, levels_study
from benchmarks.synthetic import Case
from benchmarks.widths import rows_of_coins
from simspec.engine import run as engine
from simspec.engine.estimates.limits import asymptotic
from simspec.engine.estimates.needed import rows_of_t, rows_until
from simspec.engine.study import Study, simulate
from simspec.kernels.large import cut_at
from simspec.studies.levels import NARROWEST, bounds

__all__ = ["BENCH", "CASES", "Need", "Pilot", "limits", "needs_of", "until"]

OURS = "simspec"
ONCE_OURS = "simspec, t"
WHOLE = "simspec, whole rows"
LEVEL = 0.95
STANDARD_ERRORS = 6
SEED = 0
PILOT_SEED = 1
LONGER = 8
"""So many times as many whole rows of ours are timed, for a run is long: what it costs to begin is not what a row costs."""

CASES = (
    Case("Gaussian pairs", 32, 128_256, math.inf, 3.0),
    Case("Student-t pairs, 5 degrees of freedom", 32, 128_256, 5.0, 0.5),
)
QUICK = tuple(case._replace(rows=16, vocab=2000) for case in CASES)


class Pilot(NamedTuple):
    """Means and spreads of single rows: of the acceptance of SD, of EARS, of their difference, and of rows of levels."""

    mean: float
    spread: float
    other_mean: float = 0.0
    other_spread: float = 0.0
    gain: float = 0.0
    gain_spread: float = 0.0
    level_spread: float = 0.0
    level_gain_spread: float = 0.0


class Need(NamedTuple):
    """An interval of one candidate: its name, the candidate whose rows it takes, how many, and what it promises."""

    name: str
    rows_of: str
    rows: int
    promise: str


def _pilot(case: Case, rows: int) -> Pilot:
    """Moments of some rows under a seed of their own."""
    study = gain_study(case)
    values = simulate(study, study.grid[0], PILOT_SEED, range(rows))
    columns = [values[name] for name in ("SD", "EARS", "gain")]
    spreads = []
    for name in ("alpha", "gain"):
        levels = levels_study(case, name)
        fewer = simulate(levels, levels.grid[0], PILOT_SEED, range(max(2, rows // 4)))
        spreads.append(float(fewer[name].std(ddof=1)))
    return Pilot(*(float(moment) for x in columns for moment in (x.mean(), x.std(ddof=1))), *spreads)


# ---- how many rows ----

VALID = "every n"
LIMIT = "every n, in the limit"
ONCE = "one n, in the limit"


def needs_of(pilot: Pilot, difference: bool, half_width: float = HALF_WIDTH) -> list[Need]:
    """Rows that each interval needs; for a difference of two runs, the rows of both.

    >>> [need.rows for need in needs_of(Pilot(0.5, 0.05), False, 0.01)][5:]
    [99, 9607, 99]
    """
    h = half_width
    if not difference:
        m = pilot.mean
        s = pilot.spread
        once = rows_of_t(s, h, LEVEL)
        coins = rows_of_t(math.sqrt(m * (1 - m)), h, LEVEL)
        return [
            *_level_needs(m, pilot.level_spread, h, bounds(1)[0]),
            Need(WHOLE, WHOLE, rows_until(h, m, s), VALID),
            Need(
                "its rows, asymptotic sequence", WHOLE, rows_until(h, m, s, partial(asymptotic, best=2 * once)), LIMIT
            ),
            Need("its rows, a coin each", WHOLE, rows_of_coins(h, m), VALID),
            Need(NUMPY, NUMPY, once, ONCE),
            Need(COINS, COINS, coins, ONCE),
            Need(TORCH, TORCH, once, ONCE),
        ]
    g = pilot.gain
    s = pilot.gain_spread
    once = rows_of_t(s, h, LEVEL)
    apart = rows_of_t(math.hypot(pilot.spread, pilot.other_spread), h, LEVEL)
    heads = math.sqrt(sum(m * (1 - m) for m in (pilot.mean, pilot.other_mean)))
    limit = partial(asymptotic, best=2 * once)
    return [
        *_level_needs(g, pilot.level_gain_spread, h, bounds(1, TOLERANCE)[1]),
        Need(WHOLE, WHOLE, rows_until(h, g, s, bounds=(0, TOLERANCE)), VALID),
        Need("its rows, bounds of two rates", WHOLE, rows_until(h, g, s, bounds=(-1, 1)), VALID),
        Need("its rows, asymptotic sequence", WHOLE, rows_until(h, g, s, limit, bounds=(0, TOLERANCE)), LIMIT),
        Need(PAIRED, PAIRED, once, ONCE),
        Need(NUMPY, NUMPY, 2 * apart, ONCE),
        Need(COINS, COINS, 2 * rows_of_t(heads, h, LEVEL), ONCE),
    ]


def _level_needs(mean: float, spread: float, half_width: float, value_range: tuple[float, float]) -> list[Need]:
    """Rows of levels: at every stop, and at one."""
    once = max(ENOUGH, rows_of_t(spread, half_width, LEVEL))
    limit = partial(asymptotic, best=NARROWEST)
    rows_at_every_stop = rows_until(half_width, mean, spread, limit, 4, value_range) if spread else ENOUGH
    return [Need(OURS, OURS, max(ENOUGH, rows_at_every_stop), LIMIT), Need(ONCE_OURS, OURS, once, ONCE)]


def limits(case: Case, mean: float, top: float, results: list[Result]) -> dict[str, Any]:
    """What no design can beat here: `rows` of our sequence for every law from 0 to `top`, were there no spread about the mean,
    and their `seconds`; and `levels`, the seconds of `ENOUGH` whole rows alone.

    >>> run = Result(WHOLE, "ok", 1, 0.0, [8.0 * LONGER])
    >>> limits(CASES[0]._replace(rows=8), 0.5, 1.0, [run])  # a second a row
    {'rows': 7392, 'seconds': 7392.0, 'levels': 32.0}
    """
    seconds_per_row = harness.medians(results).get(WHOLE, math.nan) / (LONGER * case.rows)
    rows = rows_until(HALF_WIDTH, mean, 0.0, bounds=(0, top))
    return {"rows": rows, "seconds": rows * seconds_per_row, "levels": ENOUGH * seconds_per_row}


def until(needs: list[Need], results: list[Result], rows: int) -> list[Result]:
    """Runs of `rows` rows (ours: `LONGER` times as many) as the seconds until each interval: of a row, times the rows needed.

    >>> needs = needs_of(Pilot(0.5, 0.05), False, 0.01)
    >>> timed = [Result(name, "ok", 1, 0.0, [8.0]) for name in (OURS, WHOLE, NUMPY, COINS, TORCH)]
    >>> [r.seconds for r in until(needs, timed, 4) if r.name == NUMPY]  # 2 s a row
    [[198.0]]
    """
    by_name = {r.name: r for r in results}
    out = []
    for need in needs:
        r = by_name[need.rows_of]
        timed_rows = rows * (LONGER if need.rows_of == WHOLE else 1)
        out.append(replace(r, name=need.name, seconds=[s / timed_rows * need.rows for s in r.seconds]))
    return out


# ---- who ----

NUMPY = "NumPy, t"
COINS = "NumPy, coins, t"
TORCH = "PyTorch, t"
PAIRED = "NumPy, same pairs, t"


def _whole(study: Callable[[Case], Study], name: str) -> Callable[[Case, int], harness.Call]:
    """The engine, from the study to the estimate, in memory."""

    def bind(case: Case, threads: int) -> harness.Call:
        def call() -> Any:
            (result,) = engine.run(study(case), seed=SEED, max_rows=LONGER * case.rows)
            return np.array([result.estimates[name].mean])

        return call

    return bind


def _by_levels(value: str) -> Callable[[Case, int], harness.Call]:
    """The same with rows of levels, the tables of its cuts included."""

    def bind(case: Case, threads: int) -> harness.Call:
        def call() -> Any:
            cut_at.cache_clear()
            (result,) = engine.run(levels_study(case, value), seed=SEED, max_rows=case.rows)
            return np.array([result.estimates[value].mean])

        return call

    return bind


def _candidates(difference: bool) -> list[Peer]:
    """Ours first; a user's loop runs on one thread, a library's on all."""
    all_threads = harness.thread_counts()[-1:]
    if difference:
        paired = users.loop(
            lambda rng, case: float(np.subtract(*users.numpy_rates(*users.numpy_laws(rng, case))[::-1]))
        )
        apart = users.arms(lambda rng, case, relaxed: users.numpy_rates(*users.numpy_laws(rng, case))[relaxed])
        peers = [Peer(PAIRED, paired, (1,)), Peer(NUMPY, apart, (1,)), Peer(COINS, users.arms(users.kept_token), (1,))]
        return [
            Peer(OURS, _by_levels("gain"), all_threads),
            Peer(WHOLE, _whole(gain_study, "gain"), all_threads),
            *peers,
        ]
    rates = users.loop(lambda rng, case: users.numpy_rates(*users.numpy_laws(rng, case))[0])
    peers = [
        Peer(NUMPY, rates, (1,)),
        Peer(COINS, users.loop(users.kept_token), (1,)),
        Peer(TORCH, users.torch_loop, all_threads),
    ]
    return [
        Peer(OURS, _by_levels("alpha"), all_threads),
        Peer(WHOLE, _whole(acceptance_study, "alpha"), all_threads),
        *peers,
    ]


# ---- what is shown ----


def _measure(case: Case, difference: bool, repeats: int, pilot_rows: int) -> Done:
    """Time the candidates on a few rows, and scale their seconds to the rows that the interval needs."""
    pilot = _pilot(case, pilot_rows)
    expected = np.array([pilot.gain if difference else pilot.mean])
    spread = math.sqrt(
        2 * 0.25 if difference else 0.25
    )  # of a coin, or of the difference of two: the widest candidate's
    tolerance = STANDARD_ERRORS * spread * math.sqrt(2 / case.rows + 1 / pilot_rows)
    quantity = "what EARS gains over SD" if difference else "acceptance"
    title = f"{case.name}, V = {case.vocab:,}: {quantity} within {HALF_WIDTH:g}"
    results = timed(title, _candidates(difference), repeats, lambda: (case, expected, tolerance))
    needs = needs_of(pilot, difference)
    scaled = until(needs, results, case.rows)
    about = case.facts() | {
        "half_width": HALF_WIDTH,
        "level": LEVEL,
        "pilot": pilot._asdict(),
        "pilot_rows": pilot_rows,
    }
    about |= {"timed": [{"name": r.name, "seconds": r.seconds} for r in results], "needs": [n._asdict() for n in needs]}
    lower_limits = limits(case, *((pilot.gain, TOLERANCE) if difference else (pilot.mean, 1.0)), results)
    record = judged(about | {"limits": lower_limits}, scaled, _table(title, case, needs, scaled))
    return record._replace(notes=_notes(scaled, needs, lower_limits))


def _notes(results: list[Result], needs: list[Need], lower_limits: dict[str, Any]) -> str:
    """Ratios of like to like, and the limits."""
    seconds = harness.medians(results)
    promise = {need.name: need.promise for need in needs}
    others = [name for name in (NUMPY, PAIRED, TORCH) if name in seconds]
    lines = [
        f"{our_name} ({promise[our_name]}): "
        + ", ".join(f"{_times(seconds[name] / seconds[our_name])} times {name}" for name in others)
        for our_name in (ONCE_OURS, OURS, WHOLE)
        if our_name in seconds
    ]
    bound = ", ".join(f"{_times(seconds[name] / lower_limits['levels'])} times {name}" for name in others)
    return "\n".join(
        (
            "seconds of others over ours, of",
            *(f"  {line}" for line in lines),
            (
                f"limits: for every law within the bounds at least {lower_limits['rows']:,} rows, if none varied: "
                f"{lower_limits['seconds']:.1f} s of ours; {ENOUGH} whole rows of levels alone: "
                f"{lower_limits['levels']:.2f} s, {bound}"
            ),
        )
    )


def _table(title: str, case: Case, needs: list[Need], results: list[Result]) -> Any:
    our_time = harness.medians(results).get(OURS, math.nan)
    by_name = {need.name: need for need in needs}

    def cells(r: Result) -> tuple[str, ...]:
        need = by_name[r.name]
        times = f"{r.median / need.rows * 1e3:.2f}", f"{need.rows:,}", f"{r.median:,.1f}", _times(r.median / our_time)
        return str(r.threads), *times, need.promise

    caption = (
        f"seconds, extrapolated: of a row (medians of {case.rows}, of our whole ones {LONGER * case.rows}) times the rows that a "
        f"pilot's spread asks for; times: ratio to {OURS}"
    )
    headings = ("threads", "ms a row", "rows", "seconds", "times", "valid at")
    return tabulated(title, caption, headings, results, cells)


def _times(x: float) -> str:
    return f"{x:,.0f}" if x >= 10 else f"{x:.2g}"


BENCH = Bench(
    name="interval",
    summary="seconds until an interval of half-width 0.001, against NumPy, PyTorch and coins",
    repeats=5,
    quick="small vocabularies",
    cases=lambda args, repeats: [
        partial(_measure, case, difference, repeats, 64 if args.quick else 1024)
        for case in (QUICK if args.quick else CASES)
        for difference in (False, True)
    ],
)
