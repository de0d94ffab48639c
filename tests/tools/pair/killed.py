"""A process that runs the command `pair` in children and kills each after a while: `python -m tests.tools.pair.killed`.

A line of JSON on its standard input is a run: the arguments, and the seconds after which it gets SIGKILL (null: never).  The
answer is a line with the exit status, or null for a run that was killed, and the seconds that it took.  Everything is imported
before the first run, so that the seconds are those of the run's own work.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time

import torch
import transformers  # noqa: F401 - imported before the first run

from simspec import cli
from simspec.claims.chosen import choose
from simspec.tools.pair import verdicts, work  # noqa: F401 - imported before the first run

CLAIMS = ("rdk.seventy-five", "rdk.frequent-quarter")


def child(arguments: list[str]) -> int:
    """Run the command; what it prints is thrown away."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    verdicts.open_claims = lambda: choose(CLAIMS)
    return cli.main(arguments)


def run(arguments: list[str], kill_after: float | None) -> tuple[int | None, float]:
    """Exit status of a run, None where it was killed, and its seconds."""
    start = time.monotonic()
    process = os.fork()
    if not process:
        os._exit(child(arguments))
    status = 0
    ended = 0
    while not ended:
        ended, status = os.waitpid(process, os.WNOHANG)
        if not ended and kill_after is not None and time.monotonic() - start >= kill_after:
            os.kill(process, signal.SIGKILL)
            ended, status = os.waitpid(process, 0)
        time.sleep(0.001)
    seconds = time.monotonic() - start
    return (None if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)), seconds


if __name__ == "__main__":
    torch.set_num_threads(1)  # a child of a process with several threads may wait for ever
    for line in sys.stdin:
        request = json.loads(line)
        status, seconds = run(request["arguments"], request["kill_after"])
        print(json.dumps({"status": status, "seconds": seconds}), flush=True)
