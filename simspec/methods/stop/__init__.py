"""Rules that end a draft by confidence, seeing the dropped token or not."""

from simspec.methods.stop.drafting import (
    Ends,
    ReportedLaw,
    dropping_last,
    ending,
    kept_law,
    one_hot,
    told_program,
    told_verifier,
    unseen,
    whole,
)
from simspec.methods.stop.rules import REPORTED, at_least, dropped, dropping, entropy_stop, survivors, top_stop

__all__ = [
    "REPORTED",
    "Ends",
    "ReportedLaw",
    "at_least",
    "dropped",
    "dropping",
    "dropping_last",
    "ending",
    "entropy_stop",
    "kept_law",
    "one_hot",
    "survivors",
    "told_program",
    "told_verifier",
    "top_stop",
    "unseen",
    "whole",
]
