"""Checks that serve every layer: of arguments, and of what is installed."""

from __future__ import annotations

import json
import operator
import os
import shlex
import sys
from collections.abc import Iterable
from importlib import import_module, resources
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from simspec.version import DISTRIBUTION

__all__ = [
    "EXTRAS",
    "MissingExtra",
    "check_extra",
    "check_memory",
    "floats",
    "install_command",
    "missing",
    "nearest",
    "nearest_name",
    "needs",
    "physical_memory",
    "pip_of",
    "short",
    "truth",
    "whole_number",
]

EXTRAS = {
    "scipy": "measure",
    "sklearn": "verify",
    "threadpoolctl": "verify",
    "tokenizers": "texts",
    "pyarrow": "studies",
    "pandas": "studies",
    "xarray": "studies",
    "matplotlib": "figures",
    "PIL": "figures",
    "cloudpickle": "cluster",
    "dask": "cluster",
    "distributed": "cluster",
    "torch": "capture",
    "transformers": "capture",
    "gguf": "capture",
    "accelerate": "capture",
    "shtab": "completion",
    "httpx": "engine",
    "sympy": "proofs",
    "z3": "proofs",
    "cvc5": "proofs",
}
"""Modules that a plain installation lacks, and the extra that brings each."""


class MissingExtra(ValueError):
    """A module of an extra is not installed; the message names both, and the command that brings them."""


def check_memory(name: str, value: object, needed: int, limit: int | None = None) -> None:
    """Refuse a request whose arrays cannot fit in this machine's memory, before any of them is made.

    Parameters
    ----------
    name, value : the argument that makes the request so large, and what it was
    needed : bytes that the request takes
    limit : bytes that it may take; the machine's physical memory by default

    Raises
    ------
    ValueError
        where `needed` is more than `limit`; it names the argument, its value and both amounts.

    Examples
    --------
    >>> check_memory("rows", 1000, 8 * 1000, limit=10**6)
    >>> check_memory("rows", 10**12, 8 * 10**12, limit=16 * 2**30)
    Traceback (most recent call last):
    ...
    ValueError: rows: 1000000000000; would take 7.3 TiB of memory, expected at most 16.0 GiB
    """
    limit = physical_memory() if limit is None else limit
    if needed > limit:
        raise ValueError(f"{name}: {value!r}; would take {_bytes(needed)} of memory, expected at most {_bytes(limit)}")


def physical_memory() -> int:
    """Bytes of memory of this machine; 2**40 where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 2**40


def _bytes(number: int) -> str:
    if number < 2**10:
        return f"{number} bytes"
    for power, unit in enumerate(("KiB", "MiB", "GiB", "TiB", "PiB"), start=1):
        if number < 2 ** (10 * (power + 1)):
            return f"{number / 2 ** (10 * power):.1f} {unit}"
    return f"2**{number.bit_length() - 1} bytes"


def whole_number(name: str, value: Any, low: int, high: int | None = None, expected: str = "") -> int:
    """`value` as an int when it is an integer in [low, high], else a ValueError that says what was expected.

    >>> whole_number("k", np.int64(3), 1, expected="a number of tokens >= 1")
    3
    >>> whole_number("word", 4, 0, 3)
    Traceback (most recent call last):
    ...
    ValueError: word: 4; expected an integer from 0 to 3
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if isinstance(value, bool | np.bool_) or number < low or (high is not None and number > high):
        usual = f"an integer of at least {low}" if high is None else f"an integer from {low} to {high}"
        raise ValueError(f"{name}: {value}; expected {expected or usual}")
    return number


def nearest(name: str, names: Iterable[str], alike: float = 0.6) -> str:
    """Words for an error about a name that is unknown: the known name that is spelt most like it; empty if none is.

    Parameters
    ----------
    name : the unknown name
    names : the known names
    alike : smallest similarity of two names, in the measure of `difflib`, for one to be suggested for the other

    Examples
    --------
    >>> nearest("acceptnce", ["acceptance", "blocks"])
    ', the nearest is acceptance'
    >>> nearest("nothing", ["acceptance", "blocks"])
    ''
    """
    similar_name = nearest_name(name, names, alike)
    return "" if similar_name is None else f", the nearest is {similar_name}"


def nearest_name(name: str, names: Iterable[str], alike: float = 0.6) -> str | None:
    """The known name that is spelt most like an unknown one, as `nearest` puts it into words; None if none is.

    >>> nearest_name("wikki", ["wiki", "stories"]), nearest_name("nothing", ["wiki"])
    ('wiki', None)
    """
    # loaded for a message only
    from difflib import get_close_matches

    similar_names = get_close_matches(name, names, n=1, cutoff=alike)
    return similar_names[0] if similar_names else None


