"""Calls whose drafts end early by a rule: what the symbols of a text made of blocks stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, eq, x
from proofs_check.sd._block_texts import along, n, s, text, texts, verification
from simspec.claims.stop.parts import after

__all__ = ["BLIND", "bound", "prove"]

BLIND = "whether a draft ends does not depend on the next token"
Rule = Callable[[tuple[int, ...], tuple[int, ...]], bool]


def prove(d: Derivation, sign: int = 1, share: Any = 1) -> None:
    """Every target, drafter and rule (the same after the same text and drafts, otherwise any), every vocabulary size, γ and
    length of text.
    """
    q, mass = d.law("q", text, n)
    drop, stop = (sp.IndexedBase(name, real=True) for name in ("drop", "stop"))
    unseen = d.domain(BLIND, eq(drop[text, n, s, x], stop[text, n, s]))
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


def bound(p: Any, q: Any, gamma: int, length: int, ends: Rule) -> dict[str, Any]:
    """State s has s − 1 drafts; `ends` takes the text up to there, and those of its tokens that are drafts of this call."""
    all_texts = list(np.ndindex(*[p.shape[-1]] * length))

    def stop(at: int, position: int, state: int) -> int:
        before = all_texts[at - 1][:position]
        if state > gamma:
            return 1
        return int(state - 1 <= position and ends(before, before[position - (state - 1) :]))

    values = along(all_texts, gamma, p=lambda x: after(p, x), q=lambda x: after(q, x), stop=stop)
    return values | {"drop": lambda at, position, state, token: stop(at, position, state)}
