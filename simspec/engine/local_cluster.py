"""A Dask cluster of this machine's own processes: many of them, on few cores.

What Dask does on the side in every process, for its dashboard, takes a hundredth of a core for each worker in the driver
and three in the worker, whatever these work on; with 64 workers that is more than two cores.  Here it is done seldom or
not at all: nobody sees that dashboard.  Workers are forked from one process that has loaded what all of them need, where
the system can; else each loads it.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any

from simspec.checks import needs
from simspec.engine.liveness import WorkersLost
from simspec.engine.signals import deaf_children

__all__ = ["LOADED", "QUIET", "dask_setup", "local_client", "start_forking"]

QUIET: Mapping[str, Any] = {
    "distributed.worker.profile.enabled": False,  # samples the stack of every worker 100 times a second
    "distributed.admin.tick.interval": "1s",  # 50 times a second every process sees whether its event loop is stuck
    "distributed.admin.tick.cycle": "5s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.worker.memory.monitor-interval": "2s",
    "distributed.worker.use-file-locking": False,  # each start would look through what all others have on the disk
    "distributed.scheduler.active-memory-manager.start": False,  # no result is kept twice
    "distributed.client.scheduler-info-interval": "1 minute",
    "distributed.deploy.cluster-repr-interval": "1 minute",
    # a worker that a busy machine starts again slowly would otherwise be closed after 15 s, for good, with its new task
    "distributed.deploy.lost-worker-timeout": "1 day",
}
"""Dask's own housekeeping, as seldom as a run needs it; heartbeats and the limits of memory stay."""
LOADED = (
    "distributed",
    "simspec.engine.run",
    "simspec.studies.pairs",
    "numba",
    "distributed.http.worker",  # what follows each worker would load by itself
    "distributed.http.health",
    "distributed.http.prometheus",
    "distributed.http.statics",
    "tornado.platform.asyncio",
    "importlib_metadata",
    "email.policy",
)
"""Modules that forked workers share; those that are not there are passed over."""

EXPECTED = (
    "Failed to communicate with scheduler during heartbeat",
    "Worker process still alive after",
    "Async instruction for <Task cancelled",  # a task was under way when the run was interrupted
)
"""What Dask logs of workers that are slow to end, or at work, when all do."""
WORKER_LOGGERS = ("distributed.worker", "distributed.worker.state_machine")
"""A filter of a logger is not asked about records of the loggers below it."""


def _heeded(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith(EXPECTED)


def start_forking() -> Mapping[str, Any]:
    """Start the process from which workers are forked, and return the settings by which Dask takes it; none without one.

    It has one thread: BLAS, which reads its number of threads when it is loaded, is told so.  Where the program has such
    a process already, that one is taken, and what it lacks each worker loads.
    """
    from multiprocessing import forkserver, get_all_start_methods

    if "forkserver" not in get_all_start_methods():  # Windows
        return {}
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    variables = [name for name in names if name not in os.environ]
    os.environ.update(dict.fromkeys(variables, "1"))
    try:
        forkserver.set_forkserver_preload([*LOADED])
        forkserver.ensure_running()
    finally:
        for name in variables:
            del os.environ[name]
    return {"distributed.worker.multiprocessing-method": "forkserver"}


def dask_setup(worker: Any) -> None:
    """In a new worker: what was loaded before it was forked takes note of the number of threads that it was given.

    That the scheduler ends first is nothing to tell: where it is lost in a run, the driver says so.
    """
    for name in WORKER_LOGGERS:
        logging.getLogger(name).addFilter(_heeded)
    if "numba" in sys.modules:
        from numba.core import config

        reload: Any = config.reload_config
        reload()


def local_client(stack: ExitStack, workers: int) -> Any:
    """A client of a new cluster: processes, one task at a time each, which share out the cores among their compiled loops.

    The process that they are forked from loads what it needs while this one does.
    """
    with deaf_children():
        forking = start_forking() if find_spec("distributed") else {}
    dask, distributed = needs("workers: more than this process", "dask", "distributed")
    stack.enter_context(dask.config.set(QUIET))
    stack.enter_context(dask.config.set(forking))
    share = str(max(1, (os.cpu_count() or 1) // workers))
    nannies = logging.getLogger("distributed.nanny")
    nannies.addFilter(_heeded)
    stack.callback(nannies.removeFilter, _heeded)
    scratch = stack.enter_context(TemporaryDirectory(prefix="simspec-", ignore_cleanup_errors=True))
    settings = {
        "n_workers": workers,
        "threads_per_worker": 1,
        "processes": True,
        "dashboard_address": "127.0.0.1:0",
        "env": {"NUMBA_NUM_THREADS": share},
        "preload": [__name__],
        "local_directory": scratch,
    }
    with deaf_children(), _started():
        cluster = stack.enter_context(distributed.LocalCluster(**settings))
        return stack.enter_context(distributed.Client(cluster))


@contextmanager
def _started() -> Iterator[None]:
    """What Dask raises where one of its own processes (a nanny, the fork server, its tracker) dies while workers start."""
    try:
        yield
    except (OSError, EOFError, RuntimeError, TimeoutError) as error:
        reason = f"{type(error).__name__}: {error}".split("\n")[0].rstrip(": ")
        raise WorkersLost(
            f"workers: a Dask process ended while the workers started ({reason}); run the same command again, "
            "or use --workers 1 to run in this process"
        ) from error
