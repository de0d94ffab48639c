"""Models with the keys and values of what they have read: of the target's own tokens, or of its text in another tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from simspec.laws import Array, softmax, unchecked
from simspec.logits.capture.models import LanguageModel
from simspec.logits.capture.reread import Reader
from simspec.methods.method import Method
from simspec.methods.sd import SD

__all__ = ["Decoder", "Drafter", "RereadingDecoder", "Setting", "Translated", "decoder_of"]


class Setting(NamedTuple):
    """A rule, its drafts a call, and what both models do to their laws."""

    method: Method = SD
    gamma: int = 4
    temperature: float = 1.0
    top_p: float = 1.0


class Decoder:
    """A model with the keys and values of the text that it has read."""

    def __init__(self, loaded: LanguageModel) -> None:
        self.loaded, self.read = loaded, 0
        self.cache: Any = None

    def prefill(self, prompt: Sequence[int]) -> None:
        """Read a prompt but for its last token."""
        if len(prompt) > 1:
            self.laws(prompt[:-1], Setting())

    def laws(self, text: Sequence[int], setting: Setting, rows: int = 1) -> Array:
        """Laws (rows, V) after each of the last `rows` tokens of a text that begins with what was read."""
        import torch

        new = torch.tensor([list(text[self.read :])], device=self.loaded.device)
        with torch.inference_mode():
            logits, self.cache = self.loaded.read_on(new, self.cache)
        self.read = len(text)
        z = logits[0, -rows:].float().cpu().numpy().astype(np.float64)
        p = softmax(z, setting.temperature)
        return p if setting.top_p == 1 else unchecked.top_p(p, setting.top_p)

    def forget(self, length: int) -> None:
        """Keep the first `length` tokens of what was read."""
        if self.cache is not None and length < self.read:
            self.cache.crop(length - self.read)  # so many tokens less
            self.read = length


@dataclass(frozen=True)
class Translated:
    """A draft with another tokenizer, which drafts tokens of the target.

    Attributes
    ----------
    target, draft : the two models
    translate : laws (n, Vd) over the draft's tokens -> laws (n, V) over the target's, as
        :func:`simspec.studies.pairs.draft_laws` makes them for TLI, and `read_laws` for SLEM and SLRS
    prompts : token ids of each prompt in the draft's tokens, by the target's
    """

    target: LanguageModel
    draft: LanguageModel
    translate: Callable[[Array], Array]
    prompts: Mapping[tuple[int, ...], list[int]]

    @property
    def vocab(self) -> int:
        """V, that of the laws."""
        return self.target.vocab

    @cached_property
    def reader(self) -> Reader:
        """The target's tokens in the draft's."""
        return Reader(self.target, self.draft)


class RereadingDecoder:
    """A draft that reads the target's text in its own tokens, and the keys and values of what it has read.

    Before each law the text so far is tokenized anew; what its tokens have in common with those that were read is kept.  Of a
    text that is longer than the draft takes it reads the end.

    Parameters
    ----------
    translated : Translated
    prompt : the target's token ids with which each text begins
    """

    def __init__(self, translated: Translated, prompt: Sequence[int]) -> None:
        self._translated = translated
        self._prompt_length = len(prompt)
        self._begins = translated.prompts[tuple(prompt)]
        self._decoder = Decoder(translated.draft)
        self._read: list[int] = []

    def prefill(self, prompt: Sequence[int]) -> None:
        """Read a prompt but for its last token."""
        if len(self._begins) > 1:
            self._law(self._begins[:-1], Setting())

    def laws(self, text: Sequence[int], setting: Setting, rows: int = 1) -> Array:
        """Law (1, V) over the target's tokens after a text of the target, which begins with the prompt."""
        if rows != 1:
            raise ValueError(f"rows: {rows}; expected 1, since the draft's tokens are not those of the text")
        ids = [*self._begins, *self._translated.reader(text[self._prompt_length :])]
        law = self._translated.translate(self._law(ids, setting))
        return law if setting.top_p == 1 else unchecked.top_p(law, setting.top_p)

    def forget(self, length: int) -> None:
        """Nothing is to be done: what a text has in common with what was read is found when it is read."""

    def _law(self, ids: list[int], setting: Setting) -> Array:
        """Law (1, Vd) after the draft's own tokens, of which those that were read already are not read again."""
        limit = self._translated.draft.limit
        if limit is not None:
            ids = ids[-limit:]
        # the last token is read anew in any case: a law is asked for after it
        longest = min(len(ids) - 1, len(self._read))
        common = next((i for i in range(longest) if ids[i] != self._read[i]), longest)
        self._decoder.forget(common)
        law = self._decoder.laws(ids, setting._replace(top_p=1.0))
        self._read = ids
        return law


Drafter = LanguageModel | Translated
"""What can draft tokens of a target."""


def decoder_of(model: Drafter, prompt: Sequence[int]) -> Decoder | RereadingDecoder:
    """A decoder of texts that begin with a prompt, which has read nothing."""
    return RereadingDecoder(model, prompt) if isinstance(model, Translated) else Decoder(model)
