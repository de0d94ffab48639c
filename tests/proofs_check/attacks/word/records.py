"""Records that are written or altered by hand: of proofs, of Coq, of what was decided, of a user's own proof."""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any
from unittest.mock import patch

from proofs_check.checking.outside import recorded_outside, write_record
from simspec import verify
from simspec.claims import find
from simspec.claims.deciding import in_coq, kept, outside, proved, recorded
from simspec.claims.deciding.in_coq import coq_record, formulas_hash, theorem_name, theorems_hash, word
from simspec.claims.deciding.proved import as_written
from simspec.files import digested
from simspec.loading import names
from tests.claims.outside_cases import MINE
from tests.proofs_check.attacks.attack import Attack, NotProved
from tests.proofs_check.attacks.promised import RECORDS as ALTERED

__all__ = ["RECORDS"]

RECORDS: list[Attack] = []
OF_COQ, OF_PROOFS, DECIDED, OWN = "the record of Coq", "the record of proofs", "what was decided", "a user's own record"


def _derived() -> str:
    """The first claim with one derivation, of which Coq was told a step, and the word "derived"."""
    answers = coq_record()["derivations"]
    by_claim = Counter(entry["claim"] for entry in answers)
    told = (entry["claim"] for entry in answers if entry.get("admitted") and by_claim[entry["claim"]] == 1)
    return next(name for name in told if word(outside.entries(find([name])[0])) == "derived")


DERIVED = _derived()
"""A claim with a derivation of the whole, of which Coq was told a step."""
IN_PART = "rdk.two-events-sharp"
"""A claim with a proof of a part."""
Way = Callable[[], Any]


def _refused(by: str, family: str, beyond: str = "") -> Callable[[Way], Way]:
    def put(way: Way) -> Way:
        says = " ".join((way.__doc__ or "").split()).removesuffix(".")
        RECORDS.append(Attack(f"record_{way.__name__}", family, says, way, beyond, by=by))
        return way

    return put


