"""The benchmark of rounds validates every peer, writes what it measured and fails when we are wrong.  No time is asserted."""

import json

import numpy as np
import pytest

from simspec import cli
from simspec.bench import harness, rounds
from simspec.bench.rounds import paths as rounds_paths
from simspec.kernels import rounds as kernel
from simspec.kernels.rounds import reference
from tests.bench.fakes import absent


@pytest.fixture(scope="module")
def data():
    return rounds.draw(6, 2_000, 0.8, seed=3)


def test_the_data_are_what_they_are_said_to_be(data):
    """Drafts from the draft law, coins of the chosen step, accepted numbers of the reference, possible tokens."""
    accepted, token = reference.verify(data.target, data.draft, data.drafted, data.uniforms)
    np.testing.assert_array_equal(data.accepted, accepted)
    assert data.possible[np.arange(6), token].all()
    assert abs(data.accepted.mean() - 2.689) < 0.1  # 0.8 + ... + 0.8**5, in sixths
    p, q = (reference._softmax(z) for z in (data.target[:, : rounds.GAMMA], data.draft))
    assert abs(np.minimum(p, q).sum(axis=-1).mean() - 0.8) < 0.02
    sure = rounds.draw(6, 2_000, 1.0, seed=3)
    np.testing.assert_array_equal(sure.target[:, : rounds.GAMMA], sure.draft)
    assert (sure.accepted == rounds.GAMMA).all()


@pytest.mark.parametrize("acceptance", [0.8, 1.0])
def test_every_peer_accepts_what_the_reference_accepts(acceptance):
    data = rounds.draw(5, 2_000, acceptance, seed=1)
    expected = np.stack([data.accepted, np.ones(5)])
    for result in harness.compare(rounds.step_peers(), data, expected, 0.0, repeats=1):
        assert result.status == "ok" or result.status.startswith("not installed"), result


def test_a_token_without_mass_and_a_wrong_number_are_seen(data):
    expected = np.stack([data.accepted, np.ones(6)])
    impossible = np.argmin(data.possible, axis=1)
    for out in (rounds._judged(data, data.accepted, impossible), rounds._judged(data, data.accepted - 1, impossible)):
        (result,) = harness.compare(
            [harness.Peer("wrong", lambda d, n, o=out: lambda: o, (1,))], data, expected, 0.0, 1
        )
        assert result.status.startswith("wrong by")


def test_numpy_runs_the_same_rounds():
    """Mean accepted drafts of 4,000 rows, each independent: five standard errors (false alarm 6e-7), and a control."""
    d, k, r, p = rounds_paths.chain(4, 4, seed=0)
    means = []
    for seed in (0, 1):
        given = [(np.arange(4)[:, None] + reference.cdf(x)).ravel() for x in (d, r, p)]
        means.append(rounds_paths._numpy(given, k / d, 4_000, 10, np.random.default_rng(seed)).mean(axis=1))
    ours = kernel.run_rounds(kernel.tables(d, k, r, p), gamma=5, rounds=10, key=2, rows=range(4_000)).accepted.mean(
        axis=1
    )
    error = np.sqrt((ours.var() + means[0].var()) / 4_000)
    assert abs(ours.mean() - means[0].mean()) < 5 * error
    biased = kernel.tables(d, 0.9 * k, r, p)
    other = kernel.run_rounds(biased, gamma=5, rounds=10, key=2, rows=range(4_000)).accepted.mean()
    assert abs(other - means[1].mean()) > 5 * error


def test_quick_run_writes_every_peer(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(rounds, "_jax", absent)  # compiling takes seconds, and the test above has it
    path = tmp_path / "new" / "rounds.json"
    assert cli.main(["bench", "rounds", "--quick", "--repeats", "2", "--json", str(path)]) == 0
    document = json.loads(path.read_text())
    step, paths = document["cases"]
    assert (step["work"], step["batch"], step["vocab"]) == ("step", *rounds.QUICK[0][:2])
    assert [r["name"] for r in step["results"]] == [peer.name for peer in rounds.step_peers()]
    assert [r["name"] for r in paths["results"]] == ["simspec", "NumPy"]
    for case in (step, paths):
        ours = case["results"][0]
        assert ours["status"] == "ok" and len(ours["seconds"]) == 2
        assert 0 < case["mean_accepted"] < rounds.GAMMA
    assert document["environment"]["packages"]["numpy"] == np.__version__
    assert "million rounds/s" in capsys.readouterr().out


def test_a_wrong_kernel_fails_the_run(monkeypatch, capsys):
    for peer in ("_transformers", "_torch", "_torch_expert", "_jax"):
        monkeypatch.setattr(rounds, peer, absent)
    true = rounds._simspec
    monkeypatch.setattr(rounds, "_simspec", lambda data, threads: lambda: true(data, threads)() + 1)
    monkeypatch.setenv("COLUMNS", "120")
    assert cli.main(["bench", "rounds", "--quick", "--repeats", "1"]) == 1
    assert "wrong by 1.0e+00" in capsys.readouterr().out


def test_a_kernel_that_leaves_the_reference_fails_the_run(monkeypatch):
    monkeypatch.setattr(rounds, "QUICK", ())
    assert cli.main(["bench", "rounds", "--quick", "--repeats", "1"]) == 0
    true = kernel.run_rounds

    def off(*args, **given):
        found = true(*args, **given)
        found.tokens[0, 0] += 1
        return found

    monkeypatch.setattr(kernel, "run_rounds", off)
    assert cli.main(["bench", "rounds", "--quick", "--repeats", "1"]) == 1
