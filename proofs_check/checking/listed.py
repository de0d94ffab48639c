"""All proof files, found in the folders of the papers."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from multiprocessing import parent_process
from pathlib import Path

from proofs_check.checking.plain import without_texts
from proofs_check.checking.proof import Proof, Refutation
from proofs_check.checking.stated import remember
from proofs_check.checking.stores import allowed
from simspec.claims import PAPERS as DRAWERS

__all__ = ["PAPERS", "chosen", "listed", "refuted"]

PAPERS = tuple(DRAWERS)


@cache
def listed() -> dict[str, tuple[Proof | Refutation, ...]]:
    """Proofs and refutations by file (``"sd/acceptance.py"``), in the order of the papers; all are read before one is run.

    Raises
    ------
    Unproved
        where a file does what a proof may not.

    >>> [type(p).__name__ for p in listed()["sd/acceptance.py"]]
    ['Proof']
    """
    remember()  # what claims say, before a proof file runs
    folder = Path(__file__).parents[1]
    if parent_process() is None:  # for the others it has been done
        for file in sorted(f for paper in PAPERS for f in (folder / paper).glob("*.py")):
            allowed(file.read_text(encoding="utf-8"), f"proofs_check/{file.relative_to(folder).as_posix()}")
    proofs_by_file = {}
    for paper in PAPERS:
        for module in sorted(m.name for m in pkgutil.iter_modules([str(folder / paper)]) if not m.name.startswith("_")):
            with without_texts():
                namespace = vars(import_module(f"proofs_check.{paper}.{module}"))
            proofs_by_file[f"{paper}/{module}.py"] = (
                (namespace["PROOF"],) if "PROOF" in namespace else namespace["PROOFS"]
            )
    return proofs_by_file


def refuted() -> frozenset[str]:
    """Ids of the claims that have a counterexample.

    >>> "rdk.never-worse" in refuted()
    True
    """
    return frozenset(p.claim.name for proofs in listed().values() for p in proofs if isinstance(p, Refutation))


def chosen(names: Sequence[str] = ()) -> Iterator[tuple[str, int, Proof | Refutation]]:
    """File, place in the file and proof of the claims with these ids or prefixes; of all when none is given.

    Raises
    ------
    ValueError
        for an id that no claim has.

    >>> [(file, n) for file, n, _ in chosen(["sd.acceptance"])]
    [('sd/acceptance.py', 0)]
    """
    from simspec.claims import find

    claim_names = {c.name for c in find(list(names))}
    for file, proofs in listed().items():
        for n, proof in enumerate(proofs):
            if proof.claim.name in claim_names:
                yield file, n, proof
