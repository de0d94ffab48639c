"""Deciding many claims on several processes; a claim's record does not depend on where it is made.

Empirical claims whose studies stand in one module share their simulations, and those of a folder in `READERS` their
texts, so they go to one process together; all others go alone.  A few that need exact arithmetic only go first: they are
decided while kernels are compiled.  A process is handed the run's data once and keeps it: banks are opened, and the laws of
their contexts made, once in a process and not once a claim.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from simspec.claims.chosen import Chosen, found
from simspec.claims.claim import Claim
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.spending import CLOCK
from simspec.engine.signals import deaf_children, end_with_parent

__all__ = ["decide_apart", "environment", "tasks"]

FIRST = 8
"""Claims on exact numbers alone that go before the longest work."""
ALLOCATION = {"MALLOC_MMAP_THRESHOLD_": str(2**30), "MALLOC_TRIM_THRESHOLD_": str(2**29)}
"""The C library (glibc; others do not read these) keeps what an array has left for the next one.  Given back and asked for
again, every page of an array of some MB is zeroed anew by the kernel: a third of the time of what is measured."""
READY = "simspec.claims.ready"
"""What the server has loaded."""
READERS = ("simspec.claims.tasc",)
"""Folders whose studies read the sources of the standard library: parsing these takes two seconds in each process."""
Decide = Callable[[Chosen, Data], dict[str, Any]]


def tasks(claims: Sequence[Claim]) -> list[tuple[str, ...]]:
    """Ids that go to one process together: a few that are decided at once, the longest work, and all others.

    >>> from simspec.claims import find
    >>> tasks(find(["sd.acceptance", "rdk.two-events-sharp.attained", "rdk.t-fit", "rdk.student-t-logits.gpt2"]))
    [('rdk.two-events-sharp.attained',), ('rdk.t-fit', 'rdk.student-t-logits.gpt2'), ('sd.acceptance',)]
    """
    together: dict[str, list[str]] = {}
    first: list[tuple[str, ...]] = []
    alone: list[tuple[str, ...]] = []
    for claim in claims:
        if claim.finding is not None:
            module = claim.finding.study.__module__
            place = next((folder for folder in READERS if module.startswith(f"{folder}.")), module)
            together.setdefault(place, []).append(claim.name)
        elif len(first) < FIRST and not {"float", "real"} & {*claim.sources} and claim.evidence is None:
            first.append((claim.name,))
        else:
            alone.append((claim.name,))
    return [*first, *map(tuple, together.values()), *alone]


def decide_apart(choices: Sequence[Chosen], data: Data, workers: int, decide: Decide) -> Iterator[dict[str, Any]]:
    """Records of claims, in the order in which they are decided by a function of the top level of a module.

    A process finds each claim anew, by its id or in its file; what is in no file is decided here, at the end.

    Raises
    ------
    ChildProcessError
        when a process was killed, for example for memory.
    """
    context = _context()
    common = 0.0
    places = {c.claim.name: c.reference for c in choices if c.reference is not None}
    apart = tasks([c.claim for c in choices if c.reference is not None])
    fresh = replace(data)  # an open bank stays here; each process opens its own
    threads = max(1, (os.cpu_count() or 1) // workers)
    surroundings = {**os.environ, **_unset_variables(threads)}
    with ProcessPoolExecutor(workers, context, _begin, (surroundings, fresh)) as pool:
        try:
            with environment(threads), deaf_children():
                batches = [([places[n] for n in names], CLOCK.is_tracing) for names in apart]
                futures = [pool.submit(_each, decide, *batch) for batch in batches]
            for future in as_completed(futures):
                records, seconds, before = future.result()
                CLOCK.add(seconds)
                CLOCK.add({"start": max(0.0, before - common)})  # spent once, for all processes
                common = max(common, before)
                yield from records
        except BrokenProcessPool:
            raise ChildProcessError(
                "workers: a process was killed, possibly for lack of memory; rerun with --workers 1"
            ) from None
        except BaseException:
            for child in multiprocessing.active_children():
                child.terminate()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    yield from (decide(c, data) for c in choices if c.reference is None)


@contextmanager
def environment(threads: int) -> Iterator[None]:
    """Processes that start meanwhile have so many threads each, and keep memory: libraries read these names when they are
    loaded."""
    variables = _unset_variables(threads)
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            del os.environ[name]


def _unset_variables(threads: int) -> dict[str, str]:
    """Names that are not set already."""
    names = ("NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
    return {n: v for n, v in {**dict.fromkeys(names, str(threads)), **ALLOCATION}.items() if n not in os.environ}


def _context() -> Any:
    """Processes forked from a server that has loaded what all need; where there is no such server, begun from nothing.

    The server is started once in a program, before it has any thread, and ends with the program.
    """
    if not sys.platform.startswith("linux"):
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([READY])
    return context


_data: list[Data] = []
"""That of this process's run: one object, which holds what it has opened."""


def _begin(variables: Mapping[str, str], data: Data) -> None:
    """A process begins: the server may have been started in another environment than the program has now."""
    os.environ.clear()
    os.environ.update(variables)
    _data[:] = [data]
    end_with_parent()


def _each(
    decide: Decide, references: Sequence[str], watched: bool
) -> tuple[list[dict[str, Any]], dict[str, float], float]:
    """Records, what they took of this process's time, and what the server it comes from had taken before."""
    if watched:
        CLOCK.trace_loading()
    before = getattr(sys.modules.get(READY), "SECONDS", 0.0)
    return [decide(found(reference), _data[0]) for reference in references], CLOCK.take(), before
