"""multi.diminishing: more and more drafts; the proof stands in `_transport`."""

from __future__ import annotations

from proofs_check.multi import _transport

PROOFS = tuple(p for p in _transport.PROOFS if p.claim.name.startswith("multi.diminishing"))
