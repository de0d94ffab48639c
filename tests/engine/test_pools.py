"""Where tasks run: the same results on one, two and three workers, also when some of them die."""

from __future__ import annotations

import multiprocessing.forkserver
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from simspec.cli import main
from simspec.engine import pools
from simspec.engine import run as engine
from simspec.engine.estimates.statistics import Share
from simspec.engine.estimates.stopping import Rows
from simspec.engine.liveness import WorkersLost
from simspec.engine.local_cluster import local_client
from simspec.engine.pools import Here, OnDask, on_workers
from simspec.engine.store.results import Store
from simspec.engine.study import Study, cross
from tests.engine.coins import COINS, FEW, LIMIT, SLOW, patient, plain, quick, within
from tests.requirements import require

ROOT = Path(__file__).parents[2]


def test_here_runs_tasks_in_order_also_those_that_come_meanwhile() -> None:
    pool = Here(lambda task: task * 10, lambda task, error: None)
    with pool:
        pool.submit(1)
        pool.submit(2)
        seen = []
        for result in pool:
            seen.append(result)
            if result == 10:
                pool.submit(3)
        assert seen == [10, 20, 30]
        pool.submit(4)
    assert list(pool) == []


def test_here_runs_all_that_wait_together() -> None:
    """And yields them one by one; what comes meanwhile waits for the next time."""
    batches = []

    def together(tasks):
        batches.append(list(tasks))
        return [10 * task for task in tasks]

    pool = Here(lambda task: -1, lambda task, error: None, together)
    with pool:
        pool.submit(1)
        pool.submit(2)
        seen = []
        for result in pool:
            seen.append(result)
            if result == 10:
                pool.submit(3)
    assert seen == [10, 20, 30] and batches == [[1, 2], [3]]


def test_without_dask_one_line_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with on_workers(abs, lambda task, error: None) as pool:
        assert isinstance(pool, Here)
    missing = pytest.raises(
        ValueError, match=r"workers: more than this process needs distributed: .*pip install -e '\S*\[cluster\]'"
    )
    with missing, on_workers(abs, lambda task, error: None, workers=2):
        pass


class _Cluster:
    """Two workers that answer at once; the first bundle is lost with its worker."""

    def __init__(self) -> None:
        self.loop, self.sent = self, 0

    def nthreads(self) -> dict[str, int]:
        return {"one": 1, "other": 1}

    def submit(self, work, bundle, seconds, pure) -> int:
        self.sent, self.worked = self.sent + 1, work(bundle, seconds)
        return self.sent

    def add_callback(self, function, future=None, done=None) -> None:
        from distributed import KilledWorker

        if done is not None:
            done.put((future, self.worked, KilledWorker("bundle", None, 4) if future == 1 else None))


def test_a_lost_task_is_tried_again_while_new_ones_come() -> None:
    """A cell whose first block is missing is given others, without end."""
    require("dask")
    pool, seen = OnDask(abs, lambda task, error: None, _Cluster()), []
    for task in (-7, -1, -1, -1):
        pool.submit(task)
    for result in pool:
        seen.append(result)
        if len(seen) < 200:
            pool.submit(-1)
            pool.submit(-1)
    assert seen.count(7) == 1 and seen.index(7) < 20


# ------------------------------------------------------------------------------------------------------ on Dask


@pytest.fixture(scope="module")
def client():
    """Three workers on this machine, restarted when they die; a task is given up on after two deaths."""
    require("dask")
    import dask
    from distributed import Client, LocalCluster

    with dask.config.set(patient()):
        cluster = LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0")
        with cluster, Client(cluster, set_as_default=False) as client:
            yield client


@pytest.fixture
def pool(client):
    client.wait_for_workers(3, timeout=LIMIT)  # the test before may have killed some
    return OnDask(engine.work, engine.lost, client, partial(pools._renewed, client.cluster, 3))


def killing(client, count: int = 1) -> Callable[[engine.Snapshot], None]:
    """A callback for progress that kills workers once, when the first result has come and others are under way."""
    pids = list(client.run(os.getpid).values())[:count]

    def kill(snapshot: engine.Snapshot) -> None:
        while pids:
            os.kill(pids.pop(), signal.SIGKILL)

    return kill


def test_three_workers_give_the_same_bits(pool, tmp_path) -> None:
    with within(LIMIT):
        assert plain(engine.run(COINS, tmp_path, pool=pool)) == plain(engine.run(COINS))
    assert plain(engine.results(COINS, tmp_path)) == plain(engine.run(COINS))


