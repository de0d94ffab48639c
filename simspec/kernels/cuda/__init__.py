"""The CUDA sources of the kernels, and how one is put together: headers are inlined, so a text says all that it is.

The text compiles with NVRTC (`OPTIONS`) and with a C++20 compiler (`device.h` says how). Loading and
launching: `simspec.kernels.cuda.launch`.
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["OPTIONS", "names", "source"]

OPTIONS = ("-std=c++17", "--fmad=false", "--maxrregcount=64")
"""Of NVRTC. Without multiply-adds fused at will the results are, to the last bit, those of the tests on a CPU; with at most 64
registers a thread a block may have 1024."""

_KERNELS = Path(__file__).parents[1]
_INCLUDE = re.compile(r'^#include "(.+)"\n', re.MULTILINE)


def names() -> tuple[str, ...]:
    """The sources, without their ending.

    >>> "tv" in names()
    True
    """
    return tuple(sorted(_files(".cu")))


def source(*source_names: str) -> str:
    """The text of some sources, with the headers they include in place, each once.

    Raises ValueError for a name that is not one of `names`.

    >>> '#include "' in source("tv")
    False
    """
    unknown = set(source_names) - set(names())
    if unknown:
        raise ValueError(f"source_names: {sorted(unknown)}; expected some of {', '.join(names())}")
    return _inlined("".join(f'#include "{name}.cu"\n' for name in source_names), set())


def _files(ending: str) -> dict[str, Path]:
    """The sources (.cu) beside their kernels, or the headers (.h) beside this file, by name."""
    return {path.stem: path for path in sorted(_KERNELS.rglob(f"*{ending}"))}


def _inlined(text: str, included: set[str]) -> str:
    def body(match: re.Match[str]) -> str:
        name = match[1]
        if name in included:
            return ""
        included.add(name)
        return _inlined(_files(Path(name).suffix)[Path(name).stem].read_text(encoding="utf-8"), included)

    return _INCLUDE.sub(body, text)
