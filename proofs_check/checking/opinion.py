"""A second solver's opinion on SMT certificates, in a process of its own, since it does not always keep its time limits.

``python -m proofs_check.checking.opinion SECONDS`` reads a JSON list of certificates and prints cvc5's answers as they
come.  It ends by itself after so many seconds of processor time, where the process that started it is gone.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Sequence

try:
    import resource
except ImportError:  # Windows: the process runs as long as cvc5 does
    resource = None  # type: ignore[assignment]

__all__ = ["main", "opinions"]

PER_QUERY_MS = 10_000


def opinions(certificates: Sequence[str], seconds: float = 60) -> list[str]:
    """Answers of cvc5, one for each query; "unknown" for those it had not answered when the time was up.

    >>> opinions(["(set-logic QF_LRA)\\n(declare-const a Real)\\n(assert (> a 1.0))\\n(assert (< a 0.0))\\n(check-sat)\\n"])
    ['unsat']
    """
    queries = sum(text.count("(check-sat)") for text in certificates)
    try:
        run = subprocess.run(
            [sys.executable, "-m", "proofs_check.checking.opinion", str(seconds)],
            input=json.dumps(list(certificates)),
            capture_output=True,
            text=True,
            timeout=seconds,
        )
        if run.returncode:
            raise RuntimeError(
                f"cvc5 failed: {run.stderr.strip().splitlines()[-1] if run.stderr.strip() else 'no reason'}"
            )
        answers = ["unsat" if a == "unsat" else "sat" if a == "sat" else "unknown" for a in run.stdout.split()]
    except subprocess.TimeoutExpired as late:
        answers = [a for a in (late.stdout or b"").decode().split() if a in {"sat", "unsat", "unknown"}]
    return [*answers, *["unknown"] * (queries - len(answers))]


def _limit_processor_time(seconds: float) -> None:
    """End this process by a signal after so much processor time, and a second more so that the caller's limit comes first."""
    if resource is None:
        return
    whole_seconds = math.ceil(seconds) + 1
    _, hard_limit = resource.getrlimit(resource.RLIMIT_CPU)
    soft_limit = whole_seconds if hard_limit == resource.RLIM_INFINITY else min(whole_seconds, hard_limit)
    resource.setrlimit(resource.RLIMIT_CPU, (soft_limit, hard_limit))


def main() -> int:
    """Answer what is read."""
    _limit_processor_time(float(sys.argv[1]))
    import cvc5

    for text in json.load(sys.stdin):
        solver = cvc5.Solver()
        for name, value in (("incremental", "true"), ("nl-cov", "true"), ("tlimit-per", str(PER_QUERY_MS))):
            solver.setOption(name, value)
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "certificate")
        symbols = parser.getSymbolManager()
        while not (command := parser.nextCommand()).isNull():
            if answer := str(command.invoke(solver, symbols)).strip():
                print(answer, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
