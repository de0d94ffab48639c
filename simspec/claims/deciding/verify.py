"""The run behind `simspec verify`: try each claim, decide it, and record the verdicts as plain data."""

from __future__ import annotations

import json
import os
import platform
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from simspec.checks import MissingExtra, missing
from simspec.claims.chosen import Chosen, choose
from simspec.claims.claim import Claim, Evidence
from simspec.claims.deciding.data import Data, of_kind
from simspec.claims.deciding.decide import decide, why_open
from simspec.claims.deciding.in_coq import is_accepted_on_record
from simspec.claims.deciding.outside import entries, home_of, shows, written_at
from simspec.claims.deciding.proved import whole
from simspec.claims.deciding.recorded import counterexamples, expected
from simspec.claims.deciding.search import EFFORTS, Trials, try_claim
from simspec.claims.deciding.spending import CLOCK
from simspec.claims.deciding.verdicts import Verdicts
from simspec.claims.deciding.workers import decide_apart
from simspec.files import plain
from simspec.guarding import staying
from simspec.interrupts import heard
from simspec.loading import blame
from simspec.logits.bank import Bank, MissingPart
from simspec.version import __version__

__all__ = ["changed", "check_seed", "expected", "python_of", "verify", "verify_claim"]

EXACT_KINDS = frozenset({"identity", "bound", "probability", "rate", "procedure"})


def check_seed(seed: Any) -> None:
    """Raise ValueError where a seed is none.

    >>> check_seed(0)
    """
    if not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise ValueError(f"seed: {seed!r}; expected an integer from 0 to 2**64 - 1")


def verify(
    *claims: str | Claim | Chosen,
    bank: str | None = None,
    effort: str = "default",
    seed: int = 0,
    workers: int = 1,
    proofs: Mapping[str, list[dict[str, Any]]] | None = None,
    on_claim: Callable[[dict[str, Any]], None] | None = None,
    known: Mapping[str, dict[str, Any]] | None = None,
) -> Verdicts:
    """Decide claims and return the content of ``verdicts.json``, a dictionary that is also a table.

    Parameters
    ----------
    *claims : str or Claim
        ids or prefixes ("rdk", "sd.lossless"), claims of one's own by place (``"mine.py:POWER"``) or as objects; all claims
        that ship when none is given.
    bank : path, optional
        a bank of real logits to use in place of the shipped pair.
    effort : "quick", "default" or "deep"
    seed : int >= 0
    workers : int >= 1
        processes; more than one need a main module that can be imported (``if __name__ == "__main__":`` in a script).
    proofs : {claim id: entries}, optional
        proofs checked for this run; by default those on record (``python -m proofs_check``) that still fit the code. One
        that is not on record, word for word, is shown and counts for nothing: the message says so.
    on_claim : callback, optional
        called with each claim's record as soon as it is decided.
    known : {claim id: record}, optional
        records of an earlier run with the same code and arguments: these claims are not decided again, but for those whose
        word the proofs on record do not show.

    Raises
    ------
    ValueError
        for what is no claim, an unknown effort, a negative seed, no worker, or a bank that cannot be used.

    Examples
    --------
    >>> verify("sd.acceptance", effort="quick")["claims"][0]["verdict"]
    'proved'
    """
    if effort not in EFFORTS:
        raise ValueError(f"effort: {effort!r}; expected one of {', '.join(EFFORTS)}")
    check_seed(seed)
    if not isinstance(workers, int) or workers < 1:
        raise ValueError(f"workers: {workers!r}; expected at least one process")
    choices = choose(claims)
    data = Data(path=bank, seed=seed, effort=effort, proofs=proofs)
    if bank is not None:  # a bank that cannot be used is bad input, not a crashed check
        _check_bank(data.main)
    records = {name: record for name, record in (known or {}).items() if shows(name, record)}
    open_ = [c for c in choices if c.claim.name not in records]
    new_records = (
        (verify_claim(c, data) for c in open_) if workers == 1 else decide_apart(open_, data, workers, verify_claim)
    )
    for record in new_records:
        records[record["id"]] = record
        if on_claim is not None:
            on_claim(record)
    return Verdicts(
        version=__version__,
        seed=seed,
        effort=effort,
        environment=_environment(data),
        claims=[records[c.claim.name] for c in choices],
    )


def _check_bank(bank: Bank) -> None:
    """Refuse a bank that is altered anywhere, or too small for any interval."""
    bank.file.verify()
    documents = len(np.unique(bank.documents))
    if documents < 2:
        contexts = f"{bank.contexts} contexts{of_kind(bank)}"
        raise ValueError(
            f"bank: {bank.name!r} has {contexts} of {documents} documents; expected at least two documents"
        )


