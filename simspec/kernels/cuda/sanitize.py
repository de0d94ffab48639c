"""Every CUDA kernel once, on small rows of awkward lengths, under NVIDIA's compute-sanitizer.

    python -m simspec.kernels.cuda.sanitize

runs its four tools one after the other: memory out of bounds, memory not written before it is read, races on shared memory,
barriers that not all threads reach.  It needs CuPy, a device and compute-sanitizer (part of the CUDA toolkit; found on the
PATH or under CUDA_HOME); without one of them a line says which, and the exit status is 2.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from simspec.kernels import lattice, rounds
from simspec.kernels.affinity import cuda_affinity as affinity
from simspec.kernels.cuda.launch import cupy, launch, properties
from simspec.kernels.random import Draws
from simspec.kernels.rounds import block, several, tree
from simspec.kernels.synthetic import Model
from simspec.kernels.synthetic import cuda_synthetic as synthetic
from simspec.kernels.synthetic.held import held
from simspec.kernels.tv import cuda_tv

__all__ = ["TOOLS", "command", "every_kernel", "find", "main"]

TOOLS = ("memcheck", "initcheck", "racecheck", "synccheck")


def every_kernel(vocab: int = 601, threads: int | None = None) -> None:
    """Launch each kernel: rows of a length that is no multiple of the lanes, more draws than a block has threads."""
    cp = cupy()
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64):
        law = abs(cp.asarray(rng.standard_normal((3, vocab)).astype(dtype)))
        lattice.quantise_top(law, vocab // 2, 100, threads)
        lattice.quantise_above(law, 1e-3, 100, threads=threads)
    stored: dict[str, Any] = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": np.float16}
    for kind, real in stored.items():
        a, b = (cp.asarray(rng.standard_normal((2, vocab)).astype(real)) for _ in range(2))
        if real == np.float16:  # by the bits, of which none is NaN in bfloat16
            a, b = (x.view(np.uint16) for x in (a, b))
        for plan in cuda_tv.available(vocab, kind):
            launch_plan = plan if plan.reads == 1 or threads is None else plan._replace(threads=threads)
            cuda_tv.tv_rows(a, b, launch_plan)
    laws = [cp.asarray(x) for x in rng.dirichlet(np.ones(vocab), (3, 2))]
    rule = rounds.tables(laws[0], laws[0] / 2, laws[1], laws[2], rng.integers(2, size=vocab))
    rounds.run_rounds(rule, Draws(1, range(300)), gamma=3, rounds=4, tokens=True, counts=True, threads=threads)
    pair = block.block_tables(laws[0], laws[1], rng.integers(2, size=vocab))
    block.run_block_rounds(pair, Draws(1, range(300)), gamma=3, rounds=4, tokens=True, counts=True, threads=threads)
    drafts = several.several_tables(laws[0], laws[1], 3, following=rng.integers(2, size=vocab))
    several.run_several_rounds(
        drafts, Draws(1, range(300)), gamma=3, rounds=4, tokens=True, counts=True, threads=threads
    )
    trees = tree.tree_tables(laws[0], laws[1], (((),), ()), following=rng.integers(2, size=vocab))
    tree.run_tree_rounds(trees, Draws(1, range(300)), rounds=4, tokens=True, counts=True, threads=threads)
    for df, real in product((5.0, np.inf), (np.float32, np.float64)):
        draws = Draws(1, range(3), dtype=real)
        model = Model(df, rho=0.5)
        for backend in (synthetic.overlap, synthetic.logits, synthetic.sums):
            backend(draws, vocab, model, threads)
        synthetic.overlap(draws, vocab, model._replace(scale=np.ones(vocab)), threads)
    request = synthetic.Request(Draws(1, range(3), dtype=np.float32), 9 * vocab, Model(5.0, rho=0.5))
    for pairs in {held(request.vocab, 8), held(10**4, int(properties()["major"]))}:
        synthetic.overlaps_held([request], pairs if threads is None else pairs._replace(threads=threads))
    U, lam, diag = (cp.asarray(x) for x in (rng.standard_normal((vocab, 3)), rng.random(3), rng.random(vocab)))
    affinity.affinity_apply(laws[0], U, lam, diag, 1.0, threads)
    launch("rate", "float64_chains", 2, 32, 3, np.float64(0.5), cp.empty(64))


def find() -> str | None:
    """Where compute-sanitizer is: on the PATH, or under CUDA_HOME or CUDA_PATH."""
    folders = [str(Path(os.environ[name], "bin")) for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    return shutil.which("compute-sanitizer", path=os.pathsep.join([os.environ.get("PATH", os.defpath), *folders]))


def command(sanitizer: str, tool: str) -> list[str]:
    """The command that runs all kernels under one tool and fails if that has found anything.

    CuPy's own kernels are watched too, for they write what ours read, but for races, of which they have some.

    >>> command("compute-sanitizer", "racecheck")[:5]
    ['compute-sanitizer', '--tool', 'racecheck', '--error-exitcode', '1']
    """
    launch_command = [sys.executable, "-m", "simspec.kernels.cuda.sanitize", "--launch"]
    others = ["--kernel-name-exclude", "kns=cupy_"] if tool == "racecheck" else []
    return [sanitizer, "--tool", tool, "--error-exitcode", "1", *others, *launch_command]


def main(argv: list[str] | None = None) -> int:
    """0 if no tool finds anything, 1 if one does, 2 where something is missing."""
    parser = argparse.ArgumentParser(
        prog="python -m simspec.kernels.cuda.sanitize",
        description="Run every CUDA kernel under compute-sanitizer.",
        epilog="example: python -m simspec.kernels.cuda.sanitize --tool racecheck",
    )
    parser.add_argument(
        "--tool", choices=TOOLS, action="append", help="only this one; may be repeated (default: all four)"
    )
    parser.add_argument("--launch", action="store_true", help="only launch the kernels, without a sanitizer")
    args = parser.parse_args(argv)
    try:
        cp = cupy()
    except (ImportError, RuntimeError) as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 2
    if args.launch:
        cp.cuda.set_allocator(None)  # an allocation for each array: a pool would hide what lies beside it
        every_kernel()
        return 0
    sanitizer = find()
    if sanitizer is None:
        print("compute-sanitizer: not found; expected on the PATH or under CUDA_HOME (CUDA toolkit)", file=sys.stderr)
        return 2
    failed_tools = [tool for tool in args.tool or TOOLS if subprocess.run(command(sanitizer, tool)).returncode]
    print(
        f"compute-sanitizer: {', '.join(failed_tools) + ' found errors' if failed_tools else 'nothing found'}",
        file=sys.stderr,
    )
    return 1 if failed_tools else 0


if __name__ == "__main__":
    sys.exit(main())
