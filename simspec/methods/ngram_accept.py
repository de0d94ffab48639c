"""The path that users import, for how many n-gram drafts are accepted; it is written in `simspec.methods.tasc.acceptance`."""

from simspec.methods.tasc.acceptance import (
    Calls,
    acceptance_along,
    greedy_calls,
    survival,
    target_calls,
    tokens_per_call,
)

__all__ = ["Calls", "acceptance_along", "greedy_calls", "survival", "target_calls", "tokens_per_call"]
