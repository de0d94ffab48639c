"""Merging the n-gram of highest reward does not lower the entropy of the token distribution.

`tasc.entropy-monotone`, with its correction and its sharper form: TASC, 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, identity
from simspec.claims.balls import enclose, log
from simspec.claims.claim import Printed
from simspec.claims.tasc.parts import Texts, draw_texts, shannon, some_ngram
from simspec.methods.tasc.enrichment import enrich, merge_text
from simspec.methods.tasc.statistics import token_law


def _first_merge(draw: Draw) -> Instance:
    letters = draw.integer(2, 3)
    return {"texts": draw_texts(draw, letters, 2, 8), "vocab": letters, "n_max": draw.integer(2, 3)}


def _entropies(texts: Texts, vocab: int) -> Array:
    """Shannon, Shannon over log V, and 2-Rényi entropy of the token distribution."""
    p = token_law(texts, vocab, exactly=True)
    h = shannon(p)
    return np.array([h, h / log(F(vocab)), -log((p * p).sum())])


def _entropies_after(texts: Texts, vocab: int, n_max: int) -> Array:
    enrichment = enrich(texts, 1, vocab, n_max)
    return _entropies(enrichment.texts, vocab + len(enrichment.ngrams))


MONOTONE = bound(
    name="tasc.entropy-monotone",
    statement=r"Merging the $n$-gram of highest reward does not lower the entropy of the token distribution: Shannon, "
    r"normalised by $\log |\mathcal V|$, 2-Rényi (rows)",
    reference="TASC, 4.1",
    instances=_first_merge,
    lhs=_entropies_after,
    rhs=lambda texts, vocab: _entropies(texts, vocab),
    relation=at_least,
    sources=("exact",),
    within=({"texts": [[0, 1] * 4], "vocab": 2, "n_max": 4},),
    corrected_by=("tasc.entropy-monotone-corrected", "tasc.entropy-monotone-sharp"),
    note="Where the n-gram makes up most of the text, one token remains: a b a b a b a b becomes z z z z, and all three "
    "entropies fall to zero, from log 2, 1 and log 2.",
    printed=Printed(
        place="TASC 4.1",
        text="the induced token distribution over the enriched vocabulary becomes less peaked, increasing the "
        "token distribution entropy and expanding the typical set",
        read="Each merge of highest reward does not lower it, for three entropies.",
    ),
)


def _collision(p: Array) -> Any:
    return (p * p).sum()


def _merged(texts: Texts, ngram: Sequence[int], new: int) -> list[list[int]]:
    return [merge_text(text, ngram, new) for text in texts]


def _lowered(texts: Texts, ngram: Sequence[int]) -> Any:
    """Q − Q' times the square of the share of the length that is left, all counted in the texts."""
    after = _merged(texts, ngram, 3)
    length_share = F(sum(map(len, after)), sum(map(len, texts)))
    return (
        _collision(token_law(texts, 3, exactly=True)) - _collision(token_law(after, 4, exactly=True))
    ) * length_share**2


def _lowered_formula(texts: Texts, ngram: Sequence[int]) -> Any:
    p = token_law(texts, 3, exactly=True)
    n = len(ngram)
    share = F(sum(text.count(3) for text in _merged(texts, ngram, 3)), sum(map(len, texts)))
    times = np.bincount(ngram, minlength=3)
    gain = 2 * (times * p).sum() - share * (1 + int((times * times).sum()))
    return share * (gain - _collision(p) * (n - 1) * (2 - (n - 1) * share))


MONOTONE_CORRECTED = identity(
    name="tasc.entropy-monotone-corrected",
    statement=r"Merging any $n$-gram that holds token $x$ $m_x$ times, at $\pi N$ places of a corpus of $N$ tokens, "
    r"changes $Q = \sum p_x^2 = e^{-H_2}$ to $Q'$ with $(Q - Q')(1 - (n-1)\pi)^2 = \pi\,[\,2\sum_x m_x p_x - \pi(1 + "
    r"\sum_x m_x^2) - (n-1)(2 - (n-1)\pi)\,Q\,]$: 2-Rényi entropy rises exactly when the bracket is positive",
    reference="correction of TASC, 4.1",
    instances=some_ngram,
    lhs=_lowered,
    rhs=_lowered_formula,
    sources=("exact",),
    corrected_by=("tasc.entropy-monotone-sharp",),
    note="Counts fall from c_x to c_x − m_x r, one of r is new, and N falls by (n − 1)r. For a rare pair (π → 0) the "
    "rule is: entropy rises when the shares of its two tokens add up to more than Q, the mean share of a token drawn from "
    "the text; one token as frequent as that is enough.",
    broken=[
        broken("zero", rhs=lambda texts, ngram: F(0)),
        broken("the right side is ignored", relation=lambda lhs, rhs: lhs),
    ],
)


def _above(texts: Texts, ngram: Sequence[int]) -> Any:
    p = token_law(texts, 3, exactly=True)
    together = F(1)
    for token in ngram:
        together *= p[token]
    length_share = F(sum(map(len, _merged(texts, ngram, 3))), sum(map(len, texts)))
    return shannon(p) * enclose(1 / length_share) + log(1 + together)


MONOTONE_SHARP = bound(
    name="tasc.entropy-monotone-sharp",
    statement=r"Merging any $n$-gram raises Shannon entropy per token at most to $H' \le \frac{N}{N'} H + \log(1 + "
    r"\prod_i p_{t_i})$: by the factor by which the text gets shorter, but for the last term",
    reference="own statement, beside TASC, 4.1",
    instances=some_ngram,
    lhs=lambda texts, ngram: shannon(token_law(_merged(texts, ngram, 3), 4, exactly=True)),
    rhs=_above,
    sources=("exact",),
    tight=({"texts": [[1, 1, 0, 1, 0, 0]], "ngram": [0, 1]},),
    note="Code the new text with p and ∏ p for the new token, divided by 1 + ∏ p: that costs N H + N' log(1 + ∏ p), and "
    "no code costs less than N' H'. So the entropy of a whole text, in nats, cannot rise by more than N' log(1 + ∏ p).",
    broken=[broken("the entropy with trigrams", rhs=lambda texts, ngram: shannon(token_law(texts, 3, exactly=True)))],
)
