"""pad.better-classifier: along the new rule's path each freed override gains the old rule's value over its replacement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, total, x
from proofs_check.pad import _block_values as blocks
from proofs_check.pad._blocks import bind_blocks
from proofs_check.pad._flag_changes import Change, Labels, change, change_in_blocks, labels, moved
from proofs_check.pad._steps_and_values import at_start, bind, expected, flags_of, grow, h, replaced, state
from proofs_check.pad._two_token_texts import fans
from simspec.claims.claim import Instance
from simspec.claims.pad.better_classifier import (
    BETTER_CLASSIFIER,
    BETTER_CLASSIFIER_BLOCK,
    BETTER_CLASSIFIER_CORRECTED,
    BETTER_CLASSIFIER_SHARP,
    BETTER_CLASSIFIER_SHARP_BLOCK,
    PAYS,
    PAYS_BLOCK,
)
from simspec.claims.pad.parts import process_of, true_pivots
from simspec.laws import Array

SCOPE = "every process of any states, tokens and length; every utility of the last state; all flags"


def removal(d: Derivation, **mutation: int) -> tuple[Change, Fact, Any]:
    """Labels F are removed from the flags; the overrides that this frees."""
    c = change(d, adds=False, **mutation)
    return c, *removed_labels(d, c)


def removed_labels(d: Derivation, c: Change | Labels) -> tuple[Fact, Any]:
    """That the overrides after are those before and those of the labels removed; and these."""
    flagged = d.domain("only flags are removed", eq(c.before.f * c.F, c.F))
    freed = c.F * sp.Max(c.m.q[state, x] - c.m.p[state, x], 0)
    g = c.before.g[h, state, x]
    new = c.after.g[h, state, x]
    freed_rule = d.smt(
        "the overrides that are freed", eq(new, g + freed), c.before.overrides, c.after.overrides, flagged
    )
    return freed_rule, freed


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    c, freed_rule, freed = removal(d, sign=sign, constant=constant)
    end, step, other_end, other_step = c.facts
    old_value = c.W[h, c.m.step[state, x]]
    o = c.after.o[h, state, x]
    gain = moved(d, c, freed, freed_rule)
    cost = total(freed * (old_value - replaced(c.m, old_value)), x)
    G, none, account = expected(d, c.m, o, "G", cost, "what the freed overrides gain, along the new path")
    statement = eq(c.N[h, state] - c.W[h, state], G[h, state])
    base = d.derive("a finished text", statement.replace({h: 0}), end, other_end, none)
    facts = (step, other_step, account, gain)
    d.qed(at_start(d, grow(d, c.m, o, c.after.not_negative, statement, base, *facts, text="at every context")))


def prove_corrected(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Removing flags that the assumption allows lowers neither the utility nor the acceptance, one draft a position."""
    c, freed_rule, freed = removal(d, sign=sign, constant=constant)
    end, step, other_end, other_step = c.facts
    old_value = c.W[h, c.m.step[state, x]]
    o = c.after.o[h, state, x]
    gain = moved(d, c, freed, freed_rule)
    pays = d.assume(PAYS, ge(c.F * (old_value - replaced(c.m, old_value)), 0))
    gains = d.summed("a freed override gains", ge(freed * (old_value - replaced(c.m, old_value)), 0), pays, c.label)
    statement = ge(c.N[h, state], c.W[h, state])
    base = d.derive("a finished text", statement.replace({h: 0}), end, other_end)
    facts = (step, other_step, gain, gains)
    for_every_h = grow(d, c.m, o, c.after.not_negative, statement, base, *facts, text="at every context")
    accepts = d.derive(
        "no draft is kept less", ge(c.after.k[h, state, x], c.before.k[h, state, x]), *kept(c), freed_rule, c.label
    )
    d.qed(at_start(d, for_every_h), d.sum("acceptance at every context", accepts, x))


