"""What the record says of theorems about the algorithms: that Coq accepts them, from which files, about which formulas.

A theorem counts for its claim while no Coq file of the folder and none of the claim's formulas has changed since Coq was asked.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from proofs_check.coq.algorithm.compiled import REALS, Refused, assumptions, beside, compiled, joined, sources
from proofs_check.coq.algorithm.figures import comparison, figures, values
from proofs_check.coq.algorithm.page import Stated, stated
from simspec.claims import registry
from simspec.claims.deciding.in_coq import formulas_hash, theorems_hash

__all__ = ["accepted", "whole"]


def whole() -> list[Stated]:
    """Theorems that say all that a claim says: no refutation, and no step of one that does."""
    return [theorem for theorem in stated() if not theorem.name.endswith(("_refuted", "_step"))]


def accepted() -> list[dict[str, str]]:
    """Entries of the record for all these theorems, once Coq has compiled their files and said what they rest on.

    Raises
    ------
    Refused
        for a file that Coq does not accept, for theorems that rest on more than Coq's own reals, and where printed figures
        differ from those of the claims.
    """
    theorems = whole()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compiled(joined(sources()), folder, "algorithm")
        beside(comparison(figures(), values()), folder, "algorithm", "compared")
        rests_on = assumptions([f"{t.file}.{t.name}" for t in theorems], folder, "algorithm")
    if more := sorted(rests_on - REALS):
        raise Refused(f"the theorems about algorithms rest on {', '.join(more)}")
    claims = registry()
    return [
        {
            "claim": t.claim,
            "theorem": t.name,
            "file": f"coq/algorithm/{t.file}.v",
            "files": theorems_hash(),
            "formulas": formulas_hash(claims[t.claim]),
        }
        for t in theorems
    ]
