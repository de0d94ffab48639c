"""Audit of anybody's sampler: is the law of what it emits still the target's, and if not, by how much?

A sampler is called as a black box, ``sampler(p, q, n, rng)``, on laws that reveal; the evidence holds at any stopping
time.  One that takes its uniforms as an argument, ``sampler(p, q, drafts, coins)``, is judged by its exact law.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from simspec.audit.coins.by_coins import exact
from simspec.audit.pairs import Pair, revealing
from simspec.audit.report import Finding, Report, Verdict
from simspec.audit.sequential import assert_lossless, audit

if TYPE_CHECKING:
    from inspect import Signature


class _Called(ModuleType):
    """`simspec.audit(sampler)` is `audit`, while ``import simspec.audit.zoo`` finds a package: the import system binds
    the name to this module, so the module itself must be what is called."""

    __call__ = staticmethod(audit)

    @property
    def __signature__(self) -> Signature:
        import inspect

        return inspect.signature(audit)


sys.modules[__name__].__class__ = _Called

__all__ = ["Finding", "Pair", "Report", "Verdict", "assert_lossless", "audit", "exact", "revealing"]
