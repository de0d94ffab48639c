"""Every proof: it checks, it is about the claim's own formulas, it fails when it should, and it is what the record says.

A proof whose record still holds is not shown again here: neither its file, nor the checker, nor the claim's formulas, nor a
library that decides has changed since it was checked and recorded.  Such tests skip, with a counted reason; with
SIMSPEC_PROOFS=all none does, and with SIMSPEC_PROOFS=1/4 the first quarter of the claims does not.  `.ci/run` takes the next
quarter with each commit.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any
from zlib import crc32

import pytest

from tests.requirements import require

require("proofs")
import sympy as sp  # noqa: E402

from proofs_check.checking import archive  # noqa: E402
from proofs_check.checking.agreement import bound, meanings  # noqa: E402
from proofs_check.checking.check import (  # noqa: E402
    CERTIFICATES,
    cited,
    differences,
    entry,
    formulas,
    recorded,
    versions,
)
from proofs_check.checking.listed import PAPERS, listed  # noqa: E402
from proofs_check.checking.paper import paper  # noqa: E402
from proofs_check.checking.proof import (  # noqa: E402
    Proof,
    Refutation,
    check,
    counterexample_to_repaired,
    disagreement,
    instances,
    narrowing,
)
from proofs_check.rules import smt  # noqa: E402
from proofs_check.rules.derivation import Derivation, Unproved  # noqa: E402
from proofs_check.rules.terms import Relation, eq, ge, index, le  # noqa: E402
from simspec.claims import registry  # noqa: E402
from simspec.claims.claim import call  # noqa: E402
from simspec.claims.deciding.proved import fingerprint, record, whole  # noqa: E402
from simspec.claims.deciding.shrink import violated  # noqa: E402
from simspec.claims.deciding.verify import expected  # noqa: E402
from simspec.html.formulas import mathml  # noqa: E402
from simspec.report.proofs import readable  # noqa: E402

ALL = [(file, n, p) for file, proofs in listed().items() for n, p in enumerate(proofs)]
NOW = [(file, n, p) for file, n, p in ALL if not p.deep]
PROOFS = [pytest.param(file, n, p, id=f"{p.claim.name}-{n}") for file, n, p in NOW if isinstance(p, Proof)]
REFUTATIONS = [pytest.param(file, n, p, id=p.claim.name) for file, n, p in NOW if isinstance(p, Refutation)]
KINDS = {"identity", "bound", "probability", "rate"}
UNCHANGED = "unchanged since it was checked and recorded: SIMSPEC_PROOFS=all checks it again"
EVERY = "all"


def holds(entries: Sequence[dict[str, Any]], current: Sequence[tuple[str, str | None]], now: dict[str, str]) -> bool:
    """Whether recorded entries are of just these files and hashes, and of these versions of the libraries that decide."""
    return sorted((e["file"], e["hash"]) for e in entries) == sorted(current) and all(
        e["versions"] == now for e in entries
    )


def is_asked_for(name: str, asked: str) -> bool:
    """Whether the proofs of a claim are checked whatever their record: "all" are, or those of a share of all claims, "1/3".

    The share of a claim depends on its name alone.
    """
    if asked in {"", EVERY}:
        return asked == EVERY
    share, of = map(int, asked.split("/"))
    assert 1 <= share <= of, f"SIMSPEC_PROOFS={asked}; expected {EVERY}, or a share such as 1/3"
    return crc32(name.encode()) % of == share - 1


@cache
def unchanged(name: str) -> bool:
    """Whether all that a claim's recorded proofs hang on is what it was, and nobody asks for them."""
    if is_asked_for(name, os.environ.get("SIMSPEC_PROOFS", "")):
        return False
    current = [(file, fingerprint(p.claim, file)) for file, _, p in ALL if p.claim.name == name]
    return holds(recorded_proofs().get(name, ()), current, versions())


@cache
def recorded_proofs() -> dict[str, Any]:
    return recorded()["proofs"]


def leave(name: str) -> None:
    if unchanged(name):
        pytest.skip(UNCHANGED)


@cache
def derived(file: str, place: int) -> Derivation | None:
    """A proof, checked once in a run of the tests."""
    proof = listed()[file][place]
    return check(proof) if isinstance(proof, Proof) else None


@cache
def made(file: str, place: int) -> tuple[dict[str, Any], str]:
    return entry(file, place, derived=derived(file, place))


def test_every_mutation_names_an_argument_of_its_proof() -> None:
    """Seen at once, since mutations run only where a record is stale."""
    proofs = [p for _, _, p in ALL if isinstance(p, Proof)]
    assert len(proofs) > 400
    for proof in proofs:
        arguments = inspect.signature(proof.prove).parameters.keys()
        changes = [change for change in (proof.drop, proof.flip, proof.change) if isinstance(change, Mapping)]
        assert set().union(*changes) <= arguments, proof.claim.name


