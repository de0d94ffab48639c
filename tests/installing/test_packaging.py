"""What an installation brings: the extras and what they are for, the size of the wheel, the page on a package index."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zlib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from simspec.checks import EXTRAS
from simspec.claims.references import works
from simspec.figures.gallery import figures
from simspec.logits.bank import SHIPPED
from simspec.studies.tasc.outputs import SHIPPED as OUTPUTS
from simspec.version import DISTRIBUTION

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NAMES = {
    "PIL": "pillow",
    "flint": "python-flint",
    "sklearn": "scikit-learn",
    "z3": "z3-solver",
    "cupy": "cupy-cuda12x",
    "IPython": "ipykernel",
}
"""Projects whose module has another name."""
IMPORT = re.compile(r"^ *(?:from|import) (\w+)[\w.]*(?: import| as|,|$)", re.MULTILINE)
ELSEWHERE = {"cupy", "IPython", "ipywidgets", "dask", "llvmlite", "markupsafe", "pytest"}
"""What only devices and notebooks need, what comes with another, or what loads this package as its plugin."""
OURS = {"simspec", "proofs_check", "tests"}
MOST = 6_000_000
"""Bytes of the wheel at most."""
ENTRY = 30 + 46 + 32
"""Bytes of a file in a wheel beside its content and its name: both of its headers there, and its line in the list of files,
whose hash does not get smaller; the name stands in each of the three."""


def projects(requirements: list[str]) -> set[str]:
    """Names of what is required; an extra that names others of ours stands for what they require."""
    found = set()
    for text in requirements:
        name, extras = re.match(r"([\w.-]+)(?:\[([^\]]*)\])?", text).groups()
        if name == PROJECT["project"]["name"]:
            for extra in extras.split(","):
                found |= projects(PROJECT["project"]["optional-dependencies"][extra])
        else:
            found.add(name)
    return found


def imported(folder: str) -> dict[str, set[str]]:
    """Modules of other projects that the files of a folder import anywhere, with the files."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        for name in IMPORT.findall(path.read_text(encoding="utf-8")):
            found.setdefault(name, set()).add(path.relative_to(ROOT).as_posix())
    return {n: p for n, p in found.items() if n not in sys.stdlib_module_names | OURS}


def wheel_files() -> list[Path]:
    """Tracked files that the configuration takes into the wheel."""
    target = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    taken = target["only-include"]
    run = subprocess.run(["git", "ls-files", "-z", *taken], cwd=ROOT, capture_output=True, text=True)
    names = run.stdout.split("\0")[:-1] or [
        p.relative_to(ROOT).as_posix()
        for name in taken
        for p in (ROOT / name, *(ROOT / name).rglob("*.*"))
        if p.is_file()
    ]
    return [ROOT / n for n in names if not any(_matches(n, pattern) for pattern in target["exclude"])]


def _matches(name: str, pattern: str) -> bool:
    return name == pattern[1:] if pattern.startswith("/") else fnmatch(Path(name).name, pattern)


def deflated(files: list[Path]) -> int:
    """Bytes of a wheel of these files; a name is twice as it is, and once among the names of all, where it gets smaller."""
    contents = sum(len(zlib.compress(path.read_bytes(), 6)) for path in files)
    names = [path.relative_to(ROOT).as_posix() for path in files]
    return contents + len(files) * ENTRY + 2 * sum(map(len, names)) + len(zlib.compress("\n".join(names).encode()))


def test_every_module_is_required_or_belongs_to_the_extra_that_messages_name() -> None:
    core = projects(PROJECT["project"]["dependencies"])
    for package in ("simspec", "proofs_check"):
        for module, files in imported(package).items():
            if module in ELSEWHERE:
                continue
            assert NAMES.get(module, module) in core or module in EXTRAS, (module, files)


@pytest.mark.parametrize("module", EXTRAS)
def test_an_extra_brings_its_module_and_the_core_does_not(module) -> None:
    name = NAMES.get(module, module)
    assert name in projects(PROJECT["project"]["optional-dependencies"][EXTRAS[module]])
    assert name not in projects(PROJECT["project"]["dependencies"])


