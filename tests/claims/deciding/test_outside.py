"""Claims from outside get verdicts like the others, here and on workers; proofs beside their file count while they fit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from simspec import verify
from simspec.claims import registry
from simspec.claims.deciding import outside
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.outside import RECORD, entries, home_of, outside_fingerprint
from simspec.claims.deciding.verify import changed, verify_claim
from simspec.files import digested
from simspec.loading import names
from tests.claims.outside_cases import folder

VERDICTS = {"own.true": "holds", "own.false": "refuted", "own.crash": "error"}
PROOF = "import helper\nfrom proofs_check.language import Proof\nfrom mine import TRUE\n"


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of a proof file gives what its record says: for tests of which records are looked at, and when."""

    def read(file: Path, print_of_proof: str) -> dict:
        return json.loads(file.with_name(f"{file.stem}{RECORD}").read_text(encoding="utf-8"))

    monkeypatch.setattr(outside, "_checked_again", read)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return folder(tmp_path, monkeypatch)


def records(verdicts) -> dict[str, dict]:
    return {c["id"]: {k: v for k, v in c.items() if k != "seconds"} for c in verdicts["claims"]}


def test_verdicts_counterexamples_and_the_line_that_reproduces_them(here) -> None:
    made = verify("mine.py", "sd.acceptance", effort="quick", seed=3)
    found = records(made)
    assert {name: found[name]["verdict"] for name in VERDICTS} == VERDICTS
    assert found["own.false"]["reproduce"] == "simspec verify mine.py:own.false --effort quick --seed 3"
    assert found["own.false"]["counterexample"] and found["own.false"]["checks"]["real"]["instances"]
    assert found["own.crash"]["message"] == "ZeroDivisionError: integer division or modulo by zero (mine.py:20)"
    assert "place" not in found["sd.acceptance"] and found["own.true"]["place"] == "mine.py:TRUE"
    assert [line for line in changed(made) if "own." in line] == []
    json.dumps(made, allow_nan=False)


def test_an_object_without_a_file_gets_a_verdict_and_no_command(here) -> None:
    made = replace(names("mine.py", "claim")["TRUE"], name="own.renamed")
    (record,) = verify(made, effort="quick", workers=2)["claims"]
    assert record["verdict"] == "holds" and record["reproduce"] is None and record["place"] is None


def test_workers_make_the_same_records(here) -> None:
    made = replace(names("mine.py", "claim")["TRUE"], name="own.renamed")
    wanted = ("mine.py", made, "sd.inverse-proportional")
    assert records(verify(*wanted, effort="quick", workers=2)) == records(verify(*wanted, effort="quick"))


def test_known_records_are_taken_and_not_decided_again(here) -> None:
    seen: list[str] = []
    known = {"own.crash": {"id": "own.crash", "verdict": "holds"}}
    made = verify("mine.py", effort="quick", known=known, on_claim=lambda record: seen.append(record["id"]))
    assert seen == ["own.true", "own.false"] and made["claims"][2] is known["own.crash"]


def test_homes(here) -> None:
    claim = names("mine.py", "claim")["TRUE"]
    assert home_of(claim)[0] == Path("mine.py") or home_of(claim)[0] == here / "mine.py"
    assert home_of(claim)[1]["TRUE"].name == "own.true"
    assert home_of(registry()["sd.acceptance"]) == (None, {})
    assert home_of(replace(registry()["sd.acceptance"], assumes={"x": lambda p: True}))[0] == Path(__file__)


def recorded(here: Path, **changes) -> Path:
    """A record of a proof of own.true, as the check of the proof file would write it."""
    (here / "mine_proof.py").write_text(PROOF, encoding="utf-8")
    (here / "helper.py").write_text("value = 1\n", encoding="utf-8")
    claim = names("mine.py", "claim")["TRUE"]
    entry = dict.fromkeys(("kind", "scope", "seconds", "versions")) | {"whole": True, "file": "mine_proof.py"}
    entry |= {"hash": outside_fingerprint(claim, here / "mine_proof.py")} | changes
    path = here / f"mine_proof{RECORD}"
    path.write_text(json.dumps(digested({"versions": {}, "proofs": {"own.true": [entry]}})), encoding="utf-8")
    return path


