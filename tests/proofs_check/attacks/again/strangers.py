"""A campaign by one who had written none of the rules: names that stand for two things, what SymPy sums, and what is not
a proof file's own.  Each attack has a twin that is accepted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from proofs_check.checking.plain import fair
from proofs_check.checking.stated import remember
from proofs_check.checking.written import Proof
from proofs_check.rules.derivation import Derivation, Fact
from proofs_check.rules.terms import V, eq, ge, index, total, x
from proofs_check.sd.acceptance import PROOF as ACCEPTANCE
from simspec.claims import find, registry
from tests.proofs_check.attacks.attack import Attack, steps_with_twin, tried, with_twin
from tests.proofs_check.attacks.claimed import claim_with_other_sides
from tests.proofs_check.attacks.instances import corrected, from_contradiction, unit

__all__ = ["STRANGERS"]

STRANGERS: list[Attack] = []
TWICE, OWN = "names for two things, and what SymPy sums", "what is not a proof file's own"
v, e = sp.symbols("v e", real=True)
r = sp.Symbol("r", nonnegative=True)
a = sp.IndexedBase("a", real=True)
k, h = index("k"), index("h")
NEVER_WORSE = find(["rdk.never-worse"])[0]


# --- names and sums ---


@steps_with_twin(TWICE, STRANGERS)
def delta_of_a_number_between(d: Derivation, wrong: bool) -> None:
    """Of k ≤ 2 one is 1 + r/(1 + r), as SymPy sums Kronecker's delta: so 0 = 1 at r = 1."""
    if not wrong:
        d.derive(
            "in parts", eq(total(sp.KroneckerDelta(x, V) + a[x], x), total(sp.KroneckerDelta(x, V), x) + total(a[x], x))
        )
        return
    one = d.derive("wrong", eq(total(sp.KroneckerDelta(k, 1 + r / (1 + r)), k, upto=2), 1))
    d.derive("so", eq(1, 0), d.instantiate("at one", one, {r: 1}))


@steps_with_twin(TWICE, STRANGERS)
def delta_of_an_index_of_another_set(d: Derivation, wrong: bool) -> None:
    """Of all tokens one is k, for every k."""
    picked = total(sp.KroneckerDelta(x, k), x)
    d.derive("so", eq(picked, 1 if wrong else picked + 0))


@steps_with_twin(TWICE, STRANGERS)
def number_that_is_called_as_an_array(d: Derivation, wrong: bool) -> None:
    """The number s is put to be the number t, and so the array s is the array t."""
    s, t = sp.symbols("s t", real=True)
    one, other = (sp.IndexedBase(name, real=True)[x] for name in "st") if wrong else (s * a[x], t * a[x])
    d.derive("so", eq(one, other), d.define("a number", s, t))


@steps_with_twin(TWICE, STRANGERS)
def function_of_the_number_at_hand(d: Derivation, wrong: bool) -> None:
    """f(v) = v is given of one v, and used at 2."""
    f = sp.Function("f", real=True)
    same = d.domain("of one number", eq(f(v), v))
    two = [] if wrong else [d.domain("and of two", eq(f(2), 2))]
    d.instantiate("at two", same, {v: 2}, *two)


@steps_with_twin(TWICE, STRANGERS)
def slope_under_another_name(d: Derivation, wrong: bool) -> None:
    """6 v (v − 1) is given under the name of 6 v e with e = v − 1, so that it is linear in v and holds nowhere between."""
    if wrong:
        told = d.domain("of v and e", ge(6 * v * e, 0)), d.domain("which is one less", eq(e, v - 1))
        slope, rises = d.derive("the slope", ge(6 * v * (v - 1), 0), *told, by="smt"), 2 * v**3 - 3 * v**2
    else:
        slope, rises = d.domain("the slope", ge(2 * v, 0)), v**2
    d.increasing("so", rises, v, 0, slope, d.domain("beyond", ge(v, 0)))


@steps_with_twin(TWICE, STRANGERS)
def slope_at_whole_numbers(d: Derivation, wrong: bool) -> None:
    """6 v (v − 1) ≥ 0 at whole numbers, said by a member of an array whose place is ⌊v⌋."""
    if wrong:
        told = d.domain("there", ge(6 * v * (v - 1) * a[sp.floor(v)], 0), eq(a[sp.floor(v)], 1))
        slope, rises = d.derive("the slope", ge(6 * v * (v - 1), 0), *told, by="smt"), 2 * v**3 - 3 * v**2
    else:
        slope, rises = d.domain("the slope", ge(2 * v, 0)), v**2
    d.increasing("so", rises, v, 0, slope, d.domain("beyond", ge(v, 0)))


@with_twin(TWICE, STRANGERS)
def name_of_a_bound_place(wrong: bool) -> Proof:
    """a = 0 is given at two places and used at f(k, h), the third, of an h that is called as the checker calls bound k's."""
    other = index("k'0" if wrong else "h")

    def contradiction(d: Derivation) -> list[Fact]:
        f = d.map("f")
        none = d.domain("nothing at two places", eq(a[h if wrong else k], 0))
        there = d.domain("what is there", eq(a[f[k, other]], int(wrong)))
        used = d.instantiate("used there", none, {h if wrong else k: f[k, other]})
        return [d.sum("over one place", fact, k, upto=1) for fact in (used, there)] if wrong else [used, there]

    def bind(p: Any, q: Any) -> dict[str, Any]:
        ranges = (
            {"h": range(1, 3), "k": range(1, 2), "k'0": range(5, 6)} if wrong else {"k": range(1, 3), "h": range(5, 6)}
        )
        return {"a": [0, 0, 1], "f": lambda at, to: 3 if wrong and to == 5 else 1, "ranges": ranges}

    return from_contradiction(contradiction, bind, wrong)


