"""The cache of compiled kernels: read while no kernel source has changed, and not after that."""

from __future__ import annotations

import importlib.util
import os
import pickle
import subprocess
import sys
import time
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


def test_a_cache_of_other_sources_that_names_a_class_which_is_gone_is_stale(function, monkeypatch) -> None:
    """Numba unpickles an index of its own version whole before it asks whether it is stale."""
    made = compiling.compiled(function)
    path = Path(made._cache._cache_file._index_path)
    assert made(1) == 2
    gone = b"csimspec.kernels.compiled\nGone\n."
    version = pickle.loads(path.read_bytes())
    path.write_bytes(pickle.dumps(version) + gone)
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


@pytest.mark.parametrize("kind", [".nbi", ".nbc"])
@pytest.mark.parametrize("broken", [b"", b"\x80", b"no pickle"])
def test_a_file_of_the_cache_that_was_not_written_whole_is_compiled_again(function, kind, broken) -> None:
    assert hits(function) == 0
    folder = Path(compiling.compiled(function)._cache.cache_path)
    paths = list(folder.glob(f"adder.add-*{kind}"))
    assert paths
    for path in paths:
        path.write_bytes(broken)
    assert [hits(function), hits(function)] == [0, 1]


def test_code_without_an_object_is_used_and_compiled_again_by_the_next_process(function, monkeypatch) -> None:
    """As after Ctrl-C within LLVM's call-back, which Python only reports: the library then has no object to save."""
    from numba.core.codegen import CodeLibrary

    def refuse(self: Any) -> bytes:
        raise RuntimeError("no compiled object yet for this library")

    with monkeypatch.context() as interrupted:
        interrupted.setattr(CodeLibrary, "_get_compiled_object", refuse, raising=False)
        for library in CodeLibrary.__subclasses__():
            interrupted.setattr(library, "_get_compiled_object", refuse, raising=False)
        assert hits(function) == 0
    assert [hits(function), hits(function)] == [0, 1]


def test_what_has_no_wrapper_refuses_a_call_from_python(function) -> None:
    """Before it is compiled and after that, when Numba would jump to address 0."""
    import numba

    made = compiling.inner(function)
    for _ in range(2):
        with pytest.raises(TypeError, match="add: called from Python"):
            made(1)
        assert numba.njit(lambda x: made(x))(1) == 2
    assert made.signatures == [(numba.int64,)]


def address(made: Any) -> int:
    """Where the machine code of a function of one integer stands; 0 for nowhere."""
    (one,) = made.overloads.values()
    return one.library.get_pointer_to_function(one.fndesc.llvm_func_name)


def test_what_kernels_alone_call_is_machine_code_in_them_alone(function) -> None:
    import numba
    from numba.extending import register_jitable

    made = compiling.inner(function)
    other = numba.njit(function)
    tops = [numba.njit(lambda x: made(x)), numba.njit(lambda x: made(made(x))), numba.njit(lambda x: other(x))]
    assert [top(1) for top in tops] == [2, 3, 2]
    assert address(made) == 0 and all(map(address, [other, *tops]))

    taught = register_jitable(**compiling.inner_options())(lambda x: x + 1)
    assert numba.njit(lambda x: taught(taught(x)))(1) == 3


def test_a_constant_is_no_other_type_than_a_variable(function) -> None:
    import numba

    made = compiling.compiled(function)
    assert numba.njit(lambda x: made(1) + made(x))(2) == 5
    assert made.signatures == [(numba.int64,)]


RACER = """
import sys, time
sys.path.insert(0, {folder!r})
import adder
from simspec.kernels.compiled import compiled
made = compiled(adder.add)
work = made._compiler.compile
made._compiler.compile = lambda *what: (time.sleep(1), work(*what))[1]
print("ready", flush=True)
sys.stdin.readline()
assert made(1) == 2
print(sum(made.stats.cache_misses.values()))
"""


def test_processes_that_start_together_compile_once(function, tmp_path) -> None:
    code = RACER.format(folder=str(tmp_path))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    racers = [subprocess.Popen(command, env=env, **pipes) for _ in range(2)]
    assert all(racer.stdout.readline() == "ready\n" for racer in racers)
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    assert sorted(racer.communicate()[0] for racer in racers) == ["0\n", "1\n"]


def test_one_that_waits_in_vain_compiles_itself(function, monkeypatch) -> None:
    made = compiling.compiled(function)
    lock = Path(made._cache._cache_file._index_path).with_suffix(".lock")
    other = os.open(lock, os.O_RDWR | os.O_CREAT)
    assert compiling._taken(other)
    waits, sleep = [], time.sleep
    monkeypatch.setattr(compiling.time, "sleep", lambda seconds: waits.append(seconds) or sleep(seconds))
    monkeypatch.setattr(compiling, "PATIENCE", 0.1)
    assert made(1) == 2 and waits
    os.close(other)
    assert made(1.5) == 2.5 and not compiling._held


def test_a_kernel_within_itself_does_not_wait_for_itself(tmp_path) -> None:
    lock = tmp_path / "a.lock"
    with compiling._locked(lock), compiling._locked(lock):
        assert compiling._held == {lock}
    assert not compiling._held


def test_a_folder_that_cannot_be_written_needs_no_lock(tmp_path) -> None:
    with compiling._locked(tmp_path / "none" / "a.lock"):
        pass
