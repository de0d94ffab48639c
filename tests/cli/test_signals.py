"""Ctrl-C, SIGTERM and SIGHUP at any moment of a command: one line, a status that says which, and results kept."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from simspec.cli import signals as signals_cli
from simspec.cli.signals import Stopped
from simspec.engine.store.results import Store
from simspec.interrupts import status_of
from tests.engine.study_files import COINS
from tests.requirements import found, require

ROOT = Path(__file__).parents[2]
LIMIT = 900
TRIES = 12
# as the installed script; says when the first handler is there, which is before anything is loaded
SCRIPT = """
import os, sys
class Telling:
    def find_spec(self, name, *_):
        if name == "simspec.cli.signals":
            os.write(1, b".")
sys.meta_path.insert(0, Telling())
from simspec.__main__ import main
sys.exit(main())
"""


def heard() -> None:
    """A shell that runs the tests in the background lets its children ignore Ctrl-C, nohup SIGHUP: hear them again."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def start(*words: object, cwd: Path = ROOT) -> subprocess.Popen:
    command = [sys.executable, "-c", SCRIPT, *map(str, words)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, cwd=cwd, env=environment, preexec_fn=heard, **pipes)


FINALIZED = """
import os, signal, time
from simspec import interrupts
from simspec.cli import signals
class Last:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)  # the handler runs here at the latest
signals.hear()
thing = Last()
try:
    del thing
    time.sleep(60)
except signals.Stopped as error:
    print("stopped", interrupts.status_of(error))
"""


def test_a_signal_that_comes_in_a_finalizer_is_not_lost() -> None:
    """Python swallows what is raised there: the signal waits until it ends."""
    done = subprocess.run([sys.executable, "-c", FINALIZED], capture_output=True, text=True, cwd=ROOT, check=True)
    assert (done.stdout, done.stderr) == ("stopped 143\n", "")


def test_ctrl_c_at_any_moment_of_the_start_is_one_line_and_130() -> None:
    begin = time.monotonic()
    with start("claims", "sd.acceptance") as running:
        running.communicate(timeout=LIMIT)
    whole, stopped = time.monotonic() - begin, 0
    for number in range(TRIES):
        with start("claims", "sd.acceptance") as running:
            assert running.stdout.read(1) == "."
            time.sleep(whole * number / TRIES)
            running.send_signal(signal.SIGINT)
            _, err = running.communicate(timeout=LIMIT)
        if running.returncode in (0, -signal.SIGINT):  # done, or Python was about to end
            assert err == ""
            continue
        stopped += 1
        assert running.returncode == 130 and re.fullmatch("simspec: interrupted[^\n]*\n", err), err
    assert stopped > 0


def test_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "simspec", "--version"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0 and done.stdout.startswith("simspec ")


SIGNALS = [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)]
EACH = [(name, status, workers) for workers in (1, 2) for name, status in SIGNALS]
"""Signals, the status that says which it was, and the number of workers."""


@contextmanager
def side_by_side(folder: Path, *asked: int) -> Iterator[list[tuple[Path, subprocess.Popen]]]:
    """Runs on so many workers, started together, as each waits long for its first results; and their folders."""
    with ExitStack() as stack:
        runs = []
        for number, workers in enumerate(asked):
            (own := folder / str(number)).mkdir()
            (own / "coins.py").write_text(COINS)
            words = ["study", "run", "coins.py:slow", "--dir", "d", "--workers", workers]
            run = stack.enter_context(start(*words, cwd=own))
            stack.callback(run.kill)
            runs.append((own, run))
        yield runs


@pytest.fixture(scope="module")
def under_way(tmp_path_factory: pytest.TempPathFactory, request) -> Iterator[dict]:
    """The runs of the tests that are asked for."""
    asked = [item.callspec.params for item in request.session.items if "under_way" in getattr(item, "fixturenames", ())]
    keys = [(params["name"], params["workers"]) for params in asked if params["workers"] == 1 or found("dask")]
    with side_by_side(tmp_path_factory.mktemp("signals"), *(workers for _, workers in keys)) as runs:
        yield dict(zip(keys, runs, strict=True))


@pytest.mark.parametrize(("name", "status", "workers"), EACH)
def test_every_signal_keeps_what_is_finished(under_way, name, status, workers) -> None:
    if workers > 1:
        require("dask")
    folder, running = under_way[name, workers]
    while not list(folder.glob("d/segment-*")):
        assert running.poll() is None, running.stderr.read()
        time.sleep(0.05)
    running.send_signal(getattr(signal, name))
    _, err = running.communicate(timeout=LIMIT)
    assert running.returncode == status, err
    assert "all finished blocks are stored in d. Run the same command to continue." in err and "Traceback" not in err
    store = Store(folder / "d")
    assert sum(len(store.done(design)) for design in store.designs()) > 0


