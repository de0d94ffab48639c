"""Times of a pair of models on this machine: a draft step, a target step, and what one more drafted token costs the target.

Every step extends a cache of keys and values, as decoding does; times are medians over a few steps, so they hold for the batch
and for the machine they were taken on.  The repetitions are kept, since their spread is the error of what is computed of them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import NamedTuple

from simspec.logits.capture.models import LanguageModel, load_model

__all__ = ["Repetitions", "Times", "batch_timing", "repetitions", "timing"]

BLOCK = 8
"""Drafted tokens of the block that is timed beside a single token."""


class Times(NamedTuple):
    """Seconds of one step of the draft and of the target, and of the target on one token and `BLOCK` drafted ones."""

    draft: float
    target: float
    block: float

    @property
    def cost(self) -> float:
        """Draft time / target time."""
        return self.draft / self.target

    @property
    def verify(self) -> float:
        """Time that the target takes for one more drafted token / its time for one token; not negative.

        >>> Times(draft=0.25, target=1.0, block=1.5).verify
        0.0625
        """
        return max(0.0, (self.block - self.target) / BLOCK / self.target)

    def __str__(self) -> str:
        ms = [f"{1000 * x:.3g} ms" for x in self]
        return f"draft step {ms[0]}, target step {ms[1]}, target on {BLOCK + 1} tokens {ms[2]}"


class Repetitions(NamedTuple):
    """Seconds of every repetition of the steps whose medians are `Times`."""

    draft: tuple[float, ...]
    target: tuple[float, ...]
    block: tuple[float, ...]

    @property
    def times(self) -> Times:
        """The medians.

        >>> Repetitions((0.25,), (1.0, 1.5, 0.5), (2.0,)).times
        Times(draft=0.25, target=1.0, block=2.0)
        """
        return Times(*(statistics.median(seconds) for seconds in self))


def timing(
    target: str | LanguageModel, draft: str | LanguageModel, device: str = "auto", prompt: int = 32, steps: int = 9
) -> Times:
    """Median times of both models after a prompt.

    Parameters
    ----------
    target, draft : Hugging Face ids or local folders, or models that are loaded
    device : {"auto", "cpu", "cuda"}
    prompt, steps : tokens before the first step, and steps that are timed; both at least 1

    Raises ValueError where a model cannot be loaded, or its longest input is too short for that.
    """
    return repetitions(target, draft, device, prompt, steps).times


def repetitions(
    target: str | LanguageModel, draft: str | LanguageModel, device: str = "auto", prompt: int = 32, steps: int = 9
) -> Repetitions:
    """Times of every repetition of the steps of both models; arguments and errors are those of `timing`."""
    if prompt < 1 or steps < 1:
        raise ValueError(f"prompt, steps: {prompt}, {steps}; expected at least 1 of each")
    loaded = load_model(draft, "draft", device)
    drafted = _seconds(loaded, "draft", 1, prompt, steps)
    loaded = load_model(target, "target", device)
    return Repetitions(drafted, *(_seconds(loaded, "target", width, prompt, steps) for width in (1, BLOCK + 1)))


def batch_timing(
    target: LanguageModel,
    draft: LanguageModel,
    batches: Sequence[int],
    widths: Sequence[int] = (1, 3, 5, BLOCK + 1),
    prompt: int = 32,
    steps: int = 9,
) -> list[tuple[int, int, float, float]]:
    """Steps of a pair at each batch size and number of verified tokens, as ``simspec advise --steps`` reads them.

    Parameters
    ----------
    target, draft : models that are loaded
    batches : numbers of sequences that take a step together
    widths : numbers of tokens of a sequence that the target takes in a step; the first is 1
    prompt, steps : tokens before the first step, and steps that are timed; both at least 1

    Returns
    -------
    Rows (batch, tokens, milliseconds of the target, milliseconds of a draft step), one for each repetition.

    Raises ValueError for a batch or a width below 1, or widths without 1.
    """
    if not batches or min(batches) < 1:
        raise ValueError(f"batches: {list(batches)}; expected numbers of sequences, 1 or more")
    if 1 not in widths or min(widths) < 1:
        raise ValueError(f"widths: {list(widths)}; expected numbers of tokens, with 1 among them")
    rows = []
    for batch in batches:
        drafted = _seconds(draft, "draft", 1, prompt, steps, batch)
        for width in widths:
            seconds = _seconds(target, "target", width, prompt, steps, batch)
            rows += [(batch, width, 1000 * s, 1000 * d) for s, d in zip(seconds, drafted, strict=True)]
    return rows


def _seconds(
    loaded: LanguageModel, role: str, width: int, prompt: int, steps: int, batch: int = 1
) -> tuple[float, ...]:
    """Seconds of steps on `width` tokens of each sequence; the cache begins anew where the input would be too long."""
    import torch

    limit = loaded.limit or prompt + (steps + 1) * width
    if limit < prompt + width:
        raise ValueError(f"{role}: takes {limit} tokens; expected at least {prompt + width} to time it")
    tokens = torch.full((batch, max(prompt, width)), loaded.roles.get("eos", 0), device=loaded.device)
    took = []
    cache = None
    length = limit
    with torch.inference_mode():
        for number in range(steps + 1):  # the first is not counted: it warms up
            if length + width > limit:
                _, cache = loaded.read_on(tokens[:, :prompt])
                length = prompt
            _wait(loaded.device)
            start = time.perf_counter()
            _, cache = loaded.read_on(tokens[:, :width], cache)
            _wait(loaded.device)
            if number:
                took.append(time.perf_counter() - start)
            length += width
    return tuple(took)


def _wait(device: str) -> None:
    import torch

    if device == "cuda":
        torch.cuda.synchronize()
