"""One model computed in several number formats and shapes, and the differences of its logits."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array, unchecked
from simspec.logits.capture.chat import Speech, write_answer
from simspec.logits.capture.models import LanguageModel
from simspec.numerics import logit_gap
from simspec.studies.numerics.measurement import FORMATS, PAIRS, Measurement
from simspec.version import __version__

__all__ = ["BATCH", "measured_numerics"]

BATCH = 8
"""Texts that are read beside each other in the shape *batch*."""
Logits = NDArray[np.float32]


class _Text(NamedTuple):
    """Tokens of a prompt, and of the greedy answer in float32."""

    prompt: list[int]
    answer: list[int]

    @property
    def read(self) -> list[int]:
        """What a model reads to predict every token of the answer."""
        return [*self.prompt, *self.answer[:-1]]

    @property
    def positions(self) -> NDArray[np.int64]:
        """Positions of `read` after which a token of the answer comes."""
        return np.arange(len(self.prompt) - 1, len(self.prompt) - 1 + len(self.answer))


def measured_numerics(
    model: LanguageModel,
    prompts: Sequence[str],
    length: int = 64,
    formats: Sequence[str] = FORMATS,
    step: Callable[[int], None] = lambda n: None,
) -> Measurement:
    """Compare computations of a model along the texts that it writes greedily in float32.

    Parameters
    ----------
    model : in float32, as `simspec.logits.capture.load_model` gives it
    prompts : texts that it continues, at least two
    length : tokens of each continuation, at most
    formats : of `FORMATS`, float32 first
    step : is given 1 after each text of each format

    Raises
    ------
    ValueError
        for fewer than two prompts, a prompt without tokens, and texts that are longer than the model's input.
    """
    texts = _written(model, prompts, length)
    step(len(texts))
    document = np.repeat(np.arange(len(texts)), [len(text.answer) for text in texts])
    shape = (len(PAIRS), len(document))
    columns = {name: np.full(shape, np.nan) for name in ("epsilon", "margin", "tv")}
    flips = np.zeros(shape, dtype=bool)
    common = np.zeros((len(FORMATS), len(texts)), dtype=np.int64)
    references: list[Logits] = []
    for name in formats:
        converted = _in_format(model, name)
        for number, text in enumerate(texts):
            at = document == number
            prefill = converted.logits([text.read], [text.positions])
            if name == FORMATS[0]:
                references.append(prefill)
            decoded = _decoded(converted, text)
            others = {
                f"{name}: prefill and decode": decoded,
                f"{name}: alone and in a batch": _batched(converted, texts, number),
            }
            pairs = [(pair, prefill, other) for pair, other in others.items()]
            if name != FORMATS[0]:
                pairs.append((f"prefill: float32 and {name}", references[number], prefill))
            for pair, first, second in pairs:
                row = PAIRS.index(pair)
                flips[row, at] = first.argmax(axis=1) != second.argmax(axis=1)
                for column, values in _differences(first, second):
                    columns[column][row, at] = values
            common[FORMATS.index(name), number] = _in_common(decoded, text)
            step(1)
    return Measurement(
        **columns,
        flips=flips,
        document=document,
        common=common,
        lengths=np.array([len(text.answer) for text in texts]),
        facts=_facts(model, prompts, length, formats),
    )


def _written(model: LanguageModel, prompts: Sequence[str], length: int) -> list[_Text]:
    """The prompts with their greedy continuations."""
    if len(prompts) < 2:
        raise ValueError(f"prompts: {len(prompts)}; expected at least 2, which a batch and an interval need")
    speech = Speech(temperature=0.0, length=length)
    texts = []
    for number, prompt in enumerate(prompts):
        ids = [*model.prefix, *model.encode(prompt)]
        if not ids:
            raise ValueError(f"prompts: number {number + 1} has no tokens; expected a text")
        if model.limit is not None and len(ids) + length > model.limit:
            raise ValueError(
                f"prompts: number {number + 1} has {len(ids)} tokens, with its continuation {len(ids) + length}; the model takes "
                f"{model.limit}: expected a shorter prompt or --length"
            )
        texts.append(_Text(ids, write_answer(model, ids, speech, number)))
    return texts


def _in_format(model: LanguageModel, name: str) -> LanguageModel:
    """The model with weights and logits in another number format."""
    import torch

    if name == FORMATS[0]:
        return model
    return replace(model, model=copy.deepcopy(model.model).to(getattr(torch, name)))


def _decoded(model: LanguageModel, text: _Text) -> Logits:
    """Logits (n, V) of the answer's tokens, read one by one after the prompt."""
    import torch

    rows = []
    unread, cache = text.prompt, None
    with torch.inference_mode():
        for token in [*text.answer[:-1], None]:
            logits, cache = model.read_on(torch.tensor([unread], device=model.device), cache)
            rows.append(logits[0, -1].float().cpu().numpy())
            unread = [token] if token is not None else []
    return np.stack(rows)


def _batched(model: LanguageModel, texts: Sequence[_Text], number: int) -> Logits:
    """Logits (n, V) of a text's answer where it is read beside the next ones, padded to one length."""
    beside = [texts[(number + i) % len(texts)] for i in range(min(BATCH, len(texts)))]
    answer = texts[number].answer
    positions = [texts[number].positions, *(text.positions[-1:] for text in beside[1:])]
    return model.logits([text.read for text in beside], positions)[: len(answer)]


def _in_common(decoded: Logits, text: _Text) -> int:
    """Leading tokens that greedy decoding has in common with an answer: up to the first one that differs it reads the same."""
    differs = decoded.argmax(axis=1) != np.array(text.answer)
    return int(differs.argmax()) if differs.any() else len(text.answer)


def _differences(first: Logits, second: Logits) -> Iterator[tuple[str, Array]]:
    """Difference, margin and total variation of the rows of two computations."""
    a, b = first.astype(np.float64), second.astype(np.float64)
    yield "epsilon", logit_gap(a, b)
    two_largest = np.partition(a, -2, axis=1)[:, -2:]
    yield "margin", two_largest[:, 1] - two_largest[:, 0]
    yield "tv", unchecked.tv(unchecked.softmax(a, 1.0), unchecked.softmax(b, 1.0))


def _facts(model: LanguageModel, prompts: Sequence[str], length: int, formats: Sequence[str]) -> dict[str, Any]:
    """What is needed to measure it again."""
    import torch
    import transformers

    digest = hashlib.sha256("\n".join(prompts).encode()).hexdigest()
    return {
        "model": model.facts,
        "prompts": len(prompts),
        "sha256 of the prompts": digest,
        "length": length,
        "batch": min(BATCH, len(prompts)),
        "formats": list(formats),
        "device": model.device,
        "versions": {"simspec": __version__, "torch": torch.__version__, "transformers": transformers.__version__},
    }
