"""How often the target answers a task rightly after a prefix: rollouts of it, many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from simspec.logits.capture.models import LanguageModel
from simspec.tools.pivots.reading import Reader

__all__ = ["LAUNCH", "successes"]

LAUNCH = 160
"""Texts that are written at once."""
EVERY = 3
"""Steps after which texts that are over are let go."""


def successes(
    target: LanguageModel,
    prefixes: Sequence[Sequence[int]],
    lengths: Sequence[int],
    is_right: Callable[[int, list[int]], bool],
    times: int,
    seed: Sequence[int],
    temperature: float = 1.0,
) -> list[int]:
    """Of each prefix, how many of so many rollouts are right.

    Parameters
    ----------
    prefixes : token ids
    lengths : tokens that each may be continued by
    is_right : (number of the prefix, tokens that follow it) -> whether the answer is right
    times : rollouts of each prefix
    seed : numbers that seed the rollouts
    """
    counts = [0] * len(prefixes)
    together = max(1, LAUNCH // times)
    by_length = sorted(range(len(prefixes)), key=lambda i: (len(prefixes[i]), i))
    launches = [by_length[at : at + together] for at in range(0, len(by_length), together)]
    for number, launch in enumerate(launches):
        over = [i for i in launch if not lengths[i]]
        for i in over:
            counts[i] = times * is_right(i, [])
        running = [i for i in launch if lengths[i]]
        remaining = times
        part = 0
        while running and remaining:
            now = min(remaining, LAUNCH)
            written = _continued(
                target,
                [prefixes[i] for i in running],
                now,
                [lengths[i] for i in running],
                [*seed, number, part],
                temperature,
            )
            for i, texts in zip(running, written, strict=True):
                counts[i] += sum(is_right(i, text) for text in texts)
            remaining -= now
            part += 1
    return counts


def _continued(
    target: LanguageModel,
    prefixes: Sequence[Sequence[int]],
    times: int,
    lengths: Sequence[int],
    seed: Sequence[int],
    temperature: float,
) -> list[list[list[int]]]:
    """Tokens that follow each prefix, so many times, up to the end of the text."""
    import torch

    end = target.roles["eos"]
    generator = torch.Generator(device=target.device)
    generator.manual_seed(int(np.random.SeedSequence(list(seed)).generate_state(1)[0]))
    reader = Reader(target, prefixes)
    reader.repeat(times)
    texts: list[list[int]] = [[] for _ in range(len(prefixes) * times)]
    rows = np.arange(len(texts))
    limit = np.repeat(lengths, times)
    for step in range(max(lengths)):
        law = torch.softmax(reader.logits / temperature, dim=-1)
        tokens = torch.multinomial(law, 1, generator=generator)[:, 0]
        said = tokens.cpu().numpy()
        for row, token in zip(rows.tolist(), said.tolist(), strict=True):
            if not texts[row] or texts[row][-1] != end:
                texts[row].append(token)
        ended = np.array([texts[row][-1] == end for row in rows]) | (limit[rows] <= step + 1)
        if ended.all():
            break
        if step % EVERY == EVERY - 1 and ended.any():
            going_on = np.flatnonzero(~ended)
            rows = rows[going_on]
            reader.keep(going_on)
            tokens = tokens[torch.as_tensor(going_on, device=tokens.device)]
        reader.write(tokens)
    cut = [text[: limit[row]] for row, text in enumerate(texts)]
    return [cut[i * times : (i + 1) * times] for i in range(len(prefixes))]
