"""Links over a thin wire: the compiled loop against a plain version made of the one-step functions."""

from collections.abc import Iterator

import numpy as np
import pytest

from simspec.kernels.link import Contexts, Rule, run_links, sort_contexts
from simspec.kernels.link.numba_link import accepted_mass
from simspec.laws import overlap
from simspec.methods.csqs.conformal import update
from simspec.methods.sqs.quantised import dropped_mass, quantise, sparsify, threshold_mask, top_mask


def one_row(contexts, price, budget, resolution, picks, accept_uniforms, rule) -> Iterator[tuple[float, ...]]:
    """A link as Algorithm 1 says it, one token at a time; the new token is counted (corrected line 12)."""
    k, beta, step_size, dropped_target, _ = rule
    pool, longest = contexts.q.shape[1], picks.shape[-1] - 1
    for pick_row, accept_row in zip(picks[0], accept_uniforms[0], strict=True):
        thresholds, sizes, bits, accepted, going = [beta], [], 0.0, 0, True
        for at in range(longest + 1):
            context = min(int(pick_row[at] * pool), pool - 1)
            q, p = contexts.q[0, context], contexts.p[0, context]
            mask = top_mask(q, k) if k else threshold_mask(q, thresholds[-1])
            thresholds.append(update(thresholds[-1], dropped_mass(q, mask), step_size, dropped_target))
            size = int(mask.sum())
            if at == longest or bits + price[size] > budget:
                break
            bits += price[size]
            sizes.append(size)
            if going:
                sent = quantise(sparsify(q, mask), resolution, mask) / resolution
                going = accept_row[at] < overlap(p, sent)
                accepted += going
        drafted = len(sizes)
        beta = thresholds[accepted + 1]
        yield accepted + 1, drafted, 1 - going, drafted - accepted, bits, sum(sizes), beta


def pairs(rng, rows, pool, vocab, sharp=0.3) -> Contexts:
    q = rng.dirichlet(np.full(vocab, sharp), (rows, pool))
    p = 0.5 * q + 0.5 * rng.dirichlet(np.full(vocab, sharp), (rows, pool))
    return sort_contexts(p, q)


def test_two_equal_laws_fill_the_budget() -> None:
    same = np.array([[[0.5, 0.5]]])
    half = np.full((1, 1, 4), 0.5)
    made = run_links(sort_contexts(same, same), np.array([0, 1, 2]), 5, 2, half, half, Rule(k=2))
    assert made.drafted.tolist() == [[2]]  # 2 + 2 bits fit into 5, 2 more do not
    assert made.emitted.tolist() == [[3]]  # both kept, and one token more
    assert made.rejected.tolist() == [[0]]
    assert made.bits.tolist() == [[4]]


@pytest.mark.parametrize("scheme", ["top", "dense", "held", "moving", "peaked"])
@pytest.mark.parametrize("seed", range(4))
def test_compiled_links_are_the_plain_ones(scheme, seed) -> None:
    rng = np.random.default_rng([seed, 11])
    vocab, resolution = 40, int(rng.integers(3, 60))
    contexts = pairs(rng, 1, 5, vocab, 0.02 if scheme == "peaked" else 0.3)
    rule = {
        "top": Rule(k=int(rng.integers(1, 10))),
        "dense": Rule(k=vocab),
        "held": Rule(threshold=0.05),
        "moving": Rule(0, 0.02, 0.05, 0.1),
        "peaked": Rule(0, 0.9, 0.5, 0.3),
    }[scheme]
    price = np.concatenate([[0.0], 5 + 3.0 * np.arange(1, vocab + 1)])
    picks, accept_uniforms = rng.random((2, 1, 30, 7))
    made = run_links(contexts, price, 130, resolution, picks, accept_uniforms, rule)
    plain = np.array(list(one_row(contexts, price, 130, resolution, picks, accept_uniforms, rule)))
    np.testing.assert_allclose(np.stack(made, axis=-1)[0], plain, rtol=0, atol=1e-12)
    assert made.drafted.max() > 0


def test_plain_version_notices_another_rule() -> None:
    """Negative control: a step size a little larger gives other thresholds."""
    rng = np.random.default_rng(3)
    contexts, price = pairs(rng, 1, 5, 40), 5 + 3.0 * np.arange(41)
    picks, accept_uniforms = rng.random((2, 1, 30, 7))
    made = run_links(contexts, price, 130, 20, picks, accept_uniforms, Rule(0, 0.02, 0.05, 0.1))
    other = list(one_row(contexts, price, 130, 20, picks, accept_uniforms, Rule(0, 0.02, 0.051, 0.1)))
    assert not np.allclose(made.threshold[0], [o[-1] for o in other], rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed", range(30))
def test_accepted_mass_is_that_of_the_nearest_lattice_point(seed) -> None:
    rng = np.random.default_rng([seed, 5])
    vocab = int(rng.integers(1, 300))
    q = np.sort(rng.dirichlet(np.full(vocab, rng.choice([0.02, 0.3, 5.0]))))[::-1].copy()
    p = rng.dirichlet(np.full(vocab, 0.3))
    k, resolution = int(rng.integers(1, vocab + 1)), int(rng.integers(1, 200))
    mask = np.arange(vocab) < k
    sent = quantise(sparsify(q, mask), resolution, mask) / resolution
    q.flags.writeable = p.flags.writeable = False  # as links hand them on, so that it is not compiled anew
    assert accepted_mass(q, p, q[:k].sum(), k, resolution) == pytest.approx(float(overlap(p, sent)), abs=1e-12)


def test_printed_line_12_leaves_out_the_new_token() -> None:
    """p and q differ, so the first draft is rejected: as printed nothing is counted, corrected the new token is."""
    contexts = sort_contexts(np.array([[[0.0, 1.0]]]), np.array([[[0.75, 0.25]]]))
    args = (contexts, np.array([0.0, 1.0, 2.0]), 10, 4, np.zeros((1, 1, 3)), np.full((1, 1, 3), 0.5))
    moving = Rule(threshold=0.5, step_size=1.0, dropped_target=0.125)
    assert run_links(*args, moving._replace(printed=True)).threshold.tolist() == [[0.5]]
    assert run_links(*args, moving).threshold.tolist() == [[0.375]]  # 0.5 - (0.25 - 0.125)


def test_a_law_that_does_not_fit_is_not_sent() -> None:
    rng = np.random.default_rng(1)
    contexts = pairs(rng, 2, 3, 10)
    picks, accept_uniforms = rng.random((2, 2, 5, 4))
    made = run_links(contexts, np.full(11, 100.0), 50, 10, picks, accept_uniforms, Rule(k=3))
    assert (made.drafted == 0).all() and (made.emitted == 1).all() and (made.rejected == 0).all()


def test_rows_do_not_depend_on_each_other() -> None:
    rng = np.random.default_rng(2)
    contexts, price = pairs(rng, 3, 4, 20), 2.0 * np.arange(21)
    picks, accept_uniforms = rng.random((2, 3, 10, 6))
    moving = Rule(threshold=0.05, step_size=0.01, dropped_target=0.02)
    whole = run_links(contexts, price, 60, 10, picks, accept_uniforms, moving)
    alone = run_links(
        Contexts(contexts.q[1:2], contexts.p[1:2]), price, 60, 10, picks[1:2], accept_uniforms[1:2], moving
    )
    for a, b in zip(whole, alone, strict=True):
        assert a[1:2].tolist() == b.tolist()
