"""A pair of models as a source for advice: its bank, with the texts that a bank leaves out, and prompts to write on from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from simspec.logits.capture.prepared import Prepared
from simspec.studies.advise.advice import Advice, Row
from simspec.studies.advise.joint import JOINT
from simspec.studies.advise.plan import FREE
from simspec.studies.rates import Pairs, load

__all__ = ["prompts", "runnable", "source"]

MOST_OTHERS = 2000
"""Most other documents that drafters of texts are trained on."""


def source(prepared: Prepared, bank: str | Path) -> Callable[[float], Pairs]:
    """Temperature -> the pair's laws, with the text before each context, and the documents that no context is from.

    Parameters
    ----------
    prepared : what was captured
    bank : path that it was recorded to
    """
    text = [w.target[: at + 1] for w in prepared.chosen for at in w.positions.tolist()]
    used = {w.document for w in prepared.chosen}
    others = [document for number, document in prepared.documents if number not in used][:MOST_OTHERS]

    def corpus() -> list[list[int]]:
        return [ids for document in others if (ids := prepared.target.encode(document.text))]

    def laws(temperature: float) -> Pairs:
        pairs = load(bank, temperature)
        known = pairs.known._replace(text=text, corpus=corpus if others else None)
        return pairs._replace(known=known, source=f"{prepared.target.facts['name']} and {_name(prepared)}")

    return laws


def _name(prepared: Prepared) -> str:
    return "no draft" if prepared.draft is None else prepared.draft.facts["name"]


def prompts(prepared: Prepared, number: int, length: int) -> list[list[int]]:
    """Beginnings of documents, of `length` tokens each, with what the tokenizer puts before a text; documents by lot.

    Raises ValueError where fewer than two documents are long enough.
    """
    rng = np.random.default_rng(prepared.asked.seed)
    prefix = prepared.target.prefix
    found: list[list[int]] = []
    for i in rng.permutation(len(prepared.documents)):
        ids = prefix + prepared.target.encode(prepared.documents[i][1].text)
        if len(ids) > length:
            found.append(ids[:length])
        if len(found) == number:
            break
    if len(found) < 2:
        raise ValueError(f"prompts: {len(found)} documents have more than {length} tokens; expected 2 at least")
    return found


def runnable(advice: Advice) -> Row:
    """The fastest rule that can be run: lossless, one token at a time, on drafts of the draft model."""

    def able(row: Row) -> bool:
        return row.lossless and row.rule not in FREE and row.rule not in JOINT

    return max(filter(able, advice.first), key=lambda row: row.speedup.estimate, default=advice[0])