@contextmanager
def taken(port: int):
    """A port that something listens on."""
    with socket.socket() as listening:
        with suppress(OSError):  # taken already
            listening.bind(("", port))
            listening.listen()
        yield


def test_two_workers_of_its_own_give_the_same_bits_and_share_the_cores() -> None:
    require("dask")
    with within(LIMIT), taken(8787), on_workers(engine.work, engine.lost, workers=2) as pool:
        assert isinstance(pool, OnDask) and pool.width == 2
        assert plain(engine.run(COINS, pool=pool)) == plain(engine.run(COINS))
        share = max(1, (os.cpu_count() or 1) // 2)
        assert {*pool.client.run(_born).values()} == {
            (str(share), share, multiprocessing.forkserver._forkserver._forkserver_pid)
        }
        study = replace(SLOW, grid=cross(bias=(0.4,), sleep=(0.03,)))
        found = engine.run(study, pool=pool, progress=killing(pool.client))
        assert plain(found) == plain(engine.run(replace(study, simulate=quick)))


def _born() -> tuple[str | None, int, int]:
    """Threads that a worker was told to take and that Numba takes, and the process that it was forked from."""
    return os.getenv("NUMBA_NUM_THREADS"), __import__("numba").config.NUMBA_NUM_THREADS, os.getppid()


def test_a_cluster_at_an_address_gives_the_same_bits(client) -> None:
    address = client.scheduler.address
    with within(LIMIT), on_workers(engine.work, engine.lost, scheduler=address) as pool:
        assert isinstance(pool, OnDask)
        assert plain(engine.run(SLOW, pool=pool)) == plain(engine.run(SLOW))


def test_functions_of_a_notebook_reach_the_workers(pool) -> None:
    limit = 0.25
    study = replace(
        COINS, simulate=lambda cell, rows, device: {"heads": [r % 4 * limit < cell["bias"] for r in rows[1]]}
    )
    study = replace(study, measures={"heads": Share()})
    with within(LIMIT):
        found = engine.run(study, pool=pool)
    assert plain(found) == plain(engine.run(study)) and found[1].estimates["heads"].mean == 0.5


def test_a_worker_killed_at_work_changes_nothing(client, pool, tmp_path) -> None:
    study = replace(SLOW, grid=cross(bias=(0.1, 0.4), sleep=(0.05,)))
    with within(LIMIT):
        found = engine.run(study, tmp_path, pool=pool, progress=killing(client))
    assert plain(found) == plain(engine.run(study, tmp_path)) and all(r.decided for r in found)
    undisturbed = replace(study, simulate=quick)
    assert plain(found) == plain(engine.run(undisturbed))


def test_all_workers_killed_at_once_come_back(client, pool) -> None:
    study = replace(SLOW, grid=cross(bias=(0.4,), sleep=(0.05,)))
    with within(LIMIT):
        found = engine.run(study, pool=pool, progress=killing(client, count=3))
    assert plain(found) == plain(engine.run(replace(study, simulate=quick)))


def test_cells_that_kill_their_workers_are_errors_and_their_neighbours_go_on(pool, tmp_path) -> None:
    deadly = [{"bias": 0.4, "deadly": 16 * i, "which": i} for i in range(2)]  # at its first block, and at its second
    good = cross(bias=(0.05, 0.1, 0.15, 0.2), sleep=(0.02,), which=(0, 1))
    study = replace(SLOW, grid=(*deadly, *good))
    with within(LIMIT):
        bad, others = np.split(np.array(engine.run(study, tmp_path, pool=pool), dtype=object), [2])
    assert [(r.blocks, r.decided) for r in bad] == [(0, False), (1, False)]
    assert all("the task was lost with its workers: KilledWorker" in r.error for r in bad)
    assert plain(others) == plain(engine.run(replace(study, grid=good, simulate=quick)))
    assert {(b.design, b.block) for b in Store(tmp_path).failed()} == {(r.design, r.blocks) for r in bad}


def test_a_cancelled_task_is_an_error_and_no_hang(client, pool) -> None:
    study = replace(SLOW, grid=cross(bias=(0.4,), sleep=(0.5,)))

    def cancel() -> None:
        while not (tasks := list(pool._tasks)):
            time.sleep(0.01)
        client.cancel(tasks, force=True)

    with within(LIMIT):
        threading.Thread(target=cancel, daemon=True).start()
        (found,) = engine.run(study, pool=pool)
    assert found.error and "the task was lost" in found.error and "Cancelled" in found.error


def test_a_pool_serves_again_after_a_run_that_time_ended(client, pool, tmp_path) -> None:
    study = replace(SLOW, grid=cross(bias=(0.4, 0.3, 0.2), sleep=(0.05,)))
    folder, simulate = str(tmp_path), SLOW.simulate

    def marked(cell, rows, device):
        Path(folder, str(cell["bias"])).touch()
        return simulate(cell, rows, device)

    many = replace(SLOW, grid=cross(bias=[i / 100 for i in range(100)], sleep=(2.0,)), simulate=marked)
    with within(LIMIT):
        assert not any(r.decided for r in engine.run(many, pool=pool, seconds=0.1))
        assert plain(engine.run(study, pool=pool)) == plain(engine.run(replace(study, simulate=quick)))
    assert 3 <= len(list(tmp_path.iterdir())) < 50  # those at work end; the other ninety-odd are not begun


def test_an_interrupted_run_on_workers_resumes_here(pool, tmp_path) -> None:
    with interrupted(pool, 6) as stopped, within(LIMIT):
        with pytest.raises(KeyboardInterrupt):
            engine.run(COINS, tmp_path, pool=stopped)
        assert sum(r.blocks for r in engine.results(COINS, tmp_path)) >= 6
        assert plain(engine.run(COINS, tmp_path)) == plain(engine.run(COINS))


@contextmanager
def interrupted(pool, after: int):
    """The pool, which raises KeyboardInterrupt once some tasks are done."""
    whole = type(pool).__iter__

    class Interrupted(type(pool)):
        def __iter__(self):
            for count, result in enumerate(whole(self)):
                if count == after:
                    raise KeyboardInterrupt
                yield result

    yield Interrupted(engine.work, engine.lost, pool._client)


def test_answers_that_cannot_travel_are_errors_of_their_cell(client) -> None:
    pool = OnDask(partial(_answer), engine.lost, client)
    study = Study("mute", "?", ({"x": 1},), quick, measures={"heads": Share()}, stop=Rows(1))
    with within(LIMIT):
        (found,) = engine.run(study, pool=pool)
    assert found.error and "the task was lost" in found.error


def _answer(task):
    return threading.Lock()


# --------------------------------------------------------------------------------------------- nobody left to work


def test_what_a_signal_raises_is_no_lost_task(pool, monkeypatch) -> None:
    """The signal comes while a result is fetched, in whatever thread that happens; its handler runs in the main one."""
    from distributed import Future

    real = Future.result

    def struck(self, *args, **options):
        signal.raise_signal(signal.SIGALRM)
        return real(self, *args, **options)

    monkeypatch.setattr(Future, "result", struck)
    with within(LIMIT), pytest.raises(TimeoutError, match="not done within"):
        engine.run(replace(FEW, stop=Rows(16_000)), pool=pool)


def test_a_script_with_workers_ends_cleanly(tmp_path) -> None:
    require("dask")
    script = tmp_path / "script.py"
    script.write_text(
        "from simspec.engine import run as engine\nfrom simspec.engine.pools import on_workers\n"
        "from tests.engine.coins import COINS\n"
        "if __name__ == '__main__':\n"
        "    with on_workers(engine.work, engine.lost, workers=2) as pool:\n"
        "        print([r.rows for r in engine.run(COINS, pool=pool)])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", script]
    run = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=environment)
    assert run.returncode == 0 and run.stderr == "" and run.stdout == f"{[r.rows for r in engine.run(COINS)]}\n", (
        run.stderr
    )


@pytest.mark.parametrize(
    "error",
    [RuntimeError("Nanny failed to start.\nlong"), EOFError(), ConnectionResetError(104, "reset"), TimeoutError()],
    ids=lambda error: type(error).__name__,
)
def test_a_process_of_dask_that_dies_while_workers_start_is_one_line_with_a_cure(error, monkeypatch, tmp_path) -> None:
    distributed = pytest.importorskip("distributed")

    def dies(**settings):
        raise error

    monkeypatch.setattr(distributed, "LocalCluster", dies)
    with pytest.raises(WorkersLost, match=r"ended while the workers started \((\w+).*\); .* --workers 1"):
        local_client(ExitStack(), 2)


def test_the_command_ends_with_status_2_where_workers_do_not_start(monkeypatch, tmp_path, capsys) -> None:
    distributed = pytest.importorskip("distributed")

    def dies(**settings):
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(distributed, "LocalCluster", dies)
    assert main(["study", "run", "acceptance", "--workers", "2", "--rows", "4", "--dir", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "(RuntimeError: Nanny failed to start.)" in said and "Traceback" not in said
