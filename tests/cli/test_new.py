"""`simspec new`: files that run as they are, and nothing written over."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from simspec import cli
from simspec.claims.balls import is_ball
from simspec.cli.new import KINDS
from simspec.laws import exact
from simspec.methods import acceptance_rate, output_law, tv
from simspec.methods.registry import rule
from tests.requirements import require


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_begun_runs_by_the_command_it_names(here, capsys, kind) -> None:
    for needed in ("claim", "proof") if kind == "proof" else (kind,):
        assert cli.main(["new", needed, "my-thing"]) == 0
    lines = capsys.readouterr().out.splitlines()
    written = [line for line in lines if line.startswith("written: ")][-1]
    commands = [line.removeprefix("next: ").split() for line in lines[lines.index(written) + 1 :]]
    assert (here / written.removeprefix("written: ")).is_file()
    if kind == "proof":
        require("proofs")
        from proofs_check.__main__ import main

        assert main(commands[0][3:]) == 0
        assert cli.main(["verify", "my_thing.py", "--effort", "quick"]) == 0
        assert json.loads((here / "report" / "verdicts.json").read_text())["claims"][0]["verdict"] == "derived"
        del sys.modules["my_thing"]
        return
    few = {"rates": ["--gamma", "2"], "verify": ["--effort", "quick"], "study": ["--rows", "64"]}
    for command in commands:
        assert command[0] == "simspec" and cli.main([*command[1:], *few[command[1]]]) == 0


def test_what_is_begun_ends_well_in_processes_of_its_own(here) -> None:
    """Nothing of the package is loaded before the files are: what is loaded after them is no doing of theirs."""
    require("proofs")
    assert cli.main(["new", "claim", "my-thing"]) == cli.main(["new", "proof", "my-thing"]) == 0
    for command in (("proofs_check", "my_thing_proof.py"), ("simspec", "verify", "my_thing.py", "--effort", "quick")):
        done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["my-rule", "power", "sd", "bias"])
def test_a_rule_that_is_begun_has_a_theorem_that_holds_and_exact_rates(here, name) -> None:
    assert cli.main(["new", "rule", name]) == 0
    file, variable = f"{name.replace('-', '_')}.py", name.replace("-", "_")
    assert cli.main(["verify", file, "--effort", "quick"]) == 0
    (claim,) = json.loads((here / "report" / "verdicts.json").read_text())["claims"]
    assert claim["verdict"] == "holds" and claim["checks"]["exact"]["instances"] > 50
    p, q = exact(["1/2", "1/2"]), exact(["3/4", "1/4"])
    for text in (f"{file}:{variable}", f"{file}:{variable}:1/2"):
        made = rule(text).method
        assert all(is_ball(function(made, p, q)) for function in (acceptance_rate, tv))
        assert output_law(made, p, q).sum().contains(1) and not tv(made, p, p) > 0
        assert float(acceptance_rate(made, p, q)) == pytest.approx(
            acceptance_rate(made, p.astype(float), q.astype(float))
        )


def test_the_place_is_a_file_or_a_folder(here) -> None:
    assert cli.main(["new", "rule", "soft", "--out", "sub/other.py"]) == 0
    assert cli.main(["new", "claim", "soft", "--out", "sub"]) == 0
    assert cli.main(["new", "proof", "soft", "--out", "sub"]) == 0
    assert sorted(p.name for p in (here / "sub").iterdir()) == ["other.py", "soft.py", "soft_proof.py"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rule", "My-Rule"], "NAME: 'My-Rule'; expected lower-case words with hyphens, such as my-rule"),
        (["rule", "1st"], "NAME: '1st'"),
        (["study", "for"], "NAME: 'for'"),
        (["claim", "a/b"], "NAME: 'a/b'"),
        (["claim", "taken"], "--out: taken.py exists; expected a path that does not exist yet"),
        (
            ["proof", "lone"],
            "NAME: no lone.py in .; write the claim first: `simspec new claim lone`",
        ),
    ],
)
def test_what_cannot_be_begun_writes_nothing(here, capsys, words, said) -> None:
    (here / "taken.py").write_text("kept\n")
    assert cli.main(["new", *words]) == 2
    assert said in capsys.readouterr().err
    assert [(p.name, p.read_text()) for p in here.iterdir()] == [("taken.py", "kept\n")]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("law", "invalid choice: 'law'; expected one of rule, claim, study, proof, paper"),
        ("clam", "invalid choice: 'clam', the nearest is claim; expected one of rule, claim, study, proof, paper"),
    ],
)
def test_an_unknown_kind_is_bad_usage(here, capsys, kind, message) -> None:
    with pytest.raises(SystemExit):
        cli.main(["new", kind, "mine"])
    assert message in capsys.readouterr().err
