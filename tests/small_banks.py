"""A small bank in a file, complete: a pair, statistics and tuning contexts."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simspec.laws import softmax
from simspec.logits.bank.storage import Contexts, Part, Rows, store_rows, write_bank
from simspec.logits.capture.accumulate import Accumulator


def write_small_bank(folder: Path, vocab: int, contexts: int = 24) -> str:
    """Path of a new bank over V tokens: Zipf-like logits, the draft is the target with noise, three contexts a document."""
    rng = np.random.default_rng([vocab, contexts])
    base = -np.log(np.arange(1, vocab + 1))

    def pair(count: int) -> tuple[np.ndarray, np.ndarray]:
        target = base + rng.normal(size=(count, vocab))
        return target, target + rng.normal(size=target.shape)

    def index(count: int, first: int) -> Contexts:
        last, following = rng.integers(vocab, size=(2, count))
        document = first + np.arange(count) // 3
        return Contexts(last, following, np.arange(count) + 5, document, np.array(["fake.txt"] * count))

    def rows(logits: tuple[np.ndarray, np.ndarray]) -> tuple[Rows, Rows]:
        return store_rows(logits[0]), store_rows(logits[1])

    accumulator = Accumulator(vocab, np.arange(vocab, dtype=np.int32))
    folds = [pair(30) for _ in range(len(accumulator.counts))]
    for fold, (target, _) in enumerate(folds):
        following = [rng.choice(vocab, p=law) for law in softmax(target)]
        accumulator.first(target, np.array(following), fold)
    for fold, (target, draft) in enumerate(folds):
        accumulator.second(target, draft, fold)
    evaluated, tuning = rows(pair(contexts)), rows(pair(12))
    write_bank(
        folder / f"small-{vocab}.safetensors",
        name=f"small-{vocab}",
        evaluation=Part(*evaluated, index(contexts, 0)),
        tokens=[f"t{i}".encode() for i in range(vocab)],
        tuning=Part(*tuning, index(12, 100)),
        statistics=accumulator.tensors(),
        provenance={
            "models": {"target": {"name": "fake target"}, "draft": {"name": "fake draft"}},
            "documents": {"statistics": {"fake.txt": 30}},
        },
    )
    return str(folder / f"small-{vocab}.safetensors")
