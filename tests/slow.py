"""Which tests `make test` leaves to `.ci/run`: the fewest functions that take most of the time of a run of all tests.

    SIMSPEC_SLOW=1 make test ARGS="--junitxml tests.xml"
    python -m tests.slow tests.xml [SHARE]

The second command rewrites `slow.txt`, which `conftest.py` reads.  Of a function with many cases some stay, so that
no check is missing altogether where its cases are cheap.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree
from zlib import crc32

__all__ = ["LIST", "REASON", "SHARE", "function_of", "is_left_out", "listed", "main", "slowest"]

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("slow.txt")
SHARE = 0.82
"""Of the time of all tests, how much the functions that are left out take at least."""
ONE_IN = 20
"""Of so many cases of a function, one stays."""
REASON = "slow: `.ci/run` runs it; name its file, or set SIMSPEC_SLOW=1, to run it here"


def function_of(name: str) -> str:
    """The function of a test, without its case.

    >>> function_of("tests/test_x.py::test_y[1-[2]]"), function_of("tests/test_x.py::test_y")
    ('tests/test_x.py::test_y', 'tests/test_x.py::test_y')
    """
    return name.partition("[")[0]


def listed(path: Path = LIST) -> frozenset[str]:
    """Functions that are left out; none where there is no list."""
    return frozenset(path.read_text(encoding="utf-8").split()) if path.is_file() else frozenset()


def is_left_out(name: str, cases: int, slow: frozenset[str]) -> bool:
    """Whether a test is left out: its function is listed, and it is not the one case in `ONE_IN` that stays.

    >>> slow = frozenset({"tests/test_x.py::test_y"})
    >>> is_left_out("tests/test_x.py::test_y", 1, slow), is_left_out("tests/test_x.py::test_z", 1, slow)
    (True, False)
    >>> left_out = [is_left_out(f"tests/test_x.py::test_y[{case}]", 1000, slow) for case in range(1000)]
    >>> 900 < sum(left_out) < 1000
    True
    """
    if function_of(name) not in slow:
        return False
    return cases < ONE_IN or crc32(name.encode()) % ONE_IN != 0


def slowest(seconds: dict[str, float], share: float) -> list[str]:
    """The fewest names whose seconds are at least a share of all, in order of the alphabet.

    >>> slowest({"a": 1.0, "b": 6.0, "c": 3.0}, 0.7)
    ['b', 'c']
    """
    chosen: list[str] = []
    missing = share * sum(seconds.values())
    for name, time in sorted(seconds.items(), key=lambda item: (-item[1], item[0])):
        if missing <= 0:
            break
        chosen.append(name)
        missing -= time
    return sorted(chosen)


def seconds_by_function(path: Path) -> dict[str, float]:
    """Seconds of each function of tests in a report of pytest (JUnit's XML), setup included."""
    seconds: Counter[str] = Counter()
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        module = Path(*case.attrib["classname"].split(".")).with_suffix(".py")
        if (ROOT / module).is_file():
            seconds[f"{module.as_posix()}::{function_of(case.attrib['name'])}"] += float(case.attrib["time"])
    return dict(seconds)


def main(arguments: Sequence[str]) -> int:
    """Rewrite the list from a report."""
    share = float(arguments[1]) if len(arguments) > 1 else SHARE
    names = slowest(seconds_by_function(Path(arguments[0])), share)
    LIST.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    print(f"{len(names)} functions in {LIST.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
