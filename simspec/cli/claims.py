"""`simspec claims`: list the claims, show some in full with where they are written and proved, or begin a new one."""

from __future__ import annotations

import argparse
import json
from typing import Any

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help="ids or prefixes to show (default: a list of all); `new ID` writes stubs",
    )
    parser.add_argument(
        "--source", metavar="TEXT", help="only claims whose source holds this text, such as 'Theorem 5.1'"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """The command itself; returns its exit status."""
    if args.ids[:1] == ["new"]:
        return _new(args)
    from simspec.claims import file_of, find, sourced
    from simspec.claims.deciding.proved import files_of
    from simspec.claims.deciding.verify import expected

    recorded = expected()["verdicts"]
    rows: list[dict[str, Any]] = [
        {
            "id": c.name,
            "kind": c.kind,
            "verdict": recorded.get(c.name),
            "source": c.reference,
            "statement": c.statement,
            "assumes": list(c.assumes),
            "corrected_by": list(c.corrected_by),
            "note": c.note,
            "written": file_of(c.name),
            "proved": files_of(c.name),
        }
        for c in (find(args.ids) if args.source is None else sourced(args.source, find(args.ids)))
    ]
    if args.json:
        print(json.dumps(rows, indent=1, ensure_ascii=False))
    elif args.ids or args.source is not None:
        for row in rows:
            _show(row)
    else:
        for row in rows:
            print(f"{row['verdict'] or 'not recorded':<14}{row['kind']:<13}{row['id']}")
    return 0


def _new(args: argparse.Namespace) -> int:
    from simspec.cli import new_claim

    if len(args.ids) != 2 or args.json or args.source is not None:
        raise ValueError(f"new: {' '.join(args.ids[1:])!r}; expected one id and no option, such as rdk.my-claim")
    print(*new_claim.write_stubs(args.ids[1], new_claim.ROOT), sep="\n")
    return 0


def _show(row: dict[str, Any]) -> None:
    print(f"{row['id']}  ({row['kind']}, {row['source']})")
    print(f"  {row['statement']}")
    for name, word in (("verdict", "recorded verdict"), ("note", "why"), ("written", "written in")):
        if row[name]:
            print(f"  {word}: {row[name]}")
    for name, word in (("proved", "proved in"), ("assumes", "assumes"), ("corrected_by", "corrected by")):
        if row[name]:
            print(f"  {word}: {'; '.join(row[name])}")
    print()
