"""pad.flip-utility: a flip to pivot gains, along the new rule's path, the replacement's value over the override's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, le, x
from proofs_check.pad import _block_values as blocks
from proofs_check.pad._blocks import bind_blocks
from proofs_check.pad._flag_changes import Change, Labels, change, change_in_blocks, labels, moved
from proofs_check.pad._steps_and_values import at_start, bind, flags_of, grow, h, replaced, state
from proofs_check.pad._two_token_texts import fans
from simspec.claims.claim import Instance
from simspec.claims.pad.flip_utility import (
    FLIP_UTILITY,
    FLIP_UTILITY_BLOCK,
    FLIP_UTILITY_CORRECTED,
    SPARES,
    SPARES_BLOCK,
)
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every process of any states, tokens and length; every utility of the last state; all flags, and flips that the
    assumption allows; one draft a position.

    The fall allowed, 0, is the least: where every token is flagged already a flip changes nothing.
    """
    c = change(d, adds=True, sign=sign, constant=constant)
    end, step, other_end, other_step = c.facts
    old_value = c.W[h, c.m.step[state, x]]
    o = c.after.o[h, state, x]
    lost, given_up_rule = given_up(d, c)
    gain = moved(d, c, lost, given_up_rule)
    spares = d.assume(SPARES, le(c.F * (old_value - replaced(c.m, old_value)), 0))
    gains = d.summed(
        "an override given up was worth at most its replacement",
        ge(lost * (old_value - replaced(c.m, old_value)), 0),
        *(spares, c.label, c.before.flag),
    )
    statement = ge(c.N[h, state], c.W[h, state])
    base = d.derive("a finished text", statement.replace({h: 0}), end, other_end)
    facts = (step, other_step, gain, gains)
    d.qed(at_start(d, grow(d, c.m, o, c.after.not_negative, statement, base, *facts, text="at every context")))


def given_up(d: Derivation, c: Change | Labels) -> tuple[Any, Fact]:
    """Minus the overrides that are given up; that those after are those before and these."""
    lost = -c.F * (1 - c.before.f) * sp.Max(c.m.q[state, x] - c.m.p[state, x], 0)
    new = c.before.g[h, state, x] + lost
    facts = (c.before.overrides, c.after.overrides)
    return lost, d.derive("the overrides that are given up", eq(c.after.g[h, state, x], new), *facts)


def prove_block(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every process of any states, tokens and length; every utility of the last state; all flags, and flips that the
    assumption allows; blocks of any number of drafts, with the target's own token after them.

    The fall allowed, 0, is the least: where every token is flagged already a flip changes nothing.
    """
    c = labels(d, True, sign, constant)
    lost, given_up_rule = given_up(d, c)
    b = change_in_blocks(d, c, lost, given_up_rule)
    spares = d.assume(SPARES_BLOCK, le(c.F * b.gap, 0))
    facts = (spares, c.label, c.before.flag)
    gains = d.summed("an override given up was worth at most its replacement", ge(lost * b.gap, 0), *facts)
    for_every_phase = blocks.grow_in_blocks(
        d, c.m, b.rule, lambda u, v: ge(v[0], v[1]), [b.N, b.W], ((), (b.moved, gains), ()), text="no less"
    )
    d.qed(blocks.at_start(d, for_every_phase))


def bind_flips(
    target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array, flips: Array
) -> dict[str, Any]:
    """Values; beyond the text's beginning everything is flagged and nothing flipped."""
    bindings = bind(target, draft, step, utility, horizon, flags)
    new = flags_of(flips)
    return {**bindings, "F": lambda remaining, state, token: remaining < horizon and new(remaining, state, token)}


def bind_flips_in_blocks(flips: Array, horizon: int, **instance: Any) -> dict[str, Any]:
    """The same, where a token is still to be written."""
    bindings = bind_blocks(horizon=horizon, **instance)
    new = flags_of(flips)
    ranges = {**bindings["ranges"], "h": range(horizon - 1, -1, -1)}
    return {
        **bindings,
        "ranges": ranges,
        "F": lambda remaining, state, token: remaining < horizon and new(remaining, state, token),
    }


def one_flip() -> Iterator[Instance]:
    """Texts of two tokens with nothing flagged, and one flip of a first token."""
    for process in fans():
        flags = np.zeros((2, *process["target"].shape), dtype=bool)
        for token in range(flags.shape[-1]):
            flips = flags.copy()
            flips[0, 0, token] = True
            yield {**process, "flags": flags, "flips": flips}


PROOFS = (
    Refutation(
        FLIP_UTILITY,
        one_flip,
        scope="the first in order of vocabulary, then of the denominator of all masses and chances, of the texts of two "
        "tokens in which the draft errs at the first one only, no token flagged and then one: two tokens, each model "
        "certain of its own",
        repaired={"the token is worth at most its replacement to the rule itself": FLIP_UTILITY_CORRECTED},
    ),
    Proof(FLIP_UTILITY_CORRECTED, prove, drop="the replacement is the normalised residual", bind=bind_flips),
    Proof(
        FLIP_UTILITY_BLOCK, prove_block, drop="the replacement is the normalised residual", bind=bind_flips_in_blocks
    ),
)
