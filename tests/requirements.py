"""What a test needs beyond the core: it skips with a counted reason, or fails where SIMSPEC_REQUIRE names the need."""

from __future__ import annotations

import importlib.util
import os
import shutil

import pytest

_FOUND = {
    "torch": lambda: all(importlib.util.find_spec(m) for m in ("torch", "transformers")),
    "browser": lambda: bool(
        shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    ),
    "dask": lambda: bool(importlib.util.find_spec("distributed")),
    "cxx": lambda: bool(shutil.which("g++") or shutil.which("clang++")),
}
_HOW = {
    "torch": "install the extra `capture`",
    "browser": "install Chromium (Debian: chromium)",
    "dask": "install the extra `cluster`",
    "cxx": "install a C++ compiler",
}


def require(need: str) -> None:
    """Skip the running test or module when `need` is missing; fail instead when SIMSPEC_REQUIRE lists it."""
    if _FOUND[need]():
        return
    if need in os.environ.get("SIMSPEC_REQUIRE", "").split(","):
        pytest.fail(f"{need} is required by SIMSPEC_REQUIRE and missing: {_HOW[need]}", pytrace=False)
    pytest.skip(f"needs {need}: {_HOW[need]}", allow_module_level=True)
