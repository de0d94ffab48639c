"""multi.cover: drafts that cover the target; the proof stands in `_rates`."""

from __future__ import annotations

from proofs_check.multi import _rates

PROOFS = tuple(p for p in _rates.PROOFS if p.claim.name.startswith("multi.cover."))
