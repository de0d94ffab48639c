"""The wealth of many runs at once: the numbers of `simspec.audit.endpoint.bets.Wealth`, run by run, a token of each at a time.

Nothing is decided here anew: laws and factors of the fixed bets are those that `fixed_laws` makes, the stakes are those of
`Wealth`, and a test holds both to the same numbers.  What is learned stands in arrays in place of dictionaries, so that a step
of all runs takes as long as a token of one takes there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.served.rows import Judgements
from simspec.audit.endpoint.bets import BETS, CAP, FIXED, PRIOR, ROUNDED, Wealth, fixed_laws
from simspec.laws import Array

__all__ = ["Crowd"]


class Crowd:
    """Wealths of some runs.

    Parameters
    ----------
    judged : Judgements; what the audit sees at each place
    runs : int

    Attributes
    ----------
    gains : (n, TOP + 1, fixed bets); logarithms of the factors at each place and category
    logs : (runs, bets); logarithm of the wealth of each bet over all tokens
    """

    def __init__(self, judged: Judgements, runs: int) -> None:
        self.gains = np.stack([fixed_laws(tokens[0]).gains for tokens in judged.tokens])
        self.logs = np.zeros((runs, len(BETS)))
        self._masses = judged.masses
        self._rest_factor = judged.masses[:, -1] / np.maximum(judged.masses[:, -1], ROUNDED)
        self._cells = _cells(judged)
        number = int(self._cells.max()) + 1
        self._seen = np.full((runs, number), PRIOR)
        self._expected = np.full((runs, number), PRIOR)
        stakes = np.exp(Wealth(knows_draft=judged.knows_draft).log_stakes)
        # all tokens have company and none is at the end of a text: two parts grow alike, the others keep their stake
        self._growing = stakes[0] + stakes[3]
        self._idle = float(stakes[1].sum() + stakes[2].sum())
        self._runs = np.arange(runs)

    def step(self, places: NDArray[np.int64], categories: NDArray[np.int64]) -> Array:
        """Pay every bet of each run by its token, learn from it, and return the logarithm of each mixture, (runs,)."""
        cells = self._cells[places]
        rows = self._runs[:, None, None]
        masses = self._masses[places][:, None, :]
        weights = self._seen[rows, cells] / self._expected[rows, cells]
        factors = weights[self._runs, :, categories] / (masses * weights).sum(axis=2)
        is_rest = categories == self._masses.shape[1] - 1
        factors *= np.where(is_rest, self._rest_factor[places], 1.0)[:, None]
        self.logs[:, : len(FIXED)] += self.gains[places, categories]
        self.logs[:, len(FIXED) :] += np.log(np.minimum(factors, CAP))
        self._expected[rows, cells] += masses
        self._seen[self._runs[:, None], cells[self._runs, :, categories]] += 1
        largest = np.maximum(self.logs.max(axis=1), 0)
        grown = np.exp(self.logs - largest[:, None]) @ self._growing + self._idle * np.exp(-largest)
        return largest + np.log(grown)


def _cells(judged: Judgements) -> NDArray[np.int64]:
    """Where each category of a place is counted by each learned bet, (n, 4, TOP + 1): by rank, token, pair, text."""
    keys: dict[object, int] = {}
    cells = np.empty((len(judged.tokens), 4, judged.masses.shape[1]), dtype=np.int64)
    for place, tokens in enumerate(judged.tokens):
        token = tokens[0]
        for column, name in enumerate((*token.ids, -1)):
            conditions = (
                ("rank", column),
                ("token", name),
                ("pair", token.previous, name),
                ("text", token.context, name),
            )
            for family, condition in enumerate(conditions):
                cells[place, family, column] = keys.setdefault(condition, len(keys))
    return cells
