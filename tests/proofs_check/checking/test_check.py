"""The command and the record: what is written, what a changed record looks like, and how failures are told."""

from __future__ import annotations

import json
import lzma
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.requirements import require

require("proofs")

from proofs_check.__main__ import main  # noqa: E402
from proofs_check.checking import archive  # noqa: E402
from proofs_check.checking import check as checking  # noqa: E402
from proofs_check.checking.check import checked, checked_now, differences, merged, number, recorded  # noqa: E402
from proofs_check.checking.listed import chosen, listed  # noqa: E402
from proofs_check.checking.paper import paper  # noqa: E402
from proofs_check.checking.proof import Proof, check, disagreement, instances, laws  # noqa: E402
from proofs_check.rules.derivation import Derivation, Unproved  # noqa: E402
from proofs_check.rules.terms import eq, total, x  # noqa: E402
from proofs_check.sd.acceptance import PROOF  # noqa: E402
from simspec.claims.deciding.proved import reached  # noqa: E402

IDS = ("sd.acceptance", "csqs.telescoping")
FILE = "sd/acceptance.py"


def test_an_entry_says_what_was_proved_and_how() -> None:
    made = checked(["sd.acceptance"], workers=1)
    ((entry, text),) = made["sd.acceptance"]
    assert entry["kind"] == "symbolic" and entry["whole"] and text == ""
    assert entry["mutations"] == ["drop an assumption", "flip a sign", "change a constant"]
    assert entry["steps"][-1][0] == "the draft has mass one" and entry["hash"]
    assert set(entry["for"]) == {f"{name} {what}" for name in "pq" for what in ("is nowhere negative", "sums to one")}


def test_the_record_shows_every_difference() -> None:
    made, old = checked(["sd.acceptance"], workers=1), recorded()
    assert differences(made, old) == []
    forged = json.loads(json.dumps(old))
    forged["proofs"]["sd.acceptance"][0]["steps"][0][2] = "0 = 0"
    assert len(differences(made, forged)) == 1
    del forged["proofs"]["sd.acceptance"]
    assert len(differences(made, forged)) == 1
    slower = json.loads(json.dumps(old))
    slower["proofs"]["sd.acceptance"][0]["seconds"] = 1e6
    assert differences(made, slower) == []


def test_a_part_of_the_record_can_be_made_anew() -> None:
    made, old = checked(["sd.acceptance"], workers=1), recorded()
    whole = merged(made, old, everything=False)
    assert set(whole["proofs"]) == set(old["proofs"])
    assert next(iter(merged(made, old, everything=True)["proofs"])) == "sd.acceptance"


def test_a_failing_proof_is_told_and_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(d: Derivation) -> None:
        p, _ = d.law("p")
        d.qed(d.derive("no reason at all", eq(total(p[x], x), 2)))

    broken = (Proof(PROOF.claim, wrong, {}, None),)
    monkeypatch.setitem(listed(), "sd/acceptance.py", broken)
    with pytest.raises(Unproved, match="no reason at all"):
        checked(["sd.acceptance"], workers=1)
    told: list[str] = []
    found = checked_now(["sd.acceptance"], 1, lambda name: None, lambda name, reason: told.append(reason))
    assert found == {} and "no reason at all" in told[0]


def test_a_proof_of_something_else_is_noticed() -> None:
    """A true statement that is not the claim's, and a given that does not hold in every instance."""

    def other(d: Derivation) -> None:
        p, mass = d.law("p")
        d.qed(*[d.derive("mass", eq(total(p[x], x), 1), mass)] * 2)

    def narrow(d: Derivation) -> None:
        p, _ = d.law("p")
        q, _ = d.law("q")
        d.domain("nothing is common", eq(p[x] * q[x], 0))
        PROOF.prove(d)

    for prove, what in ((other, "left side"), (narrow, "does not hold")):
        proof = Proof(PROOF.claim, prove, {}, PROOF.bind)
        found = [disagreement(proof, check(proof), i) for i in instances(proof.claim, 20)]
        assert any(f is not None and what in f for f in found)


def test_ids_choose() -> None:
    assert {p.claim.name for _, _, p in chosen(["sd.acceptance"])} == {"sd.acceptance"}
    assert number(["sd.acceptance"]) == 1 < number(["sd"])
    with pytest.raises(ValueError, match="is not a claim"):
        list(chosen(["sd.nothing"]))


def test_laws_by_denominator() -> None:
    assert len(list(laws(3, 2))) == 6 and all(p.sum() == 1 for p in laws(3, 4))


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*IDS, "--dry", "--show", "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert "checked" in out and "no difference(s)" in out and "telescop" in out and "[induction on n]" in out
    assert main(["sd.nothing"]) == 2
    assert main(["sd.acceptance", "--workers", "0"]) == 2


