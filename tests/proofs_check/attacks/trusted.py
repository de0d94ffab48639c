"""What the page on soundness says has to be trusted: for a claim that is proved, and for one that is derived; lines counted."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from proofs_check.coq.algorithm.compiled import REALS
from proofs_check.coq.check import ALLOWED
from simspec.claims.deciding.in_coq import coq_record
from simspec.claims.deciding.vernacular import sentences

__all__ = ["Trusted", "enumerations", "hundreds_of_lines", "section"]

ROOT = Path(__file__).resolve().parents[3]
COQ = "proofs_check/coq"
READ = ROOT / COQ / "algorithm" / "statements.json"
MEANING = frozenset(
    "Definition Fixpoint Inductive Record Let Notation Variable Variables Hypothesis Hypotheses Context Axiom".split()
)
"""Sentences of Coq that say what is meant."""
LINE = 120
"""Characters of a line."""
HEADER = "| code | what it does | lines, to the next hundred |\n|---|---|---:|"


class Trusted(NamedTuple):
    """Files, by patterns from the root of the repository, and what one has to believe of them."""

    patterns: tuple[str, ...]
    does: str


CLAIM = Trusted(
    ("proofs_check/checking/*.py",),
    "whether what was proved is the claim: agreement, ranges, givens in disguise, files",
)
ENCLOSURES = Trusted(("simspec/claims/balls.py",), "certified enclosures, where sides are compared with the claim's")
PROVED = (
    Trusted(
        tuple(f"{COQ}/{name}.v" for name in ("prelude", "further", "deeper", "functions")),
        "definitions that scripts use: sums, extrema, powers",
    ),
    Trusted(
        tuple(f"{COQ}/{name}.v" for name in ("defined", "texts", "ranked", "pairs", "elsewhere", "sequences")),
        "definitions of names: quotients, marks, the largest, names on texts, sequences",
    ),
    Trusted(
        tuple(f"{COQ}/{name}.py" for name in ("terms", "facts", "writer", "export", "trace", "everywhere", "check")),
        "the exporter's statements: what is given as hypotheses, and what is concluded; what Coq's answer is read as",
    ),
    Trusted(
        ("proofs_check/rules/givens.py", "proofs_check/rules/terms.py"),
        "what declarations give, and the sums of the language, which the exporter writes",
    ),
    Trusted(
        (f"{COQ}/algorithm/*.v",),
        "theorems about the algorithms by hand: their definitions, and the statements that "
        "[statements.json](../proofs_check/coq/algorithm/statements.json) lists",
    ),
    Trusted(
        ("simspec/claims/deciding/statements.py", "simspec/claims/deciding/vernacular.py"),
        "whether these theorems say what was read, and their files hold no command but of a short list",
    ),
)
"""For `proved`, beside Coq."""
REFUTED = Trusted(
    (f"{COQ}/instances/*.v", f"{COQ}/instances/library.py"),
    "statements of refuted claims over the fractions, which Coq computes at the counterexamples on record",
)
"""For no verdict: a counterexample is computed by the claim's own formulas, and once more here."""
DERIVED = (
    Trusted(("proofs_check/rules/*.py",), "the rules by which a statement follows"),
    CLAIM,
    ENCLOSURES,
)
"""For `derived`, beside the libraries that are named."""


def hundreds_of_lines(*patterns: str) -> int:
    """Lines of files to the next hundred: not every edit makes the page stale.

    Of a file for Coq those of definitions, of what is supposed, and of theorems that are listed as read: Coq checks the rest.

    >>> hundreds_of_lines("proofs_check/rules/*.py") > hundreds_of_lines("simspec/claims/balls.py") > 0
    True

    Raises
    ------
    ValueError
        for a pattern that no file has.
    """
    lines = 0
    for pattern in patterns:
        files = sorted(ROOT.glob(pattern))
        if not files:
            raise ValueError(f"trusted: no file {pattern}")
        lines += sum(map(_lines_to_read, files))
    return 100 * math.ceil(lines / 100)


def _lines_to_read(file: Path) -> int:
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".v":
        return len(text.splitlines())
    listed = json.loads(READ.read_text(encoding="utf-8"))
    return sum(math.ceil(len(s) / LINE) for s in sentences(text) if _is_read(s, listed))


