"""The formulas of tasc.* claims, broken on purpose: each change must refute its claim."""

from fractions import Fraction as F

import numpy as np

from simspec.claims.authoring import law
from simspec.claims.balls import ball, enclose, log
from simspec.claims.claim import at_least, at_most
from simspec.claims.tasc.bpe import _bpe
from simspec.claims.tasc.merge_reward import _occurrences, run_of
from simspec.claims.tasc.parts import shannon, some_ngram, value
from simspec.claims.tasc.position_decay import _survival
from simspec.claims.tasc.reward_decreasing import _rewards
from simspec.claims.tasc.task_over_domain import within_tasks
from simspec.claims.tasc.termination import _printed
from simspec.claims.tasc.typical_set import _Constants, _rate, _sandwich
from simspec.laws import overlap
from simspec.methods.tasc.statistics import token_law
from tests.claims.cases import broken, get, shifted
from tests.claims.tasc.cases import cell

MUTATIONS = [
    broken("tasc.task-over-domain.printed", relation=at_least),
    broken("tasc.task-over-domain.any-row-corrected", lhs=lambda column, left_out: 2 * within_tasks(column, left_out)),
    broken("tasc.renyi-limit", rhs=lambda p, order: get("tasc.renyi-limit").rhs(p, order) / 4),
    shifted("tasc.pcs.printed", 1),
    broken("tasc.pcs.printed", assumes={}, instances=lambda draw: {"strings": ["a"], "last": 0, "limit": F(2)}),
    broken("tasc.pcs.distinct", rhs=lambda strings, last: F(0)),
    shifted("tasc.suffix-suppression-corrected", F(1, 8)),
    broken("tasc.bpe.all-occurrences", lhs=get("tasc.bpe.as-printed").lhs),
    broken("tasc.bpe.as-printed-corrected", rhs=get("tasc.bpe.as-printed").rhs),
    broken("tasc.conditioning.some", rhs=lambda laws: shannon(laws).max()),
    broken("tasc.typical-set.markov", rhs=lambda M, start, n, missed: np.array([1, -1]) * _Constants(M, start).rate),
    broken("tasc.typical-set.ergodic", rhs=lambda **x: -get("tasc.typical-set.ergodic").rhs(**x)),
    shifted("tasc.table5-diminishing-corrected", F(1, 20)),
    shifted("tasc.table8-diminishing-corrected", F(1, 20)),
    shifted("tasc.trainable-share-corrected", F(1, 1000)),
    shifted("tasc.epochs.decrease", F(1, 100)),
    shifted("tasc.epochs.one", F(1, 10)),
    shifted("tasc.epochs.three-corrected", F(1, 100)),
    shifted("tasc.speedup-range.slightly-corrected", F(1, 50)),
    shifted("tasc.speedup-range.most-corrected", F(1, 100)),
    shifted("tasc.eurlex-size-corrected", F(1, 10)),
    shifted("tasc.settings-corrected", 1),
    shifted("tasc.best-budget", F(1, 10)),
    shifted("tasc.cutoff-500-corrected", F(1, 100)),
    broken("tasc.position-decay-corrected", relation=at_most),
    broken("tasc.position-decay-corrected", rhs=lambda **x: 2 * get("tasc.position-decay-corrected").rhs(**x)),
    broken("tasc.position-decay-corrected", lhs=lambda share, p, q: _survival(share, p, q)[2:] ** 2),
    broken(
        "tasc.directional-rate-corrected",
        rhs=lambda h2, runtime: F(int(((np.diff(h2) > 0) & (np.diff(runtime) < 0)).sum()), len(h2) - 1),
    ),
    broken("tasc.table1-columns-corrected", instances=lambda draw: cell("Summarization (Medical)", "ΔH")),
    broken("tasc.table1-columns-corrected", rhs=lambda printed: F(1, 1000)),
    broken("tasc.table5-gain-corrected", rhs=lambda: np.array([F(1, 2), F(-8, 5)])),
    broken("tasc.table5-gain-corrected", rhs=lambda: np.array([F(-1, 4), F(-3, 2)])),
    broken("tasc.table6-order-corrected", lhs=lambda tasc_spec: value(tasc_spec) - F(1, 20)),
    broken("tasc.table8-speedup-corrected", rhs=lambda: F(1, 1000)),
    broken(
        "tasc.task-entropy-corrected",
        rhs=lambda laws, prior: sum(enclose(w) * h for w, h in zip(prior, shannon(laws), strict=True)),
    ),
    broken(
        "tasc.task-entropy-sharp", rhs=lambda laws: np.array([0 * shannon(laws[0]), shannon(law("1/2", "1/2")) / 2])
    ),
    broken(
        "tasc.task-entropy-sharp", lhs=lambda laws: np.stack([shannon(laws).max() - shannon(laws.mean(axis=0))] * 2)
    ),
    broken("tasc.conditioning-corrected", rhs=lambda laws, prior: shannon(prior @ laws) - 1),
    broken("tasc.conditioning-corrected", lhs=lambda laws, prior: shannon(laws).max()),
    broken("tasc.typical-set", rhs=lambda **x: _rate(**x) / 2),
    broken("tasc.typical-set", rhs=lambda M, start, n, missed: np.array([1, -1]) * _Constants(M, start).rate),
    broken("tasc.typical-set-sharp", rhs=lambda p, missed: np.stack([shannon(p), -shannon(p)])),
    broken("tasc.typical-set-sharp", rhs=lambda p, missed: _sandwich(p, missed) - np.array([0, ball(F(1, 100))])),
    broken("tasc.spec-lossless", lhs=lambda p, length, **x: get("tasc.spec-lossless").lhs(p[::-1], length=length, **x)),
    broken("tasc.mixture-average", rhs=lambda p, c, r: np.maximum(overlap(p, c), overlap(p, r))),
    broken("tasc.mixture-average-sharp", rhs=lambda p, c, r, mix: 0),
    broken("tasc.merge-reward.non-overlapping", rhs=lambda texts, ngram: _occurrences(texts, ngram)),
    broken(
        "tasc.merge-reward.occurrences-corrected",
        rhs=lambda texts, ngram: np.array([-1, F(1, 2)]) * _occurrences(texts, ngram) * (len(ngram) - 1),
    ),
    broken("tasc.bpe", instances=lambda draw: {**_bpe(draw), "counting": "non-overlapping"}, assumes={}),
    broken(
        "tasc.termination-corrected",
        lhs=lambda **x: np.array([_printed(**x), 0, 1, 0]),
        rhs=lambda budget: np.array([budget, 0, 1, 0]),
    ),
    broken(
        "tasc.termination-corrected",
        rhs=lambda texts, budget: np.array([0, min(budget, sum(map(len, texts)) - len(texts)), 1, -(10**9)]),
    ),
    broken("tasc.reward-decreasing", lhs=lambda **x: _rewards(**x)[:-1], rhs=lambda **x: _rewards(**x)[1:]),
    broken(
        "tasc.reward-decreasing-sharp",
        rhs=lambda **x: np.array([F(len(t) - 1, 2) for t in x["texts"][:1] for _ in _rewards(**x)]),
    ),
    broken("tasc.entropy-monotone-corrected", rhs=lambda texts, ngram: F(0)),
    broken("tasc.entropy-monotone-corrected", relation=lambda lhs, rhs: lhs),
    broken("tasc.entropy-monotone-sharp", rhs=lambda texts, ngram: shannon(token_law(texts, 3, exactly=True))),
    broken("tasc.added-tokens-sharp", rhs=lambda text: np.array([len(text) - 1, 0, 0])),
    broken(
        "tasc.mean-initialisation",
        rhs=lambda head, hidden, bias, ngram: sum(head[:, t] @ hidden + bias[t] for t in ngram),
    ),
    broken("tasc.mean-initialisation-sharp", rhs=lambda ngram: F(1, len(ngram) + 2)),
    broken("tasc.task-entropy-sharp.attained", rhs=lambda laws: np.array([0, ball(len(laws) - 1)], dtype=object)),
    broken("tasc.task-entropy-sharp.attained", rhs=lambda laws: np.array([ball(1), log(F(len(laws)))], dtype=object)),
    broken("tasc.merge-reward.occurrences-corrected.most", instances=some_ngram, assumes={}),
    broken(
        "tasc.merge-reward.occurrences-corrected.least",
        lhs=lambda n, copies: get("tasc.merge-reward.occurrences").rhs(run_of(n, copies), [0] * n),
    ),
]
