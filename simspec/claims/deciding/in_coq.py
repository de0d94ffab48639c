"""What Coq has said of the proofs on record, which `python -m proofs_check --coq` asks it and keeps in ``coq.json``.

An answer counts only for the proof that it was made of: the same claim, file, place in the file and hash, and only while what
all scripts share is what Coq has read with it.  From it comes the word of a verdict: a claim is `proved` where Coq accepts a
derivation of the whole statement, no step admitted and nothing assumed but what the proof is given and the axioms of Coq's
real numbers; what only the package's own rules accept is `derived`.  A claim with a derivation is `proved`, too, where Coq
accepts a theorem about the algorithm itself, written by hand, that says the same.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, TypeGuard

from simspec.claims import registry
from simspec.claims.claim import Claim, Verdict
from simspec.claims.deciding.proved import (
    ENTRY,
    as_written,
    entries_of,
    fingerprint,
    folder_hash,
    record,
    roles,
    stands_in,
    texts_in,
    whole,
)
from simspec.claims.deciding.statements import FOLDER, is_as_read
from simspec.provenance.walk import code_of

__all__ = [
    "RULES",
    "SHOWN",
    "adds_up",
    "answer",
    "answer_of_record",
    "answered",
    "composed_on_record",
    "coq_record",
    "formulas_hash",
    "in_coq",
    "is_accepted_on_record",
    "library_hash",
    "of_these_libraries",
    "prelude_of",
    "sentence",
    "sentence_of",
    "theorem_name",
    "theorems_hash",
    "unproved_uses",
    "word",
]

SHOWN = ("whole", "steps", "admitted", "not")
"""What of an answer is shown with the proof."""
PRELUDE = "prelude.v"
"""What all scripts for Coq share: sums, extrema, powers."""
HARDER = ("further", "deeper")
"""Kinds of scripts of some steps, which require a file of that name."""
_HASH = re.compile(r"[0-9a-f]{24}")
RULES = "simspec's own rules"
PART = "a part of the statement"
LISTED = 8
"""Steps that are named in a sentence, at most."""


def coq_record(fresh: bool = False) -> dict[str, Any]:
    """The content of ``coq.json``; empty where there is none.

    What was read once is kept, unless it is to be `fresh`: so whoever asks Coq anew reads it, whatever its digest is.

    Raises
    ------
    ValueError
        where it is not as it was written.
    """
    if not fresh:
        return _read()
    for kept in (_read, _answers, composed_on_record, _theorem, _is_proved):
        kept.cache_clear()
    file = resources.files("simspec.claims").joinpath("coq.json")
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else dict(_NOTHING)


_NOTHING = {"coq": "", "derivations": []}


@cache
def _read() -> dict[str, Any]:
    return as_written("coq.json") or dict(_NOTHING)


@cache
def _answers() -> dict[tuple[str, str, int, str], dict[str, Any]]:
    derivations = coq_record()["derivations"]
    if wrong := [e for e in derivations if not adds_up(e)]:
        raise ValueError(
            f"coq.json: {wrong[0]['claim']}: whole is {wrong[0].get('whole')!r}, which does not follow from the steps that "
            "are admitted; ask Coq anew: make coq"
        )
    # of other entries, what their scripts require said another thing when Coq read them
    of_these_libraries = [e for e in derivations if _are_libraries_those_read(e)]
    return {(e["claim"], e["file"], e["place"], e["proof"]): e for e in of_these_libraries}


def _are_libraries_those_read(entry: Mapping[str, Any]) -> bool:
    """Whether the files that the script of an entry requires are what Coq has read."""
    required = entry.get("requires", {})
    if not isinstance(required, dict) or any(entry.get(kind) and kind not in required for kind in HARDER):
        return False
    stamps = {PRELUDE.removesuffix(".v"): prelude_of(entry, coq_record()), **required}
    return all(stamp == library_hash(f"{name}.v") for name, stamp in stamps.items())


def prelude_of(entry: Mapping[str, Any], record: Mapping[str, Any]) -> str | None:
    """Hash of the prelude that an entry is about: its own, or that of a record whose entries name none.

    >>> prelude_of({"prelude": "5e1"}, {"prelude": "69b"}), prelude_of({}, {"prelude": "69b"}), prelude_of({}, {})
    ('5e1', '69b', None)
    """
    return entry.get("prelude", record.get("prelude"))


@cache
def library_hash(name: str) -> str:
    """Hash of a file that scripts for Coq require; that of an empty text where there is none.

    >>> {prelude_of(e, coq_record()) for e in coq_record()["derivations"]} == {library_hash("prelude.v")}
    True
    >>> library_hash("nowhere.v")
    'e3b0c44298fc1c149afbf4c8'
    """
    text = texts_in("coq", ".v").get(name.removesuffix(".v"), "")
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def adds_up(entry: Mapping[str, Any]) -> bool:
    """Whether the flag of an entry of the record says what follows from the rest of it.

    A derivation is accepted whole where Coq has read a text, of which there is a hash, of at least one step and was told none of
    them, or none that the conclusions rest on, which ``"rests_on": []`` says; where there was no answer nothing is.

    >>> adds_up({"text": "5e1" * 8, "steps": 6, "admitted": [], "whole": True})
    True
    >>> adds_up({"text": "5e1" * 8, "steps": 6, "admitted": ["sum_3"], "whole": True}), adds_up({"not": "late", "whole": True})
    (False, False)
    """
    whole_flag = entry.get("whole")
    if "not" in entry:
        return whole_flag in (None, False)
    admitted = entry.get("admitted")
    steps = entry.get("steps")
    text = entry.get("text")
    if not isinstance(whole_flag, bool) or not isinstance(text, str) or not _HASH.fullmatch(text):
        return False
    if not _are_names(admitted) or type(steps) is not int or not len(admitted) <= steps > 0:
        return False
    rests_on = entry.get("rests_on", admitted)
    if not _are_names(rests_on) or not {*rests_on} <= {*admitted}:
        return False
    return whole_flag == (not rests_on) and (bool(rests_on) or len(admitted) < steps)


def _are_names(value: Any) -> TypeGuard[list[str]]:
    """Whether it is a list of names, each another one."""
    return isinstance(value, list) and all(type(name) is str for name in value) and len({*value}) == len(value)


def answer(name: str, entry: Mapping[str, Any]) -> dict[str, Any] | None:
    """Coq's answer about an entry of the record of proofs, with Coq's version; None where Coq was not asked about this proof.

    Parameters
    ----------
    name : the claim's id
    entry : of ``proofs.json``: its file, place and hash tell which proof it is

    >>> answer("own.claim", {"file": "sd/acceptance.py", "place": 0, "hash": "of another text"}) is None
    True
    """
    if entry.get("kind") == "counterexample":
        return None
    said = _answers().get((name, entry["file"], entry.get("place", -1), entry["hash"]))
    theorem = _theorem(name)
    if not said and not theorem:
        return None
    shown = {key: said[key] for key in SHOWN if key in said} if said else {}
    composed = composed_on_record().get((name, entry["file"], entry.get("place", -1), entry["hash"]))
    if composed and shown.get("whole"):
        shown["takes"] = _names_taken(composed)
    return {"coq": coq_record()["coq"], **shown, **({"theorem": theorem} if theorem else {})}


def answer_of_record(record: Mapping[str, Any], name: str, place: int) -> dict[str, Any] | None:
    """Coq's answer in the record beside a user's file about an entry of a claim; None where there is none, or a wrong one.

    Anybody can write such a record: it says what to ask Coq again, and proves nothing.

    >>> said = {"coq": "8.16.1", "text": "5e1" * 8, "steps": 6, "admitted": [], "whole": True}
    >>> answer_of_record({"proofs": {"own.claim": [{"coq": said}]}}, "own.claim", 0) == said
    True
    >>> answer_of_record({"proofs": {"own.claim": [{"coq": {**said, "steps": 0}}]}}, "own.claim", 0) is None
    True
    """
    entries = record["proofs"].get(name, [])
    recorded = entries[place].get("coq") if place < len(entries) else None
    if not isinstance(recorded, dict) or not isinstance(recorded.get("coq"), str) or not adds_up(recorded):
        return None
    return recorded if all(_are_names(recorded.get(kind, [])) for kind in HARDER) else None


@cache
def composed_on_record() -> dict[tuple[str, str, int, str], dict[str, Any]]:
    """Of derivations that are one theorem on the names as they are defined, what Coq says that the theorem takes."""
    entries = of_these_libraries(as_written("composed.json"))
    return {(e["claim"], e["file"], e["place"], e["proof"]): e for e in entries if "not" not in e}


def of_these_libraries(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The derivations of a record that names the libraries which Coq read; none where these have become other ones.

    >>> of_these_libraries({"libraries": {"prelude.v": "of another text"}, "derivations": [{"claim": "own.claim"}]})
    []
    """
    is_same = all(library_hash(name) == of_file for name, of_file in record.get("libraries", {}).items())
    return list(record.get("derivations", ())) if is_same else []


