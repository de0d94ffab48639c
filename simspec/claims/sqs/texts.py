"""Texts drafted by SQS: laws that depend on the text so far, what is sent, and how many drafts are rejected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, law
from simspec.claims.sqs.parts import few, fixed_or_adaptive, scheme
from simspec.claims.texts import markov
from simspec.laws import Scalar, tv
from simspec.methods.block import Prefix, block_outcomes
from simspec.methods.csqs.conformal import update
from simspec.methods.sd import SD
from simspec.methods.sqs.payload import payload_bits
from simspec.methods.sqs.quantised import dropped_mass, threshold_mask, top_mask

__all__ = [
    "ELSEWHERE",
    "FULL",
    "TOLD",
    "Text",
    "budgeted_texts",
    "distances_everywhere",
    "one_step",
    "rejected_drafts",
    "rejections",
    "some_texts",
    "text_of",
]


class Text:
    """Target, draft and what the edge sends of one instance, as functions of the text so far.

    `k` of K-SQS; with a `threshold`, C-SQS (keep-top), whose threshold is a function of the text by Eq. 8.  `stop` ends a
    batch when the bits of the next law would exceed the budget: they are known before its token is drawn.
    """

    def __init__(
        self,
        p: Array,
        q: Array,
        k: int,
        resolution: int,
        threshold: Scalar | None,
        step_size: Any,
        dropped_target: Any,
        budget: int | None,
    ) -> None:
        """Take laws of the target and the draft after each token, and the parameters of SQS and C-SQS."""
        self.target, self.draft = markov(p), markov(q)
        self.k, self.resolution, self.budget = k, resolution, budget
        self.step_size, self.dropped_target = step_size, dropped_target
        self._thresholds: dict[Prefix, Any] = {(): threshold}
        self._sent: dict[Prefix, Array] = {}

    def threshold(self, prefix: Prefix) -> Any:
        """Threshold in force after a text; None for K-SQS."""
        if prefix not in self._thresholds:
            before = self.threshold(prefix[:-1])
            law = self.draft(prefix[:-1])
            self._thresholds[prefix] = before
            if before is not None:
                dropped = dropped_mass(law, threshold_mask(law, before))
                self._thresholds[prefix] = update(before, dropped, self.step_size, self.dropped_target)
        return self._thresholds[prefix]

    def kept(self, prefix: Prefix) -> Array:
        """Tokens that are kept after a text."""
        law = self.draft(prefix)
        threshold = self.threshold(prefix)
        return top_mask(law, self.k) if threshold is None else threshold_mask(law, threshold)

    def sent(self, prefix: Prefix) -> Array:
        """The quantised law that is sent and drafted from."""
        if prefix not in self._sent:
            method = scheme(self.k, self.resolution, self.threshold(prefix))
            self._sent[prefix] = method.propose(self.draft(prefix))
        return self._sent[prefix]

    def bits(self, prefix: Prefix) -> int:
        """Bits of that law."""
        support = self.kept(prefix)
        adaptive = self.threshold(prefix) is not None
        return payload_bits(len(support), int(support.sum()), self.resolution, adaptive)

    def stop(self, prefix: Prefix, drafts: Prefix) -> bool:
        """Whether a batch ends before the next draft."""
        if self.budget is None:
            return False
        return sum(self.bits(prefix + drafts[:n]) for n in range(len(drafts) + 1)) > self.budget

    def mean(self, length: int, value: Callable[[Prefix], Any]) -> Any:
        """Sum over the first `length` positions of the mean of value(text so far) under the target."""
        total: Any = F(0)
        texts: dict[Prefix, Any] = {(): F(1)}
        for _ in range(length):
            total = total + sum(mass * value(text) for text, mass in texts.items())
            texts = {
                (*text, x): mass * token_mass
                for text, mass in texts.items()
                for x, token_mass in enumerate(self.target(text).tolist())
                if token_mass
            }
        return total


def rejections(text: Text, length: int, gamma: int) -> Any:
    """Expected number of drafts rejected among the first `length` tokens, every outcome of every batch enumerated."""
    total: Any = F(0)
    open_texts: dict[Prefix, Any] = {(): F(1)}
    while open_texts:
        prefix, weight = open_texts.popitem()
        reach = min(gamma, length - len(prefix))  # drafts beyond the text change nothing in it
        for outcome in block_outcomes(SD, text.target, text.sent, prefix, reach, text.stop):
            accepted = outcome.accepted
            mass = weight * outcome.probability
            if accepted < reach and not text.stop(prefix, outcome.tokens[:accepted]):
                total = total + mass
            longer = prefix + outcome.tokens
            if len(longer) < length:
                open_texts[longer] = open_texts.get(longer, F(0)) + mass
    return total


TOLD = "drafts are drawn from the law that is sent"


def one_step(draw: Draw) -> Instance:
    """One step of K-SQS or C-SQS whose drafts are drawn from the law that is sent."""
    n = draw.vocab()
    p, q = (few(x) for x in draw.pair(n))
    return {"p": p, "q": q, **fixed_or_adaptive(draw, n), "drawn": None}


ELSEWHERE: dict[str, Any] = {"p": law(1, 0), "q": law("3/4", "1/4"), "drawn": law("3/4", "1/4"), "k": 1}
ELSEWHERE |= {"resolution": 1, "threshold": None, "step_size": None, "dropped_target": None}


def some_texts(draw: Draw, widest: int = 3, longest: int = 3) -> dict[str, Any]:
    """Laws that depend on the last token, a scheme, and how it is run over a short text."""
    vocab = draw.integer(2, widest)
    p, q = (np.stack([draw.law(vocab) for _ in range(vocab + 1)]) for _ in range(2))
    instance = {"p": p, "q": q, **fixed_or_adaptive(draw, vocab)}
    length = draw.integer(1, longest if vocab == 2 else 2)
    return {**instance, "gamma": draw.integer(1, 3), "length": length, "budget": None}


def budgeted_texts(draw: Draw) -> dict[str, Any]:
    """The same, half of the time with a bit budget that may end a batch before its first draft."""
    instance = some_texts(draw)
    return {**instance, "budget": draw.integer(0, 12)} if draw.integer(0, 1) else instance


FULL: dict[str, Any] = {
    "p": np.stack([law("3/4", "1/4")] * 2 + [law("1/4", "3/4")]),
    "q": np.stack([law("1/2", "1/2")] * 2 + [law("1/8", "7/8")]),
    **{"k": 2, "resolution": 100, "threshold": None, "step_size": None, "dropped_target": None},
    **{"gamma": 1, "length": 2, "budget": 5000},
}
"""Texts of two tokens at the resolution and the budget of SQS 4; every token has mass under both models."""


def text_of(instance: dict[str, Any]) -> Text:
    """The text that an instance describes."""
    names = ("p", "q", "k", "resolution", "threshold", "step_size", "dropped_target", "budget")
    return Text(**{name: instance[name] for name in names})


def rejected_drafts(gamma: int, length: int, **instance: Any) -> Any:
    """Expected number of rejected drafts, enumerated."""
    return rejections(text_of(instance), length, gamma)


def distances_everywhere(length: int, **instance: Any) -> Any:
    """Expected sum of TV(q̂, p) over all positions of a text."""
    text = text_of(instance)
    return text.mean(length, lambda x: tv(text.sent(x), text.target(x)))
