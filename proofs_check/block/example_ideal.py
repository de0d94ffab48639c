"""block.example-ideal: a verifier and prices of the rows that agree on 11/9; the overlaps of the joint laws, 12/9."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

from proofs_check.language import Derivation, Proof, Refutation
from simspec.claims.block.example_ideal import ANY, CERTIFICATE, ONE_TOKEN, ONE_TOKEN_CORRECTED
from simspec.claims.block.parts import EXAMPLE
from simspec.claims.claim import Instance
from simspec.claims.texts import markov
from simspec.methods.block.optimum import program


def best(d: Derivation, sign: int = 1, gain: int = 1, without: int = -1) -> None:
    """Every joint law of the drafts, τ and the last token: a lossless one that is reached, and prices that none exceeds."""
    of = program(markov(EXAMPLE["p"]), markov(EXAMPLE["q"]), EXAMPLE["gamma"])
    used = {j: amount for j, amount in CERTIFICATE.primal.items() if j != without}
    d.exhaust("no mass is negative", lambda j: used[j] >= 0, list(used))
    d.exhaust(
        "the drafts, and the target's law of each text, are met",
        lambda i: sum(of.columns[j].get(i, F(0)) * amount for j, amount in used.items()) == of.wanted[i],
        range(len(of.wanted)),
    )
    d.exhaust(
        "no way to keep τ drafts is priced below τ",
        lambda j: (
            sum(sign * coefficient * CERTIFICATE.dual[i] for i, coefficient in of.columns[j].items())
            >= gain * of.gain[j]
        ),
        range(len(of.names)),
    )

    def agree(instance: Instance) -> bool:
        reached = sum(of.gain[j] * amount for j, amount in used.items())
        priced = sum(price * coefficient for price, coefficient in zip(CERTIFICATE.dual, of.wanted, strict=True))
        lhs, right = ONE_TOKEN_CORRECTED.sides(instance)
        return bool(lhs == right == reached == priced == F(11, 9))

    d.exhaust("both make 11/9", agree, [EXAMPLE], r"E[\tau] = \tfrac{11}9")


def ideal(d: Derivation, sign: int = 1, expected: F = F(12, 9), drafts: int = 2) -> None:
    """The one pair of laws, from E[τ] = Σ over prefixes of min(P, Q); what is emitted is enumerated."""

    def agree(instance: Instance) -> bool:
        p = instance["p"][0]
        q = instance["q"][0]
        accepted = F(0)
        for length in range(1, drafts + 1):
            for x in product(range(2), repeat=length):
                P = F(1)
                Q = F(1)
                for y in x:
                    P = P * p[y]
                    Q = Q * q[y]
                accepted += sign * min(P, Q)
        lhs, right = ANY.sides(instance)
        return bool(lhs.tolist() == right.tolist() == [accepted, 0] and accepted == expected)

    d.exhaust("12/9, with the target's law of three tokens", agree, [EXAMPLE], r"E[\tau] = \tfrac{12}9")


PROOFS = (
    Refutation(
        ONE_TOKEN,
        lambda: (EXAMPLE,),
        scope="the laws that are named, the only instance",
        repaired={"11/9": ONE_TOKEN_CORRECTED},
    ),
    Proof(ONE_TOKEN_CORRECTED, best, drop={"without": 1}, change={"gain": 2}, bind=None),
    Proof(ANY, ideal, drop={"drafts": 1}, change={"expected": F(13, 9)}, bind=None),
)
