"""rdk.static-mixture: fixed masses that fill every token to one level, worth as much on the shared tokens, are the best."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, index, le, total, x
from simspec.claims.rdk.static_mixture import BALANCE, LEVEL, STATIC_MIXTURE
from simspec.laws import restrict


def prove(d: Derivation, sign: int = 1, share: Any = 1) -> None:
    """Any number of contexts and tokens, all laws.

    No constant is left: masses that meet the two conditions are the best there are, and others may be as good.
    """
    n, N = index("n"), sp.Symbol("N", integer=True, positive=True)
    p, q = d.weights("p", n, x), d.weights("q", n, x)
    m, a, b = (d.weights(name) for name in ("m", "a", "b"))
    level = sp.Symbol("lambda", real=True)
    wants_more, wants_all, below, upto = (sp.IndexedBase(s, real=True) for s in ("more", "all", "below", "upto"))
    flag = d.domain("m is 1 on shared tokens and 0 elsewhere", eq(m[x] * (1 - m[x]), 0))
    apart = d.domain("the masses are put outside the shared vocabulary", eq(a[x] * m[x], 0), eq(b[x] * m[x], 0))
    supported = d.domain("TLI drafts shared tokens", eq(q[n, x] * (1 - m[x]), 0))
    w, u = sp.Symbol("w", real=True), sp.Symbol("u", real=True)
    mass_a, mass_b = (
        d.define("mass put outside", w, total(a[x], x)),
        d.define("mass of the other masses", u, total(b[x], x)),
    )
    left = (1 - w) * q[n, x]
    indicators = d.domain(
        "more, all, below, upto are the indicators of p > a, p ≥ a, (1 − w) q < p, (1 − w) q ≤ p",
        *(ge(wants_more[n, x], 0), eq(sp.Max(p[n, x] - a[x], 0) * (1 - wants_more[n, x]), 0)),
        *(le(wants_all[n, x], 1), eq(sp.Max(a[x] - p[n, x], 0) * wants_all[n, x], 0)),
        *(ge(below[n, x], 0), eq(sp.Max(p[n, x] - left, 0) * (1 - below[n, x]), 0)),
        *(le(upto[n, x], 1), eq(sp.Max(left - p[n, x], 0) * upto[n, x], 0)),
    )
    up, down = sp.Max(b[x] - a[x], 0), sp.Max(a[x] - b[x], 0)
    outside = d.derive(
        "a concave function is below its tangent: a token outside",
        le(sp.Min(p[n, x], b[x]), sp.Min(p[n, x], a[x]) + wants_more[n, x] * up - sign * wants_all[n, x] * down),
        *indicators[:4],
    )
    grown, shrunk = sp.Max(u - w, 0), sp.Max(w - u, 0)
    inside = d.derive(
        "and a shared token, of which less is drafted the more is put outside",
        le(
            sp.Min(p[n, x], (1 - u) * q[n, x]),
            sp.Min(p[n, x], left) - upto[n, x] * q[n, x] * grown + below[n, x] * q[n, x] * shrunk,
        ),
        *indicators[4:],
    )
    first = (1 - m[x]) * (wants_more[n, x] * up - wants_all[n, x] * down)
    second = -upto[n, x] * q[n, x] * grown + below[n, x] * q[n, x] * shrunk
    accepted_b, accepted_a = sp.Min(p[n, x], (1 - u) * q[n, x] + b[x]), sp.Min(p[n, x], left + a[x])
    facts = (flag, *apart, supported, outside, inside)
    tangent = d.derive("every token is one or the other", le(accepted_b, accepted_a + first + second), *facts)
    tangent = d.sum("over the vocabulary and the contexts", d.sum("over the vocabulary", tangent, x), n, upto=N)
    more, every = total(wants_more[n, x], n, upto=N), total(wants_all[n, x], n, upto=N)
    not_above, not_below = d.assume(LEVEL, le((1 - m[x]) * (more - level * N), 0), le(a[x] * (level * N - every), 0))
    filled = d.summed(
        "each token outside is filled to the level",
        le((1 - m[x]) * (more * up - every * down), level * N * (1 - m[x]) * (b[x] - a[x])),
        *(flag, apart[0], not_above, not_below),
    )
    none = d.summed("no mass is put on shared tokens", eq((b[x] - a[x]) * m[x], 0), *apart)
    taken, given = total(upto[n, x] * q[n, x], n, upto=N), total(below[n, x] * q[n, x], n, upto=N)
    taken, given = total(taken, x), total(given, x)
    worth, used = d.assume(BALANCE, le(level * N, taken), le(w * (given - level * N), 0))
    not_negative = d.derive("masses", ge(a[x], 0)), d.derive("masses", ge(b[x], 0))
    weights = [
        d.derive("so is their sum", ge(total(s[x], x), 0), d.sum("over the vocabulary", f, x))
        for s, f in zip((a, b), not_negative, strict=True)
    ]
    shared = d.derive(
        "the shared tokens are worth the level",
        le(-taken * grown + given * shrunk, -level * N * (u - w)),
        *(worth, used, mass_a, mass_b, *weights),
    )
    both = [total(total(e, x), n, upto=N) for e in (accepted_b, accepted_a)]
    summed = d.derive(
        "so nothing is gained", le(both[0], share * both[1]), tangent, filled, none, shared, mass_a, mass_b
    )
    d.qed(d.derive("on average over the contexts", le(both[0] / N, share * both[1] / N), summed))


def _values(p: Any, q: Any, shared: Any, extra: Any, level: Any, other: Any) -> dict[str, Any]:
    d = restrict(q, shared)
    left = (1 - extra.sum()) * d
    return {
        **{"p": p, "q": d, "m": shared.astype(int).tolist(), "a": extra, "b": other, "lambda": level, "N": len(p)},
        **{"more": (p > extra).astype(int).tolist(), "all": (p >= extra).astype(int).tolist()},
        **{"below": (left < p).astype(int).tolist(), "upto": (left <= p).astype(int).tolist()},
        **{"V": p.shape[-1], "ranges": {"n": range(1, len(p) + 1)}},
    }


PROOF = Proof(STATIC_MIXTURE, prove, drop=LEVEL, change={"share": sp.Rational(1, 2)}, bind=_values)
