"""Compiles folders of Coq files, and asks Coq what its theorems rest on.

Files are copied to a folder of their own, so that nothing is left beside the sources.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["FOLDER", "REALS", "Refused", "assumptions", "axioms", "compiled", "ordered", "sources", "theorems"]

FOLDER = Path(__file__).parent
REALS = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
    }
)
"""What Coq's own construction of the reals rests on; nothing else may be assumed."""
_REQUIRED = re.compile(r"^Require (?:Import|Export) (.+)\.$", re.MULTILINE)
_THEOREM = re.compile(r"^Theorem (\w+)", re.MULTILINE)
_AXIOM = re.compile(r"^([A-Za-z_][\w.']*)\s*(?::|$)")


class Refused(Exception):
    """Coq did not accept a file; the message is Coq's."""


def theorems(text: str) -> list[str]:
    """Names of the theorems of a file, in their order.

    >>> theorems("Lemma a : True. Proof. easy. Qed.\\nTheorem b : True.\\nProof. easy. Qed.\\n")
    ['b']
    """
    return _THEOREM.findall(text)


def ordered(files: Mapping[str, str]) -> list[str]:
    """Names of files, each after those that it requires.

    >>> ordered({"b": "Require Import Reals a.", "a": ""})
    ['a', 'b']

    Raises
    ------
    ValueError
        where files require one another in a circle.
    """
    needs = {name: {*" ".join(_REQUIRED.findall(text)).split()} & {*files} for name, text in files.items()}
    done: list[str] = []
    while len(done) < len(files):
        ready = sorted(name for name in files if name not in done and needs[name] <= {*done})
        if not ready:
            raise ValueError(f"files require one another in a circle: {sorted({*files} - {*done})}; expected an order")
        done += ready
    return done


def compiled(files: Mapping[str, str], folder: Path, seconds: float = 300) -> dict[str, str]:
    """Compile files, by name without ending, in a folder that may have earlier ones compiled; what Coq printed of each.

    Raises
    ------
    Refused
        with the name of the first file that is not accepted, and what Coq says.
    """
    coq = shutil.which("coqc")
    if coq is None:
        raise FileNotFoundError("there is no coqc on the path: install Coq (Debian: coq)")
    said = {}
    for name in ordered(files):
        (folder / f"{name}.v").write_text(files[name], encoding="utf-8")
        run = subprocess.run(
            [coq, "-q", "-R", ".", "", f"{name}.v"], cwd=folder, capture_output=True, text=True, timeout=seconds
        )
        if run.returncode:
            raise Refused(f"{name}.v: {run.stderr.strip()}")
        said[name] = run.stdout
    return said


def sources(folder: Path = FOLDER) -> dict[str, str]:
    """Texts of the Coq files of a folder, by name without ending."""
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.v"))}


def axioms(printed: str) -> set[str]:
    """Axioms in what Coq prints for `Print Assumptions`.

    >>> sorted(axioms("Axioms:\\nA.b : nat ->\\n  nat\\nc\\n  : nat\\n"))
    ['A.b', 'c']
    >>> axioms("Closed under the global context\\n")
    set()
    """
    lines = [line for line in printed.splitlines() if line != "Axioms:" and not line.startswith("Closed under")]
    return {m.group(1) for line in lines if (m := _AXIOM.match(line))}


def assumptions(named: Mapping[str, Sequence[str]], folder: Path, name: str = "asked") -> set[str]:
    """What theorems rest on, all together, by the file that has them, compiled in the folder already."""
    every = ", ".join(f"@{file}.{each}" for file, names in named.items() for each in names)
    text = f"Require {' '.join(named)}.\nDefinition every_one := ({every}).\nPrint Assumptions every_one.\n"
    return axioms(compiled({name: text}, folder)[name])
