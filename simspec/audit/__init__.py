"""Audit of anybody's sampler: is the law of what it emits still the target's, and if not, by how much?

A sampler is called as a black box, ``sampler(p, q, n, rng)``, on laws that reveal; the evidence holds at any stopping
time.  One that takes its uniforms as an argument, ``sampler(p, q, drafts, coins)``, is judged by its exact law.
"""

from simspec.audit.coins.by_coins import exact
from simspec.audit.pairs import Pair, revealing
from simspec.audit.report import Finding, Report, Verdict
from simspec.audit.sequential import assert_lossless, audit

__all__ = ["Finding", "Pair", "Report", "Verdict", "assert_lossless", "audit", "exact", "revealing"]