def _environment(data: Data) -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "numpy": np.__version__,
        "scipy": _version("scipy"),
        "numba": _version("numba"),
        "bank": data.bank,
    }


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


@dataclass
class _Found:
    """What the checks of one claim have found so far: what there was before a crash stays."""

    verdict: str = "error"
    trials: Trials | None = None
    proved: list[dict[str, Any]] = field(default_factory=list)
    evidence: Sequence[Evidence] = ()
    plot: Any = None
    message: str | None = None
    decided_here: bool = True
    """False where what the claim is decided on is not installed, or not in the bank."""


def verify_claim(one: Claim | Chosen, data: Data) -> dict[str, Any]:
    """Record of one claim, as it stands in ``verdicts.json``; a crash becomes the verdict "error" with its message."""
    start = time.perf_counter()
    choice = one if isinstance(one, Chosen) else Chosen(one, one.name)
    claim = choice.claim
    decision = _Found()
    try:
        with heard(), staying():
            _check(claim, data, decision)
    except MissingPart as error:  # a bank without what the claim is measured on decides nothing
        decision.verdict, decision.message, decision.decided_here = "inconclusive", str(error), False
    except (MissingExtra, ModuleNotFoundError) as error:
        words = str(error) if isinstance(error, MissingExtra) else missing("deciding it", error)
        decision.verdict, decision.message = "error", _with_place(words, claim)
    except (Exception, SystemExit, GeneratorExit) as error:  # a crashed check is an error verdict, never silence
        home, _ = home_of(claim)
        words = blame(error, *([home] if home else []), otherwise=written_at(claim))
        decision.verdict, decision.message = "error", words + _cure(error)
    else:
        if decision.verdict == "error":
            decision.message = _with_place(
                decision.message or "no instances were tried: the claim draws none from its sources", claim
            )
    record = _record(claim, data, decision, time.perf_counter() - start)
    record["reproduce"] = _reproduce(choice, data)
    return {**record, "place": choice.reference} if choice.outside else record


def _with_place(words: str, claim: Claim) -> str:
    """Words, and where a claim of a user's is written."""
    place = written_at(claim)
    return f"{words} ({place})" if place else words


def _cure(error: BaseException) -> str:
    """What to do where Python refuses to compute with a ball and a fraction."""
    mixed = isinstance(error, TypeError) and "'flint.types.arb.arb'" in str(error)
    return "; enclose the fraction beside a ball (`simspec.claims.balls.enclose`)" if mixed else ""


def _check(claim: Claim, data: Data, decision: _Found) -> None:
    """Try or measure a claim and decide it."""
    if claim.finding is not None:
        with CLOCK.phase("measure"):
            results = _run(claim.finding.study(data), data)
            decision.evidence = claim.finding.estimate(results)
            decision.verdict = decide(claim, decision.evidence)
            decision.message = why_open(claim, decision.evidence)
            decision.plot = claim.finding.plot(results) if claim.finding.plot else None
        return
    ships = home_of(claim)[0] is None  # a record that a user can write by hand shortens no search
    counted = entries(claim)
    decision.proved = counted
    if data.proofs is not None and ships:
        decision.proved = data.proofs.get(claim.name, [])
        counted = _on_record(decision.proved, counted)
    with CLOCK.phase("search"):
        recorded = counterexamples() if data.effort != "deep" else {}  # found anew there
        decision.trials = trials = try_claim(
            claim, data.effort, data.seed, data, ships and bool(whole(counted)), recorded
        )
    decision.verdict = decide(claim, trials, counted)
    if claim.evidence is not None:
        with CLOCK.phase("measure"):
            decision.evidence = claim.evidence(data)
    if trials.unconfirmed:
        decision.message = trials.unconfirmed
    elif trials.not_needed and decision.verdict == "error":
        decision.message = f"assumptions not shown to be necessary: {', '.join(trials.not_needed)}"
    elif len(whole(counted)) < len(whole(decision.proved)) and decision.verdict in {"derived", "holds"}:
        decision.message = (
            "proofs: handed over by whoever called verify, and not on record as they are: they count for nothing "
            f"(python -m proofs_check {claim.name} checks and records them)"
        )
    elif decision.verdict == "derived" and is_accepted_on_record(counted):
        decision.message = "Coq accepted the derivation when it was recorded; it was not asked again here"


_SAME = ("kind", "scope", "whole", "file", "place", "coq")
"""What of an entry is the same on record and where the proof was checked again."""


