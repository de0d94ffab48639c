"""NVIDIA's compiler takes every source, for Ampere and Hopper, without a GPU; what it makes holds every kernel."""

from __future__ import annotations

import ctypes
import re
from functools import cache
from typing import NamedTuple

import pytest

from simspec.kernels import cuda
from tests.requirements import nvrtc, require


class Made(NamedTuple):
    """GPU code and its assembly (empty when compilation fails), and what the compiler said."""

    cubin: bytes
    assembly: str
    log: str


@cache
def compile(code: str, architecture: str, given: tuple[str, ...] = cuda.OPTIONS) -> Made:
    lib = ctypes.CDLL(str(nvrtc()))
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert lib.nvrtcCreateProgram(ctypes.byref(program), code.encode(), b"kernel.cu", 0, None, None) == 0
    options = [x.encode() for x in (*given, f"--gpu-architecture={architecture}")]
    failed = lib.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    lib.nvrtcGetProgramLog(program, log)
    texts = {"CUBIN": b"", "PTX": b""}
    for kind in texts if not failed else ():
        assert getattr(lib, f"nvrtcGet{kind}Size")(program, ctypes.byref(size)) == 0
        if not size.value:  # a virtual architecture, compute_80, has assembly alone
            continue
        text = ctypes.create_string_buffer(size.value)
        assert getattr(lib, f"nvrtcGet{kind}")(program, text) == 0
        texts[kind] = text.raw
    lib.nvrtcDestroyProgram(ctypes.byref(program))
    return Made(texts["CUBIN"], texts["PTX"].decode(), log.value.decode())


def unfused(code: str) -> str:
    """The source without the multiply-adds that it asks for: what is left must not be fused."""
    return code.replace("return __fmaf_rn(x, y, z);", "return x * y + z;")


def oldest(name: str) -> int:
    """The first architecture that a source is for: clusters of blocks came with Hopper."""
    return 90 if re.search(r"^CLUSTER_KERNEL\([2-8]", cuda.source(name), re.MULTILINE) else 80


def kernels(code: str) -> list[str]:
    """The names of the kernels of a source."""
    return re.findall(r"^(?:CLUSTER_KERNEL\(\d, |KERNEL\()(\w+)", code, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "architecture"),
    [(name, f"sm_{number}") for name in cuda.names() for number in (80, 90) if number >= oldest(name)],
)
def test_every_source_compiles_without_a_warning(name, architecture):
    require("nvrtc")
    code = cuda.source(name)
    cubin, assembly, log = compile(code, architecture, VERBOSE)
    assert cubin[:4] == b"\x7fELF" and said(log) == []
    # the bits of the host build (what flushes in a root meets no small number), and below:
    assert ".visible .entry" in assembly and ".ftz" not in assembly.replace("rsqrt.approx.ftz.f32", "")
    alone = compile(
        unfused(code), f"compute_{oldest(name)}"
    )  # assembly of either: what is fused does not depend on the architecture
    assert ".visible .entry" in alone.assembly and "fma." not in alone.assembly
    assert kernels(code) and all(f".text.{kernel}\0".encode() in cubin for kernel in kernels(code))


VERBOSE = (*cuda.OPTIONS, "--ptxas-options=-v")
"""The assembler tells what each kernel uses: one compilation for the warnings and for the registers."""


def said(log: str) -> list[str]:
    """The lines of a log but those of what a kernel uses."""
    kinds = "Overriding maximum register|[0-9]+ bytes gmem|Compile time|Compiling entry function|Function properties|Used [0-9]+"
    used = rf"ptxas info +: ({kinds}).*|ptxas +\. +[0-9]+ bytes stack frame, .*"
    return [line for line in log.strip("\0\n").splitlines() if line and not re.fullmatch(used, line)]


def registers(code: str, given: tuple[str, ...]) -> list[int]:
    """Of a thread of each kernel."""
    return [
        int(n) for n in re.findall(r"Used (\d+) registers", compile(code, "sm_90", (*given, "--ptxas-options=-v")).log)
    ]


@pytest.mark.parametrize("name", cuda.names())
def test_a_block_of_1024_threads_has_registers_enough(name):
    require("nvrtc")
    code = cuda.source(name)
    used = registers(code, cuda.OPTIONS)
    assert len(used) == len(kernels(code)) and max(used) <= 65536 // 1024


@pytest.mark.parametrize("kind", ["f32", "f16", "bf16"])
def test_rows_are_held_where_they_should_be(kind):
    """One in registers, of which nothing is indexed at run time (none in local memory), one in shared memory; clusters."""
    require("nvrtc")
    code = cuda.source(f"spread_{kind}")
    assembly = compile(code, "compute_90").assembly
    assert ".local" not in assembly
    assert assembly.count("ld.global.v4.u32") >= 3 * 8 and assembly.count("cp.async.cg.shared.global") >= 3 * 8
    clusters = re.findall(r"\.reqnctapercluster (\d)", assembly)
    assert sorted(clusters) == ["2", "4", "8"] and "mapa.u64" in assembly and "barrier.cluster.arrive" in assembly


def test_a_row_in_local_memory_would_be_seen():
    require("nvrtc")
    code = cuda.source("spread_f32").replace("UNROLLED for (int l", '_Pragma("unroll 1") for (int l')
    assert ".local" in compile(code, "compute_90").assembly


def test_too_many_registers_would_be_seen():
    require("nvrtc")
    assert max(registers(cuda.source("tree"), cuda.OPTIONS[:2])) > 64


def test_a_wrong_source_does_not_compile():
    require("nvrtc")
    made = compile(cuda.source("tv").replace("block_reduce<Maximum, 2>", "block_reduce<Minimum, 2>"), "sm_80")
    assert made.cubin == b"" and "Minimum" in made.log


def test_fused_multiply_adds_would_be_seen():
    require("nvrtc")
    assert "fma." in compile(unfused(cuda.source("tv")), "compute_80", cuda.OPTIONS[:1]).assembly


def test_flushing_to_zero_would_be_seen():
    require("nvrtc")
    assert ".ftz" in compile(cuda.source("tv"), "compute_80", (*cuda.OPTIONS, "-ftz=true")).assembly


def test_a_warning_would_be_seen():
    require("nvrtc")
    log = compile(cuda.source("tv") + "\nKERNEL(idle, double *p) { int unused; }\n", "sm_90", VERBOSE).log
    assert said(log) and '"unused" was declared but never referenced' in said(log)[0]
