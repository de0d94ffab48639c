"""The fingerprint of a study's code: what changes it, and what does not."""

from __future__ import annotations

import ast
import importlib
import itertools
import os
import subprocess
import sys
import types
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simspec.engine.estimates.statistics import Mean, Share
from simspec.engine.store.fingerprint import fingerprint
from simspec.engine.study import Study
from simspec.provenance.modules import functions_at
from simspec.studies.catalogue import catalogue, find

SOURCE = '''
import math
from dataclasses import dataclass
from functools import cache
import numpy as np
from simspec import laws
from simspec.kernels import random as philox
from simspec.studies import Share, Study

BIAS = 0.5
WEIGHTS = [1.0, 2.0]
WEIGHTS.append(3.0)
FIRST, SECOND = 1, 2
_KEPT = {}
GOAL = 10

@dataclass
class Rule:
    """How it is kept."""
    slack: float = 0.25
    def keep(self, u):
        return u < self.slack

def scaled(factor):
    def decorate(function):
        def inner(u):
            return factor * function(u)
        return inner
    return decorate

@scaled(2)
def squared(u):
    return u**2

@cache
def table(size):
    return np.arange(size)

def simulate(cell, rows, device="cpu"):
    """Flip a coin."""
    u = philox.uniform(rows.key, rows.numbers, [0])[:, 0]
    if (u > 2).any():
        raise ValueError(f"u: {u}; expected less")
    p = np.array([[BIAS, 1 - BIAS]])
    kept = Rule().keep(squared(u)) * WEIGHTS[0] + laws.tv(p, p) + math.exp(FIRST) + table(3)[0]
    _KEPT[len(rows.numbers)] = [w for w in WEIGHTS if w > 1]
    return {"heads": kept > (lambda x: x + 1)(0)}

coins = Study("coins", "?", ({"bias": 0.5},), simulate, rows=10, measures={"heads": Share()})
'''


@pytest.fixture
def code(tmp_path, monkeypatch):
    """The fingerprint of a study in a file of this text."""
    monkeypatch.setattr("sys.path", [*sys.path])
    numbers = itertools.count()

    def of(text: str = SOURCE, name: str = "", **beside: str) -> dict:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        for module, content in beside.items():
            (folder / f"{module}.py").write_text(content)
            sys.modules.pop(module, None)
        path = folder / (name or "coins.py")
        path.write_text(text)
        return dict(fingerprint(find(f"{path}:coins")))

    return of


CHANGED = [
    ("BIAS = 0.5", "BIAS = 0.6", {"BIAS"}),
    ("[1.0, 2.0]", "[1.0, 2.5]", {"WEIGHTS"}),
    ("append(3.0)", "append(4.0)", {"WEIGHTS"}),
    ("= 1, 2", "= 3, 2", {"FIRST"}),
    ("slack: float = 0.25", "slack: float = 0.5", {"Rule"}),
    ("u < self.slack", "u <= self.slack", {"Rule"}),
    ("scaled(2)", "scaled(3)", {"squared"}),
    ("u**2", "u**3", {"squared"}),
    ("factor * function(u)", "factor + function(u)", {"scaled"}),
    ("np.arange(size)", "np.arange(size + 1)", {"table"}),
    ("math.exp", "np.exp", {"simulate"}),
    ("laws.tv", "laws.kl", {"simulate", "tv", "kl"}),
    ("w > 1", "w > 2", {"simulate"}),
    ("x: x + 1", "x: x + 2", {"simulate"}),
    ("(u > 2).any()", "(u > 1).any()", {"simulate"}),
    ("raise ValueError", "raise KeyError", {"simulate"}),
    ('device="cpu"', 'device="gpu"', {"simulate"}),
    ("- BIAS", "- 0.5", {"simulate"}),
    ("[0])[:, 0]", "[1])[:, 0]", {"simulate"}),
]


@pytest.mark.parametrize(("old", "new", "named"), CHANGED, ids=[new for _, new, _ in CHANGED])
def test_a_change_of_what_is_computed_changes_it_and_is_named(code, old, new, named) -> None:
    assert SOURCE.count(old) == 1
    one, two = code(), code(SOURCE.replace(old, new))
    assert one["fingerprint"] != two["fingerprint"]
    parts = {name for name in {*one["parts"], *two["parts"]} if one["parts"].get(name) != two["parts"].get(name)}
    assert named <= parts and (parts == named or "laws" in old)


