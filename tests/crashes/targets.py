"""What is attacked: every public function, class and method of the layers that compute."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module

import simspec

LAYERS = ("simspec.checks", "simspec.files", "simspec.kernels", "simspec.laws", "simspec.logits", "simspec.methods")
LEFT_OUT = {
    # a name that ends in a point stands for all that is within
    "simspec.kernels.cuda.": "needs a device",
    "simspec.kernels.affinity.cuda_affinity": "needs a device",
    "simspec.kernels.tv.cuda_tv": "needs a device",
    "simspec.kernels.synthetic.cuda_synthetic": "needs a device",
    "simspec.kernels.lattice.cuda_lattice": "needs a device",
    "simspec.kernels.rounds.cuda_rounds": "needs a device",
    "simspec.kernels.rounds.block.cuda_block": "needs a device",
    "simspec.kernels.rounds.several.cuda_several": "needs a device",
    "simspec.kernels.rounds.tree.cuda_tree": "needs a device",
    "simspec.kernels.compiled": "compiles what it is given",
    "simspec.kernels.choose": "imports what it is given",
    "simspec.logits.capture": "needs a model",
    "simspec.logits.capture.models": "needs a model",
    "simspec.logits.capture.timing": "needs two models",
}
RECIPES = {
    "simspec.kernels.merges:Loops": """
        >>> texts = Loops(np.array([0, 1, 0, 1, 2] * 300), np.array([5] * 300), 3)
        >>> _ = texts.merge((1, 0), 3), texts.find((0, 1)), texts.follow([0, 3], 2), texts.best()
        >>> texts.begin(3, "occurrences", 1)
        >>> _ = texts.best(), texts.merge((0, 3), 4), texts.best(), texts.find((3, 2), True), texts.lists()
        >>> _ = texts.follow([0, 3], 2), texts.best(), texts.merge((4, 1), 5), texts.best()
        """,
    "simspec.kernels.link:run_links": """
        >>> rng = np.random.default_rng(0)
        >>> p, q = rng.dirichlet(np.ones(7), (2, 2, 3))
        >>> given = sort_contexts(p, q), np.arange(8.0), 20, 10, rng.random((2, 4, 6)), rng.random((2, 4, 6))
        >>> _ = run_links(*given, Rule(k=3))
        >>> _ = run_links(*given, Rule(threshold=0.1, step_size=0.1, dropped_target=0.1))
        """,
    "simspec.kernels.rounds:Tables": """
        >>> from simspec.kernels.rounds.reference import Laws
        >>> cdf = np.array([[0.25, 1.0]] * 2)
        >>> rule = Tables(Laws(cdf, cdf / 2, cdf, cdf, np.array([0, 1])))
        >>> _ = run_rounds(rule, Draws(0, range(99)), gamma=2, rounds=9, tokens=True, counts=True)
        """,
    "simspec.kernels.link:Contexts": """
        >>> half = np.full((1, 1, 2), 0.5)
        >>> _ = run_links(Contexts(half, half), np.arange(3.0), 9, 4, *[np.full((1, 2, 3), 0.5)] * 2, Rule(k=2))
        """,
}
"""Examples for what has none in its docstring, or too few."""


def plain(name: str) -> bool:
    """Modules in NumPy or Python alone, which compile nothing: they can raise, and hear an interrupt."""
    return not name.startswith("simspec.kernels") or name.endswith((".reference", ".random.core"))


def trusting(name: str) -> bool:
    """Modules of compiled loops trust their callers, which are the modules beside them and none outside the kernels."""
    if not name.startswith("simspec.kernels."):
        return False
    is_backend = name.rpartition(".")[2].startswith("numba_")
    return is_backend or name.endswith((".merges.table", ".rounds.groups", ".rounds.block.packed"))


def modules() -> list[str]:
    """Names of the modules that are attacked."""
    found = [m.name for m in pkgutil.walk_packages(simspec.__path__, "simspec.")]
    return [
        name
        for name in found
        if name.startswith(LAYERS)
        and not trusting(name)
        and not any(name == other or ((name + ".").startswith(other) and other.endswith(".")) for other in LEFT_OUT)
    ]


def targets() -> list[str]:
    """ "module:function", "module:Class" and "module:Class.method" of all that is public."""
    found = []
    for name in modules():
        module = import_module(name)
        for entry in getattr(module, "__all__", ()):
            if entry == "main":
                continue  # a command: argparse ends its process with a status
            thing = getattr(module, entry)
            if not callable(thing) or getattr(thing, "__module__", None) != name:
                continue
            if inspect.isclass(thing) and issubclass(thing, tuple | BaseException):
                continue  # holds what it is given
            found.append(f"{name}:{entry}")
            if inspect.isclass(thing):
                found += [
                    f"{name}:{entry}.{m}" for m, x in vars(thing).items() if m[0] != "_" and inspect.isfunction(x)
                ]
    return found
