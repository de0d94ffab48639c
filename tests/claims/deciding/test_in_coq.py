"""What Coq has said decides the word of a verdict, and counts only for what it was said of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from simspec.claims import registry
from simspec.claims.deciding import in_coq
from simspec.claims.deciding.in_coq import (
    answer,
    formulas_hash,
    library_hash,
    sentence,
    sentence_of,
    theorem_name,
    theorems_hash,
    word,
)

NAME = "sd.speedup"
PROOF = {"kind": "symbolic", "whole": True, "file": "sd/speedup.py", "place": 0, "hash": "0f"}
SAID: dict[str, Any] = {
    "claim": NAME,
    "file": "sd/speedup.py",
    "place": 0,
    "proof": "0f",
    "text": "5e" * 12,
    "steps": 3,
    "admitted": [],
}
SAID |= {"whole": True}


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A record of Coq that a test fills; whatever is remembered of another is forgotten before and after."""
    content: dict[str, Any] = {"coq": "8.16.1", "prelude": library_hash("prelude.v")}
    content |= {"derivations": [], "theorems": []}
    monkeypatch.setattr(in_coq, "_read", lambda: content)
    for remembered in (in_coq._answers, in_coq._theorem, in_coq._is_proved):
        remembered.cache_clear()
    yield content
    for remembered in (in_coq._answers, in_coq._theorem, in_coq._is_proved):
        remembered.cache_clear()


def shown(**changes: Any) -> list[dict[str, Any]]:
    entry = {**PROOF, **changes}
    return [{**entry, "coq": answer(NAME, entry)}]


@pytest.mark.parametrize("change", [{"hash": "1f"}, {"place": 1}, {"file": "sd/other.py"}, {"kind": "counterexample"}])
def test_an_answer_is_about_one_proof(record, change) -> None:
    """The same claim with another hash, place or file was not read by Coq; a counterexample is none of its derivations."""
    record["derivations"].append(SAID)
    assert word(shown()) == "proved"
    assert word(shown(**change)) == ("holds" if "kind" in change else "derived")
    assert word(shown(whole=False)) == "holds"


def test_a_step_that_coq_was_only_told_makes_it_derived(record) -> None:
    record["derivations"].append({**SAID, "admitted": ["sum_1"], "whole": False})
    assert word(shown()) == "derived"


@pytest.mark.parametrize(
    "change",
    [
        {"admitted": ["sum_1"]},
        {"whole": False},
        {"whole": "true"},
        {"text": ""},
        {"steps": 0},
        {"not": "no answer in 300 s"},
        {"admitted": ["sum_1"], "whole": False, "rests_on": []},
        {"admitted": ["sum_1", "sum_1"], "whole": False},
    ],
)
def test_a_flag_that_does_not_follow_is_refused(record, change) -> None:
    record["derivations"].append({**SAID, **change})
    with pytest.raises(ValueError, match=r"coq\.json: sd\.speedup: whole is .*, which does not follow .* make coq"):
        shown()


def test_a_step_that_no_conclusion_rests_on_may_be_admitted(record) -> None:
    record["derivations"].append({**SAID, "admitted": ["sum_1"], "rests_on": []})
    assert word(shown()) == "proved"


def test_what_rests_on_a_claim_that_is_not_proved_is_not_proved(record, monkeypatch) -> None:
    """Coq takes the claim as given: of another word than `proved`, neither is what follows from it."""
    record["derivations"].append(SAID)
    for of_used, of_both in (("proved", "proved"), ("derived", "derived")):
        in_coq._is_proved.cache_clear()
        monkeypatch.setattr(in_coq, "entries_of", lambda claim: [{**PROOF, "claim": claim.name}])
        monkeypatch.setattr(
            in_coq, "answered", lambda name, entry, said=of_used: {**entry, "coq": {"whole": said == "proved"}}
        )
        assert word(shown(uses=["sd.acceptance"])) == of_both
    assert sentence(shown(uses=["sd.acceptance"])[0]).endswith("of that sd.acceptance is not proved")
    assert word(shown(uses=["no.such-claim"])) == "derived" and word(shown(uses=[])) == "proved"


