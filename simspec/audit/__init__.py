"""Audit of anybody's sampler: is the law of what it emits still the target's, and if not, by how much?

A sampler is called as a black box, ``sampler(p, q, n, rng)``, on laws that reveal; the evidence holds at any stopping
time.  What is not here yet: exact mode from a sampler's own coins, diagnosis, adapters to engines, the price of a repair.
"""

from simspec.audit.pairs import Pair, revealing
from simspec.audit.report import Finding, Report, Verdict
from simspec.audit.sequential import assert_lossless, audit

__all__ = ["Finding", "Pair", "Report", "Verdict", "assert_lossless", "audit", "revealing"]
