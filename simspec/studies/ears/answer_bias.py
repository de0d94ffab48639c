"""How the bias of a relaxed rule accumulates along answers that a real model wrote, from a bank's runs of consecutive positions.

Where `simspec.studies.ears.relaxed.sequence_bias` draws texts of Markov chains, the texts here are on record: runs of
positions of answers that the target wrote at temperature 1, with both laws at each of them.  What is estimated is the
distance of the laws of the next T tokens, averaged over the places of the answers.  Corpora are no texts of the target, and
are left out.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import Array
from simspec.logits.bank import Bank
from simspec.methods.ears.acceptance import ears, one_minus_max
from simspec.methods.ears.relaxed import lenience
from simspec.methods.method import Method, output_law
from simspec.methods.sd import SD
from simspec.studies.sd.measured_runs import run_rows

__all__ = ["ANSWERS", "along_texts", "answer_bias", "rule"]

ANSWERS = ("chat", "code", "arithmetic")
"""Kinds of prompts that the target of the bank smollm2 answers."""


def along_texts(target: Array, emitted: Array, tokens: ArrayLike) -> NDArray[np.float64]:
    r"""Estimates of the distance of the laws of texts of 1, 2, ..., L tokens, (n, L), from texts of the target.

    The texts of t tokens are those that begin at each position s of a run.  With the likelihood ratio
    :math:`R = \prod_{i<t-1} o_{s+i}/p_{s+i}` of the tokens before the last, the value is
    :math:`\sum_x (p_{s+t-1}(x) - R\, o_{s+t-1}(x))_+`, of which the mean over s is given: its expectation is the mean distance
    (`simspec.methods.ears.texts.sampled_tv`).

    Parameters
    ----------
    target, emitted : laws (n, L, K) at consecutive positions
    tokens : integers (n, L); the token that follows each position, drawn from the target

    >>> p, o = np.full((1, 2, 2), 0.5), np.full((1, 2, 2), [0.75, 0.25])
    >>> along_texts(p, o, [[0, 1]]).tolist()  # one token: 0.25 twice; two after token 0: (1/2 - 9/8)+ + (1/2 - 3/8)+
    [[0.25, 0.125]]
    """
    tokens = np.asarray(tokens)
    length = tokens.shape[1]
    ratios = np.take_along_axis(emitted / np.where(target > 0, target, 1), tokens[..., None], axis=-1)[..., 0]
    estimates = np.zeros(tokens.shape)
    for start in range(length):
        ratio = np.ones(len(tokens))
        for count in range(1, length - start + 1):
            last = start + count - 1
            gap = np.maximum(target[:, last] - ratio[:, None] * emitted[:, last], 0).sum(axis=-1)
            estimates[:, count - 1] += gap / (length - count + 1)
            ratio = ratio * ratios[:, last]
    return estimates


def _uncertainty(p: Array) -> Array:
    """1 - max p of cut rows: the likeliest token is kept, and the rest, last, is no token."""
    return one_minus_max(p[..., :-1])


def rule(name: str, strength: float) -> Method:
    """SD, EARS with a tolerance or lenience with a factor, for laws whose last entry is the rest of a cut row.

    Raises ValueError for another name.

    >>> rule("SD", 0.0) is SD
    True
    """
    rules = {"SD": lambda: SD, "ears": lambda: ears(strength, _uncertainty), "lenience": lambda: lenience(strength)}
    if name not in rules:
        raise ValueError(f"name: {name!r}; expected one of {', '.join(rules)}")
    return rules[name]()


def answer_bias(bank: Bank, rules: Mapping[str, tuple[float, ...]], kinds: tuple[str, ...] = ANSWERS) -> Study:
    """Distance of the laws of texts under relaxed rules from the target's, along the answers of a bank, a row a run.

    Values of a run: ``tv`` of texts of 1 to L tokens, (rows, L), and its ``document``.  The tokens that a cut row leaves out
    count as one.

    Parameters
    ----------
    bank : Bank; with cut rows in runs of consecutive positions, written by the target
    rules : {rule: strengths}, see `rule`
    kinds : kinds of prompts

    >>> from simspec.logits import open_bank
    >>> answer_bias(open_bank("smollm2"), {"SD": (0.0,)}).grid[0]
    {'bank': 'smollm2', 'draft': 'quantised:3', 'rule': 'SD', 'strength': 0.0, 'rows': 84}
    """
    order, document = run_rows(bank, kinds)
    count = len(order)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        runs = order[rows.numbers.start : rows.numbers.stop]
        cut = bank.with_draft(cell["draft"]).cut
        p, q = cut.laws(runs.ravel())
        row_tokens = cut.tokens(runs.ravel())
        following = cut.index.following[runs.ravel()]
        is_following = row_tokens == following[:, None]
        places = np.where(is_following.any(axis=1), is_following.argmax(axis=1), row_tokens.shape[1])
        emitted = output_law(rule(cell["rule"], cell["strength"]), p, q)
        shape = (*runs.shape, p.shape[-1])
        values = along_texts(p.reshape(shape), emitted.reshape(shape), places.reshape(runs.shape))
        return {"tv": np.clip(values, 0, 1), "document": document[rows.numbers.start : rows.numbers.stop]}

    return Study(
        name="answer-bias",
        question="How does the bias of a rule grow over the tokens of an answer?",
        grid=tuple(
            {"bank": bank.name, "draft": draft, "rule": name, "strength": strength, "rows": count}
            for draft in bank.drafts
            for name, strengths in rules.items()
            for strength in strengths
        ),
        simulate=simulate,
        summary="total variation of text laws, estimated along answers that the target wrote",
        rows=count,
    )
