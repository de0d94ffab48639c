"""Hypothesis profiles: derandomised in CI, so that a run can be repeated; without a deadline everywhere.

With SIMSPEC_SKIPPED=FILE the names of the tests that were skipped are written there, one a line, for a later
``pytest @FILE`` in an environment that has what they need.
"""

import os
from pathlib import Path

from hypothesis import HealthCheck, settings

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


_skipped: dict[str, None] = {}


def pytest_runtest_logreport(report) -> None:
    if report.skipped:
        _skipped[report.nodeid] = None


def pytest_collectreport(report) -> None:  # a module that needs something as a whole
    if report.skipped:
        _skipped[report.nodeid] = None


def pytest_sessionfinish() -> None:
    if path := os.environ.get("SIMSPEC_SKIPPED"):
        Path(path).write_text("".join(f"{name}\n" for name in _skipped), encoding="utf-8")
