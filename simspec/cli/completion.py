"""`simspec completion`: a script by which a shell completes commands, options, claims, studies, figures and files.

The script is made by shtab from the parser itself, and knows the names that this version has: nothing of simspec runs
when a key is pressed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence

from simspec.cli.lazy import LazyParser

__all__ = ["add_arguments", "run", "script"]

SHELLS = ("bash", "zsh")
NAMES = {"ID": "claims", "NAME": "figures", "STUDY": "studies", "RULE": "rules"}
"""Which names an argument takes, by what it is called in the help."""
CLAIMS = ("cite",)
"""Commands whose NAME is a claim."""
FOLDERS = frozenset({"DIR", "FOLDER", "TARGET", "SOURCE"})
FILES = frozenset({"FILE", "PATH", "BANK", "NPZ", "JSON", "FILE.json"})


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    p.add_argument("shell", choices=SHELLS, help="the shell that reads the script")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    from simspec.cli import parser

    print(script(parser().declare_all(), args.shell, _known()))
    return 0


def script(parser: LazyParser, shell: str, names_by_kind: Mapping[str, Sequence[str]]) -> str:
    """The script for a parser whose arguments are declared.

    Parameters
    ----------
    parser : LazyParser
    shell : "bash" or "zsh"
    names_by_kind : {"claims", "figures", "studies" or "rules": names}

    Raises ValueError where shtab is missing, with the command that brings it.
    """
    from simspec.checks import missing

    try:
        import shtab
    except ImportError as error:
        raise ValueError(missing("completion", error)) from None
    for command, action in _arguments(parser, ""):
        metavar = action.metavar if isinstance(action.metavar, str) else ""
        kind = "claims" if command in CLAIMS and metavar == "NAME" else NAMES.get(metavar)
        if kind is not None and names_by_kind.get(kind) and not (kind == "figures" and command != "figures"):
            action.complete = {"bash": f"_simspec_{kind}", "zsh": f"({' '.join(names_by_kind[kind])})"}  # type: ignore[attr-defined]
        elif metavar in FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif metavar in FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    functions = [
        f'_simspec_{kind}() {{ compgen -W "{" ".join(names)}" -- "$1"; }}' for kind, names in names_by_kind.items()
    ]
    return str(shtab.complete(parser, shell, preamble="\n".join(functions) if shell == "bash" else ""))


def _arguments(parser: argparse.ArgumentParser, command: str) -> Iterator[tuple[str, argparse.Action]]:
    """Every argument with the first word of the command it belongs to."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from _arguments(inner, command or name)
        else:
            yield command, action


def _known() -> dict[str, list[str]]:
    from simspec.claims import PAPERS, registry
    from simspec.figures.gallery import figures
    from simspec.methods.registry import kinds
    from simspec.studies.catalogue import catalogue

    return {
        "claims": [*PAPERS, *registry()],
        "figures": list(figures()),
        "studies": list(catalogue()),
        "rules": [kind.name for kind in kinds("token", "siblings", "context", "path", "tree")],
    }
