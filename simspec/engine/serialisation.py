"""Bundles on their way to a worker: as bytes, which a scheduler passes on unopened.

The study, which every task of a run carries, is made into bytes once, and opened once in each process: what a notebook
defines takes milliseconds to pickle, and what it compiles stays compiled from one bundle to the next.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from simspec.checks import needs
from simspec.engine.batching import Worked, work_through
from simspec.engine.study import Study

__all__ = ["Packer", "work_packed"]


class Packer:
    """Makes bundles into bytes; a study that it has met is not pickled again.

    >>> study = Study("rows", "?", ({},), max)
    >>> packer = Packer()
    >>> sizes = [len(packer.pack(len, [(study, 1)] * count)) for count in (1, 9)]
    >>> sizes[1] - sizes[0] < 100  # the study is there once
    True
    >>> work_packed(packer.pack(len, [(study, 1), "task"]), 60.0).results
    [2, 4]
    """

    def __init__(self) -> None:
        self._studies: dict[int, tuple[Study, bytes]] = {}  # by identity: kept, so that no other takes its place

    def _bytes_of(self, value: object) -> bytes | None:
        """Bytes of a study, always the same object; None for whatever else."""
        if not isinstance(value, Study):
            return None
        if id(value) not in self._studies:
            (cloudpickle,) = needs("workers: more than this process", "cloudpickle")
            self._studies[id(value)] = value, cloudpickle.dumps(value)
        return self._studies[id(value)][1]

    def pack(self, work: Callable[[Any], Any], tasks: Sequence[Any]) -> bytes:
        """What `work_packed` takes."""
        (cloudpickle,) = needs("workers: more than this process", "cloudpickle")
        out = io.BytesIO()
        pickler = cloudpickle.Pickler(out)
        pickler.persistent_id = self._bytes_of
        pickler.dump((work, tasks))
        return out.getvalue()


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, pid: Any) -> Any:
        return _opened(pid)


@lru_cache(maxsize=8)
def _opened(study: bytes) -> Study:
    return pickle.loads(study)


def work_packed(bundle: bytes, seconds: float) -> Worked:
    """Open a bundle and work through it: the function that workers run."""
    work, tasks = _Unpickler(io.BytesIO(bundle)).load()
    return work_through(work, tasks, seconds)
