"""Kinds of what proofs are given, and that a proof which is given a theorem is one of a part."""

import pytest

from simspec.claims import registry
from simspec.claims.deciding import proved
from simspec.report import kinds
from simspec.report.kinds import THEOREMS, beyond, kind, left, main
from simspec.report.proofs import readable


def test_kinds_by_hand() -> None:
    assert kind("a law", [r"\sum_{x=1}^{V} p_{x} = 1", r"p_{x} \ge 0"]) == "range"
    assert kind("the winner (see coupling.formula)", ["a = b c"]) == "claim"
    assert kind("u", [r"u_{n + 1} = u_{n} + 1"]) == "recursion"


def part(entry: dict) -> bool:
    """Whether an entry says that it is of a part, or is given no theorem."""
    return not entry["whole"] or not any(name.startswith(tuple(THEOREMS)) for name in entry.get("for", ()))


def test_a_proof_that_is_given_a_theorem_is_one_of_a_part() -> None:
    """What a proof is given stands in the record that is read, whether it is whole in the record that decides."""
    recorded, seen = proved.record()["proofs"], 0
    for name, entries in readable()["proofs"].items():
        for n, entry in enumerate(entries):
            if "for" in entry:
                whole = recorded[name][n]["whole"]
                seen += any(g.startswith(tuple(THEOREMS)) for g in entry["for"])
                assert part({"whole": whole, "for": entry["for"]}), name
    assert seen


@pytest.mark.parametrize(("whole", "expected"), [(True, False), (False, True)])
def test_it_would_be_noticed(whole, expected) -> None:
    assert part({"whole": whole, "for": [next(iter(THEOREMS))]}) is expected


def test_what_is_left_without_assumptions_is_counted(capsys) -> None:
    """Of a claim whose assumptions are all that its proof is given nothing is left, whatever the givens are called."""
    name = "rdk.non-expansive"
    (assumed, *_) = registry()[name].assumes
    entry = {
        "for": {assumed: ["a = b"], "a rule": ["a = b"], "p sums to one": ["s = 1"]},
        "declared": ["p sums to one"],
    }
    assert beyond({name: [entry, {"for": {assumed: ["a = b"]}}, {"kind": "without givens"}]}) == {name: [1, 0]}
    assert main([name]) == 0 and main(["no.such-claim"]) == 2
    said = capsys.readouterr()
    assert said.out.startswith(f"{name}: ") and "givens beside assumptions" in said.out and "no.such-claim" in said.err


@pytest.fixture
def recorded_definition(monkeypatch):
    """A record that says of one proof that a given of it is a definition: of that proof, or of another text."""

    def write(is_of_this_proof: bool, part: str) -> str:
        name = "pad.pathwise-corrected"
        (entry, *_) = proved.record()["proofs"][name]
        about = {
            "file": entry["file"],
            "place": entry["place"],
            "proof": entry["hash"] if is_of_this_proof else "0" * 24,
        }
        given = ["the replacement is the normalised residual"]
        monkeypatch.setattr(kinds, "as_written", lambda file: {"derivations": [{"claim": name, **about, part: given}]})
        kinds.recorded_givens.cache_clear()
        return name

    yield write
    monkeypatch.undo()
    kinds.recorded_givens.cache_clear()


@pytest.mark.parametrize("part", ["given", "ranges", "types", "denominators"])
@pytest.mark.parametrize(("is_of_this_proof", "fewer"), [(True, 1), (False, 0)])
def test_what_coq_proves_of_a_definition_is_not_given(recorded_definition, is_of_this_proof, fewer, part) -> None:
    """While the proof is the one that Coq was asked about; of another text the record says nothing."""
    name = recorded_definition(is_of_this_proof, part)
    assert beyond()[name][0] - left()[name][0] == fewer


@pytest.mark.parametrize(("is_of_this_proof", "expected"), [(True, 1), (False, 3)])
def test_what_a_theorem_on_defined_names_takes_counts(monkeypatch, is_of_this_proof, expected) -> None:
    """By hand: of three givens that are left the theorem takes one, and a range, which is counted nowhere."""
    name = "pad.pathwise-corrected"
    (entry, *_) = proved.record()["proofs"][name]
    key = (name, f"{entry['file']} {entry['place']} {entry['hash'] if is_of_this_proof else '0' * 24}")
    monkeypatch.setattr(kinds, "left", lambda: {name: [3]})
    monkeypatch.setattr(kinds, "composed", lambda: {key: frozenset({"a rule", "a range"})})
    monkeypatch.setattr(kinds, "ranges", lambda: {key: frozenset({"a range"})})
    monkeypatch.setattr(kinds, "defined", lambda: {key: frozenset({"a rule"})})  # Coq says that the theorem takes it
    assert kinds.taken()[name][0] == expected


def test_the_record_of_definitions_names_what_is_given() -> None:
    recorded = proved.as_written("defined.json")["derivations"]
    assert recorded
    for entry in recorded:
        names = [name for e in readable()["proofs"][entry["claim"]] for name in e.get("for", ())]
        assert entry["defined"] or not entry["given"], entry["claim"]
        parts = [entry.get(part, ()) for part in ("given", "ranges", "types", "denominators")]
        assert {name for part in parts for name in part} <= {*names}, entry["claim"]


def test_kinds_of_what_is_left_add_up() -> None:
    assert sum(kinds.kinds_left().values()) == sum(sum(numbers) for numbers in left().values())


def test_a_claim_with_a_theorem_of_its_own_rests_on_no_given(monkeypatch) -> None:
    """By hand: of three claims with 2, 1 and 4 givens left the second has a theorem."""
    monkeypatch.setattr(kinds, "taken", lambda: {"a.a": [2], "a.b": [1], "a.c": [4]})
    monkeypatch.setattr(kinds, "with_a_theorem", lambda: frozenset({"a.b"}))
    assert kinds.left_of_verdicts() == [2, 0, 4]


def test_claims_with_a_theorem_of_their_own() -> None:
    recorded = {entry["claim"] for entry in proved.as_written("coq.json")["theorems"]}
    assert kinds.with_a_theorem() and kinds.with_a_theorem() <= recorded
