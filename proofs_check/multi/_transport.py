"""multi.subset and others: the best rule accepts as much as the least cut allows, and so does a selection of one draft.

No rule is above a cut; one that is as high as a cut is made from the selection whose law is nearest to p (`_nearest`).
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, index, le, total, x, y
from proofs_check.multi import _nearest
from proofs_check.multi._nearest import D, N, Nearest, at, c, e, f, g, ins, k, load
from simspec.claims.multi import transport as claims
from simspec.claims.multi.parts import iid_best, sets_of
from simspec.laws import Array
from simspec.methods.multi.optimum import Certificate, optimum, selected, subset_value

__all__ = ["BEST", "JUDGED", "PROOFS", "Best", "Cuts", "flow_values"]

least_at = index("best")
a, sel, share, rule, judged, u = (
    sp.IndexedBase(name, real=True) for name in ("a", "sel", "share", "rule", "judged", "u")
)
BEST = "no rule accepts more than the best: not the nearest selection, as far as p has room"
JUDGED = "no rule accepts more than the best: not the selected draft, judged by speculative decoding"
ONE = "the optimum is one of them (see multi.subset)"
MOST = "those of K and K + 2 are no more there (see multi.subset)"


class Best:
    """The best rule: a[c, x] is accepted of set c as token x.

    A rule that accepts drafts only is what flows from sets of drafts to their tokens: of a set no more than its mass, to a
    token no more than p.  That nothing flows more than the best is its definition; it is given of rules that are made here.
    """

    def __init__(self, d: Derivation, sign: int, constant: int) -> None:
        self.d, self.p, self.sign, self.constant = d, d.weights("p"), sign, constant
        self.value = total(total(a[c, x], x), c, upto=N)
        self.low = d.domain("what is accepted is not negative", ge(a[c, x], 0))
        self.of_c, self.of_x = d.domain(
            "no more is accepted than there is", le(total(a[c, x], x), D[c]), le(total(a[c, x], c, upto=N), self.p[x])
        )

    def two_step(self) -> tuple[Any, Fact]:
        """Σ min(p, s) for a selection s that follows the best rule, and that it is the best rule's value."""
        d = self.d
        p = self.p
        follows_rule, selects_all, member = d.domain(
            "one draft is selected, as the best rule goes",
            ge(sel[c, x], a[c, x]),
            eq(total(sel[c, x], x), D[c]),
            eq(sel[c, x] * (1 - e[c, x]), 0),
        )
        s = total(sel[c, x], c, upto=N)
        keep = d.weights("keep")
        at_x = total(a[c, x], c, upto=N)
        per_token = d.smt(
            "of each token", ge(sp.Min(p[x], s), at_x), d.sum("over sets", follows_rule, c, upto=N), self.of_x
        )
        steps = total(sp.Min(p[x], s), x)
        lower = d.derive("no less than the best", ge(steps, self.sign * self.value), d.sum("over tokens", per_token, x))
        judged_share, judged_total = d.domain(
            "speculative decoding keeps min(p, s) of a token", le(keep[x], 1), eq(keep[x] * s, sp.Min(p[x], s))
        )
        low = d.derive("a selection is a mass", ge(sel[c, x], 0), follows_rule, self.low)
        named = d.define("a rule", judged[c, x], keep[x] * sel[c, x])
        d.derive("not negative", ge(judged[c, x], 0), named, low, by="smt")
        d.derive("accepts drafts", eq(judged[c, x] * (1 - e[c, x]), 0), named, member, by="smt")
        of_c = d.derive("of what is selected", le(judged[c, x], sel[c, x]), named, low, judged_share, by="smt")
        d.derive("no more than the set has", le(total(judged[c, x], x), D[c]), d.sum("all", of_c, x), selects_all)
        of_x = d.sum("over sets", named, c, upto=N)
        of_x = d.derive("of a token", eq(total(judged[c, x], c, upto=N), sp.Min(p[x], s)), of_x, judged_total)
        d.smt("no more than p", le(total(judged[c, x], c, upto=N), p[x]), of_x)
        best = d.domain(JUDGED, le(total(total(judged[c, x], c, upto=N), x), self.value))
        upper = d.derive("no selection accepts more", le(steps, self.value), best, d.sum("over tokens", of_x, x))
        return steps, d.derive("the same", eq(self.value, self.constant * steps), upper, lower, by="smt")


