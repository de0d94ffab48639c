"""Hugging Face transformers' translation between two vocabularies, which universal assisted generation drafts through.

A drafter with another tokenizer loses the tokens that the target lacks: its head is pruned, and the translator says which
target tokens the drafts are and what their logits are.  Here the translator's own code does this for a drafter of given
laws; the drafts are then verified by speculative decoding.  A bias is thus the translator's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.audit.adapters.form import FLOAT32, Adapted, Tokens, drawn, emitted
from simspec.audit.adapters.tables import NEVER, TokenTable
from simspec.audit.drafting import drawn_inside
from simspec.laws import Array, softmax

__all__ = ["translator"]


def translator(function: Callable[..., Any]) -> Adapted:
    """``AssistantToTargetTranslator(target_tokenizer, assistant_tokenizer, vocab, model, prune) -> translator``; drafts inside.

    The assistant has the target's tokens, and one that the target lacks.  Its tokenizer lists them in another order than
    that of their ids, as fast tokenizers do.  Exact mode: a uniform draws each draft, another tests it, and one draws the
    last token.  It needs the package: as `simspec audit transformers.generation.candidate_generator:AssistantToTargetTranslator
    --form transformers-translator`.
    """

    def with_uniforms(p: Array, q: Array, drafts: Tokens, uniforms: Array) -> Tokens:
        """Tokens of each call: γ uniforms draw the drafts, γ test them, and the last one draws the emitted token."""
        gamma = len(q)
        if not gamma:  # nothing is translated; a head without inputs is warned of
            return drawn(p[0], uniforms[:, 0])[:, None]
        laws, ids, reported = _translated(function, q)
        places = np.array([drawn(laws[i], uniforms[:, i]) for i in range(gamma)], dtype=np.int64)
        x = ids[places.reshape(gamma, len(uniforms)).T]
        accepted = np.zeros(len(x), dtype=np.int64)
        for i in range(gamma):
            is_kept = uniforms[:, gamma + i] * reported[i, x[:, i]] < p[i, x[:, i]]
            accepted += (accepted == i) & is_kept
        weights = np.maximum(p[:-1] - reported, 0)
        # where nothing is left, a refusal is rounding
        is_empty = weights.sum(axis=1) <= FLOAT32
        weights[is_empty] = p[:-1][is_empty]
        last = drawn(np.concatenate([weights, p[-1:]])[accepted], uniforms[:, 2 * gamma])
        return emitted(x, accepted, last)

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
        return with_uniforms(p, q, np.zeros((n, len(q)), dtype=np.int64), rng.random((n, 2 * len(q) + 1)))

    return Adapted(sampler, with_uniforms, lambda gamma: 2 * gamma + 1, drawn=drawn_inside, resolution=FLOAT32)


def _translated(function: Callable[..., Any], q: Array) -> tuple[Array, Tokens, Array]:
    """Laws of the places of the pruned head (gamma, V), the target id of each place (V,), and reported laws (gamma, V)."""
    import torch

    gamma, vocab = q.shape
    model = _Assistant(q)
    tokens = [f"token{y}" for y in range(vocab)]
    target = TokenTable({token: y for y, token in enumerate(tokens)})
    # the last id is the token that the target lacks; the order of the list is not that of the ids
    listed = [*enumerate(tokens), (vocab, "own")]
    assistant = TokenTable({token: y for y, token in reversed(listed)})
    translation = function(target, assistant, vocab, assistant_model=model, assistant_prune_lm_head=True)
    with torch.inference_mode():
        logits = model.head(torch.eye(gamma))[None]
        reported = translation.get_target_logits(logits)[0]
        prompt = torch.zeros((1, 1), dtype=torch.int64)
        candidates = torch.cat([prompt, torch.arange(vocab)[None]], dim=1)
        ids = translation.get_target_ids(prompt, prompt, candidates)[0, 1:]
    return softmax(logits[0].double().numpy()), ids.numpy(), softmax(reported.double().numpy())


class _Assistant:
    """What a translator asks of a model, whose head has the logits of row i where the i-th hidden number is 1."""

    device = "cpu"

    def __init__(self, q: Array) -> None:
        import torch

        gamma, vocab = q.shape
        self.head: Any = torch.nn.Linear(gamma, vocab + 1, bias=False)
        self.embedding: object = torch.nn.Embedding(vocab + 1, 1)
        with np.errstate(divide="ignore"):
            logits = np.maximum(np.log(q), NEVER)
        # the token that the target lacks would have half of all mass
        rows = np.concatenate([logits, np.zeros((gamma, 1))], axis=1)
        with torch.no_grad():
            self.head.weight.copy_(torch.tensor(rows.T.copy()))

    def get_output_embeddings(self) -> Any:
        """The head."""
        return self.head

    def set_output_embeddings(self, head: object) -> None:
        """Take a pruned head."""
        self.head = head

    def get_input_embeddings(self) -> Any:
        """The embedding, which nothing here looks at."""
        return self.embedding

    def set_input_embeddings(self, embedding: object) -> None:
        """Take another embedding."""
        self.embedding = embedding
