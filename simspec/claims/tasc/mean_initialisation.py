"""A new token whose head row is the mean of its parts' rows has the mean of their logits.

`tasc.mean-initialisation`, with its sharper form: TASC, 4.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, bound, broken, identity, is_exact, law, matrix
from simspec.claims.balls import enclose, exp, log
from simspec.claims.claim import Evidence, Printed
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import rows_for
from simspec.laws import softmax
from simspec.methods.tasc.statistics import mean_logits, mean_rows

TOKENS = 512
"""Tokens of a large vocabulary on which the means are compared."""


def _head(draw: Draw) -> Instance:
    """A language-model head (d, V) with a bias, a hidden state, and an n-gram.

    Floats: the head's rows are the logits of contexts, on their first tokens, and the hidden states pick one each.
    """
    vocab = draw.vocab(2)
    if draw.exact:
        width = draw.integer(1, 2)
        head = np.array([[draw.number(-2, 2) for _ in range(vocab)] for _ in range(width)], dtype=object)
        hidden, bias = (np.array([draw.number(-2, 2) for _ in range(k)], dtype=object) for k in (width, vocab))
    else:
        head = np.log(draw.weights(vocab)[:64, :TOKENS])
        vocab = head.shape[1]
        hidden = np.eye(len(head))
        bias = np.zeros(vocab)
    ngram = [draw.integer(0, vocab - 1) for _ in range(draw.integer(2, 4))]
    return {"head": head, "hidden": hidden, "bias": bias, "ngram": ngram, "new_bias": _mean([bias[t] for t in ngram])}


def _mean(values: Sequence[Any]) -> Any:
    return sum(values) / len(values)


MEAN_BIAS = "the head has no bias, or the new token's bias is the mean too"

MEAN = identity(
    name="tasc.mean-initialisation",
    statement=r"With its row of the LM head set to the mean of its constituents' rows, a new token has the mean of their "
    r"logits",
    reference="TASC, 4.2",
    instances=_head,
    assumes={MEAN_BIAS: lambda bias, ngram, new_bias: bool(new_bias == _mean([bias[t] for t in ngram]))},
    lhs=lambda head, hidden, ngram, new_bias: (mean_rows(head.T, [ngram]) @ hidden)[0] + new_bias,
    rhs=lambda head, hidden, bias, ngram: _mean([head[:, t] @ hidden + bias[t] for t in ngram]),
    outside={
        MEAN_BIAS: {**{"head": matrix("1 0"), "hidden": law(1), "bias": law(1, 1), "ngram": [0, 1], "new_bias": F(0)}}
    },
    corrected_by=("tasc.mean-initialisation-sharp",),
    evidence=lambda data: _on_real_logits(data),
    note="Logits are linear in the head's row. A function applied to logits afterwards (a soft cap) keeps this only if "
    "it is linear. Evidence: the probability that the rows take before any training.",
    printed=Printed(
        place="TASC 4.2",
        text="we initialize its embedding vector as the mean of its constituent tokens embeddings",
        read="Applied to the LM head: the new logit is the mean of its constituents’.",
    ),
    broken=[
        broken(
            "the sum in place of the mean",
            rhs=lambda head, hidden, bias, ngram: sum(head[:, t] @ hidden + bias[t] for t in ngram),
        )
    ],
)


def _constituents(draw: Draw) -> Instance:
    """Exponentials of logits, and an n-gram of two or three different tokens."""
    vocab = draw.vocab(2)
    tokens = [draw.integer(0, vocab - 1) for _ in range(3)]
    ngram = list(dict.fromkeys(tokens))
    w = draw.weights(vocab)
    return {"w": w if draw.exact else w[:64], "ngram": ngram if len(ngram) > 1 else [0, 1]}


def _new_probability(w: Array, ngram: Sequence[int]) -> Any:
    """Probability of a new token whose logit is the mean of its constituents', z = log w."""
    if not is_exact(w):
        z = np.log(w)
        return softmax(np.concatenate([z, mean_logits(z, [ngram])], axis=-1))[..., -1]
    new = exp(sum((log(w[t]) for t in ngram), 0 * log(w[0])) / len(ngram))
    return new / (enclose(w.sum()) + new)


DISTINCT = "the constituents are different tokens"

MEAN_SHARP = bound(
    name="tasc.mean-initialisation-sharp",
    statement=r"Before any training a new token of $n$ different constituents takes probability $\frac{g}{1 + g} \le "
    r"\frac{1}{n + 1}$, $g$ the geometric mean of their probabilities",
    reference="own statement, beside TASC, 4.2",
    instances=_constituents,
    assumes={DISTINCT: lambda ngram: len(set(ngram)) == len(ngram)},
    lhs=_new_probability,
    rhs=lambda w, ngram: enclose(F(1, len(ngram) + 1)) if is_exact(w) else 1 / (len(ngram) + 1),
    tight=({"w": law(1, 1), "ngram": [0, 1]},),
    outside={DISTINCT: {"w": law(1), "ngram": [0, 0]}},
    note="g is at most the arithmetic mean, at most 1/n. Where the first token is nearly certain and the second cannot "
    "follow now, g is small: the new token is least likely where it should be used, the less so the more certain the "
    "context.",
    broken=[broken("one more token in the mean", rhs=lambda ngram: F(1, len(ngram) + 2))],
)


def _on_real_logits(data: Data) -> list[Evidence]:
    """What the rows of the bank's own most frequent bigrams would take of the next token's law."""
    bank = data.main
    rows = np.arange(bank.contexts)[: rows_for(data, 24, 100, 10_000)]
    last, following = (np.asarray(x) for x in (bank.index.last, bank.index.following))
    pairs = Counter(zip(last.tolist(), following.tolist(), strict=True))
    bigrams = [pair for pair, _ in pairs.most_common(100) if pair[0] != pair[1] and min(pair) >= 0]  # -1: not known
    if not bigrams:
        return []
    z = np.asarray(bank.target(rows), dtype=np.float64)
    p = softmax(z)
    new = softmax(np.concatenate([z, mean_logits(z, bigrams)], axis=-1))[:, bank.vocab :]
    first = np.array([a for a, _ in bigrams])
    at, pair_index = np.nonzero(following[rows][:, None] == first)
    model = bank.provenance["models"]["target"]["name"]
    label = data.describe(bank, rows)
    facts = {"bigrams": float(len(bigrams)), "largest of one": float(new.max())}
    evidence = [
        Evidence(f"{label}: all new tokens together", model, len(rows), float(new.sum(axis=1).mean()), control=facts)
    ]
    if len(at):
        facts = {"probability of that first token": float(p[at, first[pair_index]].mean())}
        text = f"{label}: a new token where its first constituent comes next"
        evidence.append(Evidence(text, model, len(at), float(new[at, pair_index].mean()), control=facts))
    return evidence
