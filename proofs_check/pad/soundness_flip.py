"""pad.soundness-flip: a flag only takes away the override, draft by draft and coin by coin."""

from __future__ import annotations

from proofs_check.language import Derivation, Proof, ge, le, x
from proofs_check.pad.two_descriptions import classifier_first, classifier_last, coins
from simspec.claims.pad.soundness_flip import SOUNDNESS_FLIP


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, flags and flips, at one context.

    Equality wherever nothing that is drafted was flipped; a flip of all tokens loses all overrides.
    """
    q = d.weights("q")
    a = d.weights("a")
    f = d.weights("f")
    h = d.weights("h")
    chance = d.domain("a coin passes with some probability", le(a[x], 1))
    flag = d.domain("a token is flagged or not", le(f[x], 1))
    after = f[x] + sign * h[x] * (1 - f[x])
    steps = []
    for passes, mass in ((1, q[x] * a[x]), (0, q[x] * (1 - a[x]))):
        there = d.smt("a cell of the coin has some mass", ge(mass, 0), chance)
        before = classifier_first(f[x], passes)
        flipped = classifier_last(after, passes)
        fewer = d.smt("accepted only if it was before", le(flipped, before), flag)
        steps.append(d.smt("times its mass", le(constant * flipped * mass, before * mass), fewer, there))
    d.qed(*steps)


PROOF = Proof(
    SOUNDNESS_FLIP,
    prove,
    drop="a token is flagged or not",
    bind=lambda p, q, flags, flips: {
        **{"q": q, "V": len(p), "a": coins(p, q)},
        **{"f": [int(v) for v in flags], "h": [int(v) for v in flips]},
    },
)
