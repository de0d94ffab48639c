r"""Decoding for real: a target and a draft write on from prompts, with a rule and without, and calls and seconds are counted.

Both models extend a cache of keys and values, as engines do; laws, drafts and coins are those of `simspec.methods`.  It is
a check of what is advised, not a fast decoder: one sequence at a time, laws in 64 bits on the host.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.estimates.intervals import Interval, documents
from simspec.laws import Array, softmax, unchecked
from simspec.logits.capture.models import LanguageModel
from simspec.methods.sd import SD
from simspec.methods.step import Method

__all__ = ["Decoder", "Run", "Setting", "decode", "run"]


class Setting(NamedTuple):
    """A rule, its drafts a call, and what both models do to their laws."""

    method: Method = SD
    gamma: int = 4
    temperature: float = 1.0
    top_p: float = 1.0


class Decoder:
    """A model with the keys and values of the text that it has read."""

    def __init__(self, loaded: LanguageModel) -> None:
        self.loaded, self.cache, self.read = loaded, None, 0

    def laws(self, text: Sequence[int], setting: Setting, rows: int = 1) -> Array:
        """Laws (rows, V) after each of the last `rows` tokens of a text that begins with what was read."""
        import torch

        new = torch.tensor([list(text[self.read :])], device=self.loaded.device)
        with torch.inference_mode():
            made: Any = self.loaded.model(input_ids=new, past_key_values=self.cache, use_cache=True)
        self.cache, self.read = made.past_key_values, len(text)
        z = made.logits[0, -rows:].float().cpu().numpy().astype(np.float64)
        p = softmax(z, setting.temperature)
        return p if setting.top_p == 1 else unchecked.top_p(p, setting.top_p)

    def forget(self, length: int) -> None:
        """Keep the first `length` tokens of what was read."""
        if self.cache is not None and length < self.read:
            self.cache.crop(length - self.read)  # so many tokens less
            self.read = length


class Counts(NamedTuple):
    """What one text took: tokens written, target calls, drafts tested and kept, and seconds."""

    tokens: int
    calls: int
    tested: int
    kept: int
    seconds: float


class Run(NamedTuple):
    """What was counted over all prompts; intervals are over prompts.

    Attributes
    ----------
    tokens : tokens a target call
    speedup : seconds a token of the target alone / with drafts
    acceptance : drafts kept / drafts tested
    prompts, calls : int
    alone, drafted : milliseconds a token, without drafts and with them
    """

    tokens: Interval
    speedup: Interval
    acceptance: Interval
    prompts: int
    calls: int
    alone: float
    drafted: float


def _draw(law: Array, rng: np.random.Generator) -> int:
    """A token: the first whose cumulative mass is above a uniform number times the total."""
    cumulative = np.cumsum(law)
    return int(min(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"), len(law) - 1))


def decode(
    target: LanguageModel,
    draft: LanguageModel | None,
    prompt: Sequence[int],
    length: int,
    setting: Setting,
    rng: np.random.Generator,
) -> tuple[list[int], Counts]:
    """Write on from a prompt until `length` tokens or the end of the text; without a draft the target alone.

    Returns
    -------
    tokens written, and what they took.  The last call may go beyond `length`; reading the prompt is not counted.
    """
    ours, theirs = Decoder(target), None if draft is None else Decoder(draft)
    text = list(prompt)
    for model in (ours, theirs):
        if model is not None and len(text) > 1:
            model.laws(text[:-1], setting)
    calls = tested = kept = 0
    end = target.roles.get("eos")
    start = time.perf_counter()
    while len(text) - len(prompt) < length:
        drafts, emitted, seen = _call(ours, theirs, text, setting, rng)
        calls, kept, tested = calls + 1, kept + len(emitted) - 1, tested + seen
        before = len(text)
        ours.forget(before + len(emitted) - 1)
        if theirs is not None:
            theirs.forget(before + len(emitted) - 1)
        if end in emitted:
            text += emitted[: emitted.index(end) + 1]
            break
        text += emitted
    return text[len(prompt) :], Counts(len(text) - len(prompt), calls, tested, kept, time.perf_counter() - start)


def _call(
    ours: Decoder, theirs: Decoder | None, text: list[int], setting: Setting, rng: np.random.Generator
) -> tuple[list[int], list[int], int]:
    """One target call: the drafts, what is emitted, and how many drafts were tested."""
    propose, keep, residual = setting.method
    drafts: list[int] = []
    told: list[Array] = []
    for _ in range(0 if theirs is None else setting.gamma):
        assert theirs is not None
        told.append(propose(theirs.laws([*text, *drafts], setting)[0]))
        drafts.append(_draw(told[-1], rng))
    p = ours.laws([*text, *drafts], setting, len(drafts) + 1)
    for i, (token, d) in enumerate(zip(drafts, told, strict=True)):
        if not rng.random() * d[token] < keep(p[i], d)[token]:
            return drafts, [*drafts[:i], _draw(residual(p[i], d), rng)], i + 1
    return drafts, [*drafts, _draw(p[-1], rng)], len(drafts)


def run(
    models: tuple[LanguageModel, LanguageModel],
    prompts: Sequence[Sequence[int]],
    length: int,
    setting: Setting,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    level: float = 0.95,
) -> Run:
    """Write on from each prompt with drafts and without, in turn, and compare.

    Parameters
    ----------
    models : target and draft, over one vocabulary
    prompts : at least two, of at least one token each
    length : tokens to write after each, at least 1
    setting : Setting

    Raises ValueError for vocabularies that differ, and texts that are too long for one of the models.
    """
    target, draft = models
    if target.strings != draft.strings:
        raise ValueError("run: the draft has another vocabulary; expected one vocabulary")
    limit = min(model.limit or length + 10**9 for model in models)
    longest = max(map(len, prompts)) + length + setting.gamma + 1
    if longest > limit:
        raise ValueError(f"run: prompt, text and drafts have {longest} tokens, a model takes {limit}; expected less")
    rng = np.random.default_rng(seed)
    decode(target, draft, prompts[0], 2, setting, rng)  # the first calls are slow, and not counted
    rows = []
    for number, prompt in enumerate(prompts):
        _, with_drafts = decode(target, draft, prompt, length, setting, rng)
        _, alone = decode(target, None, prompt, length, setting, rng)
        rows.append([*with_drafts, *alone])
        if progress is not None:
            progress(number + 1, len(prompts))
    return _run(np.array(rows, dtype=np.float64), level)


def _run(x: Array, level: float) -> Run:
    """Ratios of sums over the prompts, with bootstrap intervals."""
    text = np.arange(len(x))

    def over(top: Callable[[Array], Array]) -> Interval:
        return documents(x, text, level, statistic=top)

    sums = x.sum(axis=0)
    return Run(
        over(lambda m: m[..., 0] / m[..., 1]),
        over(lambda m: (m[..., 9] / m[..., 5]) / (m[..., 4] / m[..., 0])),
        over(lambda m: m[..., 3] / m[..., 2]),
        len(x),
        int(sums[1]),
        float(1000 * sums[9] / sums[5]),
        float(1000 * sums[4] / sums[0]),
    )
