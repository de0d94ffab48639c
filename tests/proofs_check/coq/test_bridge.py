"""Names that are defined: what Coq proves of them is no given, and what it does not prove stays one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.checking.listed import chosen  # noqa: E402
from proofs_check.coq.bridge import HEAD, checked, library, proved_givens, settled, stated, text_digest  # noqa: E402
from proofs_check.coq.defined import definitions  # noqa: E402
from proofs_check.coq.section import Bridge  # noqa: E402
from proofs_check.coq.session import Session  # noqa: E402
from proofs_check.coq.statements import FREE  # noqa: E402
from proofs_check.coq.trace import Traced  # noqa: E402
from proofs_check.rules.terms import eq, ge, gt, index, le, total, x, y  # noqa: E402
from simspec.report.proofs import readable  # noqa: E402

RULE = "the residual, as a law"
HALF = "no token has more than half"
n = sp.Symbol("n", integer=True, nonnegative=True)
MARK = "z is 1 where p is 0, else 0"


@pytest.fixture(scope="module")
def coq(compiled_once) -> Iterator[Session]:
    with Session(compiled_once("defined", library), HEAD) as session:
        yield session


def shown(d: Traced, coq: Session, is_computed: bool = True) -> tuple[dict[str, str], list[str]]:
    """Names that are defined, their forms, and which givens are proved of them, where all are what a bind computes, or none."""
    bridge, lemmas = settled(d, coq, lambda definition: is_computed)
    return {str(c.symbol): c.form for c in bridge.definitions}, proved_givens(bridge, lemmas)


def residual(turned: bool = False, low: bool = False) -> Traced:
    """Two laws, and r Σ (p - q)₊ = (p - q)₊, or another right side; or more than that is said of r."""
    d = Traced("residual")
    p, _ = d.law("p")
    q, _ = d.law("q")
    r, _ = d.law("r")
    excess = sp.Max(0, p[x] - q[x])
    d.domain(RULE, eq(r[x] * total(excess, x), sp.Max(0, q[x] - p[x]) if turned else excess))
    if low:
        d.domain(HALF, le(r[x], sp.Rational(1, 2)))
    return d


def marked(strict: bool = True) -> Traced:
    """The mark of tokens without mass; or one that may be 1 at others."""
    d = Traced("mark")
    p, _ = d.law("p")
    z = d.weights("z")
    d.domain(MARK, eq(p[x] * z[x], 0), eq(z[x] * (1 - z[x]), 0), (gt if strict else ge)(p[x] + z[x], 0))
    return d


def test_a_residual_is_a_definition(coq: Session) -> None:
    bridge, lemmas = settled(residual(), coq, lambda definition: True)
    assert [str(c.symbol) for c in bridge.definitions] == ["r[x]"]
    assert proved_givens(bridge, lemmas) == ["r is nowhere negative", "r sums to one", RULE]


@pytest.mark.parametrize(("wrong", "open_given"), [({"turned": True}, RULE), ({"low": True}, HALF)])
def test_what_does_not_follow_stays_given(coq: Session, wrong, open_given) -> None:
    """Another right side, which is not 0 where the left one is; and a bound that no definition has."""
    forms, givens = shown(residual(**wrong), coq)
    assert forms == {"r[x]": "over"} and open_given not in givens


def test_what_the_bind_does_not_compute_is_no_definition(coq: Session) -> None:
    """All that is given of r would be proved of the quotient: but r is something else in the claim."""
    assert shown(residual(), coq) == ({"r[x]": "over"}, ["r is nowhere negative", "r sums to one", RULE])
    assert shown(residual(), coq, is_computed=False) == ({}, [])


def test_a_quotient_may_be_any_law_where_its_denominator_is_0(coq: Session) -> None:
    """The bind's residual is no fixed law where p = q: there it is a variable, and given to be a law."""
    bridge, lemmas = settled(residual(), coq, lambda definition: definition.ops == (FREE,))
    assert [(str(c.symbol), c.ops) for c in bridge.definitions] == [("r[x]", (FREE,))]
    assert proved_givens(bridge, lemmas) == ["r is nowhere negative", "r sums to one", RULE]
    section = bridge.section(lemmas)
    assert "Variable free_v_r : Z -> R." in section and "(free_v_r v_x)" in section
    assert [line.split(" : ")[0] for line in section.split("\n") if line.startswith("Hypothesis free_")] == [
        f"Hypothesis free_v_r_{k}" for k in range(3)
    ]


