"""Compiles folders of Coq files, each folder as one library, and asks Coq what its theorems rest on.

Starting Coq costs more than most files do: files of a folder become modules of one file. It is written to a folder of its own,
so that nothing is left beside the sources.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = [
    "FOLDER",
    "REALS",
    "Refused",
    "assumptions",
    "axioms",
    "beside",
    "compiled",
    "joined",
    "ordered",
    "refusals",
    "sources",
    "theorems",
]

FOLDER = Path(__file__).parent
REALS = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
    }
)
"""What Coq's own construction of the reals rests on; nothing else may be assumed."""
_REQUIRED = re.compile(r"^Require(?: (Import|Export))? (.+)\.$", re.MULTILINE)
_MODULE = re.compile(r"Module (\w+)\.")
_FAILED = "The command has indeed failed with message:\n"
_THEOREM = re.compile(r"^Theorem (\w+)", re.MULTILINE)
_AXIOM = re.compile(
    r"^([^\W\d][\w.']*)(?:\s*(?::|$)|\s+(?:is assumed|relies on|is impredicative|hierarchy is collapsed)\b)"
)
"""What Coq's report names: an axiom, in any letters, or what it was told to take unchecked (a recursion, a type, a universe)."""


class Refused(Exception):
    """Coq did not accept a file; the message is Coq's."""


def theorems(text: str) -> list[str]:
    """Names of the theorems of a file, in their order.

    >>> theorems("Lemma a : True. Proof. easy. Qed.\\nTheorem b : True.\\nProof. easy. Qed.\\n")
    ['b']
    """
    return _THEOREM.findall(text)


def _required(text: str) -> set[str]:
    """What a file requires."""
    return {name for _, names in _REQUIRED.findall(text) for name in names.split()}


def _imports(text: str) -> str:
    """A file that imports what it required, which is there already."""
    return _REQUIRED.sub(lambda match: f"{match[1]} {match[2]}." if match[1] else "", text)


def ordered(files: Mapping[str, str]) -> list[str]:
    """Names of files, each after those that it requires.

    >>> ordered({"b": "Require Import Reals a.", "a": ""})
    ['a', 'b']

    Raises
    ------
    ValueError
        where files require one another in a circle.
    """
    needs = {name: _required(text) & {*files} for name, text in files.items()}
    file_order: list[str] = []
    while len(file_order) < len(files):
        ready = sorted(name for name in files if name not in file_order and needs[name] <= {*file_order})
        if not ready:
            raise ValueError(
                f"files require one another in a circle: {sorted({*files} - {*file_order})}; expected an order"
            )
        file_order += ready
    return file_order


def joined(files: Mapping[str, str]) -> str:
    """One file with each of several, by name without ending, as a module; what they require of Coq's library comes first.

    >>> print(joined({"b": "Require Import Reals a.", "a": "Require Export List."}), end="")
    Require List Reals.
    Module a.
    Export List.
    End a.
    Module b.
    Import Reals a.
    End b.

    Raises
    ------
    ValueError
        where files require one another in a circle.
    """
    others = sorted({name for text in files.values() for name in _required(text)} - {*files})
    head = f"Require {' '.join(others)}.\n" if others else ""
    return head + "".join(f"Module {name}.\n{_imports(files[name]).rstrip()}\nEnd {name}.\n" for name in ordered(files))


def compiled(text: str, folder: Path, name: str, *options: str, seconds: float = 900) -> str:
    """Compile a file, by name without ending, in a folder that may have earlier ones compiled; what Coq printed.

    Raises
    ------
    Refused
        with the name of the file that is not accepted, of several that are `joined` the first, and what Coq says.
    """
    coq = shutil.which("coqc")
    if coq is None:
        raise FileNotFoundError("there is no coqc on the path: install Coq (Debian: coq)")
    (folder / f"{name}.v").write_text(text, encoding="utf-8")
    run = subprocess.run(
        [coq, "-q", "-R", ".", "", *options, f"{name}.v"], cwd=folder, capture_output=True, text=True, timeout=seconds
    )
    if run.returncode:
        raise Refused(f"{_place(text, run.stderr) or f'{name}.v'}: {run.stderr.strip()}")
    return run.stdout


def _place(text: str, said: str) -> str:
    """The file, of those that are joined in a text, and the line of it where Coq found an error; nothing where it is in none.

    >>> said = 'File "./all.v", line 2, characters 0-5:\\nWarning: so.\\nFile "./all.v", line 5, characters 0-5:\\nError: wrong.'
    >>> _place("Module a.\\n\\nEnd a.\\nModule b.\\nwrong\\n", said)
    'b.v, line 1'
    """
    match = re.search(r'^File "[^"]*", line (\d+).*\nError', said, re.MULTILINE)
    before = text.splitlines()[: int(match[1]) - 1] if match else []
    for line, text_line in enumerate(reversed(before), 1):
        if opened := _MODULE.fullmatch(text_line):
            return f"{opened[1]}.v, line {line}"
    return ""


def beside(text: str, folder: Path, library: str, name: str = "asked") -> str:
    """Compile a file that has what is in a library, compiled in the folder already; what Coq printed.

    Raises
    ------
    Refused
        with what Coq says, where it does not accept the file.
    """
    return compiled(f"Require Import {library}.\n{_imports(text)}", folder, name)


def refusals(files: Mapping[str, str], folder: Path, library: str, name: str = "asked") -> dict[str, str]:
    """What Coq says against each of files, all of which it refuses; they have what is in a library compiled in the folder.

    Raises
    ------
    Refused
        with the name of the first file that is accepted.
    """
    for file, text in files.items():
        (folder / f"{file}.v").write_text(_imports(text), encoding="utf-8")
    modules = [f'Module {file}.\nFail Load "{file}".\nEnd {file}.\n' for file in files]
    output = compiled(f"Require Import {library}.\n{''.join(modules)}", folder, name, "-test-mode")
    return dict(zip(files, output.split(_FAILED)[1:], strict=True))


def sources(folder: Path = FOLDER) -> dict[str, str]:
    """Texts of the Coq files of a folder, by name without ending."""
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.v"))}


def axioms(printed: str) -> set[str]:
    """Axioms in what Coq prints for `Print Assumptions`.

    >>> sorted(axioms("Axioms:\\nA.b : nat ->\\n  nat\\nc\\n  : nat\\n"))
    ['A.b', 'c']
    >>> axioms("Closed under the global context\\n")
    set()
    >>> sorted(axioms("Axioms:\\nloop is assumed to be guarded.\\nα : False\\n"))
    ['loop', 'α']
    """
    lines = [line for line in printed.splitlines() if line != "Axioms:" and not line.startswith("Closed under")]
    return {m.group(1) for line in lines if (m := _AXIOM.match(line))}


def assumptions(names: Iterable[str], folder: Path, library: str, name: str = "asked") -> set[str]:
    """What theorems rest on, all together, of a library that is compiled in the folder already."""
    theorems = ", ".join(f"@{theorem}" for theorem in names)
    text = f"Require Import {library}.\nDefinition every_one := ({theorems}).\nPrint Assumptions every_one.\n"
    return axioms(compiled(text, folder, name))
