"""Proofs of claims from outside pass what shipped proofs pass, and nothing less."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.requirements import require

require("proofs")

from proofs_check.__main__ import main  # noqa: E402
from simspec import verify  # noqa: E402
from tests.claims.outside_cases import folder  # noqa: E402

CLAIMS = """
from dataclasses import replace
from fractions import Fraction

from simspec.claims.authoring import law

ASSUMING = replace(
    TRUE,
    name="own.assuming",
    rhs=lambda p: p.sum(axis=-1) * 1,
    assumes={"the laws are close": lambda p, q: True},
)
HALF = replace(TRUE, name="own.half", rhs=lambda: Fraction(1, 2))
"""
PROOF = '''
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, le, total, x
from mine import ASSUMING, HALF, TRUE


def prove(d, sign=1, most=1):
    """All laws.

    Equality at p = q.
    """
    p, _ = d.law("p")
    q, mass = d.law("q")
    smaller = sp.Min(p[x], q[x])
    token = d.derive("the smaller of two numbers is at most the second", le(smaller, sign * q[x]))
    d.qed(d.derive("the draft has mass one", le(total(smaller, x), most), d.sum("over the vocabulary", token, x), mass))


def bind(p, q):
    return {"p": p, "q": q, "V": len(p)}


DROP, CHANGE = "q sums to one", {"most": 0}
'''
GOOD = "PROOF = Proof(TRUE, prove, drop=DROP, change=CHANGE, bind=bind)\n"
REFUTED = """
from fractions import Fraction
from itertools import product

from proofs_check.language import laws


def among():
    return ({"p": p, "q": q} for v in (1, 2) for p, q in product(laws(v, 2), repeat=2))


