"""Tests on every Python at hand and with the lowest allowed versions of the dependencies: `python -m tests.matrix`.

Each environment is made anew under `build/matrix`, and a selection of tests runs in it; one line says how each ended.  The
lowest versions are the lower bounds of `pyproject.toml`, on the oldest Python at hand.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "matrix"
MINORS = range(11, 20)
"""Minor versions of Python 3 that are looked for; the first is the oldest allowed one."""
EXTRAS = ("completion", "figures", "studies", "verify")
"""Extras that are installed together, beside pytest and Hypothesis: bounds that contradict each other fail here, too."""
TOOLS = ("pytest", "pytest-xdist", "hypothesis")
TESTS = (
    "tests/laws",
    "tests/methods",
    "tests/test_import.py",
    "tests/html",
    "tests/cli/test_completion.py",
    "tests/engine/show/test_frames.py",
)
OUTDATED = ("ignore:In future, it will be an error for 'np.bool' scalars:DeprecationWarning",)
"""Warnings of old versions about what new ones refuse, where simspec refuses it too: NumPy 2.0 warns where a truth value is
given as an integer, before `simspec.checks.whole_number` raises its error."""


def lowest(requirements: Iterable[str]) -> list[str]:
    """Pins of requirements to their lower bounds; those without one stay as they are.

    >>> lowest(["numpy>=2.0", "rich>=13,<15", "jinja2"])
    ['numpy==2.0', 'rich==13', 'jinja2']
    """
    pins = []
    for text in requirements:
        requirement = Requirement(text)
        bounds = [s.version for s in requirement.specifier if s.operator in (">=", "==", "~=")]
        pins.append(f"{requirement.name}=={bounds[0]}" if bounds else text)
    return pins


def required(project: Mapping[str, Any], extras: Sequence[str]) -> list[str]:
    """What the project and its extras require of others, extras of extras included, each once.

    >>> project = {"name": "own", "dependencies": ["a>=1"], "optional-dependencies": {"x": ["own[y]", "b>=2"], "y": ["c"]}}
    >>> required(project, ["x"])
    ['a>=1', 'c', 'b>=2']
    """
    requirements = list(project["dependencies"])
    for extra in extras:
        for text in project["optional-dependencies"][extra]:
            requirement = Requirement(text)
            if requirement.name == project["name"]:
                requirements += required({**project, "dependencies": []}, sorted(requirement.extras))
            else:
                requirements.append(text)
    return list(dict.fromkeys(requirements))


def pythons() -> list[str]:
    """Commands of the Pythons at hand that can make environments, the oldest first."""
    commands = [command for minor in MINORS if (command := shutil.which(f"python3.{minor}"))]
    return [
        c for c in commands if subprocess.run([c, "-c", "import ensurepip, venv"], capture_output=True).returncode == 0
    ]


def environment(python: str, name: str, requirements: Sequence[str]) -> Path:
    """A new environment with these requirements and simspec; returns its Python.

    Raises
    ------
    ChildProcessError
        where it cannot be made, with the last line that was printed.
    """
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    inside = folder / "bin" / "python"
    pip = [str(inside), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    commands = (
        [python, "-m", "venv", str(folder)],
        [*pip, *requirements, *TOOLS],
        [*pip, "--no-deps", "--editable", str(ROOT)],
    )
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise ChildProcessError(last_line(done.stdout + done.stderr))
    return inside


def last_line(text: str) -> str:
    """The last line with something in it.

    >>> last_line("collected\\n3 passed in 0.1s\\n\\n")
    '3 passed in 0.1s'
    """
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip("= ") if lines else ""


def outcome(python: str, name: str, requirements: Sequence[str], tests: Sequence[str]) -> tuple[bool, str]:
    """Whether the tests pass in an environment, and the line that says so."""
    try:
        inside = environment(python, name, requirements)
    except ChildProcessError as error:
        return False, f"not installed: {error}"
    command = [str(inside), "-m", "pytest", "-q", *(f"-W{text}" for text in OUTDATED), *tests]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.returncode == 0, last_line(done.stdout + done.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests in every environment; 0 where all pass, 1 where some do not, 2 where no Python is at hand."""
    tests = list(sys.argv[1:] if arguments is None else arguments) or list(TESTS)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = required(project, EXTRAS)
    commands = pythons()
    if not commands:
        print(f"matrix: no Python >= 3.{MINORS[0]} with venv found", file=sys.stderr)
        return 2
    runs = [(command, Path(command).name, requirements) for command in commands]
    runs.append((commands[0], f"{Path(commands[0]).name}-lowest", lowest(requirements)))
    passed = []
    for command, name, versions in runs:
        is_green, line = outcome(command, re.sub(r"[^\w.-]", "", name), versions, tests)
        print(f"{name:20} {line}", flush=True)
        passed.append(is_green)
    return 0 if all(passed) else 1


if __name__ == "__main__":
    raise SystemExit(main())
