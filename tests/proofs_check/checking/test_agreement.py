"""Proofs that were not about their claim, though every step followed; each must be noticed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.requirements import require

require("proofs")
import sympy as sp  # noqa: E402

from proofs_check.checking.check import entry  # noqa: E402
from proofs_check.checking.listed import listed  # noqa: E402
from proofs_check.checking.proof import Proof, Refutation, check, disagreement, instances, leaning, narrowing  # noqa: E402
from proofs_check.rules.derivation import Derivation, Fact, Unproved  # noqa: E402
from proofs_check.rules.terms import eq, ge, i, index, j, le, total, x, y  # noqa: E402
from proofs_check.sd.acceptance import PROOF  # noqa: E402
from simspec.claims import find  # noqa: E402
from simspec.claims.deciding.proved import fingerprint  # noqa: E402
from simspec.laws import restrict  # noqa: E402

a = sp.IndexedBase("a", real=True)
n = sp.Symbol("n", integer=True, nonnegative=True)
k = index("k")


def test_the_relation_of_the_claim_counts() -> None:
    """An inequality is no PROOF of an identity, though both sides agree."""

    def weaker(d: Derivation) -> None:
        PROOF.prove(d)
        d.conclusions = tuple(le(r.lhs, r.rhs) for r in d.conclusions)

    weak = replace(PROOF, prove=weaker)
    found = [disagreement(weak, check(weak), at) for at in instances(PROOF.claim, 2)]
    assert all(f and "relation" in f for f in found)


def test_a_bind_says_nothing_about_tokens() -> None:
    loose = replace(PROOF, bind=lambda p, q: {"p": p, "q": q, "V": len(p), "x": 1})
    assert all("token" in str(disagreement(loose, check(loose), at)) for at in instances(PROOF.claim, 2))


@pytest.mark.parametrize("scale", [1, -3])
@pytest.mark.parametrize("cited", ["", " (see sd.acceptance)"])  # whatever its name says, it is the claim
def test_a_bind_does_not_work_out_the_slack(scale: int, cited: str) -> None:
    """Right = left + gap and gap ≥ 0 hold in every instance of every true bound, and prove nothing."""
    claim = find(["rdk.non-expansive-sharp"])[0]
    (assumption,) = claim.outside

    def prove(d: Derivation) -> None:
        left, right, gap = (sp.IndexedBase(name, real=True) for name in ("left", "right", "gap"))
        told = d.domain(f"the gap{cited}", eq(scale * (right[x] - left[x]), gap[x]), ge(gap[x] / scale, 0))
        d.qed(d.derive("so it holds", le(left[x], right[x]), *told))

    def bind(**instance: object) -> dict[str, object]:
        left, right = (np.ravel(s) for s in np.broadcast_arrays(*claim.sides(instance)))
        return {"left": left, "right": right, "gap": scale * (right - left), "V": len(left)}

    proof = Proof(claim, prove, {}, bind)
    tried = list(instances(claim, 6))
    assert all(disagreement(proof, check(proof), i) is None for i in tried)
    assert leaning(proof, check(proof), tried) == "every conclusion is a sum of what is given"
    hidden = replace(proof, bind=lambda **i: {**bind(**i), "gap": lambda x: bind(**i)["gap"][x - 1]})
    assert leaning(hidden, check(hidden), tried)  # nor does it hold where the claim does not:
    assert "the gap" in str(narrowing(hidden, check(hidden), assumption))


def test_the_hash_knows_which_side_is_which() -> None:
    claim = find(["sd.acceptance"])[0]
    assert fingerprint(claim, "sd/acceptance.py") != fingerprint(
        replace(claim, lhs=claim.rhs, rhs=claim.lhs), "sd/acceptance.py"
    )
    block = find(["sd.block-length"])[0]
    fewer = dict(list(block.assumes.items())[:1])
    assert fingerprint(block, "sd/block_length.py") != fingerprint(replace(block, assumes=fewer), "sd/block_length.py")
    assert total(a[x], x) == total(a[y], y)


HIDDEN = index("k")
ROWS_OF = find(["rdk.never-worse"])[0]


def hidden_contradiction(d: Derivation) -> None:
    """rdk.never-worse, which is refuted: from b[k] = 0 and b[k] = 1 for every k."""
    M, b = sp.IndexedBase("M", real=True), sp.IndexedBase("b", real=True)
    (name,) = ROWS_OF.assumes
    *_, one = d.assume(name, ge(M[i, j], 0), eq(b[HIDDEN], 1))
    never_worse(d, d.derive("anything", eq(1, 0), one, d.domain("of the others", eq(b[HIDDEN], 0)), by="smt"))


def never_worse(d: Derivation, wrong: Fact) -> None:
    """The claim, which is false, from 1 = 0."""
    p, q, M = (
        sp.IndexedBase("p", nonnegative=True),
        sp.IndexedBase("q", nonnegative=True),
        sp.IndexedBase("M", real=True),
    )
    sent = total(q[i] * M[i, x], i)
    d.qed(d.derive("so", ge(total(sp.Min(p[x], sent), x), total(sp.Min(p[x], q[x]), x)), wrong, by="smt"))


def of_nothing(p: Any, q: Any, shared: Any, M: Any) -> dict[str, Any]:
    """A bind where k ranges over nothing."""
    return {"p": p, "q": restrict(q, shared), "M": M, "V": len(p), "b": [], "ranges": {"k": ()}}


def test_what_is_given_is_evaluated_in_every_instance() -> None:
    """What is given of an index that ranges over nothing is never seen to contradict itself."""
    bogus = Proof(ROWS_OF, hidden_contradiction, {}, of_nothing)
    d = check(bogus)  # every step follows
    for name in ROWS_OF.assumes:
        with pytest.raises(Unproved):
            check(bogus, f"without {name}")
    tried = list(instances(ROWS_OF, 6))
    assert all("nowhere" in str(disagreement(bogus, d, instance)) for instance in tried)


def test_a_bind_says_nothing_of_which_tokens_there_are() -> None:
    some = replace(PROOF, bind=lambda p, q: {"p": p, "q": q, "V": len(p), "ranges": {"x": [1]}})
    assert all("token" in str(disagreement(some, check(some), at)) for at in instances(PROOF.claim, 2))


def test_a_conclusion_holds_where_it_is_compared() -> None:
    """A contradiction that no range shows (a[0] = 0, and a[n + 1] = 1) is noticed; without that, where the claim fails."""

    def prove(d: Derivation) -> None:
        none = d.domain("no member is anything", eq(a[n], 0))
        one = d.domain("the next one is", eq(a[n + 1], 1))
        never_worse(d, d.derive("anything", eq(1, 0), one, d.instantiate("the next", none, {n: n + 1}), by="smt"))

    def bind(p: Any, q: Any, shared: Any, M: Any) -> dict[str, Any]:
        return {**of_nothing(p, q, shared, M), "a": lambda place: place, "ranges": {"n": [0]}}

    bogus = Proof(ROWS_OF, prove, {}, bind)
    d = check(bogus)
    found = [disagreement(bogus, d, instance) for instance in instances(ROWS_OF, 20)]
    assert all(f and "is used at n + 1 = 1" in f for f in found)
    d.places = frozenset()
    found = [disagreement(bogus, d, instance) for instance in instances(ROWS_OF, 20)]
    assert any(f and "conclusion" in f for f in found)


def test_a_refuted_claim_has_no_whole_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    (refutation,) = (p for p in listed()["rdk/never_worse.py"] if isinstance(p, Refutation))
    bogus = Proof(ROWS_OF, hidden_contradiction, {}, of_nothing)
    monkeypatch.setitem(listed(), "rdk/never_worse.py", (refutation, bogus))
    with pytest.raises(Unproved, match="refuted"):
        entry("rdk/never_worse.py", 1)


@pytest.mark.parametrize("summed", [False, True])
def test_what_is_given_of_one_number_is_not_given_of_all(summed: bool) -> None:
    """That a[T] = 0 for the T of an instance says nothing of other members."""
    T = sp.Symbol("T", integer=True, nonnegative=True)

    def prove(d: Derivation) -> None:
        none = d.domain("the last member is nothing", eq(a[T], 0))
        if summed:
            one = d.domain("all are one", eq(total(a[k], k, upto=3), 1))
            wrong = d.sum("wrong", none, T, upto=3)
        else:
            one = d.domain("the first is one", eq(a[1], 1))
            wrong = d.instantiate("wrong", none, {T: 1})
        never_worse(d, d.derive("anything", eq(1, 0), wrong, one, by="smt"))

    def bind(p: Any, q: Any, shared: Any, M: Any) -> dict[str, Any]:
        return {**of_nothing(p, q, shared, M), "a": lambda place: int(place == 1), "T": 5}

    bogus = Proof(ROWS_OF, prove, {}, bind)
    found = [disagreement(bogus, check(bogus), instance) for instance in instances(ROWS_OF, 3)]
    assert all("for every T" in str(f) for f in found), found
