"""Hypothesis profiles: derandomised in CI, so that a run can be repeated; without a deadline everywhere.

Files whose tests share a costly result go to one worker of ``pytest -n 2 --dist loadfile``, which works it out once; files
that take long go first, so that no worker is left with one at the end.

With SIMSPEC_SKIPPED=FILE the names of the tests that were skipped are written there, one a line and sorted, for a later
``pytest @FILE`` in an environment that has what they need; the same names on one process as on several (``pytest -n 2``).

With SIMSPEC_PARTS set the seconds of each part (`tests.parts`) are printed above the last line.
"""

import gc
import os
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from warnings import catch_warnings, simplefilter

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

# Threads of PyTorch and of BLAS sleep between two calls, in what tests start too: else they spin, on cores that are in use.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def repeatable() -> None:
    """Hypothesis draws constants that it finds in all modules that are loaded: so the tests before one would decide its draws."""
    providers = import_module("hypothesis.internal.conjecture.providers")
    providers._get_local_constants = lambda: providers._local_constants  # those of no module


if os.environ.get("CI"):
    repeatable()


class Examples:
    """Files without an example are not searched for doctests, object by object."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Generator[None, list, list]:
        found = yield
        if file_path.suffix != ".py" or ">>>" in file_path.read_text(encoding="utf-8"):
            return found
        return [file for file in found if not isinstance(file, DoctestModule)]


def pytest_configure(config: pytest.Config) -> None:
    """The package is read as it is compiled for everybody: as it brings a plugin, pytest would rewrite its thousand files.

    Syntax trees, expressions and fractions come by the million and are no circles: the garbage collector need not look for
    them every 700, neither while tests are collected nor after it.
    """
    gc.set_threshold(50_000, 20, 50)
    config.pluginmanager.register(Examples())
    getattr(config.pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("simspec")


def pytest_collection(session: pytest.Session) -> None:
    """Each worker imports the files of tests from another place on, so that it reads what another has compiled meanwhile.

    They are collected in one order after that.
    """
    config = session.config
    if not hasattr(config, "workerinput") or config.args_source != config.ArgsSource.TESTPATHS:
        return
    names = sorted(
        path.relative_to(config.rootpath).with_suffix("").as_posix().replace("/", ".")
        for path in (config.rootpath / "tests").rglob("test_*.py")
    )
    number = int(config.workerinput["workerid"].removeprefix("gw"))
    start = number * len(names) // config.workerinput["workercount"]
    with catch_warnings():
        simplefilter("error")
        for name in names[start:] + names[:start]:
            with suppress(Exception, pytest.skip.Exception, pytest.fail.Exception):  # which its collection meets again
                import_module(name)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A run of everything leaves out what `slow.txt` lists; tests that are named, by file or by id, all run."""
    if config.args_source != config.ArgsSource.TESTPATHS or os.environ.get("SIMSPEC_SLOW"):
        return
    from tests import slow

    functions = slow.listed()
    cases = Counter(slow.function_of(item.nodeid) for item in items)
    for item in items:
        if slow.is_left_out(item.nodeid, cases[slow.function_of(item.nodeid)], functions):
            item.add_marker(pytest.mark.skip(reason=slow.REASON))


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the garbage collector need not look through it again and again.

    Products of small matrices are taken on one thread: on busy processors, threads that wait for each other take longer
    than their work does.  Processes that a test starts have the threads that they choose.
    """
    gc.freeze()
    if find_spec("threadpoolctl"):
        import_module("threadpoolctl").threadpool_limits(1, user_api="blas")


SHARED = ("tests.claims.evidence_cases", "tests/kernels/cuda/")
"""Modules that keep what their first caller has waited for, and folders whose tests wait for one compiler: the files that
import one, or lie in it, are a unit of work."""
FIRST = (
    "tests/proofs_check/test_attacks.py",
    "tests/proofs_check/coq/test_again.py",
    "tests/proofs_check/test_proofs.py",
    "tests/kernels/cuda/",
)
"""The longest units of work, where nothing is left out."""
WAITS = ("import subprocess", "import multiprocessing", 'require("')
"""What stands in a file whose tests start processes, or need what is no part of every installation: few tests, and long ones."""


def early(path: Path, name: str) -> int:
    """What is begun first: 0 the longest units, 1 those with `WAITS`, 2 the others, by their number of tests."""
    if name in FIRST:
        return 0
    if not name.startswith("tests/") or not path.is_file():
        return 2
    text = path.read_text(encoding="utf-8")
    return 1 if any(word in text for word in WAITS) else 2


def unit(path: Path, name: str) -> str:
    """The unit of work that a file belongs to: what of `SHARED` it imports or lies in, or itself, by its name."""
    if not name.startswith("tests/") or not path.is_file():
        return name
    text = path.read_text(encoding="utf-8")
    return next((s for s in SHARED if name.startswith(s) or f"from {s} import" in text), name)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """`--dist loadfile`, where some files are one; any other way to share the work is as it was."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            name = super()._split_scope(nodeid)
            if name not in units:
                units[name] = unit(config.rootpath / name, name)
            return units[name]

        def _assign_work_unit(self, node) -> None:
            if not ordered:  # at the first unit, when all are there
                ordered.extend(sorted(self.workqueue, key=lambda name: early(config.rootpath / name, name)))
                for name in ordered:
                    self.workqueue.move_to_end(name)
            super()._assign_work_unit(node)

    units: dict[str, str] = {}
    ordered: list[str] = []
    return Together(config, log)


_skipped: set[str] = set()
_seconds: Counter[str] = Counter()
_began = time.perf_counter()
_prints_parts = bool(os.environ.pop("SIMSPEC_PARTS", ""))  # those of this run, not of the runs that its tests start


def pytest_runtest_logreport(report) -> None:
    if report.skipped:
        _skipped.add(report.nodeid)
    _seconds[report.nodeid] += report.duration


def pytest_terminal_summary(terminalreporter) -> None:
    """The seconds of each part, of this process or of all workers of pytest-xdist."""
    if _prints_parts:
        for line in import_module("tests.parts").lines(_seconds, time.perf_counter() - _began):
            terminalreporter.write_line(line)


def pytest_collectreport(report) -> None:  # a module that needs something as a whole
    if report.skipped:
        _skipped.add(report.nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    """Of modules skipped for one reason a worker of pytest-xdist reports the first; its own list names them all."""
    _skipped.update(getattr(node, "workeroutput", {}).get("skipped", ()))


def pytest_sessionfinish(session) -> None:
    if hasattr(session.config, "workeroutput"):  # a worker, whose list goes to the process that started it
        session.config.workeroutput["skipped"] = sorted(_skipped)
    elif path := os.environ.get("SIMSPEC_SKIPPED"):
        Path(path).write_text("".join(f"{name}\n" for name in sorted(_skipped)), encoding="utf-8")


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], object]], Path]:
    """The folder of a name, filled once in a run: by the first worker that asks, while others wait; if that failed, anew."""
    import fcntl

    def folder(name: str, fill: Callable[[Path], object]) -> Path:
        own = tmp_path_factory.getbasetemp()
        root = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own  # the folders of all workers stand in one
        with (root / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (root / name).exists():
                unfinished = tmp_path_factory.mktemp(name)
                fill(unfinished)
                unfinished.rename(root / name)
        return root / name

    return folder
