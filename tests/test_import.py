"""`import simspec` loads NumPy and nothing heavier; what is heavy comes when it is first used."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("scipy", "numba", "torch", "transformers", "matplotlib", "rich", "jinja2", "flint", "sympy", "safetensors")


def loaded(statement: str) -> set[str]:
    """Top-level modules that a fresh interpreter holds after a statement."""
    code = f"import sys\n{statement}\nprint(*sorted({{m.partition('.')[0] for m in sys.modules}}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "statement",
    ["import simspec", "import simspec; simspec.laws, simspec.methods, simspec.logits", "import simspec.kernels"],
)
def test_nothing_heavy_is_loaded(statement) -> None:
    assert loaded(statement).isdisjoint(HEAVY)


def test_a_heavy_import_would_be_seen() -> None:
    assert "scipy" in loaded("import simspec, scipy")


def test_small_arrays_need_no_compiled_kernel() -> None:
    assert "numba" not in loaded(
        "import numpy as np; from simspec.laws import tv_from_logits; tv_from_logits(np.zeros(3), np.ones(3))"
    )


def test_an_unknown_name_is_an_attribute_error() -> None:
    import simspec

    with pytest.raises(AttributeError, match="module 'simspec' has no attribute 'nothing'"):
        _ = simspec.nothing
    assert set(dir(simspec)) == set(simspec.__all__)
