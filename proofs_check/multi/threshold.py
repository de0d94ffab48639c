"""multi.threshold: which sets bound the optimum; the proof stands in `_thresholds`."""

from __future__ import annotations

from proofs_check.multi import _thresholds

PROOFS = tuple(p for p in _thresholds.PROOFS if p.claim.name.startswith("multi.threshold."))
