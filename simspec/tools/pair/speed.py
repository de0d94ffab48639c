"""How fast the pair is: what is advised at the costs of this machine and of an engine, and what decoding for real takes.

Two costs of a draft stand beside each other.  The measured one is that of this machine, where models run in float32 whatever
their bits.  The counted one is the bytes of weights that an engine reads for a draft token over those for a target token, each
at its stored bits, with verification free; it is a prediction for an engine that memory limits, and no measurement.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from simspec.logits.capture.drafts import counted_cost
from simspec.logits.capture.models import LanguageModel
from simspec.logits.capture.timing import Times, timing
from simspec.methods.speed import step_time
from simspec.tools.advise.decoders import Drafter, Setting
from simspec.tools.advise.running import Run, agree, run
from simspec.tools.pair.acceptance import SETTINGS, ends
from simspec.tools.pair.lengths import GAMMAS, tokens_of

__all__ = ["MEASURED", "advised", "beside", "costs", "measured", "sentence"]

MEASURED = tuple(setting for setting in SETTINGS if setting[1] == 1)
"""Settings at which the pair decodes for real."""
FEWEST = 5
"""Prompts below which there are no intervals."""


def costs(target: LanguageModel, draft: LanguageModel, device: str = "auto") -> dict[str, Any]:
    """Costs of a draft and of verifying one over that of a target token: measured here, and counted."""
    times = timing(target, draft, device)
    return {
        "cost": times.cost,
        "verify": times.verify,
        "times": list(times),
        "words": str(Times(*times)),
        "counted": counted_cost(draft, target),
        "bits": [target.bits, draft.bits],
    }


def advised(accepted: Sequence[float], document: Sequence[int], cost: float, verify: float) -> dict[str, Any]:
    """The number of draft tokens that makes speculative decoding fastest, and the speed that it promises.

    Parameters
    ----------
    accepted : acceptance at each position, in the order of the text
    document : of each
    cost, verify : of a draft and of verifying it, over the time of a target token

    >>> advised([0.5] * 12, [0] * 12, 0.1, 0.0)["gamma"]
    2
    """
    tokens = {gamma: tokens_of(accepted, document, gamma) for gamma in GAMMAS}
    times = {gamma: float(step_time(gamma, cost + verify)) for gamma in GAMMAS}
    speeds = {gamma: tokens[gamma].estimate / times[gamma] for gamma in GAMMAS}
    gamma = max(GAMMAS, key=speeds.__getitem__)
    low_high = [None if x is None else x / times[gamma] for x in ends(tokens[gamma])]
    return {"gamma": gamma, "tokens": ends(tokens[gamma]), "speedup": low_high, "speeds": list(speeds.values())}


def measured(
    models: tuple[LanguageModel, Drafter],
    prompts: Sequence[Sequence[int]],
    setting: Setting,
    accepted: tuple[Sequence[float], Sequence[int]],
    *,
    tokens: int,
    longest: int,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Decode for real after prompts, with drafts and without, and put it beside what was predicted.

    Parameters
    ----------
    models : target, and what drafts its tokens
    prompts : token ids
    setting : draft tokens a target step, temperature and top-p
    accepted : acceptance and document at each position, from which the tokens of a step are predicted
    tokens : to be written in all, with drafts and again without
    longest : tokens of the longest answer: so many prompts are taken that none writes more, where there are enough
    seed, progress : as in `simspec.tools.advise.running.run`
    """
    count = min(len(prompts), max(FEWEST, math.ceil(tokens / longest)))
    picked = np.random.default_rng(seed).permutation(len(prompts))[:count]
    length = math.ceil(tokens / count)
    ran = run(models, [prompts[i] for i in sorted(picked)], length, setting, seed=seed, progress=progress)
    return beside(ran, *accepted, setting.gamma)


def beside(ran: Run, accepted: Sequence[float], document: Sequence[int], gamma: int) -> dict[str, Any]:
    """Tokens of a step and speed, predicted and counted in a run, and whether they agree."""
    predicted = tokens_of(accepted, document, gamma)
    speed = ran.predicted(predicted)
    return {
        "gamma": gamma,
        "prompts": ran.prompts,
        "steps": ran.calls,
        "tokens": {
            "predicted": ends(predicted),
            "measured": ends(ran.tokens),
            "agree": agree(predicted, ran.tokens),
        },
        "speedup": {"predicted": ends(speed), "measured": ends(ran.speedup), "agree": agree(speed, ran.speedup)},
        "acceptance": ends(ran.acceptance),
        "ms": [ran.alone, ran.drafted],
    }


def sentence(settings: Sequence[dict[str, Any]], costs: dict[str, Any]) -> str:
    r"""What follows for this machine and for an engine, at the last temperature that was measured.

    >>> machine = {"gamma": 2, "speedup": [0.9, None, None]}
    >>> engine = {"gamma": 3, "speedup": [1.4, None, None]}
    >>> words = sentence([{"temperature": 1.0, "machine": machine, "engine": engine}], {"cost": 0.8, "counted": 0.1})
    >>> print(words.replace(". ", ".\n"))
    At temperature 1 on this machine, where a draft costs 0.80 target steps, do not draft.
    On an engine that memory limits, counted at 0.10, draft 3 tokens a step: predicted 1.40 times the target's speed.
    """
    last = settings[-1]
    here = f"At temperature {last['temperature']:g} on this machine, where a draft costs {costs['cost']:.2f} target steps, "
    engine = f" On an engine that memory limits, counted at {costs['counted']:.2f}, "
    return here + _advice(last["machine"]) + engine + _advice(last["engine"])


def _advice(side: dict[str, Any]) -> str:
    """What to do at one cost."""
    speed = side["speedup"][0]
    if speed <= 1:
        return "do not draft."
    count = side["gamma"]
    return f"draft {count} token{'s' if count != 1 else ''} a step: predicted {speed:.2f} times the target's speed."
