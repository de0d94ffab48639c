"""Hugging Face transformers' `generate` from end to end: assisted by a draft model, by prompt lookup, with another tokenizer.

Target and draft are models whose laws are tables (`simspec.audit.adapters.tables`); everything else is the package's own:
candidates, caches, processors, the test of drafts and the loop.  A text of gamma + 1 tokens takes at least two steps, and
its law is judged.  Batches are of one text, as the package demands.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from simspec.audit.adapters.form import Adapted, Tokens
from simspec.audit.adapters.steps import drafts_of_a_step
from simspec.audit.adapters.tables import TokenTable, table_model
from simspec.audit.adapters.torches import seeded
from simspec.audit.calling import Sampler
from simspec.audit.levels import Laws
from simspec.checks import nearest

__all__ = ["ALL_OPTIONS", "generate", "lookup", "options", "options_of", "universal"]

OPTIONS = {
    "repetition": "repetition_penalty",
    "temperature": "temperature",
    "top-k": "top_k",
    "top-p": "top_p",
    "min-p": "min_p",
}
"""Names of processors and of the package's options, in the order in which the package applies them."""
ALL_OPTIONS = "repetition:1.5+temperature:0.75+top-k:2+top-p:0.875+min-p:0.25"
"""Processors that `options` asks for unless others are named."""
CALLS = 1000
"""Calls on each pair, some hundredths of a second each."""
TV_LIMIT = 0.25
"""TV that so many calls decide on."""

Drafting = Callable[[type, Laws, Laws], tuple[Any, tuple[int, ...], dict[str, Any]]]
"""(class, p, q) -> the target model, a prompt, and what `generate` is told of its drafts."""


def generate(generation: type) -> Adapted:
    """``GenerationMixin`` or a class derived from it: ``generate(..., do_sample=True, assistant_model=...)``.

    `--processor` becomes options of `generate`, for target and draft alike; those of `options_of` are known.
    """
    return _adapted(generation, _assisted)


def options(generation: type) -> Adapted:
    """The same with all options at once, `ALL_OPTIONS`: the target's law is the processed one."""
    return _adapted(generation, _assisted, ALL_OPTIONS)


def lookup(generation: type) -> Adapted:
    """``generate(..., prompt_lookup_num_tokens=...)``: drafts are what follows in the prompt where the last token stands."""
    return _adapted(generation, _looked_up)


def universal(generation: type) -> Adapted:
    """``generate(..., assistant_model=..., tokenizer=..., assistant_tokenizer=...)``: the draft has another tokenizer.

    It has the target's tokens and one of its own, and lists them in another order than that of their ids, as fast tokenizers
    do.  `simspec.audit.adapters.translation` gives the exact law of its part that translates.
    """
    return _adapted(generation, _translated)


def options_of(processor: str) -> dict[str, Any]:
    """Options of `generate` that a processor's text stands for.

    Raises
    ------
    ValueError
        where the package has no such option, or applies them in another order.

    >>> options_of("temperature:0.5+top-k:2")
    {'top_k': 2, 'temperature': 0.5}
    >>> options_of("top-k:2+temperature:0.5")
    Traceback (most recent call last):
    ...
    ValueError: processor: 'top-k:2+temperature:0.5'; transformers applies them in the order repetition, temperature, \
top-k, top-p, min-p: expected temperature:0.5+top-k:2
    """
    usages = processor.split("+") if processor else []
    names = [usage.partition(":")[0] for usage in usages]
    for name in names:
        if name not in OPTIONS:
            raise ValueError(
                f"processor: {name!r}{nearest(name, OPTIONS)}; transformers' generate has {', '.join(OPTIONS)}"
            )
    order = sorted(usages, key=lambda usage: list(OPTIONS).index(usage.partition(":")[0]))
    if order != usages or len({*names}) < len(names):
        raise ValueError(
            f"processor: {processor!r}; transformers applies them in the order {', '.join(OPTIONS)}: expected "
            f"{'+'.join(dict.fromkeys(order))}"
        )
    # the package cuts to 50 tokens where it is told nothing
    keywords: dict[str, Any] = {"top_k": 0}
    for usage in usages:
        name, _, number = usage.partition(":")
        keywords[OPTIONS[name]] = int(float(number)) if name == "top-k" else float(number)
    return keywords


