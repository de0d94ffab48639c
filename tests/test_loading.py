"""What users bring: found in a file, a module or an installed package, and every error in one line with its place."""

from __future__ import annotations

import sys
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from simspec import loading
from simspec.loading import Place, blame, called, faults, file_of, installed, load, names, place_of


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that commands are given in, and a path of modules that is put back."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    return tmp_path


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("mine.py:power", Place("mine.py", "power")),
        ("a b/../mine.py:own.power", Place("a b/../mine.py", "own.power")),
        ("package.rules:soft", Place("package.rules", "soft")),
        *((text, None) for text in ("mine.py", "package", "9:x", "a-b:x", "/path/file:x", ":x", "")),
    ],
)
def test_places(text, place) -> None:
    assert place_of(text) == place


def test_a_file_sees_what_lies_beside_it_and_stays_unknown(here) -> None:
    (here / "sub").mkdir()
    (here / "sub" / "beside_it.py").write_text("two = 2\n")
    (here / "sub" / "mine.py").write_text("import beside_it\nfour = beside_it.two ** 2\n")
    known = set(sys.modules)
    assert load("sub/mine.py:four", "rule", int) == 4
    assert set(sys.modules) - known == {"beside_it"}
    del sys.modules["beside_it"]


def test_a_module_is_found_where_the_command_is_given(here, monkeypatch) -> None:
    (here / "brought_along.py").write_text("x = 7\n")
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p])
    assert load("brought_along:x", "rule", int) == 7
    del sys.modules["brought_along"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n1 / 0\n", "claim: mine.py cannot be loaded (ZeroDivisionError: division by zero (mine.py:2))"),
        ("def f(:\n", "claim: mine.py cannot be loaded (SyntaxError: invalid syntax (mine.py:1))"),
        (
            "import no_such\n",
            "claim: mine.py cannot be loaded (ModuleNotFoundError: No module named 'no_such' (mine.py:1))",
        ),
        (
            "\nraise SystemExit('gone')\n",
            "claim: mine.py cannot be loaded (SystemExit: gone, which would end the process (mine.py:2))",
        ),
        ("raise ValueError('two\\nlines')\n", "claim: mine.py cannot be loaded (ValueError: two (mine.py:1))"),
        ("", "claim: 'mine.py:x' is not there; expected a int, and there is none in mine.py"),
        ("y = 3\nx = None\n", "claim: 'mine.py:x' is a NoneType; expected a int, such as mine.py:y"),
        ("def x(): return 3\n", "claim: 'mine.py:x' is a function; expected a int, and there is none in mine.py"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(here, text, said) -> None:
    (here / "mine.py").write_text(text)
    with pytest.raises(ValueError) as error:
        load("mine.py:x", "claim", int)
    assert str(error.value) == said


def test_the_line_is_that_of_the_users_file_though_the_error_is_deeper(here) -> None:
    (here / "mine.py").write_text("import json\n\n\ndef x():\n    return json.loads('{')\n")
    with pytest.raises(ValueError, match=r"study: 'mine.py:x'\(\) fails \(JSONDecodeError: .*\(mine.py:5\)\)$"):
        load("mine.py:x", "study", int, arguments=())


def test_functions_are_called_where_arguments_are_given(here) -> None:
    (here / "mine.py").write_text("def x(a=1): return a + 1\ny = 3\n")
    assert load("mine.py:x", "rule", int, arguments=()) == 2
    assert load("mine.py:x", "rule", int, arguments=(5,)) == 6
    assert load("mine.py:y", "rule", int, arguments=()) == 3
    with pytest.raises(ValueError, match="'mine.py:y' is a int; expected a function of 1 numbers"):
        load("mine.py:y", "rule", int, arguments=(5,))
    with pytest.raises(ValueError, match=r"'mine.py:x'\(1, 2\) fails \(TypeError: x\(\) takes"):
        load("mine.py:x", "rule", int, arguments=(1, 2))


def test_what_packages_register_is_found_by_name(monkeypatch) -> None:
    points = {
        "simspec.rules": [EntryPoint("circle", "math:pi", "simspec.rules")],
    }
    monkeypatch.setattr(loading, "entry_points", lambda group: points.get(group, []))
    assert load("circle", "rule", float) == 3.141592653589793
    assert installed("claim") == {}
    with pytest.raises(ValueError, match="claim: 'circle'; expected FILE.py:NAME, module:NAME or an installed name"):
        load("circle", "claim", float)


def test_files_of_functions() -> None:
    here = Path(__file__)
    assert file_of(partial(partial(file_of), None)) == file_of(file_of) != here
    assert file_of(lambda: None) == here
    assert file_of(len) is file_of(3) is None


def test_faults_of_others_pass_untouched() -> None:
    with pytest.raises(ZeroDivisionError), faults("rule", Path("elsewhere/mine.py")):
        called_here = 1 // 0
        assert called_here
    with pytest.raises(ZeroDivisionError), faults("rule", len):
        assert 1 // 0
    with (
        pytest.raises(ValueError, match=r"rule fails \(ZeroDivisionError: .*\(test_loading.py:\d+\)\)"),
        faults("rule", Path(__file__)),
    ):
        assert 1 // 0


def test_blame_without_a_line() -> None:
    assert blame(ValueError("no traceback")) == "ValueError: no traceback"
    with pytest.raises(ValueError, match=r"^label fails \(TypeError: "):
        called(len, "label")
    with pytest.raises(ValueError, match="no file nowhere.py; expected FILE.py:NAME"):
        names("nowhere.py", "claim")


def test_what_a_file_defines_is_suggested_before_what_it_imports(here) -> None:
    text = "from dataclasses import replace\nx = 1\n"
    Path("mine.py").write_text(text + "def verify(p):\n    return p\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"'mine.py:x' is a int; expected a function, such as mine.py:verify$"):
        load("mine.py:x", "sampler", type(lambda: 0))
    Path("mine.py").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="such as mine.py:replace$"):
        load("mine.py:x", "sampler", type(lambda: 0))
