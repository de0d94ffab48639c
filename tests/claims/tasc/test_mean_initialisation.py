"""`tasc.mean-initialisation`: cases by hand and mutations."""

from collections import Counter
from fractions import Fraction as F
from math import sqrt

import numpy as np

from simspec.claims.deciding.data import Data
from simspec.claims.words import law, matrix
from tests.claims.cases import get


def test_mean_row_by_hand() -> None:
    """Rows (1) and (0), hidden state 3: logits 3 and 0, the new one 3/2."""
    head = {"head": matrix("1 0"), "hidden": law(3), "bias": law(0, 0), "ngram": [0, 1], "new_bias": F(0)}
    assert get("tasc.mean-initialisation").sides(head) == (F(3, 2), F(3, 2))


def test_new_row_takes_a_third_at_most() -> None:
    """Two tokens of 1/2: g = 1/2, and 1/3 for the new one; of 1/5 and 4/5, g = 2/5 and 2/7."""
    claim = get("tasc.mean-initialisation-sharp")
    assert abs(float(claim.lhs(law(1, 1), [0, 1])) - 1 / 3) < 1e-15
    assert abs(float(claim.lhs(law(1, 4), [0, 1])) - 2 / 7) < 1e-15
    assert abs(float(claim.lhs(np.array([[1.0, 4.0]]), [0, 1])[0]) - 2 / 7) < 1e-15


def test_real_rows_take_little_where_they_are_needed() -> None:
    together, needed = get("tasc.mean-initialisation").evidence(Data(effort="quick"))
    assert 0 < together.estimate < 1 and together.n == 24
    assert 0 < needed.estimate <= together.control["largest of one"] <= 1 / 3
    assert needed.estimate < needed.control["probability of that first token"]
    bank = Data(effort="quick").main
    last, following = bank.index.last.tolist(), bank.index.following.tolist()
    pairs = [(a, b) for (a, b), _ in Counter(zip(last, following, strict=True)).most_common(100) if a != b]
    taken, alone = [], []
    for row in range(24):
        odds = np.exp(bank.target(row).astype(float))
        new = [sqrt(odds[a] * odds[b]) for a, b in pairs]
        for (a, _), x in zip(pairs, new, strict=True):
            if following[row] == a:
                taken.append(x / (odds.sum() + sum(new)))
                alone.append(odds[a] / odds.sum())
    assert len(taken) == needed.n and abs(np.mean(taken) - needed.estimate) < 1e-12
    assert abs(np.mean(alone) - needed.control["probability of that first token"]) < 1e-12
