"""Tactics for what follows by arithmetic: facts used, signs that are known, atoms as numbers, denominators multiplied through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sympy as sp

from proofs_check.coq.choices import by_values
from proofs_check.coq.cleared import certified
from proofs_check.coq.facts import Facts
from proofs_check.coq.harder import closed, parts_of
from proofs_check.coq.rewritten import rewritten, supported
from proofs_check.rules.derivation import Fact
from proofs_check.rules.smt import _quotient
from proofs_check.rules.terms import Relation, V, spread

__all__ = ["CLEAR", "derived"]

CLEAR = {"=": "eq", "<=": "le", ">=": "ge", "<": "lt", ">": "gt"}


def derived(
    facts: Facts, goal: Relation, using: tuple[Fact, ...], how: str, further: bool = False, deeper: bool = False
) -> str:
    """Tactic for a statement that follows from facts; a `further` one for a step that the plain one leaves open.

    A `deeper` one is for a step that the further one leaves open, too.
    """
    relations = [goal, *(u.relation for u in using)]
    side = "further_side" if further else "side"
    script = [f"pose proof {facts.use(u, side=side)} as U_{k}" for k, u in enumerate(using)]
    script += supported(facts, relations)
    for r, tactic in rewritten(relations, facts.printer if further else None, deeper):
        script.append(
            f"first [assert (U_{len(relations) - 1} : {facts.printer.relation(r)}) by ({tactic}) "
            f"| assert (U_{len(relations) - 1} : True) by exact I]"
        )
        relations.append(r)
    atoms = _atoms(relations)
    signs = list(_signs(facts, relations, atoms, deeper))
    script += signs
    hypotheses = [f"U_{k}" for k in range(len(relations) - 1)] + [f"S_{k}" for k in range(len(signs))]
    script.append(f"clear - {' '.join(hypotheses)}" if hypotheses else "idtac")
    named = {a: sp.Symbol(f"a__{k}", real=True) for k, a in enumerate(atoms)}
    clean = [_named(r, named) for r in relations]
    positive = {f"S_{k}": r for k, r in enumerate(_told(atoms, named))}
    texts = sorted(
        ((facts.printer.real(a), facts.printer.name(named[a])) for k, a in enumerate(atoms)),
        key=lambda item: -len(item[0]),
    )
    if deeper:
        deepest = [_functional(relations)]
        if (values := by_values(clean, texts, facts.printer.name)) is not None:
            deepest.insert(0, values)
        if (between := _between(relations)) is not None:
            deepest.append(f"solve [timeout 20 (functions_between {facts.printer.name(between)})]")
        products = _closing(facts, relations, clean, positive, named, texts, 3)
        deepest += [f"solve [timeout 40 ({products})]"] if products is not None else []
        return f"{'; '.join(script)}; first [{' | '.join(deepest)}]"
    closing = _closing(facts, relations, clean, positive, named, texts, 1) if further else None
    if closing is not None:
        return "; ".join([*script, closing])
    cut = certified(facts.printer, clean, positive, _pieces(relations), lambda e: _put(e, named), further)
    if further and cut is None:
        closing = _closing(facts, relations, clean, positive, named, texts, 2)
        if closing is not None:
            return "; ".join([*script, closing])
    ways = " | ".join(_ways(facts, clean, how))
    places = _places(using)
    start = "; ".join(script)
    plain = "; ".join([*(f"abstracted ({text}) {name}" for text, name in texts), f"first [{ways}]"])
    if places:
        plain = f"solve [{places}; first [by_parts | lra | arithmetic]] | {plain}"
    if cut is None:
        return f"{start}; first [{plain}]"
    splits, ending = cut
    abstractions = sorted([*texts, *((s.text, s.name) for s in splits)], key=lambda item: -len(item[0]))
    script = [f"pose proof {s.cases} as K_{s.name}" for s in splits]
    script += [f"abstracted ({text}) {name}" for text, name in abstractions]
    return f"{start}; first [solve [{'; '.join([*script, ending])}] | {plain}]"


def _closing(
    facts: Facts,
    relations: Sequence[Relation],
    clean: Sequence[Relation],
    signs: Mapping[str, Relation],
    named: dict[sp.Expr, sp.Symbol],
    texts: Sequence[tuple[str, str]],
    wide: int,
) -> str | None:
    """Tactic that closes the goal by a wider search, once atoms, minima, maxima, absolute values and reciprocals have names."""
    closing = closed(facts.printer, clean, signs, parts_of(relations, _shift), lambda e: _put(e, named), wide)
    if closing is None:
        return None
    names = sorted([*texts, *closing.names], key=lambda item: -len(item[0]))
    return "; ".join([*closing.before, *(f"abstracted ({text}) {name}" for text, name in names), closing.script])


def _functional(relations: Sequence[Relation]) -> str:
    """Tactic: what equations say of names is put in, powers and functions of products and sums are taken apart."""
    equations = [k for k, r in enumerate(relations[1:]) if r.op == "=" and r.lhs != r.rhs and not r.lhs.is_number]
    putting = "".join(f"try rewrite U_{k}; " for k in equations * 2)
    ways = [f"{putting}by_functions", f"powers_apart; {putting}by_powers", f"real_places; {putting}by_field"]
    if relations[0].op == "=":
        ways.append(f"{putting}by_equations")
    if any(_is_number_root(p) for r in relations for side in (r.lhs, r.rhs) for p in side.atoms(sp.Pow)):
        ways.append(f"{putting}functions_roots")
    ways = [f"solve [timeout 20 ({way})]" for way in ways]
    if relations[0].op != "=" and relations[1:] and _has_opposites(relations):
        inside = "".join(f"try rewrite U_{k} in U_0; " for k in equations)
        ways.append(f"solve [timeout 60 ({inside}{putting}functions_becomes U_0)]")
    return " | ".join(ways)


def _between(relations: Sequence[Relation]) -> sp.Symbol | None:
    """The only number of a statement that is no equation, where it is said to be at least 0 and at most 1."""
    goal, *using = relations
    numbers = goal.lhs.free_symbols | goal.rhs.free_symbols
    if goal.op == "=" or len(numbers) != 1:
        return None
    (number,) = numbers
    bounds = {r.lhs - r.rhs for r in using if r.op == ">="}
    polynomial = isinstance(number, sp.Symbol) and (goal.lhs - goal.rhs).is_polynomial(number)
    return number if polynomial and {number, 1 - number} <= bounds else None


def _has_opposites(relations: Sequence[Relation]) -> bool:
    """Whether there is an exponential beside that of the opposite number."""
    arguments = {e.args[0] for r in relations for side in (r.lhs, r.rhs) for e in side.atoms(sp.exp)}
    return any(-argument in arguments for argument in arguments)


def _is_number_root(p: sp.Pow) -> bool:
    return p.base.is_Rational and p.exp.is_Rational and p.exp.q == 2


def _ways(facts: Facts, relations: list[Relation], how: str) -> Iterator[str]:
    """What is tried, in turn: substitution, signs of what is left, arithmetic, and that without denominators."""
    goal, *using = relations
    rewriting = "".join(f"try rewrite U_{k}; " for k, r in enumerate(using) if _substitutes(r))
    yield f"solve [{rewriting}first [by_field | lra]]"
    if how.startswith(("a sum", "in each")) and (difference := _left(goal, using)) is not None:
        yield f"solve [{rewriting}apply ({CLEAR[goal.op]}_by {facts.printer.real(difference)}); [by_field | positive]]"
    if rewriting:
        yield f"solve [{rewriting}arithmetic]"
    yield "arithmetic"
    multiples = list(_multiples(facts, goal, using))
    if multiples:
        yield f"solve [{'; '.join(multiples)}; lra]"
    crossed = [f"pose proof (times {facts.printer.name(a)} U_{k})" for k, a in _crossed(relations)]
    if crossed:
        yield f"solve [{'; '.join(crossed)}; first [lra | repeat split_goal; first [lra | timeout 5 nra]]]"
    cleared = [c for k, r in enumerate(using) if (c := _cleared(facts, f"U_{k}", r))]
    back = _back(facts, goal)
    if cleared or back:
        yield f"solve [{'; '.join([*cleared, *([back] if back else []), 'arithmetic'])}]"


def _multiples(facts: Facts, goal: Relation, using: list[Relation]) -> Iterator[str]:
    """Tactics: equations times the polynomials with which they add up to the goal, where division finds them."""
    equations = [(k, r) for k, r in enumerate(using) if r.op == "=" and r.lhs != r.rhs]
    if goal.op != "=" or not equations:
        return
    tops = [_quotient(r) for r in (goal, *(r for _, r in equations))]
    if any(not below.is_Rational for _, below in tops):
        return
    extremes = {a for top, _ in tops for a in top.atoms(sp.Min, sp.Max, sp.Abs)}
    names = {a: sp.Dummy(f"m{k}", real=True) for k, a in enumerate(sorted(extremes, key=sp.default_sort_key))}
    polynomials = [sp.expand(top / below).xreplace(names) for top, below in tops]
    symbols = sorted({s for p in polynomials for s in p.free_symbols}, key=str)
    if not symbols or not all(p.is_polynomial(*symbols) for p in polynomials):
        return
    # an equation whose sides are the same polynomial says nothing, and nothing can be divided by it
    dividing = [(k, p) for (k, _), p in zip(equations, polynomials[1:], strict=True) if p != 0]
    for order in ("grevlex", "lex"):
        for variables in (symbols, symbols[::-1]):
            factors, rest = sp.reduced(polynomials[0], [p for _, p in dividing], *variables, order=order)
            if rest == 0 and len(factors) == len(dividing):
                back = {v: a for a, v in names.items()}
                for (k, _), c in zip(dividing, factors, strict=True):
                    yield f"pose proof (times {facts.printer.real(c.as_expr().xreplace(back))} U_{k})"
                return


CROSSED = 24
"""At most so many equations are multiplied by numbers."""


def _crossed(relations: list[Relation]) -> list[tuple[int, sp.Symbol]]:
    """Equations, by their place, and the numbers that they are multiplied with where nothing else helped."""
    numbers = sorted({s for r in relations for s in r.free_symbols}, key=str)
    products = [(k, a) for k, r in enumerate(relations[1:]) if r.op == "=" for a in numbers]
    return products if len(products) <= CROSSED else []


def _places(using: Iterable[Fact]) -> str:
    """Tactic: equations between whole numbers are put into the places of arrays."""
    integer_equations = [
        k
        for k, u in enumerate(using)
        if u.relation.op == "=" and u.relation.lhs.is_integer and u.relation.rhs.is_integer
    ]
    return "; ".join(f"try (apply eq_IZR in U_{k}; rewrite U_{k} in *)" for k in integer_equations)


def _left(goal: Relation, using: Iterable[Relation]) -> sp.Expr | None:
    """What is left of the difference of both sides once equations are put in, the larger side first; factored."""
    if goal.op == "=":
        return None
    rest = goal.lhs - goal.rhs if goal.op in {">=", ">"} else goal.rhs - goal.lhs
    for r in using:
        if r.op == "=" and r.lhs != r.rhs and not r.lhs.is_number:
            rest = spread(spread(rest).subs(r.lhs, r.rhs))
    return sp.factor(rest) if len(sp.Add.make_args(sp.expand(rest))) < 12 else sp.expand(rest)


def _substitutes(r: Relation) -> bool:
    """Whether an equation says what a name is, so that it can be put for it."""
    return r.op == "=" and isinstance(r.lhs, sp.Symbol) and not r.rhs.has(r.lhs)


def _parts(facts: Facts, r: Relation) -> tuple[str, str] | None:
    top, below = _quotient(r)
    if below.is_Rational:
        return None
    return facts.printer.real(top), facts.printer.real(below)


def _cleared(facts: Facts, name: str, r: Relation) -> str | None:
    """Tactic: a fact with its denominators multiplied through, in place of it."""
    parts = _parts(facts, r)
    if parts is None:
        return None
    top, below = parts
    return (
        f"assert (C_{name} : {top} {r.op} 0) by (apply (clear_{CLEAR[r.op]} ({facts.printer.real(r.lhs)}) "
        f"({facts.printer.real(r.rhs)}) _ {below}); [by_field | positive_or | exact {name}]); clear {name}"
    )


def _back(facts: Facts, r: Relation) -> str | None:
    parts = _parts(facts, r)
    if parts is None:
        return None
    top, below = parts
    return f"apply (back_{CLEAR[r.op]} {top} {below}); [by_field | positive_or | ]"


# --- atoms ------------------------------------------------------------------------------------------------------------


def _atoms(relations: Iterable[Relation]) -> list[sp.Expr]:
    """What is no polynomial, nor a minimum, maximum or absolute value of such: real numbers of their own."""
    atoms: dict[sp.Expr, None] = {}
    for r in relations:
        for side in (r.lhs, r.rhs):
            atoms |= dict.fromkeys(_leaves(side))
    return list(atoms)


def _leaves(e: sp.Expr) -> Iterator[sp.Expr]:
    if e.is_Rational:
        return
    if isinstance(e, (sp.Add, sp.Mul, sp.Min, sp.Max, sp.Abs)) or (isinstance(e, sp.Pow) and e.exp.is_Integer):
        for a in e.args if not isinstance(e, sp.Pow) else (e.base,):
            yield from _leaves(a)
    elif isinstance(e, sp.Pow) and _shift(e):
        yield from _leaves(e.base)
        yield e.base ** (e.exp - _shift(e))
    else:
        yield e


def _shift(e: sp.Pow) -> int:
    """What is added to a whole exponent."""
    shift, rest = e.exp.as_coeff_Add()
    return int(shift) if e.exp.is_integer and shift > 0 and rest.is_nonnegative else 0


def _named(r: Relation, named: dict[sp.Expr, sp.Symbol]) -> Relation:
    return Relation(_put(r.lhs, named), r.op, _put(r.rhs, named))


def _put(e: sp.Expr, named: dict[sp.Expr, sp.Symbol]) -> sp.Expr:
    """The same with names in place of atoms."""
    if e in named:
        return named[e]
    if isinstance(e, sp.Pow) and not e.exp.is_Integer and (shift := _shift(e)):
        return named[e.base ** (e.exp - shift)] * _put(e.base, named) ** shift
    if not e.args or e.is_Rational:
        return e
    args = [e.args[0], e.args[1]] if isinstance(e, sp.Pow) else list(e.args)
    return e.func(*[_put(a, named) if not (isinstance(e, sp.Pow) and k) else a for k, a in enumerate(args)])


def _signs(
    facts: Facts, relations: Iterable[Relation], atoms: Iterable[sp.Expr], turned: bool = False
) -> Iterator[str]:
    """Tactics that add the signs of atoms; a name declared with one has it from where it was declared or defined.

    `turned`: what is said with ≥ where it was defined is said with ≤, as of other atoms.
    """
    k = 0
    for a in atoms:
        if (sign := _sign(a)) is not None:
            label = a.base.label if isinstance(a, sp.Indexed) else a
            defined = facts.signs.get(label)
            use = _at(facts, defined, a) if defined is not None else ""
            if turned and defined is not None and defined.relation.op == ">=":
                use = f"(Rge_le _ _ {use})"
            from_definition = f" | pose proof {use} as S_{k}" if defined is not None else ""
            assertion = f"assert (S_{k} : {sign} {facts.printer.real(a)}) by positive"
            yield f"first [{assertion}{from_definition} | assert (S_{k} : True) by exact I]"
            k += 1


def _at(facts: Facts, fact: Fact, a: sp.Expr) -> str:
    """The declared sign of a defined name, at the places of one of its members."""
    defined_name = fact.relation.lhs
    values = {}
    if isinstance(defined_name, sp.Indexed):
        values = {s: facts.printer.whole(v) for s, v in zip(defined_name.indices, a.indices, strict=True) if s != v}
    return facts.use(fact, values)


def _told(atoms: Iterable[sp.Expr], named: dict[sp.Expr, sp.Symbol]) -> Iterator[Relation]:
    """The signs of atoms, of their names: as `_signs` has them in Coq."""
    for a in atoms:
        if (sign := _sign(a)) is not None:
            yield Relation(sp.S.Zero, sign.split()[1], named[a])


def _pieces(relations: Iterable[Relation]) -> list[sp.Expr]:
    """Minima and maxima of two, and absolute values, outer ones first; those of several are nested as they are printed."""
    pieces: dict[sp.Expr, None] = {}

    def visit(e: sp.Expr) -> None:
        if isinstance(e, (sp.Min, sp.Max)) and len(e.args) > 2:
            first, *rest = sorted(e.args, key=sp.default_sort_key)
            pieces[e] = None
            visit(first)
            visit(e.func(*rest))
        elif isinstance(e, (sp.Min, sp.Max, sp.Abs)):
            pieces[e] = None
            for a in e.args:
                visit(a)
        elif isinstance(e, (sp.Add, sp.Mul)) or (isinstance(e, sp.Pow) and (e.exp.is_Integer or _shift(e))):
            for a in e.args if not isinstance(e, sp.Pow) else (e.base,):
                visit(a)

    for r in relations:
        visit(r.lhs)
        visit(r.rhs)
    return list(pieces)


def _sign(a: Any) -> str | None:
    if isinstance(a, sp.Sum):
        some = all(low == 1 and high == V for _, low, high in a.limits)
        return ("0 <" if a.function.is_positive and some else "0 <=") if a.function.is_nonnegative else None
    return "0 <" if a.is_positive else "0 <=" if a.is_nonnegative else None
