"""simspec puts the theory of speculative decoding to the test.

Laws are plain arrays with the vocabulary on the last axis; a method is a tuple of three pure maps; a claim is a
slack that must not be negative.  Importing this package loads NumPy and nothing heavier: everything else is loaded
when it is first used.
"""

from __future__ import annotations

import sys
from importlib import import_module

from simspec.version import __version__

TYPE_CHECKING = False  # the module `typing` costs milliseconds in which a signal is not heard

__all__ = [
    "SD",
    "Method",
    "Study",
    "__version__",
    "acceptance_rate",
    "advise",
    "audit",
    "certificates",
    "csqs",
    "draw",
    "ears",
    "exact",
    "find",
    "is_lossless",
    "laws",
    "lenience",
    "logits",
    "methods",
    "numerics",
    "open_bank",
    "output_law",
    "pad",
    "plot",
    "rates",
    "rdk",
    "rule",
    "run",
    "show_step",
    "sqs",
    "tli",
    "tv",
    "typical",
    "verify",
]

if TYPE_CHECKING:
    from typing import Any

    from simspec import certificates, laws, logits, methods, numerics
    from simspec.audit import audit
    from simspec.claims import find
    from simspec.claims.deciding.verify import verify
    from simspec.engine.study import Study
    from simspec.figures.gallery import draw
    from simspec.laws import exact
    from simspec.logits.bank import open_bank
    from simspec.methods.csqs.conformal import csqs
    from simspec.methods.ears.acceptance import ears
    from simspec.methods.ears.relaxed import lenience, typical
    from simspec.methods.method import Method, acceptance_rate, is_lossless, output_law, tv
    from simspec.methods.pad.pivots import pad
    from simspec.methods.rdk.affinity import rdk
    from simspec.methods.registry import rule
    from simspec.methods.sd import SD
    from simspec.methods.showing import show_step
    from simspec.methods.sqs.quantised import sqs
    from simspec.methods.tli import tli
    from simspec.notebook import plot
    from simspec.studies.catalogue import run
    from simspec.tools.advise import advise
    from simspec.tools.rates import rates

_SUBMODULES = frozenset(
    {
        "laws",
        "logits",
        "methods",
        "certificates",
        "numerics",
        "kernels",
        "engine",
        "studies",
        "claims",
        "figures",
        "report",
        "tools",
        "audit",
    }
)
_PLACES = {
    "advise": "tools.advise",
    "draw": "figures.gallery",
    "exact": "laws",
    "find": "claims",
    "open_bank": "logits.bank",
    "plot": "notebook",
    "rates": "tools.rates",
    "rule": "methods.registry",
    "run": "studies.catalogue",
    "Study": "engine.study",
    "verify": "claims.deciding.verify",
}
"""Where a name of `__all__` is from that is neither a module nor a method."""


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"simspec.{name}")
    if name in __all__:
        return getattr(import_module(f"simspec.{_PLACES.get(name, 'methods')}"), name)
    raise AttributeError(f"module 'simspec' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: Any) -> None:
    """What ``%load_ext simspec`` does: IPython is told how to show simspec's objects."""
    from simspec.notebook import register

    register(shell)


def _register_where_ipython_runs() -> None:
    """Formatters for notebooks, where a shell is there already: nothing is imported where IPython is not."""
    ipython = sys.modules.get("IPython")
    shell = getattr(ipython, "get_ipython", lambda: None)()
    if shell is not None:
        load_ipython_extension(shell)


_register_where_ipython_runs()
