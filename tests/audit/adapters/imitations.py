"""Small verifiers of the signatures that adapters take, written for these tests: honest, and with one fault each on demand."""

from __future__ import annotations

from typing import Any

import numpy as np

torch: Any = None
"""PyTorch once `bring_torch` is called: tests are collected without it, and rebuilt functions need it as a global."""
FAULT = ""
"""Which fault the imitations have; rebuilt functions see it too, as it is a global of theirs."""


def bring_torch() -> None:
    """Import PyTorch for the verifiers of this file; call it before the first of them."""
    global torch
    import torch as imported

    torch = imported


def kernel(function):
    """Marks what has the signature of an engine's launch, arguments and all."""
    return function


def residual(p, q):
    if FAULT == "fresh":
        return p
    left = (p - q).clamp(min=0)
    return torch.where(left.sum(dim=-1, keepdim=True) > 0, left, p)


def _speculative_sampling(candidate_input_ids, candidate_logits, candidate_length, new_logits, weight=None):
    ids = candidate_input_ids[0, -candidate_length:]
    p, q, places = new_logits[0].softmax(-1), candidate_logits[0].softmax(-1), torch.arange(candidate_length)
    ratio = p[places, ids] / q[places, ids]
    uniforms = torch.rand_like(ratio)
    if FAULT == "one uniform":
        uniforms = uniforms[:1].expand(candidate_length)
    n = int((uniforms <= ratio).int().cumprod(0).sum())
    law = p[n] if n == candidate_length else residual(p[n], q[n])
    last = torch.multinomial(law, num_samples=1)
    return torch.cat([ids[:n], last])[None], torch.tensor(n)


def generate_uniform_probs(num_tokens, num_draft_tokens, generators, device):
    return torch.rand(num_tokens, dtype=torch.float64)


@kernel
def rejection_sample(
    draft_token_ids,
    num_draft_tokens,
    max_spec_len,
    cu_num_draft_tokens,
    draft_probs,
    target_logits,
    bonus_token_ids,
    sampling_metadata,
    synthetic_mode=False,
):
    assert sampling_metadata.all_random and cu_num_draft_tokens[-1] == len(draft_token_ids)
    shape = len(num_draft_tokens), max_spec_len
    ids = draft_token_ids.long().reshape(shape)
    p = target_logits.softmax(-1).reshape(*shape, -1)
    one_hot = torch.nn.functional.one_hot(ids, p.shape[-1]).float()
    q = one_hot if draft_probs is None else draft_probs.reshape(p.shape)
    uniforms = generate_uniform_probs(ids.numel(), num_draft_tokens, {}, None).reshape(shape)
    if FAULT == "zero uniform":
        uniforms = uniforms * 0
    ratio = (p.gather(2, ids[..., None]) / q.gather(2, ids[..., None]))[..., 0]
    race = torch.empty(shape[0], p.shape[-1]).exponential_()
    recovered = (residual(p, q) / race[:, None]).argmax(-1)
    kept = (ratio >= uniforms).int().cumprod(1).sum(1)
    out = torch.full((shape[0], max_spec_len + 1), -1, dtype=torch.int32)
    for row, n in enumerate(kept.tolist()):
        out[row, :n] = ids[row, :n].int()
        out[row, n] = bonus_token_ids[row, 0] if n == max_spec_len else recovered[row, n]
    return out


