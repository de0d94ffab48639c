"""`simspec audit`: whether somebody's sampler still emits the target's law."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

__all__ = ["add_arguments", "run"]


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    p.add_argument(
        "sampler",
        metavar="SAMPLER",
        help="FILE.py:NAME or module:NAME of a function (p, q, n, rng) -> tokens (n, gamma + 1)",
    )
    p.add_argument("--gamma", type=int, default=2, metavar="N", help="drafts of a call, smaller ones too (default 2)")
    p.add_argument("--vocab", type=int, default=3, metavar="V", help="tokens, fewer ones too (default 3)")
    p.add_argument(
        "--calls", type=int, default=50_000, metavar="N", help="most calls on each pair of laws (default 50000)"
    )
    p.add_argument("--within", type=float, default=0.05, metavar="TV", help="what counts as lossless (default 0.05)")
    p.add_argument(
        "--error", type=float, default=1e-6, metavar="P", help="false alarm, at any stopping time (default 1e-6)"
    )
    p.add_argument("--seed", type=int, default=0, metavar="N", help="of the random numbers (default 0)")
    p.add_argument(
        "--no-edges", action="store_true", help="leave out gamma = 0, gamma = 1 and a vocabulary of one token"
    )
    p.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON (- prints it)")
    p.add_argument(
        "--markdown", type=Path, metavar="FILE", help="append the report as Markdown, for a job's summary (- prints it)"
    )


def run(args: argparse.Namespace) -> int:
    """Audit, then say what was found; 0 lossless, 1 biased or broken, 3 not decided."""
    from simspec.audit import audit, revealing
    from simspec.checks import check_extra
    from simspec.loading import load

    if args.seed < 0:
        raise ValueError(f"--seed: {args.seed}; expected an integer of at least 0")
    check_extra("simspec audit", "measure")
    report = audit(
        load(args.sampler, "sampler", cast("type", Callable)),
        pairs=revealing(args.gamma, args.vocab, edges=not args.no_edges),
        calls=args.calls,
        within=args.within,
        error=args.error,
        seed=args.seed,
    )
    printed = False
    if args.json is not None:
        printed |= _put(json.dumps(report.plain(), indent=1) + "\n", args.json, "w")
    if args.markdown is not None:
        printed |= _put(report.markdown(), args.markdown, "a")
    if not printed:
        print(f"{args.sampler}: {report.words()}")
    return report.exit_status


def _put(text: str, path: Path, mode: str) -> bool:
    """Write to a file, or print; whether it was printed."""
    if str(path) == "-":
        sys.stdout.write(text)
        return True
    with path.open(mode, encoding="utf-8") as file:
        file.write(text)
    return False
