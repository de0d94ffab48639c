"""Verification methods: every one-token rule is a `Method`; rates, output laws and bias are written once."""

from simspec.methods.block import (
    Outcome,
    accepted_length,
    block_length,
    block_outcomes,
    efficiency,
    latency,
    speedup,
    text_law,
)
from simspec.methods.pruning import keep_first, most_frequent, pruning_order
from simspec.methods.rdk import (
    affine,
    affinity_matrix,
    dense,
    exponential,
    factored,
    first_order,
    normalised,
    rdk,
)
from simspec.methods.sd import SD, drafter_kernel
from simspec.methods.step import Method, acceptance_rate, bias, is_lossless, kept_mass, leftover, output_law
from simspec.methods.tli import restricted, tli, uniform, unigram_mixture

__all__ = [
    "SD",
    "Method",
    "Outcome",
    "acceptance_rate",
    "accepted_length",
    "affine",
    "affinity_matrix",
    "bias",
    "block_length",
    "block_outcomes",
    "dense",
    "drafter_kernel",
    "efficiency",
    "exponential",
    "factored",
    "first_order",
    "is_lossless",
    "keep_first",
    "kept_mass",
    "latency",
    "leftover",
    "most_frequent",
    "normalised",
    "output_law",
    "pruning_order",
    "rdk",
    "restricted",
    "speedup",
    "text_law",
    "tli",
    "uniform",
    "unigram_mixture",
]
