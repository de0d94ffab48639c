"""A hundred kills of an audit at any moment: what was written is kept, no process is left, and the end is that of a whole run."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import random
import signal
import time

import pytest

from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

KILLS = 100
PLAN = Plan(tokens=2500, texts=4, option_answers=0, max_tokens=4, tv_limit=0.9)
MOST_SECONDS = 60.0
"""How long a process may take to write something: a busy machine is slow to start one."""


def audit_into(url: str, path) -> None:
    """What is killed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    audit_url(url, "self", PLAN, journal=path)


@pytest.fixture(scope="module")
def context():
    """Processes that begin with everything loaded, so that a kill does not hit an import."""
    started = multiprocessing.get_context("forkserver")
    started.set_forkserver_preload(["simspec.audit.endpoint.opening", "httpx", __name__])
    return started


def test_a_hundred_kills_lose_nothing(tmp_path, context) -> None:
    """Each after a part of a round that was drawn; the journal's whole lines only ever grow, and its report is that of one run.

    On a busy machine an audit does more before it is killed: one that comes to its end begins anew.
    """
    path = tmp_path / "journal"
    rng = random.Random(0)
    with served() as (url, _):
        whole = audit_url(url, "self", PLAN).plain()

        def resumed_whole() -> None:
            kept = path.read_bytes().rpartition(b"\n")[0]
            assert audit_url(url, "self", PLAN, journal=path).plain() == whole
            assert path.read_bytes().startswith(kept)
            path.unlink()

        kept = b""
        kills = 0
        ends = 0
        while kills < KILLS:
            process = context.Process(target=audit_into, args=(url, path))
            process.start()
            size = path.stat().st_size if path.exists() else 0
            end = time.monotonic() + MOST_SECONDS
            while process.is_alive() and time.monotonic() < end:
                if path.exists() and path.stat().st_size > size:
                    break
                time.sleep(0.002)
            time.sleep(rng.uniform(0, 0.02))
            if process.is_alive():
                with contextlib.suppress(ProcessLookupError):  # it has ended since
                    os.kill(process.pid, signal.SIGKILL if kills % 2 else signal.SIGINT)
            process.join(MOST_SECONDS)
            assert not process.is_alive()
            whole_lines = path.read_bytes().rpartition(b"\n")[0]
            assert whole_lines.startswith(kept) and all(json.loads(line) for line in whole_lines.split(b"\n"))
            kept = whole_lines
            if process.exitcode == 0:
                ends += 1
                assert ends < KILLS, "audits come to their end before they are killed: the plan is too small"
                resumed_whole()
                kept = b""
                continue
            assert process.exitcode == (-signal.SIGKILL if kills % 2 else -signal.SIGINT)
            kills += 1
        assert multiprocessing.active_children() == []
        resumed_whole()
