"""The pivot classifier: what the target knows when it verifies, a small network, and how well it ranks.

Features of token x in state s: p(x), the entropy of p, the hidden state.  The network is scikit-learn's perceptron with
one hidden layer, trained with weights that make both labels count alike; a fifth of the problems is held back and the
epoch with the least loss on it is kept.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np

from simspec.checks import needs
from simspec.engine.estimates.intervals import Interval, document_weights
from simspec.laws import Array, entropy
from simspec.methods.pad.process import Process

__all__ = ["Classifier", "auc", "auc_interval", "features", "fit", "roc"]

EPOCHS = 40


class Classifier(NamedTuple):
    """A network with its scaling of the features, and the weighted loss (epochs,) on the problems held back."""

    network: Any
    centre: Array
    spread: Array
    losses: Array

    def score(self, x: Array) -> Array:
        """Score (...) of features (..., F): the probability of a pivot, between 0 and 1."""
        scaled = (x.reshape(-1, x.shape[-1]) - self.centre) / self.spread
        scores: Array = self.network.predict_proba(scaled)[:, 1].reshape(x.shape[:-1])
        return scores


def features(process: Process, hidden: Array) -> Array:
    """Features (S, V, F) of each token in each state: p(x), the entropy of p in nats, the hidden state (S, F - 2).

    >>> from simspec.methods.pad.process import Process
    >>> process = Process(np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]]), np.array([[0, 0]]), np.ones(1), 0, 1)
    >>> features(process, np.array([[7.0]]))[0, 0].round(3).tolist()
    [0.5, 0.693, 7.0]
    """
    p = process.target
    shared = np.concatenate([entropy(p)[:, None], hidden], axis=1)
    return np.concatenate([p[..., None], np.broadcast_to(shared[:, None], (*p.shape, shared.shape[1]))], axis=-1)


def fit(x: Array, y: Array, problem: Array, seed: int = 0, width: int = 16, epochs: int = EPOCHS) -> Classifier:
    """Train on features (n, F), labels (n,) and the number (n,) of the problem that each comes from.

    Every fifth problem is held back; weights are n / (2 n_label), on either part.

    Raises ValueError unless both labels occur in both parts.
    """
    networks, threads = needs("training a classifier", "sklearn.neural_network", "threadpoolctl")
    y = np.asarray(y, dtype=bool)
    numbers = np.unique(problem)
    back = np.isin(problem, numbers[4::5])
    for name, mask in (("to train on", ~back), ("held back", back)):
        if not (y[mask].any() and (~y[mask]).any()):
            raise ValueError(
                f"y: {int(y[mask].sum())} pivots among {int(mask.sum())} labels {name}; expected both labels "
                "(take more problems)"
            )
    centre = x[~back].mean(axis=0)
    spread = x[~back].std(axis=0) + 1e-9
    scaled = (x - centre) / spread
    weights = [_balanced(y[mask]) for mask in (~back, back)]
    batch = min(256, int((~back).sum()))
    network = networks.MLPClassifier((width,), learning_rate_init=0.01, alpha=1e-3, batch_size=batch, random_state=seed)
    losses: list[float] = []
    best: Any = None
    with threads.threadpool_limits(1):  # small matrices; and one order of summation
        for _ in range(epochs):
            network.partial_fit(scaled[~back], y[~back], sample_weight=weights[0], classes=[False, True])
            score = np.clip(network.predict_proba(scaled[back])[:, 1], 1e-12, 1 - 1e-12)
            losses.append(float(-(weights[1] * np.log(np.where(y[back], score, 1 - score))).mean()))
            if losses[-1] == min(losses):
                best = deepcopy((network.coefs_, network.intercepts_))
    network.coefs_, network.intercepts_ = best
    return Classifier(network, centre, spread, np.array(losses))


def _balanced(y: Array) -> Array:
    return np.where(y, len(y) / (2 * y.sum()), len(y) / (2 * (~y).sum()))


def roc(score: Array, y: Array) -> tuple[Array, Array]:
    """False and true positive rates as the threshold falls, from (0, 0) to (1, 1); equal scores make one point.

    >>> fpr, tpr = roc(np.array([0.9, 0.4, 0.4]), np.array([True, True, False]))
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 1.0], [0.0, 0.5, 1.0])
    """
    y = np.asarray(y, dtype=bool)
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)
    hits = np.cumsum(y[order])[last]
    misses = np.cumsum(~y[order])[last]
    return np.append(0, misses / misses[-1]), np.append(0, hits / hits[-1])


def auc(score: Array, y: Array) -> float:
    """Area under the ROC curve: probability that a pivot scores higher than a non-pivot, half of the ties included.

    >>> auc(np.array([0.9, 0.4, 0.4]), np.array([True, True, False]))
    0.75
    """
    wins = _wins(score, np.asarray(y, dtype=bool), np.zeros(len(y), dtype=np.int64))
    return float(wins.sum() / (np.sum(y) * np.sum(~np.asarray(y, dtype=bool))))


def _wins(score: Array, y: Array, problem: Array) -> Array:
    """Wins (n, n) of the pivots of one problem over the non-pivots of another; ties count one half."""
    if not (y.any() and (~y).any()):
        raise ValueError(f"y: {int(y.sum())} pivots among {len(y)} labels; expected both labels")
    count = int(problem.max()) + 1
    up = score[y]
    down = np.sort(score[~y])
    owner = problem[~y][np.argsort(score[~y], kind="stable")]
    below = np.concatenate([np.zeros((1, count)), np.cumsum(np.eye(count)[owner], axis=0)])
    beaten = (below[np.searchsorted(down, up, "left")] + below[np.searchsorted(down, up, "right")]) / 2
    wins = np.zeros((count, count))
    np.add.at(wins, problem[y], beaten)
    return wins


def auc_interval(score: Array, y: Array, problem: Array, level: float = 0.95, resamples: int = 2000) -> Interval:
    """AUC with its bootstrap interval over problems, each drawn with all its candidates.

    >>> interval = auc_interval(np.array([0.9, 0.1, 0.8, 0.2]), np.array([1, 0, 1, 0]), np.array([0, 0, 1, 1]))
    >>> interval.estimate, interval.low, interval.high
    (1.0, 1.0, 1.0)
    """
    y = np.asarray(y, dtype=bool)
    names, place = np.unique(problem, return_inverse=True)
    if len(names) < 2:
        raise ValueError(f"problem: {len(names)} problem; expected two or more to resample")
    wins = _wins(score, y, place)
    weights = document_weights(len(names), resamples)
    up, down = (weights @ np.bincount(place[label_mask], minlength=len(names)) for label_mask in (y, ~y))
    pairs = up * down
    resampled = ((weights @ wins) * weights).sum(axis=1)[pairs > 0] / pairs[pairs > 0]
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(wins.sum() / (y.sum() * (~y).sum())), float(low), float(high), level)
