"""One file of a large package, loaded without the package: what it imports from there is a stand-in, Triton interprets.

A serving engine need not be importable, nor its dependencies be there: its folder on the path is enough.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["STAND_INS", "Dispatched", "StandIn", "interpret", "load_alone", "place_alone"]


def place_alone(module: str) -> Path:
    """File of a module, found without importing its package.

    Raises
    ------
    ModuleNotFoundError
        where the package is not installed, or has no such file.

    >>> place_alone("simspec.audit.adapters.alone").name
    'alone.py'
    """
    top, *rest = module.split(".")
    package_spec = find_spec(top)
    for folder in (package_spec.submodule_search_locations or ()) if package_spec else ():
        path = Path(folder, *rest).with_suffix(".py")
        if path.is_file():
            return path
    missing = top if package_spec is None else module
    raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)


def load_alone(module: str) -> ModuleType:
    """Execute the file of a module under Triton's interpreter, with a stand-in for every other module of its package.

    What `STAND_INS` and `PARTS` name is the real thing.

    Raises
    ------
    ModuleNotFoundError
        where the package, its file, or something else that the file imports is not installed.
    ValueError
        where Triton was imported to compile: it then cannot interpret in the same process.
    """
    path = place_alone(module)
    interpret()
    parts = {part: load_alone(part) for part in PARTS.get(module, ())}
    spec = spec_from_file_location(f"_alone_{path.stem}", path)
    assert spec and spec.loader
    loaded = module_from_spec(spec)
    with _stand_ins(module.partition(".")[0], parts):
        sys.modules[spec.name] = loaded
        spec.loader.exec_module(loaded)
    return loaded


def interpret() -> None:
    """Have Triton interpret, which it decides when it is imported.

    Raises
    ------
    ValueError
        where it was imported to compile.
    """
    os.environ.setdefault("TRITON_INTERPRET", "1")
    standard = sys.modules.get("triton.language.standard")
    if standard is not None and type(standard.sum).__name__ != "InterpretedFunction":
        raise ValueError("triton: was imported to compile; expected TRITON_INTERPRET=1 before Python starts")


class StandIn(ModuleType):
    """A module whose every name is a class that takes any arguments, but for the names that it is given."""

    __path__: Any = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__init__": lambda self, *positional, **named: None})


class Dispatched:
    """What launches a kernel in place of vLLM's dispatcher: the decorated function gives grid and constants.

    Arguments go to the kernel's parameters of the same name, those ending in ``_ptr`` included.

    >>> class Kernel:
    ...     arg_names = ("x_ptr", "n", "TWO")
    ...     def __getitem__(self, grid):
    ...         return lambda **named: print(grid, sorted(named.items()))
    >>> Dispatched(Kernel())(lambda x, n, other: ((n,), {"TWO": 2}))("tensor", 3, other=None)
    (3,) [('TWO', 2), ('n', 3), ('x_ptr', 'tensor')]
    """

    def __init__(self, kernel: Any, **warmup: Any) -> None:
        self.kernel = kernel

    def __call__(self, work: Callable[..., Any]) -> Callable[..., None]:
        form = signature(work)

        def launch(*positional: Any, **named: Any) -> None:
            arguments = form.bind(*positional, **named).arguments
            grid, constants = work(**arguments)[:2]
            places = {name.removesuffix("_ptr"): name for name in self.kernel.arg_names}
            pointer_arguments = {places[name]: value for name, value in arguments.items() if name in places}
            self.kernel[grid](**(pointer_arguments | constants))

        return launch


def _triton() -> dict[str, Any]:
    return {"triton": import_module("triton"), "tl": import_module("triton.language"), "HAS_TRITON": True}


STAND_INS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "vllm.triton_utils": _triton,
    "vllm.model_executor.warmup.jit_warmup_triton_helper": lambda: {"triton_kernel_dispatcher_with_warmup": Dispatched},
    "vllm.logger": lambda: {"init_logger": lambda name: None},
}
"""What stand-ins hold beside names without meaning."""


ALSO: Mapping[str, tuple[str, ...]] = {"litgpt": ("lightning",)}
"""Other packages that a package imports at its files' beginning, and none of its samplers needs."""

PARTS: Mapping[str, tuple[str, ...]] = {
    # how it draws a token
    "litgpt.generate.speculative_decoding": ("litgpt.generate.base",)
}
"""Other modules that belong to the sampler of a module; they are loaded alone first."""


class _Finder:
    """Finds a stand-in for every module of some packages."""

    def __init__(self, packages: tuple[str, ...], parts: Mapping[str, ModuleType]) -> None:
        self.packages, self.parts = packages, parts

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        from importlib.machinery import ModuleSpec

        if name.partition(".")[0] not in self.packages:
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> ModuleType:
        stand_in = StandIn(spec.name)
        stand_in.__dict__.update(STAND_INS.get(spec.name, dict)())
        if spec.name in self.parts:
            stand_in.__dict__.update({k: v for k, v in vars(self.parts[spec.name]).items() if not k.startswith("__")})
        return stand_in

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is executed."""


@contextmanager
def _stand_ins(package: str, parts: Mapping[str, ModuleType]) -> Iterator[None]:
    """Modules of a package, and of those in `ALSO`, are stand-ins for a while; those loaded before come back."""
    packages = (package, *ALSO.get(package, ()))

    def of_package() -> dict[str, ModuleType]:
        return {name: m for name, m in sys.modules.items() if name.partition(".")[0] in packages}

    before = of_package()
    for name in before:
        del sys.modules[name]
    finder = _Finder(packages, parts)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in of_package():
            del sys.modules[name]
        sys.modules.update(before)
