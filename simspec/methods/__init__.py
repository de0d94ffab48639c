"""Verification methods: every one-token rule is a `Method`; rates, output laws and bias are written once."""

from simspec.methods.block import (
    Outcome,
    accepted_length,
    block_outcomes,
    efficiency,
    latency,
    mean_acceptance_length,
    speedup,
    speedup_of_accepted,
    text_law,
)
from simspec.methods.csqs.conformal import checkpoint, count_rejections, csqs, draft_thresholds, update
from simspec.methods.ears.acceptance import ears, fresh, normalised_entropy, one_minus_max, variance, verify_block
from simspec.methods.ears.costs import best_acceptance, curve, gain, support_violation
from simspec.methods.ears.relaxed import lenience, levelled, mixture, typical
from simspec.methods.ears.texts import agreement, expected_bias, sampled_tv, text_kl, text_tv
from simspec.methods.method import Method, acceptance_rate, accepted_mass, is_lossless, leftover, output_law, tv
from simspec.methods.pad.labels import label_error, label_law
from simspec.methods.pad.losses import expected_missed, expected_overrides, utility_loss
from simspec.methods.pad.pivots import flagged, noisy_flags, pad, pivots, replacement_pivots, strict
from simspec.methods.pad.prefixes import prefix_process
from simspec.methods.pad.process import Process, Run, evaluate, values
from simspec.methods.rdk.affinity import (
    affine,
    affinity_matrix,
    dense,
    exponential,
    factored,
    first_order,
    normalised,
    rdk,
)
from simspec.methods.rdk.pruning import keep_first, most_frequent, pruning_order
from simspec.methods.rdk.static import StaticMixture, static, static_acceptance, static_mixture
from simspec.methods.registry import Rule, RuleKind, register, rule
from simspec.methods.sd import SD, drafter_kernel
from simspec.methods.showing import show_step
from simspec.methods.sqs.codec import Message, decode, encode, range_decode, range_encode
from simspec.methods.sqs.payload import dense_bits, payload_bits
from simspec.methods.sqs.quantised import dense_sqs, dropped_mass, quantise, sparsify, sqs, threshold_mask, top_mask
from simspec.methods.tli import restricted, tli, uniform, unigram_mixture

__all__ = [
    "SD",
    "Message",
    "Method",
    "Outcome",
    "Process",
    "Rule",
    "RuleKind",
    "Run",
    "StaticMixture",
    "acceptance_rate",
    "accepted_length",
    "accepted_mass",
    "affine",
    "affinity_matrix",
    "agreement",
    "best_acceptance",
    "block_outcomes",
    "checkpoint",
    "count_rejections",
    "csqs",
    "curve",
    "decode",
    "dense",
    "dense_bits",
    "dense_sqs",
    "draft_thresholds",
    "drafter_kernel",
    "dropped_mass",
    "ears",
    "efficiency",
    "encode",
    "evaluate",
    "expected_bias",
    "expected_missed",
    "expected_overrides",
    "exponential",
    "factored",
    "first_order",
    "flagged",
    "fresh",
    "gain",
    "is_lossless",
    "keep_first",
    "label_error",
    "label_law",
    "latency",
    "leftover",
    "lenience",
    "levelled",
    "mean_acceptance_length",
    "mixture",
    "most_frequent",
    "noisy_flags",
    "normalised",
    "normalised_entropy",
    "one_minus_max",
    "output_law",
    "pad",
    "payload_bits",
    "pivots",
    "prefix_process",
    "pruning_order",
    "quantise",
    "range_decode",
    "range_encode",
    "rdk",
    "register",
    "replacement_pivots",
    "restricted",
    "rule",
    "sampled_tv",
    "show_step",
    "sparsify",
    "speedup",
    "speedup_of_accepted",
    "sqs",
    "static",
    "static_acceptance",
    "static_mixture",
    "strict",
    "support_violation",
    "text_kl",
    "text_law",
    "text_tv",
    "threshold_mask",
    "tli",
    "top_mask",
    "tv",
    "typical",
    "uniform",
    "unigram_mixture",
    "update",
    "utility_loss",
    "values",
    "variance",
    "verify_block",
]
