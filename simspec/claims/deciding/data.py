"""The real data a run may use: the shipped banks, or a bank of the user's own in place of the main pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from simspec.logits.bank import Bank

__all__ = ["Data"]


@dataclass(frozen=True)
class Data:
    """Banks, seed and effort of one run.

    Attributes
    ----------
    path : str or None
        a bank file of the user's; None means the shipped pair.
    seed : int
    effort : "quick", "default" or "deep"
    proofs : {claim id: entries}, optional
        proofs that were checked for this run; by default those on record count.
    """

    path: str | None = None
    seed: int = 0
    effort: str = "default"
    proofs: Mapping[str, list[dict[str, Any]]] | None = field(default=None, hash=False)

    @cached_property
    def main(self) -> Bank:
        """The homogeneous pair that real-logit claims are decided on."""
        from simspec.logits.bank import open_bank

        return open_bank(self.path or "wiki")

    @cached_property
    def stories(self) -> Bank:
        """The shipped heterogeneous pair."""
        from simspec.logits.bank import open_bank

        return open_bank("stories")

    @property
    def shipped(self) -> bool:
        """Whether the run uses the shipped banks only."""
        return self.path is None

    @property
    def bank(self) -> str:
        """What the report calls the real data: "shipped", "not installed", or the name of the user's file."""
        from simspec.logits.bank import is_installed

        if self.path is not None:
            return Path(self.path).name
        return "shipped" if is_installed("wiki") and is_installed("stories") else "not installed"

    def pairs(self) -> Iterator[Bank]:
        """Banks with a draft: identities and bounds are tried on each that is installed."""
        from simspec.logits.bank import is_installed

        if not self.shipped or is_installed("wiki"):
            yield self.main
        if self.shipped and is_installed("stories"):
            yield self.stories

    @staticmethod
    def describe(bank: Bank, rows: np.ndarray | None = None) -> str:
        """Model, number of contexts and number of documents, for the report."""
        documents = np.asarray(bank.documents)
        if rows is not None:
            documents = documents[rows]
        names = " / ".join(model["name"] for model in bank.provenance["models"].values())
        rows_in_words = "" if bank.cut is None else ", whole rows"
        return f"{names}: {len(documents)} contexts, {len(np.unique(documents))} documents{rows_in_words}"

    @staticmethod
    def describe_statistics(bank: Bank) -> str:
        """The same for the statistics, which come from other documents and from the target alone."""
        name = bank.provenance["models"]["target"]["name"]
        if bank.statistics is None:
            return f"{name}: no statistics"
        documents = sum(bank.provenance.get("documents", {}).get("statistics", {}).values())
        return f"{name}: {int(bank.statistics.contexts.sum()):,} statistics contexts, {documents} documents"
