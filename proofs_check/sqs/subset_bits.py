"""sqs.subset-bits: subsets are with or without the last token (Pascal's rule), and a threshold can keep any number of tokens."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge
from proofs_check.sqs._pascal import T, binomial, count, counted, k, values
from proofs_check.sqs._place_numbers import told_apart
from proofs_check.sqs._place_numbers import values as code_values
from simspec.claims.sqs.subset_bits import SOME, SUBSET
from simspec.methods.sqs.payload import adaptive_subset_bits, subset_bits

LENGTH = sp.Function("length")


def prove(d: Derivation, sign: int = 1, unit: int = 1) -> None:
    """Every V and K, the numbering of the package's code included, by Vandermonde's identity, which is proved; the bits
    that it reserves are by its definition.
    """
    fixed, adaptive, words, sizes, minimum_size = sp.symbols("fixed adaptive words sizes least", real=True)
    always_some = d.assume(SOME, ge(minimum_size, 1))
    threshold_sizes = d.domain(
        "thresholds at the values of the law (1, …, V)/Σ keep V, …, 1 tokens, above them 0, or 1 where one is always kept",
        eq(sizes, T + 1 - sp.Min(minimum_size, 1)),
    )
    number = counted(d, "a subset is with the last token or without it", sign)
    reserved = d.domain(
        "the bits that the package reserves, by its definition",
        eq(fixed, LENGTH(binomial[T, k])),
        eq(adaptive, LENGTH(binomial[T, k]) + LENGTH(T)),
    )
    code = told_apart(d, count[T, k], words)
    length = d.derive(
        "as many bits as that takes", eq(LENGTH(count[T, k]), LENGTH(unit * binomial[T, k])), number, by="algebra"
    )
    all_sizes = d.smt("V sizes", eq(sizes, T), threshold_sizes, always_some)
    bits_of_size = d.derive("and as many as the size takes", eq(LENGTH(sizes), LENGTH(T)), all_sizes, by="algebra")
    d.qed(
        length,
        d.derive("as many code words", eq(words, binomial[T, k]), code, number),
        d.derive(
            "subset and size",
            eq(LENGTH(count[T, k]) + LENGTH(sizes), LENGTH(binomial[T, k]) + LENGTH(T)),
            length,
            bits_of_size,
        ),
        d.derive("the bits reserved", eq(fixed, LENGTH(binomial[T, k])), reserved[0]),
        d.derive("with the size", eq(adaptive, LENGTH(binomial[T, k]) + LENGTH(T)), reserved[1]),
    )


def _bind(vocab: int, k: int, least: int) -> dict[str, Any]:
    subsets = list(combinations(range(vocab), k))
    symbols = values(vocab, k + 1, lambda top, at: len(list(combinations(range(top), at - 1))))
    code = code_values([[x in tokens for x in range(vocab)] for tokens in subsets])
    return {
        **symbols,
        **code,
        "ranges": {**symbols["ranges"], **code["ranges"], "n": range(1 + max(vocab, code["deep"]))},
        "sizes": vocab + 1 - min(least, 1),
        "least": least,
        "fixed": subset_bits(vocab, k),
        "adaptive": adaptive_subset_bits(vocab, k),
        "length": lambda messages: (int(messages) - 1).bit_length(),
    }


PROOF = Proof(SUBSET, prove, drop="the first row", change={"unit": 2}, bind=_bind)