class Cuts:
    """All sets H of tokens, numbered by k, and that the best rule has the value of the least cut."""

    def __init__(self, best: Best) -> None:
        d = best.d
        self.d, self.p, self.best = d, best.p, best
        self.law = d.domain("drafts have a law", eq(total(D[c], c, upto=N), 1))
        self.member, self.inside, self.bits, self.bits2 = d.domain(
            "sets and their tokens",
            eq(a[c, x] * (1 - e[c, x]), 0),
            eq(ins[k, c] * e[c, x] * (1 - g[k, x]), 0),
            eq(g[k, x] * (1 - g[k, x]), 0),
            eq(ins[k, c] * (1 - ins[k, c]), 0),
        )

    def cut(self, of: sp.Symbol) -> Any:
        """p(H) + 1 − D(all drafts in H)."""
        return total(g[of, x] * self.p[x], x) + 1 - total(ins[of, c] * D[c], c, upto=N)

    def below(self) -> Fact:
        """No rule is above any cut."""
        d = self.d
        goal = eq(ins[k, c] * (1 - g[k, x]) * a[c, x], 0)
        within = d.smt("drafts that all lie in H", goal, self.member, self.inside, self.bits)
        per_set = d.smt(
            "of each set and token",
            le((1 - g[k, x]) * a[c, x], (1 - ins[k, c]) * a[c, x]),
            *(self.best.low, within, self.bits, self.bits2),
        )
        per_set = d.sum("over tokens", per_set, x)
        rest = d.smt(
            "sets", le((1 - ins[k, c]) * total(a[c, x], x), (1 - ins[k, c]) * D[c]), self.best.of_c, self.bits2
        )
        per_set = d.derive("of each set", le(total((1 - g[k, x]) * a[c, x], x), (1 - ins[k, c]) * D[c]), per_set, rest)
        out = d.sum("over sets", per_set, c, upto=N)
        inner = d.smt("in H", le(g[k, x] * total(a[c, x], c, upto=N), g[k, x] * self.p[x]), self.best.of_x, self.bits)
        inner = d.sum("over tokens of H", inner, x)
        return d.derive("at most a cut", le(self.best.value, self.cut(k)), out, inner, self.law)

    def above(self) -> Fact:
        """The best rule is no lower than a cut: of the nearest selection, but of a token no more than p, as much is accepted."""
        d = self.d
        p = self.p
        near = Nearest(d, p, (self.bits, self.bits2), self.best.sign)
        mass = d.derive("a law", ge(load[x], 0), d.sum("over sets", near.low, c, upto=N), near.named)
        some = d.smt("no zero", gt(load[x] + 1 - g[at, x], 0), mass, near.over, near.bit)
        named = d.define("a share", share[at, x], g[at, x] * p[x] / (load[x] + 1 - g[at, x]) + 1 - g[at, x], some)
        clear = eq((share[at, x] - 1 + g[at, x]) * (load[x] + 1 - g[at, x]), g[at, x] * p[x])
        clear = d.derive("p where there is too much", clear, named, some)
        step_facts = (clear, some, mass, near.over, near.bit)
        parts = [d.smt("a share", r, *step_facts) for r in (ge(share[at, x], 0), le(share[at, x], 1))]
        accepted_per_token = d.smt(
            "of a token", eq(share[at, x] * load[x], g[at, x] * p[x] + (1 - g[at, x]) * load[x]), clear, mass, near.bit
        )
        named = d.define("a rule", rule[at, c, x], share[at, x] * f[c, x])
        d.derive("not negative", ge(rule[at, c, x], 0), named, near.low, parts[0], by="smt")
        d.derive("accepts drafts", eq(rule[at, c, x] * (1 - e[c, x]), 0), named, near.member, by="smt")
        of_c = d.derive("of what is selected", le(rule[at, c, x], f[c, x]), named, near.low, parts[1], by="smt")
        d.derive("no more than the set has", le(total(rule[at, c, x], x), D[c]), d.sum("all", of_c, x), near.rows)
        of_x = d.sum("over sets", named, c, upto=N)
        of_x = d.derive("all", eq(total(rule[at, c, x], c, upto=N), share[at, x] * load[x]), of_x, near.named)
        d.smt(
            "no more than p", le(total(rule[at, c, x], c, upto=N), p[x]), of_x, accepted_per_token, near.under, near.bit
        )
        best = d.domain(BEST, le(total(total(rule[at, c, x], c, upto=N), x), self.best.value))
        accepted = d.derive(
            "in short", eq(total(rule[at, c, x], c, upto=N), accepted_per_token.relation.rhs), of_x, accepted_per_token
        )
        accepted = d.sum("over the vocabulary", accepted, x)
        return d.derive("no less than a cut", ge(self.best.value, self.cut(at)), best, accepted, *self.in_them(near))

    def in_them(self, near: Nearest) -> tuple[Fact, ...]:
        """The tokens that the nearest selection has too much of have all mass of the sets in them, and no other."""
        d = self.d
        goal = eq(ins[at, c] * (1 - g[at, x]) * f[c, x], 0)
        inside = d.instantiate("of the tokens it has too much of", self.inside, {k: at})
        within = d.smt("drafts that all lie in them", goal, near.member, inside, near.bit)
        within = d.sum("over sets", d.sum("over tokens", within, x), c, upto=N)
        row = d.sum(
            "over sets",
            d.derive("all of a set", eq(ins[at, c] * total(f[c, x], x), ins[at, c] * D[c]), near.rows),
            c,
            upto=N,
        )
        all_ = d.derive(
            "all sets", eq(total(total(f[c, x], x), c, upto=N), 1), d.sum("over sets", near.rows, c, upto=N), self.law
        )
        loads = d.summed("in them", eq(g[at, x] * load[x], g[at, x] * total(f[c, x], c, upto=N)), near.named)
        load_sum = d.sum("over the vocabulary", near.named, x)
        mass = total(ins[at, c] * D[c], c, upto=N)
        here = d.derive(
            "all that lies in them", eq(total(g[at, x] * load[x], x), mass), loads, near.apart, within, row, by="smt"
        )
        return here, d.derive("a law", eq(total(load[x], x), 1), load_sum, all_)

    def least(self) -> tuple[Any, Fact]:
        """The least cut, and that the best rule has its value."""
        d = self.d
        low = d.number("low")
        bound = d.domain("the least over sets is no more than any", le(low, self.cut(k)))
        attained = d.domain("it is that of one of them", eq(low, self.cut(least_at)))
        at_cut = d.instantiate("at the cut", bound, {k: at})
        at_minimum = d.instantiate("at the least", self.below(), {k: least_at})
        same = eq(self.best.value, self.best.constant * low)
        return low, d.derive("the same", same, at_cut, at_minimum, self.above(), attained, by="smt")


