"""csqs.adaptive-against-fixed: C-SQS's sets are no better than X(β) at the price β, and drop α and a C/T at most."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.csqs import _recursion as adaptive
from proofs_check.csqs._dropped_sum import at_end, dropped_sum, summed
from proofs_check.csqs._fixed_sets import REACHED, Laws, best_choice, literal_choice, sets
from proofs_check.csqs._recursion import T, lowest, n, text, threshold
from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from simspec.claims.csqs.adaptive_against_fixed import AGAINST_FIXED
from simspec.claims.csqs.parts import READINGS
from simspec.laws import Array
from simspec.methods.sqs.quantised import threshold_mask


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every text, T, fixed threshold β > 0, start, step size and target in [0, 1]; both readings of an empty set.

    The excess is that of csqs.asymptotic-sharp, a supremum over vocabularies; the rest is an equality for sets that
    differ from X(β) in tokens of probability β only.
    """
    w = text(d)
    laws = Laws(w.q, w.t, w.mass, w.positive, w.top_bit, w.one_top, w.top_most)
    price = d.number("price", positive=True)
    fixed = sets(d, laws, n, price)
    conclusions = []
    for top in READINGS:
        tail = "_top" if top else ""
        q = w.q[n, x]
        h = threshold(d, w, top, sign)
        if top:
            some = d.sum("the most likely is kept", h.kept_top[0], x)
            some = d.derive("so a token is", ge(total(h.keep[n, x], x), 1), some, w.one_top)
            mask = fixed.mask
            fact = best_choice(d, laws, fixed, n, price, h.keep, (h.bit, some))
        else:
            mask = fixed.keep[n, x]
            fact = literal_choice(d, laws, fixed, n, price, h.keep, h.bit)
        s = dropped_sum(d, h)
        accepted, theirs, lost = (sp.IndexedBase(name + tail, real=True) for name in ("kept", "theirs", "lost"))
        none = [s.none]
        steps = [s.more, h.dropped]
        for name, sequence, summand in (
            ("tokens of C-SQS", accepted, h.keep[n, x]),
            ("of the fixed threshold", theirs, mask),
            ("and what that drops", lost, (1 - mask) * q),
        ):
            first, later = d.recursion(name, eq(sequence[0], 0), eq(sequence[n + 1], sequence[n] + total(summand, x)))
            none = [*none, first]
            steps = [*steps, later]
        statement = ge(price * (accepted[n] - theirs[n]), lost[n] - s.S[n])
        for_every_n = at_end(d, d.inductive("for every n", statement, n, none, [*steps, fact]))
        low = at_end(d, lowest(d, w, h))
        fall = sp.Max(0, w.start + w.eta * (constant - w.alpha))
        dropped_at_most = d.derive("the fall", le(w.eta * (s.S[T] - w.alpha * T), fall), summed(d, w, h, s), low)
        f = sp.Symbol("f" + tail, real=True)
        named = d.define("what C-SQS drops beyond the target at most", f, fall / w.eta)
        dropped_at_most = d.derive("divided by η", le(s.S[T], w.alpha * T + f), dropped_at_most, named)
        bound = le(theirs[T] + (lost[T] - w.alpha * T - f) / price, accepted[T])
        conclusions.append(d.derive("together", bound, for_every_n, dropped_at_most))
    d.qed(*conclusions)


def values(
    q: Array, threshold: Fraction, start: Fraction, step_size: Fraction, dropped_target: Fraction
) -> dict[str, Any]:
    bindings = adaptive.bind(q, start, step_size, dropped_target)
    mask = threshold_mask(q, threshold, keep_top=False)
    return {
        **bindings,
        **{"fixed": lambda n, x: mask[n][x - 1], "fixed_empty": lambda n: int(not mask[n].any()), "price": threshold},
    }


PROOF = Proof(AGAINST_FIXED, prove, drop=REACHED, change={"constant": sp.S.Half}, bind=values)
