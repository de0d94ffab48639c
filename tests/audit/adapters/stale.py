"""A verifier with a fault, in a module that can be named."""

from __future__ import annotations

from simspec.audit.reference import speculative


def verify(p, q, drafts, rng):
    """Verifies every position against row 0."""
    return speculative(p[0] * 0 + p[0, :1], q[0], len(drafts), rng)
