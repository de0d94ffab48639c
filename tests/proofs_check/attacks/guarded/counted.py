"""Givens that would vanish from the counts: as ranges, types, two tokens or what a bind computes; and answers Coq never gave.

Each says more than its kind may; the twin says what is of that kind.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.checking.proof import Proof
from proofs_check.coq.computed import Instances
from proofs_check.coq.statements import Definition, Said
from proofs_check.coq.trace import Traced
from proofs_check.coq.variables import free_ranges
from proofs_check.rules.terms import Relation, V, eq, ge, gt, le, total, x, y
from simspec.claims import authoring, claim
from tests.proofs_check.attacks.attack import Attack, NotProved
from tests.proofs_check.attacks.promised import COUNTED
from tests.proofs_check.attacks.running import Way, recorded_with

__all__ = ["COUNTS"]

p, q, r, z, a, b = (sp.IndexedBase(name, real=True) for name in "pqrzab")
beta, gamma, overlap, top = sp.symbols("beta gamma overlap top", real=True)
RANGES, TYPES, FIXED, COQ = (
    "givens that are counted as ranges",
    "givens that are counted as types",
    "definitions that a bind is taken to compute",
    "what Coq is said to have answered of a file of one's own",
)
CLAIM = claim.identity(
    name="own.claim",
    statement="own",
    reference="own",
    instances=lambda draw: _instance(draw),
    lhs=lambda p: p.sum(),
    rhs=lambda p: 1,
    broken=[authoring.broken("another sum", rhs=lambda p: 2)],
)


def _instance(draw: Any) -> dict[str, Any]:
    """Two laws and numbers; one argument is what the others overlap by."""
    first, second = draw.pair(draw.vocab(2))
    return {"p": first, "q": second, "beta": draw.number(0, 1), "overlap": np.minimum(first, second).sum()}


def _bind(p: Any, q: Any, beta: Any, overlap: Any) -> dict[str, Any]:
    """By it r is p from the largest mass on, z marks tokens without mass, gamma is half of beta, top the largest mass."""
    largest = sorted(p, reverse=True)
    return {
        "p": lambda x: p[x - 1],
        "q": lambda x: q[x - 1],
        "r": lambda x: largest[x - 1],
        "z": lambda x: int(p[x - 1] == 0),
        "a": lambda x: int(x == 1),
        "b": lambda x: int(x == 2),
        "beta": beta,
        "gamma": beta / 2,
        "overlap": overlap,
        "top": max(p),
        "V": len(p),
    }


class Counted(NamedTuple):
    """What it tries, the statement, and the definitions that stand beside it; the twin's statement; the sentence beyond."""

    says: str
    statement: Relation
    right: Relation
    definitions: tuple[Definition, ...] = ()
    beyond: str = ""


TOKEN_A = Definition(a[x], "token", (), ("0",))
TOKEN_B = Definition(b[x], "token", (), ("0",))
SET_B = Definition(b[x], "set", ())
OF_RANGES = {
    "the_claim": Counted(
        "two laws overlap by at most 1, which is a theorem",
        le(total(sp.Min(p[x], q[x]), x), 1),
        le(total(p[x], x), 1),
    ),
    "product": Counted("a product of two masses is at most a mass", le(p[x] * q[x], p[x]), le(q[x], p[x])),
    "square": Counted("a mass is at least its square", ge(p[x], p[x] ** 2), ge(p[x], 0)),
    "distance": Counted("two masses differ by at most 1", le(sp.Abs(p[x] - q[x]), 1), le(p[x] - q[x], 1)),
    "equation": Counted("two numbers are one", eq(beta, sp.Rational(1, 2)), le(beta, 1)),
    "computed_number": Counted("a number that the bind computes is at most an argument", le(gamma, beta), le(beta, 1)),
    "largest_mass": Counted("no mass is above the largest, which is no argument", le(p[x], top), le(p[x], 1)),
    "rearranged": Counted(
        "the masses in another order, from the largest on, are taken for the argument they are made of",
        ge(r[x], 0),
        ge(p[x], 0),
    ),
    "rearranged_order": Counted(
        "a mass is at most one of the same masses in another order", le(r[x], q[x]), le(p[x], q[x])
    ),
    "marks_alone": Counted(
        "a mark of zeros is positive, beside no argument",
        gt(z[x], 0),
        gt(q[x] + z[x], 0),
        (Definition(z[x], "is_zero", (p[x],)),),
    ),
    "mark_without_definition": Counted("a mark that has no definition", gt(q[x] + z[x], 0), gt(q[x] + p[x], 0)),
    "one_token_twice": Counted(
        "a token is none, as two tokens that are one", eq(a[x] * a[x], 0), eq(a[x] * b[x], 0), (TOKEN_A, TOKEN_B)
    ),
    "token_and_set": Counted("a token is outside of any set", eq(a[x] * b[x], 0), le(p[x], 1), (TOKEN_A, SET_B)),
    "tokens_elsewhere": Counted("two tokens at two places", eq(a[x] * b[y], 0), eq(a[x] * b[x], 0), (TOKEN_A, TOKEN_B)),
    "three_tokens": Counted(
        "a token is none where a mass is", eq(a[x] * b[x] * p[x], 0), eq(a[x] * b[x], 0), (TOKEN_A, TOKEN_B)
    ),
    "two_tokens_are_one_half": Counted(
        "the product of two marks is at least 0 and more", eq(a[x] * b[x], 1), eq(a[x] * b[x], 0), (TOKEN_A, TOKEN_B)
    ),
    "sum_of_the_first": Counted(
        "the sum of all masses but the last", le(total(p[x], x, upto=V - 1), 1), le(total(p[x], x), 1)
    ),
    "argument_that_is_computed": Counted(
        "what two laws overlap by is at most 1, where instances have it as an argument",
        le(overlap, 1),
        le(beta, 1),
        beyond=COUNTED,
    ),
}


