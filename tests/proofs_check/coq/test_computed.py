"""What definitions are at instances: what the bind computes, or something else; and which laws are the claim's own."""

from __future__ import annotations

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
from proofs_check.checking.proof import Proof  # noqa: E402
from proofs_check.coq.computed import Instances  # noqa: E402
from proofs_check.coq.statements import FREE, Definition, Said  # noqa: E402
from proofs_check.coq.trace import Traced  # noqa: E402
from proofs_check.rules.terms import V, eq, ge, gt, le, total, x  # noqa: E402
from simspec.claims import authoring, claim  # noqa: E402
from simspec.claims.balls import ball  # noqa: E402

p, q, r, z, t, u, m, a = (sp.IndexedBase(name, real=True) for name in "pqrztuma")
alpha, beta, gamma, A, root, size = sp.symbols("alpha beta gamma A root size", real=True)
CLAIM = claim.identity(
    name="own.claim",
    statement="own",
    reference="own",
    instances=lambda draw: {
        **dict(zip("pq", draw.pair(draw.vocab(2)), strict=True)),
        "beta": draw.number(0, 1),
        "size": draw.integer(1, 9),
    },
    lhs=lambda p: p.sum(),
    rhs=lambda p: 1,
    broken=[authoring.broken("another sum", rhs=lambda p: 2)],
)


def instances() -> Instances:
    """By the bind r is 2 p, z marks tokens without mass, t the first of the likeliest, alpha is the least mass, gamma β/2."""

    def bind(p, q, beta, size):
        return {
            "p": lambda x: p[x - 1],
            "q": lambda x: q[x - 1],
            "size": size,
            "r": lambda x: 2 * p[x - 1],
            "z": lambda x: int(p[x - 1] == 0),
            "t": lambda x: int(x - 1 == p.argmax()),
            "alpha": min(p),
            "beta": beta,
            "gamma": beta / 2,
            "u": lambda x: p[x - 1] / size if p[x - 1] else q[x - 1],
            "m": lambda x: int(p[x - 1] > beta or (p[x - 1] == 0 and x == 1)),
            "a": lambda x: 0,
            "A": p[0],
            "root": ball(beta).sqrt(),
            "V": len(p),
        }

    d = Traced("own.claim")
    return Instances(Proof(CLAIM, lambda d: None, drop="nothing", change={}, bind=bind), d)


DEFINITIONS = [
    (Definition(u[x], "over", (p[x] ** 2, size * p[x]), (FREE,)), Definition(u[x], "over", (p[x] ** 2, size * p[x]))),
    (
        Definition(m[x], "free_mark", (p[x] * (p[x] - beta), p[x] - beta), ("1>=", "0<=")),
        Definition(m[x], "mark", (p[x] * (p[x] - beta),), (">=",)),
    ),
    (Definition(t[x], "token", (), ("0",)), Definition(z[x], "token", (), ("0",))),
    (Definition(z[x], "set", ()), Definition(r[x], "set", ())),
    (Definition(size, "number", ()), Definition(alpha, "number", ())),
    (Definition(A, "at", (p[x], a[x]), ("x",)), Definition(A, "at", (p[x] + 1, a[x]), ("x",))),
    (Definition(root, "sqrt", (beta,)), Definition(root, "sqrt", (beta + 1,))),
    (Definition(r[x], "is", (2 * p[x],)), Definition(r[x], "is", (3 * p[x],))),
    (Definition(r[x], "over", (p[x], sp.Rational(1, 2))), Definition(r[x], "over", (p[x], sp.Integer(0)))),
    (Definition(z[x], "is_zero", (p[x],)), Definition(z[x], "is_zero", (1 - p[x],))),
    (Definition(z[x], "not_below", (-p[x], sp.Integer(1))), Definition(z[x], "not_below", (p[x], sp.Integer(1)))),
    (Definition(z[x], "mark", (p[x],), ("<=",)), Definition(z[x], "mark", (p[x],), (">",))),
    (Definition(z[x], "unmarked", (p[x],), (">",)), Definition(z[x], "unmarked", (p[x],), ("<=",))),
    (Definition(t[x], "at_largest", (p[x],)), Definition(t[x], "at_largest", (-p[x],))),
    (Definition(alpha, "lowest", (p[x],), ("x",)), Definition(alpha, "greatest", (p[x],), ("x",))),
    (Definition(alpha, "lowest", (p[x],), ("x",)), Definition(alpha, "at", (p[x], t[x]), ("x",))),
]


@pytest.mark.parametrize(("right", "wrong"), DEFINITIONS)
def test_a_definition_is_what_the_bind_computes(right: Definition, wrong: Definition) -> None:
    assert instances().computes(right) and not instances().computes(wrong)