@cache
def _theorem(name: str) -> str | None:
    """The theorem about the algorithm that Coq has accepted of a claim that ships, while it is about what it was about."""
    from simspec.claims import registry

    for entry in coq_record().get("theorems", ()):
        if entry["claim"] != name or entry["theorem"] != theorem_name(name):  # of another claim
            continue
        if not stands_in(entry["file"], f"\nTheorem {entry['theorem']} "):
            continue
        if not is_as_read(entry["theorem"], Path(entry["file"]).stem):  # a theorem says what was read, or nothing
            continue
        if entry["files"] == theorems_hash() and name in registry():
            return str(entry["theorem"]) if entry["formulas"] == formulas_hash(registry()[name]) else None
    return None


def theorem_name(name: str) -> str:
    """What the theorem about an algorithm is called that says what a claim says.

    >>> theorem_name("sqs.rejection-bound")
    'sqs_rejection_bound'
    """
    return name.replace(".", "_").replace("-", "_")


@cache
def theorems_hash() -> str:
    """Hash of all Coq files with theorems about the algorithms.

    >>> len(theorems_hash())
    24
    """
    return folder_hash(FOLDER, ".v")


def formulas_hash(claim: Claim) -> str:
    """Hash of the code of a claim's formulas.

    >>> from simspec.claims import find
    >>> one, other = find(["sd.acceptance", "sd.lossless"])
    >>> formulas_hash(one) == formulas_hash(one) != formulas_hash(other)
    True
    """
    return str(code_of([*roles(claim).values()], is_whole=True)["fingerprint"])


