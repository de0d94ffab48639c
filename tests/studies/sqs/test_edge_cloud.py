"""Drafting over a thin wire: prices by hand, folds of a bank, pairing of schemes, and the summary's sums."""

import numpy as np
import pytest

from simspec.engine.study import Rows, simulate
from simspec.kernels.link import Batches, sort_contexts
from simspec.logits import open_bank
from simspec.methods.sqs.quantised import quantise, sparsify, top_mask
from simspec.studies.sqs import edge_cloud as module
from simspec.studies.sqs.edge_cloud import edge_cloud
from simspec.studies.sqs.link_schemes import TIMES, Times, dense, price_table, summarise, top_k


def test_summary_of_two_batches_by_hand() -> None:
    """Three drafts of 10 bits, one accepted; then one draft of 10 bits, accepted: five tokens... 2 + 2 = 4 in all."""
    columns = ([2, 2], [3, 1], [1, 0], [2, 0], [30, 10], [6, 4], [0.25, 0.5])
    batches = Batches(*(np.array([c], dtype=float) for c in columns))
    values = {k: v.tolist() for k, v in summarise(batches, {"by hand": Times(1.0, 10.0, 4.0)}).items()}
    assert values["by hand latency"] == [(4 * 1.0 + 40 / 10 + 2 * 4) / 4]
    assert values["by hand batch latency"] == [8.0]
    assert values["resampling"] == [0.5] and values["per draft"] == [0.25] and values["discarded"] == [0.5]
    assert values["bits per token"] == [10.0] and values["bits per draft"] == [10.0] and values["kept"] == [2.5]
    assert values["threshold"] == [0.5] and values["idle"] == [0.0] and values["tokens"] == [2.0]


def test_prices_by_hand() -> None:
    """V = 4, l = 2: two of four tokens are 6 subsets (3 bits), C(3, 1) = 3 lattice points (2 bits); +2 bits for K."""
    assert price_table("top-k", 4, 2, 100.0).tolist() == [np.inf, 2.0, 5.0, 5.0, 4.0]
    assert price_table("threshold", 4, 2, 100.0).tolist() == [np.inf, 4.0, 7.0, 7.0, 6.0]
    assert price_table("dense", 4, 2, 100.0).tolist() == [np.inf, np.inf, np.inf, np.inf, 4.0]
    assert price_table("top-k", 4, 2, 4.5).tolist() == [np.inf, 2.0, np.inf, np.inf, 4.0]


def test_schemes_meet_the_same_links() -> None:
    """The same scheme under two names gives the same values: schemes are paired."""
    study = edge_cloud(schemes={"a": top_k(8), "b": top_k(8), "c": dense()}, temperatures=(1.0,), paired=True)
    values = simulate(study, study.grid[0], 0, range(3))
    assert values["resampling; a"].tolist() == values["resampling; b"].tolist()
    assert values["bits per token; a"].tolist() != values["bits per token; c"].tolist()


def test_acceptance_of_a_link_is_the_exact_rate() -> None:
    """Long run of one-draft batches: the share rejected is 1 - mean overlap; false alarm below 1e-6 (Hoeffding)."""
    study = edge_cloud(schemes={"K = 8": top_k(8)}, temperatures=(1.0,), paired=True)
    cell = {**study.grid[0], "longest": 1}
    values = simulate(study, cell, 0, range(30))
    links = module.synthetic_links(cell, Rows(_key(study, cell, 0), range(30)))
    mask = top_mask(links.q, 8)
    sent = quantise(sparsify(links.q, mask), 100, mask) / 100
    expected = 1 - np.minimum(links.p, sent).sum(axis=-1).mean()
    draws = 30 * module.BATCHES
    room = np.sqrt(np.log(2 / 1e-6) / (2 * draws))
    gap = abs(values["per draft; K = 8"].mean() - expected)
    assert gap < room
    assert abs(values["per draft; K = 8"].mean() - (expected + 3 * room)) > room  # negative control: another rate


def _key(study, cell, seed) -> int:
    from simspec.kernels.random import make_key

    return make_key(seed, study.name, dict(cell))


def test_folds_share_no_document() -> None:
    documents = np.repeat(np.arange(37), 2)
    folds = module._folds(documents)
    owners = [set(documents[rows]) for rows in folds]
    assert len(folds) == module.FOLDS
    assert set.union(*owners) == set(range(37))
    assert sum(map(len, owners)) == 37