SAME = [
    ("Flip a coin.", "Flip a coin, once.", "a docstring"),
    ("u = philox", "# the draws\n    u = philox", "a comment"),
    ("size):", "size: int) -> np.ndarray:", "annotations"),
    ("slack: float", "slack: 'object'", "a field's annotation"),
    ("; expected less", "; expected something below {BIAS + 1}", "the wording of an error"),
    ("import math\n", "import math, os\n", "an import"),
    ("laws.tv", "tv", "the way a name is imported"),
    ("GOAL = 10", "GOAL = 20", "a constant that nothing reads"),
    ("coins = Study(", "def unused():\n    return BIAS\n\ncoins = Study(", "a function that nothing calls"),
    ("rows=10", "rows=10, stop=None", "the goal"),
    ("numpy as np", "numpy as np  ", "blanks"),
    ("    return u**2", "    return (u\n        ** 2)", "layout"),
    ("{'heads'", "{'heads'", "nothing"),
]


@pytest.mark.parametrize(("old", "new", "what"), SAME, ids=[what for *_, what in SAME])
def test_what_cannot_change_a_value_does_not_count(code, old, new, what) -> None:
    text = SOURCE.replace(old, new).replace(
        "from simspec import laws", "from simspec import laws\nfrom simspec.laws import tv"
    )
    assert code() == code(text)


MAKER = """
from simspec.studies import Mean, Study

def made(size=2):
    numbers = [size]
    def simulate(cell, rows, device):
        return {"x": rows.numbers * 0.0 + numbers[0]}
    return Study(name="made", question="How large?", grid=({"n": 1},), simulate=simulate, summary="sizes", rows=10)

def wrapped(size=2):
    inner = made(size)
    def simulate(cell, rows, device):
        return made(size).simulate(cell, rows, device)
    return Study(name="wrapped", question="?", grid=inner.grid, simulate=simulate, rows=10)

coins = wrapped()
"""
"""A study whose simulation goes through a function that makes another study."""
OWN_STUDY = """
from simspec.studies import Study as Shipped

def Study(**fields):
    return Shipped(**fields)
"""
"""A user's own function of the name of the class."""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"How large?"', '"How large is it?"'),
        ('"How large?"', 'f"How large for {size}?"'),
        (' summary="sizes",', ""),
        ("return Study(name", "from simspec.engine.study import Study as Study\n    return Study(name"),
    ],
)
def test_the_words_of_a_study_do_not_count(code, old, new) -> None:
    assert code(MAKER.replace(old, new)) == code(MAKER)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('name="made"', 'name="other"'),
        ('{"n": 1}', '{"n": 2}'),
        ("numbers[0]", "numbers[-1]"),
    ],
)
def test_the_rest_of_the_call_counts(code, old, new) -> None:
    assert old in MAKER
    assert code(MAKER.replace(old, new))["fingerprint"] != code(MAKER)["fingerprint"]


def test_the_question_of_something_else_of_that_name_counts(code) -> None:
    """A user's own code may compute with the question: only the class of this package is known not to."""
    own = MAKER.replace("from simspec.studies import Mean, Study", "from studies import Study")
    reworded = own.replace('"How large?"', '"How large is it?"')
    assert code(own, studies=OWN_STUDY)["fingerprint"] != code(reworded, studies=OWN_STUDY)["fingerprint"]


def test_moving_code_between_files_does_not_count(code) -> None:
    start, stop = SOURCE.index("@dataclass"), SOURCE.index("def simulate")
    head = "import numpy as np\nfrom dataclasses import dataclass\nfrom functools import cache\n"
    moved = SOURCE[:start] + "from parts import squared as twice, table\nimport parts\n" + SOURCE[stop:]
    moved = moved.replace("Rule()", "parts.Rule()").replace("squared(u)", "twice(u)")
    parts = head + SOURCE[start:stop]
    assert code() == code(moved, "other name.py", parts=parts)
    edited = code(moved, parts=parts.replace("u**2", "u**3"))
    assert edited["fingerprint"] != code()["fingerprint"]
    local = moved.replace("import parts\n", "").replace('    """Flip', '    import parts\n    """Flip')
    assert code() == code(local, parts=parts)


