"""``python -m simspec.methods.optima``: check every stored optimum; ``--write`` finds and stores them again first."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from simspec.methods.optima.stored import Stored, check, stored

__all__ = ["main", "report"]


def report(records: Sequence[Stored]) -> int:
    """Print a line for each certificate; the number of those that are refused."""
    refused = 0
    for record in records:
        try:
            line = f"{check(record)!s:>8}  {record.name}: {', '.join(record.quoted)}"
        except ValueError as error:
            refused = refused + 1
            line = f" refused  {record.name}: {error}"
        print(line)
    print(f"{len(records) - refused} of {len(records)} certificates hold")
    return refused


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where all hold, 1 where one is refused."""
    parser = argparse.ArgumentParser(prog="python -m simspec.methods.optima", description=__doc__)
    parser.add_argument("--write", action="store_true", help="find all certificates again and store them first")
    if parser.parse_args(arguments).write:
        from simspec.methods.optima.making import write

        write()
    return int(report(stored()) > 0)


if __name__ == "__main__":
    sys.exit(main())
