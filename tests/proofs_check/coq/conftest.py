"""What several files of tests ask of Coq is compiled once; each gets a copy of its own, as tests write beside it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def compiled_once(filled, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], object]], Path]:
    """A fresh copy of the folder of a name, which the first caller has filled."""

    def copy(name: str, fill: Callable[[Path], object]) -> Path:
        place = filled(f"coq_{name}", fill)
        return Path(shutil.copytree(place, tmp_path_factory.mktemp(name), dirs_exist_ok=True))

    return copy
