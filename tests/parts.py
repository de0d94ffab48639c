"""How long the tests of each part take, as `.ci/run` prints it: of a real model, of an engine, of Coq, and all others.

With SIMSPEC_PARTS set a run of pytest ends with a line for each part, which `python -m benchmarks.parts` reads.  The seconds are
those of the tests, one after the other: on two processes about half as much passes on the clock.  What is not here: which
tests a run has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["OTHERS", "PARTS", "lines", "needs", "part_of"]

ROOT = Path(__file__).parents[1]
PARTS = {"llama": "tests of an engine", "smollm2": "tests of a real model", "coq": "tests of Coq"}
"""What a test requires, and the part that it then belongs to: the first of these, as an engine serves the real model."""
OTHERS = "other tests of the last run"


class Function(NamedTuple):
    """What a function of a file of tests requires by name, and the names of its arguments, fixtures among them."""

    required: frozenset[str]
    arguments: frozenset[str]


NOTHING = Function(frozenset(), frozenset())


@cache
def _functions(path: Path) -> dict[str, Function]:
    """The functions and classes of a file of tests; under the empty name what the whole file requires."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions: dict[str, Function] = {}
    for node in tree.body:
        nodes = list(ast.walk(node))
        required = {
            call.args[0].value
            for call in nodes
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "require" and call.args
            if isinstance(call.args[0], ast.Constant)
        }
        name = getattr(node, "name", "")
        arguments = {part.arg for part in nodes if isinstance(part, ast.arg)} if name else set()
        before = functions.get(name, NOTHING)
        functions[name] = Function(before.required | required, before.arguments | arguments)
    return functions


def needs(path: Path, function: str) -> frozenset[str]:
    """What a function of tests requires by name, itself, by fixtures of its file or with its whole file; nothing for no test.

    >>> sorted(needs(ROOT / "tests/proofs_check/coq/test_record.py", "any"))
    ['coq', 'proofs']
    """
    if path.suffix != ".py" or not path.is_file():
        return frozenset()
    functions = _functions(path)
    required = functions.get("", NOTHING).required
    waiting = {function}
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        found = functions.get(name, NOTHING)
        required |= found.required
        waiting |= found.arguments - seen
    return required


def part_of(name: str, root: Path = ROOT) -> str:
    """The part that a test belongs to, by its name.

    >>> part_of("tests/proofs_check/coq/test_record.py::test_any[1]"), part_of("tests/test_sizes.py::test_any")
    ('tests of Coq', 'other tests of the last run')
    """
    place, _, rest = name.partition("::")
    required = needs(root / place, rest.partition("[")[0].partition("::")[0])
    return next((part for need, part in PARTS.items() if need in required), OTHERS)


def lines(seconds: Mapping[str, float], clock: float, root: Path = ROOT) -> Iterator[str]:
    """A line for each part, of seconds by name of a test, and one of what passed on the clock.

    >>> list(lines({"tests/proofs_check/coq/test_record.py::test_any": 3.25}, 5.0))[2:]
    ['.ci/run: tests of Coq took 3 s', '.ci/run: other tests of the last run took 0 s', '.ci/run: the last run took 5 s']
    """
    sums = dict.fromkeys((*PARTS.values(), OTHERS), 0.0)
    for name, spent in seconds.items():
        sums[part_of(name, root)] += spent
    for part, spent in (sums | {"the last run": clock}).items():
        yield f".ci/run: {part} took {spent:.0f} s"