def test_code_of_this_package_counts_wherever_it_lies(code, tmp_path, monkeypatch) -> None:
    before = code()
    assert "tv" in before["parts"] and "uniform" in before["parts"]
    laws = importlib.import_module("simspec.laws.measuring")
    text = Path(str(laws.__file__)).read_text(encoding="utf-8")
    path = tmp_path / "distances.py"
    tree = ast.parse(text)
    body = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "tv").body
    body[1:1] = ast.parse("p = p * 2").body
    edited = ast.unparse(tree)
    for content, same in ((text, True), (edited, False)):
        path.write_text(content)
        moved = types.ModuleType("simspec.metrics.distances")
        moved.__file__ = str(path)
        exec(compile(path.read_text(), str(path), "exec"), vars(moved))
        monkeypatch.setitem(sys.modules, "simspec.metrics", types.ModuleType("simspec.metrics"))
        monkeypatch.setitem(sys.modules, moved.__name__, moved)
        after = code(SOURCE.replace("from simspec import laws", "from simspec.metrics import distances as laws"))
        assert (after == before) is same


def test_two_functions_of_one_name_are_not_exchanged_unseen(code) -> None:
    text = SOURCE.replace("import numpy as np\n", "import numpy as np\nimport a, b\n", 1)
    text = text.replace("math.exp(FIRST)", "a.shift(1) - b.shift(2)")
    files = {"a": "def shift(x):\n    return x + 1\n", "b": "def shift(x):\n    return 2 * x\n"}
    exchanged = text.replace("a.shift(1) - b.shift(2)", "b.shift(1) - a.shift(2)")
    assert code(text, **files)["fingerprint"] != code(exchanged, **files)["fingerprint"]


def made(bias, weights):
    kept = {}

    def simulate(cell, rows, device):
        kept[len(kept)] = bias
        return {"y": np.full(len(rows.numbers), bias * weights[0])}

    return Study("made", "?", ({},), simulate, rows=3, measures={"y": Mean()})


def test_what_an_inner_function_closes_over_counts_and_what_it_remembers_does_not() -> None:
    one = made(0.5, [1.0])
    first = fingerprint(one)
    one.simulate({}, types.SimpleNamespace(numbers=range(3)), "cpu")
    assert fingerprint(one) == first == fingerprint(made(0.5, [1.0]))
    assert fingerprint(replace(one, simulate=lambda *a: one.simulate(*a))) != first
    assert fingerprint(made(0.6, [1.0])) != first != fingerprint(made(0.5, [2.0]))


def test_the_defaults_of_an_inner_function_count_by_their_value() -> None:
    def of(bias: float) -> str:
        study = Study("s", "?", ({},), lambda cell, rows, device, bias=bias: {"y": np.full(1, bias)})
        return str(fingerprint(study)["fingerprint"])

    assert of(0.5) == of(0.5) != of(0.6)


class Halved(Mean):
    def reduce(self, name, values):
        return super().reduce(name, values / 2)


class Thirds(Mean):
    def reduce(self, name, values):
        return super().reduce(name, values / 3)


def test_how_the_studys_own_measures_reduce_counts() -> None:
    study = made(0.5, [1.0])
    codes = [
        fingerprint(replace(study, measures={"y": m}))["fingerprint"] for m in (Mean(), Share(), Halved(), Thirds())
    ]
    assert codes[0] == codes[1] and len(set(codes)) == 3  # which of the package's it takes is in the design


def test_a_function_without_source_has_one_too() -> None:
    def of(text: str) -> str:
        space: dict = {"np": np}
        exec(text, space)
        return str(fingerprint(Study("s", "?", ({},), space["simulate"], measures={}))["fingerprint"])

    text = "def twice(x):\n    return 2 * x\ndef simulate(cell, rows, device):\n    return twice(rows)"
    assert of(text) == of(text) != of(text.replace("2 * x", "3 * x"))
    assert of(text) != of(text.replace("twice(rows)", "-twice(rows)"))


UNWRITTEN = {
    "functions that call each other": "def f(x):\n    return g(x - 1) if x else 1\ndef g(x):\n    return f(x) * 2",
    "a lambda": "f = lambda x: x * 2",
    "a partial": "from functools import partial\ndef g(x, y):\n    return x * y * 2\nf = partial(g, 3)",
    "a class": "class Twice:\n    def __call__(self, x):\n        return x * 2\nf = Twice()",
}


