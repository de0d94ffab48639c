"""`simspec audit`: whether somebody's sampler still emits the target's law."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

__all__ = ["add_arguments", "run"]


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    p.add_argument(
        "sampler",
        metavar="SAMPLER",
        help="FILE.py:NAME or module:NAME of a function (p, q, n, rng) -> tokens (n, gamma + 1)",
    )
    p.add_argument("--gamma", type=int, default=2, metavar="N", help="drafts of a call, smaller ones too (default 2)")
    p.add_argument("--vocab", type=int, default=3, metavar="V", help="tokens, fewer ones too (default 3)")
    p.add_argument(
        "--calls", type=int, default=50_000, metavar="N", help="most calls on each pair of laws (default 50000)"
    )
    p.add_argument("--within", type=float, default=0.05, metavar="TV", help="what counts as lossless (default 0.05)")
    p.add_argument(
        "--error", type=float, default=1e-6, metavar="P", help="false alarm, at any stopping time (default 1e-6)"
    )
    p.add_argument("--seed", type=int, default=0, metavar="N", help="of the random numbers (default 0)")
    p.add_argument(
        "--no-edges", action="store_true", help="leave out gamma = 0, gamma = 1 and a vocabulary of one token"
    )
    p.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON (- prints it)")
    p.add_argument(
        "--markdown", type=Path, metavar="FILE", help="append the report as Markdown, for a job's summary (- prints it)"
    )


def run(args: argparse.Namespace) -> int:
    """Audit, then say what was found; 0 lossless, 1 biased or broken, 3 not decided."""
    from simspec.audit import audit, revealing

    if args.seed < 0:
        raise ValueError(f"--seed: {args.seed}; expected an integer of at least 0")
    report = audit(
        _load(args.sampler),
        pairs=revealing(args.gamma, args.vocab, edges=not args.no_edges),
        calls=args.calls,
        within=args.within,
        error=args.error,
        seed=args.seed,
    )
    printed = False
    if args.json is not None:
        printed |= _put(json.dumps(report.plain(), indent=1) + "\n", args.json, "w")
    if args.markdown is not None:
        printed |= _put(report.markdown(), args.markdown, "a")
    if not printed:
        print(f"{args.sampler}: {report.words()}")
    return report.exit_status


def _put(text: str, path: Path, mode: str) -> bool:
    """Write to a file, or print; whether it was printed."""
    if str(path) == "-":
        sys.stdout.write(text)
        return True
    with path.open(mode, encoding="utf-8") as file:
        file.write(text)
    return False


def _load(reference: str) -> Callable[..., Any]:
    """The function at FILE.py:NAME or module:NAME."""
    where, _, name = reference.rpartition(":")
    if not where or not name:
        raise ValueError(f"SAMPLER: {reference!r}; expected FILE.py:NAME or module:NAME")
    if where.endswith(".py") and not Path(where).is_file():
        raise ValueError(f"SAMPLER: no file {where}; expected FILE.py:NAME")
    folder = str(Path(where).resolve().parent if where.endswith(".py") else Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = _of_file(Path(where)) if where.endswith(".py") else import_module(where)
    except (Exception, SystemExit) as error:
        raise ValueError(f"SAMPLER: {where} cannot be loaded ({type(error).__name__}: {error})") from error
    found = getattr(module, name, None)
    if not callable(found):
        what = "not there" if found is None else f"a {type(found).__name__}"
        raise ValueError(f"SAMPLER: {reference!r} is {what}; expected a function (p, q, n, rng) -> tokens")
    return found


def _of_file(path: Path) -> Any:
    spec = spec_from_file_location(f"_loaded_{path.stem}", path)
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
