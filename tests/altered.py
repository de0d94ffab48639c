"""Composite arguments that are valid but for one element: what is changed, and how a call with them is judged.

A test module has `outcome(seed)`, which makes valid arguments, changes one element, and returns "refused" where the call
names what is wrong, and "right" where the element is legitimate and the result is that of the plain version.  Everything else
is an error.  Run as a program, it runs many seeds of a module in a process of its own, so that a crash is seen:

    python -m tests.altered tests.kernels.link.test_altered 400
"""

from __future__ import annotations

import faulthandler
import math
import random
import re
import subprocess
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from tests.engine.coins import within

PATIENCE = 60
"""Seconds after which a call counts as hanging."""
NOTHING = [None, "text", {}, [], object()]
INTEGERS = [True, -1, 0, 2**32, 2**63, 2**64, 10**30, 1.5, float("nan"), float("inf"), "3", np.bool_(True), 1j]
FLOATS = [float("nan"), float("inf"), -float("inf"), -1.0, -1e-3, 0.0, 1e308, 10**400, True, "0.5", 1j, np.bool_(False)]

JUNK = [
    "",
    "null",
    "3",
    "[]",
    "{}",
    "[" * 5000,
    '{"a":' * 5000,
    "NaN",
    '"é"',
    '{"target": {}}',
    '{"models": []}',
    "1" * 5000,
]
"""Texts where JSON of one kind is expected."""


class Altered(NamedTuple):
    """Arguments of which one is changed.

    Attributes
    ----------
    name : of the argument that is changed
    change : what was done to it
    parts : all arguments by name
    """

    name: str
    change: str
    parts: dict[str, Any]


def alter(rng: random.Random, parts: Mapping[str, Any], others: Mapping[str, list[Any]] | None = None) -> Altered:
    """Change one of some arguments.

    Parameters
    ----------
    rng : random.Random
    parts : valid arguments by name: arrays, numbers, truth values and tuples
    others : {name: values}, optional
        further values that an argument may get.
    """
    name = rng.choice(sorted(parts))
    value = parts[name]
    given = (others or {}).get(name, [])
    if given and (rng.random() < 0.5 or not isinstance(value, (np.ndarray, bool, int, float, tuple))):
        place = rng.randrange(len(given))
        return Altered(name, f"other value {place}", {**parts, name: given[place]})
    change, changed = _changed(rng, value)
    return Altered(name, change, {**parts, name: changed})


def _changed(rng: random.Random, value: Any) -> tuple[str, Any]:
    if isinstance(value, np.ndarray):
        return _changed_array(rng, value)
    if isinstance(value, bool):
        change = rng.choice([not value, *NOTHING, 2, -1, float("nan"), np.bool_(value), np.array([value, value])])
        return repr(change), change
    if isinstance(value, (int, float)):
        usual = INTEGERS if isinstance(value, int) else FLOATS
        same = [np.array(value), np.array([value]), [value], type(value)(value), Fraction(value), np.float32(value)]
        same += [np.int64(value)] if isinstance(value, int) else [np.float64(value)]
        change = rng.choice([*usual, *usual, *same, value + 1, value - 1, *NOTHING])
        return repr(change), change
    if isinstance(value, tuple) and value:
        place = rng.randrange(len(value))
        inner, changed = _changed(rng, value[place])
        nested = (*value[:place], changed, *value[place + 1 :])
        return rng.choice(
            [
                ("shorter", value[:-1]),
                ("longer", (*value, value[-1])),
                ("a list", list(value)),
                (f"entry {place}: {inner}", nested),
            ]
        )
    change = rng.choice(NOTHING)
    return repr(change), change


ENTRIES = [np.nan, np.inf, -np.inf, -1, -1e-9, 0.5, 2, 1e300, 5e-324, -0.0, 2**31, 2**32, 2**63, 2**64]


