"""The library of counterexamples: each statement that stands in a Coq file here, at the counterexample on record.

A statement is a definition that bears the id of a refuted claim, with `_` for dots and hyphens; one that ends in `_assumes` says
what the claim assumes. Parameters bear the names of the instance's quantities.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from proofs_check.coq.algorithm.compiled import sources
from simspec.claims.deciding.proved import record
from simspec.claims.deciding.recorded import expected

__all__ = [
    "FOLDER",
    "LEFT",
    "Statement",
    "applied",
    "counterexamples",
    "library",
    "name_of",
    "refuted",
    "statements",
    "term",
    "verdicts",
    "written",
]

FOLDER = Path(__file__).parent
LEFT: dict[str, str] = {}
"""Refuted claims that are not stated, each with the reason in a line; none today. A test asks it of every new one."""
ALIASES = {"law": "list Q", "matrix": "list (list Q)"}
_NESTED = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))"
_DEFINITION = re.compile(rf"^Definition (\w+)((?:\s*\({_NESTED}+\))*) : bool :=", re.MULTILINE)
_PARAMETERS = re.compile(rf"\(([\w ]+) : ({_NESTED}+)\)")


class Statement(NamedTuple):
    """A statement in Coq: its file, its name, and its parameters with their types."""

    file: str
    name: str
    parameters: tuple[tuple[str, str], ...]


def name_of(claim: str) -> str:
    """The name in Coq of a claim's id.

    >>> name_of("rdk.never-worse")
    'rdk_never_worse'
    """
    return re.sub(r"[.-]", "_", claim)


def statements(texts: Mapping[str, str]) -> dict[str, Statement]:
    """Truth values that are defined in files, by name.

    >>> statements({"f": "Definition a_b (p q : law) (k : nat) : bool := true."})["a_b"].parameters
    (('p', 'law'), ('q', 'law'), ('k', 'nat'))
    """
    definitions = {}
    for file, text in texts.items():
        for name, parameter_text in _DEFINITION.findall(text):
            pairs = [
                (parameter, kind) for names, kind in _PARAMETERS.findall(parameter_text) for parameter in names.split()
            ]
            definitions[name] = Statement(file, name, tuple(pairs))
    return definitions


def term(value: Any, kind: str) -> str:
    """A value of an instance as Coq writes it.

    >>> term(["1/2", "0.25"], "law"), term(2, "nat"), term([[True]], "list (list bool)")
    ('[(1 # 2); (1 # 4)]', '2%nat', '[[true]]')
    >>> term(None, "option Q"), term(3, "option Q"), term("17.01K", "text")
    ('None', '(Some (3 # 1))', '"17.01K"%string')
    >>> term([[0, []]], "drafted")
    '(tree.Drafted [(0%nat, (tree.Drafted []))])'

    Raises
    ------
    ValueError
        for a type that is not known here.
    """
    kind = ALIASES.get(kind, kind)
    if kind.startswith("list "):
        inner = kind.removeprefix("list ")
        inner = inner[1:-1] if inner.startswith("(") else inner
        return f"[{'; '.join(term(item, inner) for item in value)}]"
    if kind.startswith("option "):
        return "None" if value is None else f"(Some {term(value, kind.removeprefix('option '))})"
    if kind == "text":
        return f'"{value}"%string'
    if kind == "shape":
        return f"(tree.Shape {term(value, 'list shape')})"
    if kind == "drafted":
        children = [f"({term(token, 'nat')}, {term(below, kind)})" for token, below in value]
        return f"(tree.Drafted [{'; '.join(children)}])"
    if kind == "Q":
        number = Fraction(value.removesuffix("K")) * 1000 if str(value).endswith("K") else Fraction(value)
        return f"({number.numerator} # {number.denominator})"
    if kind == "bool":
        return "true" if value else "false"
    if kind in {"nat", "positive"}:
        return f"{int(value)}%{kind}"
    raise ValueError(
        f"kind is {kind!r}; expected Q, bool, nat, positive, law, matrix, text, shape, drafted, a list or an option of these"
    )


def verdicts() -> dict[str, str]:
    """The recorded verdicts, by claim."""
    return dict(expected()["verdicts"])


def refuted() -> list[str]:
    """Ids of the refuted claims."""
    return [claim for claim, verdict in verdicts().items() if verdict == "refuted"]


def counterexamples() -> dict[str, dict[str, Any]]:
    """The counterexample on record of each refuted claim, the first where there are several."""
    proofs = record()["proofs"]
    instances_by_claim = {
        claim: [e["instance"] for e in proofs.get(claim, []) if "instance" in e] for claim in refuted()
    }
    return {claim: instances[0] for claim, instances in instances_by_claim.items() if instances}


def library(
    texts: Mapping[str, str] | None = None, instances: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, str]:
    """For each claim that is stated, a theorem: at the counterexample what is assumed holds, and the statement does not.

    By claim, the text of the theorem, which Coq decides by computing.
    """
    definitions = statements(sources(FOLDER) if texts is None else texts)
    theorems = {}
    for claim, instance in (counterexamples() if instances is None else instances).items():
        stated = definitions.get(name_of(claim))
        if stated is None:
            continue
        assumed = definitions.get(f"{stated.name}_assumes")
        parts = [applied(assumed, instance)] if assumed else []
        goal = " && ".join([*parts, f"negb ({applied(stated, instance)})"])
        theorems[claim] = (
            f"Theorem {stated.name}_refuted : {goal} = true.\nProof. vm_cast_no_check (eq_refl true). Qed.\n"
        )
    return theorems


def applied(stated: Statement, instance: Mapping[str, Any]) -> str:
    """A statement at the quantities of an instance."""
    arguments = [term(instance[name], kind) for name, kind in stated.parameters]
    return " ".join([f"{stated.file}.{stated.name}", *arguments])


def written(theorems: Mapping[str, str]) -> str:
    """A file of theorems, about the statements' files as modules of one library."""
    return "\n".join(["Require Import instances.\nImport vocabulary.\n", *theorems.values()])
