"""``python -m proofs_check.coq.vain``: keep which searches for certificates find nothing."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from proofs_check.checking.listed import chosen
from proofs_check.checking.processes import in_processes
from proofs_check.checking.proof import Proof
from proofs_check.coq.vain import KEPT, known
from proofs_check.coq.vain.writing import met_by
from simspec.files import write_text

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the scripts of some derivations or all, and keep which searches find nothing."""
    parser = argparse.ArgumentParser(
        prog="python -m proofs_check.coq.vain",
        description="Write scripts for Coq, without asking it, and keep which searches for certificates took long and found "
        "nothing: `make coq` does not make them again. To be run once the code that searches has changed.",
        epilog="example: python -m proofs_check.coq.vain rdk",
    )
    parser.add_argument("ids", metavar="ID", nargs="*", help="ids or prefixes of claims; all where there are none")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes (default 2)")
    options = parser.parse_args(arguments)
    tasks = [(file, place) for file, place, proof in chosen(options.ids) if isinstance(proof, Proof)]
    kept = set(known()) if options.ids else set()
    for number, searches in enumerate(in_processes(met_by, tasks, options.workers), 1):
        kept |= searches
        if number % 50 == 0:
            print(f"{number} of {len(tasks)} derivations written out", file=sys.stderr, flush=True)
    write_text(f"{json.dumps(sorted(kept), indent=0)}\n", KEPT)
    print(f"{len(kept)} searches that find nothing are kept in {KEPT.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