@pytest.mark.parametrize("has_two_laws", [True, False])
def test_an_argument_of_the_claim_has_no_definition(has_two_laws) -> None:
    """Of two laws of a claim, "q is p" is an assumption; of one law, that the bind gives two names, it says what q is."""

    def drawn(draw):
        law = draw.law(draw.vocab(2))
        return {"first": law, **({"second": law.copy()} if has_two_laws else {})}

    def bind(first, second=None):
        return {"p": lambda x: first[x - 1], "q": lambda x: first[x - 1], "V": len(first)}

    alike = claim.identity(
        name="own.alike",
        statement="own",
        reference="own",
        instances=drawn,
        lhs=lambda first: first.sum(),
        rhs=lambda first: 1,
        broken=[authoring.broken("another sum", rhs=lambda first: 2)],
    )
    d = Traced("own.alike")
    d.domain("q is p", eq(q[x], p[x]))
    at_instances = Instances(Proof(alike, lambda d: None, drop="nothing", change={}, bind=bind), d)
    assert at_instances.computes(Definition(q[x], "is", (p[x],))) is not has_two_laws


def test_of_a_name_without_a_value_nothing_is_computed() -> None:
    assert not instances().computes(Definition(sp.IndexedBase("unbound", real=True)[x], "is", (p[x],)))


def test_the_laws_of_a_claim() -> None:
    """That p sums to one is its range; of r, which is none of the claim's laws, it says more, true or not."""

    def says(relation) -> bool:
        return instances().is_law(Said("a law", 0, relation))

    assert says(eq(total(p[x], x), 1)) and says(ge(p[x], 0))
    assert not says(eq(total(r[x], x), 1)) and not says(ge(r[x], 0))
    assert not says(eq(total(t[x], x), 1)), "one token alone is a law, but a mark is none of the claim's"
    assert not says(ge(p[x], sp.Rational(1, 10))) and not says(eq(total(p[x], x), 2))


def test_the_range_of_an_argument() -> None:
    """A number that is an argument at every instance, or a size of one, and no other number that is in the same range."""

    def says(relation) -> bool:
        return instances().is_range(Said("a range", 0, relation))

    assert says(le(beta, 1)) and says(ge(V, 2)) and says(le(p[x], 1))
    assert not says(le(gamma, 1)) and not says(le(alpha, 1)) and not says(le(r[x], 2))
    assert not says(le(beta, alpha)) and not says(eq(beta, 1))


def test_arguments_are_bounded_by_one_another() -> None:
    """In sums, minima and maxima; a product says more than an order, and other names are none of the claim's variables."""

    def says(relation, *definitions) -> bool:
        return instances().is_range(Said("an order", 0, relation), definitions)

    assert (
        says(le(q[x], p[x]))
        and says(ge(q[x], sp.Min(p[x], beta)))
        and says(gt(1, beta))
        and says(ge(total(q[x], x), beta))
    )
    assert not says(le(q[x] * beta, p[x])) and not says(le(q[x], r[x])) and not says(ge(total(p[x] * q[x], x), beta))
    assert not says(eq(q[x], p[x])) and not says(le(gamma, beta))
    mark = Definition(z[x], "is_zero", (p[x],))
    assert says(gt(q[x] + z[x], 0), mark) and not says(gt(q[x] + z[x], 0)) and not says(gt(z[x], 0), mark)


def test_tokens_that_are_chosen_freely() -> None:
    """That two are others, and which one has more; a set of any tokens says more than which token is meant."""

    def says(relation, *definitions) -> bool:
        return instances().is_range(Said("tokens", 0, relation), definitions)

    a, b = (Definition(sp.IndexedBase(name, real=True)[x], "token", (), ("0",)) for name in "ab")
    at = [Definition(sp.Symbol(f"p_{c.label}", real=True), "at", (p[x], c.symbol), ("x",)) for c in (a, b)]
    assert says(le(at[0].symbol, at[1].symbol), a, b, *at) and says(eq(a.symbol * b.symbol, 0), a, b)
    assert says(le(a.symbol + b.symbol, 1), a, b)
    assert not says(le(at[0].symbol, at[1].symbol), a, b, at[0]) and not says(eq(a.symbol * b.symbol, 0), a)
    assert not says(eq(a.symbol * r[x], 0), a, b)
    whole_set = Definition(z[x], "set", ())
    assert not says(le(a.symbol + z[x], 1), a, whole_set)


def test_an_argument_that_is_an_integer() -> None:
    """At every instance; a number between 0 and 1 is none, and neither is half of an integer."""
    d = instances()._d
    size = sp.Symbol("size", real=True)
    d.domain("numbers", ge(size, 1), ge(beta, 0), ge(gamma, 0))
    own = instances()
    own._d = d
    assert own.whole_numbers == {"size"}
