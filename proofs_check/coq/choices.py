"""Tactics for statements about minima and maxima of numbers that are zero or one: every combination of values is looked at.

A product that is said to be zero has a factor that is, and of a product that is not negative both factors have one sign; each
minimum and maximum is one of its arguments.  In every case that is left the statement is linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import sympy as sp

from proofs_check.rules.terms import Relation

__all__ = ["BY_VALUES", "VALUES", "by_values"]

BY_VALUES = "by_values"
VALUES = f"""\
Lemma same_signs a b : a * b >= 0 -> (a >= 0 /\\ b >= 0) \\/ (a <= 0 /\\ b <= 0).
Proof. intro H. destruct (Rle_lt_dec 0 a), (Rle_lt_dec 0 b); [left; lra | | | right; lra].
 - destruct (Req_dec a 0); [right; lra | nra].
 - destruct (Req_dec b 0); [right; lra | nra]. Qed.
Lemma is_one v : 1 + -1 * v = 0 -> v = 1.
Proof. lra. Qed.
Ltac known_values := repeat match goal with
  | H : ?v = 0 |- _ => is_var v; subst v
  | H : 1 + -1 * ?v = 0 |- _ => is_var v; apply is_one in H; subst v
  end.
Ltac split_values := match goal with
  | H : ?a * ?b >= 0 |- _ => destruct (same_signs a b H) as [[? ?] | [? ?]]; clear H
  | |- context [Rmax ?a ?b] => destruct (max_cases a b) as [[? ->] | [? ->]]
  | |- context [Rmin ?a ?b] => destruct (min_cases a b) as [[? ->] | [? ->]]
  | H : context [Rmax ?a ?b] |- _ => let E := fresh in destruct (max_cases a b) as [[? E] | [? E]]; rewrite E in *; clear E
  | H : context [Rmin ?a ?b] |- _ => let E := fresh in destruct (min_cases a b) as [[? E] | [? E]]; rewrite E in *; clear E
  end.
Ltac {BY_VALUES} := repeat split_zero; known_values; repeat first [lra | split_values]; lra."""
"""What a file has that uses the tactic; the rest is in the prelude."""


def by_values(
    relations: Sequence[Relation], texts: Iterable[tuple[str, str]], name: Callable[[Any], str]
) -> str | None:
    """Tactic for the first statement, which has a minimum and a maximum, from the others; None where it does not apply.

    Parameters
    ----------
    relations : the goal, and what it follows from, with a symbol for each part that is no polynomial.
    texts : those parts in Coq, and their names there: the longest first.
    name : what a symbol is called in Coq.
    """
    goal, *using = relations
    zeros = [r for r in using if r.op == "=" and r.rhs == 0 and isinstance(r.lhs, sp.Mul)]
    if goal.op == "=" or not (goal.lhs.has(sp.Min) and goal.lhs.has(sp.Max)) or len(zeros) < 2:
        return None
    equal = [r.lhs for r in using if r.op == "=" and isinstance(r.lhs, sp.Symbol) and not r.rhs.has(r.lhs)]
    script = [f"abstracted ({text}) {named}" for text, named in texts]
    script += [f"try subst {name(symbol)}" for symbol in equal]
    return f"solve [timeout 60 ({'; '.join([*script, BY_VALUES])})]"
