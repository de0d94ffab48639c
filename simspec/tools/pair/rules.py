r"""Rules for a draft with another tokenizer beside each other: TLI, fixed masses, RDK, SLEM and SLRS, predicted and run.

TLI drafts the shared tokens alone; fixed masses and RDK also draft tokens that the draft lacks; SLEM and SLRS draft the token of
the target with which a drafted text begins.  All are measured as rules of one draft, so that several drafts of a step are a
chain of them, each drafted after the text so far was read again.  SLEM and SLRS as published judge a whole drafted text, which
may be several of the target's tokens: that is not measured here.

Acceptance is exact at each recorded position.  The run decodes for real, at the last temperature.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from simspec.engine.estimates.clusters import means
from simspec.laws import Array
from simspec.logits.bank import Bank
from simspec.logits.capture import Prepared
from simspec.logits.capture.windows import Window
from simspec.methods.method import one_step
from simspec.methods.registry import Rule, as_rule
from simspec.studies.pairs import on_first, on_shared
from simspec.tools.advise.decoders import Drafter, Translated
from simspec.tools.pair.acceptance import ends
from simspec.tools.pair.lengths import tokens_of
from simspec.tools.reading import Pairs, load

__all__ = [
    "NAMES",
    "accepted_at",
    "compared",
    "drafter",
    "has_another_tokenizer",
    "ordered_laws",
    "overview",
    "rule_of",
]

NAMES = ("tli", "static-mixture", "rdk", "slem", "slrs")
"""Rules that are compared, by their names in the registry."""
READ = ("slem", "slrs")
"""Those that draft what a drafted text begins with."""


def has_another_tokenizer(bank: Bank) -> bool:
    """Whether the draft was recorded with a tokenizer of its own.

    >>> from simspec.logits import open_bank
    >>> has_another_tokenizer(open_bank("wiki"))
    False
    """
    return bank.draft_first is not None


def drafter(prepared: Prepared, bank: Bank, name: str = "tli") -> Drafter:
    """What drafts tokens of the target under a rule: the draft itself, or, with another tokenizer, the draft translated."""
    draft = prepared.draft
    if draft is None:
        raise ValueError("prepared: has no draft; expected a pair of models")
    if not has_another_tokenizer(bank):
        return draft

    def translate(q: Array) -> Array:
        return on_first(bank, q) if name in READ else on_shared(bank, q)

    prompts = {tuple(w.target[: int(w.positions[0]) + 1]): _draft_prompt(w) for w in prepared.chosen}
    return Translated(prepared.target, draft, translate, prompts)


def _draft_prompt(window: Window) -> list[int]:
    """The draft's tokens before the first position of an answer."""
    reading = next(reading for reading in window.drafted if 0 in reading.contexts)
    at = int(reading.positions[reading.contexts.tolist().index(0)])
    return reading.tokens[: at + 1]


def ordered_laws(bank: Path, temperature: float) -> Pairs:
    """The laws of a bank in the order of the text, and what it knows."""
    return load(bank, temperature).in_order()


def rule_of(name: str, pairs: Pairs) -> Rule | str:
    """A rule by name, or why it cannot be made of what is known."""
    try:
        return as_rule(name, pairs.known)
    except ValueError as error:
        return str(error)


def accepted_at(rule: Rule, pairs: Pairs, step: Callable[[int], None] = lambda n: None) -> Array:
    """Probability (n,) that a draft is accepted at each position.

    >>> from simspec.methods.known import Known
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand", Known(np.array([True, True])))
    >>> accepted_at(as_rule("tli", half.known), half).tolist()
    [0.75]
    """
    values = np.empty(len(pairs.p))
    for rows in pairs.parts():
        method, drafted = rule.at(rows, pairs.q[rows])
        values[rows] = one_step(method, pairs.p[rows], drafted).accepted.sum(axis=-1)
        step(len(values[rows]))
    return values.clip(0, 1)


def compared(name: str, temperature: float, accepted: Array, pairs: Pairs, gamma: int) -> dict[str, Any]:
    """A row of the comparison: acceptance, and tokens of a step with `gamma` draft tokens, with intervals over answers."""
    document = np.asarray(pairs.document)
    (interval,) = means(accepted[:, None], document, 0.95, (0, 1))
    return {
        "rule": name,
        "temperature": temperature,
        "acceptance": ends(interval),
        "gamma": gamma,
        "tokens": ends(tokens_of(accepted, document, gamma)),
        "missing": None,
        "run": None,
    }


def overview(bank: Bank, pairs: Pairs) -> Mapping[str, Any]:
    """Sizes of both vocabularies, tokens that both have, and the mean mass of the target on them, which TLI cannot exceed."""
    shared = bank.shared
    masses = [pairs.p[rows][:, shared].sum(axis=-1) for rows in pairs.parts()]
    return {
        "target": bank.vocab,
        "draft": len(bank.draft_to_target),
        "shared": int(shared.sum()),
        "mass": float(np.concatenate(masses).mean()),
    }
