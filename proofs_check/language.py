"""What a proof file is written in: proofs and refutations of claims, derivations, and statements about a vocabulary."""

from __future__ import annotations

from proofs_check.checking.proof import Proof, Refutation, first, laws
from proofs_check.rules.derivation import Derivation, Fact
from proofs_check.rules.terms import Relation, V, eq, ge, gt, i, index, j, le, lt, total, x, y, z

__all__ = ["Derivation", "Fact", "Proof", "Refutation", "Relation", "first", "laws"]
__all__ += ["V", "eq", "ge", "gt", "i", "index", "j", "le", "lt", "total", "x", "y", "z"]
