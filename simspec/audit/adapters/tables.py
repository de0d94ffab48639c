"""Language models of given laws: real models of Hugging Face transformers, with a real cache, whose logits are a table.

The model keeps the tokens that it read in its cache of keys, and looks its law up by them.  So a draft that was refused and
yet stays in the cache, a position that is off by one, or another order of ids changes the law that is emitted.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from simspec.audit.levels import Laws
from simspec.laws import Array

__all__ = ["NEVER", "TokenTable", "table_model"]

NEVER = -1e4
"""A logit whose mass is 0 in any precision: -inf times 0, in the head, would be NaN."""


def table_model(generation: type, laws: Laws, prompt: tuple[int, ...], others: int = 1) -> Any:
    """A model with the `generate` of a class, whose next token after `prompt` and t more tokens has the law of level t.

    Parameters
    ----------
    generation : a class with the method `generate`: `transformers.GenerationMixin`, or one derived from it
    laws : (gamma + 1, V), or levels of a tree; beyond the last level the last one holds
    prompt : tokens of the prompt
    others : number of tokens after the V, which are never emitted
    """
    import torch

    transformers: Any = import_module("transformers")
    outputs: Any = import_module("transformers.modeling_outputs")
    table, starts = _logits(laws, others)
    states, size = table.shape

    class TableModel(transformers.PreTrainedModel, generation):
        """Logits from a table, by the tokens in the cache."""

        config_class = transformers.PretrainedConfig

        def __init__(self, config: Any) -> None:
            super().__init__(config)
            # what the cache keeps of a token is its id
            self.embedding: Any = torch.nn.Embedding(size, 1)
            self.head: Any = torch.nn.Linear(states, size, bias=False)
            with torch.no_grad():
                self.embedding.weight.copy_(torch.arange(size)[:, None])
                self.head.weight.copy_(torch.tensor(table.T.copy()))

        def get_input_embeddings(self) -> Any:
            return self.embedding

        def set_input_embeddings(self, value: Any) -> None:
            self.embedding = value

        def get_output_embeddings(self) -> Any:
            return self.head

        def set_output_embeddings(self, new_embeddings: Any) -> None:
            self.head = new_embeddings

        def forward(self, input_ids: Any, cache: Any = None, past_key_values: Any = None, **others: Any) -> Any:
            """Logits (1, t, V + others) of the t new tokens; the cache is called `past_key_values` before version 5.24."""
            past = past_key_values if cache is None else cache
            rows = self.embedding(input_ids)[:, None]
            keys = rows if past is None else past.update(rows, rows, 0)[0]
            tokens = keys[0, 0, :, 0].long().tolist()
            read = len(tokens) - rows.shape[2]
            texts = [tokens[len(prompt) : end] for end in range(read + 1, len(tokens) + 1)]
            places = [_place(text, starts, laws) for text in texts]
            logits = self.head(torch.nn.functional.one_hot(torch.tensor(places), states).float())[None]
            named = {"past_key_values" if cache is None else "cache": past}
            return outputs.CausalLMOutputWithPast(logits=logits, **named)

    config = transformers.PretrainedConfig(
        vocab_size=size, num_hidden_layers=1, hidden_size=1, num_attention_heads=1, tie_word_embeddings=False
    )
    model = TableModel(config).eval()
    model.generation_config = transformers.GenerationConfig(pad_token_id=size - 1)
    return model


def _logits(laws: Laws, others: int) -> tuple[Array, list[int]]:
    """A row of logits for each prefix, all levels one after the other, and where each level begins."""
    rows = []
    starts = [0]
    with np.errstate(divide="ignore"):
        for level in laws:
            logits = np.maximum(np.log(level.reshape(-1, level.shape[-1])), NEVER)
            rows.append(np.pad(logits, ((0, 0), (0, others)), constant_values=NEVER))
            starts.append(starts[-1] + len(logits))
    return np.concatenate(rows), starts


def _place(text: list[int], starts: list[int], laws: Laws) -> int:
    """The row of `_logits` that holds after a text: one of the last level's where the text is as long as there are levels.

    >>> _place([1, 0], [0, 1, 3, 7], (np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2, 2))))
    5
    """
    level = min(len(text), len(laws) - 1)
    if isinstance(laws, np.ndarray):
        return starts[level]
    vocab = laws[0].shape[-1]
    place = 0
    for token in text[:level]:
        place = place * vocab + min(token, vocab - 1)
    return starts[level] + place


class TokenTable:
    """What generation asks of a tokenizer: ids by token in the order of a list, and texts of tokens between spaces.

    >>> tokens = TokenTable({"b": 1, "a": 0})
    >>> list(tokens.get_vocab()), tokens.decode([0, 1])
    (['b', 'a'], 'a b')
    """

    def __init__(self, vocab: dict[str, int]) -> None:
        self.vocab = vocab

    def get_vocab(self) -> dict[str, int]:
        """Ids by token."""
        return dict(self.vocab)

    def decode(self, ids: Any, **options: bool) -> str:
        """Tokens of ids, or of one row of ids, between spaces."""
        names = {number: token for token, number in self.vocab.items()}
        return " ".join(names[int(number)] for number in np.asarray(ids).reshape(-1))

    def __call__(self, text: str, **options: Any) -> dict[str, Any]:
        """Ids of the tokens of a text; a space alone is no token, so that no sign for it is looked for."""
        ids = [self.vocab[token] for token in text.split()]
        if options.get("return_tensors") != "pt":
            return {"input_ids": ids}
        import torch

        return {"input_ids": torch.tensor([ids])}
