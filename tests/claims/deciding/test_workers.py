"""Claims decided on several processes: the same records, and one line when a process is killed."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simspec.claims import find, registry
from simspec.claims.chosen import choose
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.verify import verify
from simspec.claims.deciding.workers import ALLOCATION, FIRST, READERS, decide_apart, environment, tasks
from simspec.cli import verify as verify_cli


def without_seconds(verdicts):
    return [{k: v for k, v in c.items() if k != "seconds"} for c in verdicts["claims"]]


def test_tasks_hold_every_claim_once_and_share_simulations() -> None:
    parts = tasks(find())
    names = [name for part in parts for name in part]
    assert sorted(names) == sorted(registry()) and len(set(names)) == len(names)
    for part in parts:
        findings = [registry()[name].finding for name in part]
        modules = {finding.study.__module__ for finding in findings if finding}
        assert len(part) == 1 or len(modules) == 1 or any(all(m.startswith(f) for m in modules) for f in READERS)
        assert len(part) == 1 or all(findings)
    assert sum(registry()[part[0]].finding is not None and part[0].startswith("tasc.") for part in parts) == 1


def test_claims_that_need_no_kernel_go_first() -> None:
    parts, claims = tasks(find()), registry()
    first, then = parts[:FIRST], parts[FIRST]
    assert all(len(part) == 1 and {*claims[part[0]].sources} <= {"exact"} for part in first)
    assert claims[then[0]].finding is not None


def test_two_processes_make_the_records_of_one() -> None:
    ids = ("sd.inverse-proportional", "sd.acceptance", "rdk.percentage", "ears.gsm8k-drop")
    seen = []
    two = verify(*ids, effort="quick", workers=2, on_claim=lambda record: seen.append(record["id"]))
    assert without_seconds(two) == without_seconds(verify(*ids, effort="quick"))
    assert sorted(seen) == sorted(c["id"] for c in two["claims"])


def seen_before(chosen, data):
    """A record: the process, and how many claims its data has met."""
    met = vars(data).setdefault("met", [])
    met.append(chosen.claim.name)
    return {"id": chosen.claim.name, "process": os.getpid(), "met": len(met)}


def test_a_process_keeps_its_data_from_claim_to_claim() -> None:
    """Handed over with each claim, it would open the banks again for each, and check them again."""
    records = list(decide_apart(choose(["csqs"]), Data(effort="quick"), 2, seen_before))
    for process in {r["process"] for r in records}:
        met = [r["met"] for r in records if r["process"] == process]
        assert sorted(met) == list(range(1, len(met) + 1))
    assert len(records) == len(find(["csqs"])) > 10


def test_processes_are_told_of_threads_and_memory_and_what_is_set_already_stays(monkeypatch) -> None:
    held = next(iter(ALLOCATION))
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    monkeypatch.setenv(held, "7")
    for name in ("NUMBA_NUM_THREADS", *list(ALLOCATION)[1:]):
        monkeypatch.delenv(name, raising=False)
    before = dict(os.environ)
    with environment(3):
        environment_values = {name: os.environ[name] for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", *ALLOCATION)}
    assert environment_values == {"NUMBA_NUM_THREADS": "3", "OMP_NUM_THREADS": "5", **ALLOCATION, held: "7"}
    assert dict(os.environ) == before


def test_a_killed_process_is_said() -> None:
    def kill(record) -> None:
        for child in multiprocessing.active_children():
            child.kill()

    with pytest.raises(ChildProcessError, match="a process was killed"):
        verify("rdk", effort="quick", workers=2, on_claim=kill)


@pytest.mark.parametrize("workers", [0, -1, 1.5])
def test_no_worker_is_refused(workers) -> None:
    with pytest.raises(ValueError, match="workers: .* expected at least one process"):
        verify("sd.acceptance", effort="quick", workers=workers)


def test_many_claims_get_a_process_a_core() -> None:
    assert verify_cli.processes(3) == 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert verify_cli.processes(verify_cli.MANY) == min(cores, 2)


def waits(chosen, data):
    """A record that is not made before the program that waits for it is killed."""
    Path(os.environ["SIMSPEC_TEST_FOLDER"], str(os.getpid())).touch()
    time.sleep(600)
    return {"id": chosen.claim.name}


PARENT = """
from simspec.claims.chosen import choose
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.workers import decide_apart
from tests.claims.deciding.test_workers import waits
list(decide_apart(choose(["sd.speedup", "sd.acceptance", "sd.lossless"]), Data(effort="quick"), 2, waits))
"""


def is_running(process: int) -> bool:
    """Whether a process is there, and is no zombie that nobody waited for."""
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up under /proc")
def test_workers_end_with_a_program_that_is_killed(tmp_path) -> None:
    here = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": str(here), "SIMSPEC_TEST_FOLDER": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=here, env=environment, stderr=subprocess.DEVNULL
    ) as parent:
        deadline = time.monotonic() + 120
        while len([*tmp_path.iterdir()]) < 2 and parent.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        workers = [int(path.name) for path in tmp_path.iterdir()]
        assert len(workers) == 2 and all(map(is_running, workers))
        parent.kill()
    deadline = time.monotonic() + 60
    while any(map(is_running, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    left = [worker for worker in workers if is_running(worker)]
    for worker in left:
        os.kill(worker, signal.SIGKILL)
    assert left == []
