"""simspec puts the theory of speculative decoding to the test.

Laws are plain arrays with the vocabulary on the last axis; a method is a tuple of three pure maps; a claim is a
slack that must not be negative.  Importing this package loads NumPy and nothing heavier: everything else is loaded
when it is first used.
"""

from __future__ import annotations

from importlib import import_module

from simspec.version import __version__

TYPE_CHECKING = False  # the module `typing` costs milliseconds in which a signal is not heard

__all__ = ["__version__", "laws", "logits", "methods", "run", "verify"]

if TYPE_CHECKING:
    from typing import Any

    from simspec import laws, logits, methods
    from simspec.claims.deciding.verify import verify
    from simspec.engine.run import run

_SUBMODULES = frozenset(
    {"laws", "logits", "methods", "kernels", "engine", "studies", "claims", "report", "audit", "bench"}
)


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"simspec.{name}")
    if name == "verify":
        return import_module("simspec.claims.deciding.verify").verify
    if name == "run":
        return import_module("simspec.engine.run").run
    raise AttributeError(f"module 'simspec' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
