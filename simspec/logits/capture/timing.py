"""Times of a pair of models on this machine: a draft step, a target step, and what one more drafted token costs the target.

Every step extends a cache of keys and values, as decoding does; times are medians over a few steps of one sequence, so they
hold for a batch of one and for the machine they were taken on.
"""

from __future__ import annotations

import statistics
import time
from typing import NamedTuple

from simspec.logits.capture.models import LanguageModel, load_model

__all__ = ["Times", "timing"]

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
    if prompt < 1 or steps < 1:
        raise ValueError(f"prompt, steps: {prompt}, {steps}; expected at least 1 of each")
    loaded = load_model(draft, "draft", device)
    drafted = _step(loaded, "draft", 1, prompt, steps)
    loaded = load_model(target, "target", device)
    return Times(drafted, *(_step(loaded, "target", width, prompt, steps) for width in (1, BLOCK + 1)))


def _step(loaded: LanguageModel, role: str, width: int, prompt: int, steps: int) -> float:
    """Median seconds of a step on `width` tokens; the cache begins anew where the model's input would be too long."""
    import torch

    limit = loaded.limit or prompt + (steps + 1) * width
    if limit < prompt + width:
        raise ValueError(f"{role}: takes {limit} tokens; expected at least {prompt + width} to time it")
    tokens = torch.full((1, max(prompt, width)), loaded.roles.get("eos", 0), device=loaded.device)
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
    return statistics.median(took)


def _wait(device: str) -> None:
    import torch

    if device == "cuda":
        torch.cuda.synchronize()
