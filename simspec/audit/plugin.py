"""A plugin for pytest: fixtures `law_pairs` and `assert_lossless`, and the marker `audit` with their settings.

It loads nothing when pytest starts; an audit needs the extra `measure`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

__all__ = ["assert_lossless", "law_pairs", "pytest_configure"]

LAWS = ("gamma", "vocab", "edges")
MARKER = (
    "audit(gamma=2, vocab=3, edges=True, **settings): distributions and settings for the fixtures "
    "law_pairs and assert_lossless; the settings are arguments of simspec.audit.audit, such as "
    "calls, within, error, seed"
)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", MARKER)


def _settings(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What the markers say, the nearest first."""
    settings: dict[str, Any] = {}
    for marker in request.node.iter_markers("audit"):
        if marker.args:
            raise ValueError(f"audit: {marker.args[0]!r} has no name; expected named settings such as gamma=2")
        settings = marker.kwargs | settings
    return settings


@pytest.fixture
def law_pairs(request: pytest.FixtureRequest) -> list[Any]:
    """Pairs of laws that reveal faults, of the sizes that the marker says: each has name, p (gamma + 1, V) and q (gamma, V)."""
    from simspec.audit import revealing

    return revealing(**{name: value for name, value in _settings(request).items() if name in LAWS})


@pytest.fixture
def assert_lossless(request: pytest.FixtureRequest, law_pairs: list[Any]) -> Callable[..., Any]:
    """``assert_lossless(sampler, **settings)``: audit, fail with the report's words unless it is lossless, else return it.

    ``form="torch"`` and the like take functions of other signatures (`simspec audit --list`).  The verdict and the calls
    stand among the properties of the test in JUnit XML.
    """

    def check(sampler: Callable[..., Any], form: str | None = None, **settings: Any) -> Any:
        from simspec.audit import audit
        from simspec.audit.adapters import FORMS

        marked = {name: value for name, value in _settings(request).items() if name not in LAWS}
        adapted_sampler = sampler if form is None else FORMS[form](sampler).sampler
        report = audit(adapted_sampler, **({"pairs": law_pairs} | marked | settings))
        request.node.user_properties += [("verdict", str(report.verdict)), ("calls", report.calls)]
        if report.exit_status:
            pytest.fail(report.words(), pytrace=False)
        return report

    return check
