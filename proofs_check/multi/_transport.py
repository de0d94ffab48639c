"""multi.subset and others: a flow from sets of drafts to their tokens, and the cut at what more flow could still reach."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, index, le, total, x, y
from simspec.claims.multi import transport as claims
from simspec.claims.multi.parts import iid_best, sets_of
from simspec.methods.multi.optimum import Certificate, optimum, selected, subset_value

c, k, at, least_at = index("c"), index("k"), index("at"), index("best")
N = sp.Symbol("N", integer=True, positive=True)
a, sel, e, g, ins, D, u = (sp.IndexedBase(name, real=True) for name in ("a", "sel", "e", "g", "ins", "D", "u"))
SATURATED = "the flow leaves no way for more"


class Flow:
    """A largest flow a[c, x] from sets c to tokens x, all sets H numbered by k, and that its value is a cut's."""

    def __init__(self, d: Derivation, sign: int, constant: int) -> None:
        self.d, self.p = d, d.weights("p")
        p, sets = self.p, {"upto": N}
        self.value = total(total(a[c, x], x), c, upto=N)
        self.low = d.domain("a flow is not negative", ge(a[c, x], 0))
        self.law = d.domain("drafts have a law", eq(total(D[c], c, **sets), 1))
        self.member, self.inside, bits, self.bits2 = d.domain(
            "sets and their tokens",
            eq(a[c, x] * (1 - e[c, x]), 0),
            eq(ins[k, c] * e[c, x] * (1 - g[k, x]), 0),
            eq(g[k, x] * (1 - g[k, x]), 0),
            eq(ins[k, c] * (1 - ins[k, c]), 0),
        )
        self.bits = bits
        self.of_c, self.of_x = d.domain(
            "no more flows than there is", le(total(a[c, x], x), D[c]), le(total(a[c, x], c, **sets), p[x])
        )
        no_room, spent, apart = d.domain(
            SATURATED,
            eq(g[at, x] * (p[x] - total(a[c, x], c, **sets)), 0),
            eq((1 - ins[at, c]) * (D[c] - total(a[c, x], x)), 0),
            eq((1 - ins[at, c]) * g[at, x] * a[c, x], 0),
        )
        self.within = d.smt(
            "drafts that all lie in H", eq(ins[k, c] * (1 - g[k, x]) * a[c, x], 0), self.member, self.inside, bits
        )
        here = d.instantiate("at the cut", self.within, {k: at})
        split = d.derive(
            "reached or not",
            eq(a[c, x], g[at, x] * a[c, x] + (1 - ins[at, c]) * a[c, x] * sign),
            *(here, apart),
        )
        split = d.sum("over tokens and sets", split, x)
        split = d.sum("over tokens and sets", split, c, upto=N)
        spent = d.sum("sets that are not reached", spent, c, upto=N)
        no_room = d.sum("tokens that are", no_room, x)
        self.tight = d.derive(
            "the flow is a cut", eq(self.value, constant * self.cut(at)), split, spent, no_room, self.law
        )

    def cut(self, of: Any) -> Any:
        """p(H) + 1 − D(all drafts in H)."""
        return total(g[of, x] * self.p[x], x) + 1 - total(ins[of, c] * D[c], c, upto=N)

    def outside(self, flow: Any, low: Fact, within: Fact, most: Fact) -> Fact:
        """What flows outside H comes from drafts that do not all lie in it."""
        d = self.d
        part = d.smt(
            "of each set and token",
            le((1 - g[k, x]) * flow, (1 - ins[k, c]) * flow),
            *(low, within, self.bits, self.bits2),
        )
        part = d.sum("over tokens", part, x)
        rest = d.smt("sets", le((1 - ins[k, c]) * total(flow, x), (1 - ins[k, c]) * D[c]), most, self.bits2)
        part = d.derive("of each set", le(total((1 - g[k, x]) * flow, x), (1 - ins[k, c]) * D[c]), part, rest)
        return d.sum("over sets", part, c, upto=N)

    def below(self) -> Fact:
        """No flow is above any cut."""
        d = self.d
        out = self.outside(a[c, x], self.low, self.within, self.of_c)
        inner = d.smt("in H", le(g[k, x] * total(a[c, x], c, upto=N), g[k, x] * self.p[x]), self.of_x, self.bits)
        inner = d.sum("over tokens of H", inner, x)
        return d.derive("at most a cut", le(self.value, self.cut(k)), out, inner, self.law)

    def least(self) -> tuple[Any, Fact]:
        """The least cut, and that the flow has its value."""
        d = self.d
        low = d.number("low", 0)
        bound = d.domain("the least over sets is no more than any", le(low, self.cut(k)))
        attained = d.domain("it is that of one of them", eq(low, self.cut(least_at)))
        one = d.instantiate("at the cut", bound, {k: at})
        other = d.instantiate("at the least", self.below(), {k: least_at})
        return low, d.derive("the same", eq(self.value, low), one, other, self.tight, attained, by="smt")

    def two_step(self) -> tuple[Any, Fact]:
        """Σ min(p, s) for the selection s made from the flow, and that it is the flow's value."""
        d, p = self.d, self.p
        more, whole, member = d.domain(
            "one draft is selected, as the flow goes",
            ge(sel[c, x], a[c, x]),
            eq(total(sel[c, x], x), D[c]),
            eq(sel[c, x] * (1 - e[c, x]), 0),
        )
        s = total(sel[c, x], c, upto=N)
        more_x = d.sum("over sets", more, c, upto=N)
        least = d.smt("of each token", ge(sp.Min(p[x], s), total(a[c, x], c, upto=N)), more_x, self.of_x)
        above = d.sum("over tokens", least, x)
        low = d.derive("a selection is a mass", ge(sel[c, x], 0), more, self.low)
        within = d.smt("selected in H", eq(ins[k, c] * (1 - g[k, x]) * sel[c, x], 0), member, self.inside, self.bits)
        all_of = d.derive("all of it", le(total(sel[c, x], x), D[c]), whole)
        out = d.instantiate("at the cut", self.outside(sel[c, x], low, within, all_of), {k: at})
        bits = d.instantiate("at the cut", self.bits, {k: at})
        most = d.smt("in H or outside", le(sp.Min(p[x], s), g[at, x] * p[x] + (1 - g[at, x]) * s), bits)
        below = d.sum("over tokens", most, x)
        steps = total(sp.Min(p[x], s), x)
        upper = d.derive("at most the cut", le(steps, self.value), below, out, self.tight, self.law)
        lower = d.derive("at least the flow", ge(steps, self.value), above)
        return steps, d.derive("the same", eq(self.value, steps), upper, lower, by="smt")


