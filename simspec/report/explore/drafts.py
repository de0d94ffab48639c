"""What the page's parts on greedy and parallel drafts offer: criteria and parameters, and the Python of each criterion.

The arithmetic stands in ``certificate.js`` and ``parallel.js``, after `simspec.certificates` and `simspec.methods.parallel`;
a test holds both to the package.
"""

from __future__ import annotations

from typing import NamedTuple

from simspec.report.explore.rules import Dial

__all__ = ["CRITERIA", "DRAFT_DIALS", "Criterion"]


class Criterion(NamedTuple):
    """Which tokens of the target's law a criterion accepts: its name, its one parameter, and the Python of what it rejects."""

    title: str
    dial: str
    python: str


CRITERIA: dict[str, Criterion] = {
    "likeliest": Criterion("the m likeliest tokens of p", "likeliest", "rejects_beyond_top(p, {likeliest})"),
    "additive": Criterion("tokens with p(x) ≥ max p − τ", "margin", "rejects_additive(p, {margin})"),
    "multiplicative": Criterion("tokens with p(x) ≥ ρ max p", "ratio", "rejects_multiplicative(p, {ratio})"),
}
"""Criteria by name. Typical acceptance is left out: there is a logarithm in its limit."""

DRAFT_DIALS: dict[str, Dial] = {
    "criterion": Dial("Accepted are", "with m = 1 it is greedy decoding: the target's likeliest token only", "choice",
                      "likeliest", options=tuple((name, criterion.title) for name, criterion in CRITERIA.items())),
    "likeliest": Dial("Tokens m", "how many tokens are accepted, the first of equals first", "whole", "1", "1", "8"),
    "margin": Dial("Margin τ", "0 accepts the likeliest tokens only", "number", "1/4", "0", "1", "1/60"),
    "ratio": Dial("Share ρ", "1 accepts the likeliest tokens only; 0 accepts all", "number", "1/2", "0", "1", "1/20"),
    "dependence": Dial("Dependence", "0: the second token ignores the first; 1: the laws as they are set here", "number", "1",
                       "0", "1", "1/20"),
}  # fmt: skip
"""Parameters of both parts by name; no name is one of `simspec.report.explore.rules.DIALS`."""
