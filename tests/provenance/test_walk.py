"""What functions rest on: all that they name and read, wherever it lies."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

import simspec
from simspec.loading import names
from simspec.provenance import modules
from simspec.provenance.walk import code_of, texts_of

SOURCE = """
import json
from pathlib import Path

TABLE = Path(__file__).with_name("data") / "table.json"
ELSEWHERE = Path(__file__).parent
STEP = 2

def read():
    return json.loads(TABLE.read_text())

def scaled(factor):
    memory = {}
    def inner(x):
        memory[x] = factor * x
        return memory[x] + STEP
    return inner

def shifted(shift):
    def again(x):
        return again(x - 1) if x > 0 else shift
    return again

def f(x):
    total = sum(read())
    return scaled(3)(x) + total

twice, thrice = lambda x: 2 * x, lambda x: 3 * x
made = scaled(3)
shift = shifted(1)
"""


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """The names of a module of this text, in a folder with a data file."""
    monkeypatch.setattr("sys.path", [*sys.path])

    def load(text: str = SOURCE, folder: str = "one", data: str = "[1, 2]") -> dict[str, Any]:
        home = tmp_path / folder
        (home / "data").mkdir(parents=True, exist_ok=True)
        (home / "data" / "table.json").write_text(data)
        (home / "formulas.py").write_text(text)
        return names(str(home / "formulas.py"), "claim")

    return load


def fingerprint(*functions: Any) -> str:
    return str(code_of(functions)["fingerprint"])


def test_a_data_file_that_a_formula_reads_counts_by_its_content(written) -> None:
    before = fingerprint(written()["f"])
    assert fingerprint(written()["f"]) == before
    assert fingerprint(written(data="[1, 3]")["f"]) != before
    assert fingerprint(written(data="[1, 3]")["made"]) == fingerprint(written()["made"])  # which does not read it


def test_a_shipped_data_file_counts() -> None:
    """Each is a constant of the module that reads it, so that the convention finds it."""
    from simspec.methods.optima.stored import stored
    from simspec.studies.rdk.token_tables import read_tables
    from simspec.studies.tasc.task_record import read_tasks

    package = Path(str(simspec.__file__)).parent
    for function, name in (
        (stored, "methods/optima/optima.json"),
        (read_tables, "studies/rdk/data/token_tables.npz"),
        (read_tasks, "studies/tasc/data/tasks.json"),
    ):
        content = blake2b((package / name).read_bytes(), digest_size=8).hexdigest()
        assert any(f"content {content}" in text for text in texts_of([function])), name


def test_the_folder_does_not_count(written) -> None:
    one, two = written(folder="one"), written(folder="two")
    for name in ("f", "made", "shift", "twice"):
        assert fingerprint(one[name]) == fingerprint(two[name])
    text = SOURCE.replace("return memory[x] + STEP", "return memory[x] + STEP + len(str(ELSEWHERE))")
    assert fingerprint(written(text, "one")["f"]) == fingerprint(written(text, "two")["f"]) != fingerprint(one["f"])


RENAMED = [("total", "mass"), ("memory", "table"), ("inner", "outer"), ("again", "once_more")]


@pytest.mark.parametrize(("old", "new"), RENAMED)
@pytest.mark.parametrize("name", ["f", "made", "shift"])
def test_renaming_a_local_changes_nothing_of_what_was_made_with_it(written, name, old, new) -> None:
    assert fingerprint(written(SOURCE.replace(old, new))[name]) == fingerprint(written()[name])


CHANGED = [
    ("factor * x", "factor - x", {"f", "made"}),
    ("STEP = 2", "STEP = 3", {"f", "made"}),
    ("scaled(3)(x)", "scaled(4)(x)", {"f"}),
    ("made = scaled(3)", "made = scaled(4)", {"made"}),
    ("memory = {}", "memory = {1: 2}", {"f", "made"}),
    ("shifted(1)", "shifted(2)", {"shift"}),
    ("again(x - 1)", "again(x - 2)", {"shift"}),
    ("2 * x", "4 * x", {"twice"}),
    ("3 * x", "4 * x", set()),
    ("json.loads", "json.load", {"f"}),
]


@pytest.mark.parametrize(("old", "new", "moved"), CHANGED, ids=[new for _, new, _ in CHANGED])
def test_a_change_reaches_what_refers_to_it_and_nothing_else(written, old, new, moved) -> None:
    assert SOURCE.count(old) == 1
    before = {name: fingerprint(written()[name]) for name in ("f", "made", "shift", "twice")}
    after = {name: fingerprint(written(SOURCE.replace(old, new))[name]) for name in before}
    assert {name for name in before if before[name] != after[name]} == moved


def test_two_lambdas_of_one_line_are_told_apart(written) -> None:
    both = written()
    assert fingerprint(both["twice"]) != fingerprint(both["thrice"])
    assert fingerprint(both["twice"], both["thrice"]) != fingerprint(both["thrice"], both["twice"])


def test_a_lambda_in_a_lambda_is_itself(written) -> None:
    text = "outer = lambda x: lambda y: y + 1\ninner = outer(0)\nother = (lambda x: lambda y: y + 2)(0)\n"
    both = written(text)
    prints = [fingerprint(both[name]) for name in ("outer", "inner", "other")]
    assert len(set(prints)) == 3


CLONE = """
import sys
from simspec.claims import registry
from simspec.claims.deciding.proved import fingerprint, record
from simspec.engine.store.fingerprint import fingerprint as of_study
from simspec.studies.catalogue import catalogue
for name in ("sd.acceptance", "sqs.lossless", "tasc.bpe"):
    print(*(fingerprint(registry()[name], entry["file"]) for entry in record()["proofs"][name]))
