"""Verdicts and counterexamples that are on record; ``python -m simspec.claims.deciding.record`` writes them."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["counterexamples", "expected"]


@cache
def expected() -> dict[str, Any]:
    """The recorded verdicts, with the seed and the effort they were recorded at.

    >>> expected()["verdicts"]["sd.inverse-proportional"]
    'refuted'
    """
    return json.loads(resources.files("simspec.claims").joinpath("expected.json").read_text(encoding="utf-8"))


@cache
def counterexamples() -> dict[str, list[int] | None]:
    """The choices that the counterexample of each refuted claim is drawn from; None for one that the claim lists.

    >>> counterexamples()["rdk.memory"], counterexamples()["rdk.percentage"]
    ([1, 0], None)
    """
    text = resources.files("simspec.claims").joinpath("counterexamples.json").read_text(encoding="utf-8")
    return {
        name: None if choices is None else [*map(int, choices.split())] for name, choices in json.loads(text).items()
    }
