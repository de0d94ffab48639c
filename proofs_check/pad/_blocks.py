"""Blocks of drafts: a kept draft leads one draft further, all else to a new block; what a step keeps, blocks keep."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, index, total, x
from proofs_check.pad._steps_and_values import Models, bind_all, h, state
from simspec.laws import Array

__all__ = ["bind_blocks", "blocks_keep"]

phase = index("phase")
first = index("first")


def blocks_keep(d: Derivation, m: Models, k: sp.Expr, r: sp.Expr, lossless_step: Fact, *signs: Fact) -> Fact:
    """W ≥ U at the start of a block, for a rule that keeps k and replaces by r.

    Parameters
    ----------
    k, r : expressions in state and x (and h)
    lossless_step : that a step loses nothing, Σ k·U' + (1 − Σk) Σ r·U' ≥ U
    *signs : that k ≥ 0, and that k ≤ q
    """
    low, within_draft = signs
    onward = d.map("onward")
    back = d.map("back")
    W = sp.IndexedBase("W", real=True)
    full = sp.IndexedBase("full", real=True)
    flag = d.domain("full is 1 where all drafts of the block are kept, else 0", eq(full[phase] ** 2, full[phase]))
    law = d.derive("the target's masses are not negative", ge(m.p[state, x], 0))
    after = m.U[h, m.step[state, x]]
    further = W[h, onward[phase], m.step[state, x]]
    anew = W[h, back[phase], m.step[state, x]]
    rest = 1 - total(k, x)
    drafting = total(k * further, x) + rest * total(r * anew, x)
    at_end, before = d.recursion(
        "what the rule's text is worth in a phase of a block",
        eq(W[0, phase, state], m.utility[state]),
        eq(W[h + 1, phase, state], full[phase] * total(m.p[state, x] * anew, x) + (1 - full[phase]) * drafting),
    )
    statement = ge(W[h, phase, state], m.U[h, state])
    base = d.derive("a finished text", statement.replace({h: 0}), at_end, m.finished)
    so_far = d.suppose("with h tokens to write, in any phase", statement)
    keeps = d.instantiate("after a kept draft", so_far, {phase: onward[phase], state: m.step[state, x]})
    starts = d.instantiate("in a new block", so_far, {phase: back[phase], state: m.step[state, x]})
    accepted_drafts = d.summed("kept drafts", ge(k * further, k * after), keeps, low)
    two = d.summed("replacements", ge(r * anew, r * after), starts, d.derive("no mass is negative", ge(r, 0)))
    three = d.summed("the target's own token", ge(m.p[state, x] * anew, m.p[state, x] * after), starts, law)
    some = d.sum("over the drafts", within_draft, x)
    some = d.derive("rejections are not negative", ge(rest, 0), some, m.mass_q)
    two = d.smt("as often as there are any", ge(rest * total(r * anew, x), rest * total(r * after, x)), two, some)
    drafts = d.smt("while drafts are left", ge(drafting, m.U[h + 1, state]), accepted_drafts, two, lossless_step)
    own_token = d.smt("when none is", ge(total(m.p[state, x] * anew, x), m.U[h + 1, state]), three, m.earlier)
    next_token = d.derive("one token more", statement.replace({h: h + 1}), before, flag, drafts, own_token)
    for_every_phase = d.induction("in every phase at every context", statement, h, base, next_token)
    return d.instantiate("at the start of a block", for_every_phase, {phase: first})


def bind_blocks(
    target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array, gamma: int
) -> dict[str, Any]:
    """Phase j has j − 1 drafts kept; after γ of them the target writes."""
    values = bind_all(target, draft, step, utility, horizon, flags)
    phases = range(1, gamma + 2)
    return {
        **{**values, "first": 1, "full": np.array([int(j == gamma + 1) for j in phases])},
        **{"onward": np.array([min(j + 1, gamma + 1) for j in phases]), "back": np.ones(gamma + 1, dtype=int)},
        "ranges": {**values["ranges"], "phase": phases},
    }
