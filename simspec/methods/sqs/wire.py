"""Bits that one draft's law takes on the wire, of each quantised rule: a function of the draft laws."""

from __future__ import annotations

import numpy as np

from simspec.laws import Array, Scalar
from simspec.methods.calls import Call, Map
from simspec.methods.sqs.payload import dense_bits, payload_bits
from simspec.methods.sqs.quantised import threshold_mask

__all__ = ["csqs_wire", "dense_wire", "sqs_wire", "token_bits"]


def sqs_wire(k: int, resolution: int) -> Map:
    """q -> bits of K-SQS.

    >>> sqs_wire(2, 4)(np.array([[0.5, 0.25, 0.25]])).tolist() == [payload_bits(3, 2, 4)]
    True
    """
    return Map(lambda q: np.full(q.shape[:-1], payload_bits(q.shape[-1], k, resolution)), Call(sqs_wire, k, resolution))


def dense_wire(resolution: int) -> Map:
    """q -> bits where no token is left out.

    >>> dense_wire(4)(np.array([[0.5, 0.25, 0.25]])).tolist() == [dense_bits(3, 4)]
    True
    """
    return Map(lambda q: np.full(q.shape[:-1], dense_bits(q.shape[-1], resolution)), Call(dense_wire, resolution))


def csqs_wire(threshold: Scalar, resolution: int) -> Map:
    """q -> bits of C-SQS, which sends how many tokens it keeps.

    >>> csqs_wire(0.25, 4)(np.array([[0.5, 0.25, 0.25]])).tolist() == [payload_bits(3, 3, 4, adaptive=True)]
    True
    """

    def bits(q: Array) -> Array:
        counts = threshold_mask(q, threshold).sum(axis=-1)
        sizes, where = np.unique(counts, return_inverse=True)
        prices = [payload_bits(q.shape[-1], int(k), resolution, adaptive=True) for k in sizes]
        return np.array(prices)[where.reshape(counts.shape)]

    return Map(bits, Call(csqs_wire, threshold, resolution))


def token_bits(q: Array) -> Array:
    """Bits of a token, which is all that is sent of a law that has one.

    >>> token_bits(np.full((2, 4), 0.25)).tolist()
    [2, 2]
    """
    return np.full(q.shape[:-1], max(1, (q.shape[-1] - 1).bit_length()))