def _changed_array(rng: random.Random, x: np.ndarray) -> tuple[str, Any]:
    """An array with another entry, shape, type or place in memory; or what is no array."""
    way = rng.choice(["entry", "entry", "row", "shape", "type", "memory", "kind"])
    axis = rng.randrange(x.ndim) if x.ndim else 0
    if way == "entry" and x.size:
        return _changed_entry(rng, x)
    if way == "row" and x.size:
        factor = rng.choice([0, 0.5, 1.5, 2])
        changed = x.astype(np.float64) if x.dtype.kind in "fiu" else np.array(x)
        changed[(rng.randrange(len(x)),) if x.ndim else ()] *= factor
        return f"row times {factor}", changed
    if way == "shape" and x.ndim:
        shapes: dict[str, Callable[[], Any]] = {
            "one shorter": lambda: np.delete(x, -1, axis=axis),
            "one longer": lambda: np.concatenate([x, np.take(x, [-1], axis=axis)], axis=axis),
            "an axis more in front": lambda: x[None],
            "an axis more behind": lambda: x[..., None],
            "an axis less": lambda: x[0] if len(x) else x,
            "no rows": lambda: x[:0],
            "no columns": lambda: x[..., :0],
            "one number": lambda: np.array(x.flat[0]) if x.size else x,
            "flat": lambda: x.reshape(-1),
            "transposed": lambda: x.T,
        }
        change = rng.choice(sorted(shapes))
        return f"{change}, axis {axis}", shapes[change]()
    if way == "type":
        kinds = ["f2", "f4", "g", "c16", "U32", "O", "?", "i1", "u8", ">f8", ">i4", "S8"]
        kind = rng.choice(kinds)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return f"type {kind}", (np.nan_to_num(x) if x.dtype.kind == "f" else x).astype(kind)
    if way == "memory" and x.ndim:
        places: dict[str, Callable[[], Any]] = {
            "strided": lambda: np.repeat(x, 2, axis=axis)[tuple([slice(None)] * axis + [slice(None, None, 2)])],
            "backwards": lambda: np.flip(np.flip(x, axis).copy(), axis),
            "columns first": lambda: np.asfortranarray(x),
            "misaligned": lambda: _misaligned(x),
            "read-only": lambda: _read_only(x),
        }
        change = rng.choice(sorted(places))
        return change, places[change]()
    others = {
        "a list": x.tolist(),
        "ragged": [*x.tolist(), [1, [2]]] if x.ndim else [1, [2]],
        "masked": np.ma.masked_array(x, np.arange(x.size).reshape(x.shape) == x.size - 1),
        **{repr(type(value)): value for value in NOTHING},
    }
    change = rng.choice(sorted(others))
    return change, others[change]


def _changed_entry(rng: random.Random, x: np.ndarray) -> tuple[str, np.ndarray]:
    number = rng.choice(ENTRIES)
    fits = x.dtype.kind == "f"
    if x.dtype.kind in "iu" and math.isfinite(number):
        fits = number == int(number) and np.iinfo(x.dtype).min <= number <= np.iinfo(x.dtype).max
    changed = np.array(x) if fits else x.astype(np.float64)
    place = rng.randrange(x.size)
    with np.errstate(over="ignore"):  # infinite in a shorter float
        changed.reshape(-1)[place] = number
    return f"entry {place} is {number}", changed


def _misaligned(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind == "O":  # references have to be aligned
        return x
    buffer = np.zeros(x.nbytes + 1, np.uint8)[1:]
    y = buffer[: x.nbytes].view(x.dtype).reshape(x.shape)
    y[...] = x
    return y


def _read_only(x: np.ndarray) -> np.ndarray:
    y = x.copy()
    y.flags.writeable = False
    return y


def judged(case: Altered, call: Callable[[dict[str, Any]], Any], names: str, check: Callable[[dict, Any], None]) -> str:
    """How a call with changed arguments ends: "refused" by name, or "right".

    Parameters
    ----------
    case : Altered
    call : (arguments) -> result
    names : regular expression
        of the names with which a refusal may begin.
    check : (arguments, result) -> None
        fails where the result is not that of the plain version.
    """
    try:
        with within(PATIENCE):
            result = call(case.parts)
    except ValueError as error:
        message = str(error)
        assert re.match(rf"(?:{names})\b", message), f"{case.name}, {case.change}: {message!r} names no argument"
        assert "\n" not in message, f"{case.name}, {case.change}: {message!r} is longer than a line"
        return "refused"
    check(case.parts, result)
    return "right"


def outcomes(outcome: Callable[[int], str], seeds: range) -> Counter[str]:
    """How often each outcome occurs."""
    return Counter(outcome(seed) for seed in seeds)


def _report(module: str, seeds: range) -> int:
    """Outcomes of some seeds in this process, with the first line of each fault; the number of faults."""
    faulthandler.enable()
    warnings.simplefilter("error")
    outcome, counts = import_module(module).outcome, Counter[str]()
    for seed in seeds:
        print(f"\r{seed}", end="", file=sys.stderr, flush=True)
        try:
            counts[outcome(seed)] += 1
        except BaseException as error:
            counts["fault"] += 1
            place = traceback.extract_tb(error.__traceback__)[-1]
            print(f"\n{seed}: {type(error).__name__}: {str(error)[:300]} ({place.filename[-40:]}:{place.lineno})")
    print(f"\n{module}: {sum(counts.values())} cases, {dict(counts)}")
    return counts["fault"]


if __name__ == "__main__":
    if len(sys.argv) == 3:
        child = subprocess.run([sys.executable, "-m", "tests.altered", sys.argv[1], "0", sys.argv[2]], check=False)
        sys.exit(f"{sys.argv[1]}: killed by signal {-child.returncode}" if child.returncode < 0 else child.returncode)
    sys.exit(min(1, _report(sys.argv[1], range(int(sys.argv[2]), int(sys.argv[3])))))
