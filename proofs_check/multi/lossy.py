"""multi.lossy-optimum and multi.lossy-attained: the set that bounds lossless rules bounds others too, but for their distance."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._relaxed_step import distance
from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from proofs_check.multi._nearest import D, N, c, e
from proofs_check.multi._transport import BEST, Best, Cuts, a, flow_values, sel
from simspec.claims.multi import lossy as claims
from simspec.claims.multi.parts import sets_of
from simspec.methods.multi.optimum import subset_value

ins = sp.IndexedBase("ins", real=True)
CUT = "the optimum is the value of a set of tokens (see multi.subset)"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law of drafts, every rule that accepts only drafts.

    Attained at every total variation up to 1 − α*, claim `multi.lossy-attained`.
    """
    sets = {"upto": N}
    (p, mass) = d.law("p")
    (r, mass_r) = d.law("r")
    g = d.weights("g")
    o = d.weights("o")
    alpha = d.number("alpha", 0)
    value = total(total(a[c, x], x), c, **sets)
    at_x = total(a[c, x], c, **sets)
    low = d.domain("a flow is not negative", ge(a[c, x], 0))
    law = d.domain("drafts have a law", eq(total(D[c], c, **sets), 1))
    member, inside, bits, bits2 = d.domain(
        "sets and their tokens",
        eq(a[c, x] * (1 - e[c, x]), 0),
        eq(ins[c] * e[c, x] * (1 - g[x]), 0),
        eq(g[x] * (1 - g[x]), 0),
        eq(ins[c] * (1 - ins[c]), 0),
    )
    of_c = d.domain("of a set no more than its mass is accepted", le(total(a[c, x], x), D[c]))
    cut = d.domain(CUT, eq(alpha, total(g[x] * p[x], x) + 1 - total(ins[c] * D[c], c, **sets)))
    emitted = d.domain("an accepted draft is emitted, else a token from r", eq(o[x], at_x + (1 - value) * r[x]))
    output_mass = d.sum("the emitted law, over the vocabulary", emitted, x)
    output_mass = d.derive("it is a law", eq(total(o[x], x), 1), output_mass, mass_r)
    within = d.smt("drafts that all lie in H", eq(ins[c] * (1 - g[x]) * a[c, x], 0), member, inside, bits)
    out = d.smt("accepted outside H", le((1 - g[x]) * a[c, x], (1 - ins[c]) * a[c, x]), low, within, bits, bits2)
    out = d.sum("over tokens", out, x)
    rest = d.smt("sets", le((1 - ins[c]) * total(a[c, x], x), (1 - ins[c]) * D[c]), of_c, bits2)
    out = d.derive("of each set", le(total((1 - g[x]) * a[c, x], x), (1 - ins[c]) * D[c]), out, rest)
    out = d.sum("over sets", out, c, **sets)
    accepted_at_most_one = d.sum("over sets", of_c, c, **sets)
    accepted_at_most_one = d.derive("no more than all", ge(1 - value, 0), accepted_at_most_one, law)
    emits_accepted = d.smt("what is accepted is emitted", ge(o[x], at_x), emitted, accepted_at_most_one)
    over = sp.Max(o[x] - p[x], 0)
    here = d.smt("accepted in H", le(g[x] * at_x, g[x] * p[x] + sign * over), emits_accepted, bits)
    here = d.sum("over tokens of H", here, x)
    above = d.summed("a token is above p or below it", eq(sp.Abs(o[x] - p[x]), 2 * over + p[x] - o[x]))
    apart = d.derive("as far above as below", eq(distance(o, p), total(over, x)), above, output_mass, mass)
    d.qed(d.derive("in all", le(constant * value, alpha + distance(o, p)), here, out, cut, law, apart))


def values(p: Any, sets: Any, a: Any, r: Any) -> dict[str, Any]:
    """The rule, and the set of tokens of least value."""
    drafts = list(sets)
    all_sets = [frozenset[int](), *sets_of(len(p))]
    best_set = min(all_sets, key=lambda token_set: subset_value(p, sets, token_set))
    return {
        **{"p": p, "r": r, "o": claims.emitted(a, r), "a": a, "D": [sets[draft_set] for draft_set in drafts]},
        "e": [[int(token in draft_set) for token in range(len(p))] for draft_set in drafts],
        "g": [int(token in best_set) for token in range(len(p))],
        "ins": [int(draft_set <= best_set) for draft_set in drafts],
        "alpha": subset_value(p, sets, best_set),
        **{"N": len(drafts), "V": len(p)},
        "ranges": {"c": range(1, len(drafts) + 1)},
    }


def prove_attained(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law of drafts, every coin."""
    best = Best(d, sign, constant)
    cuts = Cuts(best)
    low, same = cuts.least()
    steps, again = best.two_step()
    p = best.p
    w = d.number("w", 0, 1)
    mass = d.domain("p is a law", eq(total(p[x], x), 1))
    s = total(sel[c, x], c, upto=N)
    selected_mass = d.domain("all of a set is selected", eq(total(sel[c, x], x), D[c]))
    selected_mass = d.sum("over sets", selected_mass, c, upto=N)
    selected_mass = d.derive("what is selected is a law", eq(total(s, x), 1), selected_mass, cuts.law)
    weight = d.smt("a coin", ge(w, 0))
    per_token = d.smt(
        "a share of the distance",
        eq(sp.Abs((1 - w) * p[x] + w * s - p[x]), w * (p[x] + s - 2 * sp.Min(p[x], s))),
        weight,
    )
    per_token = d.sum("over the vocabulary", per_token, x)
    far = total(sp.Abs((1 - w) * p[x] + w * s - p[x]), x) / 2
    far_ = d.derive("what is not shared", eq(far, w * (1 - steps)), per_token, selected_mass, mass)
    d.qed(d.derive("so", eq(far, w * (1 - low)), far_, same, again))


PROOFS = (
    Proof(claims.LOSSY_OPTIMUM, prove, drop=CUT, bind=values),
    Proof(
        claims.LOSSY_ATTAINED,
        prove_attained,
        drop=BEST,
        bind=lambda p, sets, w: {**flow_values(p, sets), "w": w},
    ),
)