"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = folder(tmp_path, monkeypatch)
    with (made / "mine.py").open("a", encoding="utf-8") as file:
        file.write(CLAIMS)
    for name in ("mine", "helper"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return made


def write(here: Path, *texts: str) -> str:
    (here / "mine_proof.py").write_text("".join((PROOF, *texts)), encoding="utf-8")
    sys.modules.pop("mine", None)
    return "mine_proof.py"


def test_a_proof_is_checked_recorded_and_counts(here, capsys) -> None:
    assert main([write(here, GOOD), "--show"]) == 0
    said = capsys.readouterr()
    assert "1 proof of mine_proof.py checked" in said.out and "recorded in mine_proof.checked.json" in said.out
    assert "own.true (symbolic, SMT; all laws)" in said.out and said.err == "checked: own.true\n"
    (entry,) = json.loads((here / "mine_proof.checked.json").read_text())["proofs"]["own.true"]
    assert entry["file"] == "mine_proof.py" and entry["steps"] and entry["sharp"] == "Equality at p = q."
    (record,) = verify("mine.py:TRUE", effort="quick")["claims"]
    assert record["verdict"] == "derived" and record["proof"][0]["file"] == "mine_proof.py"
    assert record["proof"][0]["checked_now"] is True and record["proof"][0]["coq"] is None


def test_from_another_folder_it_is_the_same(here, monkeypatch) -> None:
    write(here, GOOD)
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    assert main(["../mine_proof.py"]) == 0
    assert verify("../mine.py:TRUE", effort="quick")["claims"][0]["verdict"] == "derived"


def test_a_record_of_a_false_statement_is_refused(here) -> None:
    """The record of a right proof, with the hash and digest of one whose step does not follow: its check is run, and says so."""
    from proofs_check.checking.outside import write_record
    from simspec.claims.deciding.outside import outside_fingerprint
    from simspec.loading import names

    assert main([write(here, GOOD)]) == 0
    record = json.loads((here / "mine_proof.checked.json").read_text())
    write(here, GOOD.replace("prove, drop", "lambda d: prove(d, most=0), drop"))
    claim, file = names("mine.py", "claim")["TRUE"], here / "mine_proof.py"
    for entry in record["proofs"]["own.true"]:
        entry["hash"] = outside_fingerprint(claim, file)
    write_record({key: value for key, value in record.items() if key != "digest"}, file)
    (forged,) = verify("mine.py:TRUE", effort="quick")["claims"]
    assert (
        forged["verdict"] == "error"
        and "says that mine_proof.py is a proof, and its check says: own.true: " in forged["message"]
    )


READING = """
import json
from pathlib import Path

MOST = Path(__file__).with_name("most.json")


def most():
    return json.loads(SOURCE.read_text())


DATA = bound(name="own.data", rhs=most, **words)
"""


def test_a_data_file_is_part_of_the_hash_or_refused(here, capsys) -> None:
    """Read by a constant of the module its content counts; read by a text, no hash would hold it, and nothing is recorded."""
    (here / "most.json").write_text("1")
    text = (here / "mine.py").read_text(encoding="utf-8")
    proof = GOOD.replace("TRUE", "DATA")
    (here / "mine.py").write_text(text + READING.replace("SOURCE", "Path('most.json')"), encoding="utf-8")
    assert main([write(here, "from mine import DATA\n", proof)]) == 1
    assert "own.data: its formulas read most.json, which no hash holds" in capsys.readouterr().err
    (here / "mine.py").write_text(text + READING.replace("SOURCE", "MOST"), encoding="utf-8")
    assert main([write(here, "from mine import DATA\n", proof)]) == 0
    assert verify("mine.py:DATA", effort="quick")["claims"][0]["verdict"] == "derived"
    (here / "most.json").write_text("2")
    assert verify("mine.py:DATA", effort="quick")["claims"][0]["verdict"] == "holds"


def test_a_dry_check_writes_nothing(here, capsys) -> None:
    assert main([write(here, GOOD), "--dry"]) == 0
    assert "nothing written" in capsys.readouterr().out and not list(here.glob("*.json"))


def test_a_file_is_read_before_it_is_run(here, capsys) -> None:
    """What it does when it is run would come too late to be refused."""
    taken = "from simspec.claims.references import Path\nPath('was_run').touch()\n"
    assert main([write(here, taken, GOOD), "--dry"]) == 1
    assert "Path is none of what simspec.claims.references writes" in capsys.readouterr().err
    assert not (here / "was_run").exists()
    assert main([write(here, GOOD), "--dry"]) == 0


def test_a_counterexample_is_recorded_and_its_repair_has_none(here, capsys) -> None:
    text = "PROOF = Refutation(HALF, among, 'all laws of halves', repaired={'at most one': TRUE})\n"
    assert main([write(here, REFUTED, text)]) == 0
    (record,) = verify("mine.py:HALF", effort="quick")["claims"]
    assert record["verdict"] == "refuted" and record["proof"][0]["kind"] == "counterexample"
    assert main([write(here, REFUTED, text.replace("TRUE}", "HALF}"))]) == 1
    assert "not proved: own.half: once at most one, there still is" in capsys.readouterr().err


SLACK = """
a, b, g = (sp.IndexedBase(n, real=True) for n in 'abg')


def gap(d, sign=1, most=1):
    told = d.domain('the gap', eq(b[x] - a[x], sign * g[x]), ge(g[x], 0))
    d.qed(d.derive('so it holds', le(a[x], most * b[x]), *told))


def sides(p, q):
    s = TRUE.sides({'p': p, 'q': q})
    return {'a': [s[0]], 'b': [s[1]], 'g': [s[1] - s[0]], 'V': 1}


PROOF = Proof(TRUE, gap, drop='the gap', change={'most': 0}, bind=sides)
"""
WRONG = {
    "the sides are another claim's": (
        GOOD.replace("TRUE", "HALF"),
        "own.half: right side: 1 in the proof, 1/2 in the claim",
    ),
    "a step that does not follow": (
        GOOD.replace("prove,", "lambda d, **k: prove(d, most=0, **k),"),
        "own.true: the draft has mass one",
    ),
    "a mutation that changes nothing": (GOOD.replace("CHANGE", "{'most': 2}"), "'change a constant' is not noticed"),
    "an assumption that is not needed": (
        GOOD.replace("TRUE", "ASSUMING"),
        "does not need the assumption 'the laws are close'",
    ),
    "a given that does not hold": (
        "def half(d, **k):\n    d.domain('p is small', le(total(sp.IndexedBase('p', nonnegative=True)[x], x), 0))\n"
        "    prove(d, **k)\n" + GOOD.replace("prove,", "half,"),
        "the given 'p is small'",
    ),
    "the slack in other words": (SLACK, "every conclusion is a sum of what is given"),
    "proved and refuted": (
        REFUTED + "PROOFS = (Proof(HALF, prove, drop=DROP, change=CHANGE, bind=bind),"
        " Refutation(HALF, among, 'x', repaired={'y': TRUE}))\n",
        "own.half: the claim is refuted; it has no proof",
    ),
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_proof_is_not_recorded(here, capsys, text) -> None:
    source, said = WRONG[text]
    assert main([write(here, source)]) == 1
    assert said in capsys.readouterr().err
    assert not list(here.glob("*.checked.json"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "proof: mine_proof.py holds none; expected PROOF = Proof(…)"),
        ("PROOF = TRUE\n", "proof: mine_proof.py holds none"),
        ("1 / 0\n", "proof: mine_proof.py cannot be loaded (ZeroDivisionError: division by zero (mine_proof.py:"),
        (
            "from simspec.claims.sd.acceptance import ACCEPTANCE as TRUE\n" + GOOD,
            "'sd.acceptance' is the id of a claim that ships",
        ),
        (GOOD.replace("bind=bind", "bind=lambda p, q: {}[p[0]]"), "proof: own.true fails (KeyError: "),
    ],
)
def test_a_bad_file_is_told_in_one_line(here, capsys, text, said) -> None:
    assert main([write(here, text)]) == 2
    err = capsys.readouterr().err
    assert said in err and len(err.strip().splitlines()) == 1


def test_the_proof_stands_beside_the_claim(here, capsys, monkeypatch) -> None:
    write(here, GOOD)
    monkeypatch.syspath_prepend(str(here))
    (here / "sub").mkdir()
    (here / "mine_proof.py").rename(here / "sub" / "mine_proof.py")
    assert main(["sub/mine_proof.py"]) == 2
    assert "expected the proof beside the file of its claim" in capsys.readouterr().err
    assert main(["mine_proof.py", "sd.acceptance"]) == 2
    assert "expected ids alone, or files alone" in capsys.readouterr().err
