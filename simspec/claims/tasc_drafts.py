"""Claims about TASC-spec's drafter (§5, App. C.5): n-gram proposals are verified losslessly, and what mixing two of them does."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_least, equal
from simspec.claims.draw import Draw
from simspec.claims.sd import law
from simspec.laws import Array, exact, is_exact, overlap
from simspec.methods import SD, output_law, text_law
from simspec.methods.ngram import as_model, mixed
from simspec.methods.ngram_corpus import train
from simspec.methods.ngram_drafter import PromptNgrams

__all__ = ["CLAIMS"]

# --- losslessness ---------------------------------------------------------------------------------------------------


ROWS = 32
"""Contexts of one step taken from a source of many."""


def _tokens(draw: Draw, most: int) -> list[int]:
    return [draw.integer(0, 1) for _ in range(draw.integer(0, most))]


def _task(draw: Draw) -> Instance:
    """Exact: a Markov target over two tokens, and a drafter made of a corpus and a prompt.  Floats: one step of two laws.

    Row 0 of p is the target's law before the text, row x + 1 after token x.  `greedy` drafts have all mass on one token.
    """
    if not draw.exact:
        p, q = (laws[:ROWS] for laws in draw.pair(draw.vocab()))
        return {"p": p, "q": q, "greedy": bool(draw.integer(0, 1)), "told": True}
    return {
        **{"p": np.stack([draw.law(2) for _ in range(3)]), "corpus": _tokens(draw, 4), "prompt": _tokens(draw, 2)},
        **{"n_max": draw.integer(1, 3), "mix": draw.number(0, 1), "greedy": bool(draw.integer(0, 1)), "told": True},
        **{"length": draw.integer(1, 3), "gamma": draw.integer(0, 2)},
    }


def _target(p: Array) -> Any:
    return lambda prefix: p[prefix[-1] + 1 if prefix else 0]


def _one_hot(q: Array) -> Array:
    hot = (np.arange(q.shape[-1]) == q.argmax(axis=-1)[..., None]).astype(int)
    return exact(hot) if is_exact(q) else hot.astype(q.dtype)


def _emitted(
    p: Array,
    greedy: bool,
    told: bool,
    q: Array | None = None,
    corpus: Any = (),
    prompt: Any = (),
    n_max: int = 1,
    mix: Any = 0,
    length: int = 1,
    gamma: int = 1,
) -> Array:
    """Law of the texts of `length` tokens that verification emits; of one token when no corpus is given."""
    if q is not None:
        return output_law(SD, p, _one_hot(q) if greedy and told else q, drawn=_one_hot(q) if greedy else q)
    drafter = mixed(train([corpus], n_max, vocab=2), PromptNgrams(n_max, vocab=2), mix)
    emitted = text_law(SD, _target(p), as_model(drafter, prompt, greedy, exact=True), length, gamma)
    return np.array([emitted.get(text, F(0)) for text in np.ndindex(*[2] * length)], dtype=object)


def _wanted(p: Array, q: Array | None = None, length: int = 1) -> Array:
    if q is not None:
        return p
    texts = [F(1)]
    lasts = [0]
    for _ in range(length):
        texts = [mass * x for mass, at in zip(texts, lasts, strict=True) for x in p[at].tolist()]
        lasts = [x + 1 for _ in lasts for x in range(2)]
    return np.array(texts, dtype=object)


TOLD = "the verifier is told the law that drafts are drawn from"

LOSSLESS = Claim(
    name="tasc.spec-lossless",
    kind="identity",
    statement=r"Verified by speculative sampling, texts have the target's law whatever the $n$-gram drafter proposes: a "
    r"corpus table, a prompt table that counts the text as it grows, their mixture, or all mass on their most likely "
    r"token",
    reference="TASC, §5; Leviathan et al. 2023, Appendix A.1",
    instances=_task,
    assumes={TOLD: lambda told: told},
    lhs=_emitted,
    rhs=_wanted,
    relation=equal,
    outside={TOLD: {"p": law("1/2", "1/2"), "q": law("3/4", "1/4"), "greedy": True, "told": False}},
    note="At each step what is kept and what is redrawn add up to the target's law, for any proposal that depends on "
    "earlier tokens only. Exact: every draft and coin of texts of up to three tokens, γ ≤ 2. Floats: one step with a "
    "law, or with its most likely token, as the proposal. A greedy draft verified as if drawn from the table's law is "
    "biased; a one-hot one is kept with the target's probability of it.",
)

# --- mixtures -------------------------------------------------------------------------------------------------------


def _mixture(draw: Draw) -> Instance:
    vocab = draw.vocab()
    p, c = draw.pair(vocab)
    return {"p": p, "c": c, "r": draw.law(vocab), "mix": draw.number(0, 1)}


def _mixed_rate(p: Array, c: Array, r: Array, mix: Any) -> Any:
    return overlap(p, mix * c + (1 - mix) * r)


def _mean_rate(p: Array, c: Array, r: Array, mix: Any) -> Any:
    return mix * overlap(p, c) + (1 - mix) * overlap(p, r)


BETWEEN = "0 ≤ λ ≤ 1"

MIXTURE = Claim(
    name="tasc.mixture-average",
    kind="bound",
    statement=r"$\sum \min(p, \lambda c + (1 - \lambda) r) \ge \lambda \sum \min(p, c) + (1 - \lambda) \sum \min(p, r)$: "
    r"a mixture of drafters accepts at least the average of what they accept",
    reference="TASC, App. C.5",
    instances=_mixture,
    assumes={BETWEEN: lambda mix: 0 <= mix <= 1},
    lhs=_mixed_rate,
    rhs=_mean_rate,
    relation=at_least,
    tight=({"p": law("1/2", "1/2"), "c": law(1, 0), "r": law(1, 0), "mix": F(1, 2)},),
    outside={
        BETWEEN: {"p": law("1/2", "1/2", 0), "c": law("1/2", "1/4", "1/4"), "r": law(0, "1/2", "1/2"), "mix": F(2)}
    },
    corrected_by=("tasc.mixture-average-sharp",),
    note="min(p, ·) is concave. The average is not the better of the two: a mixture with a bad drafter can accept less "
    "than the good one alone.",
)


def _both_ways(p: Array, c: Array, r: Array, mix: Any) -> Any:
    over = mix * np.maximum(c - p, 0) + (1 - mix) * np.maximum(r - p, 0)
    under = mix * np.maximum(p - c, 0) + (1 - mix) * np.maximum(p - r, 0)
    return np.minimum(over, under).sum(axis=-1)


MIXTURE_SHARP = Claim(
    name="tasc.mixture-average-sharp",
    kind="identity",
    statement=r"What mixing gains over the average is $\sum_x \min\{\lambda (c - p)_+ + (1-\lambda)(r - p)_+,\; \lambda "
    r"(p - c)_+ + (1-\lambda)(p - r)_+\}$: tokens of which one drafter proposes too much and the other too little",
    reference="own statement, sharpening TASC, App. C.5",
    instances=_mixture,
    lhs=lambda p, c, r, mix: _mixed_rate(p, c, r, mix) - _mean_rate(p, c, r, mix),
    rhs=_both_ways,
    relation=equal,
    note="Per token, with a the mean surplus and b the mean lack, min(0, a − b) + b = min(a, b). There is no gain when "
    "on every token both propose at least, or both at most, what the target wants; two spiked drafters that are right in "
    "different contexts gain nothing within a context. The identity holds for every real λ.",
)

CLAIMS = (LOSSLESS, MIXTURE, MIXTURE_SHARP)
