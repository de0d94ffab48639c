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
s = index("s")
u = index("u")
S = sp.Symbol("S", integer=True, positive=True)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every target, noise, pair of drafters, number of drafts a call and length of text."""
    first_text, second_text = (d.weights(name, n, s) for name in ("one", "other"))
    grows = d.weights("grows", s, u)
    last = d.weights("last", s)
    begin = d.domain(BEGIN, eq(first_text[0, s], sign * second_text[0, s]))
    first, second = d.domain(
        WINNER,
        eq(first_text[n + 1, u], total(first_text[n, s] * grows[s, u], s, upto=S)),
        eq(second_text[n + 1, u], constant * total(second_text[n, s] * grows[s, u], s, upto=S)),
    )
    same = d.suppose("the same text so far", eq(first_text[n, s], second_text[n, s]))
    per_text = d.derive(
        "which grows in one way", eq(first_text[n, s] * grows[s, u], second_text[n, s] * grows[s, u]), same
    )
    per_text = d.sum("over the texts", per_text, s, upto=S)
    then = d.derive(
        "so they are the same then", eq(first_text[n + 1, u], second_text[n + 1, u]), first, second, per_text
    )
    then = d.instantiate("of any text", then, {u: s})
    same_text = d.induction("at every length", eq(first_text[n, s], second_text[n, s]), n, begin, then)
    same_text = d.instantiate("here", same_text, {n: place})
    per_text = d.derive(
        "so is the last token", eq(last[s] * first_text[place, s], last[s] * second_text[place, s]), same_text
    )
    d.qed(d.sum("over the texts", per_text, s, upto=S))


def _values(p: Any, q: Any, other: Any, noise: Any, gamma: int, length: int) -> dict[str, Any]:
    """Texts of up to `length` tokens, the empty one first."""
    texts: list[tuple[int, ...]] = [()]
    for text in texts:
        texts += [(*text, token) for token in range(VOCAB)] if len(text) < length else []
    target = markov(p)

    def run(drafter: Any) -> Any:
        emitted_tokens = tuple(emitted(target, markov(drafter), noise, gamma, length))
        return lambda count, at: int(texts[at - 1] == emitted_tokens[:count])

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
