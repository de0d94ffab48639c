"""Mean acceptance length along the answers, beside its limits: independent steps, and laws that last.

Computed from the acceptance at each position, exactly (`simspec.tools.advise.walk`); intervals are over answers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simspec.engine.estimates.clusters import means
from simspec.engine.estimates.intervals import Interval
from simspec.logits.bank import Bank
from simspec.tools.advise.walk import calls, independent, lasting
from simspec.tools.pair.acceptance import SETTINGS, contexts_of, ends, kinds, text_order
from simspec.tools.speeds import speed_of_steps

__all__ = ["GAMMAS", "lengths", "tokens_of"]

GAMMAS = tuple(range(1, 9))
"""Numbers of draft tokens that are tried."""


def tokens_of(accepted: ArrayLike, document: ArrayLike, gamma: int, level: float = 0.95) -> Interval:
    """Tokens of a target step with its interval over documents, from the acceptance at each position of their text.

    >>> round(tokens_of([0.5] * 12, [0] * 12, 2).estimate, 3)
    1.75
    """
    begins = calls(accepted, [gamma])
    (steps,) = means(begins, document, level, (1 / (1 + gamma), 1))
    return speed_of_steps(steps)


def lengths(bank: Bank, acceptance: dict[str, Any]) -> dict[str, Any]:
    """A row for each setting, kind of prompt and number of draft tokens.

    Parameters
    ----------
    bank : the pair's
    acceptance : what `simspec.tools.pair.acceptance.acceptance` has computed of it

    >>> from simspec.logits import open_bank
    >>> from simspec.tools.pair.acceptance import acceptance
    >>> bank = open_bank("stories")
    >>> row = lengths(bank, acceptance(bank))["rows"][0]
    >>> row["gamma"], row["lasting"] <= row["tokens"][0] <= 2
    (1, True)
    """
    order = text_order(bank)
    document = contexts_of(bank).documents[order]
    rows = []
    for (temperature, mass), accepted in zip(SETTINGS, np.array(acceptance["positions"]), strict=True):
        for kind, mask in kinds(bank).items():
            here = mask[order]
            for gamma in GAMMAS:
                tokens = tokens_of(accepted[here], document[here], gamma, acceptance["level"])
                rows.append({
                    "temperature": temperature,
                    "top_p": mass,
                    "kind": kind,
                    "gamma": gamma,
                    "tokens": ends(tokens),
                    "independent": float(independent(accepted[here], gamma)),
                    "lasting": float(lasting(accepted[here], gamma)),
                })  # fmt: skip
    return {"rows": rows}