def sample_recovered_tokens_pytorch(
    output_token_ids, cu_num_draft_tokens, draft_token_ids, draft_probs, target_probs, q, vocab_size, IS_NGRAM=False
):
    race = q.repeat_interleave(len(output_token_ids) // len(cu_num_draft_tokens), 0)
    output_token_ids[:] = (residual(target_probs, draft_probs) / race).argmax(-1)


@kernel
def rejection_random_sample_pytorch(
    output_token_ids,
    cu_num_draft_tokens,
    draft_token_ids,
    draft_probs,
    target_probs,
    bonus_token_ids,
    recovered_token_ids,
    uniform_probs,
    is_greedy,
    max_spec_len,
    vocab_size,
    IS_NGRAM=False,
):
    assert not is_greedy.any()
    for row, end in enumerate(cu_num_draft_tokens.tolist()):
        for i in range(max_spec_len):
            at = end - max_spec_len + i
            x = int(draft_token_ids[at])
            if target_probs[at, x] / draft_probs[at, x] < (0 if FAULT == "zero uniform" else uniform_probs[at]):
                output_token_ids[row, i] = recovered_token_ids[at]
                break
            output_token_ids[row, i] = x
        else:
            output_token_ids[row, max_spec_len] = bonus_token_ids[row, 0]


def _inverse(law, uniform):
    return int(min(np.searchsorted(np.cumsum(law), uniform * law.sum(), side="right"), np.flatnonzero(law)[-1]))


@kernel
def chain_speculative_sampling(
    predicts,
    accept_index,
    accept_token_num,
    candidates,
    retrive_index,
    retrive_next_token,
    retrive_next_sibling,
    uniform_samples,
    uniform_samples_for_final_sampling,
    target_probs,
    draft_probs,
    threshold_single,
    threshold_acc,
    deterministic,
    *,
    block_verification=False,
):
    rows, slots = candidates.shape
    p, q = target_probs.double().numpy(), draft_probs.double().numpy()
    for b in range(rows):
        x, uniforms = candidates[b, 1:].tolist(), uniform_samples[b].double().numpy()
        n = 0
        while n < slots - 1 and uniforms[n] * q[b, n, x[n]] < p[b, n, x[n]]:
            n += 1
        law = p[b, n] if n == slots - 1 else residual(torch.tensor(p[b, n]), torch.tensor(q[b, n])).numpy()
        final = uniforms[0] if FAULT == "one uniform" else float(uniform_samples_for_final_sampling[b])
        _told(predicts, accept_index, accept_token_num, retrive_index, (b, [*x[:n], _inverse(law, final)]))


def _told(predicts, accept_index, accept_token_num, retrive_index, row):
    b, tokens = row
    for i, token in enumerate(tokens):
        place = int(retrive_index[b, i])
        predicts[place], accept_index[b, i] = token, place
    accept_token_num[b] = len(tokens) - 1


@kernel
def tree_speculative_sampling(
    predicts,
    accept_index,
    accept_token_num,
    candidates,
    retrive_index,
    retrive_next_token,
    retrive_next_sibling,
    uniform_samples,
    uniform_samples_for_final_sampling,
    target_probs,
    draft_probs,
    threshold_single,
    threshold_acc,
    deterministic=True,
):
    assert not draft_probs.any() and threshold_single == threshold_acc == 1 and (retrive_next_sibling == -1).all()
    for b in range(len(candidates)):
        node, tokens, law = 0, [], target_probs[b, 0].double().numpy()
        while (child := int(retrive_next_token[b, node])) >= 0:
            x = int(candidates[b, child])
            if not uniform_samples[b, node] < law[x]:
                law = law.copy()
                law[x] = law[x] if FAULT == "fresh" else 0
                break
            node, tokens, law = child, [*tokens, x], target_probs[b, child].double().numpy()
        last = _inverse(law, float(uniform_samples_for_final_sampling[b]))
        _told(predicts, accept_index, accept_token_num, retrive_index, (b, [*tokens, last]))


def rejection_step(draft_token_ids, draft_logprobs, target_logprobs, *, generator=None):
    ids = draft_token_ids[..., None]
    p, q = target_logprobs.exp(), draft_logprobs.exp()
    ratio = (p[:, :-1].gather(2, ids) / q.gather(2, ids))[..., 0]
    uniforms = torch.rand(ratio.shape, generator=generator)
    kept = (uniforms < ratio).int().cumprod(1).sum(1)
    rows = torch.arange(len(kept))
    law = torch.cat([residual(p[:, :-1], q), p[:, -1:]], 1)[rows, kept]
    return torch.stack([kept, torch.multinomial(law, 1, generator=generator)[:, 0]], 1)


def rejection_sample_ids(input_ids, draft_logprobs, target_logprobs, draft_token_ids, gamma, *, generator=None):
    more = torch.cat([target_logprobs, target_logprobs[:, -1:]], 1)
    kept, last = rejection_step(draft_token_ids, draft_logprobs, more, generator=generator).T
    ids = torch.where(torch.arange(gamma) < kept[:, None], draft_token_ids, -1)
    ids[torch.arange(len(ids))[kept < gamma], kept[kept < gamma]] = last[kept < gamma]
    return ids, kept.int(), 0.5


def speculative_step(draft_model, target_model, input_ids, gamma=5, draft_temperature=0.6, target_temperature=0.6):
    text, q = input_ids, []
    for _ in range(gamma):
        q.append((draft_model(text).logits[0, -1] / draft_temperature).softmax(-1))
        text = torch.cat([text, torch.multinomial(q[-1], 1)[None]], 1)
    p = (target_model(text).logits[0, -gamma - 1 :] / target_temperature).softmax(-1)
    for n in range(gamma):
        x = text[0, n - gamma]
        if torch.rand(1) >= p[n, x] / q[n][x]:
            law, at = residual(p[n], q[n]), text.shape[1] - gamma + n
            return torch.cat([text[:, :at], torch.multinomial(law, 1)[None]], 1), n, gamma
    return torch.cat([text, torch.multinomial(p[gamma], 1)[None]], 1), gamma, gamma
