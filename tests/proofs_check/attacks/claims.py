"""Fresh attacks on what ties a proof to its claim: binds, ranges, givens that are the claim, citations, enumerations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.checking.plain import fair
from proofs_check.checking.written import Proof
from proofs_check.rdk.linear_time import PROOFS as LINEAR_TIME
from proofs_check.rdk.linear_time import prove as linear_time
from proofs_check.rules.derivation import Derivation, Fact
from proofs_check.rules.terms import eq, ge, gt, i, index, le, total, x
from proofs_check.sd.acceptance import PROOF as ACCEPTANCE
from simspec.claims import find
from simspec.laws import restrict, tv
from tests.proofs_check.attacks.attack import Attack, against_claims

__all__ = ["CLAIMS"]

CLAIMS: list[Attack] = []
RANGES, DISGUISE, PARTS = "ranges and binds", "givens that are the claim", "whole and part"
FILES = "proof files that reach into the checker"
n = sp.Symbol("n", integer=True, nonnegative=True)
k, m = index("k"), index("begin")
a = sp.IndexedBase("a", real=True)
NEVER_WORSE = find(["rdk.never-worse"])[0]
NON_EXPANSIVE = find(["rdk.non-expansive-sharp"])[0]
ATTAINED = find(["rdk.static-mixture.attained"])[0]


def _identity(d: Derivation, wrong: Fact) -> None:
    """sd.acceptance from 1 = 0."""
    p, q = (sp.IndexedBase(name, nonnegative=True) for name in "pq")
    alpha, distance = total(sp.Min(p[x], q[x]), x), total(sp.Abs(p[x] - q[x]), x) / 2
    kernel = total(sp.Max(q[x] - p[x], 0), x)
    d.qed(*(d.derive("so", eq(alpha, 1 - side), wrong, by="smt") for side in (distance, kernel)))


def _from_nothing(prove: Any, bind: Any) -> Proof:
    """A proof of sd.acceptance, which is true, from a contradiction that `prove` makes."""
    whole = lambda p, q: {"p": p, "q": q, "V": len(p), **bind(p, q)}  # noqa: E731
    return Proof(ACCEPTANCE.claim, lambda d: _identity(d, prove(d)), {}, whole)


# --- ranges and binds ---


@against_claims(RANGES, CLAIMS)
def beyond_the_range() -> Proof:
    """a falls by one and is not negative, at three places; the proof goes on to the fifth; found by this campaign."""

    def prove(d: Derivation) -> Fact:
        falls = d.domain("it falls", eq(a[n + 1], a[n] - 1))
        stays = d.domain("not negative", ge(a[n], 0))
        low = d.domain("not above three", le(a[0], 3))
        every = d.inductive("n below the first", eq(a[n], a[0] - n), n, [], [falls])
        far = [d.instantiate("at five", f, {n: 5}) for f in (every, stays)]
        return d.derive("wrong", eq(1, 0), low, *far, by="smt")

    return _from_nothing(prove, lambda p, q: {"a": [3, 2, 1, 0], "ranges": {"n": range(3)}} | {"a": lambda at: 3 - at})


@against_claims(RANGES, CLAIMS)
def sum_beyond_the_range() -> Proof:
    """What is given of the first member only, summed up to the third."""

    def prove(d: Derivation) -> Fact:
        one = d.domain("one", eq(a[k], 1))
        three = d.sum("wrong", one, k, upto=3)
        return d.derive("so", eq(1, 0), three, d.domain("in all", eq(total(a[k], k, upto=3), 1)), by="smt")

    return _from_nothing(prove, lambda p, q: {"a": [1, 0, 0], "ranges": {"k": range(1, 2)}})


@against_claims(RANGES, CLAIMS)
def empty_range() -> Proof:
    """b = 0 and b = 1 for every k of none."""

    def prove(d: Derivation) -> Fact:
        return d.derive("so", eq(1, 0), *d.domain("of none", eq(a[k], 0), eq(a[k], 1)), by="smt")

    return _from_nothing(prove, lambda p, q: {"a": [], "ranges": {"k": ()}})


@against_claims(RANGES, CLAIMS)
def map_out_of_the_vocabulary() -> Proof:
    """A map into states, whose values are taken as tokens: p[f(k)] of a token that is not there."""

    def prove(d: Derivation) -> Fact:
        f = d.map("f")
        one = d.domain("each token has", eq(a[x], 1))
        at = d.instantiate("wrong", one, {x: f[k]})
        return d.derive("so", eq(1, 0), at, d.domain("each state has not", eq(a[f[k]], 0)), by="smt")

    def bind(p: Any, q: Any) -> dict[str, Any]:
        return {"f": lambda at: len(p) + 1, "a": lambda at: int(at <= len(p)), "ranges": {"k": range(1, 3)}}

    return _from_nothing(prove, bind)


@against_claims(RANGES, CLAIMS)
def index_at_nothing() -> Proof:
    """An index counts from 1, so k a = 0 gives a = 0; the bind begins at 0; found by this campaign."""

    def prove(d: Derivation) -> Fact:
        none = d.derive("so", eq(a[k], 0), d.domain("a product", eq(k * a[k], 0)), d.derive("k", gt(k**2, 0)))
        return d.derive("wrong", eq(1, 0), none, d.domain("it is one", eq(a[k], 1)), by="smt")

    return _from_nothing(prove, lambda p, q: {"a": lambda at: 1, "ranges": {"k": [0]}})


@against_claims(RANGES, CLAIMS)
def counter_below_its_kind() -> Proof:
    """A counter that is not negative, at −1."""

    def prove(d: Derivation) -> Fact:
        below = d.domain("below", le(a[n] + n, -1))
        return d.derive("wrong", eq(1, 0), below, d.domain("not negative", ge(a[n], 0)), by="smt")

    return _from_nothing(prove, lambda p, q: {"a": lambda at: 0, "ranges": {"n": [-1]}})


@against_claims(RANGES, CLAIMS)
def one_number_for_all() -> Proof:
    """What is given of the n of an instance, taken for every n."""

    def prove(d: Derivation) -> Fact:
        none = d.domain("none", eq(a[n], 0))
        first = d.instantiate("wrong", none, {n: 1})
        return d.derive("so", eq(1, 0), first, d.domain("the first", eq(a[1], 1)), by="smt")

    return _from_nothing(prove, lambda p, q: {"a": [1, 0], "n": 2})


@against_claims(RANGES, CLAIMS)
def token_in_the_bind() -> Proof:
    """A token that the bind makes the first one."""
    return replace(ACCEPTANCE, bind=lambda p, q: {"p": p, "q": q, "V": len(p), "x": 1})


@against_claims(RANGES, CLAIMS)
def fewer_tokens() -> Proof:
    """A vocabulary of which the bind leaves a token out."""
    return replace(ACCEPTANCE, bind=lambda p, q: {"p": p, "q": q, "V": len(p) - 1})


@against_claims(RANGES, CLAIMS)
def another_draft() -> Proof:
    """The draft law of another instance."""
    return replace(ACCEPTANCE, bind=lambda p, q: {"p": p, "q": q[::-1], "V": len(p)})


@against_claims(RANGES, CLAIMS)
def nearly_the_same() -> Proof:
    """A floating-point law."""
    return replace(ACCEPTANCE, bind=lambda p, q: {"p": p, "q": np.asarray(q, dtype=float), "V": len(p)})


@against_claims(RANGES, CLAIMS)
def one_of_two_conclusions() -> Proof:
    """The first of the two statements of a claim."""

    def prove(d: Derivation) -> None:
        ACCEPTANCE.prove(d)
        d.conclusions = d.conclusions[:1]

    return replace(ACCEPTANCE, prove=prove)


@against_claims(RANGES, CLAIMS)
def sign_that_is_not() -> Proof:
    """A non-negative array that the bind makes negative."""

    def prove(d: Derivation) -> Fact:
        r = sp.IndexedBase("r", nonnegative=True)
        return d.derive("so", eq(1, 0), d.domain("it is not", le(r[x], -1)), by="smt")

    return _from_nothing(prove, lambda p, q: {"r": [-1] * len(p)})


@against_claims(RANGES, CLAIMS)
def definition_and_bind() -> Proof:
    """A name that the proof defines, and to which the bind gives another value."""

    def prove(d: Derivation) -> Fact:
        c = sp.Symbol("c", real=True)
        zero, one = d.define("nothing", c, sp.Integer(0)), d.domain("something", eq(c, 1))
        return d.derive("so", eq(1, 0), zero, one, by="smt")

    return _from_nothing(prove, lambda p, q: {"c": 1})


# --- whole and part ---


@against_claims(PARTS, CLAIMS)
def whole_by_its_word() -> Proof:
    """rdk.linear-time, of which some counts are enumerated as well, said to be whole."""

    def prove(d: Derivation) -> None:
        _enumerated(d, "Algorithm 1 on few tokens", lambda vocab: (2 * vocab - 1) * vocab <= 2 * vocab**2, range(1, 6))
        linear_time(d)

    return replace(LINEAR_TIME[0], prove=prove, whole=True)


def _enumerated(d: Derivation, text: str, check: Any, cases: Any) -> None:
    d.exhaust(text, check, cases)


@against_claims(PARTS, CLAIMS)
def enumerated_elsewhere() -> Proof:
    """A claim about all laws, by a case that is none of them."""
    return Proof(ACCEPTANCE.claim, lambda d: _enumerated(d, "one is one", lambda case: case == 1, [1]), {}, None)


@against_claims(PARTS, CLAIMS)
def enumerated_a_few() -> Proof:
    """A claim about all laws, by those with three listed instances."""
    cases = [dict(case) for case in ACCEPTANCE.claim.tight]

    def holds(case: Any) -> bool:
        return bool(tv(case["p"], case["q"]) >= 0) if case else True

    return Proof(ACCEPTANCE.claim, lambda d: _enumerated(d, "listed", holds, [*cases, {}]), {}, None)


@against_claims(PARTS, CLAIMS)
def proof_of_what_fails() -> Proof:
    """rdk.never-worse, which is refuted, from a contradiction at no instance."""

    def prove(d: Derivation) -> None:
        p, q, M = (sp.IndexedBase(name, nonnegative=True) for name in "pqM")
        (name,) = NEVER_WORSE.assumes
        wrong = d.assume(name, eq(a[k], 0), eq(a[k], 1))
        sent = total(q[i] * M[i, x], i)
        goal = ge(total(sp.Min(p[x], sent), x), total(sp.Min(p[x], q[x]), x))
        d.qed(d.derive("so", goal, *wrong, by="smt"))

    def bind(p: Any, q: Any, shared: Any, M: Any) -> dict[str, Any]:
        return {"p": p, "q": restrict(q, shared), "M": M, "V": len(p), "a": [], "ranges": {"k": ()}}

    return Proof(NEVER_WORSE, prove, {}, bind)


# --- proof files that reach into the checker ---

SOURCES = {
    "a fact made by hand": "d._fact(eq(1, 0), ())",
    "conclusions put in place": "d.conclusions = (eq(1, 0),)",
    "a supposition forgotten": "d.supposed.clear()",
    "givens removed once they were used": "del d.givens['contradiction']",
    "the solver replaced": "import proofs_check.rules.smt as smt",
    "the solver taken from its module": "from proofs_check.rules.smt import certificate",
    "the comparison replaced": "from proofs_check.checking import agreement",
    "a change by name": "setattr(d, 'used', frozenset())",
    "memory by its dictionary": "vars(d)['supposed'] = set()",
    "a derivation of one's own": "class Sure(Derivation):\n    pass",
    "code from a text": "exec('d.qed')",
}


def _source(what: str, text: str) -> Attack:
    def way() -> None:
        fair(text, what)

    return Attack(what.replace(" ", "_").replace("'", ""), FILES, what, way)


CLAIMS += [_source(what, text) for what, text in SOURCES.items()]
HIDDEN = "np.load('steps.npy', allow_pickle=True)"
CLAIMS.append(_source("code from a file", HIDDEN))