@contextmanager
def _on_record(proofs: Mapping[str, Any] | None = None, coq: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Other records of proofs and of Coq than those that ship."""
    proof_record = proved.record() if proofs is None else proofs
    answers = coq_record() if coq is None else coq
    caches = (in_coq._answers, in_coq._theorem)
    with patch.object(proved, "record", lambda: proof_record), patch.object(in_coq, "_read", lambda: answers):
        for cache in caches:
            cache.cache_clear()
        try:
            yield
        finally:
            for cache in caches:
                cache.cache_clear()


def _word(name: str, wanted: str = "proved", **records: Mapping[str, Any]) -> str:
    """The word for a claim by some records, where it is the one that is wanted."""
    with _on_record(**records):
        try:
            said = word(outside.entries(find([name])[0]))
        except ValueError as error:
            raise NotProved(str(error)) from None
    if said != wanted:
        raise NotProved(f"the word is {said}")
    return said


def _coq(**changes: Any) -> dict[str, Any]:
    """The record of Coq with the answers about one claim changed."""
    record = deepcopy(coq_record())
    for entry in record["derivations"]:
        if entry["claim"] == DERIVED:
            entry.update({"admitted": [], "whole": True, **changes})
    return record


def _theorem(name: str = DERIVED, **changes: str) -> dict[str, Any]:
    """The record of Coq with a theorem about an algorithm more."""
    entry = {"claim": name, "theorem": theorem_name(name), "file": "coq/algorithm/ears.v", "files": theorems_hash()}
    entry |= {"formulas": formulas_hash(find([name])[0]), **changes}
    record = deepcopy(coq_record())
    return {**record, "theorems": [*record["theorems"], entry]}


# --- the record of Coq ---


@_refused("the word is derived", OF_COQ)
def of_another_fingerprint() -> Any:
    """Accepted whole, of another proof by its fingerprint."""
    return _word(DERIVED, coq=_coq(proof="0" * 24))


@_refused("the word is derived", OF_COQ)
def of_another_claim() -> Any:
    """Accepted whole, under the id of another claim."""
    return _word(DERIVED, coq=_coq(claim="ears.bias.residual"))


@_refused("the word is derived", OF_COQ)
def of_another_place() -> Any:
    """Accepted whole, at another place of the file."""
    return _word(DERIVED, coq=_coq(place=7))


@_refused("the word is derived", OF_COQ)
def of_another_file() -> Any:
    """Accepted whole, in another file."""
    return _word(DERIVED, coq=_coq(file="sd/acceptance.py"))


@_refused("does not follow from the steps", OF_COQ)
def whole_as_a_text() -> Any:
    """Accepted whole, by a text that says so."""
    return _word(DERIVED, coq=_coq(whole="true"))


@_refused("does not follow from the steps", OF_COQ)
def whole_without_an_answer() -> Any:
    """Accepted whole, of a file that Coq had no answer to."""
    return _word(DERIVED, coq=_coq(**{"not": "no answer in 300 s"}))


@_refused("the word is holds", OF_COQ)
def whole_of_a_part() -> Any:
    """Accepted whole, of a proof of a part."""
    record = deepcopy(coq_record())
    for entry in record["derivations"]:
        if entry["claim"] == IN_PART:
            entry.pop("not", None)
            entry.update({"text": "0" * 24, "steps": 1, "admitted": [], "whole": True})
    return _word(IN_PART, coq=record)


@_refused("the word is derived", OF_COQ)
def theorem_of_another_claim() -> Any:
    """A theorem about the algorithm that is another claim's."""
    return _word(DERIVED, coq=_theorem(theorem="ears_bias_residual"))


@_refused("the word is derived", OF_COQ)
def theorem_of_nowhere() -> Any:
    """A theorem of the claim's name, which stands in no file."""
    return _word(DERIVED, coq=_theorem())


@_refused("the word is derived", OF_COQ)
def theorem_of_older_files() -> Any:
    """A theorem of files that have changed."""
    return _word(DERIVED, coq=_theorem(files="0" * 24))


@_refused("the word is derived", OF_COQ)
def theorem_of_older_formulas() -> Any:
    """A theorem about formulas that have changed."""
    return _word(DERIVED, coq=_theorem(formulas="0" * 16))


@_refused("the word is holds", OF_COQ)
def theorem_beside_a_part() -> Any:
    """A theorem for a claim with a proof of a part."""
    return _word(IN_PART, coq=_theorem(IN_PART))


@_refused("does not follow from the steps", OF_COQ)
def whole_in_spite_of_its_steps() -> Any:
    """Accepted whole, written by hand beside a step that Coq was told."""
    return _word(DERIVED, coq=_coq(admitted=["derive_1"]))


@_refused("does not follow from the steps", OF_COQ)
def whole_of_no_text() -> Any:
    """Accepted whole, written by hand with no step and no text that Coq has read."""
    return _word(DERIVED, coq=_coq(steps=0, text=""))


def _stored_again(name: str, before: Mapping[str, Any], after: Mapping[str, Any], is_forged: bool) -> dict[str, Any]:
    """A record as it is read once it was changed by hand in its file, with the digest that it had or with one of its own."""
    digest = digested(after if is_forged else before)["digest"]
    try:
        return as_written(name, json.dumps({**after, "digest": digest}))
    except ValueError as error:
        raise NotProved(str(error)) from None


@_refused("coq.json: altered", OF_COQ)
def whole_by_hand() -> Any:
    """Accepted whole, written by hand for the proof as it stands."""
    return _word(DERIVED, coq=_stored_again("coq.json", coq_record(), _coq(), False))


@_refused("", OF_COQ, ALTERED)
def whole_by_hand_with_its_digest() -> Any:
    """The same, with the digest of what is written."""
    return _word(DERIVED, coq=_stored_again("coq.json", coq_record(), _coq(), True))


# --- the record of proofs ---


def _proofs(name: str, **changes: Any) -> dict[str, Any]:
    record = deepcopy(proved.record())
    for entry in record["proofs"][name]:
        entry.update(changes)
    return record


@_refused("the word is holds", OF_PROOFS)
def proof_of_another_hash() -> Any:
    """A proof of the whole, with another hash."""
    return _word(IN_PART, "derived", proofs=_proofs(IN_PART, whole=True, hash="0" * 24))


@_refused("the word is holds", OF_PROOFS)
def proof_of_another_claim() -> Any:
    """The proof of sd.acceptance, on record for another claim."""
    record = deepcopy(proved.record())
    record["proofs"][IN_PART] = record["proofs"]["sd.acceptance"]
    return _word(IN_PART, "derived", proofs=record)


@_refused("the word is holds", OF_PROOFS)
def counterexample_as_a_proof() -> Any:
    """A counterexample of the whole, which is no proof."""
    return _word(IN_PART, "derived", proofs=_proofs(IN_PART, whole=True, kind="counterexample"))


@_refused("the word is holds", OF_PROOFS)
def proof_of_a_file_that_is_not_there() -> Any:
    """A proof of the whole, in a file that is not there, whose hash is none."""
    return _word(IN_PART, "derived", proofs=_proofs(IN_PART, whole=True, file="sd/nowhere.py", hash="none"))


@_refused("proofs.json: altered", OF_PROOFS)
def part_that_is_said_to_be_whole() -> Any:
    """A proof of a part, said to be of the whole by hand."""
    record = _stored_again("proofs.json", proved.record(), _proofs(IN_PART, whole=True), False)
    return _word(IN_PART, "derived", proofs=record)


@_refused("", OF_PROOFS, ALTERED)
def part_that_is_said_to_be_whole_with_its_digest() -> Any:
    """The same, with the digest of what is written."""
    record = _stored_again("proofs.json", proved.record(), _proofs(IN_PART, whole=True), True)
    return _word(IN_PART, "derived", proofs=record)


# --- what was decided ---


@_refused("the word is derived", DECIDED)
def verdict_that_was_expected() -> Any:
    """The recorded verdict of a claim, which says proved."""
    said = deepcopy(recorded.expected())
    said["verdicts"][DERIVED] = "proved"
    with patch.object(recorded, "expected", lambda: said):
        return _word(DERIVED)


def _stored(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """A claim's record beside the report, decided before by hand."""
    key = kept.claim_key(find([DERIVED])[0])
    by_hand = {"claims": {DERIVED: {"key": key, "record": {"id": DERIVED, "verdict": "proved"}}}}
    from simspec.claims.chosen import choose

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / kept.NAME).write_text(json.dumps(change(by_hand)), encoding="utf-8")
        stored = kept.stored_records(folder, lambda claim: key, choose([DERIVED]))
    if not stored:
        raise NotProved("nothing is stored: it is decided anew")
    return stored


@_refused("decided anew", DECIDED)
def decided_without_a_digest() -> Any:
    """A verdict from an earlier run, written without a digest."""
    return _stored(lambda by_hand: by_hand)


@_refused("decided anew", DECIDED)
def decided_with_a_digest() -> Any:
    """A verdict from an earlier run, written with its key and its digest."""
    return _stored(digested)


@_refused("decided anew", DECIDED)
def decided_of_other_inputs() -> Any:
    """A verdict from an earlier run with other inputs."""
    return _stored(lambda by_hand: digested({"claims": {DERIVED: {**by_hand["claims"][DERIVED], "key": "another"}}}))


@_refused("decided anew", DECIDED)
def verdicts_that_a_caller_brings() -> Any:
    """`verify` with a verdict that its caller has written, as if of an earlier run."""
    by_hand = {"id": IN_PART, "verdict": "proved"}
    first, *_ = verify(IN_PART, effort="quick", known={IN_PART: by_hand})["claims"]
    if first is not by_hand:
        raise NotProved(f"it is decided anew: {first['verdict']}")
    return first


@_refused("the word is holds: proofs: handed over", DECIDED)
def proofs_that_a_caller_brings() -> Any:
    """`verify` with a proof that its caller has written."""
    entry = {"kind": "symbolic", "whole": True, "coq": {"coq": "8.16.1", "whole": True, "steps": 1, "admitted": []}}
    (claim,) = verify("csqs.budget-minimax", effort="quick", proofs={"csqs.budget-minimax": [entry]})["claims"]
    if claim["verdict"] != "proved":
        raise NotProved(f"the word is {claim['verdict']}: {claim['message']}")
    return claim


# --- a user's own record ---

PROOF = '''
import sympy as sp

from proofs_check.language import Proof, le, total, x
from mine import {imported}


def prove(d, sign=1, most=1):
    """All laws."""
    p, _ = d.law("p")
    q, mass = d.law("q")
    smaller = sp.Min(p[x], q[x])
    token = d.derive("the smaller of two numbers is at most the second", le(smaller, sign * q[x]))
    d.qed(d.derive("the draft has mass one", le(total(smaller, x), most), d.sum("over the vocabulary", token, x), mass))


PROOF = Proof({proved}, prove, drop="q sums to one", change={{"most": 0}}, bind=lambda p, q: {{"p": p, "q": q, "V": len(p)}})
'''
Change = Callable[[dict[str, Any], Path], Any]


def _of_ones_own(change: Change, claim_id: str = "own.true", text: str = MINE, wanted: str = "proved") -> Any:
    """The word for a claim of a user's, by the record of its proof after a change by hand."""
    before = sys.path[:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "mine.py").write_text(text, encoding="utf-8")
        file = folder / "mine_proof.py"
        file.write_text(PROOF.format(imported="TRUE", proved="TRUE"), encoding="utf-8")
        sys.modules.pop("mine", None)
        try:
            change(recorded_outside(file), file)
            space = names(str(folder / "mine.py"), "claim")
            claims = {claim.name: claim for claim in (space["TRUE"], *space["MORE"])}
            said = word(outside.entries(claims[claim_id]))
        except ValueError as error:
            raise NotProved(str(error)) from None
        finally:
            sys.path[:] = before
            sys.modules.pop("mine", None)
    if said != wanted:
        raise NotProved(f"the word is {said}")
    return said


@_refused("the word is derived", OWN)
def coq_by_its_own_word() -> Any:
    """The record of one's own proof, which says that Coq accepts the whole."""

    def change(record: dict[str, Any], file: Path) -> None:
        for entry in record["proofs"]["own.true"]:
            entry["coq"] = {"coq": "8.16.1", "whole": True, "steps": 1, "admitted": [], "theorem": "sd_lossless"}
        write_record(record, file)

    return _of_ones_own(change)


@_refused("the word is derived", OWN)
def a_place_among_those_of_coq() -> Any:
    """The same, with the file and place of a proof that Coq accepts."""

    def change(record: dict[str, Any], file: Path) -> None:
        for entry in record["proofs"]["own.true"]:
            entry.update({"place": 0, "kind": "symbolic"})
        write_record(record, file)

    return _of_ones_own(change)


@_refused("the word is holds", OWN)
def the_record_of_another_claim() -> Any:
    """A record for own.false, of a file that proves own.true, with the hash that own.false has."""

    def change(record: dict[str, Any], file: Path) -> None:
        false = names(str(file.with_name("mine.py")), "claim")["MORE"][0]
        entry = {**record["proofs"]["own.true"][0], "hash": outside.outside_fingerprint(false, file)}
        write_record({**record, "proofs": {"own.false": [entry]}}, file)

    return _of_ones_own(change, "own.false", wanted="derived")


@_refused("altered: it has no digest", OWN)
def a_record_without_a_digest() -> Any:
    """A record without its digest."""
    return _of_ones_own(
        lambda record, file: file.with_name("mine_proof.checked.json").write_text(json.dumps(record), encoding="utf-8")
    )


@_refused("the word is holds", OWN)
def a_record_of_another_text() -> Any:
    """A proof file that was changed after it was recorded."""

    def change(record: dict[str, Any], file: Path) -> None:
        write_record(record, file)
        file.write_text(file.read_text(encoding="utf-8").replace("sign * q[x]", "q[x]"), encoding="utf-8")

    return _of_ones_own(change, wanted="derived")


@_refused("is the id of a claim that ships", OWN)
def a_claim_of_the_name_of_one_that_ships() -> Any:
    """A claim of one's own that is called sd.lossless, of which Coq has a theorem."""
    text = MINE.replace('name="own.true"', 'name="sd.lossless"')
    return _of_ones_own(lambda record, file: write_record(record, file), "sd.lossless", text)
