"""What a sampler is handed in place of the laws by which it is judged: raw rows, and rows of a large vocabulary."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simspec.audit import Pair, Verdict, audit, exact
from simspec.audit.calling import Broken, called, called_with_uniforms
from simspec.audit.handing import CELLS, Sparse, handed, handed_with_uniforms, of_logits, processed, spread
from simspec.audit.reference import speculative
from simspec.audit.smaller import smaller
from simspec.audit.sparse import BORDERS, MOST_IDS, pairs_to_try, sparse
from simspec.audit.zoo.forms import HALF, every_tile, ids_of_16_bits, last_tile_ignored

EVEN = Pair("even", np.full((2, 2), 0.5), np.full((1, 2), 0.5))
THREE = Pair("three", np.array([[1, 2, 5], [5, 1, 2]]) / 8, np.array([[5, 2, 1]]) / 8)


def last_token(p, q, n, rng):
    """The last id of the vocabulary, whatever has mass."""
    return np.tile([p.shape[1] - 1, -1], (n, 1))[:, : len(p)]


# --- processors -----------------------------------------------------------------------------------------------------


def test_a_processed_law_by_hand() -> None:
    """Half of the mass of what was said: 1/4 : 1/2 is 1/3 : 2/3; and the sampler is handed the rows as they were."""
    pair = processed(EVEN, HALF)
    assert np.allclose(pair.p[1], [[1 / 3, 2 / 3], [2 / 3, 1 / 3]])
    handed_rows = []
    sampler = handed(lambda p, q, n, rng: handed_rows.append((p, q)) or np.zeros((n, 2), dtype=int), pair)
    called(sampler, pair.p, pair.q, 3, np.random.default_rng(0))
    assert [rows.tolist() for rows in handed_rows[0]] == [EVEN.p.tolist(), EVEN.q.tolist()]


def test_the_exact_law_of_a_sampler_that_does_not_process_by_hand() -> None:
    """Raw rows are even; after token x the processed law of x is 1/3: TV is |1/2 - 1/3| on both prefixes."""

    def raw(p, q, drafts, uniforms):
        return np.stack([drafts[:, 0], uniforms[:, 1] >= p[1, 0]], axis=1).astype(int)

    halving = lambda rows, prefix: rows / (1 + (prefix[:, :, None] == np.arange(2)).any(axis=1))  # noqa: E731 - by hand
    report = exact(raw, pairs=[EVEN], uniforms=2, processor=halving, confirmed=500, shrink=False)
    assert (report.verdict, report.first.emitted.facts.tv) == (Verdict.BIASED, Fraction(1, 6))
    assert report.diagnosis.part == "processor" and report.diagnosis.lines[0] == "target rows are not processed"
    assert "processed, after each prefix, p = [(1/2, 1/2), {(1/3, 2/3), (2/3, 1/3)}]" in report.words()
    assert report.plain()["shown"]["raw"] == EVEN.p.tolist()

    def right(p, q, drafts, uniforms):
        penalised = np.where(drafts[:, 0] == 0, 1 / 3, 2 / 3)
        return np.stack([drafts[:, 0], uniforms[:, 1] >= penalised], axis=1).astype(int)

    report = exact(right, pairs=[EVEN], uniforms=2, processor=halving, confirmed=500)
    assert (report.verdict, report.shown.emitted.facts.tv) == (Verdict.LOSSLESS, 0)


def test_a_processor_on_logits_is_one_on_rows() -> None:
    lowered = of_logits(lambda logits, prefix: logits - np.log(2) * (prefix[:, :, None] == np.arange(2)).any(axis=1))
    for a, b in zip(processed(EVEN, lowered).p, processed(EVEN, HALF).p, strict=True):
        assert np.allclose(a, b)


@pytest.mark.parametrize(
    ("processor", "words"),
    [
        (lambda rows, prefix: rows[:, :1], r"processor: returns shape \(1, 1\); expected \(1, 2\)"),
        (lambda rows, prefix: np.log(rows), r"returns the weights .*expected none below 0 .* of_logits\(f\)"),
        (lambda rows, prefix: rows * 0, "a positive sum"),
        (lambda rows: rows, r"processor: raises TypeError.*expected processor\(rows \(n, V\), prefix \(n, t\)\)"),
    ],
    ids=["shape", "logits", "no mass", "arguments"],
)
def test_a_processor_that_returns_no_weights_is_an_error(processor, words) -> None:
    with pytest.raises(ValueError, match=words):
        audit(speculative, pairs=[EVEN], processor=processor)


def test_smaller_pairs_are_processed_again() -> None:
    """And those from which the processor makes no law are left out."""
    pair = processed(THREE, HALF)
    others = list(smaller(pair))
    assert any(other.gamma == 0 for other in others) and any(other.vocab == 2 for other in others)
    for other in others:
        again = processed(Pair("", other.handed.p, other.handed.q), HALF)
        assert all(map(np.array_equal, other.p, again.p))
    only_first = lambda rows, prefix: rows * (np.arange(rows.shape[1]) == 1)  # noqa: E731 - a mask in a line
    assert all(other.vocab > 1 for other in smaller(processed(THREE, only_first)))


def test_a_processor_of_a_processed_pair_is_an_error() -> None:
    with pytest.raises(ValueError, match="has rows of its own"):
        processed(processed(EVEN, HALF), HALF)


# --- large vocabularies ---------------------------------------------------------------------------------------------


def test_rows_hold_their_masses_at_the_ids() -> None:
    pair = spread(THREE, (0, 32_768, 255_999), 256_000)
    rows = []
    handed(lambda p, q, n, rng: rows.append(p) or np.zeros((n, 2), dtype=int), pair)(pair.p, pair.q, 1, None)
    assert rows[0].shape == (2, 256_000) and rows[0][:, [0, 32_768, 255_999]].tolist() == THREE.p.tolist()
    assert (rows[0] > 0).sum() == 6


def test_the_last_token_of_the_judged_laws_is_every_other_id() -> None:
    pair = spread(THREE, (0, 9, 98), 100)
    assert set(handed(last_token, pair)(pair.p, pair.q, 5, None)[:, 0].tolist()) == {3}
    assert audit(last_token, pairs=[pair], calls=250, diagnose=False).verdict is Verdict.BIASED


@pytest.mark.parametrize("token", [-32_768, 100, 2**40])
def test_an_id_that_is_none_is_broken(token) -> None:
    pair = spread(THREE, (0, 9, 99), 100)
    sampler = handed(lambda p, q, n, rng: np.full((n, 2), token), pair)
    with pytest.raises(Broken, match=f"emits token {token}; the vocabulary has 100 tokens"):
        called(sampler, pair.p, pair.q, 5, np.random.default_rng(0))


def test_memory_is_bounded_and_no_call_is_lost() -> None:
    """Launches are so small that (n, gamma + 1, V) numbers are at most `CELLS`; each has its own drafts and uniforms."""
    pair = spread(THREE, (0, 9, 199_999), 200_000)
    launches = []

    def sampler(p, q, drafts, uniforms):
        launches.append(len(drafts) * p.size)
        return np.stack([drafts[:, 0], np.where(uniforms[:, 0] < 0.5, 0, 199_999)], axis=1)

    drafts = np.arange(100)[:, None] % 3
    uniforms = (np.arange(100)[:, None] % 2) * 0.5
    tokens = called_with_uniforms(handed_with_uniforms(sampler, pair), pair.p, pair.q, drafts, uniforms)
    assert tokens.tolist() == [[i % 3, 2 * (i % 2)] for i in range(100)]
    assert len(launches) > 1 and max(launches) <= CELLS


def test_a_sampler_that_changes_its_large_rows_is_broken() -> None:
    def changes(p, q, n, rng):
        p[:] = 0
        return np.zeros((n, 2), dtype=int)

    for pair in (spread(THREE, (0, 9, 99), 100), processed(THREE, HALF)):
        with pytest.raises(Broken, match="changes its input p"):
            called(handed(changes, pair), pair.p, pair.q, 5, np.random.default_rng(0))


def test_padding_of_drafts_stays_padding() -> None:
    assert Sparse((5, 7), 9).drafts(np.array([[0, -1], [1, 0]])).tolist() == [[5, -1], [7, 5]]


def test_smaller_pairs_have_fewer_ids_in_the_same_vocabulary() -> None:
    pair = spread(THREE, (0, 9, 99), 100)
    others = list(smaller(pair))
    assert {other.handed.ids for other in others} == {(0, 9, 99), (9, 99), (0, 99), (0, 9)}
    for other in others:
        assert other.handed.size == 100 and other.vocab == len(other.handed.ids) + 1
        assert (other.p[:, -1] == 0).all() and np.allclose(other.p.sum(axis=1), 1)


def test_every_border_has_a_pair() -> None:
    """The ids on both sides of each, the first and the last, in the largest vocabulary and in one below the last border."""
    ids = {id_ for pair in sparse(1, MOST_IDS) for id_ in pair.handed.ids}
    assert ids >= {0, MOST_IDS - 2, MOST_IDS - 1, *BORDERS, *(border - 1 for border in BORDERS)}
    assert {id_ for pair in sparse(2, 40_000) for id_ in pair.handed.ids} >= {32_767, 32_768, 39_999}
    with pytest.raises(ValueError, match="vocab: 256001; expected .* 256000"):
        pairs_to_try(1, MOST_IDS + 1)
    with pytest.raises(ValueError, match="expected at most 52 together with prefixes"):
        pairs_to_try(1, 100, prefixes=True)


@pytest.mark.parametrize(("fault", "vocab"), [(last_tile_ignored, 40_000), (ids_of_16_bits, 70_000)])
def test_a_fault_of_the_last_tile_is_caught_and_its_twin_is_not(fault, vocab) -> None:
    """In a vocabulary that ends before the fault begins it is lossless: the negative control.  False alarm 1e-6."""
    settings = {"calls": 500, "tv_limit": 0.35}
    report = audit(fault, **settings, pairs=sparse(1, vocab)[-1:])
    assert report.verdict is Verdict.BIASED and "of the " in report.words()
    assert report.diagnosis.lines[0].startswith("the bias does not appear in small vocabularies")
    assert report.plain()["shown"]["size"] == report[0].pair.size == vocab
    settings["diagnose"] = False
    assert audit(every_tile, **settings, pairs=sparse(1, vocab)[-1:]).verdict is Verdict.LOSSLESS
    assert audit(fault, **settings, pairs=sparse(1, 32_768)[-1:]).verdict is Verdict.LOSSLESS


def test_large_ids_in_exact_mode() -> None:
    """One draft on 2,000 tokens: sums that stop at 1,024 never emit what lies beyond."""

    def verify(p, q, drafts, uniforms, stop=None):
        rows = p[:, :stop]
        accepted = uniforms[:, 0] * q[0, drafts[:, 0]] < p[0, drafts[:, 0]]
        residual = np.maximum(rows[0] - q[0, :stop], 0)
        weights = np.where(accepted[:, None], rows[1], residual)
        sums = weights.cumsum(axis=1)
        last = np.minimum((uniforms[:, 1:2] * sums[:, -1:] >= sums).sum(axis=1), sums.shape[1] - 1)
        return np.where(accepted[:, None], np.stack([drafts[:, 0], last], 1), np.stack([last, -1 + 0 * last], 1))

    settings = {"pairs": sparse(1, 2000)[1:2], "uniforms": 2, "confirmed": 200, "diagnose": False, "shrink": False}
    assert exact(verify, **settings).verdict is Verdict.LOSSLESS
    report = exact(lambda p, q, drafts, uniforms: verify(p, q, drafts, uniforms, 1024), **settings)
    assert report.verdict is Verdict.BIASED and report.first.emitted.facts.tv > Fraction(1, 10)
