"""`sqs.bits`, with its sharper form: SQS, Eq. 2."""

from __future__ import annotations

from math import comb

import numpy as np

from simspec.claims.authoring import Draw, Instance, identity
from simspec.claims.claim import Printed
from simspec.claims.sqs.parts import code_length, lattice_points, numbers
from simspec.methods.sqs.codec import lattice_rank
from simspec.methods.sqs.payload import lattice_bits


def _lattice(draw: Draw) -> Instance:
    return {"k": draw.integer(1, 5), "resolution": draw.integer(1, 6)}


BITS = identity(
    name="sqs.bits",
    statement=r"The lattice over $K$ tokens has $\binom{\ell + K - 1}{K - 1}$ points; $\lceil \log_2 \rceil$ of it bits describe "
    r"$\hat q$ on $X$, and no fixed-length code is shorter",
    reference="SQS, Eq. 2",
    instances=_lattice,
    lhs=lambda k, resolution: numbers(
        len(points := lattice_points(k, resolution)),
        code_length(len(points)),
        len({lattice_rank(np.array(b)) for b in points}),
        lattice_bits(k, resolution),
    ),
    rhs=lambda k, resolution: numbers(
        count := comb(resolution + k - 1, k - 1), code_length(count), count, code_length(count)
    ),
    sources=("exact",),
    corrected_by=("sqs.bits-sharp",),
    note="Stars and bars, counted here by asking the quantiser for every point it can return: each is the image of itself, so "
    "all need a code word, and the code of the package numbers them without gaps. Eq. 2 prints the logarithm alone.",
    printed=Printed(
        place="SQS, Eq. 2",
        text="the number of bits needed to describe the non-zero elements in vector …",
        read="The logarithm of the number of lattice points, rounded up.",
    ),
)

BITS_SHARP = identity(
    name="sqs.bits-sharp",
    statement=r"When $X$ is shrunk to the tokens with a positive count, as A.1 says, $\hat q$ on it is one of "
    r"$\binom{\ell - 1}{K - 1}$ points, and none can be left out",
    reference="own statement, sharpening SQS Eq. 2 by A.1",
    instances=_lattice,
    lhs=lambda k, resolution: numbers(
        sum(min(b) > 0 for b in lattice_points(k, resolution)), len(lattice_points(k, resolution, low=1))
    ),
    rhs=lambda k, resolution: numbers(*[comb(resolution - 1, k - 1)] * 2),
    sources=("exact",),
    note="One unit for each token, the other ℓ − K anywhere. The receiver learns the support from the subset, which is sent "
    "anyway; a token of count 0 would never be drafted.",
)
