"""coupling.invariant: what is emitted after a text is the target's winner there, whatever was drafted."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, eq, index, total
from simspec.claims.coupling.invariant import INVARIANT, VOCAB, emitted
from simspec.claims.texts import markov
from simspec.methods.coupling import race

WINNER = "a text grows by the target's winner of the noise at its end"
BEGIN = "both begin with nothing"
n, place = sp.symbols("n place", integer=True, nonnegative=True)
s, u = index("s"), index("u")
S = sp.Symbol("S", integer=True, positive=True)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every target, noise, pair of drafters, number of drafts a call and length of text."""
    one, other = (d.weights(name, n, s) for name in ("one", "other"))
    grows, last = d.weights("grows", s, u), d.weights("last", s)
    begin = d.domain(BEGIN, eq(one[0, s], sign * other[0, s]))
    first, second = d.domain(
        WINNER,
        eq(one[n + 1, u], total(one[n, s] * grows[s, u], s, upto=S)),
        eq(other[n + 1, u], constant * total(other[n, s] * grows[s, u], s, upto=S)),
    )
    same = d.suppose("the same text so far", eq(one[n, s], other[n, s]))
    each = d.derive("which grows in one way", eq(one[n, s] * grows[s, u], other[n, s] * grows[s, u]), same)
    each = d.sum("over the texts", each, s, upto=S)
    then = d.derive("so they are the same then", eq(one[n + 1, u], other[n + 1, u]), first, second, each)
    then = d.instantiate("of any text", then, {u: s})
    found = d.induction("at every length", eq(one[n, s], other[n, s]), n, begin, then)
    found = d.instantiate("here", found, {n: place})
    each = d.derive("so is the last token", eq(last[s] * one[place, s], last[s] * other[place, s]), found)
    d.qed(d.sum("over the texts", each, s, upto=S))


def _values(p: Any, q: Any, other: Any, noise: Any, gamma: int, length: int) -> dict[str, Any]:
    """Texts of up to `length` tokens, the empty one first."""
    texts: list[tuple[int, ...]] = [()]
    for text in texts:
        texts += [(*text, token) for token in range(VOCAB)] if len(text) < length else []
    target = markov(p)

    def run(drafter: Any) -> Any:
        found = tuple(emitted(target, markov(drafter), noise, gamma, length))
        return lambda done, at: int(texts[at - 1] == found[:done])

    def grows(at: int, then: int) -> int:
        text = texts[at - 1]
        if len(text) == length:
            return 0
        return int(texts[then - 1] == (*text, int(race(noise[len(text)], target(text)))))

    last = np.array([text[-1] if text else 0 for text in texts], dtype=object)
    numbers = range(1, len(texts) + 1)
    ranges = {"n": range(length), "s": numbers, "u": numbers, "place": range(1, length + 1)}
    return {"one": run(q), "other": run(other), "grows": grows, "last": last, "S": len(texts), "ranges": ranges}


PROOF = Proof(INVARIANT, prove, drop=WINNER, bind=_values)
