"""multi.swor-optimum: drafts in H leave less of H for the next; the proof stands in `_thresholds`."""

from __future__ import annotations

from proofs_check.multi import _thresholds

PROOFS = tuple(p for p in _thresholds.PROOFS if p.claim.name.startswith("multi.swor-optimum"))
