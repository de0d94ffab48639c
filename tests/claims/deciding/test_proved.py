"""The record of proofs counts only while the proof and the claim's formulas are those that were checked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from simspec.claims import find
from simspec.claims.claim import Claim
from simspec.claims.deciding import proved
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.proved import as_written, entries_of, fingerprint, roles, whole, written_files
from simspec.claims.deciding.verify import verify, verify_claim
from simspec.claims.ears.other_uncertainty import _two_signals
from simspec.files import DIGEST, digested, undigested
from simspec.provenance.walk import code_of, texts_of

CLAIM = find(["sd.acceptance"])[0]
FILE = "sd/acceptance.py"


def forget() -> None:
    for cached in (proved._read, proved.reached, proved.used_by, proved.written_hash, proved.deciding_hash):
        cached.cache_clear()


def test_a_recorded_proof_makes_the_verdict() -> None:
    record = verify("sd.acceptance", effort="quick")["claims"][0]
    assert record["verdict"] == "proved"
    (entry,) = record["proof"]
    assert entry["file"] == FILE and entry["whole"] and not entry["checked_now"] and entry["versions"]["sympy"]


def test_a_changed_formula_makes_it_fall() -> None:
    """The same claim with another left side, that happens to hold as well."""
    other = replace(CLAIM, lhs=lambda p, q: np.stack([np.minimum(q, p).sum(axis=-1)] * 2))
    assert fingerprint(other, FILE) != fingerprint(CLAIM, FILE)
    assert entries_of(CLAIM) and not entries_of(other)
    assert verify_claim(other, Data(effort="quick"))["verdict"] == "holds"


def test_a_changed_proof_file_makes_it_fall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = proved._folder()
    assert folder is not None
    before = fingerprint(CLAIM, FILE)
    for source in folder.rglob("*.py"):
        target = tmp_path / source.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(proved, "_folder", lambda: tmp_path)
    forget()
    try:
        assert fingerprint(CLAIM, FILE) == before  # where it lies does not matter
        for name in (FILE, "rules/derivation.py", "rules/terms.py", *proved.DECIDING):
            text = (tmp_path / name).read_text(encoding="utf-8")
            (tmp_path / name).write_text(text + "\n# changed\n", encoding="utf-8")
            forget()
            assert fingerprint(CLAIM, FILE) == before, name
            (tmp_path / name).write_text(text + "\nCHANGED = 1\n", encoding="utf-8")
            forget()
            assert fingerprint(CLAIM, FILE) != before, name
            (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / FILE).unlink()
        forget()
        assert fingerprint(CLAIM, FILE) is None
        assert entries_of(CLAIM) == []
    finally:
        forget()


def formulas(claim: Claim) -> str:
    return str(code_of([*roles(claim).values()])["fingerprint"])


def test_every_function_that_a_formula_calls_counts() -> None:
    parts = code_of([*roles(find(["csqs.step"])[0]).values()])["parts"]
    for name in ("draft_thresholds", "dropped_mass", "threshold_mask", "update", "steps", "at_most"):
        assert name in parts, name
    assert "arg='note'" not in "\n".join(texts_of([*roles(CLAIM).values()]))  # words about a claim are no formula


def test_what_a_formula_does_in_many_ways_counts() -> None:
    fresh, residual = (replace(CLAIM, instances=_two_signals(flag)) for flag in (True, False))
    assert formulas(fresh) != formulas(residual)  # two closures of one function
    half, third = (replace(CLAIM, lhs=partial(pow, exp=e)) for e in (2, 3))
    assert formulas(half) != formulas(third)


def test_what_only_keeps_records_does_not_count() -> None:
    """Else an edit of the walk itself would make every proof stale."""
    files = {*proved.reached(FILE), *proved.DECIDING}
    assert not files & {"checking/check.py", "checking/archive.py", "coq/check.py", "__main__.py"}
    modules = {module for file in files for module, _ in proved._read(file).imports}  # type: ignore[union-attr]
    assert not [module for module in modules if "provenance" in module or module.endswith("deciding.proved")]


def test_the_record_says_what_the_files_of_its_proofs_are() -> None:
    """So that nothing is parsed while they are the same; an edited comment is looked at, and changes no canonical text."""
    recorded = proved.record().get("files")
    if recorded is not None:
        files = {entry["file"] for entries_ in proved.record()["proofs"].values() for entry in entries_}
        assert recorded == written_files(files), "python -m proofs_check --effort deep records them again"
    assert fingerprint(CLAIM, FILE) == fingerprint(CLAIM, FILE, anew=True)


def test_a_file_that_is_as_recorded_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"files": {FILE: f"{proved.bytes_hash(FILE)} {'0' * 24}", "language.py": "another 1"}, "proofs": {}}
    monkeypatch.setattr(proved, "record", lambda: known)
    forget()
    try:
        assert proved.written_hash(FILE) == "0" * 24 != proved.written_hash(FILE, anew=True)
        assert proved.written_hash("language.py") == proved.written_hash("language.py", anew=True) != "1"
    finally:
        forget()


def test_a_counterexample_or_a_part_is_no_proof_of_the_statement() -> None:
    kinds = [{"whole": True, "kind": "counterexample"}, {"whole": False, "kind": "SMT"}, {"whole": True, "kind": "SMT"}]
    assert whole(kinds) == [kinds[2]]
    part = {
        "kind": "SMT",
        "scope": "V = 2",
        "whole": False,
        "seconds": 0.1,
        "file": FILE,
        "versions": {},
        "checked_now": True,
    }
    found = verify("sd.acceptance", effort="quick", proofs={"sd.acceptance": [part]})["claims"][0]
    assert found["verdict"] == "holds" and found["proof"] == [part]
    assert verify("sd.acceptance", effort="quick", proofs={})["claims"][0]["proof"] is None


def test_a_record_that_was_changed_by_hand_is_refused() -> None:
    """Its digest is another, or it has none; with a digest of its own it is taken: a digest is no signature."""
    content = digested({"versions": {}, "proofs": {"sd.acceptance": [{"whole": False}]}})
    assert as_written("proofs.json", json.dumps(content)) == undigested(content)
    changed = {**content, "proofs": {"sd.acceptance": [{"whole": True}]}}
    bare = {key: value for key, value in changed.items() if key != DIGEST}
    for text in (changed, bare):
        with pytest.raises(ValueError, match=r"proofs\.json: altered: .* make proofs; make coq"):
            as_written("proofs.json", json.dumps(text))
    assert as_written("proofs.json", json.dumps(digested(bare)))["proofs"] == changed["proofs"]


def test_what_a_caller_hands_over_counts_where_it_is_on_record() -> None:
    name = "sd.acceptance"
    (shown,) = verify(name, effort="quick")["claims"]
    (again,) = verify(name, effort="quick", proofs={name: shown["proof"]})["claims"]
    assert (shown["verdict"], again["verdict"], again["message"]) == ("proved", "proved", None)
    forged = [{**shown["proof"][0], "scope": "all that there is"}]
    (third,) = verify(name, effort="quick", proofs={name: forged})["claims"]
    assert third["verdict"] == "holds" and "handed over by whoever called verify" in third["message"]
    (fourth,) = verify(name, effort="quick", known={name: {**shown, "verdict": "derived"}})["claims"]
    assert fourth["verdict"] == "proved"  # it is decided anew


def test_the_hash_depends_neither_on_what_is_loaded_nor_on_the_order_of_sets() -> None:
    """Modules that functions import when they are called count, loaded or not."""
    code = """
import sys
if sys.argv[1] == "more":
    import simspec.kernels.merges.numba_merges, simspec.kernels.ngram.numba_ngram, simspec.kernels.rounds.numba_rounds
    import simspec.kernels.coding
    import simspec.methods.tasc.drafters, simspec.methods.sqs.codec, simspec.kernels.lattice.numba_lattice
from simspec.claims import registry
from simspec.claims.deciding.proved import fingerprint, record
for name in ("sqs.lossless", "tasc.bpe"):
    print(*(fingerprint(registry()[name], entry["file"]) for entry in record()["proofs"][name]))
"""
    found = [
        subprocess.run(
            [sys.executable, "-c", code, how],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed, how in [("1", "less"), ("2", "more")]
    ]
    assert len(set(found)) == 1
    assert all(len(text) == 24 for text in found[0].split()) and len(found[0].split()) >= 2