def test_links_of_a_large_bank_are_held_by_part_and_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven links, two at a time and one at the end: every value has the bits of all at once."""
    bank = open_bank("wiki")
    study = edge_cloud(bank, schemes={"K = 8": top_k(8), "c": dense()}, temperatures=(1.0,), paired=True)
    whole = simulate(study, study.grid[0], 0, range(7))
    in_a_link = module._folds(np.asarray(bank.documents)).shape[1]
    monkeypatch.setattr(module, "_ENTRIES", 2 * in_a_link * bank.vocab)
    assert [*module._held_at_once(bank, range(7))] == [range(2), range(2, 4), range(4, 6), range(6, 7)]
    held = []
    monkeypatch.setattr(module, "sort_contexts", lambda *laws: held.append(len(laws[0])) or sort_contexts(*laws))
    module.real_links.cache_clear()
    by_part = simulate(study, study.grid[0], 0, range(7))
    assert held == [2, 2, 2, 1]
    assert {name: value.tobytes() for name, value in by_part.items()} == {n: v.tobytes() for n, v in whole.items()}


def test_one_link_is_held_however_large_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ENTRIES", 1)
    assert [*module._held_at_once(open_bank("wiki"), range(3, 5))] == [range(3, 4), range(4, 5)]
    assert [*module._held_at_once(None, range(3, 5))] == [range(3, 5)]


def test_real_links_hold_laws_sorted_by_the_draft() -> None:
    links = module.real_links(open_bank("stories"), 0.5)
    assert len(links.q) == module.FOLDS
    np.testing.assert_allclose(links.q.sum(axis=-1), 1, atol=1e-9)
    np.testing.assert_allclose(links.p.sum(axis=-1), 1, atol=1e-9)
    assert (np.diff(links.q, axis=-1) <= 0).all()


@pytest.mark.parametrize("make", [module.wiki, module.stories])
def test_both_shipped_pairs_run_at_every_temperature(make) -> None:
    study = make()
    cells = [c for c in study.grid if c["longest"] == 8 and c["scheme"] in ("K = 8", "C-SQS from 0.01")]
    assert {c["temperature"] for c in cells} == set(module.TEMPERATURES)
    for cell in cells:
        values = simulate(study, cell, 0, range(2))
        assert all(np.isfinite(x).all() for x in values.values()), cell
        assert (values["tokens"] >= 1).all() and (values["bits per token"] * values["tokens"] <= 5000).all(), cell


def test_a_cheap_rate_saves_time() -> None:
    study = edge_cloud(schemes={"K = 32": top_k(32)}, temperatures=(1.0,))
    values = simulate(study, study.grid[0], 0, range(2))
    slow, fast = (values[f"{name} latency"] for name in TIMES)
    assert (fast < slow).all()


@pytest.mark.parametrize("k", [0, 1001])
def test_k_outside_the_vocabulary_is_refused(k) -> None:
    study = edge_cloud(schemes={"bad": top_k(k)})
    with pytest.raises(ValueError, match="k: .* expected a number of tokens between 1 and 1000"):
        simulate(study, study.grid[0], 0, range(1))


def test_some_folds_are_those_of_all() -> None:
    bank = open_bank("stories")
    part, whole = module.real_links(bank, 0.5, range(3, 7)), module.real_links(bank, 0.5)
    for name in ("q", "p", "cumulative"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[3:7])


def test_a_paired_study_runs_in_the_engine() -> None:
    from simspec.engine.run import simulate_block

    study = edge_cloud(schemes={"K = 8": top_k(8), "none": top_k(8, budget=0)}, temperatures=(1.0,), paired=True)
    block = simulate_block(study, study.grid[0], 0, "00", 0)
    assert block.error is None
    assert {n.rpartition(".")[0] for n in block.statistics} == set(study.measures)


@pytest.mark.parametrize("temperatures", [(), (-1.0,), (0.5, float("nan"))])
def test_temperatures_that_are_none_are_refused(temperatures) -> None:
    with pytest.raises(ValueError, match="temperatures: .* expected one or more, none of them negative"):
        edge_cloud(temperatures=temperatures)