def _adapted(generation: type, drafting: Drafting, processor: str = "") -> Adapted:
    def with_options(text: str) -> Sampler:
        keywords = options_of(text)
        return lambda p, q, n, rng: _texts(*drafting(generation, p, q), keywords, len(p), n, rng)

    return Adapted(
        with_options(processor),
        is_one_step=False,
        calls=CALLS,
        tv_limit=TV_LIMIT,
        processor=processor,
        with_options=with_options,
    )


def _texts(
    target: Any,
    prompt: tuple[int, ...],
    drafting: dict[str, Any],
    keywords: dict[str, Any],
    length: int,
    n: int,
    rng: np.random.Generator,
) -> Tokens:
    """Texts (n, length) after a prompt, each by a call of its own."""
    import torch

    ids = torch.tensor([prompt])
    asked = {"max_new_tokens": length, "do_sample": True, "attention_mask": torch.ones_like(ids)} | drafting | keywords
    texts = np.empty((n, length), dtype=np.int64)
    with seeded(rng), torch.inference_mode(), warnings.catch_warnings(), _Quiet():
        warnings.simplefilter("ignore")
        for row in texts:
            row[:] = target.generate(ids, **asked)[0, len(prompt) :].numpy()
    return texts


class _Quiet:
    """The package's log says nothing but errors for a while: it advises on arguments that its own code passes."""

    def __enter__(self) -> None:
        self.logging: Any = import_module("transformers.utils.logging")
        self.before = self.logging.get_verbosity()
        self.logging.set_verbosity_error()

    def __exit__(self, *error: object) -> None:
        self.logging.set_verbosity(self.before)


def _draft_model(generation: type, q: Laws, prompt: tuple[int, ...], length: int, others: int) -> Any:
    """A draft model that drafts as many tokens in each step, whatever was accepted, and however unsure it is."""
    model = table_model(generation, q, prompt, others)
    model.generation_config.num_assistant_tokens = drafts_of_a_step(length - 1)
    model.generation_config.num_assistant_tokens_schedule = "constant"
    model.generation_config.assistant_confidence_threshold = 0.0
    return model


def _assisted(generation: type, p: Laws, q: Laws) -> tuple[Any, tuple[int, ...], dict[str, Any]]:
    """The prompt is a token that is never emitted, so that no penalty knows it."""
    prompt = (p[0].shape[-1],)
    draft = _draft_model(generation, q, prompt, len(p), 1)
    return table_model(generation, p, prompt), prompt, {"assistant_model": draft}


def _looked_up(generation: type, p: Laws, q: Laws) -> tuple[Any, tuple[int, ...], dict[str, Any]]:
    """The prompt has each token once and then the first again, so that something follows each: token y + 1 after y."""
    vocab = p[0].shape[-1]
    prompt = (*range(vocab), 0)
    drafting = {"prompt_lookup_num_tokens": drafts_of_a_step(len(p) - 1), "max_matching_ngram_size": 1}
    return table_model(generation, p, prompt), prompt, drafting


def _translated(generation: type, p: Laws, q: Laws) -> tuple[Any, tuple[int, ...], dict[str, Any]]:
    """Ids V and V + 1 of the draft are a token that the target lacks, and the prompt's, which is the target's V."""
    vocab = p[0].shape[-1]
    tokens = [f"token{y}" for y in range(vocab)]
    target_ids = {token: y for y, token in enumerate([*tokens, "prompt"])}
    draft_ids = {token: y for y, token in enumerate([*tokens, "own", "prompt"])}
    prompt = (vocab,)
    drafting = {
        "assistant_model": _draft_model(generation, q, prompt, len(p), 2),
        "tokenizer": TokenTable(target_ids),
        # the order of the list is not that of the ids
        "assistant_tokenizer": TokenTable(dict(reversed(draft_ids.items()))),
    }
    return table_model(generation, p, prompt), prompt, drafting
