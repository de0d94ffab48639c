"""The verdicts that are on record; ``python -m simspec.claims.deciding.record`` writes them."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["expected"]


@cache
def expected() -> dict[str, Any]:
    """The recorded verdicts, with the seed and the effort they were recorded at.

    >>> expected()["verdicts"]["sd.inverse-proportional"]
    'refuted'
    """
    return json.loads(resources.files("simspec.claims").joinpath("expected.json").read_text(encoding="utf-8"))
