"""process.stop-string: a text ends with the draft, or with what is drawn after the rejection of another draft."""

from __future__ import annotations

import sympy as sp

from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, le, total, x, y
from proofs_check.process._step import NORMED, emitted, residual
from simspec.claims.process.stop_string import STOP_STRING, STOP_STRING_CORRECTED


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every token in the place of the stop string.

    A draft of the stop token ends the text; of the other drafts the rejected ones lead to it as often as to any token.
    """
    step = emitted(d, constant=constant)
    p = step.p
    q = step.q
    r = step.r
    accepted = step.accepted
    mass = d.domain("the draft has mass one", eq(total(q[x], x), 1))
    refused = q[x] - accepted
    lost = d.term("it is part of all", d.derive("no less is accepted", ge(q[y] - accepted.subs(x, y), 0)), y, x)
    lost = d.derive("what is refused of the stop token", le(refused, 1 - total(accepted, x)), lost, mass)
    never_redrawn = d.derive(
        "refused, and never drawn again", eq(refused * (1 - total(accepted, x)) * r[x], 0), step.redrawn, by="smt"
    )
    none = d.derive("no refused stop token is drawn again", eq(refused * r[x], 0), never_redrawn, lost, by="smt")
    ends = q[x] + (1 - total(accepted, x) - refused) * r[x]
    d.qed(
        d.derive("with the draft, or after another", eq(ends, sp.Max(p[x], sign * q[x])), none, step.redrawn, by="smt")
    )


PROOFS = (
    Refutation(
        STOP_STRING,
        by_size,
        scope="the first pair by vocabulary and denominator",
        repaired={
            "the draft is the target": lambda: (i for i in by_size() if (i["p"] == i["q"]).all()),
            "the larger of both probabilities": STOP_STRING_CORRECTED,
        },
    ),
    Proof(STOP_STRING_CORRECTED, prove, drop=NORMED, bind=residual),
)
