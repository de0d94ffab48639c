"""The real data a run may use: the shipped banks, or a bank of the user's own in place of all of them.

Claims about models are decided on the most realistic pair at hand.  Where its bank holds both kinds of text, answers that the
target wrote and texts of a corpus, the answers decide: on these a draft is judged when a model is served.  The corpus texts of
the same bank and the small pairs that ship stand beside them as controls.
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

__all__ = ["CONTROLS", "ON_TEXTS", "Data", "is_control", "of_kind"]

REALISTIC = "smollm2"
"""The shipped bank of a model that people use."""
CONTROLS = ("wiki", "stories")
"""The shipped pairs of small models, by the names that they have beside a more realistic one."""
ON_TEXTS = "texts"
"""Name, or first word of the name, of the corpus texts of the bank whose answers decide."""


def is_control(name: object) -> bool:
    """Whether the contexts of this name stand beside those that decide.

    >>> is_control("texts"), is_control("texts, quantised:4"), is_control("wiki"), is_control("quantised:4")
    (True, True, True, False)
    """
    return name in CONTROLS or str(name).split(", ")[0] == ON_TEXTS


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
    def whole(self) -> Bank:
        """The shipped pair of small models with one vocabulary, or the user's bank, with every context of either."""
        from simspec.logits.bank import open_bank

        return open_bank(self.path or "wiki")

    @cached_property
    def main(self) -> Bank:
        """The same; of a bank with both kinds of text the answers."""
        return _answers(self.whole)

    @cached_property
    def stories(self) -> Bank:
        """The shipped pair of small models with two vocabularies."""
        from simspec.logits.bank import open_bank

        return open_bank("stories")

    @cached_property
    def realistic(self) -> Bank:
        """The most realistic pair at hand: a bank of the user's own, else `REALISTIC`, else the main one.

        Of a bank with both kinds of text the answers that the target wrote.
        """
        return self.main if self._most_realistic is self.whole else _answers(self._most_realistic)

    @cached_property
    def _most_realistic(self) -> Bank:
        """The bank of the most realistic pair with every context."""
        from simspec.logits.bank import is_installed, open_bank

        return open_bank(REALISTIC) if self.shipped and is_installed(REALISTIC) else self.whole

    @cached_property
    def deciding(self) -> dict[str, Bank]:
        """Pairs that decide claims about pairs: the most realistic bank with each of its drafts, the first as "main"."""
        bank = self.realistic
        return {"main": bank} | {name: bank.with_draft(name) for name in bank.drafts[1:]}

    @cached_property
    def texts(self) -> dict[str, Bank]:
        """Where answers decide: the corpus texts of the same bank with each of its drafts; where all contexts do, none.

        Texts without two documents of whole rows have no interval and are left out.
        """
        from simspec.logits.bank import TEXTS, MissingPart

        bank = self._most_realistic
        if len(bank.kinds) < 2:
            return {}
        try:
            texts = bank.of_kind(TEXTS)
        except MissingPart:
            return {}
        if len(np.unique(texts.documents)) < 2:
            return {}
        return {ON_TEXTS: texts} | {f"{ON_TEXTS}, {name}": texts.with_draft(name) for name in bank.drafts[1:]}

    @cached_property
    def small(self) -> dict[str, Bank]:
        """Small pairs that ship, beside a more realistic one; none beside a bank of the user's own."""
        if not self.shipped:
            return {}
        pairs = {"stories": self.stories}
        return pairs if self.realistic is self.main else {"wiki": self.main, **pairs}

    @property
    def controls(self) -> dict[str, Bank]:
        """What stands beside the pairs that decide: corpus texts of the same bank, and the small pairs."""
        return {**self.texts, **self.small}

    @property
    def all_pairs(self) -> dict[str, Bank]:
        """Pairs that decide, and the controls beside them."""
        return {**self.deciding, **self.controls}

    @property
    def targets(self) -> dict[str, Bank]:
        """The same for claims about a target alone: each target once on each kind of text, with the first draft."""
        texts = {name: bank for name, bank in self.texts.items() if name == ON_TEXTS}
        return {"main": self.realistic, **texts, **self.small}

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
            yield self.whole
        if self.shipped and is_installed("stories"):
            yield self.stories

    @staticmethod
    def describe(bank: Bank, rows: np.ndarray | None = None) -> str:
        """Model, number of contexts, their kind where the bank has both, and number of documents, for the report."""
        documents = np.asarray(bank.documents)
        if rows is not None:
            documents = documents[rows]
        rows_in_words = "" if bank.cut is None else ", whole rows"
        contexts = f"{len(documents)} contexts{of_kind(bank)}"
        return f"{_models(bank)}: {contexts}, {len(np.unique(documents))} documents{rows_in_words}"

    @staticmethod
    def describe_cut(bank: Bank) -> str:
        """The same for a bank's cut rows; empty for a bank that has none."""
        if bank.cut is None:
            return ""
        documents = len(np.unique(bank.cut.documents))
        contexts = f"{bank.cut.contexts:,} contexts{of_kind(bank)}"
        return f"{_models(bank)}: {contexts}, {documents} documents, exact numbers beside cut rows"

    @classmethod
    def describe_most(cls, bank: Bank) -> str:
        """The same for the cut rows where a bank has any, else for the whole ones."""
        return cls.describe_cut(bank) or cls.describe(bank)

    @staticmethod
    def describe_statistics(bank: Bank) -> str:
        """The same for the statistics, which come from other documents than the contexts, and from the target alone."""
        name = bank.provenance["models"]["target"]["name"]
        if bank.statistics is None:
            return f"{name}: no statistics"
        documents = sum(bank.provenance.get("documents", {}).get(bank.statistics.source, {}).values())
        kind = of_kind(bank) if bank.has_answer_statistics or bank.kind is None else " of corpus texts"
        return f"{name}: {int(bank.statistics.contexts.sum()):,} statistics contexts{kind}, {documents} documents"


def _answers(bank: Bank) -> Bank:
    """The answers of a bank that holds both kinds of text; else the bank itself."""
    from simspec.logits.bank import ANSWERS

    return bank.of_kind(ANSWERS) if len(bank.kinds) > 1 else bank


def _models(bank: Bank) -> str:
    """Names of the target and of the draft."""
    return " / ".join(model["name"] for model in bank.provenance["models"].values())


def of_kind(bank: Bank) -> str:
    """The kind of text of a bank's contexts in words, where it is one of two; else nothing."""
    from simspec.logits.bank import KIND_WORDS

    return "" if bank.kind is None else f" of {KIND_WORDS[bank.kind]}"