def test_each_extra_holds_those_that_are_checked_beside_it() -> None:
    calls = [
        [str(a.value) for a in node.args[1:] if isinstance(a, ast.Constant)]
        for path in (ROOT / "simspec/cli").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "check_extra"
    ]
    assert len(calls) >= 5
    for first, *others in filter(None, calls):
        assert projects([f"{DISTRIBUTION}[{','.join([*others, first])}]"]) == projects([f"{DISTRIBUTION}[{first}]"])


def test_the_wheel_is_small_and_holds_code_and_records() -> None:
    files = wheel_files()
    names = {path.relative_to(ROOT).as_posix() for path in files}
    assert {"simspec/__init__.py", "simspec/claims/expected.json", "simspec/py.typed"} <= names
    assert not {path.suffix for path in files} & {".safetensors", ".png"}
    stored_rows = {name for name in names if name.endswith(".parquet")}
    assert stored_rows == {f"figures/data/{name}.parquet" for name in figures()}
    assert 1_000_000 < deflated(files) < MOST


def test_benchmarks_are_in_a_source_archive_and_in_no_wheel() -> None:
    targets = PROJECT["tool"]["hatch"]["build"]["targets"]
    assert not any(path.relative_to(ROOT).parts[0] == "benchmarks" for path in wheel_files())
    assert not any(pattern.strip("/").startswith("benchmarks") for pattern in targets["sdist"]["exclude"])
    assert set(targets["sdist"]) == {"exclude"}  # all else that git tracks is taken


def test_a_package_index_leads_to_the_five_papers() -> None:
    """By the addresses that `references.bib` has, version included; a label has at most 32 characters there."""
    drawers = {"rdk", "ears", "pad", "sqs", "tasc"}
    papers = {w.fields.get("keywords", "").split(" ")[0]: w.address for w in works().values()}
    given = PROJECT["project"]["urls"]
    assert given == {f"Paper: {name.upper()}": papers[name] for name in drawers}
    assert all(len(label) <= 32 and place.startswith("https://arxiv.org/abs/") for label, place in given.items())


def test_the_banks_are_a_package_that_puts_them_where_they_are_looked_for() -> None:
    folder = ROOT / "simspec/logits/data"
    made = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    put = made["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    outputs = OUTPUTS.relative_to(ROOT).as_posix()
    banks = {f"{name}.safetensors": f"simspec/logits/data/{name}.safetensors" for name in SHIPPED}
    assert put == {**banks, f"../../{outputs.removeprefix('simspec/')}": outputs}
    assert all((folder / name).is_file() for name in put)
    assert OUTPUTS not in wheel_files()


def test_a_wheel_without_banks_opens_them_once_their_package_is_beside_it(tmp_path) -> None:
    """What both wheels hold, laid side by side as an installation does; a process of its own, in another folder."""
    for path in wheel_files():
        there = tmp_path / "site" / path.relative_to(ROOT)
        there.parent.mkdir(parents=True, exist_ok=True)
        there.symlink_to(path)
    made = tomllib.loads((ROOT / "simspec/logits/data/pyproject.toml").read_text(encoding="utf-8"))
    put = made["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]["stories.safetensors"]
    code = f"""
import os, simspec
from pathlib import Path
assert Path(simspec.__file__).is_relative_to({str(tmp_path)!r})
try:
    simspec.open_bank("stories")
except ValueError as error:
    print(error)
there = Path({str(tmp_path / "site" / put)!r})
there.parent.mkdir(exist_ok=True)
there.symlink_to({str(ROOT / "simspec/logits/data/stories.safetensors")!r})
print(simspec.open_bank("stories").contexts)
"""
    env = {"PYTHONPATH": str(tmp_path / "site"), "PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin"}
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, cwd=tmp_path, check=True
    )
    said, contexts = ran.stdout.splitlines()
    command = re.search(r"in a clone of simspec, (\S+) -m pip install (\S+) brings the banks", said)
    assert command and Path(command[1]).is_absolute() and (ROOT / command[2] / "pyproject.toml").is_file()
    assert contexts == "300"


def test_on_an_index_the_page_has_no_link_that_leads_nowhere() -> None:
    (rule,) = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    made = re.sub(rule["pattern"], rule["replacement"], page)
    links = re.compile(r"\]\(([^)]*)\)")
    assert len(links.findall(page)) > 10
    assert all(target.startswith("http") for target in links.findall(made))
    assert "| The verdicts | every claim" in made
    assert re.sub(rule["pattern"], rule["replacement"], "[a](https://x.y/z)") == "[a](https://x.y/z)"
