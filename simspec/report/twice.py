"""How often a proof was checked: by the package's own rules alone, or by Coq too.

``python -m proofs_check --coq`` writes ``coq.json``; an entry counts only while it is about the proof as it stands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from simspec.claims.claim import Claim
from simspec.claims.deciding.proved import fingerprint, record

__all__ = ["strength", "twice", "twice_of"]


def twice(fresh: bool = False) -> dict[str, Any]:
    """The content of ``coq.json``; empty where there is none.  What was read once is kept, unless it is to be fresh."""
    if fresh:
        _read.cache_clear()
    return _read()


@cache
def _read() -> dict[str, Any]:
    file = resources.files("simspec.claims").joinpath("coq.json")
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {"coq": "", "derivations": []}


def twice_of(claim: Claim) -> str:
    """How often the recorded proofs of a claim were checked, in words; empty where it has no derivation.

    >>> from simspec.claims import find
    >>> twice_of(find(["rdk.never-worse"])[0])
    ''
    """
    if all(e["kind"] == "counterexample" for e in record()["proofs"].get(claim.name, ())):
        return ""
    derivations = [e for e in twice()["derivations"] if e["claim"] == claim.name]
    return strength([e for e in derivations if e["proof"] == fingerprint(claim, e["file"])])


def strength(derivations: Sequence[Mapping[str, Any]]) -> str:
    """What Coq's answers come to, in words.

    >>> strength([]), strength([{"admitted": [], "whole": True}])
    ('proved once', 'proved twice')
    >>> strength([{"admitted": ["derive_3"], "whole": False}, {"not": "an enumeration of cases"}])
    'proved; 1 step is an axiom in the Coq replay'
    """
    if any(e.get("whole") for e in derivations):
        return "proved twice"
    steps = [len(e["admitted"]) for e in derivations if "admitted" in e]
    if not steps:
        return "proved once"
    return f"proved; {min(steps)} step{'s are axioms' if min(steps) != 1 else ' is an axiom'} in the Coq replay"
