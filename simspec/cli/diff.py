"""`simspec diff`: what changed between two verdicts.json."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("old", type=Path, metavar="OLD", help="a verdicts.json written by simspec verify")
    parser.add_argument("new", type=Path, metavar="NEW", help="a verdicts.json of a later run")
    parser.add_argument("--json", action="store_true", help="write JSON instead of text")


def run(args: argparse.Namespace) -> int:
    """The command itself; 1 where something changed, else 0."""
    from simspec.claims.printed import counted
    from simspec.report.changes import changes, read_verdicts

    old = read_verdicts(args.old, "OLD")
    new = read_verdicts(args.new, "NEW")
    runs, change_list = changes(old, new)
    if args.json:
        print(json.dumps({"runs": runs, "changes": [c._asdict() for c in change_list]}, indent=1, ensure_ascii=False))
        return 1 if change_list else 0
    for change in change_list:
        print(change)
    count = f"{len(change_list)} change{'' if len(change_list) == 1 else 's'}" if change_list else "no change"
    differ = f"; the runs used different {', '.join(runs)}" if runs else ""
    print(f"{count}: {counted(old['claims'])} in {args.old}, {counted(new['claims'])} in {args.new}{differ}")
    return 1 if change_list else 0
