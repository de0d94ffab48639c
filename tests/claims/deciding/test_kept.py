"""What was decided counts for the same inputs only, and never for a crashed check or a claim from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simspec.claims import file_of
from simspec.claims.chosen import choose
from simspec.claims.deciding import kept as module
from simspec.claims.deciding.kept import NAME, keep, kept, pages_of, reached, run_key
from simspec.files import digested

RECORDS = [
    {"id": "sd.speedup", "verdict": "holds"},
    {"id": "sd.acceptance", "verdict": "proved"},
    {"id": "sd.lossless", "verdict": "error"},
    {"id": "own.true", "verdict": "holds", "place": "mine.py:TRUE"},
]


SAME, OTHER = "a {}".format, "b {}".format
"""Keys of two runs."""


def test_records_of_the_same_inputs_are_found_again(tmp_path: Path) -> None:
    assert keep(tmp_path, SAME, RECORDS) == 2
    assert set(kept(tmp_path, SAME, choose(["sd"]))) == {"sd.speedup", "sd.acceptance"}
    assert set(kept(tmp_path, SAME, choose(["sd.acceptance"]))) == {"sd.acceptance"}
    assert kept(tmp_path, OTHER, choose(["sd"])) == {}


def test_claims_of_another_run_stay_and_the_latest_record_of_each_counts(tmp_path: Path) -> None:
    keep(tmp_path, SAME, RECORDS[:2])
    keep(tmp_path, OTHER, [{"id": "sd.speedup", "verdict": "refuted"}])
    assert kept(tmp_path, OTHER, choose(["sd"])) == {"sd.speedup": {"id": "sd.speedup", "verdict": "refuted"}}
    assert set(kept(tmp_path, SAME, choose(["sd"]))) == {"sd.acceptance"}


def test_nothing_worth_keeping_writes_nothing(tmp_path: Path) -> None:
    assert keep(tmp_path / "report", SAME, RECORDS[2:]) == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"run": "a", "claims": []}', json.dumps(digested({"claims": [1]}))])
def test_a_file_that_is_not_ours_counts_for_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)
    assert kept(tmp_path, SAME, choose(["sd"])) == {}


def test_an_altered_file_counts_for_nothing(tmp_path: Path) -> None:
    keep(tmp_path, SAME, RECORDS)
    path = tmp_path / NAME
    path.write_text(path.read_text().replace("holds", "proved"))
    assert json.loads(path.read_text()) and kept(tmp_path, SAME, choose(["sd"])) == {}


def test_runs_differ_by_arguments_and_bank(tmp_path: Path) -> None:
    bank = tmp_path / "bank"
    bank.write_text("one")
    asked = [(None, "quick", 0), (None, "default", 0), (None, "quick", 1), (str(bank), "quick", 0)]
    keys = [run_key(*one)("sd.acceptance") for one in asked]
    bank.write_text("another")
    keys.append(run_key(str(bank), "quick", 0)("sd.acceptance"))
    assert len(set(keys)) == len(keys)


CHANGES = [
    ("simspec/laws/arrays.py", {"sd.one", "sd.two"}),  # what everyone rests on
    ("simspec/claims/deciding/search.py", {"sd.one", "sd.two"}),
    ("simspec/claims/expected.json", {"sd.one", "sd.two"}),
    ("proofs_check/rules.py", {"sd.one", "sd.two"}),
    ("simspec/claims/sd/one.py", {"sd.one"}),
    ("simspec/claims/sd/parts.py", {"sd.two"}),  # imported
    ("simspec/studies/sd/rounds.py", {"sd.two"}),  # by what is imported, inside a function
    ("simspec/studies/sd/others.py", set()),
    ("simspec/report/page.py", set()),
    ("simspec/__init__.py", {"sd.one", "sd.two"}),  # counts, but is not followed
]


@pytest.mark.parametrize(("changed", "moved"), CHANGES)
def test_a_change_of_code_decides_anew_what_reaches_it_and_nothing_else(tmp_path, monkeypatch, changed, moved) -> None:
    written = {name: "" for name, _ in CHANGES}
    written["simspec/__init__.py"] = "from simspec.studies.sd import others\n"
    written["simspec/claims/sd/one.py"] = "import simspec\nfrom simspec.laws import (\n    tv,\n)\n"
    written["simspec/claims/sd/two.py"] = "from simspec.claims.sd import parts\n"
    written["simspec/claims/sd/parts.py"] = "def f():\n    from simspec.studies.sd.rounds import rounds as r\n"
    for name, text in written.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(module, "_PACKAGE", tmp_path / "simspec")
    monkeypatch.setattr(module, "file_of", lambda name: f"simspec/claims/{name.replace('.', '/')}.py")
    before, after = made(), made((tmp_path / changed, "\n# changed\n"))
    assert {name for name in before if before[name] != after[name]} == moved


def made(change: tuple[Path, str] | None = None) -> dict[str, str]:
    if change is not None:
        change[0].write_text(change[0].read_text() + change[1])
    for remembering in (module._digest, module._named):
        remembering.cache_clear()
    keys = run_key(None, "quick", 0)
    for_all = {name: keys(name) for name in ("sd.one", "sd.two")}
    for remembering in (module._digest, module._named):
        remembering.cache_clear()
    return for_all


def test_a_measured_claim_reaches_its_study_and_an_exact_one_does_not() -> None:
    def studies(name: str) -> set[str]:
        return {Path(p).stem for p in reached(str(Path(module.__file__).parents[3] / file_of(name)))}

    assert "logit_shape" in studies("rdk.logit-statistics") and "logit_shape" not in studies("sd.acceptance")


def test_pages_are_made_anew_from_other_verdicts() -> None:
    one = {"claims": [{"id": "sd.acceptance", "verdict": "proved"}]}
    assert pages_of(one) == pages_of(json.loads(json.dumps(one))) != pages_of({"claims": []})


def test_pages_are_made_anew_where_the_code_that_makes_them_changes(tmp_path, monkeypatch) -> None:
    """Code, templates and printed sentences count; what Python compiles from them, and other folders, do not."""
    counted = ("report/page.py", "report/page.html.j2", "html/formulas.py", "claims/sd/acceptance.py")
    others = ("report/__pycache__/page.pyc", "engine/run.py")
    for name in (*counted, *others):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    monkeypatch.setattr(module, "_PACKAGE", tmp_path)
    changed = set()
    for name in (*counted, *others):
        before = pages_of({})
        (tmp_path / name).write_text("# other code\n", encoding="utf-8")
        if pages_of({}) != before:
            changed.add(name)
    assert changed == set(counted)
