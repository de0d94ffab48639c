"""Tasks travel in bundles: few messages, every task once, and the same bits whatever happens to a bundle."""

from __future__ import annotations

import heapq
import os
import re
import shlex
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

from benchmarks.scaling.crowd import Costs, crowd
from simspec import cli
from simspec.engine import batching, serialisation
from simspec.engine import run as engine
from simspec.engine.batching import Pace, Worked, bundle_seconds, work_through
from simspec.engine.estimates.stopping import Rows
from simspec.engine.pools import OnDask
from simspec.engine.serialisation import Packer, work_packed
from simspec.engine.store.results import Store
from simspec.engine.store.segment import Block
from simspec.engine.study import Study, cross
from simspec.studies import Mean
from simspec.studies.catalogue import find
from tests.engine.coins import COINS, LIMIT, SLOW, Shuffled, patient, plain, quick, within
from tests.requirements import require


def test_a_worker_stops_when_its_time_is_up() -> None:
    done = work_through(lambda task: time.sleep(0.02) or task, range(50), 0.05)
    assert 1 <= len(done.results) <= 3 and done.results == list(range(len(done.results)))
    assert done.seconds >= 0.02 * len(done.results)
    with pytest.raises(ZeroDivisionError):
        work_through(lambda task: 1 // task, [1, 0, 1], 1.0)


def test_bundles_follow_the_width_and_leave_some_for_every_place() -> None:
    assert bundle_seconds(1) == batching.LEAST_SECONDS and bundle_seconds(10**6) == batching.MOST_SECONDS
    pace = Pace()
    for _ in range(60):
        pace.learn(Worked([0] * 10, 1.0))  # 0.1 s a task
    for width in (2, 64, 1000):
        assert pace.size(10**6, width) == round(bundle_seconds(width) / 0.1)
        assert pace.size(0, width) == 1
    assert (
        pace.size(2, 2) == 1 and pace.size(64, 64) == 2
    )  # a message costs the driver 4 ms: 2² is nearest to 64 * 4 / 100
    pace.learn(Worked([0], 100.0))  # one that takes long makes the next ones short
    assert pace.size(10**6, 64) == pace.size(64, 64) == 1


@pytest.mark.parametrize(("waiting", "seconds"), [(1000, 0.001), (64, 0.05), (5000, 0.02)])
def test_few_tasks_are_handed_out_in_the_least_time(waiting, seconds) -> None:
    """Handing out n / s bundles takes the driver c n / s; the last one is done s t later."""
    pace = Pace()
    pace.learn(Worked([0] * 10, 10 * seconds))

    def needed(size: int) -> float:
        return batching.DRIVER_SECONDS * waiting / size + size * seconds

    best = min(map(needed, range(1, waiting + 1)))
    assert needed(pace.size(waiting, 10_000)) <= 1.1 * best < needed(1) / 1.1


def test_without_a_rule_a_cell_is_given_all_that_fills_its_workers() -> None:
    ahead = [batching.blocks_ahead(64, 1, 64, 64 * 0.05, stops) for stops in (True, False)]
    assert ahead == [128, int(batching.FILL * 64 * bundle_seconds(64) / 0.05)]
    wide = batching.blocks_ahead(10_000, 1, 64, 64 * 0.2, stops=False)  # a bundle each is three million blocks
    assert wide == int(batching.AHEAD * 10_000 * bundle_seconds(10_000) / 0.2)


class Counted:
    """Workers by a clock that is only counted: their blocks of 0.2 s travel in bundles as the pace says."""

    def __init__(self, width: int) -> None:
        self.width, self.pace, self.messages, self.clock = width, Pace(), 0, 0.0
        self.waiting, self.under_way = deque[engine.Task](), list[tuple[float, int, int, list[engine.Task]]]()
        self.free = [(0.0, worker) for worker in range(width)] * batching.AHEAD

    def submit(self, task: engine.Task) -> None:
        self.waiting.append(task)

    def __iter__(self) -> Iterator[Any]:
        while self.waiting or self.under_way:
            while self.waiting and self.free and len(self.under_way) < self.pace.most(self.width):
                size = self.pace.size(len(self.waiting), self.width)
                tasks = [self.waiting.popleft() for _ in range(size)]
                since, worker = heapq.heappop(self.free)
                done = max(since, self.clock) + 0.2 * sum(len(task.blocks) for task in tasks)
                self.free = [(max(at, done) if w == worker else at, w) for at, w in self.free]
                heapq.heapify(self.free)
                self.messages += 1
                heapq.heappush(self.under_way, (done, self.messages, worker, tasks))
            self.clock, _, worker, tasks = heapq.heappop(self.under_way)
            heapq.heappush(self.free, (self.clock, worker))
            results = [[block._replace(seconds=0.2) for block in engine.work(task)] for task in tasks]
            self.pace.learn(Worked(results, 0.2 * sum(map(len, results))))
            yield from results

    def __enter__(self) -> Counted:
        return self

    def __exit__(self, *error: Any) -> None:
        pass


def test_cells_without_a_rule_keep_bundles_full() -> None:
    """About as many bundles as where all blocks wait from the start: cells that were given too few made them half as long."""
    pool, each = Counted(64), 100

    def nothing(cell, rows, device):
        return {"y": [0.0] * len(rows.numbers)}

    study = Study("nothing", "?", cross(x=tuple(range(16))), nothing, rows=1, measures={"y": Mean()})
    results = engine.run(study, max_rows=64 * each // 16, pool=pool)
    ideal = crowd(64, each, Costs(0.2, 0.0, 0.0))
    assert sum(r.blocks for r in results) == 64 * each and pool.messages < 1.15 * ideal.messages
    assert pool.clock < 1.05 * 0.2 * each


class Wide(Shuffled):
    """A pool that says that it is wide, and whose width changes as workers come and go."""

    def __iter__(self) -> Iterator[Any]:
        for result in super().__iter__():
            self.width = self.choose.randrange(1, 9)
            yield result


@pytest.mark.parametrize("seed", range(6))
def test_workers_that_come_and_go_change_nothing(seed, tmp_path) -> None:
    pool = Wide(seed, width=8)
    assert plain(engine.run(COINS, tmp_path, pool=pool)) == plain(engine.run(COINS))
    blocks = [(task.design, number) for task in pool.seen for number in task.blocks]
    assert len(blocks) == len(set(blocks))


def test_a_cell_is_given_more_before_its_workers_are_idle() -> None:
    pool, least = Shuffled(width=8), []

    class Watched(type(pool)):
        def __iter__(self):
            for result in super().__iter__():
                yield result
                least.append(len(self.tasks))

    engine.run(replace(COINS, grid=COINS.grid[1:2], stop=Rows(16 * 50)), pool=Watched(width=8))
    assert min(least[:-16]) >= 7  # all eight have one, but for the one that has just come back


# ------------------------------------------------------------------------------------------------------ as bytes

TASKS = [engine.Task(COINS, cell, 0, "0f", (number,), "cpu") for cell in COINS.grid[:2] for number in range(3)]


def test_a_bundle_is_worked_through_as_its_tasks_are() -> None:
    done = work_packed(Packer().pack(engine.work, TASKS), 60.0)
    assert [_seen(blocks) for blocks in done.results] == [_seen(engine.work(task)) for task in TASKS]


def _seen(blocks: list[Block]) -> list[str]:
    """Everything but the time."""
    return [repr(block._replace(seconds=0.0)) for block in blocks]


def test_a_study_is_pickled_once_and_opened_once(monkeypatch) -> None:
    pickled, dumps = [], cloudpickle.dumps
    monkeypatch.setattr(cloudpickle, "dumps", lambda value: pickled.append(value) or dumps(value))
    serialisation._opened.cache_clear()
    packer, other = Packer(), replace(COINS, question="another")
    messages = [
        packer.pack(_study_of, tasks) for tasks in (TASKS[:1], TASKS, [task._replace(study=other) for task in TASKS])
    ]
    assert pickled == [COINS, other]
    first, second, third = ({id(study) for study in work_packed(bundle, 60.0).results} for bundle in messages)
    assert first == second and len(third) == 1 and third != first
    assert serialisation._opened.cache_info().misses == 2
    assert len(messages[1]) < 2 * len(messages[0])


def _study_of(task: engine.Task):
    return task.study


def test_a_study_that_is_gone_lends_its_bytes_to_no_other() -> None:
    packer = Packer()
    names = [
        work_packed(packer.pack(_study_of, [(TASKS[0]._replace(study=replace(COINS, name=str(n))))]), 1.0)
        for n in range(20)
    ]
    assert [done.results[0].name for done in names] == [str(n) for n in range(20)]


def test_what_is_no_study_travels_as_it_is() -> None:
    assert work_packed(Packer().pack(abs, [-1, -2]), 60.0).results == [1, 2]


# ------------------------------------------------------------------------------------------------------- on Dask


@pytest.fixture(scope="module")
def client():
    """Two processes with sixteen places each: many light workers."""
    require("dask")
    import dask
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 16, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with (
        dask.config.set(patient()),
        LocalCluster(**options) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


class Ten(Pace):
    """Bundles of ten, or of all that wait."""

    def size(self, waiting: int, width: int) -> int:
        return min(waiting, 10)


def test_many_tasks_are_few_messages_and_the_same_bits(client, tmp_path) -> None:
    study = replace(COINS, grid=cross(bias=tuple(i / 500 for i in range(100))), stop=None)
    pool = OnDask(engine.work, engine.lost, client, pace=Ten())
    with within(LIMIT):
        found = engine.run(study, tmp_path, pool=pool, max_rows=16 * 4)
    assert plain(found) == plain(engine.run(study, max_rows=16 * 4))
    assert Store(tmp_path).union().table.num_rows == 400  # each in a message of its own, were it not for bundles
    assert pool.messages < 200, pool.messages  # forty, where no bundle is cut short by its time


def test_tasks_of_a_bundle_whose_time_was_up_are_done_by_others(client, monkeypatch) -> None:
    monkeypatch.setattr(Pace, "size", lambda self, waiting, width: max(1, min(waiting, 40)))
    study = replace(SLOW, grid=cross(bias=[i / 100 for i in range(60)], sleep=(0.05,)), stop=None)
    pool = OnDask(engine.work, engine.lost, client)
    with within(LIMIT):
        found = engine.run(study, pool=pool, max_rows=16)
    assert plain(found) == plain(engine.run(replace(study, simulate=quick), max_rows=16))
    assert pool.messages > 2  # sixty tasks fit in two bundles, but not in their time


@pytest.mark.parametrize("after", [1, 40])
def test_a_killed_process_of_many_places_changes_nothing(client, after, tmp_path) -> None:
    client.wait_for_workers(2, timeout=LIMIT)
    study = replace(SLOW, grid=cross(bias=(0.1, 0.4), sleep=(0.03,)))
    pids, seen = list(client.run(os.getpid).values()), []

    def kill(snapshot: engine.Snapshot) -> None:
        seen.append(snapshot)
        if snapshot.rows >= 16 * after and pids:
            os.kill(pids.pop(), signal.SIGKILL)
            pids.clear()

    with within(LIMIT):
        found = engine.run(study, tmp_path, pool=OnDask(engine.work, engine.lost, client), progress=kill)
    assert not pids and plain(found) == plain(engine.results(study, tmp_path))
    assert plain(found) == plain(engine.run(replace(study, simulate=quick)))


# ---------------------------------------------------------------------------------------------- the tour, as written

ROWS = 256
TOUR = Path(__file__).parents[2] / "docs" / "tours" / "studies.md"


@pytest.fixture
def tour(tmp_path, monkeypatch) -> str:
    """The text of the tour, in a folder with its study."""
    text = TOUR.read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n# temperature.py\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    Path("temperature.py").write_text(code)
    return text


def test_jobs_of_a_slurm_array_merged_are_one_run(tour, monkeypatch) -> None:
    (array,) = re.findall(r"^#SBATCH --array=0-(\d)", tour, re.MULTILINE)
    (job,) = re.findall(r"^srun simspec (study run .*)$", tour, re.MULTILINE)
    assert "--rows 2000 " in job
    job = job.replace("--rows 2000 ", f"--rows {ROWS} ")  # the same, only shorter
    (merge,) = re.findall(r"^sbatch --wait campaign.sh && simspec (.*)$", tour, re.MULTILINE)
    monkeypatch.setenv("SLURM_ARRAY_TASK_COUNT", str(int(array) + 1))
    for number in range(int(array) + 1):
        monkeypatch.setenv("SLURM_ARRAY_TASK_ID", str(number))
        assert cli.main(shlex.split(os.path.expandvars(job))) == 0
    assert cli.main(shlex.split(merge)) == 0
    engine.run(find("temperature.py:study"), "alone", stop=Rows(ROWS), max_rows=ROWS)
    study = find("temperature.py:study")
    whole = engine.results(study, "campaign", stop=Rows(ROWS))
    assert plain(whole) == plain(engine.results(study, "alone", stop=Rows(ROWS)))
    assert all(r.decided and r.rows >= ROWS for r in whole)


def test_a_dask_cluster_gives_what_one_process_gives(client, tour) -> None:
    client.wait_for_workers(2, timeout=LIMIT)
    (command,) = re.findall(r"^nohup simspec (study run .*)$", tour, re.MULTILINE)
    address = client.scheduler.address
    with within(LIMIT):
        assert cli.main(shlex.split(command.replace("tcp://$HOSTNAME:8786", address))) == 0
    found = engine.results(find("temperature.py:study"), "on-dask")
    assert all(r.decided for r in found) and plain(found) == plain(engine.run(find("temperature.py:study")))
