r"""How the main kernels scale: time against the vocabulary V, the batch and the threads, with fitted exponents.

Every point is timed once a round, in a new random order each round, just after an untimed call of its own, so that the
caches are as in steady use and a slow minute of the machine hits all alike.  Shown is the median over the rounds.

The exponent b of time :math:`\propto x^b` is the median over rounds of each round's Theil-Sen slope of log time on log x
(the median slope of all pairs of points, which a few disturbed points cannot move far), over the asymptotic range only:
V >= 40,000, and 8 laws a call or more, where what a call or a law costs whatever its length is little.  If rounds are
independent and alike, the k-th smallest and k-th largest slope bound the median slope at a level that is exact for any
distribution (`interval`).  They cover the noise of the clock.  That a curve bends, where the data outgrow a cache, is
seen by the steepest step and in the picture.

Vocabulary and batch are measured on one thread, except where a kernel cannot be told to take one.  All of this needs less
than 1 GB of memory.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness
from benchmarks.cases import Done, check_place, columns, repeats_of, run_cases, shown
from benchmarks.cases import add_arguments as add_common
from benchmarks.scaling import works as scaling_works
from benchmarks.scaling.curves import Curve, fit, interval, local_exponents
from benchmarks.scaling.works import AXES, Data, Plan, Points, points

__all__ = ["add_arguments", "given", "measure", "run"]

TARGET = 2e-3
"""Seconds that a timed run should last: short calls are repeated within it."""
FAR = 0.05
"""An exponent whose interval stays farther than this from the expected one is marked."""
REPEATS = 51
_APART = "scaling_"
_DEFAULTS = {"plot": None, "quick": False, "repeats": None, "seed": 0, "json": None}

Array = NDArray[Any]


# ---- timing and fitting ----


def measure(
    calls: Sequence[harness.Call],
    repeats: int,
    seed: int,
    tick: Callable[[int], None] = lambda i: None,
    clock: Callable[[], float] = time.perf_counter,
) -> NDArray[np.float64]:
    """Seconds of each call, (repeats, calls), every round in another order.

    `tick` is told the number of a call when it has been warmed up and each time it has been timed.

    >>> now = [0.0]
    >>> def call() -> None: now[0] += 0.5
    >>> measure([call], repeats=2, seed=0, clock=lambda: now[0]).tolist()
    [[0.5], [0.5]]
    """
    within = []
    for i, call in enumerate(calls):
        call()  # compiles, and meets its data for the first time
        start = clock()
        call()
        within.append(min(1000, max(1, math.ceil(TARGET / max(clock() - start, 1e-9)))))
        tick(i)
    seconds = np.empty((repeats, len(calls)))
    rng = np.random.default_rng(seed)
    for line in seconds:
        for i in rng.permutation(len(calls)):
            calls[i]()
            start = clock()
            for _ in range(within[i]):
                calls[i]()
            line[i] = (clock() - start) / within[i]
            tick(int(i))
    return seconds


# ---- one axis ----


def _same(a: Any, b: Any) -> bool:
    """Equal arrays, alone or in a tuple."""
    first_arrays, second_arrays = (x if isinstance(x, tuple) else (x,) for x in (a, b))
    return all(np.array_equal(x, y) for x, y in zip(first_arrays, second_arrays, strict=True))


def _axis(axis: str, plan: Plan, data: Data, repeats: int, seed: int, curves: list[Curve]) -> Done:
    """Time every kernel along an axis; right when results do not depend on the number of threads."""
    from threadpoolctl import threadpool_limits

    lines = [p for work in scaling_works.WORKS if (p := points(work, axis, plan, data)) is not None]
    names = [p.work.name for p in lines for _ in p.calls]
    limits = threadpool_limits(None if axis == "threads" else 1)  # those of NumPy's matrix products
    with limits, shown(f"time against {AXES[axis]}", len(names) * (repeats + 1)) as tick:
        right = axis != "threads" or all(_same(p.calls[0](), call()) for p in lines for call in p.calls[1:])
        seconds = measure([c for p in lines for c in p.calls], repeats, seed, lambda i: tick(names[i]))
    axis_curves = []
    first = 0
    for p in lines:
        axis_curves.append(_curve(p, axis, plan, seconds[:, first : first + len(p.x)]))
        first += len(p.x)
    curves += axis_curves
    fixed = {"laws": plan.laws} if axis == "vocabulary" else {"vocab": plan.vocab}
    about = {
        "axis": axis,
        "x": AXES[axis],
        "fixed": fixed,
        "right": right,
        "curves": [c.as_json() for c in axis_curves],
    }
    return Done(about, _table(axis, plan, axis_curves, right), right)


def _curve(p: Points, axis: str, plan: Plan, seconds: Array) -> Curve:
    """Seconds along one axis, with the exponent or speed-up that they show and the expected one."""
    if axis == "threads":
        estimate = interval(seconds[:, 0] / seconds[:, -1])
        fit_from = 1
        expected = p.x[-1]
    else:
        fit_from = plan.from_vocab if axis == "vocabulary" else plan.from_laws
        estimate = fit(p.x, seconds, fit_from)
        expected = 1
    alone = p.work.alone and axis != "threads"
    return Curve(
        kernel=p.work.name,
        axis=axis,
        x=p.x,
        tokens=p.tokens,
        seconds=seconds,
        least=fit_from,
        alone=alone,
        found=estimate,
        expected=expected,
    )


def _table(axis: str, plan: Plan, curves: Sequence[Curve], right: bool) -> Any:
    """The table of fitted exponents along an axis, or of speed-ups along the threads."""
    if axis == "threads":
        return _speed_ups(plan, curves, right)
    place = {
        "vocabulary": f"{plan.laws} laws a call; fitted for V >= {plan.from_vocab:,}",
        "batch": f"V = {plan.vocab:,}; fitted from {plan.from_laws} laws a call",
    }[axis]
    out = columns(
        f"time ~ x^b, x = {AXES[axis]}, one thread; {place}",
        f"!: interval farther than {FAR} from the expected b; steepest: from there to the next point"
        + ("" if all(c.alone for c in curves) else "; *: all threads"),
        ("b", _level(curves), "expected", "steepest"),
    )
    for c in curves:
        middle, low, high, _ = c.found
        far = max(low - c.expected, c.expected - high) > FAR
        slope, at, _ = max(local_exponents(c))
        exponent_text = f"{middle:.2f} !" if far else f"{middle:.2f}"
        name = c.kernel if c.alone else f"{c.kernel} *"
        out.add_row(name, exponent_text, f"{low:.2f} to {high:.2f}", f"{c.expected:g}", f"{slope:.2f} at {at:,}")
    return out


def _speed_ups(plan: Plan, curves: Sequence[Curve], right: bool) -> Any:
    thread_count = curves[0].x[-1]
    out = columns(
        f"ns a token; V = {plan.vocab:,}, up to {max(plan.batches)} laws a call",
        f"results {'do not depend' if right else 'DEPEND'} on the number of threads",
        ("1 thread", f"{thread_count} threads", "speed-up", _level(curves), "ideal"),
    )
    for c in curves:
        ns_per_token = 1e9 * c.median / np.asarray(c.tokens)
        middle, low, high, _ = c.found
        bounds = f"{low:.2f} to {high:.2f}"
        out.add_row(
            c.kernel, f"{ns_per_token[0]:.3g}", f"{ns_per_token[-1]:.3g}", f"{middle:.2f}", bounds, f"{c.expected:g}"
        )
    return out


def _level(curves: Sequence[Curve]) -> str:
    return f"{100 * curves[0].found.level:.3g} % bounds"


# ---- the command ----


class _Apart:
    """Gives options a destination of their own: argparse lets those of a benchmark overwrite others of the same name."""

    def __init__(self, group: Any) -> None:
        self._group = group

    def add_argument(self, flag: str, **options: Any) -> None:
        defaults = {} if "action" in options else {"metavar": flag[2:].upper()}
        self._group.add_argument(flag, dest=_APART + flag[2:], **(defaults | options))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `python -m benchmarks` without NAME."""
    group: Any = _Apart(parser.add_argument_group("scaling curves, without NAME"))
    path = {"nargs": "?", "type": Path, "const": Path("scaling.svg"), "metavar": "PATH"}
    plot_help = "time the main kernels against V, batch and threads, fit exponents and draw them (.svg, .png or .pdf)"
    group.add_argument("--plot", **path, help=f"{plot_help}; default scaling.svg; takes some minutes")
    add_common(group, REPEATS, quick="few small sizes", seed="the logits and the order")


def given(args: argparse.Namespace) -> list[str]:
    """Which of these options the command line has."""
    return [f"--{name}" for name, default in _DEFAULTS.items() if getattr(args, _APART + name) != default]


def run(args: argparse.Namespace) -> int:
    """Time, fit, print and draw; 0, or 1 when a result depends on the number of threads.

    Raises
    ------
    ValueError
        for an option out of its range or a file that could not be written, before anything is timed.
    """
    from benchmarks.scaling import plot as scaling_plot

    options = argparse.Namespace(**{name: getattr(args, _APART + name) for name in _DEFAULTS})
    repeats = repeats_of(options, REPEATS)
    check_place("--plot", options.plot)
    scaling_plot.check_ending(options.plot)
    plan = scaling_works.QUICK if options.quick else scaling_works.DEFAULT
    data = scaling_works.draw(plan, options.seed)
    curves = list[Curve]()
    works = [partial(_axis, axis, plan, data, repeats, options.seed, curves) for axis in AXES]
    status = run_cases("scaling", options, works)
    scaling_plot.save(curves, options.plot)
    print(options.plot)
    return status
