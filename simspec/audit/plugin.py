"""A plugin for pytest: fixtures `law_pairs`, `assert_lossless` and `assert_engine_lossless`, and the marker `audit`.

It loads nothing when pytest starts; an audit needs the extra `measure`, one of an engine the extra `engine`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

__all__ = ["assert_engine_lossless", "assert_lossless", "law_pairs", "pytest_configure"]

LAWS = ("gamma", "vocab", "edges")
OPTIONS = {"within": "time_limit", "timeout": "seconds", "resume": "journal"}
"""Options of `simspec audit URL` that have another name in Python."""
SWITCHES = {"server_defaults": "pure", "no_books": "books"}
"""Options of it that switch off what is on in Python."""
MARKER = (
    "audit(gamma=2, vocab=3, edges=True, **settings): distributions and settings for the fixtures "
    "law_pairs and assert_lossless; the settings are arguments of simspec.audit.audit, such as "
    "calls, tv_limit, error, seed"
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


def _engine_settings(settings: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings of the plan, and those of `audit_url`; raises TypeError for a name that is unknown or has two values.

    >>> _engine_settings({"server_defaults": True, "within": 60, "tokens": 400})
    ({'pure': False, 'tokens': 400}, {'time_limit': 60})
    """
    from inspect import signature

    from simspec.audit.endpoint.opening import audit_url
    from simspec.audit.endpoint.plan import Plan
    from simspec.checks import nearest

    parameters = signature(audit_url).parameters.values()
    of_audit = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    known = [*Plan._fields, *of_audit, *OPTIONS, *SWITCHES]
    renamed: dict[str, Any] = {}
    names: dict[str, str] = {}
    for name, value in settings.items():
        if name not in known:
            raise TypeError(f"{name}: unknown{nearest(name, known)}; expected one of {', '.join(sorted(known))}")
        target = OPTIONS.get(name) or SWITCHES.get(name) or name
        if target in renamed:
            raise TypeError(f"{name}: given together with {names[target]}; expected one of them: they mean the same")
        if name in SWITCHES and not isinstance(value, bool):
            raise TypeError(f"{name}: {value!r}; expected True or False")
        names[target] = name
        renamed[target] = not value if name in SWITCHES else value
    planned = {name: value for name, value in renamed.items() if name in Plan._fields}
    others = {name: value for name, value in renamed.items() if name not in Plan._fields}
    return planned, others


@pytest.fixture
def assert_engine_lossless(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """``assert_engine_lossless(url, reference, **settings)``: audit a running engine, fail unless its law is the reference's.

    Settings have the names of the options of ``simspec audit URL``, with underscores, or those of
    `simspec.audit.endpoint.plan.Plan` and `simspec.audit.endpoint.opening.audit_url`; paths may be strings.  What the engine
    states of its answers is judged only with ``books=True``, other than by ``simspec audit URL``: an engine that states wrong
    log-probabilities may still be lossless.  The verdict stands among the properties of the test in JUnit XML.
    """

    def check(url: str, reference: str, **settings: Any) -> Any:
        from simspec.audit.endpoint.opening import audit_url
        from simspec.audit.endpoint.plan import Plan

        planned, others = _engine_settings(settings)
        report = audit_url(url, reference, Plan(**({"books": False} | planned)), **others)
        request.node.user_properties += [("verdict", str(report.verdict)), ("tokens", report.sampled.wealth.tokens)]
        if report.exit_status:
            pytest.fail(report.words(), pytrace=False)
        return report

    return check