print(of_study(catalogue()["acceptance"])["fingerprint"])
"""


def test_another_clone_has_the_same_fingerprints(tmp_path: Path) -> None:
    """A path among what counts would make every record wrong in another folder."""
    root = Path(str(simspec.__file__)).parents[1]
    ignored = shutil.ignore_patterns("__pycache__", "*.safetensors", "*.nbi", "*.nbc")
    for package in ("simspec", "proofs_check"):
        shutil.copytree(root / package, tmp_path / "clone" / package, ignore=ignored)
    printed = []
    for folder, seed in ((root, "1"), (tmp_path / "clone", "2")):
        environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", CLONE]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path)
        printed.append(done.stdout)
    assert printed[0] == printed[1] and len(printed[0].split()) >= 4


def test_no_syntax_tree_is_kept_of_a_module() -> None:
    """Hundreds of them would be gone through by every collection of garbage: a twentieth of a quick run."""
    module = modules.module_of(modules.__file__, vars(modules))
    assert module is not None and module.places
    assert {type(place) for places in module.defs.values() for place in places} == {modules.Place}
    assert (modules._parsed_statement.cache_info().maxsize or 1000) <= 64


@pytest.mark.parametrize(
    "text",
    [
        "x = 1; f = lambda: 2\n",
        "if True:\n    f = lambda: '''a\n b'''\n",
        "try:\n    pass\nfinally:\n  @staticmethod\n  def f():\n    return 1\n",
        "é = 'é'; f = lambda: 'é'  # é\n",
        "\x0c\nf = lambda: 1\n",
    ],
)
def test_a_statement_is_parsed_by_itself_wherever_it_stands(text: str) -> None:
    module = modules._module(text, "")
    assert module is not None
    place, *_ = module.defs["f"]
    statement = module.statement(place)
    ((_, shift),) = [pair for pair in module.statements_on(place.line) if pair[0] is statement]
    assert statement.lineno - len(getattr(statement, "decorator_list", ())) + shift == place.line


REPLACED = """
import sys
from simspec.claims import registry
from simspec.claims.claim import equal
from simspec.claims.deciding.in_coq import formulas_hash
from simspec.claims.select import accepted_share
claim = registry()["select.accepted-share-corrected"]
if sys.argv[1] == "function":
    accepted_share.covariance = lambda a, b: 0
if sys.argv[1] == "code":
    equal.__code__ = (lambda a, b: 0).__code__
print(formulas_hash(claim))
"""


def test_a_function_of_the_package_that_another_module_replaces_is_seen() -> None:
    """The text of its module says what it was: the record of a proof is about that."""
    hashes = [
        subprocess.run([sys.executable, "-c", REPLACED, change], capture_output=True, text=True, check=True).stdout
        for change in ("nothing", "nothing", "function", "code")
    ]
    assert hashes[0] == hashes[1] and len({*hashes}) == 3
