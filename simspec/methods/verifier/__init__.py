"""Verification of several drafts together: what a `Verifier` is, and all that follows from its outcomes."""

from simspec.methods.verifier.chance import Chance, SharedUniform, UniformChance, every, many
from simspec.methods.verifier.verifier import (
    Drafting,
    Facts,
    Verifier,
    by_nodes,
    by_program,
    by_rows,
    facts,
    from_method,
    next_tokens,
    one_path,
    outcomes,
    program_of,
)

__all__ = [
    "Chance",
    "Drafting",
    "Facts",
    "SharedUniform",
    "UniformChance",
    "Verifier",
    "by_nodes",
    "by_program",
    "by_rows",
    "every",
    "facts",
    "from_method",
    "many",
    "next_tokens",
    "one_path",
    "outcomes",
    "program_of",
]
