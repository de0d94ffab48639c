"""Steps of real arithmetic as Coq scripts: cases, substitutions, and which products of facts to add up.

Equations between products are split into their factors, minima, maxima and absolute values into their cases; in each case
`polynomials` finds what to multiply.  What is found is only a hint: Coq checks every step of the script.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sympy as sp
from sympy.polys.rings import ring as ring_of

from proofs_check.coq.polynomials import Column, Inequality, Polynomial, combination, has
from proofs_check.coq.products import contradiction
from proofs_check.coq.terms import Printer
from proofs_check.coq.vain import unless_vain
from proofs_check.rules.terms import Relation

__all__ = ["Split", "certificate"]

NODES = 40
"""At most so many cases are looked at."""
MORE_NODES = 160
"""The same in a wider search."""
MOST_NODES = 600
"""The same in the widest."""
LONG = 8
"""An equation of more terms is put in for no name."""
SHORT = 3
SIGNS = 8
"""Of so many facts of so many terms it is tried whether it helps to know that they are zero, or are not."""
DEEPEST = 2
"""A search wider than that looks for products by `products`."""
FAILURES = 12
"""So often at most such a search may find nothing."""
SIGN = {">=": "nn_ge", "<=": "nn_le", ">": "ps_gt", "<": "ps_lt"}
AGAINST = {">=": ("Rnot_lt_ge", "<"), "<=": ("Rnot_lt_le", ">"), ">": ("Rnot_le_gt", "<="), "<": ("Rnot_le_lt", ">=")}


class Split(NamedTuple):
    """A name that is one of two values: the hypothesis that says so, its conditions and values as SymPy expressions.

    In the widest search the second condition is that something is positive.
    """

    hypothesis: str
    symbol: Any
    choices: tuple[tuple[Any, Any], tuple[Any, Any]]  # what is not negative, and the value


class Node(NamedTuple):
    """What is known in a case: equations and inequalities by hypothesis, splits that are open, and the goal."""

    facts: tuple[tuple[str, str, Polynomial], ...]  # name, relation, lhs - rhs
    splits: tuple[tuple[str, Any, tuple[tuple[Polynomial, Polynomial], ...]], ...]
    goal: tuple[str, Polynomial]
    squared: tuple[Polynomial, ...] = ()  # what may be worth squaring, in a wider search
    signed: bool = False  # whether it is a case of a fact that is zero, or is not


class _Search:
    def __init__(self, printer: Printer, symbols: Sequence[Any], further: bool, wide: int) -> None:
        self.printer = printer
        self.further = further
        self.wide = wide
        self.ring, *gens = ring_of([str(s) for s in symbols], sp.QQ)
        self.gens = dict(zip(symbols, gens, strict=True))
        self.symbols = {str(s): s for s in symbols}
        self.nodes = 0
        self.failures = 0
        self.factors: dict[Polynomial, list[Polynomial]] = {}
        self.fresh = 0

    def poly(self, e: Any) -> Polynomial:
        return self.ring.from_expr(sp.expand(e).xreplace({s: sp.Symbol(str(s)) for s in self.symbols.values()}))

    def text(self, p: Polynomial) -> str:
        return self.printer.real(p.as_expr().xreplace({sp.Symbol(n): s for n, s in self.symbols.items()}))

    def name(self, kind: str) -> str:
        self.fresh += 1
        return f"{kind}_{self.fresh}"

    # --- a case -----------------------------------------------------------------------------------------------------

    def proof(self, node: Node) -> str | None:
        self.nodes += 1
        if self.nodes > (MOST_NODES if self.wide > DEEPEST else MORE_NODES if self.wide else NODES):
            return None
        if self.wide and (meaning := self._meaning(node)) is not None:
            k, g, value = meaning
            inner = self.proof(_put(node._replace(facts=node.facts[:k] + node.facts[k + 1 :]), g, value))
            return None if inner is None else f"{self._stated(node.facts[k][0], g, value)}{inner}"
        split = self._split(node)
        if split is None or not (self._hard(node) or self.wide > DEEPEST):
            closed = self._closed(node, last=split is None)
            if closed is not None or split is None:
                return self._signs(node) if closed is None and self.wide > 1 else closed
        return self._cases(node, *split)

    def _hard(self, node: Node) -> bool:
        return bool(node.splits) and any(has(node.goal[1], s[1]) for s in node.splits)

    def _split(self, node: Node) -> Any:
        """The next split, innermost first; then equations that say that a product is zero."""
        zero = next((p for p, _ in self._twice(node)), None)
        if zero is not None:
            return ("opposite", 0, [zero])
        open_ = {s[1] for s in node.splits}
        for k, s in enumerate(node.splits):
            if not any(has(q, v) for pair in s[2] for q in pair for v in open_ - {s[1]}):
                return ("split", k)
        for k, (_, op, p) in enumerate(node.facts):
            if op == "=" and len(p.monoms()) < 12:
                if p not in self.factors:
                    self.factors[p] = [f for f, _ in p.factor_list()[1]]
                factors = self.factors[p]
                if len(factors) > 1:
                    return ("product", k, factors)
        return None

    def _twice(self, node: Node) -> Iterator[tuple[Polynomial, str]]:
        """Polynomials that are not negative, nor positive, and are not known to be zero."""
        zeros = {p for _, o, p in node.facts if o == "="}
        nonnegatives = {p if o == ">=" else -p for _, o, p in node.facts if o in {">=", "<="} and not p.is_ground}
        for n, o, p in node.facts:
            q = p if o == ">=" else -p
            if o in {">=", "<="} and -q in nonnegatives and q not in zeros and -q not in zeros:
                yield q, n

    def _cases(self, node: Node, kind: str, k: int, factors: Sequence[Polynomial] = ()) -> str | None:
        """The script that splits a node (`kind` says how) and closes its cases; None if a case stays open."""
        if kind == "opposite":
            zero = self.name("Z")
            inner = self._known(node, zero, factors[0])
            return None if inner is None else f"assert ({zero} : {self.text(factors[0])} = 0) by lra; {inner}"
        if kind == "split":
            hypothesis, symbol, choices = node.splits[k]
            rest = node._replace(splits=node.splits[:k] + node.splits[k + 1 :])
            parts = []
            for place, (condition, value) in enumerate(choices):
                name = self.name("L")
                op = ">" if place and self.wide > DEEPEST else ">="
                if self.wide > 1 and has(value, symbol):  # the value is made of the name: nothing is put in for it
                    equation = (f"E_{name}", "=", symbol - value)
                    inner = self.proof(
                        rest._replace(facts=(*rest.facts, (name, op, condition), equation)),
                    )
                else:
                    inner = self._under(_put(rest, symbol, value), name, _at(condition, symbol, value), op)
                    inner = f"put E_{name}; {inner}" if inner is not None and self.further else inner
                if inner is None:
                    return None
                parts.append((name, inner))
            (a, first_script), (b, second_script) = parts
            v = self.text(symbol)
            if self.further:
                return f"destruct {hypothesis} as [[{a} E_{a}] | [{b} E_{b}]]; [{first_script} | {second_script}]"
            return (
                f"destruct {hypothesis} as [[{a} E_{a}] | [{b} E_{b}]]; subst {v}; [{first_script} | {second_script}]"
            )
        name, _, _ = node.facts[k]
        rest = node._replace(facts=node.facts[:k] + node.facts[k + 1 :])
        return self._factored(rest, name, list(factors))

    def _under(self, node: Node, name: str, condition: Polynomial, op: str) -> str | None:
        """A case where a polynomial is not negative, or positive; where it was not positive already, it is zero."""
        if op == ">=" and any(
            o in {">=", "<="} and (p if o == ">=" else -p) == -condition for _, o, p in node.facts if condition
        ):
            zero = self.name("Z")
            inner = self._known(node, zero, condition)
            return (
                None if inner is None else f"assert ({zero} : {self.text(condition)} = 0) by lra; clear {name}; {inner}"
            )
        return self.proof(node._replace(facts=(*node.facts, (name, op, condition))))

    def _factored(self, rest: Node, name: str, factors: list[Polynomial]) -> str | None:
        """The script that closes a product that is zero, one factor after the other; None if a case stays open."""
        first, *other_factors = factors
        if not other_factors:
            return self._known(rest, name, first)
        first_case = self.name("E")
        right = self.name("E")
        product = self.name("D")
        cofactor = math.prod(other_factors)
        first_script = self._known(rest, first_case, first)
        two = self._factored(rest, right, other_factors) if first_script is not None else None
        if first_script is None or two is None:
            return None
        a = self.text(first)
        b = self.text(cofactor)
        return (
            f"assert ({product} : {a} * {b} = 0) by lra; "
            f"destruct (Rmult_integral _ _ {product}) as [{first_case} | {right}]; clear {product}; [{first_script} | {two}]"
        )

    def _known(self, rest: Node, name: str, zero: Polynomial) -> str | None:
        """The case where a polynomial is zero: a number that it determines is put in."""
        for g in self.ring.gens:
            c = zero.coeff(g)
            if c and not has(zero - c * g, g):
                value = (c * g - zero).quo_ground(c)
                inner = self.proof(_put(rest, g, value))
                return None if inner is None else f"{self._stated(name, g, value)}{inner}"
        return self.proof(rest._replace(facts=(*rest.facts, (name, "=", zero))))

    def _stated(self, name: str, g: Polynomial, value: Polynomial) -> str:
        """The tactics that put a value, which an equation gives, for a name."""
        x = self.name("X")
        v = self.text(g)
        putting = f"put {x}" if self.further else f"subst {v}"
        return f"assert ({x} : {v} = {self.text(value)}) by (clear - {name}; lra); clear {name}; {putting}; "

    def _meaning(self, node: Node) -> tuple[int, Polynomial, Polynomial] | None:
        """An equation that says what a name is by others, and the name with its value: the place of the equation comes first."""
        open_ = {s[1] for s in node.splits}
        for k, (_, op, p) in enumerate(node.facts):
            if op != "=" or len(p.monoms()) > LONG:
                continue
            for g in p.ring.gens:
                c = p.coeff(g)
                if c and g not in open_ and not has(p - c * g, g):
                    return k, g, (c * g - p).quo_ground(c)
        return None

    def _signs(self, node: Node) -> str | None:
        """The script that splits what is not negative into what is positive and zero; one such fact after another is tried."""
        if node.signed:
            return None
        bounds = [(k, f) for k, f in enumerate(node.facts) if f[1] in {">=", "<="} and not f[2].is_ground]
        bounds = [(k, f) for k, f in bounds if len(f[2].monoms()) <= SHORT and max(map(sum, f[2].monoms())) == 1]
        for k, (name, op, p) in bounds[:SIGNS]:
            more = self.name("D")
            zero = self.name("D")
            gap = p if op == ">=" else -p  # Coq has 0 < gap, or 0 = gap
            rest = node._replace(facts=(*node.facts[:k], *node.facts[k + 1 :]), signed=True)
            first = self.proof(rest._replace(facts=(*rest.facts, (more, "<", -gap))))
            second = self._known(rest, zero, -gap) if first is not None else None
            if first is not None and second is not None:
                split = f"destruct (Rle_lt_or_eq_dec _ _ ({SIGN[op]} {name})) as [{more} | {zero}]"
                return f"{split}; [{first} | {second}]"
        return None

    # --- a leaf -----------------------------------------------------------------------------------------------------

    def _closed(self, node: Node, last: bool) -> str | None:
        op, goal = node.goal
        if op != "=":
            return self._refuted(node, op, goal)
        zero = [(p, n) for n, o, p in node.facts if o == "=" and p]
        columns = unless_vain(combination, zero, (), goal) if goal else []
        if columns is not None:
            return self._added(columns, "lra")
        if not last:
            return None
        both_bounds = [self._refuted(node, o, goal) for o in ("<=", ">=")]
        if None in both_bounds:
            return None
        return f"apply Rle_antisym; [{both_bounds[0]} | apply Rge_le; {both_bounds[1]}]"

    def _refuted(self, node: Node, op: str, goal: Polynomial) -> str | None:
        """From the contrary of the goal: what contradicts it."""
        if self.wide > 1 and not goal and op in {">=", "<="}:
            return "lra"
        rule, contrary = AGAINST[op]
        zero = [(p, n) for n, o, p in node.facts if o == "=" and p]
        facts = [(n, o, p) for n, o, p in node.facts if o != "=" and not (p.is_ground and _plain(o, p))]
        against = self.name("N")
        some = [_inequality(*f) for f in (*facts, (against, contrary, goal))]
        if op == "<":  # Coq writes the contrary of l < r as r <= l
            some[-1] = some[-1]._replace(term=f"(nn_le {against})")
        squared = (*node.squared, *_differences(goal)) if self.wide else None
        if self.wide > DEEPEST:
            columns = unless_vain(contradiction, zero, some, squared or ()) if self.failures < FAILURES else None
            self.failures += columns is None
        else:
            columns = unless_vain(combination, zero, some, squared=squared, is_widest=self.wide > 1)
        return None if columns is None else f"apply {rule}; intro {against}; {self._added(columns, 'lra')}"

    def _added(self, columns: Sequence[Column], end: str) -> str:
        """Only what is added up stays."""
        steps = []
        hypotheses = []
        for c in columns:
            term = self._term(c)
            if term is None:
                continue
            for added in (term, *(f"(times ({self.text(m)}) {equation})" for m, equation in c.taken)):
                name = self.name("Q")
                steps.append(f"pose proof {added} as {name}")
                hypotheses.append(name)
        clear = f"clear - {' '.join(hypotheses)}; " if hypotheses else ""
        return "; ".join([*steps, f"{clear}{end}"])

    def _term(self, c: Column) -> str | None:
        if c.kind == "=":
            m, term = c.parts
            return f"(times ({self.text(m)}) {term})"
        first = c.parts[0]
        square = not isinstance(first, Inequality)
        coq_term, strict = (f"(pow2_ge_0 ({self.text(first)}))", False) if square else (first.term, first.strict)
        for f in c.parts[1:]:
            if strict and f.strict:
                coq_term = f"(Rmult_lt_0_compat _ _ {coq_term} {f.term})"
            else:
                coq_term = f"(Rmult_le_pos _ _ {_weak(coq_term, strict)} {_weak(f.term, f.strict)})"
                strict = False
        return coq_term


def _differences(goal: Polynomial) -> list[Polynomial]:
    """The differences of two terms of a polynomial: the square of one may be what a bound of the other kind needs."""
    terms = [goal.ring.term_new(m, c) for m, c in goal.terms()]
    if len(terms) > LONG:
        return []
    return [a - b for k, a in enumerate(terms) for b in terms[k + 1 :]]


def _weak(term: str, strict: bool) -> str:
    return f"(Rlt_le _ _ {term})" if strict else term


def _inequality(name: str, op: str, p: Polynomial) -> Inequality:
    return Inequality(p if op in {">=", ">"} else -p, op in {">", "<"}, f"({SIGN[op]} {name})")


def _plain(op: str, p: Polynomial) -> bool:
    """Whether a constant has the sign that is said of it."""
    c = p.coeff(1)
    return {">=": c >= 0, "<=": c <= 0, ">": c > 0, "<": c < 0}[op]


def _at(p: Polynomial, g: Polynomial, value: Polynomial) -> Polynomial:
    return p.compose(g, value) if has(p, g) else p


def _put(node: Node, g: Polynomial, value: Polynomial) -> Node:
    """A value for a name, everywhere."""
    return Node(
        tuple((n, o, _at(p, g, value)) for n, o, p in node.facts),
        tuple((h, s, tuple((_at(a, g, value), _at(b, g, value)) for a, b in c)) for h, s, c in node.splits),
        (node.goal[0], _at(node.goal[1], g, value)),
        tuple(_at(q, g, value) for q in node.squared),
    )


def certificate(
    printer: Printer,
    goal: Relation,
    facts: Mapping[str, Relation],
    splits: Sequence[Split],
    further: bool = False,
    wide: int = 0,
) -> str | None:
    """The script for a goal from facts in plain numbers, once all else is abstracted; None where none is found.

    Every side is a polynomial in symbols; what is minimum, maximum or absolute value is the symbol of a split.
    A `further` script requires more of Coq: it puts in the equation that it names, where `subst` may take another.
    A `wide` search looks at more cases, puts in what equations say of names, and multiplies squares with facts; one of 3
    multiplies more facts, by `products`.
    """
    sides = [e for r in (goal, *facts.values()) for e in (r.lhs, r.rhs)]
    sides += [e for s in splits for pair in s.choices for e in (*pair, s.symbol)]
    symbols = sorted({v for e in sides for v in e.free_symbols}, key=str)
    if not symbols or not all(e.is_polynomial(*symbols) for e in sides):
        return None
    search = _Search(printer, symbols, further, wide)
    node = Node(
        tuple((n, r.op, search.poly(r.lhs - r.rhs)) for n, r in facts.items()),
        tuple(
            (s.hypothesis, search.gens[s.symbol], tuple((search.poly(a), search.poly(b)) for a, b in s.choices))
            for s in splits
        ),
        (goal.op, search.poly(goal.lhs - goal.rhs)),
        tuple(search.poly(b) for b in _even(sides)) if wide else (),
    )
    return search.proof(node)


def _even(sides: Sequence[Any]) -> list[Any]:
    """What stands under an even power somewhere."""
    powers = {p for e in sides for p in e.atoms(sp.Pow) if p.exp.is_Integer and p.exp.is_even and not p.base.is_Symbol}
    return sorted({p.base for p in powers}, key=sp.default_sort_key)
