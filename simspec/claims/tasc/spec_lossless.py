"""Speculative decoding with n-gram drafters of any kind emits the target's distribution.

`tasc.spec-lossless`: TASC, 5; Leviathan et al. 2023, Appendix A.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, Instance, exact, identity, is_exact, law
from simspec.claims.claim import Printed
from simspec.claims.texts import markov, masses, written
from simspec.methods import SD, output_law, text_law
from simspec.methods.tasc.corpus_table import train
from simspec.methods.tasc.drafter import PromptNgrams
from simspec.methods.tasc.drafters import as_model, mixed

ROWS = 32
"""Contexts of one step taken from a source of many."""


def _tokens(draw: Draw, longest: int) -> list[int]:
    return [draw.integer(0, 1) for _ in range(draw.integer(0, longest))]


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


def _one_hot(q: Array) -> Array:
    hot = (np.arange(q.shape[-1]) == q.argmax(axis=-1)[..., None]).astype(int)
    return exact(hot) if is_exact(q) else hot.astype(q.dtype)


def _emitted(p: Array, greedy: bool, told: bool, length: int = 1, gamma: int = 1, **drafter: Any) -> Array:
    """Law of the texts of `length` tokens that verification emits; of one token when a draft law is given."""
    if "q" in drafter:
        q = drafter["q"]
        return output_law(SD, p, _one_hot(q) if greedy and told else q, drawn=_one_hot(q) if greedy else q)
    n_max = drafter["n_max"]
    prompt = drafter["prompt"]
    model = mixed(train([drafter["corpus"]], n_max, vocab=2), PromptNgrams(n_max, vocab=2), drafter["mix"])
    return masses(text_law(SD, markov(p), as_model(model, prompt, greedy, exact=True), length, gamma), 2, length)


TOLD = "the verifier is told the law that drafts are drawn from"

LOSSLESS = identity(
    name="tasc.spec-lossless",
    statement=r"Verified by speculative sampling, texts have the target's law whatever the $n$-gram drafter proposes: a "
    r"corpus table, a prompt table that counts the text as it grows, their mixture, or all mass on their most likely "
    r"token",
    reference="TASC, 5; Leviathan et al. 2023, Appendix A.1",
    instances=_task,
    assumes={TOLD: lambda told: told},
    lhs=_emitted,
    rhs=lambda p, q=None, length=1: written(markov(p), 2, length) if q is None else p,
    outside={TOLD: {"p": law("1/2", "1/2"), "q": law("3/4", "1/4"), "greedy": True, "told": False}},
    note="At each step what is kept and what is redrawn add up to the target's law, for any proposal that depends on "
    "earlier tokens only. Exact: every draft and coin of texts of up to three tokens, γ ≤ 2. Floats: one step with a "
    "law, or with its most likely token, as the proposal. A greedy draft verified as if drawn from the table's law is "
    "biased; a one-hot one is kept with the target's probability of it.",
    printed=Printed(
        place="TASC 5",
        text="We follow a speculative decoding procedure building upon the typical set of n-grams",
        read="The texts have the target’s law whatever the drafter proposes.",
    ),
    broken=[
        Broken(
            "the target in reverse order",
            lambda claim: {"lhs": lambda p, length, **x: claim.lhs(p[::-1], length=length, **x)},
        )
    ],
)
