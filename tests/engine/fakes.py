"""A small bank in memory, with all that studies ask of one."""

from __future__ import annotations

from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from simspec.laws import softmax


class FakeBank:
    """Zipf-like logits over V tokens; the draft is the target with noise; documents of three contexts."""

    def __init__(
        self,
        vocab: int = 60,
        contexts: int = 24,
        noise: float = 1.0,
        statistics: bool = True,
        draft: bool = True,
        kind: str | None = None,
    ):
        self.name, self.vocab, self.contexts = "fake", vocab, contexts
        self.kind = kind
        self.has_answer_statistics = kind is not None
        self.cut = None
        self.drafts: tuple[str, ...] = ()
        rng = np.random.default_rng(vocab + contexts)
        self._base = -np.log(np.arange(1, vocab + 1))
        self._rows = {name: self._base + rng.normal(size=(n, vocab)) for name, n in (("", contexts), ("tuning", 16))}
        self._draft = {name: z + noise * rng.normal(size=z.shape) for name, z in self._rows.items()} if draft else {}
        self.documents = np.arange(contexts) // 3
        self.shared = np.ones(vocab, dtype=bool)
        models = {"target": {"name": "fake target"}, "draft": {"name": "fake draft"}}
        documents = {"statistics": {"fake.txt": 30}, "statistics of answers": {"chat": 40}}
        self.provenance = {"models": models, "documents": documents}
        self._folds: Any = rng.multinomial(400, softmax(self._base), size=10) if statistics else None
        self._sample = softmax(self._base + rng.normal(size=(500, vocab)))

    def target(self, rows: Any = slice(None), raw: bool = False) -> Any:
        return self._rows[""][rows].astype(np.float32)

    def draft(self, rows: Any = slice(None), raw: bool = False) -> Any:
        return self._draft[""][rows].astype(np.float32) if self._draft else None

    def tuning_target(self) -> Any:
        return self._rows["tuning"].astype(np.float32)

    def tuning_draft(self) -> Any:
        return self._draft["tuning"].astype(np.float32)

    def draft_on_target(self, q: Any) -> Any:
        return q

    @cached_property
    def statistics(self) -> Any:
        if self._folds is None:
            return None
        return SimpleNamespace(
            source="statistics of answers" if self.kind == "answers" else "statistics",
            counts=self._folds.astype(np.uint32),
            contexts=self._folds.sum(axis=1),
            mean=self._sample.mean(axis=0),
            factors=self._factors,
            spectrum=lambda kind: {
                "share": 0.6,
                "cosine": 0.3,
                "fold_share": np.full(10, 0.6),
                "fold_cosine": np.full(10, 0.3),
            },
            affinity=lambda v: (v + self._sample.mean(axis=0)) / 2,
        )

    def _factors(self, kind: str) -> Any:
        if kind == "tokens":
            f = self._folds.sum(axis=0) / self._folds.sum()
            return f[:, None], np.array([-1.0]), f
        x = self._sample if kind == "probabilities" else np.log(self._sample)
        covariance = np.cov(x, rowvar=False)
        values, vectors = np.linalg.eigh(covariance)
        U, lam = vectors[:, -4:], values[-4:]
        return U, lam, np.maximum(np.diag(covariance) - (U * U) @ lam, 0)
