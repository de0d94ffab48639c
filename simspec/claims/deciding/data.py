"""The real data a run may use: the shipped banks, or a bank of the user's own in place of all of them.

Claims about models are decided on the most realistic pair at hand; the small pairs that ship stand beside it as controls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from simspec.logits.bank import Bank

__all__ = ["CONTROLS", "Data"]

REALISTIC = "smollm2"
"""The shipped bank of a model that people use."""
CONTROLS = ("wiki", "stories")
"""The shipped pairs of small models, by the names that they have beside a more realistic one."""


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
        """The shipped pair of small models with one vocabulary, or the user's bank."""
        from simspec.logits.bank import open_bank

        return open_bank(self.path or "wiki")

    @cached_property
    def stories(self) -> Bank:
        """The shipped pair of small models with two vocabularies."""
        from simspec.logits.bank import open_bank

        return open_bank("stories")

    @cached_property
    def realistic(self) -> Bank:
        """The most realistic pair at hand: a bank of the user's own, else `REALISTIC`, else the main one."""
        from simspec.logits.bank import is_installed, open_bank

        return open_bank(REALISTIC) if self.shipped and is_installed(REALISTIC) else self.main

    @cached_property
    def deciding(self) -> dict[str, Bank]:
        """Pairs that decide claims about pairs: the most realistic bank with each of its drafts, the first as "main"."""
        bank = self.realistic
        return {"main": bank} | {name: bank.with_draft(name) for name in bank.drafts[1:]}

    @cached_property
    def controls(self) -> dict[str, Bank]:
        """Small pairs that ship, which stand beside what decides; none beside a bank of the user's own."""
        if not self.shipped:
            return {}
        pairs = {"stories": self.stories}
        return pairs if self.realistic is self.main else {"wiki": self.main, **pairs}

    @property
    def all_pairs(self) -> dict[str, Bank]:
        """Pairs that decide, and the controls beside them."""
        return {**self.deciding, **self.controls}

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
        return "shipped" if all(map(is_installed, (REALISTIC, *CONTROLS))) else "not installed"

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
    def describe_cut(bank: Bank) -> str:
        """The same for a bank's cut rows; empty for a bank that has none."""
        if bank.cut is None:
            return ""
        names = " / ".join(model["name"] for model in bank.provenance["models"].values())
        documents = len(np.unique(bank.cut.documents))
        return f"{names}: {bank.cut.contexts:,} contexts, {documents} documents, exact numbers beside cut rows"

    @classmethod
    def describe_most(cls, bank: Bank) -> str:
        """The same for the cut rows where a bank has any, else for the whole ones."""
        return cls.describe_cut(bank) or cls.describe(bank)

    @staticmethod
    def describe_statistics(bank: Bank) -> str:
        """The same for the statistics, which come from other documents and from the target alone."""
        name = bank.provenance["models"]["target"]["name"]
        if bank.statistics is None:
            return f"{name}: no statistics"
        documents = sum(bank.provenance.get("documents", {}).get("statistics", {}).values())
        return f"{name}: {int(bank.statistics.contexts.sum()):,} statistics contexts, {documents} documents"
