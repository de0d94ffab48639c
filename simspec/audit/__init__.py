"""Audit of anybody's sampler: is the law of what it emits still the target's, and if not, by how much?

A sampler is called as a black box, ``sampler(p, q, n, rng)``, on laws that reveal; the evidence holds at any stopping
time.  One that takes its uniforms as an argument, ``sampler(p, q, drafts, uniforms)``, is judged by its exact law.

Importing this loads nothing, not even NumPy: the plugin for pytest stands here, and every session of pytest loads it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

TYPE_CHECKING = False

if TYPE_CHECKING:
    from inspect import Signature
    from typing import Any

    from simspec.audit.pairs import Pair, revealing
    from simspec.audit.report import Finding, Report, Verdict
    from simspec.audit.sequential import assert_lossless, audit
    from simspec.audit.uniforms.exact_law import exact

__all__ = ["Finding", "Pair", "Report", "Verdict", "assert_lossless", "audit", "exact", "revealing"]

_PLACES = {
    "Finding": "report",
    "Pair": "pairs",
    "Report": "report",
    "Verdict": "report",
    "assert_lossless": "sequential",
    "audit": "sequential",
    "exact": "uniforms.exact_law",
    "revealing": "pairs",
}
"""The module that each name of `__all__` is from."""


class _Called(ModuleType):
    """`simspec.audit(sampler)` is `audit`, while ``import simspec.audit.zoo`` finds a package: the import system binds
    the name to this module, so the module itself must be what is called."""

    def __call__(self, *positional: Any, **named: Any) -> Report:
        return self.audit(*positional, **named)

    @property
    def __signature__(self) -> Signature:
        import inspect

        return inspect.signature(self.audit)


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(f"simspec.audit.{_PLACES[name]}"), name)
    raise AttributeError(f"module 'simspec.audit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


sys.modules[__name__].__class__ = _Called
