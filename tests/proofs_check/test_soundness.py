"""Ways that once led to a false statement, or to a proof that was not about its claim; each must be refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.requirements import require

require("proofs")
import sympy as sp  # noqa: E402

from proofs_check.derivation import Derivation, Fact, Unproved  # noqa: E402
from proofs_check.proof import Proof, check, disagreement, instances  # noqa: E402
from proofs_check.sd.acceptance import PROOFS  # noqa: E402
from proofs_check.terms import Relation, V, eq, evaluate, ge, gt, index, le, total, x, y  # noqa: E402
from simspec.claims import find  # noqa: E402
from simspec.claims.proved import fingerprint  # noqa: E402

v, w, c, e = sp.symbols("v w c e", real=True)
n = sp.Symbol("n", integer=True, nonnegative=True)
a = sp.IndexedBase("a", real=True)
k = index("k")


def circular(d: Derivation) -> None:
    d.define("c", c, e + 1)
    d.define("e", e, c)


def slack_name(d: Derivation) -> None:
    t0 = sp.Symbol("t_0", nonnegative=True)
    d.derive("a case's slack", eq(sp.Abs(v), t0))


def operator(d: Derivation) -> None:
    d.derive("unknown", Relation(sp.S.Zero, "distinct", sp.S.Zero))


def injection(d: Derivation) -> None:
    d.derive('because\n(echo "unsat")\n(exit)', eq(1, 0))


def hypothesis_as_base(d: Derivation) -> None:
    H = d.suppose("H", eq(1, 0))
    d.qed(d.induction("wrong", eq(1, 0), n, H, H))


def defined_counter(d: Derivation) -> None:
    d.define("n is five", n, sp.Integer(5))
    base = d.derive("base", eq(n * (n - 6), 0).replace({n: 0}))
    d.induction("wrong", eq(n * (n - 6), 0), n, base, base)


def case_in_induction(d: Derivation) -> None:
    W = sp.IndexedBase("W", real=True)
    start, more = d.recursion("W", eq(W[0], 0), eq(W[n + 1], W[n] + sp.Abs(a[n]) - a[n]))
    up = d.case("up", ge(a[n], 0))
    before = d.suppose("H", eq(W[n], 0))
    step = d.derive("step", eq(W[n + 1], 0), more, before, up)
    d.induction("wrong", eq(W[n], 0), n, d.derive("base", eq(W[0], 0), start), step)


def negative_range(d: Derivation) -> None:
    d.sum("wrong", d.derive("more", ge(a[k] + 1, a[k])), k, upto=-1)


def vocabulary_of_one(d: Derivation) -> None:
    t = d.term("one term", d.derive("squares", ge(a[x] ** 2, 0)), x, y)
    d.instantiate("wrong", t, {V: 1})


def imaginary(d: Derivation) -> None:
    d.instantiate("wrong", d.derive("squares", ge(v**2, 0)), {v: sp.I})


def infinite(d: Derivation) -> None:
    d.instantiate("wrong", d.derive("positive", gt(1 / (1 + v**2), 0)), {v: sp.oo})


def root(d: Derivation) -> None:
    d.define("a root of any number", c, sp.sqrt(v))


def hidden_denominator(d: Derivation) -> None:
    d.define("nothing at w", c, sp.Max(v / (v - w), 0))


def negative_symbol(d: Derivation) -> None:
    r = sp.Symbol("r", negative=True)
    d.derive("assumed sign", ge(-r, 0))


def largest_number(d: Derivation) -> None:
    d.extremum("of all numbers", "m", v, v)


def jump(d: Derivation) -> None:
    f = sp.Piecewise((0, v < 1), (-1, True))
    d.increasing("wrong", f, v, 0, d.derive("flat", ge(sp.diff(f, v), 0)), d.domain("from zero", ge(v, 0)))


def pole(d: Derivation) -> None:
    d.integral("wrong", 1 / v**2, -1 / v, v, -1, 1)


def label(d: Derivation) -> None:
    p, mass = d.law("p")
    d.instantiate("wrong", mass, {p.label: a.label})


def mapped(d: Derivation) -> None:
    f = d.map("f")
    d.define("twice", f[x], sp.Integer(0))


def token_defined(d: Derivation) -> None:
    d.define("a token", x, sp.Integer(1))


def foreign(d: Derivation) -> None:
    d.derive("wrong", eq(1, 0), Fact(eq(1, 0), frozenset()))


def float_number(d: Derivation) -> None:
    d.derive("rounded", Relation(sp.Float(1) + sp.Float("1e-30"), "=", sp.S.One))


def generator(d: Derivation) -> None:
    d.exhaust("always true", lambda case: (case < 0 for _ in range(1)), range(3))  # type: ignore[arg-type]


WAYS = (
    *(
        circular,
        slack_name,
        operator,
        injection,
        hypothesis_as_base,
        defined_counter,
        case_in_induction,
        negative_range,
    ),
    *(vocabulary_of_one, imaginary, infinite, root, hidden_denominator, negative_symbol, largest_number, jump, pole),
    *(label, mapped, token_defined, foreign, float_number, generator),
)


@pytest.mark.parametrize("way", WAYS, ids=lambda f: f.__name__)
def test_it_is_refused(way: Callable[[Derivation], None]) -> None:
    with pytest.raises((Unproved, ValueError, TypeError)):
        way(Derivation("a test"))


def test_conditions_keep_what_they_rest_on() -> None:
    """A sign that was shown from a given stays with that given."""
    d = Derivation("a test")
    u, s = d.number("u", 1, 2), sp.Symbol("s", positive=True)
    fact = d.instantiate("at u", d.derive("positive", gt(s, 0)), {s: u})
    assert fact.givens == {"u is in its range"}


def test_a_failed_end_leaves_no_conclusion() -> None:
    d = Derivation("a test")
    with pytest.raises(Unproved):
        d.qed(d.suppose("H", eq(1, 0)))
    assert d.conclusions == ()


def test_the_relation_of_the_claim_counts() -> None:
    """An inequality is no proof of an identity, though both sides agree."""
    (proof,) = PROOFS

    def weaker(d: Derivation) -> None:
        proof.prove(d)
        d.conclusions = tuple(le(r.lhs, r.rhs) for r in d.conclusions)

    weak = Proof(proof.claim, weaker, proof.mutations, proof.bind)
    found = [disagreement(weak, check(weak), i) for i in instances(proof.claim, 2)]
    assert all(f and "relation" in f for f in found)


def test_a_bind_says_nothing_about_tokens() -> None:
    (proof,) = PROOFS
    loose = replace(proof, bind=lambda p, q: {"p": p, "q": q, "V": len(p), "x": 1})
    assert all("token" in str(disagreement(loose, check(loose), i)) for i in instances(proof.claim, 2))


def test_wide_enclosures_and_places_before_the_first_are_refused() -> None:
    assert evaluate(a[1], {"a": [3]}) == 3
    for wrong in (a[0], a[sp.Rational(3, 2)]):
        with pytest.raises((IndexError, ValueError)):
            evaluate(wrong, {"a": [3, 4]})
    with pytest.raises(ValueError, match="equal"):
        evaluate(sp.KroneckerDelta(v, sp.log(6)), {"v": evaluate(sp.log(2) + sp.log(3), {})})


def test_the_hash_knows_which_side_is_which() -> None:
    claim = find(["sd.acceptance"])[0]
    assert fingerprint(claim, "sd/acceptance.py") != fingerprint(
        replace(claim, lhs=claim.rhs, rhs=claim.lhs), "sd/acceptance.py"
    )
    block = find(["sd.block-length"])[0]
    fewer = dict(list(block.assumes.items())[:1])
    assert fingerprint(block, "sd/block_length.py") != fingerprint(replace(block, assumes=fewer), "sd/block_length.py")
    assert total(a[x], x) == total(a[y], y)
