"""Coq run on derivations, and the record of what it accepted: how many steps of each, and which it was only told.

A derivation counts as accepted whole when every conclusion, as a theorem from what is given, rests on the axioms of Coq's real
numbers alone.  What a tactic does not find is admitted by one axiom, `admitted`, that the theorem's assumptions then show.
Steps that the plain scripts leave open are written once more, by scripts that cost more, and Coq is asked again; what these
leave open is written a third time, by the deepest.  The record names such steps, so that the same text can be written again.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.checking.listed import chosen, listed
from proofs_check.checking.plain import without_texts
from proofs_check.checking.processes import in_processes
from proofs_check.checking.proof import Proof, check
from proofs_check.coq.algorithm.compiled import REALS, axioms
from proofs_check.coq.everywhere import contradicted
from proofs_check.coq.export import exported
from proofs_check.coq.terms import NotExported
from proofs_check.coq.trace import Traced
from proofs_check.rules.derivation import Derivation, Unproved
from proofs_check.rules.terms import Relation
from simspec.claims import registry
from simspec.claims.deciding.in_coq import prelude_of
from simspec.claims.deciding.proved import fingerprint
from simspec.files import DIGEST, digested, write_file

__all__ = [
    "ADMITTED",
    "ALLOWED",
    "RECORD",
    "Answer",
    "ask",
    "asked_of",
    "carried",
    "checked",
    "compiled",
    "digest",
    "harder_steps",
    "merged",
    "number",
    "only_lemmas",
    "prepared",
    "save",
    "stamp",
    "traced",
    "version",
]

RECORD = Path(__file__).resolve().parents[2] / "simspec" / "claims" / "coq.json"
PRELUDE = "prelude.v"
FURTHER = "further.v"
"""What the scripts of steps require that the plain ones leave open."""
DEEPER = "deeper.v"
"""The same of steps that the further scripts leave open, too."""
FUNCTIONS = "functions.v"
"""What those of these steps require in which functions are to be taken apart."""
LIBRARIES = (PRELUDE, FURTHER, DEEPER, FUNCTIONS)
"""Each requires those before it."""
ADMITTED = "admitted"
ALLOWED = REALS | {"Classical_Prop.classic"}
"""Axioms of Coq's real numbers, and of classical logic, which its library on them uses."""
SECONDS = 900
"""Limit of one derivation."""
_NO_LEMMA = re.compile(
    r"(?:^|\.\s)\s*(?:(?:Local|Global|Polymorphic|Monomorphic|#\[[^\]]*\])\s+)*"
    r"(Axioms?|Parameters?|Conjectures?|Admitted|Module|Declare|Load|Unset|Add|Cd)\b",
    re.MULTILINE,
)
"""Commands that no script needs: they assume something, or give names another meaning."""


class Harder(NamedTuple):
    """Steps that have further scripts, and those of them that have the deepest, in the order of the file."""

    further: tuple[str, ...] = ()
    deeper: tuple[str, ...] = ()


class Answer(NamedTuple):
    """What Coq says of a file: steps it was told without proof, what the theorems rest on, and its error, if there is one."""

    admitted: tuple[str, ...]
    axioms: frozenset[str]
    error: str

    @property
    def whole(self) -> bool:
        """Whether the conclusions are theorems, from the axioms of the real numbers alone."""
        return not self.error and self.axioms <= ALLOWED


def version() -> str:
    """Coq's version.

    Raises
    ------
    OSError
        where there is no Coq.
    """
    if shutil.which("coqc") is None:
        raise OSError("coqc: not found; on Debian and Ubuntu: apt-get install --no-install-recommends coq")
    return subprocess.run(["coqc", "--print-version"], capture_output=True, text=True, check=True).stdout.split()[0]


def prepared(folder: Path) -> Path:
    """Compile the prelude, and what further scripts require, in a folder; the folder."""
    for name in LIBRARIES:
        (folder / name).write_text(_library(name), encoding="utf-8")
        answer = ask(folder, name)
        if answer.error:
            raise ValueError(f"{name}: {answer.error}")
    return folder


def only_lemmas(text: str) -> str:
    """A script, of which no line assumes what Coq's report on axioms could miss or name as another one; the script.

    A module of its own could have an axiom by a name that an allowed one is printed with.

    >>> only_lemmas("Lemma a : True. Proof. exact I. Qed.")
    'Lemma a : True. Proof. exact I. Qed.'

    Raises
    ------
    NotExported
        where a line declares an axiom, opens a module, or turns off what Coq checks.
    """
    if command := _NO_LEMMA.search(text):
        raise NotExported(f"{command[1]}: a script has definitions, hypotheses and lemmas alone")
    return text


