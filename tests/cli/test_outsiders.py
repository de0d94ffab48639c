"""What a user's code may not do to a command: end it with a status of its own, yield, or replace what it works with."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from simspec import cli
from tests.requirements import require

BEGIN = """
import builtins
import os
import sys

import numpy as np

from simspec.claims.authoring import bound
from simspec.methods import SD, names


def pair(draw):
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


"""
CALLED = {
    "sys.exit(0)": "SystemExit: 0, which would end the process (mine.py:18)",
    "quit()": "SystemExit: None, which would end the process (mine.py:18)",
    "os._exit(0)": "SystemExit: os._exit(0), which would end the process (mine.py:18)",
    "os.execlp('true', 'true')": "which would end the process (mine.py:18)",
    "raise GeneratorExit": "GeneratorExit (mine.py:18)",
    "raise StopIteration": "StopIteration",
    "yield p": "a generator",
    "np.minimum = np.maximum": "replaces numpy.minimum; expected names of its own (what was there is put back)",
    "builtins.print = lambda *words, **how: None": "replaces builtins.print; expected",
    "names.RULES['sd'] = names.RULES['uniform']": "replaces simspec.methods.names.RULES['sd']; expected",
}
RULE = "def keep(p, d):\n    {}\n    return p / 2\n\n\nrule = SD._replace(keep=keep)\n"
CLAIM = (
    "def lhs(p, q):\n    {}\n    return 0\n\n\n"
    'CLAIM = bound(name="own.ends", statement="", reference="", instances=pair, lhs=lhs, rhs=lambda: 1)\n'
)


@pytest.fixture(autouse=True, scope="module")
def libraries() -> None:
    """Numba is loaded: a replaced `print` would break its first import for all tests that follow."""
    import_module("numba")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    np.savez("pairs.npz", p=[[0.5, 0.5], [0.25, 0.75]], q=[[0.75, 0.25], [0.5, 0.5]])
    return tmp_path


def write(here: Path, text: str) -> None:
    (here / "mine.py").write_text(BEGIN + text, encoding="utf-8")


@pytest.mark.parametrize("code", CALLED)
def test_a_rule_does_not_end_a_command(here, capsys, code) -> None:
    write(here, RULE.format(code))
    assert cli.main(["rates", "pairs.npz", "--rule", "mine.py:rule"]) == 2
    said = capsys.readouterr()
    assert said.err.splitlines()[-1].startswith("simspec: error: ") and CALLED[code] in said.err.splitlines()[-1]
    assert np.minimum(1, 2) == 1 and print.__module__ == "builtins"


@pytest.mark.parametrize("code", ["sys.exit(0)", "os._exit(0)", "yield SD", "return rule"])
def test_neither_does_a_function_of_numbers(here, capsys, code) -> None:
    write(here, f"def rule():\n    {code}\n")
    assert cli.main(["rates", "pairs.npz", "--rule", "mine.py:rule"]) == 2
    assert "rule: 'mine.py:rule'" in capsys.readouterr().err


@pytest.mark.parametrize("code", CALLED)
def test_a_claim_does_not_end_a_command(here, capsys, code) -> None:
    write(here, CLAIM.format(code))
    assert cli.main(["verify", "mine.py", "--effort", "quick"]) == 2
    assert CALLED[code] in capsys.readouterr().err


@pytest.mark.parametrize("code", ["sys.exit(0)", "os._exit(0)", "np.minimum = np.maximum"])
@pytest.mark.parametrize(
    "command", ["verify mine.py", "rates pairs.npz --rule mine.py:rule", "study run mine.py:study"]
)
def test_nothing_does_while_it_is_loaded(here, capsys, command, code) -> None:
    write(here, code)
    assert cli.main(command.split()) == 2
    assert "mine.py" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("code", ["sys.exit(0)", "os._exit(0)", "raise GeneratorExit", "yield 1"])
def test_a_study_does_not_end_a_command(here, capsys, code) -> None:
    assert cli.main(["new", "study", "ends"]) == 0
    text = (here / "ends.py").read_text(encoding="utf-8")
    (here / "ends.py").write_text(
        text.replace("    z = ", f"    import os, sys\n    {code}\n    z = "), encoding="utf-8"
    )
    assert cli.main(["study", "run", "ends.py:ends", "--rows", "64"]) == 1
    assert "failed" in capsys.readouterr().err


@pytest.mark.parametrize("code", ["sys.exit(0)", "os._exit(0)"])
def test_a_statement_does_not_end_a_check_of_its_proof(here, capsys, code) -> None:
    require("proofs")
    from proofs_check.__main__ import main

    for kind in ("claim", "proof"):
        assert cli.main(["new", kind, "ends"]) == 0
    text = (here / "ends.py").read_text(encoding="utf-8")
    (here / "ends.py").write_text(
        text.replace("    p, q = ", f"    import os, sys\n    {code}\n    p, q = "), encoding="utf-8"
    )
    assert main(["ends_proof.py"]) == 2
    assert "is ended by code of yours" in capsys.readouterr().err
    del sys.modules["ends"]


def test_code_that_does_none_of_it_is_left_alone(here) -> None:
    write(here, RULE.format("pass").replace("p / 2", "np.minimum(p, d)"))
    assert cli.main(["rates", "pairs.npz", "--rule", "mine.py:rule"]) == 0
