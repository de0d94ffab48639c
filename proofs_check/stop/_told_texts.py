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
    survives = d.weights("survives", text, n, s, x)
    a = d.weights("a", text, n, s, x)
    r = d.weights("r", text, n, s, x)
    S, T, accepted_part, redrawn_part = (
        sp.IndexedBase(name, real=True) for name in ("S_alive", "T_kept", "kept", "other")
    )
    survivor_mass = q[text, n, x] * survives[text, n, s, x]
    target = p[text, n, x]
    state = (text, n, s)
    d.define("the probability to survive", S[state], total(survivor_mass, x))
    shared_mass = sp.Min(S[state] * target, survivor_mass)
    residual = sp.Max(S[state] * target - survivor_mass, 0)
    keeps = d.domain(KEEPS, eq(survivor_mass * a[text, n, s, x], shared_mass))
    normed = d.domain(REDRAWS, eq(r[text, n, s, x] * total(residual, x), constant * residual))
    accept_meaning = d.define("how often a draft is kept", T[state], total(survivor_mass * a[text, n, s, x], x))
    accepted = d.sum("over the drafts", keeps, x)
    parts = d.derive("kept, and beyond it", eq(shared_mass + residual, S[state] * target))
    summed = d.sum("over the vocabulary", parts, x)
    refused = d.derive(
        "refused", eq(S[state] - T[state], total(residual, x)), accept_meaning, accepted, summed, mass, by="smt"
    )
    again = d.derive("redrawn", eq((S[state] - T[state]) * r[text, n, s, x], residual), refused, normed)
    is_kept = d.define("drafted and kept", accepted_part[text, n, s, x], survivor_mass * a[text, n, s, x])
    is_other = d.define(
        "emitted by the target after a drop, or redrawn",
        redrawn_part[text, n, s, x],
        (1 - S[state]) * target + sign * (S[state] - T[state]) * r[text, n, s, x],
    )
    emitted_law = eq(accepted_part[text, n, s, x] + redrawn_part[text, n, s, x], target)
    adds = d.derive(
        "in every state the emitted token has the target's law", emitted_law, is_kept, is_other, again, keeps, parts
    )
    texts(d, Step(accepted_part, redrawn_part, p, adds))


def text_values(p: Any, q: Any, gamma: int, length: int, drops: Any) -> dict[str, Any]:
    """State s has s − 1 drafts; with γ of them none is drafted, so none survives."""
    all_texts = list(np.ndindex(*[p.shape[-1]] * length))
    symbols = along(
        all_texts, gamma, p=lambda b: after(p, b), q=lambda b: after(q, b), stop=lambda at, position, state: 0
    )

    def survives(at: int, position: int, state: int, token: int) -> int:
        return int(state <= gamma and not drops[state - 1, token - 1])

    def parts(at: int, position: int, state: int) -> tuple[Any, Any]:
        """S p, and q s."""
        before = all_texts[at - 1][:position]
        survivor_mass = after(q, before) * np.array(
            [survives(at, position, state, token + 1) for token in range(p.shape[-1])]
        )
        return survivor_mass.sum() * after(p, before), survivor_mass

    def a(at: int, position: int, state: int, token: int) -> Any:
        target_mass, survivor_mass = (side[token - 1] for side in parts(at, position, state))
        return min(target_mass, survivor_mass) / survivor_mass if survivor_mass else 0

    def r(at: int, position: int, state: int, token: int) -> Any:
        target_mass, survivor_mass = parts(at, position, state)
        residual = np.maximum(target_mass - survivor_mass, 0)
        return residual[token - 1] / residual.sum() if residual.any() else 0

    return {**symbols, "survives": survives, "a": a, "r": r}
