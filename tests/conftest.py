"""Hypothesis profiles: derandomised in CI, so that a run can be repeated; without a deadline everywhere.

With SIMSPEC_SKIPPED=FILE the names of the tests that were skipped are written there, one a line and sorted, for a later
``pytest @FILE`` in an environment that has what they need; the same names on one process as on several (``pytest -n 2``).
"""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the garbage collector need not look through it again and again."""
    gc.freeze()


_skipped: set[str] = set()


def pytest_runtest_logreport(report) -> None:
    if report.skipped:
        _skipped.add(report.nodeid)


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
