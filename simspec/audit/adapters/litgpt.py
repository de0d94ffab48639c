"""LitGPT's speculative decoding: two models as functions of positions, drafts drawn inside, options as arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.audit.adapters.form import Adapted, Tokens
from simspec.audit.adapters.torches import logarithms, seeded
from simspec.audit.calling import Sampler
from simspec.laws import Array

__all__ = ["litgpt", "litgpt_greedy", "litgpt_top_p"]

OPTIONS = {"temperature": "temperature", "top-k": "top_k", "top-p": "top_p"}
"""Names of processors, and the arguments that they are."""


def litgpt(function: Callable[..., Any]) -> Adapted:
    """``speculative_decoding(draft_model, target_model, token, input_pos, input_pos_maxp1, speculative_k, **options) -> tokens``.

    One call a time, on models whose logits are the logarithms of the laws, by position.  `--processor` becomes its options
    temperature, top-k and top-p, one at a time; temperature 0 is the most likely token.
    """
    return _adapted(function)


def litgpt_greedy(function: Callable[..., Any]) -> Adapted:
    """The same at temperature 0: the most likely token of each target row."""
    return _adapted(function, "temperature:0")


def litgpt_top_p(function: Callable[..., Any]) -> Adapted:
    """The same with top-p 0.7."""
    return _adapted(function, "top-p:0.7")


def _adapted(function: Callable[..., Any], processor: str = "") -> Adapted:
    """litgpt's function in the form of a sampler."""

    def with_options(text: str) -> Sampler:
        """The sampler with options of litgpt."""
        keywords = _options_of(text)

        def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
            import torch

            target = _Model(p)
            draft = _Model(q)
            tokens = np.full((n, len(p)), -1)
            with seeded(rng), torch.inference_mode():
                for row in tokens:
                    start = {"token": torch.tensor([0]), "input_pos": torch.tensor([0]), "input_pos_maxp1": 1}
                    emitted = function(draft, target, **start, speculative_k=len(q), **keywords)
                    row[: len(emitted)] = emitted.numpy()
            return tokens

        return sampler

    return Adapted(with_options(processor), processor=processor, with_options=with_options)


def _options_of(processor: str) -> dict[str, Any]:
    """Arguments that a processor's text stands for.

    >>> _options_of("top-k:2"), _options_of("")
    ({'top_k': 2}, {})
    """
    if not processor:
        return {}
    name, _, number = processor.partition(":")
    if name not in OPTIONS or "+" in processor:
        raise ValueError(f"processor: {processor!r}; litgpt is audited with one of {', '.join(OPTIONS)}")
    return {OPTIONS[name]: int(float(number)) if name == "top-k" else float(number)}


class _Model:
    """Logits (1, t, V) of given laws at t positions; beyond the last one the last holds."""

    def __init__(self, laws: Array) -> None:
        import torch

        self.logits = logarithms(laws, torch.float32)

    def __call__(self, idx: Any, input_pos: Any, input_pos_maxp1: int) -> Any:
        return self.logits[input_pos.clamp(max=len(self.logits) - 1)][None]