def ask(folder: Path, file: str, text: str | None = None, seconds: float = SECONDS) -> Answer:
    """Coq's answer to a file in a folder that was `prepared`; a text is written there first."""
    if text is not None:
        (folder / file).write_text(text, encoding="utf-8")
    try:
        run = _run(folder, file, seconds)
    except subprocess.TimeoutExpired:
        return Answer((), frozenset(), f"no answer in {seconds:g} s")
    # a tactic that ran out of time may have printed something before, on the same line
    admitted = tuple(re.findall(rf"{ADMITTED} (\w+)$", run.stdout, re.MULTILINE))
    output = re.sub(rf"^.*{ADMITTED} \w+$", "", run.stdout, flags=re.MULTILINE)
    error = _error(run)
    questions = (text or "").count("\nPrint Assumptions ")
    reports = len(re.findall(r"^(?:Axioms:|Closed under the global context)$", run.stdout, re.MULTILINE))
    if not error and reports < questions:  # whatever it is that ended without an error, it has read no theorem
        error = f"{reports} reports on what {questions} conclusions rest on"
    return Answer(admitted, frozenset(axioms(output)), error)


def compiled(folder: Path, file: str, text: str, seconds: float = SECONDS) -> str:
    """What Coq prints on a file in a folder that was `prepared`; other files there may require it then.

    Raises
    ------
    NotExported
        where Coq finds an error, or has no answer in the time.
    """
    (folder / file).write_text(text, encoding="utf-8")
    try:
        run = _run(folder, file, seconds)
    except subprocess.TimeoutExpired:
        raise NotExported(f"{file}: no answer in {seconds:g} s") from None
    if error := _error(run):
        raise NotExported(f"{file}: {error}")
    return run.stdout


def _run(folder: Path, file: str, seconds: float) -> subprocess.CompletedProcess[str]:
    command = ["coqc", "-q", "-R", ".", "Simspec", file]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False)


def _error(run: subprocess.CompletedProcess[str]) -> str:
    """What Coq says against a file; empty where it accepts it."""
    return " ".join(run.stderr.split()) or f"exit status {run.returncode}" if run.returncode else ""


def traced(proof: Proof) -> Traced:
    """A proof's derivation, checked as it is traced.

    Raises
    ------
    NotExported
        for an enumeration of cases; where what would be said of every index is false of one that an instance has.
    Unproved
        where it is another derivation than the one that is compared with the claim: a proof can see that it is traced.
    """
    if proof.bind is None:
        raise NotExported("an enumeration of cases")
    compared = check(proof)
    d = Traced(proof.claim.name)
    with without_texts():
        proof.prove(d)
    if different := next((what for what, said in _stated(d).items() if said != _stated(compared)[what]), None):
        raise Unproved(
            f"{proof.claim.name}: the derivation for Coq is another than the one that was checked: {different}"
        )
    if wrong := contradicted(proof, d):
        raise NotExported(wrong)
    return d


def _stated(d: Derivation) -> dict[str, list[str]]:
    """What a derivation starts from and ends with, as text that tells apart names of one look and of other kinds."""
    return {
        "its conclusions": [_told(r) for r in d.conclusions],
        "what is given": [f"{name}: {_told(r)}" for name, relations in d.givens.items() for r in relations],
        "its definitions": [_told(r) for r in d.definitions],
        "its maps": sorted(sp.srepr(m) for m in d.maps),
    }


def _told(r: Relation) -> str:
    return f"{sp.srepr(r.lhs)} {r.op} {sp.srepr(r.rhs)}"


def digest(text: str, coq: str | None = None) -> str:
    """What an answer depends on: the file, what it requires, and Coq's version (by default, of the Coq that is installed).

    With the version that the record names, whether Coq has read just this text can be said without Coq.

    >>> digest("", "8.16.1") == digest("", "8.16.1") != digest(" ", "8.16.1")
    True
    """
    texts = [_library(name) for name in (PRELUDE, *_required(text))]
    return sha256("\n".join([coq or version(), *texts, text]).encode()).hexdigest()[:24]


def _required(text: str) -> tuple[str, ...]:
    """The files that a script requires beside the prelude; each requires those before it."""
    required = [n for n, name in enumerate(LIBRARIES) if f"Require Import {name.removesuffix('.v')}." in text]
    return LIBRARIES[1 : max(required, default=0) + 1]


