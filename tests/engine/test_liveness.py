"""Runs whose workers are gone, silent or out of reach: they get new ones, or end and say what is stored."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from simspec.engine import liveness, pools
from simspec.engine import run as engine
from simspec.engine.estimates.stopping import Rows
from simspec.engine.pools import OnDask, WorkersLost, on_workers
from simspec.engine.store.results import Store
from tests.engine.coins import FEW, LIMIT, plain, quick, within
from tests.requirements import require


@contextmanager
def alone():
    """A cluster with one worker, and a client that knows its address only."""
    require("dask")
    from distributed import Client, LocalCluster

    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=1, **options) as cluster, Client(cluster.scheduler_address, timeout=5) as client:
        yield cluster, client


def dismissed(cluster, tmp_path) -> threading.Thread:
    """A thread that ends every worker of a cluster for good, as Dask does with one that is slow to start again."""

    def dismiss() -> None:
        while not list(tmp_path.glob("segment-*")):
            time.sleep(0.02)
        for nanny in list(cluster.workers.values()):
            cluster.sync(nanny.close)
        cluster.workers.clear()

    thread = threading.Thread(target=dismiss)
    thread.start()
    return thread


@pytest.fixture
def impatient(monkeypatch):
    for name, seconds in {"LOOK": 0.1, "RENEW": 0.5, "EMPTY": 1.0}.items():
        monkeypatch.setattr(liveness, name, seconds)
    monkeypatch.setattr(pools, "LOOK", 0.1)


def test_workers_of_its_own_that_are_gone_for_good_are_replaced(tmp_path, impatient) -> None:
    require("dask")
    store = Store(tmp_path, manifest=engine.manifest(FEW, 0), interval=0)
    with within(LIMIT), on_workers(engine.work, engine.lost, workers=2) as pool:
        thread = dismissed(pool._client.cluster, tmp_path)  # type: ignore[attr-defined]
        found = engine.run(FEW, store, pool=pool)
        thread.join()
        assert plain(found) == plain(engine.run(replace(FEW, simulate=quick)))


def test_without_workers_a_run_ends_and_says_what_is_stored(tmp_path, impatient) -> None:
    store = Store(tmp_path, manifest=engine.manifest(FEW, 0), interval=0)
    with within(LIMIT), alone() as (cluster, client):
        thread = dismissed(cluster, tmp_path)
        with pytest.raises(
            WorkersLost, match="no worker for 1 s.* blocks of 1 cells are stored in .*to continue"
        ) as said:
            engine.run(FEW, store, pool=OnDask(engine.work, engine.lost, client))
        thread.join()
    (count,) = [len(Store(tmp_path).done(design)) for design in engine.designs(FEW)]
    assert count >= 1 and f"; {count} blocks" in str(said.value)
    assert plain(engine.run(FEW, tmp_path)) == plain(engine.run(replace(FEW, simulate=quick)))


def test_workers_that_are_there_and_silent_end_a_run_too(impatient, monkeypatch) -> None:
    monkeypatch.setattr(liveness, "SILENCE", 3.0)
    with within(LIMIT), alone() as (_, client):
        (pid,) = client.run(os.getpid).values()
        stop = lambda snapshot: os.kill(pid, signal.SIGSTOP)  # noqa: E731
        try:
            with pytest.raises(WorkersLost, match="no heartbeat of a worker for 3 s.*had no store"):
                engine.run(FEW, pool=OnDask(engine.work, engine.lost, client), stop=Rows(16_000), progress=stop)
        finally:
            os.kill(pid, signal.SIGKILL)


def test_a_scheduler_that_is_gone_ends_a_run(tmp_path) -> None:
    with within(LIMIT), alone() as (cluster, client):

        def close(snapshot: engine.Snapshot) -> None:
            cluster.close()

        with pytest.raises(WorkersLost, match="the connection to the scheduler .* is lost; .* stored in"):
            engine.run(FEW, tmp_path, pool=OnDask(engine.work, engine.lost, client), stop=Rows(16_000), progress=close)
    assert Store(tmp_path).failed() == []  # no cell is to blame


@pytest.mark.parametrize(("address", "words"), [("tcp://10.0.0.1:8786", "tcp://10.0.0.1:8786"), (None, "its address")])
def test_the_address_of_a_scheduler_that_is_gone_is_named(address, words) -> None:
    client = SimpleNamespace(scheduler=address and SimpleNamespace(address=address), status="closed")
    with pytest.raises(WorkersLost, match=f"workers: the connection to the scheduler at {words} is lost"):
        liveness.WorkerMonitor(client, 1).connected(OSError("gone"))


@pytest.mark.parametrize(("threads", "renewals"), [(1, [60.5, 181.0]), (2, []), (3, [])])
def test_workers_are_started_only_where_some_are_missing(monkeypatch, threads, renewals) -> None:
    """Two are expected.  Half-second looks for 200 seconds: after a minute without one, and after two minutes more."""
    now = [0.0]
    monkeypatch.setattr(liveness, "time", SimpleNamespace(monotonic=lambda: now[0]))
    started: list[float] = []
    client = SimpleNamespace(loop=SimpleNamespace(add_callback=lambda ask: None))
    looks = liveness.WorkerMonitor(client, 2, renew=lambda: started.append(now[0]))
    monkeypatch.setattr(liveness, "LOOK", 0.5)
    looks.threads = threads
    for half in range(400):
        now[0] = half / 2
        looks.look()
    assert started == renewals


def test_only_cells_with_blocks_are_counted_as_stored() -> None:
    blocks: dict[str, set[int]] = {"a": {0, 1}, "b": set(), "c": {4}}
    store = SimpleNamespace(designs=lambda: list(blocks), done=blocks.__getitem__, path="results/coins")
    with (
        pytest.raises(WorkersLost, match="gone; 3 blocks of 2 cells are stored in results/coins"),
        liveness.accounted(store),
    ):
        raise WorkersLost("gone")
