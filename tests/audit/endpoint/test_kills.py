"""A hundred kills of an audit at any moment: what was written is kept, no process is left, and the end is that of a whole run."""

from __future__ import annotations

import json
import multiprocessing
import random
import signal
from pathlib import Path

import pytest

from simspec.audit.endpoint.opening import audit_url
from simspec.audit.endpoint.plan import Plan
from tests.audit.endpoint.served import served
from tests.requirements import require

require("httpx")

KILLS = 100
PLAN = Plan(tokens=2500, texts=4, option_answers=0, max_tokens=4, tv_limit=0.9)
MOST_SECONDS = 60.0
"""How long a process may take to end: a busy machine is slow."""
LONGEST = 0.5
"""Seconds of processor time after which the first process is killed at the latest."""
SLOWER = 1.05
"""Factor by which the next one gets more where nothing was asked for before the kill, and less where something was."""


def audit_into(url: str, path: Path, seconds: float) -> None:
    """What is killed, by a signal that nothing here hears, once it has had so many seconds of processor time.

    On a busy machine these seconds last longer, and no more is done in them.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    audit_url(url, "self", PLAN, journal=path)


@pytest.fixture(scope="module")
def context():
    """Processes that begin with everything loaded, so that a kill does not hit an import."""
    started = multiprocessing.get_context("forkserver")
    started.set_forkserver_preload(["simspec.audit.endpoint.opening", "httpx", __name__])
    return started


def test_a_hundred_kills_lose_nothing(tmp_path, context) -> None:
    """Each at a moment that was drawn; the journal's whole lines only ever grow, and its report is that of one run.

    An audit that comes to its end before begins anew.
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
        longest = LONGEST
        grown = kills = ends = 0
        while kills < KILLS:
            process = context.Process(target=audit_into, args=(url, path, rng.uniform(0.01, longest)))
            process.start()
            process.join(MOST_SECONDS)
            assert not process.is_alive()
            whole_lines = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
            assert whole_lines.startswith(kept)
            assert all(json.loads(line) for line in whole_lines.splitlines())
            has_grown = len(whole_lines) > len(kept)
            longest *= 1 / SLOWER if has_grown else SLOWER
            grown += has_grown
            kept = whole_lines
            if process.exitcode == 0:
                ends += 1
                assert ends < KILLS, "audits come to their end before they are killed: the plan is too small"
                resumed_whole()
                kept = b""
                continue
            assert process.exitcode == -signal.SIGPROF
            kills += 1
        assert grown >= KILLS / 4, "most kills hit audits that had asked for nothing yet"
        assert multiprocessing.active_children() == []
        resumed_whole()
