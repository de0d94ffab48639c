"""How many instructions the kernels of synthetic pairs take for a pair of logits, counted in their machine code.

    python -m benchmarks.gpu.instructions            # the recorded table
    python -m benchmarks.gpu.instructions --record   # compiled, counted and recorded again
    ncu python -m benchmarks.gpu.instructions --launch   # each kernel launched on a device, for a profiler to count

Recording needs no device, but NVIDIA's compiler (the wheel `nvidia-cuda-nvrtc-cu12`) and its disassembler: `nvdisasm` on the
PATH, or that of an installed `triton`.  The benchmark `gpu` prints the record beside what it measures: where instructions are
the limit, a kernel that takes so many more than drawing alone cannot be nearer to it than that.

A loop that draws holds the wide multiplications of Philox, for two calls with four Gaussian pairs and for four with Student-t
ones; its length over four is what a pair takes.  To it comes the loop that reads held powers
back.  Rare branches within a loop count too, loads and waits count as one instruction, so the table says nothing of memory.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from simspec.kernels import cuda
from simspec.kernels.cuda.launch import cupy

__all__ = ["ARCHITECTURE", "FAMILIES", "KERNELS", "RECORD", "count", "loops", "main", "most_of_limit", "recorded"]

ARCHITECTURE = "sm_90"
RECORD = Path(__file__).with_suffix(".json")
KERNELS = {
    "pairs_8": "spread_pairs",
    "pairs_1": "pairs",
    "overlap_f32": "synthetic",
    "sums_f32": "synthetic",
}
"""The sources of the kernels; `sums_f32` draws alone."""
LIMIT = "sums_f32"
FAMILIES = {2: "gaussian", 4: "student"}
"""Of the Philox calls for four pairs."""
_PRODUCTS = 18
"""Wide multiplications of a call of Philox in a loop, about: twenty, less those that calls share or that no token changes."""
_LABEL = re.compile(r"^(\.L_x_\d+):", re.MULTILINE)
_LINE = re.compile(r"^\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)(.*);")


class Loop(NamedTuple):
    """Instructions of a loop: how many, calls of Philox, and minima."""

    instructions: int
    calls: int
    minima: int


def loops(assembly: str, kernel: str) -> list[Loop]:
    """The innermost loops of a kernel in the text of `nvdisasm` that draw (`calls`) or only take minima.

    >>> text = '''.text.k:
    ... .L_x_1:
    ...         /*0000*/                   FMNMX R1, R2, R3, PT ;
    ...         /*0010*/              @!P0 BRA `(.L_x_1) ;
    ...         /*0020*/                   EXIT ;'''
    >>> loops(text, "k")
    [Loop(instructions=2, calls=0, minima=1)]
    """
    places: dict[str, int] = {}
    lines: list[tuple[str, str]] = []
    for line in _body(assembly, kernel):
        if label := _LABEL.match(line):
            places[label[1]] = len(lines)
        elif instruction := _LINE.match(line):
            lines.append((instruction[1], instruction[2]))
    spans = []
    for end, (name, rest) in enumerate(lines):
        target = re.search(r"\((\.L_x_\d+)\)", rest)
        if name.startswith("BRA") and target and places.get(target[1], end + 1) <= end:
            spans.append((places[target[1]], end + 1))
    counted = {span: _loop(lines[slice(*span)]) for span in spans}
    useful = {span: loop for span, loop in counted.items() if loop.calls or loop.minima}
    return [loop for span, loop in useful.items() if not any(_is_within(outer, span) for outer in useful)]


def _body(assembly: str, kernel: str) -> Iterator[str]:
    inside = False
    for line in assembly.splitlines():
        if line.startswith(".text."):
            inside = line.startswith(f".text.{kernel}:")
        if inside:
            yield line


def _loop(lines: Sequence[tuple[str, str]]) -> Loop:
    products = sum(name.startswith("IMAD.WIDE") for name, _ in lines)
    return Loop(len(lines), round(products / _PRODUCTS), sum(name.startswith("FMNMX") for name, _ in lines))


def _is_within(span: tuple[int, int], outer: tuple[int, int]) -> bool:
    return span != outer and outer[0] <= span[0] and span[1] <= outer[1]


def count(assembly: str, kernel: str) -> dict[str, float]:
    """Instructions of a kernel for a pair of logits, by family: its loops that draw, and the longest that reads powers back."""
    kernel_loops = loops(assembly, kernel)
    reading = [loop for loop in kernel_loops if not loop.calls]
    # a loop may read several groups of four pairs, with a minimum for each pair
    back = min((loop.instructions / loop.minima for loop in reading), default=0.0) if kernel != LIMIT else 0.0
    pairs = dict.fromkeys(FAMILIES.values(), 0.0)
    for loop in kernel_loops:
        if loop.calls in FAMILIES:
            pairs[FAMILIES[loop.calls]] += loop.instructions / 4
    if not all(pairs.values()):
        raise ValueError(f"assembly: {kernel} has no loop that draws for {pairs}; expected one for each family")
    return {family: round(number + back, 1) for family, number in pairs.items()}


def recorded() -> dict[str, dict[str, float]]:
    """The recorded counts: by kernel and family."""
    kernels: dict[str, dict[str, float]] = json.loads(RECORD.read_text(encoding="utf-8"))["kernels"]
    return kernels


def most_of_limit(family: str, kernel: str = "pairs_8") -> float:
    """The largest share of drawing alone that the instructions of a kernel allow.

    >>> 0 < most_of_limit("gaussian") < most_of_limit("student") < 1
    True
    """
    counts = recorded()
    return counts[LIMIT][family] / counts[kernel][family]


def digest() -> str:
    """Of the sources and the compiler's options: a record of others is out of date."""
    texts = [cuda.source(name) for name in sorted(set(KERNELS.values()))]
    return sha256("".join([*texts, *cuda.OPTIONS]).encode()).hexdigest()


