"""What several files of tests ask of Coq is compiled once, by the first of them, whichever process it runs in.

Each file of tests gets a copy of its own, as tests write beside what is compiled.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], object]], Path]:
    """A fresh copy of the folder of a name, which the first caller has filled; a folder that failed is filled anew."""
    workers = "PYTEST_XDIST_WORKER" in os.environ  # their folders stand in one
    root = tmp_path_factory.getbasetemp().parent if workers else tmp_path_factory.mktemp("coq")

    def copy(name: str, fill: Callable[[Path], object]) -> Path:
        place = root / f"coq_{name}"
        with (root / f"coq_{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not place.exists():
                filled = tmp_path_factory.mktemp(name)
                fill(filled)
                filled.rename(place)
        return Path(shutil.copytree(place, tmp_path_factory.mktemp(name), dirs_exist_ok=True))

    return copy
