"""What was decided counts for the same inputs only, and never for a crashed check or a claim from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simspec.claims import find
from simspec.claims.chosen import choose
from simspec.claims.deciding import kept as module
from simspec.claims.deciding import proved
from simspec.claims.deciding.kept import NAME, claim_key, keep, pages_of, run_key, stored_records
from simspec.files import digested
from simspec.provenance import modules, walk
from simspec.provenance.walk import code_of

ROOT = Path(module.__file__).parents[3]

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
    assert set(stored_records(tmp_path, SAME, choose(["sd"]))) == {"sd.speedup", "sd.acceptance"}
    assert set(stored_records(tmp_path, SAME, choose(["sd.acceptance"]))) == {"sd.acceptance"}
    assert stored_records(tmp_path, OTHER, choose(["sd"])) == {}


def test_claims_of_another_run_stay_and_the_latest_record_of_each_counts(tmp_path: Path) -> None:
    keep(tmp_path, SAME, RECORDS[:2])
    keep(tmp_path, OTHER, [{"id": "sd.speedup", "verdict": "refuted"}])
    assert stored_records(tmp_path, OTHER, choose(["sd"])) == {"sd.speedup": {"id": "sd.speedup", "verdict": "refuted"}}
    assert set(stored_records(tmp_path, SAME, choose(["sd"]))) == {"sd.acceptance"}


def test_nothing_worth_keeping_writes_nothing(tmp_path: Path) -> None:
    assert keep(tmp_path / "report", SAME, RECORDS[2:]) == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"run": "a", "claims": []}', json.dumps(digested({"claims": [1]}))])
def test_a_file_that_is_not_ours_counts_for_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)
    assert stored_records(tmp_path, SAME, choose(["sd"])) == {}


def test_an_altered_file_counts_for_nothing(tmp_path: Path) -> None:
    keep(tmp_path, SAME, RECORDS)
    path = tmp_path / NAME
    path.write_text(path.read_text().replace("holds", "proved"))
    assert json.loads(path.read_text()) and stored_records(tmp_path, SAME, choose(["sd"])) == {}


def test_runs_differ_by_arguments_and_bank(tmp_path: Path) -> None:
    bank = tmp_path / "bank"
    bank.write_text("one")
    asked = [(None, "quick", 0), (None, "default", 0), (None, "quick", 1), (str(bank), "quick", 0)]
    keys = [run_key(*one)("sd.acceptance") for one in asked]
    bank.write_text("another")
    keys.append(run_key(str(bank), "quick", 0)("sd.acceptance"))
    assert len(set(keys)) == len(keys)


EDITS = [
    ("simspec/laws/unchecked.py", "np.minimum(", "np.maximum(", {"sd.speedup"}),  # the other uses no overlap
    ("simspec/claims/deciding/decide.py", '"refuted"', '"holds"', {"sd.acceptance", "sd.speedup"}),
    ("simspec/claims/sd/acceptance.py", "1 - drafter_kernel(p", "1 + drafter_kernel(p", {"sd.acceptance"}),
]
"""File, what is written there, what is written in its place, and which of two claims is then decided anew."""


def keys_where(file: str = "", old: str = "", new: str = "") -> dict[str, str]:
    """Keys of two claims by the code as it is, or where the text of one file is another."""

    def read(path: str, names: object = None) -> list[str]:
        text = Path(path).read_text(encoding="utf-8") if Path(path).is_file() else ""
        if file and Path(path) == ROOT / file:
            assert old in text, (file, old)
            text = text.replace(old, new)
        return text.splitlines(keepends=True)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(modules.linecache, "getlines", read)
        patched.setattr(walk, "_lasting", {})
        patched.setattr(walk, "_package_modules", {})
        key = run_key(None, "quick", 0)
        return {name: key(name) for name in ("sd.acceptance", "sd.speedup")}


@pytest.fixture(scope="module")
def before() -> dict[str, str]:
    return keys_where()


@pytest.mark.parametrize(("file", "old", "new", "moved"), EDITS)
def test_a_change_of_code_decides_anew_what_rests_on_it_and_nothing_else(before, file, old, new, moved) -> None:
    after = keys_where(file, old, new)
    assert {name for name in before if before[name] != after[name]} == moved


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("simspec/claims/deciding/verify.py", "parts", "words_of_command"),
        ("simspec/claims/sd/acceptance.py", "instances=pair_of_laws,", "instances=pair_of_laws,  # why"),
        ("simspec/studies/sd/rounds.py", "np.", "numpy."),  # not reached by these claims
    ],
)
def test_names_of_locals_comments_and_other_code_decide_nothing_anew(before, file, old, new) -> None:
    assert keys_where(file, old, new) == before


def test_a_proof_counts_for_its_claim_alone(monkeypatch) -> None:
    claims = find(["sd.acceptance", "sd.speedup"])
    before = {claim.name: claim_key(claim) for claim in claims}
    whole = proved.record()
    changed = {**whole["proofs"], "sd.acceptance": []}
    monkeypatch.setattr(proved, "record", lambda: {**whole, "proofs": changed})
    after = {claim.name: claim_key(claim) for claim in claims}
    assert {name for name in before if before[name] != after[name]} == {"sd.acceptance"}


def test_a_measured_claim_rests_on_its_study_and_an_exact_one_does_not() -> None:
    def parts(name: str) -> set[str]:
        return set(code_of(find([name])[:1])["parts"])

    assert "Study" in parts("rdk.logit-statistics") and "Study" not in parts("sd.acceptance")


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
