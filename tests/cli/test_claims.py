"""`simspec claims new`: stubs that run, at the paths of their id; nothing is written for a bad one."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from simspec import claims, cli
from simspec.claims import sd
from simspec.cli.new import clone as new_claim
from tests.requirements import require


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that looks like a clone of the repository."""
    for folder in ("simspec", "proofs_check", "tests"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(new_claim, "ROOT", tmp_path)
    return tmp_path


def load(root: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module from a file, under the name that it has in the repository."""
    name = path.removesuffix(".py").replace("/", ".")
    spec = importlib.util.spec_from_file_location(name, root / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


def test_the_stubs_run(clone, monkeypatch, capsys) -> None:
    assert cli.main(["claims", "new", "sd.my-claim"]) == 0
    said = capsys.readouterr().out
    paths = ["simspec/claims/sd/my_claim.py", "proofs_check/sd/my_claim.py", "tests/claims/sd/test_my_claim.py"]
    assert sorted(p.relative_to(clone).as_posix() for p in clone.rglob("*.py")) == sorted(paths)
    assert said.startswith("".join(f"written: {path}\n" for path in paths))
    line = next(line for line in said.splitlines() if line.startswith("    ("))
    assert "CONTENTS of simspec/claims/sd/__init__.py" in said

    claim = load(clone, paths[0], monkeypatch).MY_CLAIM
    monkeypatch.setattr(sd, "CONTENTS", (*sd.CONTENTS, *ast.literal_eval(f"[{line.strip()}]")))
    monkeypatch.setattr(claims, "_listed", claims._listed.__wrapped__)  # not the one that is kept
    assert claims.registry.__wrapped__()["sd.my-claim"] is claim


def test_the_stubbed_test_passes(clone, monkeypatch) -> None:
    claim, _, test = new_claim.write_stubs("rdk.my-claim", clone)[:3]
    load(clone, claim.removeprefix("written: "), monkeypatch)
    module = load(clone, test.removeprefix("written: "), monkeypatch)
    module.test_by_hand()
    module.test_breaking_a_formula_breaks_the_claim()


def test_the_stubbed_proof_checks_and_fails_when_mutated(clone, monkeypatch) -> None:
    require("proofs")
    from proofs_check.checking.proof import check, disagreement, instances
    from proofs_check.rules.derivation import Unproved

    claim, proof, _ = new_claim.stubs("rdk.my-claim")
    new_claim.write_stubs("rdk.my-claim", clone)
    load(clone, claim, monkeypatch)
    stub = load(clone, proof, monkeypatch).PROOF
    derived = check(stub)
    assert all(disagreement(stub, derived, instance) is None for instance in instances(stub.claim, 3))
    assert len(stub.mutations) == 3
    for name in stub.mutations:
        with pytest.raises(Unproved):
            check(stub, name)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.my-claim"], "ID: 'nowhere.my-claim'; expected an id that begins with one of sd, rdk"),
        (["rdk.worst-case"], "ID: 'rdk.worst-case' is taken; expected an id that no claim has"),
        (["rdk.my-claim-sharp"], "a correction or a sharper form belongs in the file of rdk.my-claim"),
        *(
            ([name], f"ID: {name!r}; expected the name of a paper, a dot")
            for name in ("rdk", "rdk.", "rdk.My-claim", "rdk.my_claim")
        ),
        *(
            ([name], f"ID: {name!r}; expected the name of a paper, a dot")
            for name in ("rdk.my--claim", "rdk.1st", "rdk.a.b", "rdk.if")
        ),
        ([], "new: ''; expected one id such as"),
        (["rdk.a", "rdk.b"], "new: 'rdk.a rdk.b'; expected one id such as"),
        (["rdk.a", "--json"], "new: 'rdk.a'; expected one id such as rdk.my-claim, and no option"),
    ],
)
def test_a_bad_id_is_refused_and_writes_nothing(clone, capsys, words, said) -> None:
    assert cli.main(["claims", "new", *words]) == 2
    assert said in capsys.readouterr().err
    assert list(clone.rglob("*.py")) == []


def test_no_file_is_written_over(clone) -> None:
    path = clone / "tests/claims/rdk/test_my_claim.py"
    path.parent.mkdir(parents=True)
    path.write_text("kept", encoding="utf-8")
    with pytest.raises(
        ValueError, match="tests/claims/rdk/test_my_claim.py exists; expected an id whose files do not exist yet"
    ):
        new_claim.write_stubs("rdk.my-claim", clone)
    assert list(clone.rglob("*.py")) == [path] and path.read_text(encoding="utf-8") == "kept"


def test_outside_of_a_clone_nothing_is_written(tmp_path) -> None:
    with pytest.raises(ValueError, match="is not a clone of the repository with its tests; expected to run in a clone"):
        new_claim.write_stubs("rdk.my-claim", tmp_path)
    assert list(tmp_path.iterdir()) == []
