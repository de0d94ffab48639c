"""Blocks of γ drafts on one path: what a block emits, how long it is, what it saves; verification of the block as a whole.

Closed forms and the exact law of any method over several steps stand in `enumerated`; block verification, and what was written
in its place, in `verification`; hierarchical rules in `hierarchical`; the best lossless verifier, by a program, in `optimum`, and
the best one at a given distance from the target in `lossy`.
"""

from simspec.methods.block.enumerated import (
    DEEPEST,
    LONGEST,
    Model,
    Outcome,
    Prefix,
    Stop,
    accepted_length,
    block_outcomes,
    check_gamma,
    efficiency,
    latency,
    mean_acceptance_length,
    speedup,
    speedup_of_accepted,
    text_law,
)

__all__ = [
    "DEEPEST",
    "LONGEST",
    "Model",
    "Outcome",
    "Prefix",
    "Stop",
    "accepted_length",
    "block_outcomes",
    "check_gamma",
    "efficiency",
    "latency",
    "mean_acceptance_length",
    "speedup",
    "speedup_of_accepted",
    "text_law",
]
