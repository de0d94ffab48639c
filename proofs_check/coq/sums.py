"""That a sum over one name is what its normal form says: term by term, constants in front, inner sums merged and in order."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import sympy as sp

from proofs_check.coq.terms import Printer
from proofs_check.rules.terms import Relation, V, spread, total, x

__all__ = ["GROUPED", "equality", "grouping", "single"]

Limit = tuple[Any, Any, Any]
GROUPED = """\
Lemma Sum_many lo hi n f : (lo - 1 <= hi)%Z -> (0 <= n)%Z ->
  Sum lo (hi + n) f = Sum lo hi f + Sum 1 n (fun v => f (hi + v)%Z).
Proof.
  intros H. revert n. apply natlike_ind.
  - rewrite Z.add_0_r, (Sum_none 1 0) by lia. ring.
  - intros n Hn IH. rewrite <- Z.add_1_r, Z.add_assoc, Sum_last, IH, Sum_last by lia. rewrite <- Z.add_assoc. ring.
Qed.
Lemma Sum_grouped m k f : (0 <= m)%Z -> (0 <= k)%Z ->
  Sum 1 (k * m) f = Sum 1 m (fun u => Sum 1 k (fun v => f (k * (u - 1) + v)%Z)).
Proof.
  intros Hm Hk. revert m Hm. apply natlike_ind.
  - rewrite !Sum_none by lia. reflexivity.
  - intros m Hm IH. rewrite <- Z.add_1_r, Sum_last by lia. replace (k * (m + 1))%Z with (k * m + k)%Z by ring.
    rewrite Sum_many, IH by nia. f_equal. apply Sum_ext. intros v _. f_equal. ring.