@pytest.mark.parametrize("text", UNWRITTEN.values(), ids=UNWRITTEN)
@pytest.mark.parametrize("file", ["<stdin>", __file__], ids=["piped to Python", "run by exec in a file"])
def test_code_that_its_file_does_not_hold_has_one_too(text, file) -> None:
    def of(text: str) -> str:
        space: dict = {"__name__": "unwritten", "__file__": file}
        exec(f"{text}\ndef simulate(cell, rows, device):\n    return f(rows)", space)
        return str(fingerprint(Study("s", "?", ({},), space["simulate"], measures={}))["fingerprint"])

    assert of(text) == of(text) != of(text.replace("2", "3"))


PIPED = """
import tempfile
import numpy as np
from simspec.engine.run import run
from simspec.studies import Mean, Study
def simulate(cell, rows, device):
    return {"x": np.full(len(rows.numbers), 0.5)}
with tempfile.TemporaryDirectory() as folder:
    print(run(Study("s", "?", ({},), simulate, rows=4, measures={"x": Mean()}), folder, max_rows=8)[0].rows)
"""


def test_a_script_that_is_piped_to_python_runs_its_study() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable], input=PIPED, capture_output=True, text=True, check=False, env=environment)
    assert (done.stdout.strip(), done.returncode) == ("8", 0), done.stderr


def test_a_file_edited_after_it_was_imported_does_not_lend_its_new_text_to_the_old_code(code, tmp_path) -> None:
    path = tmp_path / "edited.py"
    path.write_text(SOURCE)
    study = find(f"{path}:coins")
    path.write_text(SOURCE.replace("x: x + 1", "x: x + 22"))
    stale = fingerprint(study)["fingerprint"]
    assert stale not in {fingerprint(find(f"{path}:coins"))["fingerprint"], code()["fingerprint"]}


def test_it_is_the_same_in_every_process() -> None:
    script = (
        "from simspec.studies.catalogue import catalogue; from simspec.engine.store.fingerprint import fingerprint; "
        "print([fingerprint(s)['fingerprint'] for s in catalogue().values()])"
    )
    here = str([fingerprint(s)["fingerprint"] for s in catalogue().values()])
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(Path(__file__).parents[2])}
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert run.stdout.strip() == here and len(set(eval(here))) == len(catalogue())


def test_how_kernels_are_compiled_and_found_does_not_count() -> None:
    parts = set(fingerprint(catalogue()["wide-vocabulary"])["parts"])
    assert "synthetic_overlap" in parts and not parts & {"sources", "names", "__file__"}


def test_a_rule_that_a_function_makes_counts_by_its_code(tmp_path) -> None:
    text = """
from dataclasses import replace
from simspec.methods import SD
from simspec.studies import Study

def half(share):
    return replace(SD, accept=lambda p, d: share * SD.accept(p, d))

def study(method):
    def simulate(cell, rows, device):
        return method.accept(cell, half(0.5))
    return Study("s", "?", ({},), simulate)

one, two = study(half), study(half(0.25))
"""

    def codes(name: str, source: str) -> list[str]:
        path = tmp_path / f"{name}.py"
        path.write_text(source)
        return [str(fingerprint(find(f"{path}:{study}"))["fingerprint"]) for study in ("one", "two")]

    plain = codes("plain", text)
    assert codes("again", text) == plain
    assert all(a != b for a, b in zip(codes("other", text.replace("share *", "-share *")), plain, strict=True))


TWICE = """
@decorator
@decorator
def f(): return 1

def f(): return 2

f = lambda: 3; g = lambda: 4
"""


@pytest.mark.parametrize(
    ("name", "line", "returned"),
    [
        ("f", 2, [1]),
        ("f", 3, []),
        ("f", 4, []),
        ("f", 6, [2]),
        ("g", 6, []),
        ("<lambda>", 8, [3, 4]),
        ("<lambda>", 6, []),
    ],
)
def test_the_functions_that_begin_on_a_line(name, line, returned) -> None:
    """Python numbers a decorated function by its first decorator."""
    ends = [
        node.body if isinstance(node, ast.Lambda) else node.body[0].value
        for node, _ in functions_at(ast.parse(TWICE), name, line)
    ]
    assert [end.value for end in ends] == returned
