"""Bits of a draft law: what the codec really sends beside the formula, over the number of tokens kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures.data import SYNTHETIC, WIKI, document, interval, pair, words
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point
from simspec.methods import dense_bits, encode, payload_bits, quantise, sparsify, top_mask

__all__ = ["BITS"]

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
RESOLUTIONS = (100, 1000)


def _simulate(cell: Cell, rows: Rows, device: str) -> Values:
    _, q = pair(cell, rows)
    sent = np.empty((len(q), len(RESOLUTIONS), len(SIZES)))
    for n, law in enumerate(q):
        for r, resolution in enumerate(RESOLUTIONS):
            for i, k in enumerate(SIZES):
                mask = top_mask(law, k)
                sent[n, r, i] = encode(quantise(sparsify(law, mask), resolution, mask), mask).length
    return {"sent": sent, "vocab": np.full(len(q), float(q.shape[-1])), "document": document(cell, rows)}


def _study(effort: str) -> Study:
    return Study(
        name="sqs-bits",
        question="How many bits does the codec send for a draft law?",
        grid=(SYNTHETIC, WIKI) if effort != "quick" else (SYNTHETIC,),
        simulate=_simulate,
        rows={"quick": 2, "default": 40, "deep": 300}[effort],
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        panel, vocab = words(result.cell), int(result.values["vocab"][0])
        for r, resolution in enumerate(RESOLUTIONS):
            for i, k in enumerate(SIZES):
                found = interval(result, result.values["sent"][:, r, i], highest=np.inf)
                yield point(panel, f"sent, ℓ = {resolution}", k, found)
        for resolution in RESOLUTIONS:
            for k in SIZES:
                yield Point(
                    panel, f"formula, ℓ = {resolution}", k, float(payload_bits(vocab, k=k, resolution=resolution))
                )
            for k in (SIZES[0], 2 * SIZES[-1]):
                yield Point(panel, f"dense, ℓ = {resolution}", k, float(dense_bits(vocab, resolution=resolution)))


BITS = Figure(
    name="sqs.bits",
    title="The codec sends exactly the bits of the formula",
    source="beyond the paper; SQS, Eqs. 2 and 5",
    study=_study,
    compact=_compact,
    data="draft laws of the wiki bank (V = 16,384) and of Gaussian logits (V = 1,000), the K likeliest tokens kept",
    intervals="95 % each: Student-t over simulated laws, bootstrap over documents of the bank",
    claims=("sqs.bits", "sqs.subset-bits", "sqs.bandwidth", "sqs.bandwidth-support"),
    shape=(1, 2),
    size=(9.6, 4.0),
)
