"""`simspec cite`: BibTeX of the works that a claim rests on."""

from __future__ import annotations

import argparse

__all__ = ["add_arguments", "run"]


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    p.add_argument(
        "names", nargs="*", metavar="NAME", help="ids of claims, drawers (rdk) or keys; by default every work"
    )
    p.add_argument("--text", action="store_true", help="a line for each work in place of BibTeX")


def run(args: argparse.Namespace) -> int:
    """Print the works."""
    from simspec.claims.references import find_works

    found = find_works(args.names)
    print(("\n" if args.text else "\n\n").join(str(work) if args.text else work.bibtex for work in found))
    return 0
