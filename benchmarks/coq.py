"""How long Coq takes to read every derivation again, on two processes, from the command that does it.

    python -m benchmarks.coq [ID ...]

runs ``python -m proofs_check --coq --dry`` on all claims or some, which writes each derivation out and has Coq read it, records
the seconds with what Coq said, and rewrites the sentence in ``docs/benchmarks``.  An answer that differs from the record is no
measurement, and nothing is written.  What is not here: what the command does (`proofs_check`).
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.cases import environment, write
from simspec.claims.deciding.in_coq import coq_record
from simspec.files import fill, write_file

__all__ = ["PAGE", "PART", "RECORD", "main", "sentence", "summary"]

RECORD = Path("docs", "benchmarks", "coq.json")
PAGE = Path("docs", "benchmarks", "README.md")
PART = "coq"
COMMAND = ("-m", "proofs_check", "--coq", "--dry")
_SUMMARY = re.compile(
    r"^(\d+) derivations, (\d+) that Coq accepts whole; (\d+) steps written out, (\d+) of them axioms"
)


def summary(printed: str) -> dict[str, int]:
    r"""What the last lines of the command say.

    Raises
    ------
    ValueError
        where they do not say it, or an answer differs from the record.

    >>> said = "2 derivations, 1 that Coq accepts whole; 30 steps written out, 1 of them axioms in the Coq scripts"
    >>> summary(f"{said}\n0 difference(s) from the record")
    {'derivations': 2, 'whole': 1, 'steps': 30, 'axioms': 1}
    """
    lines = printed.strip().splitlines()
    counts = next((match for line in lines if (match := _SUMMARY.match(line))), None)
    if counts is None or not lines[-1].startswith("0 difference(s)"):
        raise ValueError(
            f"proofs_check --coq --dry: {lines[-1] if lines else 'nothing was printed'}; expected 0 differences"
        )
    return dict(zip(("derivations", "whole", "steps", "axioms"), map(int, counts.groups()), strict=True))


def sentence(document: Mapping[str, Any]) -> str:
    """What the page says; empty for no record.

    >>> counts = {"derivations": 2, "whole": 1, "steps": 1_030, "axioms": 1}
    >>> print(sentence({"environment": {"processor": "P", "cores": 2}, "seconds": 90.0, "coq": "8.16.1", **counts}))
    2 derivations of 1,030 steps were written out and read by Coq 8.16.1 in 1.5 minutes, with the answers on record. P, 2 cores.
    """
    if not document:
        return ""
    place = document["environment"]
    return (
        f"{document['derivations']:,} derivations of {document['steps']:,} steps were written out and read by Coq "
        f"{document['coq']} in {document['seconds'] / 60:.1f} minutes, with the answers on record. "
        f"{place['processor']}, {place['cores']} cores."
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Time the command and record it, from the root of a clone; 2 where it says something else than the record."""
    names = sys.argv[1:] if argv is None else list(argv)
    if any(name.startswith("-") for name in names):
        print("usage: python -m benchmarks.coq [ID ...]: times Coq on all derivations, or some", file=sys.stderr)
        return 2
    try:
        start = time.perf_counter()
        run = subprocess.run([sys.executable, *COMMAND, *names], stdout=subprocess.PIPE, text=True, check=False)
        seconds = time.perf_counter() - start
        counts = summary(run.stdout)
    except ValueError as error:
        print(f"benchmarks.coq: error: {error}", file=sys.stderr)
        return 2
    document = {
        "benchmark": "coq",
        "environment": environment(()),
        "coq": coq_record()["coq"],
        "seconds": round(seconds, 1),
        **counts,
    }
    print(sentence(document))
    if not names:
        write(RECORD, document)
        write_file(PAGE, fill(PAGE.read_text(encoding="utf-8"), PART, sentence(document)).encode())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
