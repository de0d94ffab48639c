"""Whole commands on SmolLM2, each run once in a process of its own: `simspec verify --bank smollm2` and `simspec pair`.

Seconds on the clock from start to end, imports included, and the largest sum of what the process and its children hold: shared
pages are shared out among them (PSS), looked at once a second.  A command that fails, or does not leave what it is there
to write, is no time: the case is wrong.  What is not here: what the commands compute.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.cases import Done, as_json, tabulated
from benchmarks.harness import Result
from benchmarks.real.rules import BANK
from benchmarks.real.skipped import missing_model, skipped

__all__ = ["COMMAND", "LIMIT", "PROMPTS", "Outcome", "held_by", "measure_pair", "measure_verify", "run"]

COMMAND = (sys.executable, "-m", "simspec")
PROMPTS = Path(__file__).parents[2] / "simspec" / "logits" / "data" / "smollm2-prompts.jsonl"
LIMIT = 25 * 60
"""Seconds that `simspec pair` should take at most, on two idle cores."""
INTERVAL = 1.0
"""Seconds between two looks at the memory: a look reads the page tables of large processes, which takes milliseconds."""


class Outcome(NamedTuple):
    """What a command took: seconds, largest memory in bytes (None where the system does not say), status, end of its output."""

    seconds: float
    memory: int | None
    status: int
    output: str


def run(words: Sequence[str]) -> Outcome:
    """Run a command to its end, with its memory watched.

    >>> run([sys.executable, "-c", "print('done'); raise SystemExit(3)"])[2:]
    (3, 'done')
    """
    largest = None
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT) as child:
            while True:
                memory_now = held_by(child.pid)
                if memory_now is not None:
                    largest = max(largest or 0, memory_now)
                try:
                    child.wait(INTERVAL)
                    break
                except subprocess.TimeoutExpired:
                    continue
            seconds = time.perf_counter() - start
        output.seek(0)
        text = output.read().decode(errors="replace").strip()
    return Outcome(seconds, largest, child.returncode, text[-2000:])


def held_by(pid: int) -> int | None:
    """Bytes that a process and all that it has started hold now; None where there is no /proc, or it has ended."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):  # it has ended meanwhile
            continue
        children.setdefault(parent, []).append(int(folder.name))
    total = 0
    queue = [pid]
    while queue:
        number = queue.pop()
        queue += children.get(number, [])
        try:
            lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total or None


def measure_verify(quick: bool) -> Done:
    """`simspec verify --bank smollm2` of all claims, or of a few with little effort."""
    from simspec.logits.bank import is_installed, not_installed

    title = f"verify --bank {BANK} of {'a few claims' if quick else 'all claims'}"
    if not is_installed(BANK):
        return skipped(title, not_installed(BANK))
    with tempfile.TemporaryDirectory() as folder:
        some = ("rdk.real-pruning", "--effort", "quick") if quick else ("--all",)
        outcome = run([*COMMAND, "verify", "--bank", BANK, *some, "--fresh", "--out", folder])
        file = Path(folder, "verdicts.json")
        claims = json.loads(file.read_text(encoding="utf-8"))["claims"] if file.is_file() else []
    crashed = [claim["id"] for claim in claims if claim["verdict"] == "error"]
    # status 1: a verdict is not the one that is recorded on all shipped banks, which is no matter here
    reason = (
        ""
        if claims and not crashed and outcome.status in (0, 1)
        else f"status {outcome.status}: {outcome.output[-300:]}"
    )
    return _done(title, outcome, reason, {"claims": len(claims)}, f"{len(claims)} claims")


def measure_pair(quick: bool) -> Done:
    """`simspec pair` with one draft: all its parts, from prompts to the page; skipped without the model."""
    prompts, length, tokens = (2, 8, 5) if quick else (60, 64, 200)
    title = f"pair smollm2 quantised:4, {prompts} prompts of {length} positions, {tokens} measured tokens a setting"
    reason = missing_model()
    if reason is not None:
        return skipped(title, reason)
    with tempfile.TemporaryDirectory() as folder:
        chat = Path(folder, "prompts.jsonl")
        lines = PROMPTS.read_text(encoding="utf-8").splitlines()
        chat.write_text("\n".join(lines[:prompts]) + "\n", encoding="utf-8")
        out = Path(folder, "pair")
        sizes = ("--chat-length", str(length), "--measure", str(tokens), "--device", "cpu")
        effort = ("--effort", "quick") if quick else ()
        start = time.time()
        outcome = run(
            [*COMMAND, "pair", "smollm2", "quantised:4", "--chat", str(chat), "--out", str(out), *sizes, *effort]
        )
        parts = _seconds_of_parts(out, start)
        is_whole = outcome.status == 0 and (out / "index.html").is_file()
    reason = "" if is_whole else f"status {outcome.status}: {outcome.output[-300:]}"
    shares = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in parts.items())
    return _done(title, outcome, reason, {"aim": LIMIT, "parts": parts}, f"aim {LIMIT // 60} min; {shares}")


def _seconds_of_parts(out: Path, start: float) -> dict[str, float]:
    """Seconds that each part took, by when its file was written."""
    from simspec.tools.pair.folder import PARTS

    files = {name: out / ("pair.safetensors" if name == "capture" else f"{name}.json") for name in PARTS}
    seconds = {}
    before = start
    for name, file in files.items():
        if file.is_file():
            end = file.stat().st_mtime
            seconds[name] = max(0.0, end - before)
            before = end
    return seconds


def _done(title: str, outcome: Outcome, reason: str, about: dict[str, object], caption: str) -> Done:
    """A case of one run: its time where the command did what it is there for."""
    result = Result("simspec", f"wrong: {reason}") if reason else Result("simspec", "ok", seconds=[outcome.seconds])
    memory = "unknown" if outcome.memory is None else f"{outcome.memory / 2**20:,.0f} MiB"
    cells = (f"{outcome.seconds:.1f}", memory)
    case_table = tabulated(title, caption, ("seconds", "peak memory"), [result], lambda timed: cells)
    facts = {**about, "memory": {"simspec": outcome.memory}, "results": [as_json(result)]}
    return Done(facts, case_table, not reason)
