"""A pair of models as a source for advice: its bank, the texts that a bank leaves out, and prompts to write on from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from simspec.logits.capture.prepared import Prepared
from simspec.logits.capture.windows import Window
from simspec.methods.registry import kind_of
from simspec.tools.advise.decoders import Setting
from simspec.tools.advise.plan import is_free
from simspec.tools.advise.running import check_one_vocabulary, decode
from simspec.tools.advise.table import Advice, Row
from simspec.tools.reading import Pairs, load

__all__ = ["prompts", "runnable", "source", "written"]

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
        knowledge = pairs.known._replace(text=text, corpus=corpus if others else None)
        return pairs._replace(known=knowledge, source=f"{prepared.target.facts['name']} and {_name(prepared)}")

    return laws


def _name(prepared: Prepared) -> str:
    return "no draft" if prepared.draft is None else prepared.draft.facts["name"]


def prompts(prepared: Prepared, number: int, length: int) -> dict[int, list[int]]:
    """Beginnings of the windows that were chosen, at most `length` tokens, by document: at most `number`, at least two.

    Raises ValueError where there are fewer, or the models have different vocabularies.
    """
    if prepared.draft is None:
        raise ValueError("--run: one model; expected TARGET DRAFT")
    check_one_vocabulary(prepared.target, prepared.draft, "--run")
    beginnings = {w.document: w.target[:length] for w in prepared.chosen}
    if len(beginnings) < 2:
        raise ValueError(
            f"--run: contexts of {len(beginnings)} document; expected at least 2 documents: raise --contexts"
        )
    rng = np.random.default_rng(prepared.asked.seed)
    picked = rng.permutation(list(beginnings))[:number]
    return {int(document): beginnings[int(document)] for document in sorted(picked)}


def written(prepared: Prepared, beginnings: dict[int, list[int]], length: int, setting: Setting) -> Prepared:
    """The same with other contexts: every token that the target writes by itself after each prompt.

    A lossless rule writes texts of this law, so what is measured on them is what a run will meet.
    """
    longest = max(map(len, beginnings.values())) + length
    limit = prepared.target.limit
    if limit is not None and longest > limit:
        raise ValueError(
            f"--length: {length}; prompt and text together have {longest} tokens; the target takes at most {limit}"
        )
    rng = np.random.default_rng([prepared.asked.seed, 1])
    windows = []
    for document, prompt in beginnings.items():
        ids, _ = decode(prepared.target, None, prompt, length, setting, rng)
        text = [*prompt, *ids]
        at = np.arange(len(prompt) - 1, len(text) - 1)
        windows.append(Window("written", document, text[:-1], text[:-1], at, at, np.array(text)[at + 1]))
    return replace(prepared, chosen=windows)


def runnable(advice: Advice) -> Row:
    """The fastest rule that can be run: lossless, one token at a time, on drafts of the draft model."""

    def able(row: Row) -> bool:
        kind = kind_of(row.rule)
        is_path = kind is not None and kind.form == "path"
        return row.lossless and not is_free(row.rule) and not is_path and row.drafted is None

    return max(filter(able, advice.first), key=lambda row: row.speedup.estimate, default=advice[0])