def verdict(name: str = "TRUE") -> str:
    return verify_claim(names("mine.py", "claim")[name], Data(effort="quick"))["verdict"]


def test_a_record_that_is_written_by_hand_proves_nothing(here) -> None:
    """It has the right hash and digest, and says that own.true is proved; its file holds no proof."""
    pytest.importorskip("sympy")
    recorded(here)
    record = verify_claim(names("mine.py", "claim")["TRUE"], Data(effort="quick"))
    assert record["verdict"] == "error"
    assert "mine_proof.py holds none; expected PROOF = Proof(…)" in record["message"]


def test_a_record_of_another_check_counts_for_nothing(here, monkeypatch) -> None:
    """What is checked now counts, and not what is written: a part, or a proof of other code, stays that."""
    recorded(here)
    claim = names("mine.py", "claim")["TRUE"]
    written = json.loads((here / f"mine_proof{RECORD}").read_text())["proofs"]["own.true"][0]
    for now, expected_verdict in (({"whole": False}, "holds"), ({"hash": "another"}, "holds"), ({}, "derived")):
        monkeypatch.setattr(
            outside,
            "_checked_again",
            lambda *_, now=now: {"proofs": {"own.true": [written | {"kind": "symbolic"} | now]}},
        )
        assert verify_claim(claim, Data(effort="quick"))["verdict"] == expected_verdict


def test_a_proof_of_ones_own_shortens_no_search(here, trusted) -> None:
    recorded(here)
    with_proof = verify_claim(names("mine.py", "claim")["TRUE"], Data(effort="default"))
    (here / f"mine_proof{RECORD}").unlink()
    without = verify_claim(names("mine.py", "claim")["TRUE"], Data(effort="default"))
    assert (with_proof["verdict"], without["verdict"]) == ("derived", "holds")
    assert with_proof["checks"] == without["checks"]


def test_a_proof_beside_the_file_counts(here, trusted) -> None:
    recorded(here)
    assert verdict() == "derived"
    recorded(here, whole=False)
    assert verdict() == "holds"
    recorded(here, kind="counterexample")
    assert verdict() == "holds"


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("mine.py", "lambda: 1,", "lambda: 1.5 - 0.5 + 1,"),
        ("mine.py", "np.minimum(p, q)", "np.minimum(q, p)"),
        ("mine.py", "it holds", "it is so"),  # the text as a whole
        ("mine_proof.py", "import helper", "import helper\nhelper.value"),
        ("helper.py", "1", "2"),
    ],
)
def test_a_proof_counts_while_nothing_it_is_about_changes(here, trusted, file, old, new) -> None:
    recorded(here)
    text = (here / file).read_text()
    assert old in text
    (here / file).write_text(text.replace(old, new))
    assert entries(names("mine.py", "claim")["TRUE"]) == []
    (here / file).write_text(text)
    assert len(entries(names("mine.py", "claim")["TRUE"])) == 1


def test_a_comment_in_a_proof_makes_no_record_stale(here, trusted) -> None:
    recorded(here)
    (here / "mine_proof.py").write_text(f"# why\n{PROOF}", encoding="utf-8")
    assert len(entries(names("mine.py", "claim")["TRUE"])) == 1


def test_another_claim_of_the_same_id_is_not_proved(here, trusted) -> None:
    """Its formulas are other ones, though every file is what it was; two lambdas of one line are told apart."""
    recorded(here)
    claim = names("mine.py", "claim")["TRUE"]
    assert len(entries(claim)) == 1
    swapped = (lambda p: p.sum(axis=-1), lambda p: 2 * p.sum(axis=-1))
    one, two = (replace(claim, lhs=a, rhs=b) for a, b in (swapped, swapped[::-1]))
    prints = [outside_fingerprint(c, here / "mine_proof.py") for c in (claim, one, two)]
    assert len(set(prints)) == 3 and None not in prints
    assert entries(replace(claim, lhs=claim.rhs)) == []


