"""Laws of corpus texts for decision processes that are made up here: they stand beside those of the bank's answers, which decide.

A study of such processes names the laws of a cell by the words for their bank; `with_banks` says which cells stand beside.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from simspec.engine.study import Cell, Study
from simspec.studies.pad.problems import Sources, bank_pairs

if TYPE_CHECKING:
    from simspec.claims.deciding.data import Data

__all__ = ["bank_sources", "text_sources", "with_banks"]


def bank_sources(data: Data) -> Sources:
    """Laws of the bank that decides, if it has a draft, and of its corpus texts where it has both kinds of text."""
    bank = data.realistic
    return {} if bank.draft() is None else {data.describe_most(bank): partial(bank_pairs, bank), **text_sources(data)}


def text_sources(data: Data) -> Sources:
    """Laws of corpus texts, with the first draft, by the words for them; none where a bank has one kind of text."""
    texts = list(data.texts.values())[:1]
    return {data.describe_most(bank): partial(bank_pairs, bank) for bank in texts}


def with_banks(study: Study, data: Data) -> Study:
    """The study whose cells with laws of corpus texts say so in ``bank``, by which `simspec.claims.measured.decides` knows them.

    All other cells stay as they are.
    """
    names = {data.describe_most(bank): name for name, bank in data.texts.items()}

    def named(cell: Cell) -> Cell:
        return {**cell, "bank": names[cell["laws"]]} if cell.get("laws") in names else cell

    return replace(study, grid=tuple(map(named, study.grid)))
