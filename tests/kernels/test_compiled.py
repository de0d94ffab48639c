"""The cache of compiled kernels: read while no kernel source has changed, and not after that."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numba")

from simspec.kernels import compiled as compiling


@pytest.fixture
def function(tmp_path: Path) -> Any:
    """A function in a file of its own, whose cache begins empty."""
    (tmp_path / "adder.py").write_text("def add(x):\n    return x + 1\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("adder", tmp_path / "adder.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.add


def hits(function: Any) -> int:
    """How often the compiled code of one call came from the cache."""
    made = compiling.compiled(function)
    assert made(1) == 2
    return sum(made.stats.cache_hits.values())


def test_a_change_of_any_kernel_source_makes_the_cache_stale(function, monkeypatch) -> None:
    assert [hits(function), hits(function)] == [0, 1]
    monkeypatch.setattr(compiling, "sources", lambda: "other sources")
    assert [hits(function), hits(function)] == [0, 1]


def test_the_hash_is_of_every_source(monkeypatch, tmp_path) -> None:
    found = []
    for text in ("one", "two", "one"):
        (tmp_path / "a.py").write_text(text)
        monkeypatch.setattr(compiling, "__file__", str(tmp_path / "compiling.py"))
        found.append(compiling.sources.__wrapped__())
    assert found[0] == found[2] != found[1]
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    assert compiling.sources.__wrapped__() != found[0]


def test_a_numba_with_another_index_compiles_without_a_cache(function, monkeypatch) -> None:
    from numba.core import caching

    class Slots(caching.IndexDataCacheFile):
        _source_stamp = property(lambda self: None, lambda self, value: None if value is None else self._refuse(value))

        def _refuse(self, value: Any) -> None:
            if isinstance(value, tuple) and value[-1] == compiling.sources():
                raise AttributeError("another index")

    monkeypatch.setattr(caching, "IndexDataCacheFile", Slots)
    assert [hits(function), hits(function)] == [0, 0]