def prove_sharp_block(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    c = labels(d, False, sign, constant)
    freed_rule, freed = removed_labels(d, c)
    b = change_in_blocks(d, c, freed, freed_rule)
    for_every_phase = blocks.grow_in_blocks(
        d, c.m, b.rule, lambda u, v: eq(v[0] - v[1], v[2]), [b.N, b.W, b.G], ((), (b.moved,), ()), text="the change"
    )
    d.qed(blocks.at_start(d, for_every_phase))


def prove_block(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    c = labels(d, False, sign, constant)
    freed_rule, freed = removed_labels(d, c)
    b = change_in_blocks(d, c, freed, freed_rule)
    pays = d.assume(PAYS_BLOCK, ge(c.F * b.gap, 0))
    gains = d.summed("a freed override gains", ge(freed * b.gap, 0), pays, c.label)
    for_every_phase = blocks.grow_in_blocks(
        d, c.m, b.rule, lambda u, v: ge(v[0], v[1]), [b.N, b.W], ((), (b.moved, gains), ()), text="no less"
    )
    accepts = d.derive(
        "no draft is kept less", ge(c.after.k[h, state, x], c.before.k[h, state, x]), *kept(c), freed_rule, c.label
    )
    d.qed(blocks.at_start(d, for_every_phase), d.sum("acceptance at every context", accepts, x))


def kept(c: Change | Labels) -> tuple[Fact, Fact]:
    """Kept masses by their overrides."""
    return c.before.kept, c.after.kept


def bind_removed(
    target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array, removed: Array
) -> dict[str, Any]:
    """Values; beyond the text's beginning everything is flagged and nothing removed."""
    bindings = bind(target, draft, step, utility, horizon, flags)
    out = flags_of(removed)
    return {**bindings, "F": lambda remaining, state, token: remaining < horizon and out(remaining, state, token)}


def bind_removed_in_blocks(removed: Array, horizon: int, **instance: Any) -> dict[str, Any]:
    """The same, where a token is still to be written."""
    bindings = bind_blocks(horizon=horizon, **instance)
    out = flags_of(removed)
    ranges = {**bindings["ranges"], "h": range(horizon - 1, -1, -1)}
    return {
        **bindings,
        "ranges": ranges,
        "F": lambda remaining, state, token: remaining < horizon and out(remaining, state, token),
    }


def one_label() -> Iterator[Instance]:
    """Texts of two tokens with everything flagged, and one flag on a first token that is no pivot to be removed."""
    for process in fans():
        flags = np.ones((2, *process["target"].shape), dtype=bool)
        pivots = true_pivots(process_of(**process))
        for token in range(flags.shape[-1]):
            if not pivots[0, 0, token]:
                removed = np.zeros_like(flags)
                removed[0, 0, token] = True
                yield {**process, "flags": flags, "removed": removed}


PROOFS = (
    Refutation(
        BETTER_CLASSIFIER,
        one_label,
        scope="the first in order of vocabulary, then of the denominator of all masses and chances, of the texts of two "
        "tokens in which the draft errs at the first one only, all tokens flagged and then one flag "
        "removed: three tokens and halves",
        repaired={"the token is worth its replacement to the rule itself": BETTER_CLASSIFIER_CORRECTED},
    ),
    Proof(
        BETTER_CLASSIFIER_CORRECTED,
        prove_corrected,
        drop="only flags are removed",
        bind=bind_removed,
        scope=f"{SCOPE} and removals that the assumption allows; one draft a position",
        sharp="The falls allowed, 0, are the least: removing no flag changes nothing, nor does removing one on a draft "
        "that the target writes at least as often.",
    ),
    Proof(
        BETTER_CLASSIFIER_SHARP,
        prove_sharp,
        drop="only flags are removed",
        bind=bind_removed,
        scope=f"{SCOPE} and removals; one draft a position; expectations along the path by their first token",
    ),
    Proof(
        BETTER_CLASSIFIER_BLOCK,
        prove_block,
        drop="only flags are removed",
        bind=bind_removed_in_blocks,
        scope=f"{SCOPE} and removals that the assumption allows; blocks of any number of drafts",
        sharp="The falls allowed, 0, are the least: removing no flag changes nothing.",
    ),
    Proof(
        BETTER_CLASSIFIER_SHARP_BLOCK,
        prove_sharp_block,
        drop="only flags are removed",
        bind=bind_removed_in_blocks,
        scope=f"{SCOPE} and removals; blocks of any number of drafts; expectations along the path by their first token",
    ),
)
