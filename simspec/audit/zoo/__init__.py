"""The zoo: published faults of samplers, honest rules that were taken for faults, and rules lossy by declaration.

Each is rebuilt in a few lines from its published description; none is anybody's code.  The auditor does not know it.
"""

from __future__ import annotations

from simspec.audit.zoo.declared import HONEST, LOSSY
from simspec.audit.zoo.faults import FAULTS
from simspec.audit.zoo.member import (
    Member,
    Rule,
    black_box,
    decisions,
    drawn_by,
    exact_facts,
    shown_tv,
    verifier,
    with_uniforms,
)

__all__ = [
    "MEMBERS",
    "Member",
    "Rule",
    "black_box",
    "decisions",
    "drawn_by",
    "exact_facts",
    "shown_tv",
    "verifier",
    "with_uniforms",
]

MEMBERS: dict[str, Member] = {m.name: m for m in (*FAULTS, *HONEST, *LOSSY)}
"""Members by name."""
