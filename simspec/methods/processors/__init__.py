"""Logits processors around the test: penalties, truncation and grammars, where engines apply them and where they should.

`filters` has the processors, `rules` the verifiers that apply one before, after or beside the acceptance test, `overshoot`
what a rule that accepts more than the target allows can cost.
"""

from simspec.methods.processors.filters import Processor, frequency_penalty, min_p, penalised, processed, sharpened
from simspec.methods.processors.overshoot import fresh_bound, least_tv, overshoot, overshoot_bound
from simspec.methods.processors.rules import after_draft_tv, bonus, prefix, residual_only, stale

__all__ = [
    "Processor",
    "after_draft_tv",
    "bonus",
    "frequency_penalty",
    "fresh_bound",
    "least_tv",
    "min_p",
    "overshoot",
    "overshoot_bound",
    "penalised",
    "prefix",
    "processed",
    "residual_only",
    "sharpened",
    "stale",
]
