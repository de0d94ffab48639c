"""A user's code that would end the process or replace what others use."""

from __future__ import annotations

import builtins
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from simspec.audit.adapters import judging
from simspec.guarding import Originals, staying
from simspec.loading import names
from simspec.methods import method, registry


def test_what_ends_the_process_is_an_error_within() -> None:
    leave, replace = os._exit, os.execv
    with staying():
        for function, arguments in (
            (os._exit, (0,)),
            (os.execv, ("/bin/true", ["true"])),
            (os.execlp, ("true", "true")),
        ):
            with pytest.raises(SystemExit, match=r"^os\."):
                function(*arguments)
    assert os._exit is leave and os.execv is replace


def test_the_last_to_leave_puts_it_back() -> None:
    leave, inside, go_on = os._exit, threading.Event(), threading.Event()

    def other() -> None:
        with staying():
            inside.set()
            go_on.wait(10)

    thread = threading.Thread(target=other)
    with staying():
        thread.start()
        assert inside.wait(10)
    assert os._exit is not leave
    go_on.set()
    thread.join()
    assert os._exit is leave


def test_a_fork_ends_as_it_is_used_to() -> None:
    code = "import os\nfrom simspec.guarding import staying\n"
    code += "with staying():\n    child = os.fork()\n    if not child:\n        os._exit(5)\n"
    code += "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "5\n"


MAIN_THREAD_ENDS = """
import os, threading
from simspec.guarding import staying

def task() -> None:
    with staying():
        is_within.set()
        threading.Event().wait()

is_within = threading.Event()
threading.Thread(target=task, daemon=True).start()
is_within.wait()
os._exit(7)
"""


def test_the_main_thread_of_a_pool_s_worker_ends_the_process_in_silence() -> None:
    """Its task, in another thread, may not."""
    done = subprocess.run([sys.executable, "-c", MAIN_THREAD_ENDS], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")


def test_what_is_replaced_is_named_and_put_back() -> None:
    shown, smaller, rate, sd, replace = (
        builtins.print,
        np.minimum,
        method.acceptance_rate,
        registry.REGISTRY["sd"],
        method.Method.made_by,
    )
    originals = Originals()
    builtins.print = lambda *words: None
    np.minimum = np.maximum
    method.acceptance_rate = method.tv
    registry.REGISTRY["sd"] = registry.REGISTRY["uniform"]
    del method.output_law
    replaced = originals.put_back()
    assert set(replaced) >= {
        "builtins.print",
        "numpy.minimum",
        "simspec.methods.method.acceptance_rate",
        "simspec.methods.registry.REGISTRY['sd']",
        "simspec.methods.method.output_law",
    }
    assert (builtins.print, np.minimum, method.acceptance_rate, registry.REGISTRY["sd"]) == (shown, smaller, rate, sd)
    assert method.Method.made_by is replace and originals.put_back() == []


def test_an_entry_of_a_table_is_named_once_whatever_modules_import_the_table() -> None:
    assert judging.REGISTRY is registry.REGISTRY
    originals = Originals()
    registry.REGISTRY["sd"] = registry.REGISTRY["uniform"]
    replaced = originals.put_back()
    assert len(replaced) == 1 and replaced[0].endswith(".REGISTRY['sd']")


def test_loading_more_of_the_package_replaces_nothing() -> None:
    code = "from simspec.guarding import Originals\nimport simspec.methods.method\nbefore = Originals()\n"
    code += "import simspec.cli, simspec.tools.rates, simspec.claims.deciding.verify, simspec.audit\n"
    code += "simspec.claims.registry()\nprint(before.put_back())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_what_functions_do_is_held_too_and_what_hides_a_name() -> None:
    rate = method.acceptance_rate
    code = rate.__code__
    defaults = method.tv.__defaults__
    made_by = method.Method.__dict__["made_by"]
    inner = getattr(made_by, "__func__", made_by)
    inner_code = inner.__code__
    originals = Originals()
    rate.__code__ = (lambda *_: 1).__code__
    method.tv.__defaults__ = (7,)
    inner.__code__ = (lambda *_: 2).__code__
    method.len = lambda _: 0
    replaced = originals.put_back()
    replaced_names = ("acceptance_rate.__code__", "tv.__defaults__", "Method.made_by.__code__", "len")
    assert {*replaced} >= {f"simspec.methods.method.{name}" for name in replaced_names}
    assert (rate.__code__, method.tv.__defaults__, inner.__code__) == (code, defaults, inner_code)
    assert not hasattr(method, "len") and originals.put_back() == []


def test_a_file_that_changes_what_a_function_does_is_refused(tmp_path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from simspec.methods import method\nmethod.tv.__code__ = (lambda p, q: 0).__code__\n", encoding="utf-8"
    )
    code = method.tv.__code__
    with pytest.raises(ValueError, match=r"mine.py replaces simspec.methods.method.tv.__code__"):
        names(str(file), "rule")
    assert method.tv.__code__ is code


def test_the_guard_compares_by_copies_of_its_own(monkeypatch) -> None:
    originals = Originals()
    monkeypatch.setattr(Originals, "put_back", lambda self, besides=(): [])
    assert originals.put_back() == ["simspec.guarding.Originals.put_back"]