def floats(name: str, values: object, expected: str = "numbers") -> NDArray[np.float64]:
    """`values` as float64: real numbers, fractions among them, none masked; shape and range are for the caller to check.

    Text that reads as a number, complex numbers and truth values, all of which NumPy turns into floats, are refused.

    >>> floats("q", [[1, 0]]).tolist()
    [[1.0, 0.0]]
    >>> floats("q", [[0.5], [0.5, 0.5]])
    Traceback (most recent call last):
    ...
    ValueError: q: a list that is no array; expected numbers
    """
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, RuntimeError):  # ragged lists; a tensor that NumPy cannot read
        raise ValueError(f"{name}: a {type(values).__name__} that is no array; expected {expected}") from None
    if np.ma.is_masked(values):
        raise ValueError(f"{name}: a masked array; expected {expected}: fill it, or leave those rows out")
    try:
        if array.dtype.kind in "iufO":
            with np.errstate(over="ignore"):  # beyond float64: infinite, which callers refuse
                return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):  # objects that are no real numbers, or beyond all floats
        pass
    raise ValueError(f"{name}: {array.dtype} array of shape {array.shape}; expected {expected}")


def truth(name: str, value: object) -> bool:
    """`value` as a bool when it is one, Python's or NumPy's: other objects are true by accident.

    >>> truth("printed", "no")
    Traceback (most recent call last):
    ...
    ValueError: printed: 'no'; expected True or False
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}: {short(value)}; expected True or False")
    return bool(value)


def short(value: object) -> str:
    """A value for a message, cut where it is long.

    >>> short(list(range(100)))[-9:]
    '20, 21...'
    """
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def needs(purpose: str, *modules: str, extra: str | None = None) -> list[Any]:
    """Import modules of an extra (that of `EXTRAS` by default); a `MissingExtra` says how to get one that is missing.

    >>> needs("squares", "math")[0].sqrt(9)
    3.0
    """
    try:
        return [import_module(module) for module in modules]
    except ImportError as error:
        raise MissingExtra(missing(purpose, error, extra)) from None


def check_extra(purpose: str, *extras: str) -> None:
    """Refuse work that needs some extras before any of it is done; nothing is imported.

    Raises
    ------
    MissingExtra
        naming the first module that is missing, and the command that brings the first extra, which is to hold the others.

    >>> check_extra("squares", "no such extra")
    """
    for module, brings in EXTRAS.items():
        if brings in extras and find_spec(module) is None:
            raise MissingExtra(missing(purpose, ModuleNotFoundError(name=module), extras[0]))


def missing(purpose: str, error: ImportError, extra: str | None = None) -> str:
    """What to install for an import that failed; the error's own words for a module of no extra.

    >>> missing("a table", ImportError("No module named 'pandas'", name="pandas"))  # doctest: +ELLIPSIS
    "a table needs pandas: ...pip install ...[studies]'..."
    >>> missing("a table", ImportError("No module named 'nothing'", name="nothing"))
    "a table: No module named 'nothing'"
    """
    name = error.name or str(error)
    extra = extra or EXTRAS.get(name.partition(".")[0])
    return f"{purpose}: {error}" if extra is None else f"{purpose} needs {name}: {install_command(extra)}"


def install_command(extra: str) -> str:
    """The command that brings an extra, as it works in the folder in which it is printed.

    A clone is installed again from its folder.  What was installed from a wheel is known to pip by its name, which
    therefore looks nowhere else for it; a comment says that no index has it, and which file it came from.

    >>> install_command("capture").partition("[")[2]
    "capture]'"
    """
    folder = _clone()
    if folder is None:
        return f"{pip_of()} install '{DISTRIBUTION}[{extra}]'  # installed from {_wheel()}; no package index has it"
    return f"{pip_of()} install -e {shlex.quote(f'{_from_here(folder)}[{extra}]')}"


def _clone() -> Path | None:
    """The clone of the repository that this file belongs to; None for an installed wheel."""
    folder = Path(str(resources.files("simspec"))).resolve().parent
    return folder if (folder / "pyproject.toml").is_file() else None


def _from_here(folder: Path) -> str:
    """A clone as pip is to be given it: `.` where one is in it, else its whole path."""
    return "." if Path.cwd().resolve() == folder else str(folder)


def _wheel() -> str:
    """Name of the wheel's file that pip noted when it installed this package."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        record = distribution(DISTRIBUTION).read_text("direct_url.json")
    except PackageNotFoundError:
        record = None
    name = PurePosixPath(unquote(urlsplit(json.loads(record)["url"]).path)).name if record else ""
    return name or "a wheel's file"


def pip_of(anywhere: bool = False) -> str:
    """The command that runs pip of this environment, whether or not the environment is activated.

    It is for the folder that one is in, or for any.

    >>> pip_of().split()[-1]
    'pip'
    """
    python = Path(sys.executable)
    active = os.environ.get("VIRTUAL_ENV")
    if active and python.is_relative_to(active):
        return "pip"
    here = Path.cwd()
    near = python.is_relative_to(here) and not anywhere
    return f"{shlex.quote(str(python.relative_to(here) if near else python))} -m pip"
