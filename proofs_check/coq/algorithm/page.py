"""What the page on soundness says of Coq: theorems about algorithms, and counterexamples; counted and quoted, not typed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from proofs_check.coq.algorithm.compiled import FOLDER, sources
from proofs_check.coq.instances import library

__all__ = ["Stated", "left_out", "section", "stated"]

_SAID = re.compile(r"\(\*\*((?:(?!\*\)).)*)\*\)\s*\nTheorem (\w+'*)", re.DOTALL)
_ENDINGS = ("_refuted", "_step")


class Stated(NamedTuple):
    """A theorem: the claim that it is about, its name, the file that proves it, and what it says in words."""

    claim: str
    name: str
    file: str
    says: str


def stated(texts: Mapping[str, str] | None = None) -> list[Stated]:
    """Theorems with their words, by file; each bears the id of a claim, or it with the ending `_refuted` or `_step`.

    >>> stated({"f": "(** It is so. *)\\nTheorem sd_lossless : True."})
    [Stated(claim='sd.lossless', name='sd_lossless', file='f', says='It is so.')]

    Raises
    ------
    ValueError
        for a name that is no claim's.
    """
    ids = {library.name_of(claim): claim for claim in library.verdicts()}
    theorems = []
    for file, text in (sources(FOLDER) if texts is None else texts).items():
        for says, name in _SAID.findall(text):
            endings = () if name in ids else _ENDINGS  # csqs.step is a claim
            plain = next((name.removesuffix(e) for e in endings if name.endswith(e)), name)
            if plain not in ids:
                raise ValueError(f"theorem {name} in {file}.v; expected the id of a claim")
            theorems.append(Stated(ids[plain], name, file, " ".join(says.split())))
    return theorems


def section() -> list[str]:
    """The section, in paragraphs."""
    theorems = stated()
    texts = sources(FOLDER)
    refutations = library.library()
    lines = sum(len(text.splitlines()) for text in texts.values())
    statements = [t for t in theorems if t.name == library.name_of(t.claim) or not t.name.endswith("_step")]
    claims = len({theorem.claim for theorem in statements})
    rows = [f"| `{t.claim}` | {t.says} | [{t.file}.v](../proofs_check/coq/algorithm/{t.file}.v) |" for t in theorems]
    proved = (
        f"{claims} claims are stated once more about the algorithms themselves, and proved in Coq by hand, in {lines:,} lines: "
        "laws are functions on tokens, sampling is the finite distribution that it induces, an algorithm is a program that "
        "tosses coins. No encoding by givens stands between the sentence and the theorem. What papers say of their printed "
        "figures, and their examples, are computed in Coq from the figures and the laws; a test asks Coq whether the figures "
        "are those of the claims. Nothing is admitted, and nothing assumed but what Coq's own real numbers rest on; a test "
        "asks Coq."
    )
    computed = (
        f"Of the {len(library.refuted())} refuted claims {len(refutations)} are stated in Coq over the fractions, "
        "in one vocabulary "
        "([instances](../proofs_check/coq/instances)) written apart from the package's code: for each, Coq computes that the "
        "counterexample on record meets what is assumed and violates the statement, or a consequence of it, which is named "
        "there. Exponentials and logarithms are numbers between fractions; that they lie there is proved from Coq's real "
        "numbers. On instances drawn at random the statements agree with the package's own, and of a consequence Coq refutes "
        "nothing that the package finds true; a test compares them."
    )
    table = "\n".join(["| claim | theorem | file |", "|---|---|---|", *rows])
    return ["## What Coq proves about the algorithms", proved, table, computed, *left_out()]


def left_out(reasons: Mapping[str, str] = library.LEFT) -> list[str]:
    """Refuted claims that are not stated, with the reason of each, in paragraphs; nothing where all are.

    >>> print(*left_out({"rdk.never-worse": "needs a corpus"}), sep="\\n")
    Not stated, and why:
    | claim | reason |
    |---|---|
    | `rdk.never-worse` | needs a corpus |
    """
    rows = [f"| `{claim}` | {reason} |" for claim, reason in reasons.items()]
    return ["Not stated, and why:", "\n".join(["| claim | reason |", "|---|---|", *rows])] if rows else []