def _stamps(text: str, read: Callable[[str], str]) -> dict[str, dict[str, str]]:
    """How an entry of the record names the files that its script requires beside the prelude, given how to read them."""
    stamps = {name.removesuffix(".v"): stamp(read(name)) for name in _required(text)}
    return {"requires": stamps} if stamps else {}


def stamp(text: str) -> str:
    """The hash by which an entry of the record names the prelude that it is about."""
    return sha256(text.encode()).hexdigest()[:24]


def _library(name: str) -> str:
    """The text of one of the files that scripts require; each requires those before it."""
    return resources.files("proofs_check.coq").joinpath(name).read_text(encoding="utf-8")


def number(names: Sequence[str] = ()) -> int:
    """How many derivations `checked` looks at.

    >>> number(["sd.acceptance"])
    1
    """
    return sum(isinstance(p, Proof) for _, _, p in chosen(names))


def checked(
    names: Sequence[str] = (),
    workers: int = 2,
    previous: Iterable[dict[str, Any]] = (),
    known: Iterable[dict[str, Any]] = (),
) -> Iterator[dict[str, Any]]:
    """Entries of the record for the proofs of some claims, as they are done.

    Parameters
    ----------
    names : ids or prefixes; all when empty.
    workers : processes; each writes a derivation out and has Coq read it.
    previous : earlier entries; a file that Coq has answered, or had no answer to in its time, is not asked about again.
    known : earlier entries that say which steps of a derivation need further scripts, whatever Coq has answered.
    """
    tasks = [(file, n) for file, n, p in chosen(names) if isinstance(p, Proof)]
    previous = list(previous)
    answers = {e["text"]: e for e in previous if "text" in e}
    further = harder_steps([*known, *previous])
    with tempfile.TemporaryDirectory() as name:
        yield from in_processes(partial(_entry, prepared(Path(name)), answers, further), tasks, workers)


def harder_steps(entries: Iterable[Mapping[str, Any]]) -> dict[tuple[str, int], Harder]:
    """By file and place of a derivation, the steps that need further scripts, and those of them that need the deepest.

    >>> harder_steps([{"file": "sd/acceptance.py", "place": 0, "further": ["derive_3"]}])
    {('sd/acceptance.py', 0): Harder(further=('derive_3',), deeper=())}
    """
    return {
        (e["file"], e["place"]): Harder(tuple(e["further"]), tuple(e.get("deeper", ())))
        for e in entries
        if e.get("further")
    }


def carried(
    names: Sequence[str], record: Mapping[str, Any], workers: int = 1
) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Claims with the entries of their derivations as the proofs stand now, without asking Coq.

    What Coq has said is about the text that it was given: it stays where that text is byte for byte the same, whatever became
    of the proof's fingerprint.  None for a derivation whose text Coq has not read.

    Parameters
    ----------
    names : ids or prefixes; all when empty.
    record : what ``coq.json`` holds; its version of Coq counts.
    workers : processes.
    """
    tasks = [(file, place) for file, place, proof in chosen(names) if isinstance(proof, Proof)]
    answers = {e["text"]: e for e in record["derivations"] if "text" in e}
    further = harder_steps(record["derivations"])
    yield from in_processes(partial(_carried, answers, further, record["coq"]), tasks, workers)


def _carried(
    answers: Mapping[str, dict[str, Any]],
    further: Mapping[tuple[str, int], Harder],
    coq: str,
    task: tuple[str, int],
) -> tuple[str, dict[str, Any] | None]:
    """A claim and the record of its derivation from Coq's earlier answer to the same text; None if there is no such answer."""
    file, place = task
    proof = listed()[file][place]
    assert isinstance(proof, Proof)
    name = proof.claim.name
    about = {
        "claim": name,
        "file": file,
        "place": place,
        "proof": fingerprint(proof.claim, file, anew=True),
        "prelude": stamp(_library(PRELUDE)),
    }
    try:
        text, steps = exported(traced(proof), *further.get(task, Harder()))
    except NotExported as error:
        return name, {**about, "not": str(error)}
    answer = answers.get(digest(text, coq))
    if answer is None:
        return name, None
    return name, {**about, "text": answer["text"], "steps": len(steps), **_stamps(text, _library), **_said(answer)}


def _said(answer: Mapping[str, Any]) -> dict[str, Any]:
    """What Coq said of a text, apart from the proof that the text was made of."""
    return {key: answer[key] for key in ("not", "further", "deeper", "admitted", "whole", "rests_on") if key in answer}


