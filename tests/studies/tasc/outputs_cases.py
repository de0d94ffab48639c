"""Outputs of a model that never was, small enough to look at."""

from __future__ import annotations

import numpy as np

from simspec.studies.tasc.outputs import TaskOutputs, Texts

VOCAB = 12
END = 0
PAIRS = 16


def outputs(seed: int = 0) -> TaskOutputs:
    """Two tasks of 16 pairs: one whose outputs are alike, one of tokens at random; and outputs that are expected."""
    rng = np.random.default_rng(seed)
    alike = [[3, 4, 5, 6, int(rng.integers(7, 9)), END] for _ in range(PAIRS)]
    random = [[*rng.integers(1, VOCAB, 5).tolist(), END] for _ in range(PAIRS)]
    greedy = [*alike, *random]
    drawn = [[*text[:2], *rng.integers(1, VOCAB, 3).tolist(), END] for text in greedy]
    inputs = [rng.integers(1, VOCAB, 4).tolist() for _ in greedy]
    prompts = [[1, *text, 2] for text in inputs]
    contexts = sorted({2}.union(*greedy, *drawn))
    tokens = np.array([rng.permutation(VOCAB)[:3] for _ in contexts])
    names = [bytes([97 + token]) for token in range(VOCAB)]
    return TaskOutputs(
        task=np.repeat([0, 1], PAIRS),
        prompts=Texts.of(prompts),
        inputs=Texts.of(inputs),
        greedy=Texts.of(greedy),
        drawn=Texts.of(drawn),
        surprisals={
            way: rng.integers(0, 9, sum(map(len, texts))) / 2
            for way, texts in {"greedy": greedy, "drawn": drawn}.items()
        },
        bigram_contexts=np.array(contexts),
        bigram_tokens=tokens,
        bigram_masses=np.tile([0.5, 0.25, 0.125], (len(contexts), 1)),
        expected=Texts.of([[3, 4, 5], [3, 4, 6], [3, 4, 5, 7], [8, 9], [3, 4, 5]] * 2),
        expected_task=np.repeat([0, 1], 5),
        expected_bytes=np.array([3, 3, 4, 2, 3] * 2),
        spelled=np.arange(VOCAB),
        spelling=np.frombuffer(b"".join(names), dtype=np.uint8),
        spelling_lengths=np.ones(VOCAB, dtype=np.int64),
        facts={"tasks": ["alike", "random"], "vocab": VOCAB, "end": END, "target": {"name": "no model"}},
    )
