"""A real language model as the target of n-gram drafters: its tokens, its own bigrams, the texts that it writes.

Needs the extra `capture` (torch and transformers).  The model speaks at temperature 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simspec import laws
from simspec.kernels import random as philox
from simspec.laws import Array
from simspec.studies.tasc.ngram_tasks import Row

if TYPE_CHECKING:
    from simspec.logits.capture.models import LanguageModel

__all__ = ["ModelBigrams", "ModelTarget", "bigram_start"]

DOCUMENT = "<|endoftext|>"
"""What stands between two documents in the training of many models, GPT-2 and SmolLM2 among them."""


def bigram_start(model: LanguageModel) -> list[int]:
    """What stands before a text of one token: the mark between documents, else the mark of a begin, else nothing.

    A model that has read a single token at the first place says nearly the same of each: SmolLM2 answers "-" to all of them.
    """
    if DOCUMENT in model.strings:
        return [model.strings.index(DOCUMENT)]
    return [model.roles["bos"]] if "bos" in model.roles else list(model.prefix)


class ModelBigrams:
    """N-Grammys' table of a model: its law after a text of one token that a document begins with; each row is asked once."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self.start = bigram_start(model)
        self.rows: dict[tuple[int, ...], Array] = {}

    def law(self, context: Sequence[int]) -> Array:
        """Law (V,) after the last token of the context; after the begin alone where there is none."""
        last = tuple(context[-1:])
        if last not in self.rows:
            text = [*self.start, *last] or [self.model.roles["eos"]]
            self.rows[last] = laws.softmax(self.model.logits([text], [np.array([len(text) - 1])]))[0]
        return self.rows[last]

    def row(self, context: Sequence[int]) -> Row:
        """The law after the last token, for a mixture."""
        law = self.law(context)
        place = int(law.argmax())
        return Row(place, float(law[place]), lambda token: float(law[token]))


class ModelTarget:
    """A model that writes texts; for `simspec.studies.tasc.ngram_drafts.ngram_drafts`.

    Parameters
    ----------
    model : LanguageModel, from `simspec.logits.capture.models.load_model`, with an end-of-text token
    longest : int, optional
        tokens of a prompt and of a text at most; by default a third of the model's longest input, or 128.
    notify : (texts written so far) -> None, optional

    Raises ValueError for a model without an end-of-text token, or whose input cannot hold a prompt and a text twice as
    long.
    """

    def __init__(
        self, model: LanguageModel, longest: int | None = None, notify: Callable[[int], None] | None = None
    ) -> None:
        if "eos" not in model.roles:
            raise ValueError("model: no end-of-text token; expected a model whose tokenizer has one")
        length_limit = None if model.limit is None else (model.limit - len(model.prefix)) // 3
        self.longest = longest or min(length_limit or 128, 128)
        if self.longest < 4 or (length_limit is not None and self.longest > length_limit):
            raise ValueError(
                f"longest: {self.longest}; expected 4..{length_limit or '…'}, a third of the model's longest input"
            )
        self.model, self.vocab, self.end = model, model.vocab, model.roles["eos"]
        self.bigrams = ModelBigrams(model)
        self.notify, self.written = notify, 0

    def encode(self, text: str) -> list[int]:
        """Token ids of a text."""
        return self.model.encode(text)

    def write(self, prompt: Sequence[int], longest: int, key: int, row: int) -> list[int]:
        """Text drawn from the model after a prompt, up to its end token, `longest` or 2 `self.longest` tokens."""
        import torch

        longest = min(longest, 2 * self.longest)
        uniforms = philox.uniform(key, [row], range(longest))[0]
        fed = [*self.model.prefix, *prompt] or [self.model.roles.get("bos", self.end)]
        text: list[int] = []
        past = None
        with torch.inference_mode():
            for uniform in uniforms:
                ids = torch.tensor([fed], device=self.model.device)
                logits, past = self.model.read_on(ids, past)
                ends = laws.cdf(laws.softmax(logits[0, -1].double().cpu().numpy()))
                text.append(int(np.searchsorted(ends, uniform, side="right")))
                fed = text[-1:]
                if text[-1] == self.end:
                    break
        self.written += 1
        if self.notify is not None:
            self.notify(self.written)
        return text
