"""Texts made of calls that drop tokens: in every state the verifier is told what a survivor's law is."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, eq, total, x
from proofs_check.sd._block_texts import Step, along, n, s, text, texts
from proofs_check.stop._survival import KEEPS, REDRAWS
from simspec.claims.stop.parts import after

__all__ = ["prove_text", "text_values"]


def prove_text(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every target, drafter and rule s (the same after the same text and drafts, otherwise any), every vocabulary size, γ and
    length of text.
    """
    p, mass = d.law("p", text, n)
    q, _ = d.law("q", text, n)
    survives, a = d.weights("survives", text, n, s, x), d.weights("a", text, n, s, x)
    r = d.weights("r", text, n, s, x)
    S, T, kept, other = (sp.IndexedBase(name, real=True) for name in ("S_alive", "T_kept", "kept", "other"))
    drawn, target, state = q[text, n, x] * survives[text, n, s, x], p[text, n, x], (text, n, s)
    d.define("the probability to survive", S[state], total(drawn, x))
    most, left = sp.Min(S[state] * target, drawn), sp.Max(S[state] * target - drawn, 0)
    keeps = d.domain(KEEPS, eq(drawn * a[text, n, s, x], most))
    normed = d.domain(REDRAWS, eq(r[text, n, s, x] * total(left, x), constant * left))
    taken = d.define("how often a draft is kept", T[state], total(drawn * a[text, n, s, x], x))
    accepted = d.sum("over the drafts", keeps, x)
    parts = d.derive("kept, and beyond it", eq(most + left, S[state] * target))
    summed = d.sum("over the vocabulary", parts, x)
    refused = d.derive("refused", eq(S[state] - T[state], total(left, x)), taken, accepted, summed, mass, by="smt")
    again = d.derive("redrawn", eq((S[state] - T[state]) * r[text, n, s, x], left), refused, normed)
    is_kept = d.define("drafted and kept", kept[text, n, s, x], drawn * a[text, n, s, x])
    is_other = d.define(
        "emitted by the target after a drop, or redrawn",
        other[text, n, s, x],
        (1 - S[state]) * target + sign * (S[state] - T[state]) * r[text, n, s, x],
    )
    both = eq(kept[text, n, s, x] + other[text, n, s, x], target)
    adds = d.derive(
        "in every state the emitted token has the target's law", both, is_kept, is_other, again, keeps, parts
    )
    texts(d, Step(kept, other, p, adds))


def text_values(p: Any, q: Any, gamma: int, length: int, drops: Any) -> dict[str, Any]:
    """State s has s − 1 drafts; with γ of them none is drafted, so none survives."""
    every = list(np.ndindex(*[p.shape[-1]] * length))
    made = along(every, gamma, p=lambda b: after(p, b), q=lambda b: after(q, b), stop=lambda at, done, state: 0)

    def survives(at: int, done: int, state: int, token: int) -> int:
        return int(state <= gamma and not drops[state - 1, token - 1])

    def parts(at: int, done: int, state: int) -> tuple[Any, Any]:
        """S p, and q s."""
        before = every[at - 1][:done]
        drawn = after(q, before) * np.array([survives(at, done, state, token + 1) for token in range(p.shape[-1])])
        return drawn.sum() * after(p, before), drawn

    def a(at: int, done: int, state: int, token: int) -> Any:
        wanted, drawn = (side[token - 1] for side in parts(at, done, state))
        return min(wanted, drawn) / drawn if drawn else 0

    def r(at: int, done: int, state: int, token: int) -> Any:
        wanted, drawn = parts(at, done, state)
        left = np.maximum(wanted - drawn, 0)
        return left[token - 1] / left.sum() if left.any() else 0

    return {**made, "survives": survives, "a": a, "r": r}