def answered(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of the record as ``verdicts.json`` shows it, with Coq's answer."""
    return {**{key: entry.get(key) for key in ENTRY}, "coq": answer(name, entry)}


def in_coq(entry: Mapping[str, Any]) -> bool:
    """Whether Coq accepts the whole derivation of an entry, or a theorem about the algorithm that says the same.

    A derivation takes other claims as given (`uses`), and Coq knows of them what it is told: each has to be proved itself.

    >>> in_coq({"coq": {"whole": True}}), in_coq({"coq": {"whole": False, "admitted": ["sum_3"]}}), in_coq({"coq": None})
    (True, False, False)
    >>> in_coq({"coq": {"whole": True, "not": "no answer in 300 s"}})  # a record that contradicts itself
    False
    """
    said = entry.get("coq") or {}
    is_whole = said.get("whole") is True and not said.get("not") and not unproved_uses(entry)
    return is_whole or bool(said.get("theorem"))


def unproved_uses(entry: Mapping[str, Any]) -> list[str]:
    """Claims that a derivation takes as given, and which are not proved on record.

    >>> unproved_uses({"uses": ["sd.acceptance", "rdk.never-worse"]})
    ['rdk.never-worse']
    """
    return [name for name in entry.get("uses") or () if not _is_proved(name)]


@cache
def _is_proved(name: str) -> bool:
    """Whether a claim's proofs on record, which are about its formulas as they stand, make it "proved"."""
    claim = registry().get(name)
    return claim is not None and word([answered(name, entry) for entry in entries_of(claim)]) == "proved"


def is_accepted_on_record(proofs: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a user's record says that Coq accepts a derivation of the whole statement, and Coq was not asked again.

    >>> is_accepted_on_record([{"kind": "symbolic", "whole": True, "coq": {"coq": "8.16.1", "recorded": {"whole": True}}}])
    True
    """
    answers = [entry["coq"] or {} for entry in whole(proofs)]
    return any(said.get("recorded", {}).get("whole") is True for said in answers)


def word(proofs: Iterable[Mapping[str, Any]]) -> Verdict:
    """The word for what these proofs show, where no try contradicts them: "proved", "derived" or "holds".

    >>> rules, coq = ({"kind": "symbolic", "whole": True, "coq": coq} for coq in (None, {"whole": True}))
    >>> word([rules, coq]), word([rules]), word([{**coq, "whole": False}]), word([])
    ('proved', 'derived', 'holds', 'holds')
    """
    complete = whole(proofs)
    if any(map(in_coq, complete)):
        return "proved"
    return "derived" if complete else "holds"


def sentence(entry: Mapping[str, Any]) -> str:
    """What Coq was given of a proof, and what it said, in a sentence.

    >>> sentence({"coq": {"coq": "8.16.1", "whole": True, "steps": 6, "admitted": []}})
    'Coq 8.16.1 accepts the whole derivation: 6 lemmas, no axiom but those of its real numbers, what is given as hypotheses'
    >>> takes = {"coq": "8.16.1", "whole": True, "steps": 6, "admitted": [], "takes": ["p > 0"]}
    >>> sentence({"coq": takes}).partition("numbers, ")[2]
    'as one theorem on the names as they are defined, which takes p > 0 as given'
    >>> sentence({"coq": {"coq": "8.16.1", "whole": False, "steps": 6, "admitted": ["sum_3"]}})
    "5 of 6 steps are lemmas that Coq 8.16.1 proves; simspec's own rules alone show sum_3, an axiom in the Coq script"
    >>> sentence({"coq": {"coq": "8.16.1", "not": "an enumeration of cases"}})
    "simspec's own rules alone show it: Coq was given nothing (an enumeration of cases)"
    >>> sentence({"coq": {"coq": "8.16.1", "theorem": "block_lossless", "not": "no answer in 300 s"}})
    'Coq 8.16.1 accepts a theorem about the algorithm itself, block_lossless'
    >>> sentence({"coq": {"coq": "8.16.1", "recorded": {"not": "no answer in 900 s"}}})
    "simspec's own rules alone show it here; on record, and not asked again: Coq was given nothing (no answer in 900 s)"
    >>> sentence({"whole": False, "coq": {"coq": "8.16.1", "not": "an enumeration of cases"}})
    "simspec's own rules alone show a part of the statement: Coq was given nothing (an enumeration of cases)"
    >>> sentence({"coq": None})
    "simspec's own rules alone show it: Coq has not been asked about this proof"
    """
    said = entry.get("coq")
    is_part = entry.get("whole") is False
    by_rules = f"{RULES} alone show {PART if is_part else 'it'}"
    if not said:
        return f"{by_rules}: Coq has not been asked about this proof"
    if "recorded" in said:  # of a user's own file
        on_record = sentence({**entry, "coq": {**said["recorded"], "coq": said["coq"]}}).removeprefix(f"{by_rules}: ")
        return f"{by_rules} here; on record, and not asked again: {on_record}"
    if said.get("theorem"):
        return f"Coq {said['coq']} accepts a theorem about the algorithm itself, {said['theorem']}"
    if "admitted" not in said:
        return f"{by_rules}: Coq was given nothing ({said['not']})"
    steps = said["steps"]
    of_part = f" of {PART}" if is_part else ""
    if not said["admitted"] and (unproved := unproved_uses(entry)):
        return (
            f"Coq {said['coq']} accepts the derivation{of_part} with what it takes as given; of that {', '.join(unproved)} is "
            "not proved"
        )
    if in_coq(entry):
        lemmas = f"{steps} lemma{'s' * (steps != 1)}"
        return (
            f"Coq {said['coq']} accepts the whole derivation{of_part}: {lemmas}, no axiom but those of its real numbers, "
            f"{_taken(said)}"
        )
    admitted = said["admitted"]
    named = ", ".join(admitted[:LISTED]) + (f" and {len(admitted) - LISTED} more" if len(admitted) > LISTED else "")
    axioms = "an axiom" if len(admitted) == 1 else "axioms"
    return (
        f"{steps - len(admitted)} of {steps} steps{of_part} are lemmas that Coq {said['coq']} proves; {RULES} alone show "
        f"{named}, {axioms} in the Coq script"
    )


def _names_taken(theorem: Mapping[str, Any]) -> list[str]:
    """What a theorem on defined names takes: assumptions, givens, the rules of sequences, signs that are declared alone.

    >>> _names_taken({"givens": ["p > 0"], "sequences": ["recursion_v_E_0", "recursion_v_E_1"], "signs": ["R_v_c"]})
    ['p > 0', 'the rule of the sequence E', 'the declared sign of c']
    """
    sequences = dict.fromkeys(re.sub(r"^recursion_(?:v_)?|_\d+$", "", name) for name in theorem.get("sequences", ()))
    signs = dict.fromkeys(re.sub(r"^(?:R_)?(?:v_)?|_sign$", "", name) for name in theorem.get("signs", ()))
    return [
        *theorem.get("assumptions", ()),
        *theorem.get("givens", ()),
        *(f"the rule of the sequence {name}" for name in sequences),
        *(f"the declared sign of {name}" for name in signs),
    ]


def _taken(said: Mapping[str, Any]) -> str:
    """What the theorem takes as given, where it is one about the names as they are defined; else that hypotheses are given."""
    if "takes" not in said:
        return "what is given as hypotheses"
    takes = said["takes"]
    return f"as one theorem on the names as they are defined, which takes {'; '.join(takes) or 'nothing'} as given"


def sentence_of(claim: Claim) -> str:
    """The sentence about the recorded proof of a claim that Coq knows best; empty where it has no derivation.

    Where the claim or its proofs are not those on record any more, it says that and nothing else.

    >>> from simspec.claims import find
    >>> sentence_of(find(["rdk.never-worse"])[0])
    ''
    """
    derivations = [e for e in record()["proofs"].get(claim.name, ()) if e["kind"] != "counterexample"]
    current = [e for e in derivations if e["hash"] == fingerprint(claim, e["file"])]
    if derivations and not current:
        how = f"python -m proofs_check {claim.name}"
        return f"nothing of the claim as it stands: it or its proof has changed since it was recorded ({how})"
    answered = [{**e, "coq": answer(claim.name, e)} for e in current]
    best = min(answered, key=lambda e: (not e["whole"], not in_coq(e), not e["coq"], _open(e)), default=None)
    return "" if best is None else sentence(best)


def _open(entry: Mapping[str, Any]) -> float:
    """How many steps Coq left open; infinite where it was given none."""
    said = entry["coq"] or {}
    return len(said["admitted"]) if "admitted" in said else float("inf")