@pytest.mark.parametrize("keeps_free", [True, False])
def test_a_name_that_is_free_somewhere_is_given_up_with_what_is_open(coq: Session, keeps_free) -> None:
    """Of a law where p = q it is not known that no token has more than half."""
    d = residual(low=True)
    bridge, lemmas = settled(d, coq, lambda c: c.ops == (FREE,), keeps_free=keeps_free)
    assert len(bridge.definitions) == keeps_free and (RULE in proved_givens(bridge, lemmas)) is keeps_free
    assert HALF not in proved_givens(bridge, lemmas)


def test_what_is_free_has_a_range_and_no_more_of_what_is_given() -> None:
    """That r is the same at all tokens is no range: it would be assumed of r where p = q, and seen by nobody."""
    d = residual()
    r = sp.IndexedBase("r", nonnegative=True)
    d.domain("all the same", eq(r[x], r[y]))
    failed: set[str] = set()
    while (free := Bridge(d, failed)).definitions[0].ops != (FREE,):
        failed.add(free.definitions[0].key)
    assert [c.ops for c in free.definitions] == [(FREE,)]
    lines = [line for line in free.section([]).split("\n") if line.startswith("Hypothesis free_")]
    assert len(lines) == 3 and not any("v_y" in line for line in lines)


@pytest.mark.parametrize("is_bounded", [True, False])
def test_a_mark_may_be_any_where_its_conditions_let_it(coq: Session, is_bounded) -> None:
    """1 where p is above b, 0 where it is below, and either where p = b; where it is 1 it is not said to be above b besides."""
    d = Traced("mark")
    p, _ = d.law("p")
    b = d.number("b", positive=True)
    z = d.weights("z")
    more = [] if is_bounded else [gt(z[x] * (p[x] - b) + 1 - z[x], 0)]
    d.domain("a mark", eq(z[x] * (1 - z[x]), 0), ge(z[x] * (p[x] - b), 0), le((1 - z[x]) * (p[x] - b), 0), *more)
    bridge, lemmas = settled(d, coq, lambda definition: definition.form == "free_mark")
    assert [c.form for c in bridge.definitions] == ["free_mark"]
    assert "a mark" in proved_givens(bridge, lemmas)
    assert "Variable free_v_z : Z -> bool." in bridge.section(lemmas)


def test_a_mark_is_a_definition_where_it_is_told_everywhere(coq: Session) -> None:
    bridge, lemmas = settled(marked(), coq, lambda definition: True)
    assert MARK in proved_givens(bridge, lemmas)
    assert [c.form for c in definitions(marked(strict=False))] != ["is_zero"]


def test_what_is_said_of_one_member_defines_no_array(coq: Session) -> None:
    """The root has one: that says nothing of the other nodes."""
    d = Traced("root")
    r = sp.IndexedBase("r", nonnegative=True)
    child = d.map("child")
    d.domain("the root has one", eq(r[index("root")], 1))
    d.domain("a child has half", eq(2 * r[child[index("c")]], r[index("c")]))
    bridge, lemmas = settled(d, coq, lambda definition: True)
    assert bridge.definitions == [] and lemmas == []


