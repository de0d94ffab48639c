"""multi.rrsw: drafts without replacement; the proof stands in `_rates`."""

from __future__ import annotations

from proofs_check.multi import _rates, _recursive

PROOFS = tuple(p for p in (*_rates.PROOFS, *_recursive.PROOFS) if p.claim.name.startswith("multi.rrsw-"))