Qed."""
"""A finite sum in groups, by induction on how many there are."""


def single(printer: Printer, body: sp.Expr, token: Any, upto: Any) -> str:
    """The sum of an expression over a name, from 1, as it stands."""
    return _nested(printer, [(token, sp.S.One, upto)], body)


def equality(printer: Printer, name: str, body: sp.Expr, token: Any, upto: Any) -> str:
    """Tactic: adds `name`, the equality of the sum of `body` over a name and its normal form."""
    limit = (token, sp.S.One, upto)
    sides = f"{single(printer, body, token, upto)} = {printer.real(spread(sp.Sum(body, limit)))}"
    terms = list(sp.Add.make_args(sp.expand(spread(body))))
    ones = [printer.real(spread(sp.Sum(t, limit))) for t in terms]
    at = f"1%Z {printer.whole(upto)}"
    rest = _function(printer, token, terms[-1])
    proof = f"[{_one(printer, terms[-1], limit)}]"
    right = ones[-1]
    texts = [printer.real(t) for t in terms]
    joined = texts[-1]
    for k in range(len(terms) - 2, -1, -1):
        here = _function(printer, token, terms[k])
        proof = f"[apply (plus_sides {at} {here} {rest}); [{_one(printer, terms[k], limit)} | {proof[1:-1]}]]"
        joined = f"({texts[k]} + {joined})"
        right = f"({ones[k]} + {right})"
        rest = f"(fun {printer.name(token)} : Z => {joined})"
    return (
        f"assert ({name} : {sides}); [transitivity (Sum {at} {rest}); "
        f"[apply Sum_ext; {_intro(printer, token)}; cbv beta; by_expansion | ]; "
        f"transitivity {right}; {proof[:-1]} | by_field] | ]"
    )


def grouping(printer: Printer, body: sp.Expr, c: Any, joined: Any, size: Relation, size_lemma: str) -> str:
    """Tactic: a sum over V m numbers (`size`, known by a lemma) is one over m groups of V; see `GROUPED`."""
    whole_range = size.lhs
    group_count = sp.expand(size.rhs / V)
    inner = body.subs(c, joined[c, x])
    outer = equality(printer, "E_l", body, c, whole_range)
    right = equality(printer, "E_r", total(inner, x), c, group_count)
    below = equality(printer, "E_i", inner, x, V)
    u, v, k, m, name = (*map(printer.name, (c, x, V)), printer.whole(group_count), printer.name(joined.label))
    place = f"({k} * ({u} - 1) + {v})%Z"
    recursion_use = f"recursion_{name}_0 {u} (proj1 R_{u}) {v} R_{v}"
    return (
        f"{outer}; {right}; "
        f"assert (E_n : {printer.whole(whole_range)} = ({k} * {m})%Z) by (apply eq_IZR; rewrite {size_lemma}; whole; lra); "
        f"apply (sides_eq E_l E_r); rewrite E_n; "
        f"rewrite (Sum_grouped {m} {k} {_function(printer, c, body)}) by (first [lia | whole_sign]); "
        f"apply Sum_ext; {_intro(printer, c)}; cbv beta; {below}; "
        f"refine (eq_trans _ E_i); apply Sum_ext; {_intro(printer, x)}; cbv beta; "
        f"replace {place} with ({name} {u} {v}) by "
        f"(apply eq_IZR; rewrite ({recursion_use}), plus_IZR, mult_IZR, minus_IZR; ring); "
        "reflexivity"
    )


def _function(printer: Printer, token: Any, body: sp.Expr) -> str:
    return f"(fun {printer.name(token)} : Z => {printer.real(body)})"


def _intro(printer: Printer, token: Any) -> str:
    return f"intros {printer.name(token)} R_{printer.name(token)}"


def _nested(printer: Printer, limits: list[Limit], body: sp.Expr) -> str:
    """Sums in the order of the limits, the first one outermost."""
    text = printer.real(body)
    for name, low, high in reversed(limits):
        text = f"(Sum {printer.whole(low)} {printer.whole(high)} (fun {printer.name(name)} : Z => {text}))"
    return text


def _one(printer: Printer, t: sp.Expr, limit: Limit) -> str:
    """Tactic for the sum of one product."""
    token, _, upto = limit
    factors = sp.Mul.make_args(t)
    outside = sp.Mul(*[f for f in factors if token not in f.free_symbols])
    inside = [f for f in factors if token in f.free_symbols]
    if not inside:
        return f"sum_const {printer.whole(upto)}"
    product = sp.Mul(*inside)
    at = f"1%Z {printer.whole(upto)}"
    c = printer.real(outside)
    merged, body, steps = _merging(printer, inside, limit)
    chain = f"apply Sum_ext; {_intro(printer, token)}; cbv beta; {steps}" if steps else "reflexivity"
    target = spread(sp.Sum(product, limit))
    ordering = f"f_equal; ({_ordering(printer, merged, body, target)})"
    return (
        f"transitivity ({c} * Sum {at} {_function(printer, token, product)}); [apply scal_side; intros; cbv beta; by_field | ]; "
        f"transitivity ({c} * {_nested(printer, merged, body)}); [f_equal; ({chain}) | ]; "
        f"first [solve [by_field] | transitivity ({c} * {printer.real(target)}); [{ordering} | by_field]]"
    )


def _merging(printer: Printer, inside: list[sp.Expr], limit: Limit) -> tuple[list[Limit], sp.Expr, str]:
    """A product with sums in it as nested sums: their limits, the body, and a tactic that shows it inside the outermost."""
    limits: list[Limit] = [limit]
    plain = [f for f in inside if not isinstance(f, sp.Sum)]
    sums = [f for f in inside if isinstance(f, sp.Sum)]
    steps = ""
    fresh = iter(range(99))
    while sums:
        first = sums.pop(0)
        (inner, low, high) = first.limits[-1]
        other_limits = first.limits[:-1]
        name = sp.Symbol(f"m{next(fresh)}", integer=True, positive=True)
        body = first.function.xreplace({inner: name})
        rest = sp.Mul(*plain, *sums, evaluate=False) if plain or sums else sp.S.One
        under = (
            sp.Sum(body, *[tuple(e.xreplace({inner: name}) for e in lim) for lim in other_limits])
            if other_limits
            else body
        )
        at = f"{printer.whole(low)} {printer.whole(high)}"
        steps += (
            f"transitivity ({printer.real(rest)} * Sum {at} {_function(printer, name, under)}); [by_field | ]; "
            f"rewrite <- Sum_scal; apply Sum_ext; {_intro(printer, name)}; cbv beta; "
        )
        limits.append((name, low, high))
        for f in sp.Mul.make_args(under):
            (sums if isinstance(f, sp.Sum) else plain).append(f)
    return limits, sp.Mul(*plain), f"{steps}by_field" if steps else ""


def _ordering(printer: Printer, limits: list[Limit], body: sp.Expr, target: sp.Expr) -> str:
    """Tactic: nested sums are those of the normal form, in another order."""
    _, target_sum = target.as_coeff_Mul()
    if not isinstance(target_sum, sp.Sum) or len(target_sum.limits) != len(limits):
        return "by_field"
    target_limits = target_sum.limits[::-1]  # outermost first
    for order in permutations(range(len(limits))):
        names = {limits[k][0]: w[0] for k, w in zip(order, target_limits, strict=True)}
        ends = all(limits[k][2] == w[2] for k, w in zip(order, target_limits, strict=True))
        if ends and sp.expand(body.xreplace(names) - target_sum.function) == 0:
            return _swaps(printer, list(limits), list(order), body)
    return "by_field"


def _swaps(printer: Printer, limits: list[Limit], order: list[int], body: sp.Expr) -> str:
    """Neighbours exchanged, one pair after another, until the order is reached."""
    steps = ""
    ranks = [order.index(k) for k in range(len(limits))]
    is_sorted = False
    while not is_sorted:
        is_sorted = True
        for k in range(len(limits) - 1):
            if ranks[k] > ranks[k + 1]:
                ranks[k], ranks[k + 1] = ranks[k + 1], ranks[k]
                limits[k], limits[k + 1] = limits[k + 1], limits[k]
                under = "".join(f"apply Sum_ext; {_intro(printer, lim[0])}; cbv beta; " for lim in limits[:k])
                steps += f"transitivity {_nested(printer, limits, body)}; [{under}apply Sum_exchange | ]; "
                is_sorted = False
    ends = "".join("apply Sum_ext; intros; cbv beta; " for _ in limits)
    return f"{steps}{ends}by_field"