def _instances() -> Instances:
    d = Traced("own.claim")
    return Instances(Proof(CLAIM, lambda d: None, drop="nothing", change={}, bind=_bind), d)


def _range(statement: Relation, definitions: tuple[Definition, ...]) -> Any:
    if not _instances().is_range(Said("a given", 0, statement), definitions):
        raise NotProved(f"{statement} is no range")


def _of_range(name: str, c: Counted) -> Attack:
    return Attack(
        f"counted_{name}",
        RANGES,
        c.says,
        partial(_range, c.statement, c.definitions),
        c.beyond,
        twin=partial(_range, c.right, c.definitions),
        by="is no range",
    )


# --- types ---


def _typed(told: Callable[[Traced], Any]) -> Any:
    """The statements of a derivation that would be counted as types."""
    d = Traced("own.claim")
    told(d)
    if not free_ranges(d):
        raise NotProved("none is a type")


def _concluded(d: Traced) -> None:
    d.qed(d.domain("it is low", le(gamma, 1)))


def _concluded_otherwise(d: Traced) -> None:
    d.qed(d.derive("so", le(gamma, 2), d.domain("it is low", le(gamma, 1))))


def _of_two(d: Traced) -> None:
    d.domain("it is low", le(gamma, 1))
    d.domain("and more", ge(gamma, 2 * gamma**2))


def _defined(d: Traced) -> None:
    d.define("so", gamma, beta + 1)
    d.domain("it is low", le(gamma, 1))


def _of_an_extremum(d: Traced) -> None:
    symbol, _, _ = d.extremum("the largest", "largest", p[x], x)
    d.domain("it is low", le(symbol, 1))


def _at_one_place(d: Traced) -> None:
    d.domain("the first is low", le(p[1], 1))


def _on_the_diagonal(d: Traced) -> None:
    d.domain("low where both are one", le(p[x, x], 1))


def _alone(d: Traced) -> None:
    d.domain("it is low", le(gamma, 1))


OF_TYPES: dict[str, tuple[str, Callable[[Traced], Any]]] = {
    "concluded": ("what is given of a free number is what is concluded", _concluded),
    "of_two": ("a free number has a range, and is above twice its square", _of_two),
    "defined": ("a number that is defined has a range", _defined),
    "of_an_extremum": ("the largest of numbers has a range", _of_an_extremum),
    "at_one_place": ("one entry of an array has a range", _at_one_place),
    "on_the_diagonal": ("the diagonal of an array has a range", _on_the_diagonal),
}


def _of_type(name: str, says: str, told: Callable[[Traced], Any]) -> Attack:
    right = _concluded_otherwise if name == "concluded" else _alone
    return Attack(f"typed_{name}", TYPES, says, partial(_typed, told), twin=partial(_typed, right), by="none is a type")


# --- what a bind computes ---


def _computed(definition: Definition) -> Any:
    if not _instances().computes(definition):
        raise NotProved(f"{definition.symbol} is something else")


OF_BINDS = {
    "sorted": ("masses from the largest on are the masses", Definition(r[x], "is", (p[x],))),
    "denominator_of_nothing": (
        "a quotient by 0 is what its mark says",
        Definition(gamma, "over", (beta, sp.Integer(0))),
    ),
    "largest_of_another": ("the largest mass is that of the other law", Definition(top, "greatest", (q[x],), ("x",))),
    "without_a_name": ("a name that the bind does not have", Definition(sp.Symbol("nobody", real=True), "is", (beta,))),
}
RIGHT = Definition(gamma, "is", (beta / 2,))


# --- Coq's answers ---

CLOSED = "Closed under the global context\\n"
ANSWERING = (
    "import subprocess\n\n\ndef changes():\n"
    f"    answer = lambda command, **options: subprocess.CompletedProcess(command, 0, '{CLOSED}' * 9, '')\n"
    "    subprocess.run = answer"
)
READING = (
    "import pathlib\n\n\ndef changes():\n"
    "    before = pathlib.Path.write_text\n"
    "    pathlib.Path.write_text = lambda self, text, **options: before(self, text.replace('<= 1', '<= 2'), **options)"
)
FOLDER = (
    "import os\nimport tempfile\nfrom pathlib import Path\n\n\ndef changes():\n"
    "    folder = Path(tempfile.gettempdir()).parent\n"
    "    os.environ['PATH'] = f\"{folder}:{os.environ['PATH']}\""
)
OF_COQ = {
    "another_process": Way("a bind has another function start Coq", ANSWERING, "subprocess.run", "bind"),
    "another_text": Way("a bind has another text written for Coq", READING, "pathlib.Path.write_text", "bind"),
    "another_coq": Way("a bind puts a program called as Coq first on the path", FOLDER, "PATH", "bind"),
}


def _of_coq(name: str, way: Way) -> Attack:
    return Attack(
        f"answered_{name}",
        COQ,
        way.says,
        partial(recorded_with, way.where, "1, 1", way.text),
        twin=partial(recorded_with, way.where, "1, 1", ""),
        by=way.by,
    )


COUNTS = [
    *(_of_range(name, c) for name, c in OF_RANGES.items()),
    *(_of_type(name, *rest) for name, rest in OF_TYPES.items()),
    *(
        Attack(
            f"bound_{name}", FIXED, says, partial(_computed, c), twin=partial(_computed, RIGHT), by="is something else"
        )
        for name, (says, c) in OF_BINDS.items()
    ),
    *(_of_coq(name, way) for name, way in OF_COQ.items()),
]