def test_one_failure_costs_one_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import proofs_check.checking.paper as paper_module

    whole_entry = checking.entry

    def entry(file: str, place: int, second_opinion: bool) -> tuple[dict[str, Any], str]:
        name = listed()[file][place].claim.name
        if name == "rdk.non-expansive-sharp":
            raise Unproved(f"{name}: a step is missing")
        return whole_entry(file, place, second_opinion)

    monkeypatch.setattr(checking, "entry", entry)
    monkeypatch.setattr(checking, "RECORD", tmp_path / "proofs.json")
    monkeypatch.setattr(checking, "CERTIFICATES", tmp_path / "certificates.zip")
    monkeypatch.setattr(checking, "STEPS", tmp_path / "proofs.json.xz")
    monkeypatch.setattr(paper_module, "FOLDER", tmp_path)
    assert main(["rdk.non-expansive", "--workers", "1"]) == 1
    said = capsys.readouterr()
    assert said.err.strip() == "not proved: rdk.non-expansive-sharp: a step is missing"
    assert said.out.startswith("2 of 3 proofs of 2 claims (1 printed by the five papers, 1 own) checked")
    record: dict[str, Any] = json.loads((tmp_path / "proofs.json").read_text(encoding="utf-8"))
    assert list(record["proofs"]) == ["rdk.non-expansive", "rdk.non-expansive-sharp.attained"]


def test_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import proofs_check.checking.paper as paper_module

    monkeypatch.setattr(checking, "RECORD", tmp_path / "proofs.json")
    monkeypatch.setattr(checking, "CERTIFICATES", tmp_path / "certificates.zip")
    monkeypatch.setattr(checking, "STEPS", tmp_path / "proofs.json.xz")
    monkeypatch.setattr(paper_module, "FOLDER", tmp_path)
    assert main(["rdk.non-expansive", "--workers", "1"]) == 0
    record: dict[str, Any] = json.loads((tmp_path / "proofs.json").read_text(encoding="utf-8"))
    sharp = "rdk.non-expansive-sharp"
    assert list(record["proofs"]) == ["rdk.non-expansive", sharp, f"{sharp}.attained"]
    assert "(check-sat)" in archive.read(tmp_path / "certificates.zip")["rdk.non-expansive"]
    steps = json.loads(lzma.decompress((tmp_path / "proofs.json.xz").read_bytes()))["proofs"]
    full = {
        name: [{**e, **s} for e, s in zip(found, steps[name], strict=True)] for name, found in record["proofs"].items()
    }
    for path, text in paper({**record, "proofs": full}).items():
        assert path.read_text(encoding="utf-8") == text
    text = (tmp_path / "rdk.md").read_text(encoding="utf-8")
    assert "### `rdk.non-expansive`" in text and "*Equality at*" in text
    overview = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "rdk.md#rdknon-expansive" in overview
    assert "the proofs of 3 claims (1 printed by the five papers, 2 own)." in overview


def test_slow_proofs_may_stand_in_the_record_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    made, old = checked(["sd.acceptance"], workers=1), recorded()
    slow = replace(PROOF, deep=True, scope="slow")
    old["proofs"]["sd.acceptance"] = [{**e, "scope": "slow"} for e in old["proofs"]["sd.acceptance"]] + [
        e for e, _ in made["sd.acceptance"]
    ]
    assert len(differences(made, old)) == 1
    monkeypatch.setitem(listed(), "sd/acceptance.py", (PROOF, slow))
    assert differences(made, old) == [] and number(["sd.acceptance"]) == 1 and number(["sd.acceptance"], deep=True) == 2
    old["proofs"]["sd.acceptance"].pop()
    assert len(differences(made, old)) == 1


def printed(code: str, seed: str = "0") -> str:
    """What some code prints in a fresh process."""
    env = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout


def test_what_sympy_loads_late_is_no_text_of_a_proof() -> None:
    """Its first `is_constant` loads units, whose names are texts that SymPy reads.

    SymPy tries random numbers there, and of one in twenty it makes a text itself: they are fixed.  No rule asks `is_constant`.
    """
    code = """
import sympy as sp
from sympy.core.random import seed
from proofs_check.checking.plain import without_texts
n, m = sp.symbols("n m", real=True)
seed(0)
with without_texts():
    print((sp.sqrt(n**2) - sp.Abs(m)).is_constant())
"""
    assert printed(code) == "False\n"


def test_the_hash_covers_all_that_a_proof_runs_on() -> None:
    """Every module of the rules that a proof file loads, in a fresh process."""
    code = "import sys, proofs_check.sd.acceptance; print(*(m for m in sys.modules if m.startswith('proofs_check.')))"
    files = {m.removeprefix("proofs_check.").replace(".", "/") + ".py" for m in printed(code).split()}
    files -= {"sd.py", "rules.py", "checking.py"}
    rules = {f"rules/{name}.py" for name in ("algebra", "values", "definitions", "givens")}
    assert rules | {"checking/agreement.py"} <= files <= set(reached(FILE))


def test_steps_are_the_same_in_every_process() -> None:
    """Nothing depends on the order of sets; only the proof's own file is read for it."""
    code = """
from proofs_check.checking.check import check, described
from proofs_check.rdk.non_expansive import PROOFS
from simspec.claims.deciding.proved import fingerprint
d = check(PROOFS[0])
print(described(PROOFS[0], d), d.certificates, fingerprint(PROOFS[0].claim, "rdk/non_expansive.py"))
"""
    assert printed(code, "1") == printed(code, "2") != ""
