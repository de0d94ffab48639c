"""The page of proofs: only what counts is shown, as a reader of a paper expects it, self-contained and escaped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from simspec.claims.deciding.verify import verify
from simspec.report import render, render_proofs, write_proofs
from simspec.report.values import instance
from tests.report.sample import claim
from tests.report.test_page import Page

STEP = ["the sum of both is < 2 & more", "expands to zero", r"a < b"]
ENTRY: dict[str, Any] = {"kind": "symbolic", "scope": "every V", "whole": True, "file": "sd/one.py", "seconds": 0.5}
RECORD: dict[str, Any] = {
    "versions": {"sympy": "1.14"},
    "proofs": {
        "sd.one": [
            {
                **{**ENTRY, "for": {"p sums to one": [], "M is row-stochastic": []}, "cites": ["a theorem"]},
                "declared": ["p sums to one"],
                **{"steps": [STEP], "sharp": "The constant 1 is the least."},
            }
        ],
        "sd.two": [{**ENTRY, "kind": "counterexample", "instance": {"p": ["1/2", "1/2"]}, "repaired": ["p = q"]}],
    },
}


def run(*claims: dict[str, Any]) -> dict[str, Any]:
    return {"version": "0", "seed": 0, "effort": "quick", "environment": {}, "claims": list(claims)}


def one(**facts: Any) -> dict[str, Any]:
    shown = {**ENTRY, "checked_now": False, "versions": {}}
    tight = {"ratio": 1, "instance": {"p": ["1", "0"]}}
    return claim("sd.one", "bound", "proved", "$a < b$", proof=[shown], tightness=tight, **facts)


def test_a_proof_reads_as_in_a_paper() -> None:
    html = render_proofs(run(one(corrected_by=["sd.two"])), RECORD)
    Page(html)
    for part in (
        "Proof.", "Every V.", "Given (1): M is row-stochastic.", "Rests on: a theorem.", "The sum of both is &lt; 2 &amp; more",
        "expands to zero", "<math>", "The constant 1 is the least.", "is attained here", 'href="index.html#sd.one"',
        'href="index.html#sd.two"', "0.5 s; on record", "derived by simspec’s own rules <b>1</b>",
        "Coq has not been asked about this proof",
    ):  # fmt: skip
        assert part in html, part
    assert "sums to one" not in html.split("Given (1):")[1].split("</p>")[0]
    assert "http" not in html.replace("http-equiv", "")
    both = run(one(corrected_by=["sd.two"]), one() | {"id": "sd.two", "proof": RECORD["proofs"]["sd.two"]})
    assert 'href="#sd.two"' in render_proofs(both, RECORD)  # which the page shows too


def test_the_page_counts_its_claims_by_their_origin() -> None:
    correction = claim("sd.two-corrected", "bound", "proved", "$a$", proof=[ENTRY])
    unproved = one() | {"id": "sd.three", "proof": None}
    html = render_proofs(run(one(), correction, unproved), RECORD)
    assert "the proofs of 2 claims (1 printed by the five papers, 1 own)." in html


def test_a_part_and_a_refutation_say_so() -> None:
    part = {**RECORD, "proofs": {"sd.one": [{**RECORD["proofs"]["sd.one"][0], "whole": False}]}}
    html = render_proofs(run(one() | {"proof": [{**ENTRY, "whole": False}]}), part)
    assert "Proof of a part." in html and "derived in part <b>1</b>" in html
    refuted = claim("sd.two", "bound", "refuted", "$a$", proof=[RECORD["proofs"]["sd.two"][0]])
    html = render_proofs(run(refuted), RECORD)
    assert "Refuted." in html and "The same search finds nothing once: p = q." in html
    assert instance({"p": ["1/2", "1/2"]}) in html


def test_what_does_not_count_is_not_shown() -> None:
    html = render_proofs(run(one() | {"proof": None, "verdict": "holds"}), RECORD)
    assert "sd.one" not in html
    elsewhere = one() | {"proof": [{**ENTRY, "file": "sd/elsewhere.py"}]}
    assert "The sum of both" not in render_proofs(run(elsewhere), RECORD)


def test_the_report_leads_to_it(tmp_path: Path) -> None:
    html = render(run(one()))
    assert 'href="proofs.html#sd.one"' in html and "derived (recorded" in html
    said = {"coq": "8.16.1", "whole": False, "steps": 3, "admitted": ["sum_2"]}
    assert "2 of 3 steps are lemmas that Coq 8.16.1 proves" in render(run(one() | {"proof": [{**ENTRY, "coq": said}]}))
    assert "derived in part" in render(run(one() | {"proof": [{**ENTRY, "whole": False}], "verdict": "holds"}))
    assert "proofs.html" not in render(run(one() | {"proof": None, "verdict": "holds"}))
    write_proofs(verify("sd.acceptance", effort="quick"), tmp_path / "proofs.html")
    assert 'id="sd.acceptance"' in (tmp_path / "proofs.html").read_text(encoding="utf-8")


def test_a_formula_that_cannot_be_shown_is_an_error() -> None:
    bad = {**RECORD["proofs"]["sd.one"][0], "steps": [["text", "how", r"\nosuchcommand"]]}
    with pytest.raises(ValueError, match="nosuchcommand"):
        render_proofs(run(one()), {**RECORD, "proofs": {"sd.one": [bad]}})