def prove_subset(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law of drafts, from a certificate: a flow, and a set H that leaves no way for more; no flow
    is above any cut.  That there is a certificate is the max-flow min-cut theorem; it is found for each instance: a proof
    in part.
    """
    d.qed(Flow(d, sign, constant).least()[1])


def prove_two_step(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law of drafts; no selection accepts more, and the one that follows the flow as much. That
    a largest flow leaves no way for more is given: a proof in part.
    """
    d.qed(Flow(d, sign, constant).two_step()[1])


def prove_equivalent(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law of drafts, but from a largest flow that leaves no way for more, which is given: a
    proof in part.
    """
    flow = Flow(d, sign, constant)
    low, same = flow.least()
    steps, again = flow.two_step()
    d.qed(same, d.derive("all three", eq(steps, low), same, again, by="smt"))


def flow_values(p: Any, sets: Any) -> dict[str, Any]:
    found: Certificate = optimum(p, sets)
    drafts, every = list(sets), [frozenset[int](), *sets_of(len(p))]
    cuts = [subset_value(p, sets, chosen) for chosen in every]
    rule = [selected(found, {one: sets[one]}, len(p)) for one in drafts]
    vocab = range(len(p))
    return {
        "p": p,
        "D": [sets[one] for one in drafts],
        "a": [[found.flow.get((one, token), 0) for token in vocab] for one in drafts],
        "sel": rule,
        "e": [[int(token in one) for token in vocab] for one in drafts],
        "g": [[int(token in chosen) for token in vocab] for chosen in every],
        "ins": [[int(one <= chosen) for one in drafts] for chosen in every],
        "at": every.index(found.chosen) + 1,
        "best": cuts.index(min(cuts)) + 1,
        "low": min(cuts),
        **{"N": len(drafts), "V": len(p)},
        "ranges": {"c": range(1, len(drafts) + 1), "k": range(1, len(every) + 1)},
    }


def prove_all(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws."""
    p, q = d.weights("p"), d.weights("q")
    alpha, worst = d.number("alpha", 0), d.number("worst", 0)
    P, pairs = total(g[k, x] * p[x], x), total(g[k, x] * g[k, y] * q[x] * q[y], x, y)
    twice = d.derive("both drafts in H", eq(pairs, sign * total(g[k, x] * q[x], x) ** 2))
    bound = d.domain("the optimum is no more than any cut", le(alpha, P + 1 - pairs))
    cut = (P + 1 - pairs).subs(k, least_at)
    attained = d.domain("it is one of them", eq(alpha, cut))
    over = total(g[k, x] * q[x], x) ** 2 - P
    most = d.domain("the largest q(H)² − p(H)", ge(worst, over))
    best = d.domain("it is that of some set", eq(worst, over.subs(k, at)))
    one = d.instantiate("there", bound, {k: at})
    two = d.instantiate("there", twice, {k: at})
    other = d.instantiate("at the least cut", most, {k: least_at})
    three = d.instantiate("at the least cut", twice, {k: least_at})
    lower = d.derive("at least", ge(1 - alpha, constant * worst), one, two, best)
    upper = d.derive("at most", le(1 - alpha, worst), other, three, attained)
    d.qed(d.derive("so equal", eq(1 - alpha, worst), lower, upper, by="smt"))


def _all(p: Any, q: Any) -> dict[str, Any]:
    every = [frozenset[int](), *sets_of(len(p))]
    over = [sum(q[t] for t in chosen) ** 2 - sum(p[t] for t in chosen) for chosen in every]
    best = over.index(max(over)) + 1
    return {
        **{"p": p, "q": q, "g": [[int(token in chosen) for token in range(len(p))] for chosen in every]},
        **{"alpha": optimum(p, claims.drawn(q)).value, "worst": max(over), "at": best, "best": best, "V": len(p)},
        "ranges": {"k": range(1, len(every) + 1)},
    }


def prove_diminishing(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts.

    With equality for p = q.
    """
    s, m = d.number("s", 0, 1), d.number("m", 0)
    now, then, after = (d.number(name, 0) for name in ("now", "then", "after"))
    n = sp.Symbol("n", integer=True, nonnegative=True)
    K = sp.Symbol("K", integer=True, nonnegative=True)
    start, on = d.recursion("s^n", eq(u[0], 1), eq(u[n + 1], u[n] * s))
    low = d.suppose("s^n is not negative", ge(u[n], 0))
    low = d.inductive("never negative", ge(u[n], 0), n, [start], [on, low], by="smt")
    low, one = (d.instantiate("of K", f, {n: K}) for f in (low, on))
    two = d.instantiate("of K + 1", on, {n: K + 1})
    next_ = d.domain("the optimum of K + 1 drafts is that of a set", eq(then, m + 1 - u[K + 1]))
    bound = d.domain("those of K and K + 2 are no more there", le(now, m + 1 - u[K]), le(after, m + 1 - u[K + 2]))
    two = d.derive("one more", eq(u[K + 2], u[K + 1] * s), two)
    rise = d.smt("not fewer", le(now, sign * then), low, one, next_, bound[0])
    bend = d.smt("ever less", le(constant * now + after, 2 * then), low, one, two, next_, *bound)
    d.qed(rise, bend)


def _growing(p: Any, q: Any, k: int) -> dict[str, Any]:
    chosen = optimum(p, claims.drawn(q, k + 1)).chosen
    return {
        **{"s": sum(q[t] for t in chosen), "m": sum(p[t] for t in chosen), "K": k, "V": len(p)},
        **{"now": iid_best(p, q, k), "then": iid_best(p, q, k + 1), "after": iid_best(p, q, k + 2)},
        "ranges": {"n": range(k + 2)},
    }


PROOFS = (
    Proof(claims.SUBSET, prove_subset, drop=SATURATED, bind=flow_values, whole=False),
    Proof(claims.TWO_STEP, prove_two_step, drop=SATURATED, bind=flow_values, whole=False),
    Proof(claims.EQUIVALENT, prove_equivalent, drop=SATURATED, bind=flow_values, whole=False),
    Proof(claims.ACCEPT_ALL, prove_all, drop="it is one of them", bind=_all),
    Proof(claims.DIMINISHING, prove_diminishing, drop="those of K and K + 2 are no more there", bind=_growing),
)
