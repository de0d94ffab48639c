"""Changes of the claims of this drawer that their search must refute."""

from __future__ import annotations

from simspec.claims.claim import Claim

MUTATIONS: list[tuple[str, Claim]] = []
