"""sqs.bits: positive counts go by Pascal's rule, as a first count of 1 goes with its token and a larger one loses a unit."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq
from proofs_check.sqs._pascal import T, binomial, count, counted, k, values
from proofs_check.sqs._place_numbers import told_apart
from proofs_check.sqs._place_numbers import values as code_values
from simspec.claims.sqs.bits import BITS, BITS_SHARP
from simspec.claims.sqs.parts import compositions
from simspec.laws import exact
from simspec.methods.sqs.payload import lattice_bits
from simspec.methods.sqs.quantised import quantise

PARTS = "a first count of 1 goes with its token, a larger one loses a unit"
LENGTH = sp.Function("length")
RETURNED = "each lattice point is the nearest to itself, so the quantiser returns it (see sqs.lattice-optimal)"


def prove(d: Derivation, sign: int = 1, unit: int = 1) -> None:
    """Every K and ℓ, the numbering of the package's code included, by Vandermonde's identity, which is proved; the bits
    that it reserves are by its definition.
    """
    points, returned_points, bits = sp.symbols("points found bits", nonnegative=True)
    words = sp.Symbol("words", real=True)
    shift = d.domain("a unit for each token on top makes every count positive", eq(points, count[T, k]))
    returned = d.domain(RETURNED, eq(returned_points, points))
    number = counted(d, PARTS, sign)
    reserved_bits = d.domain("the bits that the package reserves, by its definition", eq(bits, LENGTH(binomial[T, k])))
    all_ = d.derive("so many points", eq(points, binomial[T, k]), shift, number)
    several = d.derive("the quantiser returns all", eq(returned_points, unit * binomial[T, k]), returned, all_)
    code = told_apart(d, points, words)
    d.qed(
        several,
        d.derive(
            "as many bits as that takes", eq(LENGTH(returned_points), LENGTH(binomial[T, k])), several, by="algebra"
        ),
        d.derive("as many code words", eq(words, binomial[T, k]), code, all_),
        d.derive("the bits reserved", eq(bits, LENGTH(binomial[T, k])), reserved_bits),
    )


def _bars(counts: tuple[int, ...]) -> list[bool]:
    """Stars and bars: the places of the bars between the counts."""
    return [bar for m, b in enumerate(counts) for bar in [True] * (m > 0) + [False] * b]


def _bind(k: int, resolution: int) -> dict[str, Any]:
    grid = compositions(resolution, k)
    symbols = values(resolution + k - 1, k, lambda top, parts: len(compositions(top + 1, parts, 1)))
    code = code_values([_bars(b) for b in grid])
    return {
        **symbols,
        **code,
        "points": len(grid),
        "found": len({tuple(_returned(b, resolution)) for b in grid}),
        "bits": lattice_bits(k, resolution),
        "length": lambda messages: (int(messages) - 1).bit_length(),
        "ranges": {**symbols["ranges"], **code["ranges"], "n": range(1 + max(resolution + k - 1, code["deep"]))},
    }


def prove_sharp(d: Derivation, sign: int = 1, unit: int = 1) -> None:
    """Every K and ℓ; that each of these points is returned, for a law of its own, is sqs.lattice-optimal."""
    points_returned, laws_sent = sp.symbols("kept asked", nonnegative=True)
    points_counted, laws_counted = d.domain(RETURNED, eq(points_returned, count[T, k]), eq(laws_sent, count[T, k]))
    number = counted(d, PARTS, sign)
    d.qed(
        d.derive(
            "of all points returned, those of positive counts",
            eq(points_returned, unit * binomial[T, k]),
            points_counted,
            number,
        ),
        d.derive(
            "laws of positive counts, each with its own code word", eq(laws_sent, binomial[T, k]), laws_counted, number
        ),
    )


def _bind_sharp(k: int, resolution: int) -> dict[str, Any]:
    grid = [b for b in compositions(resolution, k) if all(_returned(b, resolution) == b)]
    return {
        **values(resolution - 1, k, lambda top, parts: len(compositions(top + 1, parts, 1))),
        "kept": sum(min(b) > 0 for b in grid),
        "asked": len({tuple(_returned(b, resolution)) for b in compositions(resolution, k, 1)}),
    }


def _returned(counts: tuple[int, ...], resolution: int) -> Any:
    return quantise(exact(list(counts)) / resolution, resolution)


PROOFS = (
    Proof(BITS, prove, drop="sets differ where a half does", change={"unit": 2}, bind=_bind),
    Proof(BITS_SHARP, prove_sharp, drop=RETURNED, change={"unit": 2}, bind=_bind_sharp),
)
