"""The record of conclusions computed in Coq: it is of the scripts and formulas that ship, and a sample computed anew agrees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.checking.listed import chosen, listed  # noqa: E402
from proofs_check.checking.proof import Proof  # noqa: E402
from proofs_check.coq.evaluated import __main__ as command  # noqa: E402
from proofs_check.coq.evaluated import record  # noqa: E402
from proofs_check.coq.evaluated.readings import Readings, compiled_readings  # noqa: E402
from proofs_check.coq.evaluated.section import section  # noqa: E402
from simspec.claims.deciding.in_coq import coq_record  # noqa: E402
from simspec.claims.deciding.proved import as_written  # noqa: E402


@pytest.fixture(scope="module")
def readings(compiled_once) -> Iterator[Readings]:
    with Readings(compiled_once("readings", lambda place: compiled_readings(place, is_proved=False))) as both:
        yield both


@pytest.fixture(scope="module")
def proved(compiled_once) -> Iterator[Readings]:
    with Readings(compiled_once("proved_readings", compiled_readings)) as both:
        yield both


def test_the_record_is_of_what_ships() -> None:
    """Of every derivation, by the scripts that Coq has accepted and the formulas of the claims."""
    assert record.header(coq_record()["coq"]).items() <= as_written(record.RECORD.name).items()
    entries = record.recorded()
    proofs = {
        (file, k): proof for file, of in listed().items() for k, proof in enumerate(of) if isinstance(proof, Proof)
    }
    stale = [
        proof.claim.name
        for (file, k), proof in proofs.items()
        if not record.about(proof, file, k).items() <= entries.get((file, k), {}).items()
    ]
    assert not stale, f"compute them again (python -m proofs_check.coq.evaluated): {', '.join(stale)}"
    assert {*entries} == {*proofs} and not any("differ" in e for e in entries.values())


SAMPLE = ("sd.acceptance", "csqs.sum-bound", "rdk.taylor-order")


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_computed_anew_is_what_is_recorded(readings, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    file, place, proof = next(one for one in chosen([name]) if one[2].claim.name == name)
    entry = record.recorded()[file, place]
    asked = record.asked(proof)
    assert record.text_digest(asked) == entry["text"]
    monkeypatch.setattr(
        readings, "transferred", lambda conclusions: entry["transfer"]
    )  # what that takes is compiled elsewhere
    assert record.answer(asked, readings).items() <= entry.items()


@pytest.mark.parametrize("paper", ["block", "ears", "multi"])
def test_a_paper_computed_anew_is_what_is_recorded(proved, paper) -> None:
    entries = record.recorded()
    again = list(record.outcome([paper], proved, {}, again=True))
    assert len(again) > 10 and again == [entries[e["file"], e["place"]] for e in again]


@pytest.mark.parametrize(("key", "is_asked"), [("script", False), ("formulas", False), ("text", True), ("", None)])
def test_only_what_changed_is_asked(monkeypatch: pytest.MonkeyPatch, key: str, is_asked: bool | None) -> None:
    """Where the script or the formulas changed, the text is made again; Coq is asked where that is another one."""
    entries = {k: e for k, e in record.recorded().items() if e["claim"] == "sd.acceptance"}
    ((place, old),) = entries.items()
    calls: list[str] = []
    monkeypatch.setattr(record, "answer", lambda *_: calls.append("asked") or {"agree": 7, "transfer": 2})
    changed = {**old, **({key: "another"} if key else {}), **({"script": "another"} if key == "text" else {})}
    nobody: Any = None
    answers = list(record.outcome(["sd.acceptance"], nobody, {place: changed}))
    assert answers == ([] if is_asked is None else [{**old, "agree": 7} if is_asked else old])
    assert bool(calls) == bool(is_asked)


def test_carried_prints_the_record_without_coq(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(command, "Readings", None)
    assert command.main(["sd", "--carried"]) == 0
    printed = capsys.readouterr().out
    assert "sd.acceptance: agree at 4\n" in printed and "9 agree as fractions" in printed


def test_a_difference_is_said_and_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys) -> None:
    path = tmp_path / "evaluated.json"
    for module in (command, record):
        monkeypatch.setattr(module, "RECORD", path)
    monkeypatch.setattr(command, "Readings", lambda: Readings(tmp_path))
    monkeypatch.setattr(record, "answer", lambda *_: {"differ": ["planted"]})
    assert command.main(["sd.acceptance", "--again"]) == 1
    assert "sd.acceptance: DIFFER: ['planted']" in capsys.readouterr().out and '"planted"' in path.read_text(
        encoding="utf-8"
    )


def test_the_section_names_what_is_not_computed() -> None:
    text = "\n\n".join(section())
    entries = record.recorded().values()
    named = [e["claim"] for e in entries if e.get("not") not in (None, record.ENUMERATION)]
    assert named and all(f"- `{name}`: " in text for name in named)
    assert f"{sum('agree' in e for e in entries)} agree as fractions" in text
