"""sd.lossless: in every state of a block the emitted token has the target's law, so by induction every text has it."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, eq, x
from proofs_check.sd._block_texts import along, n, s, text, texts, verification
from simspec.claims.sd.lossless import LOSSLESS
from simspec.laws import Array

UNSEEN = "the rule does not look at the draft it just made"


def prove(d: Derivation, sign: int = 1, share: sp.Expr | int = 1) -> None:
    """Every target, drafter and rule that stops blocks (the same laws and rules after the same text, otherwise any),
    every vocabulary size, γ and length of text; one step is the text of one token.
    """
    q, mass = d.law("q", text, n)
    drop, stop = (sp.IndexedBase(name, real=True) for name in ("drop", "stop"))
    unseen = d.assume(UNSEEN, eq(drop[text, n, s, x], stop[text, n, s]))
    texts(
        d,
        verification(
            d,
            q=q,
            mass_q=mass,
            drafted_mass=q[text, n, x],
            drop=drop[text, n, s, x],
            using=[unseen],
            sign=sign,
            share=share,
        ),
    )


def _values(p: Array, q: Array, gamma: int, length: int, halts: Array) -> dict[str, Any]:
    """State s has s − 1 drafts; the rule stops by the last two drafts of the block, and after γ of them."""

    def law(table: Array, before: tuple[int, ...]) -> Any:
        padded = (-1, -1, *before)
        return table[padded[-2] + 1, padded[-1] + 1]

    all_texts = list(np.ndindex(*[2] * length))

    def stop(at: int, prefix_length: int, state: int) -> int:
        drafts = (
            (-1, -1, *all_texts[at - 1][:prefix_length])[2 + prefix_length - (state - 1) :]
            if state - 1 <= prefix_length
            else ()
        )
        last = (-1, -1, *drafts)[-2:]
        return int(state > gamma or (bool(drafts) and bool(halts[last[0] + 1, last[1] + 1])))

    return along(all_texts, gamma, p=lambda before: law(p, before), q=lambda before: law(q, before), stop=stop) | {
        "drop": lambda at, prefix_length, state, token: stop(at, prefix_length, state)
    }


PROOF = Proof(LOSSLESS, prove, drop="q sums to one", change={"share": sp.S.Half}, bind=_values)
