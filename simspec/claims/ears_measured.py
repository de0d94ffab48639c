"""What relaxed rules gain and pay, measured: evidence that stands beside claims of EARS and decides nothing."""

from __future__ import annotations

import numpy as np

from simspec.claims.claim import Evidence
from simspec.claims.data import Data
from simspec.claims.draw import RealDraw
from simspec.claims.empirical import rows_for
from simspec.kernels import philox
from simspec.laws import top_p
from simspec.logits.bank import MissingPart
from simspec.methods import SD, Method, curve, ears, fresh, lenience, levelled, mixture, typical
from simspec.studies.intervals import student
from simspec.studies.relaxed import BOUNDS, LENGTHS, sequence_bias
from simspec.studies.study import Rows

__all__ = ["RULES", "long_texts", "side_by_side"]

RULES: dict[str, Method] = {
    "speculative decoding": SD,
    "EARS at 0.1": ears(0.1),
    "EARS at 0.1, fresh draw": ears(0.1)._replace(residual=fresh),
    "lenience 0.8": lenience(0.8),
    "lenience 0.8, levelled": levelled(lenience(0.8)),
    "mixture with 0.1 of the draft": mixture(0.1),
    "typical acceptance": typical(),
}
_MOST_KL = 10.0


def side_by_side(data: Data) -> list[Evidence]:
    """What rules gain and pay on a bank, with the whole laws and with the nucleus of mass 0.9 of each."""
    draw = RealDraw(data.main, data.seed, rows_for(data, 12, 24, 10_000))
    try:
        p, q = draw.pair(data.main.vocab)
    except MissingPart:  # a bank without a draft has nothing to measure
        return []
    found, model = [], data.main.provenance["models"]["target"]["name"]
    for mass, laws in (("", (p, q)), (", nucleus of 0.9", (top_p(p, 0.9), top_p(q, 0.9)))):
        for row in curve(RULES, *laws):
            control = {
                "the best of any rule at that TV": float(row.frontier.mean()),
                "mean TV": float(row.tv.mean()),
                f"mean KL(output ‖ p), cut at {_MOST_KL:g}": float(np.minimum(row.kl, _MOST_KL).mean()),
                "contexts with infinite KL": float(np.isinf(row.kl).mean()),
                "mean probability of a token with p = 0": float(row.support.mean()),
            }
            label = f"{data.describe(data.main, draw.rows)}{mass}: {row.name}, mean acceptance"
            found.append(Evidence(label, model, len(p), float(row.acceptance.mean()), None, None, control))
    return found


def long_texts(data: Data) -> list[Evidence]:
    """The distance of long texts, estimated along texts of the target, beside the exact bounds: 64 tokens, V = 64."""
    study, level = sequence_bias(), 0.95
    found = []
    for cell in (c for c in study.grid if c["model"] == 0 and c["rho"] == 0.9):
        key = philox.make_key(data.seed, study.name, dict(cell))
        values = study.simulate(cell, Rows(key, range(rows_for(data, 32, 64, 2000))), "cpu")
        for place, length in enumerate(LENGTHS):
            if length in (4, 64):
                interval = student(values["tv"][:, place], level, 0, 1)
                control = {name: float(values[name][0, place]) for name in BOUNDS}
                label = f"Markov texts of {length} tokens, V = {cell['vocab']}: {cell['rule']} {cell['strength']:g}, TV"
                ends, n = (interval.low, interval.high), len(values["tv"])
                found.append(Evidence(label, "synthetic", n, interval.estimate, ends, level, control))
    return found
