"""A tiny bank with both kinds of text: 1 - max p ranks as entropy does on the answers, and backwards on the corpus texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simspec.logits.bank.cut import cut_part, cut_rows
from simspec.logits.bank.storage import Contexts, Part, store_rows, write_bank

VOCAB = 40
COUNT = 12
"""Contexts of each kind with whole rows, and as many with cut rows; one document each."""


def _laws() -> np.ndarray:
    """First `COUNT` laws whose uncertainty grows by either measure, then `COUNT` that lose entropy as max p falls."""
    uneven = np.exp(0.2 * np.random.default_rng(0).normal(size=VOCAB))
    laws = np.full((2 * COUNT, VOCAB), 1e-6) * uneven
    for row in range(2 * COUNT):
        is_answer = row < COUNT
        step = row % COUNT
        likeliest = 0.9 - 0.07 * step if is_answer else 0.68 - 0.01 * step
        others = np.arange(1, VOCAB if is_answer else VOCAB - 3 * step)
        laws[row, others] = (1 - likeliest) * uneven[others] / uneven[others].sum()
        laws[row, 0] = likeliest
    return laws / laws.sum(axis=-1, keepdims=True)


def write_kinds_bank(path: Path, says_so: bool = True, has_cut: bool = False) -> str:
    """Path of the bank; `says_so`: whether its provenance tells answers from texts."""
    laws = _laws()
    target = np.log(laws)
    draft = np.log(0.9 * laws + 0.1 / VOCAB)
    count = len(laws)
    corpus = np.array(["quiz/hard"] * COUNT + ["book.txt"] * COUNT)
    # the last answer comes first in the file: rows of one kind need not lie together
    order = np.roll(np.arange(count), 1 + COUNT)
    target, draft, corpus = target[order], draft[order], corpus[order]
    index = Contexts(np.arange(count), np.zeros(count), np.full(count, 3), np.arange(count), corpus)
    cut = cut_part(cut_rows([target, draft], 5), index, np.arange(count, dtype=np.int32)) if has_cut else None
    texts = [{"file": "quiz.jsonl", "for": "chat"}, {"file": "book.txt", "for": "evaluation"}]
    write_bank(
        path,
        name="both",
        evaluation=Part(store_rows(target), store_rows(draft), index),
        tokens=[f"t{number}".encode() for number in range(VOCAB)],
        provenance={
            "models": {"target": {"name": "fake target"}, "draft": {"name": "fake draft"}},
            "texts": texts,
            **({"chat": {"temperature": 1.0}} if says_so else {}),
        },
        cut=cut,
    )
    return str(path)