def _on_record(handed_over: Sequence[dict[str, Any]], recorded: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Entries of the record that were handed over too: what a caller writes into one is what he says, and no check."""
    texts = {_as_text(entry) for entry in handed_over}
    return [entry for entry in recorded if _as_text(entry) in texts]


def _as_text(entry: Mapping[str, Any]) -> str:
    """What of an entry is compared, as text: equality is for objects of a caller's own to say."""
    return json.dumps([entry.get(key) for key in _SAME], sort_keys=True, default=repr)


def _record(claim: Claim, data: Data, decision: _Found, seconds: float) -> dict[str, Any]:
    """Return the verdict on a claim as plain data, one row of the file that `simspec verify` writes."""
    trials = decision.trials
    return {
        "id": claim.name,
        "kind": claim.kind,
        "source": claim.reference,
        "verdict": decision.verdict,
        "checks": _checks(trials),
        "tightness": plain(trials.tightness) if trials else None,
        "counterexample": plain(trials.counterexample) if trials else None,
        "choices": list(trials.choices) if trials and trials.choices is not None else None,
        "corrected_by": list(claim.corrected_by) or None,
        "proof_steps": list(claim.proof_steps) or None,
        "proof": decision.proved or None,
        "evidence": [_evidence(e) for e in decision.evidence] or None,
        "seconds": round(seconds, 3),
        "reproduce": None,
        "statement": claim.statement,
        "note": claim.note or None,
        "criterion": claim.finding.criterion if claim.finding else None,
        "assumes": _assumptions(claim, trials),
        # the page draws a histogram of these: 400 are enough, and they bound the size of the file
        "slacks": [float(s) for s in trials.slacks if np.isfinite(s)][:400] if trials else None,
        "plot": plain(decision.plot),
        "message": decision.message,
        "decided_here": decision.decided_here,
    }


def _run(study: Any, data: Data) -> Any:
    from simspec.engine.row_values import gather

    return gather(study, seed=data.seed)


def _checks(trials: Trials | None) -> dict[str, Any]:
    checks = (trials.exact, trials.synthetic, trials.real) if trials else (None, None, None)
    return {name: c._asdict() if c else None for name, c in zip(("exact", "float", "real"), checks, strict=True)}


def _evidence(evidence: Evidence) -> dict[str, Any]:
    record = plain(evidence._asdict())
    record["interval"] = None if evidence.interval is None else [float(x) for x in evidence.interval]
    return record


def _assumptions(claim: Claim, trials: Trials | None) -> dict[str, bool | None]:
    """Whether each assumption was shown to be needed; None where no instance is listed."""
    lost = trials.not_needed if trials else ()
    return {name: (name not in lost) if name in claim.outside else None for name in claim.assumes}


def _reproduce(choice: Chosen, data: Data) -> str | None:
    """The command, for the folder in which this one was given; None for a claim that stands in no file."""
    if choice.reference is None:
        return None
    parts = ["simspec verify", shlex.quote(choice.reference), f"--effort {data.effort}", f"--seed {data.seed}"]
    if data.path is not None:
        parts.append(f"--bank {shlex.quote(str(data.path))}")
    return " ".join(parts)


def changed(verdicts: dict[str, Any]) -> list[str]:
    """One line per verdict that differs from the recorded one.

    Empirical verdicts count only with the shipped bank and the recorded seed and effort: with a user's own bank or
    seed they are results, never failures.  Those measured on the standard library's text count only with the Python
    that they were recorded with, since every version has another text.  What could not be decided for want of data
    says nothing about the record.
    """
    record = expected()
    same_run = (
        verdicts["environment"].get("bank") == "shipped"
        and verdicts["seed"] == record["seed"]
        and verdicts["effort"] == record["effort"]
    )
    lines = []
    for claim in verdicts["claims"]:
        if "place" in claim:  # not one that ships: nothing is on record
            continue
        if not claim.get("decided_here", True):
            continue
        if claim["kind"] not in EXACT_KINDS and not (same_run and _same_text(claim, verdicts, record)):
            continue
        before = record["verdicts"].get(claim["id"])
        if before != claim["verdict"]:
            lines.append(f"{claim['id']}: {claim['verdict']}, recorded {before}")
    return lines


def _same_text(claim: dict[str, Any], verdicts: dict[str, Any], record: dict[str, Any]) -> bool:
    """Whether a claim's evidence is of the recorded Python's sources, or of no Python's."""
    if not any("standard library of Python" in e["data"] for e in claim["evidence"] or ()):
        return True
    return python_of(verdicts) == record.get("python")


def python_of(verdicts: dict[str, Any]) -> str:
    """Version of Python without its last number.

    >>> python_of({"environment": {"python": "3.11.7"}})
    '3.11'
    """
    return str(verdicts["environment"].get("python", "")).rpartition(".")[0]
