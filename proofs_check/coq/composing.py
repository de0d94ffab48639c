"""Derivations as one theorem each on the names as they are defined, asked of Coq; and the record of it, ``composed.json``.

Of a derivation whose script Coq accepts whole, `proofs_check.coq.composed` writes the theorem, and Coq says what it takes.  What
it takes of a law, or of a number in its declared range, is no given; the rest is listed by the names of what the derivation is
given.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from proofs_check.checking.listed import chosen, listed
from proofs_check.checking.processes import in_processes
from proofs_check.checking.proof import Proof
from proofs_check.coq.bridge import FURTHER, LIBRARY, SEQUENCES, library, written
from proofs_check.coq.check import LIBRARIES, Harder, harder_steps, save, traced, version
from proofs_check.coq.composed import Theorem, hypotheses, theorem
from proofs_check.coq.export import script
from proofs_check.coq.facts import Facts
from proofs_check.coq.terms import NotExported
from simspec.claims.deciding.in_coq import adds_up, coq_record, library_hash, of_these_libraries
from simspec.claims.deciding.proved import as_written, fingerprint

__all__ = ["RECORD", "asked", "main", "named"]

RECORD = Path(__file__).resolve().parents[2] / "simspec" / "claims" / "composed.json"
Task = tuple[str, int]


_RANGE = re.compile(r"(?:forall [^,]*, )?\(?(?:[01] <=? [\w ]+?)(?: <= \w+)?\)?(?:%Z)?")
"""A declared range: of a number, of the entries of an array, or of a token."""
_OF_RANGES = re.compile(r"V_some|R_\w+|\w+_sign|\w+_range|free_\w+_\d+")


def named(facts: Facts, theorem: Theorem, unproved: Collection[str]) -> dict[str, list[str]]:
    """What a theorem takes beside laws, weights and numbers in their declared range, by the names of its premises in Coq.

    Parameters
    ----------
    facts : of the derivation
    theorem : its text, and the premises that Coq prints of it
    unproved : names of lemmas of the bridge that stay given

    Returns
    -------
    dict
        "assumptions" of the claim and other "givens", by the names that the derivation gives them; "sequences", the rules from
        one member of a sequence to the next; "signs" of names that are defined, and whose declared sign is not proved.

    Raises
    ------
    NotExported
        where a premise is none of these, and no range.
    """
    premises = theorem.premises
    by_premise = {facts.hypothesis(p): p.name for p in facts.order}
    given_names = dict.fromkeys(by_premise[name] for name in premises if name in by_premise)
    signs = [name for name in premises if name in set(unproved) - by_premise.keys()]
    supposed = hypotheses(theorem.text)
    ranges = {
        name
        for name, text in supposed.items()
        if _OF_RANGES.fullmatch(name) and (_RANGE.fullmatch(text) or name.startswith("free_"))
    }
    known = {*by_premise, *signs, *ranges, *(name for name in premises if name.startswith("recursion_"))}
    others = [name for name in premises if name in supposed or name.startswith(("H_", "P_")) if name not in known]
    if others:
        raise NotExported(f"{', '.join(others)}: a premise that is none of what is given")
    names_by_kind = {
        "assumptions": [name for name in given_names if name in facts.d.assumed],
        "givens": [name for name in given_names if name not in facts.d.assumed | facts.d.declarations],
        "sequences": [name for name in premises if name.startswith("recursion_")],
        "signs": signs,
    }
    return {kind: names for kind, names in names_by_kind.items() if names}


def _entry(
    folder: Path,
    harder: Mapping[Task, Harder],
    bridges: Mapping[Task, Mapping[str, Any]],
    earlier: Mapping[str, Mapping[str, Any]],
    task: Task,
) -> dict[str, Any]:
    """The record of one derivation."""
    file, place = task
    proof = listed()[file][place]
    assert isinstance(proof, Proof)
    name = proof.claim.name
    about = {"claim": name, "file": file, "place": place, "proof": fingerprint(proof.claim, file, anew=True)}
    try:
        d = traced(proof)
        text = script(d, *harder.get(task, Harder()))
        bridge = written(d, bridges[task])
        digest = digest_of(text.text, bridge.section(bridge.lemmas()))
        recorded = earlier.get(digest)
        if recorded is not None:
            return {**about, **{key: value for key, value in recorded.items() if key not in about}}
        answer = theorem(folder, f"{re.sub(r'[^a-z0-9]', '_', name)}_{place}", text, bridge)
    except NotExported as error:
        return {**about, "not": str(error)[:LONGEST]}
    return {
        **about,
        "text": digest,
        **named(text.facts, answer, bridge.unproved_names),
    }


LONGEST = 300
"""Characters of an error of Coq that are kept."""


def digest_of(script_text: str, section: str) -> str:
    """What an answer depends on beside the libraries and Coq: the script, and the section of the bridge."""
    return sha256(f"{script_text}\n{section}".encode()).hexdigest()[:24]


def asked(
    names: Sequence[str] = (), workers: int = 2, again: bool = False, folder: Path | None = None
) -> Iterator[dict[str, Any]]:
    """Entries of the record for the derivations of some claims, or of all, that Coq accepts whole, as they are done.

    Parameters
    ----------
    names : ids or prefixes of claims; all where there are none.
    workers : processes.
    again : ask Coq about what it has answered, too.
    folder : where the libraries are compiled, as `proofs_check.coq.bridge.library` does; by default they are compiled now.
    """
    accepted_whole = {(e["file"], e["place"]) for e in coq_record()["derivations"] if e.get("whole") and adds_up(e)}
    bridges = {(e["file"], e["place"]): e for e in as_written("defined.json").get("derivations", ())}
    old = () if again else _earlier()
    earlier = {e["text"]: e for e in old if "text" in e}
    tasks = [
        (file, place)
        for file, place, proof in chosen(names)
        if isinstance(proof, Proof) and (file, place) in accepted_whole and (file, place) in bridges
    ]
    with tempfile.TemporaryDirectory() as name:
        place_of_libraries = folder or library(Path(name))
        work = partial(_entry, place_of_libraries, harder_steps(coq_record()["derivations"]), bridges, earlier)
        yield from in_processes(work, tasks, workers)


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask Coq about some claims or all, and keep what it says. Returns 0."""
    parser = argparse.ArgumentParser(
        prog="python -m proofs_check.coq.composing",
        description="Have Coq prove the conclusions of derivations of the names as they are defined, and keep in composed.json "
        "what each of these theorems takes. Scripts that have an answer on record are not asked about again.",
    )
    parser.add_argument("ids", metavar="ID", nargs="*", help="ids or prefixes of claims; all where there are none")
    parser.add_argument("--again", action="store_true", help="ask about answered ones, too")
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    options = parser.parse_args(arguments)
    # with other libraries the record begins anew: what was read with those before is none of its answers
    entries = {(e["file"], e["place"]): e for e in _earlier()}
    for count, entry in enumerate(asked(options.ids, options.workers, options.again), 1):
        entries[entry["file"], entry["place"]] = entry
        if "not" in entry:
            print(f"{entry['claim']}: not one theorem: {entry['not']}", file=sys.stderr, flush=True)
        else:
            print(
                f"{entry['claim']}: one theorem, which takes {', '.join(entry.get('givens', ())) or 'nothing'}",
                flush=True,
            )
        if count % EVERY == 0:
            _save(entries)
    _save(entries)
    return 0


LIBRARIES_OF_BOTH = (*LIBRARIES, LIBRARY, *FURTHER, SEQUENCES)
"""What scripts and the bridge's sections require: with other files the record says nothing."""
EVERY = 10
"""Answers after which the record is written."""


def _earlier() -> list[dict[str, Any]]:
    """The answers on record, where it is made with all of these libraries."""
    recorded = as_written(RECORD.name)
    return of_these_libraries(recorded) if set(recorded.get("libraries", ())) == set(LIBRARIES_OF_BOTH) else []


def _save(entries: Mapping[Task, Mapping[str, Any]]) -> None:
    """Keep the answers, in the order of the files; of derivations that are gone nothing is kept."""
    there = {(file, place): p for file, proofs in listed().items() for place, p in enumerate(proofs)}
    derivations = [
        entries[key] for key in sorted(entries) if key in there and there[key].claim.name == entries[key]["claim"]
    ]
    libraries = {name: library_hash(name) for name in LIBRARIES_OF_BOTH}
    save({"coq": version(), "libraries": libraries, "derivations": derivations}, RECORD)


if __name__ == "__main__":
    raise SystemExit(main())