def _entry(
    folder: Path,
    answers: Mapping[str, dict[str, Any]],
    further: Mapping[tuple[str, int], Harder],
    task: tuple[str, int],
) -> dict[str, Any]:
    """The record of a derivation, from an earlier answer to the same text or by running Coq.

    Steps that Coq leaves open are written out once more, by further scripts; of two answers the one that admits less counts.
    """
    file, place = task
    proof = listed()[file][place]
    name = proof.claim.name
    record: dict[str, Any] = {
        "claim": name,
        "file": file,
        "place": place,
        "proof": fingerprint(proof.claim, file, anew=True),
        "prelude": stamp((folder / PRELUDE).read_text(encoding="utf-8")),  # what Coq compiled, whatever it is by now
    }
    assert isinstance(proof, Proof)
    try:
        d = traced(proof)
        answered = asked_of(
            folder, answers, d, f"{re.sub(r'[^a-z0-9]', '_', name)}_{place}", further.get(task, Harder())
        )
    except NotExported as error:
        return {**record, "not": str(error)}
    return {**record, **answered}


def asked_of(
    folder: Path, answers: Mapping[str, dict[str, Any]], d: Traced, name: str, harder: Harder
) -> dict[str, Any]:
    """What Coq says of a derivation, some steps of which have harder scripts; those that it leaves open get them, too."""
    further, deeper = harder
    text, steps = exported(d, further, deeper)
    # what Coq compiled, whatever it is by now
    stamps = _stamps(text, lambda library: (folder / library).read_text(encoding="utf-8"))
    about: dict[str, Any] = {"text": digest(text), "steps": len(steps), **stamps}
    if further:
        about["further"] = list(further)
    if deeper:
        about["deeper"] = list(deeper)
    if old := answers.get(about["text"]):
        return {**about, **_said(old)}
    answer = ask(folder, f"{name}.v", only_lemmas(text))
    if answer.error or not answer.axioms <= ALLOWED | {ADMITTED}:
        return {
            **about,
            "not": answer.error or f"rests on {', '.join(sorted(answer.axioms - ALLOWED - {ADMITTED}))}",
        }
    unused: dict[str, Any] = (
        {"rests_on": []} if answer.whole and answer.admitted else {}
    )  # admitted, and no conclusion needs it
    outcome = {
        **about,
        "admitted": list(answer.admitted),
        "whole": answer.whole,
        **unused,
    }
    if answer.whole:
        return outcome
    open_steps = {*answer.admitted}
    harder_still = Harder(
        tuple(step for step in steps if step in open_steps.union(further)),
        tuple(step for step in steps if step in open_steps.intersection(further).union(deeper)),
    )
    if harder_still == harder:
        return outcome
    again = asked_of(folder, answers, d, name, harder_still)
    return again if len(again.get("admitted", steps)) < len(answer.admitted) else outcome


def merged(
    made: Sequence[dict[str, Any]],
    old: dict[str, Any],
    coq: str | None = None,
    theorems: Sequence[dict[str, str]] | None = None,
) -> dict[str, Any]:
    """The record with new entries, in the order of the files; those of claims or files that are gone are left out.

    `theorems` are those about algorithms, as `proofs_check.coq.algorithm.record` gives them; by default those of the old record.

    `coq` is the version that has answered: by default, of the Coq that is installed.

    Each entry names the prelude that it is about.  Old entries keep theirs, and those that name none get that of the old record,
    which stays as it is: what is read now says nothing about what was read with another prelude.
    """
    of_record = {"prelude": old["prelude"]} if "prelude" in old else {}
    of_before = [
        {**e, "prelude": prelude} if (prelude := prelude_of(e, old)) else e for e in old.get("derivations", ())
    ]
    entries_by_place = {(e["file"], e["place"]): e for e in (*of_before, *made)}
    ids = registry()
    return {
        "coq": coq or version(),
        **of_record,
        "theorems": old.get("theorems", []) if theorems is None else list(theorems),
        "derivations": [
            entries_by_place[file, n]
            for file, proofs in listed().items()
            for n, p in enumerate(proofs)
            if (file, n) in entries_by_place
            and p.claim.name in ids
            and entries_by_place[file, n]["claim"] == p.claim.name
        ],
    }


def save(record: Mapping[str, Any], path: Path | None = None) -> None:
    """Write a record of Coq's answers, by default that on derivations, with its digest: a line for each derivation."""
    sealed = digested({k: v for k, v in record.items() if k != DIGEST})
    lines = ",\n".join(json.dumps(e, ensure_ascii=False) for e in sealed["derivations"])
    head = json.dumps({k: v for k, v in sealed.items() if k != "derivations"})[:-1]
    write_file(path or RECORD, f'{head}, "derivations": [\n{lines}\n]}}\n'.encode())