def _is_read(sentence: str, listed: Collection[str]) -> bool:
    """Whether a sentence of Coq says what is meant, or is a theorem that is listed."""
    words = re.findall(r"[\w']+", sentence)[:2]
    return bool(words) and (words[0] in MEANING or (words[0] == "Theorem" and words[-1] in listed))


def section() -> list[str]:
    """The section, in paragraphs."""
    libraries = (
        ("SymPy", "sympy", "expansion, derivatives"),
        ("Z3", "z3-solver", "real arithmetic"),
        ("python-flint", "python-flint", "enclosures"),
    )
    named = ", ".join(f"{name} {version(package)} ({does})" for name, package, does in libraries)
    proved = (
        f"A claim is `proved` where Coq {coq_record()['coq']} accepts a proof of the whole statement. To be trusted are Coq's "
        f"kernel; the axioms of its real numbers ({_listed(sorted(REALS))}), and of classical logic, which its library on them "
        f"uses ({_listed(sorted(ALLOWED - REALS))}); and that what Coq was given, and has concluded, is the claim. That is said "
        "by this text, of files for Coq by their definitions and listed statements alone:"
    )
    compared = (
        "Who reads these statements beside a claim's formulas needs no more. Two programs look for a difference first, and are "
        f"checks, no part of the proof: {_linked(CLAIM.patterns)} and {_linked(ENCLOSURES.patterns)} "
        f"({hundreds_of_lines(*CLAIM.patterns, *ENCLOSURES.patterns):,} lines) compare the statements of a derivation with the "
        "claim's formulas at exact instances, where every given has to hold; and a definition of the bridge is compared there "
        f"with what the claim computes ([computed.py](../{COQ}/computed.py)). How a step was found, what it rests on, and which "
        "definition was tried, Coq checks: it is in no table."
    )
    refuted = (
        "That a claim is `refuted` rests on its own formulas at the counterexample. Beside them stand, in Coq, "
        f"{REFUTED.does}: {_linked(REFUTED.patterns)}, {hundreds_of_lines(*REFUTED.patterns):,} lines."
    )
    beside = (
        f"Beside it: Python, {named}. Z3's answers have a second opinion, cvc5's, under `--effort deep`. Python, SymPy and "
        "python-flint also evaluate what is compared with a claim that is proved."
    )
    return [
        "## What is trusted",
        proved,
        _table(PROVED),
        compared,
        refuted,
        "A claim is `derived` where the package's own rules accept a derivation of the whole statement:",
        _table(DERIVED),
        beside,
    ]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(rows: Iterable[Trusted]) -> str:
    counts = [(row, hundreds_of_lines(*row.patterns)) for row in rows]
    lines = [f"| {_linked(row.patterns)} | {row.does} | {count:,} |" for row, count in counts]
    return "\n".join([HEADER, *lines, f"| in all | | {sum(count for _, count in counts):,} |"])


def _linked(patterns: Iterable[str]) -> str:
    """Links to files, or to the folder of a pattern; the folder stands before the first of several names."""
    links = []
    folder = ""
    for pattern in patterns:
        place, _, name = pattern.rpartition("/")
        is_pattern = "*" in name
        shown = pattern if not is_pattern and place != folder else place if is_pattern else name
        links.append(f"[{shown}](../{place if is_pattern else pattern})")
        folder = place
    return ", ".join(links)


def enumerations() -> str:
    """Which enumerations are theorems in Coq by hand, and which stay with the rules, from the record; in a sentence.

    >>> "sqs.best-size" in enumerations()
    True
    """
    record = coq_record()
    theorems = {entry["claim"] for entry in record["theorems"]}
    names = [e["claim"] for e in record["derivations"] if e.get("not") == "an enumeration of cases"]
    by_rules = [name for name in names if name not in theorems]
    by_hand = [name for name in names if name in theorems]
    stay = (
        f"{_listed(by_rules)} {'stays' if len(by_rules) == 1 else 'stay'} with the package's own rules"
        if by_rules
        else ""
    )
    return (
        f"Enumerations of cases are not written as derivations. {len(by_hand)} of the {len(names)} are theorems in Coq by hand "
        f"({_listed(by_hand)}){f'; {stay}' if stay else ''}."
    )
