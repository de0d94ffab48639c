"""What the record says of theorems about the algorithms: that Coq accepts them, from which files, about which formulas.

A theorem counts for its claim while no Coq file of the folder and none of the claim's formulas has changed since Coq was asked.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from proofs_check.coq.algorithm.compiled import REALS, Refused, assumptions, beside, compiled, joined, sources
from proofs_check.coq.algorithm.figures import comparison, figures, values
from proofs_check.coq.algorithm.page import Stated, stated
from simspec.claims import registry
from simspec.claims.deciding.in_coq import formulas_hash, theorem_name, theorems_hash
from simspec.claims.deciding.statements import is_as_read, why_unread

__all__ = ["accepted", "whole"]


def whole(texts: Mapping[str, str] | None = None) -> list[Stated]:
    """Theorems that say all that a claim says: no refutation, and no step of one that does; of the package's files, or these.

    Raises
    ------
    Refused
        for a theorem that says anything else than what was read, and is in `statements.json`; for a file with commands that
        nobody has to read.
    """
    if why := why_unread(sources() if texts is None else texts):
        raise Refused(why)
    theorems = [theorem for theorem in stated(texts) if theorem.name == theorem_name(theorem.claim)]
    for theorem in theorems:
        if not is_as_read(theorem.name, theorem.file, texts):
            raise Refused(
                f"{theorem.file}.v: {theorem.name} is not the statement that was read; read what it says, its definitions "
                "and what its sections suppose, then run python -m proofs_check.coq.algorithm"
            )
    return theorems


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
