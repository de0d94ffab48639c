"""`simspec lengths`: acceptance lengths and rates from the log of an engine."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simspec.tools.lengths import Lengths, Number

__all__ = ["add_arguments", "run"]


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    p.add_argument(
        "log",
        metavar="FILE",
        help="log of vLLM or llama.cpp, vLLM's metrics or records, AIPerf records, SGLang responses, a profile (- reads them)",
    )
    p.add_argument(
        "--cut",
        action="store_true",
        help="the engine counts accepted drafts before the end of a text cuts its last step: without this option more accepted "
        "than emitted tokens are a contradiction",
    )
    p.add_argument(
        "--cost",
        type=float,
        action="append",
        metavar="C",
        help="time of a draft token over that of a target call: adds speed-ups; may be repeated",
    )
    p.add_argument(
        "--level", type=float, default=0.95, metavar="L", help="of the intervals over requests (default 0.95)"
    )
    p.add_argument("--json", type=Path, metavar="FILE", help="write all numbers as JSON (- prints them)")
    p.add_argument("--profile", type=Path, metavar="FILE", help="write a speculation_profile.json (- prints it)")
    p.add_argument(
        "--synthetic",
        type=Path,
        metavar="FILE",
        help="write settings of an engine's synthetic acceptance (- prints them)",
    )
    p.add_argument(
        "--engine",
        choices=("vllm", "sglang", "tensorrt-llm"),
        default="vllm",
        help="of --synthetic: rates by position (vllm, the default), or a length in variables of the environment",
    )


def run(args: argparse.Namespace) -> int:
    """Read, and say what the log says."""
    from simspec.tools.lengths import lengths, profile, read, speeds, synthetic

    if not 0 < args.level < 1:
        raise ValueError(f"--level: {args.level}; expected a level between 0 and 1")
    text = _decoded(sys.stdin.buffer.read() if args.log == "-" else Path(args.log).read_bytes())
    of = lengths(read(text, is_cut=args.cut), args.level)
    costs = args.cost or []
    for cost in costs:
        if not 0 <= cost < math.inf:
            raise ValueError(
                f"--cost: {cost}; expected the time of a draft token over that of a target call, not negative"
            )
    if costs and not of.positions:
        raise ValueError(
            "--cost: the log has no counts by position; expected them, since fewer drafts accept fewer tokens"
        )
    table = {f"{cost:g}": speeds([m.value for m in of.positions], cost) for cost in costs}
    asked = (
        (args.json, {**_plain(of), "without_intervals": of.without_intervals, "speeds": table}),
        (args.profile, profile(of)),
        (args.synthetic, synthetic(of, args.engine)),
    )
    printed = [_put(content, path) for path, content in asked if path is not None]
    if not any(printed):
        print("\n".join(_words(of, table)))
    return 0


def _words(of: Lengths, table: dict[str, list[tuple[int, float, float]]]) -> list[str]:
    requests = "requests not told apart"
    if of.requests is not None:
        intervals = of.without_intervals or f"{of.level:.0%} intervals over them"
        requests = f"{of.requests:,} request{'s' if of.requests != 1 else ''}, {intervals}"
    lines = [f"{of.source}: {of.steps:,} verify steps, {requests}"]
    lines.append(f"acceptance length  {_shown(of.length)}  tokens a step, bonus token included, pooled")
    lines.append(f"  without bonus    {_shown(of.length, -1)}")
    if of.by_request is not None:
        lines.append(f"  by request       {_shown(of.by_request)}  mean over requests")
    if of.rate is not None:
        lines.append(f"acceptance rate    {_shown(of.rate)}  accepted over drafted, pooled")
    for name, numbers in (("position", of.positions), ("given the last", of.conditional)):
        lines += [f"{f'{name} {i}':<18} {_shown(m)}" for i, m in enumerate(numbers, 1)]
    for cost, rows in table.items():
        fastest = max(rows, key=lambda row: row[2])
        for row in rows:
            best = ", the fastest" if row is fastest else ""
            lines.append(f"cost {cost}, gamma {row[0]}: {row[1]:.3f} tokens a step, speed-up {row[2]:.3f}{best}")
    return [*lines, *(f"note: {note}" for note in of.notes)]


def _decoded(content: bytes) -> str:
    """Text of a log, which may hold anything between the lines that are read, and is UTF-16 where PowerShell wrote it."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace")
    return content.decode("utf-8-sig", errors="replace")


def _shown(number: Number, plus: int = 0) -> str:
    inside = (
        "" if number.low is None or number.high is None else f" [{number.low + plus:.3f}, {number.high + plus:.3f}]"
    )
    return f"{number.value + plus:.3f}{inside}"


def _plain(of: Lengths) -> dict[str, Any]:
    """All numbers, as JSON has them."""

    def plain(value: Any) -> Any:
        if hasattr(value, "_asdict"):
            return value._asdict()
        return [plain(v) for v in value] if isinstance(value, tuple) else value

    return {name: plain(value) for name, value in of._asdict().items()}


def _put(content: dict[str, Any], path: Path) -> bool:
    """Write to a file, or print; whether it was printed."""
    text = json.dumps(content, indent=1) + "\n"
    if str(path) == "-":
        sys.stdout.write(text)
        return True
    path.write_text(text, encoding="utf-8")
    return False