@with_twin(TWICE, STRANGERS)
def token_of_one_map_in_a_thousand(wrong: bool) -> Proof:
    """a = 0 at every token, used at f(k) for a thousand k; at one of these f(k) is no token, and a is 1 there."""
    many = 1000

    def contradiction(d: Derivation) -> list[Fact]:
        f = d.map("f")
        none = d.domain("nothing at any token", eq(a[x], 0))
        used = d.sum("over all k", d.instantiate("at one", none, {x: f[k]}), k, upto=many)
        return [used, d.domain("in all", eq(total(a[f[k]], k, upto=many), int(wrong)))]

    def bind(p: Any, q: Any) -> dict[str, Any]:
        last = len(p) + 1
        f = lambda at: last if wrong and at == 777 else 1  # noqa: E731
        return {"a": [0] * len(p) + [1], "f": f, "ranges": {"k": range(1, many + 1)}}

    return from_contradiction(contradiction, bind, wrong)


@with_twin(TWICE, STRANGERS)
def token_of_a_map_beyond_its_range(wrong: bool) -> Proof:
    """a = 0 at every token, used at f(k) and summed up to 3, where the bind has k = 1 alone and f(3) is no token."""

    def contradiction(d: Derivation) -> list[Fact]:
        f = d.map("f")
        none = d.domain("nothing at any token", eq(a[x], 0))
        used = d.sum("over k", d.instantiate("at one", none, {x: f[k]}), k, upto=3)
        return [used, d.domain("in all", eq(total(a[f[k]], k, upto=3), int(wrong)))]

    def bind(p: Any, q: Any) -> dict[str, Any]:
        places = [1, 1, len(p) + 1 if wrong else 1]
        return {"a": [0] * len(p) + [1], "f": places, "ranges": {"k": range(1, 2)}}

    return from_contradiction(contradiction, bind, wrong)


# --- what is taken, and what is changed ---

TEXTS: dict[str, tuple[str, str]] = {
    "what a module of the package has imported, which imports anything": (
        "from simspec.claims import import_module\nimport_module('os').system('true')",
        "from simspec.claims import find",
    ),
    "NumPy, of a module of the package that has it": (
        "from simspec.laws.arrays import np as numbers\nnumbers.load('s')",
        "from simspec.laws.arrays import Array",
    ),
    "SymPy, of another proof": (
        "from proofs_check.sd.acceptance import sp as formulas\nformulas.sympify('open(1)')",
        "from proofs_check.sd.acceptance import PROOF",
    ),
    "a file that a module of the package can write": (
        "from simspec.claims.references import Path\nPath('record').write_text('proved')",
        "from simspec.claims.authoring import law",
    ),
    "a library that a module of the package has, reached through it": (
        "from simspec.claims import balls\nballs.flint.ctx.unlimited()",
        "from simspec.claims import balls\nballs.log(2)",
    ),
    "a module of another proof, passed on": (
        "from proofs_check.multi import _rates as rates\nfor each in (rates,):\n    each.sp.sympify('open(1)')",
        "from proofs_check.multi import _rates as rates\nrates.prove",
    ),
    "a table of rules, changed in place": (
        "from simspec.methods.registry import REGISTRY\nREGISTRY['sd'] = REGISTRY.pop('target-only')",
        "from simspec.methods.registry import REGISTRY\nmine = {**REGISTRY}\nmine['sd'] = REGISTRY['sd']",
    ),
    "a counterexample, changed in place": (
        "from simspec.claims.sd.acceptance import ACCEPTANCE\nACCEPTANCE.against[0]['p'][0] = 1",
        "from simspec.claims.sd.acceptance import ACCEPTANCE\nACCEPTANCE.against",
    ),
    "the records of what is decided": (
        "from simspec.claims.deciding.proved import RECORD\nRECORD.unlink()",
        "from simspec.claims.claim import Claim",
    ),
}


def _text(what: str, wrong: str, right: str) -> Attack:
    name = what.replace(" ", "_").replace("'", "").replace(",", "")
    return Attack(name, OWN, what, lambda: fair(wrong, what), twin=lambda: fair(right, what))


STRANGERS += [_text(what, *texts) for what, texts in TEXTS.items()]


def _changing(
    says: str, name: str, change: Callable[[], Callable[[], None]], bogus: Callable[[], Proof], honest: Proof
) -> Attack:
    """Of a proof file that changes what is said elsewhere; afterwards all is as it was."""

    def way() -> Derivation:
        remember()  # as the checker does before the first proof file runs
        undo = change()
        try:
            return tried(bogus())
        finally:
            undo()

    return Attack(name, OWN, says, way, twin=lambda: tried(honest, tries=1))


def _listed() -> Callable[[], None]:
    claims, name = registry(), ACCEPTANCE.claim.name
    claims[name] = claim_with_other_sides(True).claim
    return lambda: claims.update({name: ACCEPTANCE.claim})


def _assumed() -> Callable[[], None]:
    assumes: Any = NEVER_WORSE.assumes
    assumes["there is one token"] = lambda p: len(p) == 1
    return lambda: assumes.pop("there is one token")


def _in_the_list() -> Proof:
    proof = claim_with_other_sides(True)
    return Proof(registry()[ACCEPTANCE.claim.name], proof.prove, {}, proof.bind)


STRANGERS += [
    _changing(
        "sd.acceptance with both sides 1, put into the list of claims",
        "claim_put_into_the_list",
        _listed,
        _in_the_list,
        ACCEPTANCE,
    ),
    _changing(
        "rdk.never-worse, which is refuted, with an assumption that the proof file adds to it: that there is one token",
        "assumption_that_is_added",
        _assumed,
        lambda: unit(NEVER_WORSE, changed=False),
        corrected(),
    ),
]