def prove_subset(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law of drafts, from what a best rule is (no rule accepts more) and what the selection
    with the law nearest to p is (no selection is nearer).
    """
    d.qed(Cuts(Best(d, sign, constant)).least()[1])


def prove_two_step(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law of drafts; no selection accepts more, and the one that follows a best rule as much."""
    d.qed(Best(d, sign, constant).two_step()[1])


def prove_equivalent(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law of drafts."""
    best = Best(d, sign, constant)
    low, same = Cuts(best).least()
    steps, again = best.two_step()
    d.qed(same, d.derive("all three", eq(steps, low), same, again, by="smt"))


def flow_values(p: Array, sets: Any) -> dict[str, Any]:
    """What the symbols of `Best` and `Cuts` are."""
    certificate: Certificate = optimum(p, sets)
    drafts = list(sets)
    all_sets = [frozenset[int](), *sets_of(len(p))]
    cuts = [subset_value(p, sets, token_set) for token_set in all_sets]
    rule = [selected(certificate, {draft_set: sets[draft_set]}, len(p)) for draft_set in drafts]
    law = [sum(row[token] for row in rule) for token in range(len(p))]
    vocab = range(len(p))
    return {
        "p": p,
        "D": [sets[draft_set] for draft_set in drafts],
        "a": [[certificate.flow.get((draft_set, token), 0) for token in vocab] for draft_set in drafts],
        "sel": rule,
        "keep": [min(p[token], law[token]) / law[token] if law[token] else 1 for token in vocab],
        "e": [[int(token in draft_set) for token in vocab] for draft_set in drafts],
        "g": [[int(token in token_set) for token in vocab] for token_set in all_sets],
        "ins": [[int(draft_set <= token_set) for draft_set in drafts] for token_set in all_sets],
        "best": cuts.index(min(cuts)) + 1,
        "low": min(cuts),
        **_nearest.values(p, sets, _nearest.selection(p, sets), all_sets),
        **{"N": len(drafts), "V": len(p)},
        "ranges": {"c": range(1, len(drafts) + 1), "k": range(1, len(all_sets) + 1)},
    }


def prove_all(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws."""
    p = d.weights("p")
    q = d.weights("q")
    alpha = d.number("alpha", 0)
    worst = d.number("worst", 0)
    P = total(g[k, x] * p[x], x)
    pairs = total(g[k, x] * g[k, y] * q[x] * q[y], x, y)
    twice = d.derive("both drafts in H", eq(pairs, sign * total(g[k, x] * q[x], x) ** 2))
    bound = d.domain("the optimum is no more than any cut (see multi.subset)", le(alpha, P + 1 - pairs))
    cut = (P + 1 - pairs).subs(k, least_at)
    attained = d.domain(ONE, eq(alpha, cut))
    over = total(g[k, x] * q[x], x) ** 2 - P
    worst_bound = d.domain("the largest q(H)² − p(H)", ge(worst, over))
    best = d.domain("it is that of some set", eq(worst, over.subs(k, at)))
    bound_there = d.instantiate("there", bound, {k: at})
    two = d.instantiate("there", twice, {k: at})
    worst_at_cut = d.instantiate("at the least cut", worst_bound, {k: least_at})
    three = d.instantiate("at the least cut", twice, {k: least_at})
    lower = d.derive("at least", ge(1 - alpha, constant * worst), bound_there, two, best)
    upper = d.derive("at most", le(1 - alpha, worst), worst_at_cut, three, attained)
    d.qed(d.derive("so equal", eq(1 - alpha, worst), lower, upper, by="smt"))


def _all(p: Array, q: Array) -> dict[str, Any]:
    all_sets = [frozenset[int](), *sets_of(len(p))]
    over = [sum(q[t] for t in token_set) ** 2 - sum(p[t] for t in token_set) for token_set in all_sets]
    best = over.index(max(over)) + 1
    return {
        **{"p": p, "q": q, "g": [[int(token in token_set) for token in range(len(p))] for token_set in all_sets]},
        **{"alpha": optimum(p, claims.drawn(q)).value, "worst": max(over), "at": best, "best": best, "V": len(p)},
        "ranges": {"k": range(1, len(all_sets) + 1)},
    }


def prove_diminishing(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts.

    With equality for p = q.
    """
    s = d.number("s", 0, 1)
    m = d.number("m", 0)
    now, then, after = (d.number(name, 0) for name in ("now", "then", "after"))
    n = sp.Symbol("n", integer=True, nonnegative=True)
    K = sp.Symbol("K", integer=True, nonnegative=True)
    start, on = d.recursion("s^n", eq(u[0], 1), eq(u[n + 1], u[n] * s))
    low = d.suppose("s^n is not negative", ge(u[n], 0))
    low = d.inductive("never negative", ge(u[n], 0), n, [start], [on, low], by="smt")
    low, step_at_K = (d.instantiate("of K", f, {n: K}) for f in (low, on))
    two = d.instantiate("of K + 1", on, {n: K + 1})
    next_ = d.domain("the optimum of K + 1 drafts is that of a set (see multi.subset)", eq(then, m + 1 - u[K + 1]))
    bound = d.domain(MOST, le(now, m + 1 - u[K]), le(after, m + 1 - u[K + 2]))
    two = d.derive("one more", eq(u[K + 2], u[K + 1] * s), two)
    rise = d.smt("not fewer", le(now, sign * then), low, step_at_K, next_, bound[0])
    bend = d.smt("ever less", le(constant * now + after, 2 * then), low, step_at_K, two, next_, *bound)
    d.qed(rise, bend)


def _growing(p: Array, q: Array, k: int) -> dict[str, Any]:
    best_set = optimum(p, claims.drawn(q, k + 1)).chosen
    return {
        **{"s": sum(q[t] for t in best_set), "m": sum(p[t] for t in best_set), "K": k, "V": len(p)},
        **{"now": iid_best(p, q, k), "then": iid_best(p, q, k + 1), "after": iid_best(p, q, k + 2)},
        "ranges": {"n": range(k + 2)},
    }


PROOFS = (
    Proof(claims.SUBSET, prove_subset, drop=_nearest.CLOSEST, bind=flow_values),
    Proof(claims.TWO_STEP, prove_two_step, drop=JUDGED, bind=flow_values),
    Proof(claims.EQUIVALENT, prove_equivalent, drop=BEST, bind=flow_values),
    Proof(claims.ACCEPT_ALL, prove_all, drop=ONE, bind=_all),
    Proof(claims.DIMINISHING, prove_diminishing, drop=MOST, bind=_growing),
)
