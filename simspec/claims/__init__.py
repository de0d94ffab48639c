"""Claims: every statement of the papers, by id, and the machine that decides them."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simspec.claims.claim import Claim

__all__ = ["MODULES", "find", "module_of", "registry"]

MODULES = (
    "sd",
    "rdk",
    "rdk_bounds",
    "rdk_gain",
    "rdk_static",
    "rdk_linear",
    "rdk_series",
    "rdk_chance",
    "rdk_taylor",
    "rdk_pruning",
    "rdk_real",
    "rdk_data",
    "rdk_logits",
    "ears",
    "ears_paths",
    "ears_tradeoff",
    "ears_best",
    "ears_signals",
    "ears_texts",
    "ears_data",
    "pad",
    "pad_utility",
    "pad_labels",
    "pad_data",
    "sqs",
    "sqs_bits",
    "csqs",
    "csqs_rules",
    "sqs_link",
    "tasc",
    "tasc_tokens",
    "tasc_tables",
    "tasc_corpora",
    "tasc_ft_data",
    "tasc_spec_data",
)
"""Modules that list claims, in the order of the report."""


@cache
def _listed() -> dict[str, tuple[str, Claim]]:
    """Module and claim of every id, in the order of the papers."""
    listed: dict[str, tuple[str, Claim]] = {}
    for module in MODULES:
        for claim in import_module(f"simspec.claims.{module}").CLAIMS:
            if claim.name in listed:
                raise ValueError(f"two claims are called {claim.name}")
            listed[claim.name] = module, claim
    return listed


@cache
def registry() -> dict[str, Claim]:
    """Every claim by id, in the order of the papers.

    >>> "sd.acceptance" in registry()
    True
    """
    return {name: claim for name, (_, claim) in _listed().items()}


def module_of(name: str) -> str:
    """Module that lists a claim.

    >>> module_of("sd.lossless")
    'sd'
    """
    return _listed()[name][0]


def find(names: list[str] | tuple[str, ...] = ()) -> list[Claim]:
    """Claims by id or by prefix ("rdk", "sd.block"); all of them when no name is given.

    Raises
    ------
    ValueError
        for an id that no claim has, with the nearest ids.

    Examples
    --------
    >>> [c.name for c in find(["sd.speedup"])]
    ['sd.speedup', 'sd.speedup-monotone']
    """
    claims = registry()
    if not names:
        return list(claims.values())
    chosen: dict[str, Claim] = {}
    for name in names:
        hits = {n: c for n, c in claims.items() if n == name or n.startswith((name + ".", name + "-"))}
        if not hits:
            import difflib

            near = ", ".join(difflib.get_close_matches(name, claims, 3, 0.3)) or "see `simspec claims`"
            raise ValueError(f"ID: {name!r} is no claim; nearest: {near}")
        chosen |= hits
    return list(chosen.values())
