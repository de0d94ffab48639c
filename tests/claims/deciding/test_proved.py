"""The record of proofs counts only while the proof and the claim's formulas are those that were checked."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from simspec.claims import find
from simspec.claims.deciding import proved
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.proved import entries, fingerprint, formulas, whole
from simspec.claims.deciding.verify import verify, verify_claim
from simspec.claims.ears.other_uncertainty import _two_signals

CLAIM = find(["sd.acceptance"])[0]
FILE = "sd/acceptance.py"


def forget() -> None:
    for cached in (proved._read, proved.reached, proved.used_by):
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
    assert entries(CLAIM) and not entries(other)
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
        for name in (FILE, "rules/derivation.py", "rules/terms.py"):
            text = (tmp_path / name).read_text(encoding="utf-8")
            (tmp_path / name).write_text(text + "\n# changed\n", encoding="utf-8")
            forget()
            assert fingerprint(CLAIM, FILE) != before, name
            (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / FILE).unlink()
        forget()
        assert fingerprint(CLAIM, FILE) is None
        assert entries(CLAIM) == []
    finally:
        forget()


def test_every_function_that_a_formula_calls_counts() -> None:
    texts = "\n".join(formulas(find(["csqs.step"])[0]))
    for name in (
        "def draft_thresholds",
        "def dropped_mass",
        "def threshold_mask",
        "def update",
        "def law(",
        "def at_most",
    ):
        assert name in texts
    assert "note=" not in "\n".join(formulas(CLAIM))  # words about a claim are no formula


def test_partial_functions_closures_and_constants_count() -> None:
    fresh, residual = (replace(CLAIM, instances=_two_signals(flag)) for flag in (True, False))
    assert formulas(fresh) != formulas(residual)  # two closures of one function
    half, third = (replace(CLAIM, lhs=partial(pow, exp=e)) for e in (2, 3))
    assert formulas(half) != formulas(third)


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


def test_no_syntax_tree_is_kept() -> None:
    """Hundreds of them would be gone through by every collection of garbage: a twentieth of a quick run."""
    _, places = proved._tree("simspec.claims.authoring")
    assert places and {type(one) for found in places.values() for one in found} == {slice}


def test_the_hash_does_not_depend_on_where_the_package_lies() -> None:
    """A path among the constants would make every record of proofs wrong in another clone."""
    folder = str(Path(proved.__file__).parents[3])
    for name in sorted(proved.record()["proofs"]):
        claim = find([name])[0]
        texts = formulas(claim).union(
            *(proved.used_by(file) for e in proved.record()["proofs"][name] for file in proved.reached(e["file"]))
        )
        assert not [text for text in texts if text.startswith("constant: ") and folder in text], name
