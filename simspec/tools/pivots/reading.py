"""Texts that a model reads on together, token by token: padded on the left, with one cache."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy, deepcopy
from typing import Any

import numpy as np

from simspec.laws import Array
from simspec.logits.capture.models import LanguageModel

__all__ = ["Reader"]


class Reader:
    """What a model has read of n texts.

    Parameters
    ----------
    model : LanguageModel
    texts : token ids of each text, none empty

    Attributes
    ----------
    logits : tensor (n, V), float32; of the next token of each text
    hidden : tensor (n, H); the state of the last layer from which they are computed
    """

    logits: Any
    hidden: Any

    def __init__(self, model: LanguageModel, texts: Sequence[Sequence[int]]) -> None:
        import torch

        self._model = model
        self._cache: Any = None
        self._mask = torch.ones((len(texts), 0), dtype=torch.int64, device=model.device)
        self.read_on(texts)

    @classmethod
    def of_like(cls, model: LanguageModel, texts: Sequence[Sequence[int]]) -> Reader:
        """A reader of texts that begin alike: what all begin with is read once."""
        common = _common(texts)
        reader = cls(model, [texts[0][:common]] if common else texts)
        if common:
            reader.repeat(len(texts))
            reader.read_on([text[common:] for text in texts])
        return reader

    def read_on(self, texts: Sequence[Sequence[int]]) -> None:
        """Read further tokens of each text, one at least; shorter ones are padded on the left."""
        import torch

        longest = max(map(len, texts))
        padding = [longest - len(text) for text in texts]
        ids = [[0] * blank + list(text) for blank, text in zip(padding, texts, strict=True)]
        mask = [[0] * blank + [1] * len(text) for blank, text in zip(padding, texts, strict=True)]
        self._mask = torch.cat([self._mask, torch.tensor(mask, device=self._model.device)], dim=1)
        places = self._mask.cumsum(dim=1)[:, -longest:] - 1
        self._read(torch.tensor(ids, device=self._model.device), places.clamp(min=0))

    def write(self, tokens: Any) -> None:
        """Read one more token (n,) of each text."""
        import torch

        one = torch.ones_like(self._mask[:, :1])
        self._mask = torch.cat([self._mask, one], dim=1)
        self._read(tokens[:, None], self._mask.sum(dim=1, keepdim=True) - 1)

    def copied(self, times: int = 1) -> Reader:
        """A reader of its own that has read the same, each text so many times."""
        other = copy(self)
        other._cache = deepcopy(self._cache)
        other.repeat(times)
        return other

    def repeat(self, times: int) -> None:
        """Each text so many times, one beside the other."""
        self._cache.batch_repeat_interleave(times)
        self._mask = self._mask.repeat_interleave(times, dim=0)
        self.logits = self.logits.repeat_interleave(times, dim=0)
        self.hidden = self.hidden.repeat_interleave(times, dim=0)

    def keep(self, rows: Any) -> None:
        """Go on with some of the texts; rows (k,) whole numbers."""
        import torch

        rows = torch.as_tensor(rows, device=self._mask.device)
        self._cache.batch_select_indices(rows)
        self._mask = self._mask[rows]
        self.logits = self.logits[rows]
        self.hidden = self.hidden[rows]

    def laws(self, temperature: float) -> Array:
        """Laws (n, V) of the next token, float64."""
        import torch

        laws: Array = torch.softmax(self.logits.double() / temperature, dim=-1).cpu().numpy()
        return laws

    def states(self) -> Array:
        """`hidden` as an array."""
        return np.asarray(self.hidden.float().cpu().numpy(), dtype=float)

    def _read(self, ids: Any, places: Any) -> None:
        """Read token ids (n, k) at some places of the texts."""
        import torch

        name = self._model.cache_argument
        with torch.inference_mode():
            output = self._model.model(
                input_ids=ids,
                attention_mask=self._mask,
                position_ids=places,
                use_cache=True,
                output_hidden_states=True,
                logits_to_keep=1,
                **{name: self._cache},
            )
        self._cache = getattr(output, name)
        self.logits = self._model.without_pruned(output.logits[:, -1].float())
        self.hidden = output.hidden_states[-1][:, -1]


def _common(texts: Sequence[Sequence[int]]) -> int:
    """How many tokens all texts begin with, and go on after.

    >>> _common([[1, 2, 3], [1, 2, 4], [1, 2]])
    1
    """
    shortest = min(map(len, texts)) - 1
    return next((at for at in range(shortest) if len({text[at] for text in texts}) > 1), shortest)