@pytest.mark.parametrize(
    ("op", "form"), [("thresholds", "not_below"), ("largest", "at_largest"), ("root", "sqrt"), ("sum", "is")]
)
def test_forms(coq: Session, op: str, form: str) -> None:
    d = Traced(op)
    p, _ = d.law("p")
    b = d.number("b", positive=True)
    z = d.weights("z")
    flag = eq(z[x] * (1 - z[x]), 0)
    statements = {
        "thresholds": [flag, ge(z[x] * (p[x] - b), 0), gt((1 - z[x]) * (b - p[x]) + z[x], 0)],
        "largest": [flag, eq(total(z[x], x), 1), ge((p[x] - p[y]) * z[x], 0)],
        "root": [eq(z[x] ** 2, p[x])],
        "sum": [eq(z[x], p[x] + b)],
    }
    d.domain("what it is", *statements[op])
    bridge, lemmas = settled(d, coq, lambda definition: True)
    assert [c.form for c in bridge.definitions] == [form]
    assert "what it is" in proved_givens(bridge, lemmas)


def threshold(next_one: bool = False) -> Traced:
    """What is kept by a threshold that what was kept has moved; or by the next threshold, which what is kept moves."""
    d = Traced("threshold")
    q, _ = d.law("q")
    beta, keep = (sp.IndexedBase(name, real=True) for name in ("beta", "keep"))
    d.recursion("the threshold", eq(beta[0], 0), eq(beta[n + 1], beta[n] - total(keep[n, x] * q[x], x)))
    k = keep[n, x]
    at = beta[n + 1] if next_one else beta[n]
    zero_or_one = d.domain("kept or not", eq(k * (1 - k), 0))
    d.instantiate("at the second place", zero_or_one, {n: 1})  # the derivation speaks of more places than one
    d.domain("the threshold is reached", ge(k * (q[x] - at), 0), gt((1 - k) * (at - q[x]) + k, 0))
    return d


def test_a_mark_may_move_what_it_is_defined_by(coq: Session) -> None:
    """One member of the sequence after the other: but none by what it moves itself."""
    forms, givens = shown(threshold(), coq)
    assert set(forms) == {"keep[n, x]"} and givens[-2:] == ["kept or not", "the threshold is reached"]
    forms, givens = shown(threshold(next_one=True), coq)
    assert forms == {"keep[n, x]": "set"} and "the threshold is reached" not in givens


@pytest.mark.parametrize("is_strict", [True, False])
def test_a_mark_of_conditions(coq: Session, is_strict) -> None:
    """1 where a number is in a range: that it is 1 nowhere else is proved; that it is 0 at no end of the range is not."""
    d = Traced("conditions")
    p, _ = d.law("p")
    b = d.number("b", positive=True)
    s = sp.IndexedBase("s", real=True)
    k = s[x]
    inside = sp.Min(p[x] - b, 2 * b - p[x])
    d.domain("0 or 1", eq(k * (1 - k), 0))
    d.domain("1 inside", ge(k * (p[x] - b), 0), ge(k * (2 * b - p[x]), 0))
    d.domain("0 outside", gt((1 - k) * -inside + k, 0) if is_strict else gt((1 - k) * -inside, 0))
    forms, givens = shown(d, coq)
    assert forms == {"s[x]": "mark"} and "1 inside" in givens and ("0 outside" in givens) is is_strict


def one_token(mass: int = 1) -> Traced:
    """A marked token and its mass; or marks that sum to 2."""
    d = Traced("token")
    p, _ = d.law("p")
    a = sp.IndexedBase("a", real=True)
    A = d.number("A")
    d.domain("a is a token", eq(a[x] * (1 - a[x]), 0), eq(total(a[x], x), mass))
    d.domain("of mass A", eq(a[x] * p[x], A * a[x]))
    return d


@pytest.mark.parametrize(("mass", "forms"), [(1, {"a[x]": "token", "A": "at"}), (2, {"a[x]": "set"})])
def test_a_marked_token_and_what_it_has(coq: Session, mass, forms) -> None:
    """The mark of one token, which may be any; marks that sum to 2 are those of a set."""
    bridge, lemmas = settled(one_token(mass), coq, lambda c: c.form in {"token", "at", "set"})
    assert {str(c.symbol): c.form for c in bridge.definitions} == forms
    givens = proved_givens(bridge, lemmas)
    assert ({"a is a token", "of mass A"} <= {*givens}) is (mass == 1)


