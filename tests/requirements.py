"""What a test needs beyond the core: it skips with a counted reason, or fails where SIMSPEC_REQUIRE names the need."""

from __future__ import annotations

import importlib.util
import os
import shutil
from functools import cache
from pathlib import Path

import pytest

_FOUND = {
    "torch": lambda: all(importlib.util.find_spec(m) for m in ("torch", "transformers")),
    "gguf": lambda: all(importlib.util.find_spec(m) for m in ("torch", "transformers", "gguf", "accelerate")),
    "smollm2": lambda: found("gguf") and smollm2() is not None,
    "sglang": lambda: all(_installed(m) for m in ("torch", "triton.language", "sglang.kernels")),
    "vllm": lambda: all(_installed(m) for m in ("torch", "triton.language", "vllm.v1")),
    "litgpt": lambda: found("torch") and _installed("litgpt.generate"),
    "dflash": lambda: found("torch") and _installed("dflash"),
    "economize": lambda: found("torch") and _installed("economize.decoding"),
    "browser": lambda: bool(
        shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    ),
    "axe": lambda: bool(importlib.util.find_spec("axe_core_python")),
    "site": lambda: all(importlib.util.find_spec(m) for m in ("sphinx", "furo", "myst_parser")),
    "dask": lambda: bool(importlib.util.find_spec("distributed")),
    "notebooks": lambda: all(importlib.util.find_spec(m) for m in ("nbclient", "ipykernel", "ipywidgets", "pandas")),
    "proofs": lambda: all(importlib.util.find_spec(m) for m in ("sympy", "z3", "cvc5")),
    "shtab": lambda: bool(importlib.util.find_spec("shtab")),
    "coq": lambda: bool(shutil.which("coqc")),
    "cxx": lambda: bool(shutil.which("g++") or shutil.which("clang++")),
    "nvrtc": lambda: nvrtc() is not None,
    "device": lambda: _device(),
    "httpx": lambda: bool(importlib.util.find_spec("httpx")),
    "llama": lambda: (
        bool(importlib.util.find_spec("xllamacpp") and importlib.util.find_spec("gguf")) and smollm2() is not None
    ),
}
_HOW = {
    "torch": "install the extra `capture`",
    "gguf": "install the extra `capture`",
    "smollm2": "install the extra `capture`, then make smollm2",
    "sglang": "pip install triton; pip install --no-deps sglang",
    "vllm": "pip install triton; pip install --no-deps vllm",
    "litgpt": "install the extra `capture`; pip install --no-deps litgpt",
    "dflash": "install the extra `capture`; pip install --no-deps dflash",
    "economize": "install the extra `capture`; pip install --no-deps economize",
    "browser": "install Chromium (Debian: chromium)",
    "axe": "install the extra `dev`",
    "site": "install the extra `site`",
    "dask": "install the extra `cluster`",
    "notebooks": "install the extra `notebooks`",
    "proofs": "install the extra `proofs`",
    "shtab": "install the extra `completion`",
    "coq": "install Coq (Debian: coq)",
    "cxx": "install a C++ compiler",
    "nvrtc": "install nvidia-cuda-nvrtc-cu12",
    "device": "install the extra `gpu` on a machine with a CUDA device",
    "httpx": "install the extra `engine`",
    "llama": "pip install xllamacpp gguf; make smollm2",
}


def _installed(module: str) -> bool:
    """Whether the folder of a module is there, found without importing its package."""
    top, _, inner = module.partition(".")
    spec = importlib.util.find_spec(top)
    folders = spec.submodule_search_locations if spec else None
    return any(Path(folder, *inner.split(".")).exists() for folder in folders or ())


def smollm2() -> Path | None:
    """The pretrained model that `make smollm2` fetches; None where it is not."""
    from simspec.logits.capture.smollm2 import is_there, model_file

    return model_file() if is_there() else None


def nvrtc() -> Path | None:
    """The library in NVIDIA's wheel."""
    found = importlib.util.find_spec("nvidia")
    folders = [Path(p) / "cuda_nvrtc" / "lib" for p in (found.submodule_search_locations or ())] if found else []
    return next((p for folder in folders for p in sorted(folder.glob("libnvrtc.so.*"))), None)


@cache
def _device() -> bool:
    """Looked for once: tests later put a stand-in in CuPy's place."""
    try:
        import cupy

        return bool(cupy.cuda.runtime.getDeviceCount() > 0)
    except Exception:  # no CuPy, no driver, or one that is too old
        return False


def found(need: str) -> bool:
    """Whether `need` is there."""
    return _FOUND[need]()


def require(need: str) -> None:
    """Skip the running test or module when `need` is missing; fail instead when SIMSPEC_REQUIRE lists it."""
    if found(need):
        return
    if need in os.environ.get("SIMSPEC_REQUIRE", "").split(","):
        pytest.fail(f"{need} is required by SIMSPEC_REQUIRE and missing: {_HOW[need]}", pytrace=False)
    pytest.skip(f"needs {need}: {_HOW[need]}", allow_module_level=True)
