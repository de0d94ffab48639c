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
    [
        "import simspec",
        "import simspec; simspec.laws, simspec.methods, simspec.logits",
        "import simspec.kernels",
        "import simspec; simspec.SD, simspec.ears, simspec.rule, simspec.Study",
    ],
)
def test_nothing_heavy_is_loaded(statement) -> None:
    assert loaded(statement).isdisjoint(HEAVY)


def test_a_heavy_import_would_be_seen() -> None:
    assert "scipy" in loaded("import simspec, scipy")


def test_small_arrays_need_no_compiled_kernel() -> None:
    assert "numba" not in loaded(
        "import numpy as np; from simspec.laws import tv_from_logits; tv_from_logits(np.zeros(3), np.ones(3))"
    )


def test_the_names_at_the_top_are_those_of_the_layers() -> None:
    import simspec
    from simspec import claims, methods, studies
    from simspec.claims.deciding.verify import verify
    from simspec.logits.bank import open_bank
    from simspec.methods.registry import rule
    from simspec.tools.advise import advise
    from simspec.tools.rates import rates

    assert simspec.advise is advise
    assert simspec.find is claims.find and simspec.Study is studies.Study and simspec.ears is methods.ears
    assert (simspec.verify, simspec.open_bank, simspec.rule, simspec.rates) == (verify, open_bank, rule, rates)
    assert all(getattr(simspec, name) is not None for name in simspec.__all__)


def test_the_audit_is_a_function_and_a_package() -> None:
    """Whatever is imported first: the import system binds the name to the package."""
    code = """
import inspect
import simspec
simspec.audit.Pair
import simspec.audit.zoo
from simspec import audit
from simspec.audit import audit as function
from simspec.audit.reference import speculative
print(audit is simspec.audit, inspect.signature(audit) == inspect.signature(function))
print(audit(speculative, gamma=1, vocab=2, calls=2000, tv_limit=0.5).verdict, simspec.audit.zoo.__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "lossless", "simspec.audit.zoo"]


def test_an_unknown_name_is_an_attribute_error() -> None:
    import simspec

    with pytest.raises(AttributeError, match="module 'simspec' has no attribute 'nothing'"):
        _ = simspec.nothing
    assert set(dir(simspec)) == set(simspec.__all__)
