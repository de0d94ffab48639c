"""What stands in for peers."""

from __future__ import annotations

from typing import NoReturn


def absent(*given: object) -> NoReturn:
    """A peer that is not installed."""
    raise ImportError("No module named 'absent'", name="absent")