@pytest.mark.parametrize(("file", "place", "proof"), PROOFS)
def test_a_proof_checks_is_about_its_claim_and_fails_when_it_should(
    file: str, place: int, proof: Proof, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One test for a proof: what has been shown once is not shown again; the function that fails says what is wrong."""
    leave(proof.claim.name)
    d = derived(file, place)
    assert d is not None
    assert made(file, place)[0]["whole"] == proof.whole
    contradictory_givens_are_noticed(proof, d)
    it_says_how_sharp_it_is(proof)
    monkeypatch.setattr(smt, "TIMEOUT_MS", 2_000)  # what a solver leaves open is no proof
    it_fails_when_mutated(proof)
    every_assumption_is_needed(proof, d)


def opposite(r: Relation) -> Relation:
    """What cannot hold where a relation does."""
    return {"=": eq, ">=": le, ">": le, "<=": ge, "<": ge}[r.op](r.lhs, r.rhs + (1 if r.op in {"<=", "<"} else -1))


def contradictory_givens_are_noticed(proof: Proof, d: Derivation) -> None:
    """The opposite of each given, beside it; and a contradiction about an index that ranges over nothing."""
    if proof.bind is None:
        return
    instance = next(instances(proof.claim, 1))
    more, said = copy(d), bound(proof.bind, d, instance)
    named = d.givens.keys() - d.supposed - d.theorems.keys()  # what is cited in a case may have no value beside it
    given = [r for name, relations in d.givens.items() if name in named for r in relations]
    defined = meanings(d, said[0])  # the same, whatever else is given
    for r in given:
        more.givens = {"the opposite": [opposite(r)], **d.givens}
        assert "'the opposite'" in str(disagreement(proof, more, instance, binding=said, defined=defined)), r
    nothing, b = index("nothing"), sp.IndexedBase("of_nothing", real=True)
    more.givens = {**d.givens, "of nothing": [eq(b[nothing], 0), eq(b[nothing], 1)]}
    values = call(proof.bind, instance)
    ranges = {**values.get("ranges", {}), "nothing": ()}
    hidden = replace(proof, bind=lambda: {**values, "of_nothing": [], "ranges": ranges})
    assert "'of nothing'" in str(disagreement(hidden, more, instance))


def it_says_how_sharp_it_is(proof: Proof) -> None:
    if proof.claim.kind != "bound":
        return
    assert proof.sharp, f"{proof.claim.name}: nothing is said of the constant"
    for instance in proof.claim.tight:
        assert not violated(proof.claim.slack(instance))


def it_fails_when_mutated(proof: Proof) -> None:
    for name in proof.mutations:
        with pytest.raises(Unproved):
            check(proof, name)
            pytest.fail(f"{proof.claim.name}: {name} is not noticed")


def every_assumption_is_needed(proof: Proof, d: Derivation) -> None:
    """Without it the proof fails, and an instance that breaks it alone breaks the claim."""
    left_out = {change for change in proof.mutations.values() if isinstance(change, str)}  # tried among the mutations
    for name in proof.claim.assumes:
        if name not in left_out:
            with pytest.raises(Unproved):
                check(proof, f"without {name}")
                pytest.fail(f"{proof.claim.name}: the proof does not need {name!r}")
        if name in proof.claim.outside:
            instance = proof.claim.outside[name]
            assert proof.claim.broken_assumptions(instance) == [name]
            assert violated(proof.claim.slack(instance)), f"{proof.claim.name}: {name!r} is not needed at {instance}"
            assert narrowing(proof, d, name) is None


@pytest.mark.parametrize(("file", "place", "refutation"), REFUTATIONS)
def test_a_refutation_is_found(file: str, place: int, refutation: Refutation) -> None:
    leave(refutation.claim.name)
    made(file, place)
    assert expected()["verdicts"][refutation.claim.name] == "refuted"


@pytest.mark.parametrize(("file", "place", "refutation"), REFUTATIONS)
def test_a_repair_has_no_counterexample(file: str, place: int, refutation: Refutation) -> None:
    """Looked for whether or not the record stands: it is made without looking."""
    assert refutation.repaired
    for what in refutation.repaired:
        with pytest.raises(Unproved):
            pytest.fail(
                f"{refutation.claim.name}: once {what}, there still is {counterexample_to_repaired(refutation, what)}"
            )


def test_every_claim_has_a_proof_or_a_counterexample() -> None:
    found = {p.claim.name for _, _, p in ALL}
    wanted = {c.name for c in registry().values() if c.kind in KINDS}
    assert wanted <= found, sorted(wanted - found)


def test_files_are_named_after_their_claims() -> None:
    for file, _, proof in ALL:
        paper_name, _, name = file.removesuffix(".py").partition("/")
        assert paper_name in PAPERS
        group, _, rest = proof.claim.name.partition(".")
        assert group == paper_name and re.sub("[-.]", "_", rest).startswith(name), file


def faults(uses: dict[str, set[str]], proved: set[str]) -> list[str]:
    """Claims that are used and not proved, and that rest on themselves."""
    found = [f"{used} is used, and not proved" for used in sorted(set().union(*uses.values()) - proved)]

    def reached(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            found.append(f"a circle: {' → '.join((*path, name))}")
            return
        for other in sorted(uses.get(name, ())):
            reached(other, (*path, name))

    for name in uses:
        reached(name, ())
    return found


def test_what_a_proof_uses_is_proved_without_it() -> None:
    uses: dict[str, set[str]] = {}
    for name, found in recorded()["proofs"].items():
        uses.setdefault(name, set()).update(*(e.get("uses", ()) for e in found))
    assert "multi.subset" in uses["multi.lossy-optimum"]  # no empty list
    assert faults(uses, {name for name, found in record()["proofs"].items() if whole(found)}) == []


def test_what_is_used_and_not_proved_would_be_noticed() -> None:
    assert faults({"a": {"b"}, "b": set()}, {"a", "b"}) == []
    assert faults({"a": {"b"}}, {"a"}) == ["b is used, and not proved"]
    assert "a circle: a → b → a" in faults({"a": {"b"}, "b": {"a"}}, {"a", "b"})


@pytest.mark.parametrize(
    ("name", "expected"), [("multi.subset", ["multi.subset"]), ("multi.nothing", None), ("sd.acceptance", None)]
)
def test_what_a_proof_cites_is_another_claim_that_is_listed(name: str, expected: list[str] | None) -> None:
    proof = next(p for _, _, p in ALL if p.claim.name == "sd.acceptance")
    d = Derivation("sd.acceptance")
    d.domain(f"what is known (see {name})", ge(1, 0))
    if expected is not None:
        assert cited(proof, d) == expected
        return
    with pytest.raises(Unproved, match=f"cites '{name}'; expected another claim"):
        cited(proof, d)


def test_the_record_is_what_the_checks_give_now() -> None:
    """Entries, hashes and certificates; times apart."""
    fresh: dict[str, list[tuple[dict[str, Any], str]]] = {}
    for file, n, p in NOW:
        if not unchanged(p.claim.name):
            fresh.setdefault(p.claim.name, []).append(made(file, n))
    assert differences(fresh, recorded()) == []
    assert {p.claim.name for _, _, p in NOW} <= set(recorded_proofs())
    assert set(archive.read(CERTIFICATES)) <= {p.claim.name for _, _, p in ALL}
    if len(fresh) < len({p.claim.name for _, _, p in NOW}):
        pytest.skip(UNCHANGED)


def test_a_record_holds_for_the_same_files_hashes_and_versions_alone() -> None:
    now, current = {"sympy": "1"}, [("a.py", "x"), ("b.py", "y")]
    entries = [{"file": file, "hash": hash, "versions": now} for file, hash in current]
    assert holds(entries, current, now)
    others = [
        [("a.py", "x")],
        [*current, ("b.py", "y")],
        [("a.py", "x"), ("b.py", "z")],
        [("a.py", None), ("b.py", "y")],
    ]
    assert not any(holds(entries, other, now) for other in others)
    assert not holds(entries, current, {"sympy": "2"}) and not holds([], current, now)


def test_a_changed_proof_is_checked_again_and_so_are_all_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "sd.acceptance"
    known = unchanged.__wrapped__
    assert not holds(recorded_proofs()[name], [("sd/acceptance.py", "another")], versions())
    monkeypatch.setenv("SIMSPEC_PROOFS", EVERY)
    assert not known(name)
    monkeypatch.delenv("SIMSPEC_PROOFS")
    monkeypatch.setitem(globals(), "fingerprint", lambda claim, file: "another")
    assert not known(name)


def test_each_claim_is_in_one_share() -> None:
    """Three shares of about one size are all claims; a share beyond the last is an error."""
    names = {p.claim.name for _, _, p in ALL}
    shares = [{name for name in names if is_asked_for(name, f"{share}/3")} for share in (1, 2, 3)]
    assert set.union(*shares) == names and sum(map(len, shares)) == len(names)
    assert min(map(len, shares)) > len(names) / 4
    assert all(is_asked_for(name, EVERY) and not is_asked_for(name, "") for name in names)
    with pytest.raises(AssertionError, match="expected all, or a share"):
        is_asked_for("sd.acceptance", "4/3")


def test_the_paper_is_written_from_the_record() -> None:
    for path, text in paper(recorded()).items():
        assert path.read_text(encoding="utf-8") == text, path


def test_the_formulas_of_the_record_are_translated() -> None:
    """Each has a translation, and nothing else has; one in twenty is translated anew, where proofs are asked for every one."""
    ready = readable()["formulas"]
    everything = bool(os.environ.get("SIMSPEC_PROOFS"))
    assert formulas(recorded(), ready) == ready
    anew = [*ready][:: 1 if everything else 20]
    assert [ready[latex] for latex in anew] == [mathml(latex) for latex in anew]
    if not everything:
        pytest.skip("one formula in twenty is translated anew: SIMSPEC_PROOFS=all translates them all")
