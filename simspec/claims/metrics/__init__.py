"""Statements."""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = ()
"""The thread, the statement, and the module that states it."""
