"""What a draft should be trained on: divergences, their gradients, and what a policy step does to acceptance.

α is the acceptance rate Σ min(p, q).  Pinsker's inequality for it, α ≥ 1 − √(KL(p‖q)/2), is `stop.entropy-bound-corrected`
with the names exchanged, and is not stated twice.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = (
    ("2602.23881, abstract", "loss.bretagnolle-huber", "bretagnolle_huber"),
    ("2602.23881, abstract", "loss.kl-orders", "kl_orders"),
    ("2602.23881, abstract", "loss.kl-best", "kl_best"),
    ("own, on 2602.23881", "loss.gradient", "gradient"),
    ("own, on 2602.23881", "loss.vanishing", "vanishing"),
    ("own, on 2602.23881", "loss.mixture", "mixture"),
    ("own", "loss.drift", "drift"),
    ("own", "loss.reuse", "reuse"),
)
"""The paper's number, the statement, and the module that states it, in the paper's own order."""
