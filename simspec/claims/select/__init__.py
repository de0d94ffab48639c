"""Choosing among drafters while serving: what text that was emitted losslessly says of drafters that did not draft it.

α_i(x) is the acceptance rate Σ min(p, q_i) of drafter i after a text x.  That greedy matches are no upper bound of it is
`folk.drop-probs`, and is not stated twice.  Of arXiv 2510.20064 the abstract was at hand: "we can accurately evaluate all draft
models, instead of only the chosen model without incurring additional queries to the target model".
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = (
    ("2510.20064, abstract", "select.counterfactual", "counterfactual"),
    ("own, on 2510.20064", "select.matches", "matches"),
    ("own, on 2510.20064", "select.accepted-share", "accepted_share"),
    ("own, on 2510.20064", "select.relaxed", "relaxed"),
)
"""The paper's number, the statement, and the module that states it, in the paper's own order."""