# ---- compiling and recording ----


def _library() -> Path | None:
    """NVRTC of NVIDIA's wheel for CUDA 12; another version beside it may lack its own tables."""
    package = importlib.util.find_spec("nvidia")
    folders = package.submodule_search_locations or () if package else ()
    return next(
        (file for folder in folders for file in sorted(Path(folder).glob("cuda_nvrtc/lib/libnvrtc.so.*"))), None
    )


def _disassembler() -> str | None:
    """`nvdisasm` of the PATH, or of an installed triton."""
    package = importlib.util.find_spec("triton")
    folders = package.submodule_search_locations or () if package else ()
    within = [str(Path(folder) / "backends" / "nvidia" / "bin") for folder in folders]
    return shutil.which("nvdisasm") or next(
        (tool for folder in within if (tool := shutil.which("nvdisasm", path=folder))), None
    )


def _assembly(library: Path, disassembler: str, name: str) -> tuple[str, str]:
    """The machine code of a source as text, and the version of the compiler."""
    nvrtc = ctypes.CDLL(str(library))
    program = ctypes.c_void_p()
    size = ctypes.c_size_t()
    major = ctypes.c_int()
    minor = ctypes.c_int()
    nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    options = [option.encode() for option in (*cuda.OPTIONS, f"--gpu-architecture={ARCHITECTURE}")]
    failed = nvrtc.nvrtcCreateProgram(ctypes.byref(program), cuda.source(name).encode(), b"kernel.cu", 0, None, None)
    failed = failed or nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    failed = failed or nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    failed = failed or nvrtc.nvrtcGetCUBIN(program, code)
    if failed:
        raise RuntimeError(f"NVRTC could not compile {name} (error {failed})")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.cubin"
        file.write_bytes(code.raw)
        disassembly = subprocess.run([disassembler, "-c", str(file)], capture_output=True, text=True, check=True)
    return disassembly.stdout, f"{major.value}.{minor.value}"


def _record(library: Path, disassembler: str) -> dict[str, Any]:
    texts = {name: _assembly(library, disassembler, name) for name in sorted(set(KERNELS.values()))}
    kernels = {kernel: count(texts[name][0], kernel) for kernel, name in KERNELS.items()}
    compiler = next(iter(texts.values()))[1]
    return {"architecture": ARCHITECTURE, "nvrtc": compiler, "sources": digest(), "kernels": kernels}


def _launch() -> None:
    """Each kernel once, on the rows of the benchmark's first cases."""
    from benchmarks import synthetic
    from benchmarks.gpu import ROWS, peers

    for case in synthetic.CASES:
        data = peers.Pairs(cupy(), case._replace(rows=ROWS[0]))
        for peer in peers.pair_peers():
            if peer.name in (peers.OURS, peers.TWICE, peers.DRAWS):
                peer.bind(data, 1)()


def main(argv: list[str] | None = None) -> int:
    """0 once the table is printed, 2 where recording lacks a tool."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu.instructions",
        description="Instructions of the kernels of synthetic pairs, for a pair of logits.",
        epilog="example: python -m benchmarks.gpu.instructions --record",
    )
    parser.add_argument("--record", action="store_true", help=f"compile, count and write {RECORD.name}")
    parser.add_argument("--launch", action="store_true", help="only launch the kernels, for a profiler")
    args = parser.parse_args(argv)
    if args.launch:
        _launch()
        return 0
    if args.record:
        tools = {
            "libnvrtc (pip install nvidia-cuda-nvrtc-cu12)": _library(),
            "nvdisasm (pip install triton)": _disassembler(),
        }
        missing = [name for name, place in tools.items() if place is None]
        if missing:
            print(f"not found: {', '.join(missing)}", file=sys.stderr)
            return 2
        library, disassembler = tools.values()
        RECORD.write_text(json.dumps(_record(Path(str(library)), str(disassembler)), indent=1) + "\n", encoding="utf-8")
    for kernel, numbers in recorded().items():
        cells = (f"{family} {number:6.1f} ({most_of_limit(family, kernel):4.0%})" for family, number in numbers.items())
        print(f"{kernel:12} instructions a pair (share of drawing alone): {'; '.join(cells)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
