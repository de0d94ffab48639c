"""Where a run's time goes: every second counts once, for the innermost phase."""

from __future__ import annotations

import builtins
import subprocess
import sys
import threading

import pytest

from simspec.claims.deciding.spending import Clock, table


class Hand:
    """A time that goes on by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hand() -> Hand:
    return Hand()


def test_a_phase_within_another_is_not_counted_twice(hand) -> None:
    clock = Clock(hand)
    hand.now = 2.0
    with clock.phase("search"):
        hand.now = 3.0
        with clock.phase("compile"):
            hand.now = 7.0
        hand.now = 8.0
    hand.now = 8.5
    assert clock.take() == {"start": 2.0, "search": 2.0, "compile": 4.0, "rest": 0.5}
    hand.now = 9.0
    assert clock.take() == {"rest": 0.5}


def test_a_phase_that_fails_is_over(hand) -> None:
    clock = Clock(hand)
    with pytest.raises(ZeroDivisionError), clock.phase("search"):
        hand.now = 1.0
        1 / 0  # noqa: B018
    hand.now = 3.0
    assert clock.take() == {"start": 0.0, "search": 1.0, "rest": 2.0}


def test_another_thread_does_not_turn_the_clock(hand) -> None:
    clock = Clock(hand)

    def work() -> None:
        with clock.phase("search"):
            hand.now = 5.0

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert clock.take() == {"start": 5.0}


def test_what_other_processes_spent_is_added(hand) -> None:
    clock = Clock(hand)
    clock.add({"search": 2.0, "compiled": 3})
    clock.add({"search": 1.0})
    assert clock.take() == {"start": 0.0, "search": 3.0, "compiled": 3}


def test_late_imports_and_kernels_are_told_apart(hand, monkeypatch, tmp_path) -> None:
    load = builtins.__import__
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "hand_of_a_clock", hand)
    (tmp_path / "loaded_late.py").write_text("import hand_of_a_clock as hand\nhand.now += 10\n")
    clock = Clock(hand)
    clock.trace_loading()
    clock.trace_loading()  # once is enough
    from numba import njit

    hand.now = 0.0
    clock.take()
    with clock.phase("measure"):
        import loaded_late  # noqa: F401

        hand.now += 1
        assert njit(lambda x: x + 1)(1) == 2
    spent = clock.take()
    assert (spent["start"], spent["measure"], spent["compiled"]) == (10.0, 1.0, 1)
    clock.leave()
    assert builtins.__import__ is load
    assert njit(lambda x: x + 2)(1) == 3 and "compiled" not in clock.take()


def test_watching_loads_no_compiler_and_hears_it_once_it_is_there() -> None:
    """The process that hands out the work compiles nothing: half a second of a run that was watched went into this."""
    code = """
import sys
from simspec.claims.deciding.spending import CLOCK
CLOCK.trace_loading()
assert not any(name.split(".")[0] == "numba" for name in sys.modules)
def late():
    from simspec.kernels.compiled import compiled
    return compiled(lambda x: x + 1)(1)
with CLOCK.phase("measure"):
    assert late() == 2
CLOCK.leave()
assert CLOCK.take()["compiled"] == 1
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_shares_add_up_and_empty_phases_are_left_out() -> None:
    lines = table({"search": 1.0, "measure": 3.0, "compile": 0.0}, 2.0).splitlines()
    assert [line.split()[-2] for line in lines[1:]] == ["25", "75", "100"]
    assert table({}, 0.0).splitlines()[-1].startswith("in all, within 0.0 s")
