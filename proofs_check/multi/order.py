"""multi.order: drafts in another order; the proof stands in `_recursive`."""

from __future__ import annotations

from proofs_check.multi import _recursive

PROOFS = tuple(p for p in _recursive.PROOFS if p.claim.name.startswith("multi.order."))
