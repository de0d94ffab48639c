"""`simspec lengths`: acceptance lengths and rates from the log of an engine."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from simspec.cli.output import put

if TYPE_CHECKING:
    from simspec.tools.lengths import Log

__all__ = ["add_arguments", "run"]


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    p.add_argument(
        "log",
        nargs="?",
        metavar="FILE",
        help=(
            "log of vLLM or llama.cpp, metrics or records of vLLM, AIPerf records, SGLang responses or a "
            "speculation profile (- reads standard input)"
        ),
    )
    p.add_argument(
        "--cut",
        action="store_true",
        help=(
            "allow more accepted than emitted tokens, for engines that count draft tokens which the end of the "
            "text cuts off; without this option they are an error"
        ),
    )
    p.add_argument(
        "--compare",
        nargs=2,
        metavar=("A", "B"),
        help="two logs, of any engines: compare their acceptance lengths and test the difference by request",
    )
    p.add_argument(
        "--paired",
        action="store_true",
        help="with --compare: request k of both logs has the same prompt (a sharper test)",
    )
    p.add_argument(
        "--cost",
        type=float,
        action="append",
        metavar="C",
        help="time of a draft step / time of a target step; adds speed-ups to the table; may be repeated",
    )
    p.add_argument(
        "--level",
        type=float,
        default=0.95,
        metavar="L",
        help="confidence level of the intervals over requests (default 0.95)",
    )
    p.add_argument("--json", type=Path, metavar="FILE", help="write all numbers as JSON (- prints them)")
    p.add_argument("--profile", type=Path, metavar="FILE", help="write a speculation_profile.json (- prints it)")
    p.add_argument(
        "--synthetic",
        type=Path,
        metavar="FILE",
        help="write the settings with which an engine simulates this acceptance (- prints them)",
    )
    p.add_argument(
        "--engine",
        choices=("vllm", "sglang", "tensorrt-llm", "llama.cpp"),
        default="vllm",
        help=(
            "engine for --synthetic: vllm (rates by position, default), llama.cpp (the same in environment "
            "variables), sglang or tensorrt-llm (a length in environment variables)"
        ),
    )


def run(args: argparse.Namespace) -> int:
    """Read, and say what the log says."""
    from simspec.tools.lengths import lengths, profile, speeds, synthetic
    from simspec.tools.lengths.show import lines_of, plain

    if not 0 < args.level < 1:
        raise ValueError(f"--level: {args.level}; expected a confidence level between 0 and 1")
    if (args.log is None) == (args.compare is None):
        raise ValueError("FILE: expected one log, or two with --compare A B")
    if args.compare is not None:
        return _compare(args)
    if args.paired:
        raise ValueError("--paired: there is one log; expected --compare A B")
    of = lengths(_log(args.log, is_cut=args.cut), args.level)
    costs = args.cost or []
    for cost in costs:
        if not 0 <= cost < math.inf:
            raise ValueError(f"--cost: {cost}; expected the time of a draft step / time of a target step, 0 or more")
    if costs and not of.positions:
        raise ValueError(
            "--cost: the log has no counts by position; without them the acceptance for fewer draft tokens "
            "is unknown: leave --cost out"
        )
    table = {f"{cost:g}": speeds([m.value for m in of.positions], cost) for cost in costs}
    requested = (
        (args.json, {**plain(of), "without_intervals": of.without_intervals, "speeds": table}),
        (args.profile, profile(of)),
        (args.synthetic, synthetic(of, args.engine)),
    )
    printed = [put(json.dumps(content, indent=1) + "\n", path) for path, content in requested if path is not None]
    if not any(printed):
        print("\n".join(lines_of(of, table)))
    return 0


def _compare(args: argparse.Namespace) -> int:
    """Compare two logs, and say what differs."""
    from simspec.tools.lengths import compared
    from simspec.tools.lengths.show import comparison_lines, plain

    unused = [f"--{name}" for name in ("cost", "profile", "synthetic") if getattr(args, name) is not None]
    if unused:
        raise ValueError(f"{', '.join(unused)}: --compare prints a comparison; expected one FILE with these options")
    first, second = (_log(name, is_cut=args.cut) for name in args.compare)
    comparison = compared(first, second, args.level, paired=args.paired)
    content = {**plain(comparison), "differs": comparison.differs}
    if args.json is None or not put(json.dumps(content, indent=1) + "\n", args.json):
        print("\n".join(comparison_lines(comparison, (args.compare[0], args.compare[1]))))
    return 0


def _log(name: str, *, is_cut: bool) -> Log:
    """The log of a file, or of standard input; what is not read raises ValueError."""
    from simspec.tools.lengths import read

    text = _decoded(sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes())
    return read(text, is_cut=is_cut)


def _decoded(content: bytes) -> str:
    """Text of a log, which may hold anything between the lines that are read, and is UTF-16 where PowerShell wrote it."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace")
    return content.decode("utf-8-sig", errors="replace")