@pytest.mark.parametrize("is_above", [True, False])
def test_the_largest_mass(coq: Session, is_above) -> None:
    """No mass is above it; that it is above them all is a bound that no largest one has."""
    d = Traced("largest")
    p, _ = d.law("p")
    high = d.number("high", 0, 1)
    d.domain("no mass is above", ge(high, p[x]) if is_above else gt(high, p[x]))
    forms, givens = shown(d, coq)
    assert ("no mass is above" in givens) is is_above and (forms == {"high": "greatest"}) is is_above


@pytest.mark.parametrize("is_computed", [True, False])
def test_what_is_not_proved_of_what_a_bind_computes_stays_given(coq: Session, is_computed) -> None:
    """The mark keeps its definition, and what says more of it, of the laws then, is not counted as proved."""
    d = Traced("two laws")
    p, _ = d.law("p")
    q, _ = d.law("q")
    z = d.weights("z")
    d.domain(MARK, eq(p[x] * z[x], 0), eq(z[x] * (1 - z[x]), 0), gt(p[x] + z[x], 0))
    d.domain("q is positive where p is", gt(q[x] + z[x], 0))
    forms, givens = shown(d, coq, is_computed)
    assert (forms == {"z[x]": "is_zero"}) is is_computed and (MARK in givens) is is_computed
    assert "q is positive where p is" not in givens


@pytest.mark.parametrize("is_scaled", [True, False])
def test_what_a_derivation_defines_itself_is_opened(coq: Session, is_scaled) -> None:
    """A quotient by a sum that has a name: where that is 0, so is each of its terms, but not what is added to them."""
    d = Traced("own name")
    p, _ = d.law("p")
    q, _ = d.law("q")
    Z, e = (sp.IndexedBase(name, real=True) for name in "Ze")
    excess = sp.Max(p[x] - q[x], 0)
    d.define("what p has more", Z[n], total(excess, x))
    d.domain("made a law", eq(Z[n] * e[n, x], excess if is_scaled else excess + 1))
    forms, givens = shown(d, coq)
    assert forms == {"e[n, x]": "over"} and ("made a law" in givens) is is_scaled


def test_a_whole_number_that_is_a_sum_of_numbers_is_a_variable(coq: Session) -> None:
    """It has no text as a definition: what is given of other names is still asked."""
    d = marked()
    up = sp.IndexedBase("up", integer=True)
    d.domain("rounded up or not", eq(up[x] * (1 - up[x]), 0))
    d.define("as many as are rounded up", sp.Symbol("number", integer=True), total(up[x], x))
    assert {MARK, "rounded up or not"} <= {*shown(d, coq)[1]}


@pytest.mark.parametrize("is_same_text", [True, False])
def test_an_answer_is_carried_to_the_same_text_alone(is_same_text) -> None:
    """Other code checks the derivation, and Coq has read the same text: its answer stays; after another text it does not."""
    ((file, place, proof),) = chosen(["sd.acceptance"])
    recorded = next(e["for"] for e in readable()["proofs"]["sd.acceptance"] if "for" in e)
    bridge = Bridge(stated(proof, recorded))
    text = text_digest(bridge, bridge.lemmas()) if is_same_text else "0" * 24
    earlier = {(file, place): {"proof": "of other code", "text": text}}
    entries = list(checked(["sd.acceptance"], "carried", earlier=earlier))
    assert [entry["text"] for entry in entries] == ([text] if is_same_text else [])
    unchanged = {(entry["file"], entry["place"]): entry for entry in entries}
    assert list(checked(["sd.acceptance"], "carried", earlier=unchanged)) == []