def test_a_theorem_about_the_algorithm_counts_while_nothing_it_is_about_changes(record, monkeypatch) -> None:
    claim = registry()[NAME]
    entry = {"claim": NAME, "theorem": theorem_name(NAME), "file": "coq/algorithm/sd.v", "files": theorems_hash()}
    record["theorems"].append({**entry, "formulas": formulas_hash(claim)})
    assert word(shown()) == "derived"  # it stands in no file
    monkeypatch.setattr(in_coq, "stands_in", lambda file, text: text == f"\nTheorem {theorem_name(NAME)} ")
    in_coq._theorem.cache_clear()
    assert word(shown()) == "derived"  # nobody has read what it says
    monkeypatch.setattr(in_coq, "is_as_read", lambda theorem, file: (theorem, file) == (theorem_name(NAME), "sd"))
    in_coq._theorem.cache_clear()
    assert word(shown()) == "proved" and word([]) == "holds"
    in_coq._theorem.cache_clear()
    record["theorems"][0]["theorem"] = "sd_of_another_claim"
    assert word(shown()) == "derived"
    record["theorems"][0]["theorem"] = theorem_name(NAME)
    in_coq._theorem.cache_clear()
    changed = replace(claim, lhs=claim.rhs)
    monkeypatch.setitem(registry(), NAME, changed)
    assert formulas_hash(changed) != formulas_hash(claim) and word(shown()) == "derived"
    monkeypatch.setitem(registry(), NAME, claim)
    in_coq._theorem.cache_clear()
    record["theorems"][0]["files"] = "of other files"
    assert word(shown()) == "derived"


def test_the_sentence_names_what_only_our_rules_show(record, monkeypatch) -> None:
    recorded = {"proofs": {NAME: [{**PROOF, "whole": False}, PROOF]}}
    monkeypatch.setattr(in_coq, "record", lambda: recorded)
    monkeypatch.setattr(in_coq, "fingerprint", lambda claim, file: "0f")
    assert sentence_of(registry()[NAME]).endswith("Coq has not been asked about this proof")
    record["derivations"].append({**SAID, "admitted": ["sum_1", "derive_2"], "whole": False})
    in_coq._answers.cache_clear()
    said = sentence_of(registry()[NAME])
    assert said.startswith("1 of 3 steps are lemmas that Coq 8.16.1 proves; ")
    assert "simspec's own rules alone show sum_1, derive_2, axioms" in said


def test_of_what_has_changed_since_coq_says_nothing(record, monkeypatch) -> None:
    """The answer is about the proof on record: of other formulas, or another proof file, it says nothing."""
    record["derivations"].append(SAID)
    monkeypatch.setattr(in_coq, "record", lambda: {"proofs": {NAME: [PROOF]}})
    hashes = {"now": "0f"}
    monkeypatch.setattr(in_coq, "fingerprint", lambda claim, file: hashes["now"])
    assert sentence_of(registry()[NAME]).startswith("Coq 8.16.1 accepts the whole derivation: 3 lemmas")
    for changed in ("1f", None):
        hashes["now"] = changed
        said = sentence_of(registry()[NAME])
        assert "changed since it was recorded (python -m proofs_check sd.speedup)" in said and "accepts" not in said


def test_a_proof_of_a_part_is_called_one() -> None:
    """Coq accepts what was derived, and that is not the statement."""
    for name in ("tasc.typical-set.ergodic", "tasc.added-tokens-corrected"):
        assert " accepts the whole derivation of a part of the statement: " in sentence_of(registry()[name])
    some = sentence({"whole": False, "coq": {**COQ, "whole": False, "admitted": ["sum_1"]}})
    assert some.startswith("2 of 3 steps of a part of the statement are lemmas")
    assert "of a part" not in sentence({"whole": True, "coq": COQ})


COQ = {"coq": "8.16.1", "whole": True, "steps": 3, "admitted": []}
