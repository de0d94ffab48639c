"""`simspec cite`: BibTeX of the works that a claim rests on, or the verdicts of a paper as a LaTeX table."""

from __future__ import annotations

import argparse

__all__ = ["add_arguments", "run"]


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    p.add_argument(
        "names", nargs="*", metavar="NAME", help="ids of claims, papers (rdk) or BibTeX keys (default: all works)"
    )
    form = p.add_mutually_exclusive_group()
    form.add_argument("--text", action="store_true", help="print one line of text for each work instead of BibTeX")
    form.add_argument(
        "--latex",
        action="store_true",
        help="print a LaTeX table of the claims with their recorded verdicts, and what Coq was given of each proof",
    )


def run(args: argparse.Namespace) -> int:
    """Print the works, or the table that cites them."""
    if args.latex:
        from simspec.claims import find
        from simspec.claims.deciding.in_coq import sentence_of
        from simspec.claims.deciding.recorded import expected
        from simspec.report.latex import table

        claims = find(args.names)
        print(table(claims, expected()["verdicts"], {claim.name: sentence_of(claim) for claim in claims}))
        return 0
    from simspec.claims.references import find_works

    cited_works = find_works(args.names)
    print(("\n" if args.text else "\n\n").join(str(work) if args.text else work.bibtex for work in cited_works))
    return 0
