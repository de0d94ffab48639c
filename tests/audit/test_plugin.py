"""The plugin in a project of its own: fixtures, marker, the words of a failure, and what pytest loads when it starts."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = """
import pytest
from simspec.audit.reference import speculative

pytestmark = pytest.mark.audit(gamma=1, vocab=2, calls=2000, tv_limit=0.3)

def stale(p, q, n, rng):
    return speculative(p * 0 + p[:1], q, n, rng)

def test_lossless(assert_lossless):
    assert assert_lossless(speculative).calls > 2000

@pytest.mark.audit(calls=1000, edges=False)
def test_biased(assert_lossless, law_pairs):
    assert {pair.gamma for pair in law_pairs} == {1} and {pair.vocab for pair in law_pairs} == {2}
    assert_lossless(stale)

def test_another_form(assert_lossless, law_pairs):
    def verify(p, q, drafts, rng):
        return speculative(p[0], q[0], len(drafts), rng)
    assert_lossless(verify, form="numpy", pairs=law_pairs[:1], calls=500, tv_limit=0.4)

@pytest.mark.audit(3)
def test_bad_marker(law_pairs): ...
"""
START = """
import sys
def test_nothing_is_loaded(law_pairs):
    assert law_pairs[0].gamma == 2 and not {"numba", "scipy", "torch"} & LOADED
LOADED = {m.partition(".")[0] for m in sys.modules}
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Pytest in a folder, with this plugin and no other."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SIMSPEC_"))}
    environment = inherited | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "simspec.audit.plugin",
        "-p",
        "no:cacheprovider",
        "--strict-markers",
    ]
    return subprocess.run(
        [*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


def test_fixtures_and_marker(tmp_path) -> None:
    (tmp_path / "test_mine.py").write_text(TESTS)
    (tmp_path / "test_start.py").write_text(START)
    done = run(tmp_path, "-W", "error", "--junit-xml", "out.xml")
    assert done.returncode == 1 and "1 failed, 3 passed, 1 error" in done.stdout
    assert "biased by TV" in done.stdout and "target p = [(" in done.stdout
    assert "audit: 3 has no name; expected named settings such as gamma=2" in done.stdout
    xml = (tmp_path / "out.xml").read_text()
    assert '<property name="verdict" value="lossless"' in xml and '<property name="verdict" value="biased"' in xml


def test_a_session_without_an_audit_loads_no_numpy(tmp_path) -> None:
    """Negative control: a session in which the fixture is asked for loads it."""
    text = "import sys\n\ndef test_it({}):\n    assert 'numpy' not in sys.modules\n"
    (tmp_path / "test_plain.py").write_text(text.format(""))
    (tmp_path / "test_pairs.py").write_text(text.format("law_pairs"))
    assert run(tmp_path, "test_plain.py").returncode == 0
    assert run(tmp_path, "test_pairs.py").returncode == 1


def test_the_marker_is_listed(tmp_path) -> None:
    assert "@pytest.mark.audit(gamma=2, vocab=3, edges=True, **settings)" in run(tmp_path, "--markers").stdout


def test_pytest_finds_the_plugin() -> None:
    points = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]["pytest11"]
    assert points == {"simspec": "simspec.audit.plugin"}
