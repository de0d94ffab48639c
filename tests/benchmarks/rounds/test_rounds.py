"""The benchmark of rounds validates the peer, writes what it measured and fails when we are wrong.  No time is asserted."""

import json

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import rounds
from benchmarks.rounds import joint as joint_rounds
from benchmarks.rounds.sampler import Sampler
from simspec.kernels import rounds as kernel
from simspec.kernels.rounds import reference
from simspec.kernels.rounds.block import reference as block_reference


def test_numpy_runs_the_same_rounds():
    """Mean accepted drafts of 4,000 rows, each independent: five standard errors (false alarm 6e-7), and a control."""
    d, k, r, p = rounds.chain(4, 4, seed=0)
    means = []
    for seed in (0, 1):
        given = [(np.arange(4)[:, None] + reference.cdf(x)).ravel() for x in (d, r, p)]
        means.append(rounds.vectorised(np, given, k / d, 4_000, 10, np.random.default_rng(seed)).mean(axis=1))
    ours = kernel.run_rounds(
        kernel.tables(d, k, r, p), kernel.Draws(2, range(4_000)), gamma=5, rounds=10
    ).accepted.mean(axis=1)
    error = np.sqrt((ours.var() + means[0].var()) / 4_000)
    assert abs(ours.mean() - means[0].mean()) < 5 * error
    biased = kernel.tables(d, 0.9 * k, r, p)
    other = kernel.run_rounds(biased, kernel.Draws(2, range(4_000)), gamma=5, rounds=10).accepted.mean()
    assert abs(other - means[1].mean()) > 5 * error


def test_quick_run_writes_every_peer(tmp_path, capsys):
    path = tmp_path / "new" / "rounds.json"
    assert benchmarks.main(["rounds", "--quick", "--repeats", "2", "--json", str(path)]) == 0
    document = json.loads(path.read_text())
    case, *joint = document["cases"]
    for found in joint:
        searched = ["draws, lookups and searches alone (limit)"] * (found["masses"] + found["places"] > 0)
        assert bool(searched) == (found["rule"] not in ("rrs:2", "kseq:2"))
        limits = ["draws and lookups alone (limit)", *searched, "memory read once"]
        assert [r["name"] for r in found["results"]] == ["simspec", "NumPy", "token rounds", *limits]
        assert found["results"][0]["status"] == found["results"][1]["status"] == "ok"
        assert found["drawn"] > found["drawn_by_tokens"] > found["mean_accepted"] / 5
    assert [found["rule"] for found in joint] == list(rounds.JOINT_QUICK)
    assert [r["name"] for r in case["results"]] == ["simspec", "NumPy"]
    assert case["results"][0]["status"] == "ok" and len(case["results"][0]["seconds"]) == 2
    assert 0 < case["mean_accepted"] < rounds.GAMMA
    assert document["environment"]["packages"]["numpy"] == np.__version__
    assert "million rounds/s" in capsys.readouterr().out


def test_a_kernel_that_leaves_the_reference_fails_the_run(monkeypatch):
    true = kernel.run_rounds

    def off(*args, **given):
        found = true(*args, **given)
        found.tokens[0, 0] += 1
        return found

    monkeypatch.setattr(rounds, "JOINT_QUICK", ())
    assert benchmarks.main(["rounds", "--quick", "--repeats", "1"]) == 0
    monkeypatch.setattr(kernel, "run_rounds", off)
    assert benchmarks.main(["rounds", "--quick", "--repeats", "1"]) == 1


@pytest.mark.parametrize("name", ["block", "rrs:3", "rrsw:3", "kseq:3", "tree:2", "treew:2"])
def test_numpy_runs_the_same_joint_rounds(name):
    """Mean accepted drafts of 4,000 rows: five standard errors (false alarm 6e-7), and token rounds as the control."""
    q, k, r, p = rounds.chain(1, 9, seed=0)
    rule = joint_rounds.made(name, p[0], q[0])
    plain = np.stack([rule.plain(4_000, Sampler(np.random.default_rng([n, 5]))) for n in range(5)], axis=1).mean(axis=1)
    given = {"gamma": joint_rounds.GAMMA, "rounds": 5}
    ours = rule.run(rule.tables, kernel.Draws(2, range(4_000)), **given).accepted.mean(axis=1)
    token = kernel.run_rounds(kernel.tables(q, k, r, p), kernel.Draws(2, range(4_000)), **given).accepted.mean()
    error = np.sqrt((ours.var() + plain.var()) / 4_000)
    assert abs(ours.mean() - plain.mean()) < 5 * error
    assert abs(token - plain.mean()) > 5 * error


def test_a_joint_kernel_that_leaves_its_reference_fails_the_run(monkeypatch):
    true = joint_rounds.run_block_rounds

    def off(*args, **given):
        found = true(*args, **given)
        found.tokens[0, 0] += 1
        return found

    monkeypatch.setattr(rounds, "JOINT_QUICK", ("block",))
    assert benchmarks.main(["rounds", "--quick", "--repeats", "1"]) == 0
    monkeypatch.setattr(joint_rounds, "run_block_rounds", off)
    assert benchmarks.main(["rounds", "--quick", "--repeats", "1"]) == 1


@pytest.mark.parametrize("name", ["block", "rrs:3", "rrsw:2", "rrsw:3", "tree:2", "treew:2"])
def test_what_is_searched_is_no_more_than_the_reference_searches(name, monkeypatch):
    """Every r < 1 that the reference looks a mass up at, on 2,000 rounds of both; equal laws need none."""
    q, _, _, p = rounds.chain(1, 300, seed=0)
    same = joint_rounds.made(name, q[0], q[0])
    none = joint_rounds.noted(same.plain, 100)
    assert none.drawn == joint_rounds.GAMMA + 1 and none.searched() == {"masses": 0, "places": 0}

    rule, true, met = joint_rounds.made(name, p[0], q[0]), block_reference.beyond, []

    def beyond(laws, s, r):
        met.append(r)
        return true(laws, s, r)

    monkeypatch.setattr(block_reference, "beyond", beyond)
    rule.reference(rule.tables.laws, joint_rounds.GAMMA, 10, 1, np.arange(200, dtype=np.uint64))
    found = joint_rounds.noted(rule.plain, 2_000)
    masses, places = found.searched().values()
    assert masses <= 1.05 * sum(r < 1 for r in met) / 2_000  # 1.05: another sample
    assert (masses > 0) == (places > 0) == (name != "rrs:3")
    assert ((found.masses < 1) & (found.masses > 0)).all()
    r, many, want = found.places
    mass = np.array([true(block_laws_of(rule), 0, x)[1] for x in r])
    assert ((want > 0) & (want < mass) & (many > 0)).all()


def block_laws_of(rule):
    """The laws of a rule in the order of q/p."""
    laws = rule.tables.laws
    return getattr(laws, "sums", None) or getattr(laws, "sorted", None) or laws