def test_ctrl_c_while_workers_start_is_130(tmp_path) -> None:
    require("dask")
    with side_by_side(tmp_path, 2, 2, 2) as runs:
        for delay, (_, running) in zip((0.0, 0.3, 1.0), runs, strict=True):
            said = running.stderr.readline()
            assert "Ctrl-C to stop" in said  # the line that is said before they are started
            time.sleep(delay)
            running.send_signal(signal.SIGINT)
        for _, running in runs:
            _, err = running.communicate(timeout=LIMIT)
            assert running.returncode == 130, err
            assert "Traceback" not in err and "interrupted" in err


LONG = """
import time
from pathlib import Path
from simspec.studies import Share, Study, cross

def wait(cell, rows, device):
    Path(f"began-{cell['number']}").touch()
    time.sleep(20)
    return {"yes": rows.numbers}

long = Study("long", "?", cross(number=(0, 1)), wait, rows=1, measures={"yes": Share()})
"""
"""Each block takes longer than Dask waits for it when a worker closes."""


def test_dask_says_nothing_of_the_tasks_that_ctrl_c_cuts_off(tmp_path) -> None:
    require("dask")
    (tmp_path / "long.py").write_text(LONG)
    with start("study", "run", "long.py:long", "--dir", "d", "--workers", 2, cwd=tmp_path) as running:
        try:
            limit = time.monotonic() + LIMIT
            while len(list(tmp_path.glob("began-*"))) < 2:
                assert running.poll() is None and time.monotonic() < limit
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            _, err = running.communicate(timeout=LIMIT)
        finally:
            running.kill()
    assert running.returncode == 130, err
    lines = [line for line in err.splitlines() if line]  # below the "^C" of a terminal a line is empty
    assert lines[-1].startswith("simspec: interrupted; all finished blocks are stored in d.")
    assert len(lines) == 2, err  # the one before says what runs


# ------------------------------------------------------------------------------------------- where a signal strikes


class Ended(Exception):
    """Stands for the end of the process."""


@pytest.fixture
def listening(monkeypatch):
    """Handlers as a command has them, in this process; the end of the process is an exception."""
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM]
    before = {number: signal.getsignal(number) for number in numbers}
    monkeypatch.setattr(signals_cli, "_end", lambda number, _=None: (_ for _ in ()).throw(Ended(number)))
    heard()
    signals_cli.hear()
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signals_cli._came.clear()
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_is_an_interrupt_with_its_status(listening, name) -> None:
    number = getattr(signal, name)
    with pytest.raises(KeyboardInterrupt, match=name) as stop:
        signal.raise_signal(number)
    assert status_of(stop.value) == 128 + number


def test_an_ignored_signal_stays_ignored(listening) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signals_cli.hear()
    signal.raise_signal(signal.SIGHUP)


def imported(tmp_path, text: str) -> None:
    """Import a file with this text."""
    (tmp_path / "loaded.py").write_text(text)
    spec = importlib.util.spec_from_file_location("loaded", tmp_path / "loaded.py")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


SWALLOWS = """
import signal, time
try:
    signal.raise_signal(signal.SIGINT)
    time.sleep(0.2)
except BaseException:
    pass
"""


def test_within_an_import_it_ends_at_once_or_waits_where_results_are_at_stake(listening, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(signals_cli, "_single", lambda: True)
    with pytest.raises(Ended):
        imported(tmp_path, SWALLOWS.replace("BaseException", "KeyboardInterrupt"))
    signals_cli._came.clear()
    monkeypatch.setattr(signals_cli, "_single", lambda: False)
    with pytest.raises(Stopped):
        imported(tmp_path, SWALLOWS)
        time.sleep(LIMIT)


def test_a_file_that_is_being_written_is_written(listening, monkeypatch, tmp_path) -> None:
    from simspec.files import write_file

    real = os.fsync

    def struck(handle: int) -> None:
        signal.raise_signal(signal.SIGTERM)
        real(handle)

    monkeypatch.setattr(os, "fsync", struck)
    with pytest.raises(Stopped, match="SIGTERM"):
        write_file(tmp_path / "a", b"whole")
        signals_cli.leave()
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("a", b"whole")]


def test_the_third_is_obeyed_at_any_moment(listening, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(signals_cli, "_single", lambda: False)
    with pytest.raises(Stopped):
        imported(tmp_path, "import signal\nfor _ in range(3):\n    signal.raise_signal(signal.SIGINT)")