def test_another_file_with_a_claim_of_the_same_id_is_not_proved(here, trusted) -> None:
    """At the same places of its file, and beside the same proof; only a digit is another one."""
    recorded(here)
    text = (here / "mine.py").read_text()
    (here / "same.py").write_text(text)
    (here / "other.py").write_text(text.replace("lambda: 1,", "lambda: 2,"))
    assert len(entries(names("same.py", "claim")["TRUE"])) == 1
    assert entries(names("other.py", "claim")["TRUE"]) == []


def test_an_altered_record_is_told(here) -> None:
    path = recorded(here)
    path.write_text(path.read_text().replace('"whole": true', '"whole": 1'))
    record = verify_claim(names("mine.py", "claim")["TRUE"], Data(effort="quick"))
    assert record["verdict"] == "error" and "altered: its content has digest" in record["message"]


def test_no_rules_no_proof(here, trusted, monkeypatch) -> None:
    recorded(here)
    claim = names("mine.py", "claim")["TRUE"]
    (here / "mine_proof.py").unlink()
    assert entries(claim) == []
    recorded(here)
    monkeypatch.setattr(outside.proved, "reached", lambda file: ())
    assert outside_fingerprint(claim, here / "mine_proof.py") is None


def test_checked_now_leaves_proofs_from_outside_on_record(here, trusted) -> None:
    recorded(here)
    claim = names("mine.py", "claim")["TRUE"]
    assert verify_claim(claim, Data(effort="quick", proofs={}))["verdict"] == "derived"


IMPORTS = """
import top
import package.named
from proofs_check.language import Proof
from . import near
from .below import leaf
from .. import far
from ..beside.deep import cousin
from ... import value
"""
IMPORTED = (
    "top.py",
    "package/named.py",
    "package/one/two/near.py",
    "package/one/two/below.py",
    "package/one/far.py",
    "package/one/beside/deep.py",
)
NAMESAKES = (
    "near.py",
    "below.py",
    "far.py",
    "package/near.py",
    "package/far.py",
    "package/one/near.py",
    "package/one/below.py",
    "package/one/two/far.py",
    "package/one/two/beside/deep.py",
    "package/beside/deep.py",
    "package/one/two/named.py",
    "package/one/top.py",
)
"""Files of the same names at other levels of the package, which the proof does not import."""


def test_relative_imports_of_a_proof_lead_to_the_files_that_python_imports(here) -> None:
    folder = here / "package" / "one" / "two"
    for name in (*IMPORTED, *NAMESAKES):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text("value = 1\n", encoding="utf-8")
    for package in (folder, folder.parent, folder.parents[1]):
        (package / "__init__.py").write_text("", encoding="utf-8")
    proof = folder / "mine_proof.py"
    proof.write_text(IMPORTS, encoding="utf-8")
    claim = names("mine.py", "claim")["TRUE"]
    before = outside_fingerprint(claim, proof)
    assert before is not None
    counted = set()
    for name in (*IMPORTED, *NAMESAKES):
        (here / name).write_text("value = 2\n", encoding="utf-8")
        if outside_fingerprint(claim, proof) != before:
            counted.add(name)
        (here / name).write_text("value = 1\n", encoding="utf-8")
    assert counted == set(IMPORTED)
    assert outside_fingerprint(claim, proof) == before


@pytest.mark.parametrize("package", ["package", "package/one", "package/one/two"])
def test_what_a_package_runs_when_it_is_imported_counts(here, package) -> None:
    """A name that a proof takes from a package stands in its `__init__.py`, which runs too where a module of it is imported."""
    folder = here / "package" / "one" / "two"
    folder.mkdir(parents=True)
    for place in (folder, folder.parent, folder.parents[1]):
        (place / "__init__.py").write_text("value = 1\n", encoding="utf-8")
    proof = folder / "mine_proof.py"
    proof.write_text("from proofs_check.language import Proof\nfrom . import value\n", encoding="utf-8")
    claim = names("mine.py", "claim")["TRUE"]
    before = outside_fingerprint(claim, proof)
    (here / package / "__init__.py").write_text("value = 2\n", encoding="utf-8")
    assert outside_fingerprint(claim, proof) not in (None, before)
