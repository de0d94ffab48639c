"""Adapters on imitations of the signatures: honest ones pass, a fault is seen, uniforms are where they should be."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simspec.audit import Pair, revealing
from simspec.audit.adapters import FORMS, Adapted, batches
from simspec.audit.adapters.form import drawn, emitted
from simspec.audit.calling import Broken, called, completed, ended
from simspec.audit.evidence import log_wealth
from simspec.audit.uniforms.emitted import emitted as outcomes
from tests.requirements import require

PAIR = Pair("a fresh draw is seen at once", np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.0, 1.0]]))
SMALL = revealing(1, 2)[0]
THREE = revealing(2, 3)[1]


def wealth(adapted: Adapted, pair, calls: int = 500) -> float:
    """Log wealth against the target after some calls; above 14 is evidence at a false alarm of 1e-6."""
    rng = np.random.default_rng(0)
    tokens = called(adapted.sampler, pair.p, pair.q, calls, rng)
    return float(log_wealth(completed(ended(tokens, pair.vocab), pair.p, rng), pair.p))


def exact_tv(adapted: Adapted, pair) -> Fraction:
    found = outcomes(adapted.with_uniforms, pair, adapted.uniforms(pair.gamma), confirmed=30)
    assert found.width == 0
    return found.facts.tv


def uniform_sampler(p, q, drafts, uniforms):
    """Speculative decoding with its uniforms; it draws with the last."""
    kept = np.zeros(len(drafts), dtype=int)
    for i in range(len(q)):
        x = drafts[:, i]
        kept += (kept == i) & (uniforms[:, i] * q[i, x] < p[i, x])
    left = np.maximum(p[:-1] - q, 0)
    left[left.sum(axis=1) == 0] = p[:-1][left.sum(axis=1) == 0]
    return emitted(drafts, kept, drawn(np.concatenate([left, p[-1:]])[kept], uniforms[:, len(q)]))


def own_verifier(p, q, drafts, rng):
    n, gamma = drafts.shape
    assert p.shape[:2] == (n, gamma + 1) and q.shape[:2] == (n, gamma)
    return uniform_sampler(p[0], q[0], drafts, rng.random((n, gamma + 1)))


def test_verifiers_in_numpy_and_one_at_a_time() -> None:
    def single(p, q, drafts, rng):
        tokens = own_verifier(p[None], q[None], drafts[None], rng)[0]
        return tokens[tokens >= 0].tolist()

    for form, verify in (("numpy", own_verifier), ("one", single), ("uniforms", uniform_sampler)):
        assert wealth(FORMS[form](verify), THREE) < 5
    assert wealth(FORMS["numpy"](lambda p, q, x, rng: own_verifier(p, q, x * 0, rng)), THREE) > 14
    assert wealth(FORMS["one"](lambda p, q, x, rng: single(p, q, x * 0, rng)), THREE) > 14
    with pytest.raises(Broken, match=r"returns shape \(500, 9\)"):
        wealth(FORMS["one"](lambda p, q, x, rng: [0] * 9), THREE)


def test_exact_and_black_box_are_one_sampler() -> None:
    """The mean length is that of the exact law; false alarm: five sigmas."""
    adapted = FORMS["uniforms"](uniform_sampler)
    found = outcomes(adapted.with_uniforms, THREE, 3, confirmed=500)
    assert (found.facts.tv, found.width) == (0, 0)
    kept = (adapted.sampler(THREE.p, THREE.q, 2000, np.random.default_rng(0)) >= 0).sum(axis=1)
    mean = float(sum(n * mass for n, mass in enumerate(found.facts.lengths, start=1)))
    assert abs(kept.mean() - mean) < 5 * kept.std() / 2000**0.5


# --- signatures of engines ------------------------------------------------------------------------------------------

EXACT = [
    ("transformers", "_speculative_sampling", "fresh"),
    ("vllm", "rejection_sample", "zero uniform"),
    ("vllm-one-hot", "rejection_sample", "fresh"),
    ("sglang", "chain_speculative_sampling", "one uniform"),
    ("sglang-tree", "tree_speculative_sampling", "fresh"),
    ("flashspec", "rejection_step", "fresh"),
]


@pytest.fixture
def imitations():
    require("torch")
    from tests.audit.adapters import imitations

    imitations.bring_torch()
    yield imitations
    imitations.FAULT = ""


@pytest.mark.parametrize(("form", "name", "fault"), EXACT)
def test_signatures_that_take_uniforms_are_judged_exactly(form, name, fault, imitations) -> None:
    adapted = FORMS[form](getattr(imitations, name))
    assert exact_tv(adapted, SMALL) == 0
    imitations.FAULT = fault
    assert exact_tv(adapted, SMALL) > 0


BLACK = {
    "transformers": "_speculative_sampling",
    "vllm": "rejection_sample",
    "vllm-one-hot": "rejection_sample",
    "sglang": "chain_speculative_sampling",
    "sglang-tree": "tree_speculative_sampling",
    "flashspec": "rejection_step",
    "flashspec-sample": "rejection_sample_ids",
    "seqspecdecod": "speculative_step",
}


@pytest.mark.parametrize("form", BLACK)
def test_signatures_as_black_boxes(form, imitations) -> None:
    adapted = FORMS[form](getattr(imitations, BLACK[form]))
    assert wealth(adapted, PAIR) < 5
    imitations.FAULT = "fresh"
    assert wealth(adapted, PAIR) > 14


def test_a_pair_that_takes_its_random_numbers(imitations) -> None:
    from simspec.audit.adapters.vllm import ascend

    adapted = ascend(imitations.rejection_random_sample_pytorch, imitations.sample_recovered_tokens_pytorch)
    assert wealth(adapted, PAIR) < 5
    imitations.FAULT = "zero uniform"
    assert wealth(adapted, PAIR) > 14


def test_tensors_and_a_generator() -> None:
    require("torch")
    import torch

    def verify(p, q, drafts, generator):
        assert p.dtype == torch.float32 and p.shape == (len(drafts), 3, 3)
        uniforms = torch.rand((len(drafts), 3), generator=generator, dtype=torch.float64).numpy()
        return torch.tensor(uniform_sampler(p[0].double().numpy(), q[0].double().numpy(), drafts.numpy(), uniforms))

    assert wealth(FORMS["torch"](verify), THREE) < 5
    state = torch.random.get_rng_state()
    FORMS["torch"](verify).sampler(THREE.p, THREE.q, 3, np.random.default_rng(0))
    assert torch.equal(state, torch.random.get_rng_state())


def test_another_signature_is_refused(imitations) -> None:
    def newer(candidate_input_ids, candidate_logits, candidate_length, new_logits, temperature):
        raise NotImplementedError

    with pytest.raises(Broken, match="takes 'temperature', which is not known"):
        wealth(FORMS["transformers"](newer), PAIR)


@pytest.mark.parametrize("form", [batches.numpy, batches.one])
def test_verifiers_of_arrays_are_audited_without_drafts_too(form) -> None:
    """The fewest drafts of a call are none: then the token is drawn from the only row."""
    adapted = form(lambda p, q, drafts, rng: np.zeros((len(drafts), 1), dtype=int) if p.ndim == 3 else [0])
    no_draft = np.zeros((0, 2))
    tokens = adapted.sampler(np.array([[1.0, 0.0]]), no_draft, 2, np.random.default_rng(0))
    assert adapted.least == 0 and tokens.tolist() == [[0], [0]]
