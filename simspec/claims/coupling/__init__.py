"""Couplings: shared noise in place of a test."""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = ()
"""The source, the statement, and the module that states it."""
