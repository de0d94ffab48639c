"""Laws of one's own: typed, in files, in fractions."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from simspec import cli
from simspec.audit import Pair, Verdict, audit, exact
from simspec.audit.adapters.banked import pairs_of_bank
from simspec.audit.adapters.given import pair_of_text, pairs_of_file
from simspec.audit.reference import speculative
from tests.audit.uniforms import samplers

P = np.array([[1, 3], [4, 0], [2, 2]]) / 4
Q = np.array([[2, 2], [1, 3]]) / 4
REFERENCE = "simspec.audit.reference:speculative"


def test_masses_that_are_typed() -> None:
    pair = pair_of_text("1/3 2/3, .25 .75", "1 0")
    assert pair.p.tolist() == [[1 / 3, 2 / 3], [0.25, 0.75]] and pair.q.tolist() == [[1, 0]]
    assert pair_of_text("1/2 1/2", "").gamma == 0


@pytest.mark.parametrize(
    ("p", "q", "words"),
    [
        ("1/4 x, 1 0", "1 0", "--pair: p: '1/4 x'; expected masses, as in --pair"),
        ("1/0 1, 1 0", "1 0", "--pair: p: '1/0 1'"),
        ("1/2 1/2, 1", "1 0", "--pair: p: '1' has 1 masses; expected 2"),
        ("1/2 1/2, 1 0", "1 0 0", "--pair: q: '1 0 0' has 3 masses; expected 2"),
        ("", "", "--pair: p: ''; expected masses"),
        ("1/2 1/4, 1 0", "1 0", "a law sums to 0.75"),
        ("1/2 1/2", "1 0", "1 laws; expected one fewer than the 1 of p"),
        ("3/2 -1/2, 1 0", "1 0", "a mass is -0.5"),
    ],
)
def test_what_is_no_pair_is_refused(p, q, words) -> None:
    with pytest.raises(ValueError, match=words):
        pair_of_text(p, q)


def test_a_pair_of_a_file_is_taken_as_it_is(tmp_path) -> None:
    path = tmp_path / "mypair.npz"
    np.savez(path, p=P, q=Q)
    (pair,) = pairs_of_file(path)
    assert pair.name == "mypair.npz" and np.array_equal(pair.p, P) and np.array_equal(pair.q, Q)
    np.savez(path, target=np.log(P + 1e-9), draft=np.log(Q))
    assert np.allclose(pairs_of_file(path)[0].p, P)
    np.savez(path, p=np.eye(50)[[0, 1, 2]], q=np.full((2, 50), 0.02))  # 125,000 texts are too many
    assert pairs_of_file(path, vocab=4)[0].p.shape == (3, 4)


def test_rows_of_a_file_follow_each_other(tmp_path) -> None:
    path = tmp_path / "rows.npz"
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(3), 6), rng.dirichlet(np.ones(3), 6)
    np.savez(path, p=p, q=q)
    pairs = pairs_of_file(path, count=2, gamma=2)
    assert [pair.name for pair in pairs] == ["rows.npz, row 0", "rows.npz, row 3"]
    assert np.allclose(pairs[1].p, p[3:6]) and np.allclose(pairs[1].q, q[3:5])
    assert [pair.p.shape for pair in pairs_of_file(path, vocab=2)] == [(3, 2)] * 4
    np.savez(path, p=p[0], q=q[0])  # one law for every position
    (pair,) = pairs_of_file(path)
    assert np.allclose(pair.p, [p[0]] * 3) and np.allclose(pair.q, [q[0]] * 2)
    np.savez(path, p=p, draft=q)
    with pytest.raises(ValueError, match="holds draft, p; expected p and q, or target and draft"):
        pairs_of_file(path)


def test_pairs_on_the_command_line(tmp_path, capsys) -> None:
    path = tmp_path / "mypair.npz"
    np.savez(path, p=P, q=Q)
    most = ["--calls", "2000", "--tv-limit", "0.2"]
    assert cli.main(["audit", REFERENCE, "--bank", str(path), *most]) == 0
    assert "on each of 1 pairs" in capsys.readouterr().out
    typed = ["--pair", "1/4 3/4, 1 0", "1/2 1/2", "--pair", "1/2 1/2", ""]
    assert cli.main(["audit", REFERENCE, *typed, *most]) == 0
    assert "on each of 2 pairs" in capsys.readouterr().out
    assert cli.main(["audit", REFERENCE, *typed, "--bank", "wiki"]) == 2
    assert "--pair, --bank: got both" in capsys.readouterr().err
    assert cli.main(["audit", REFERENCE, "--bank", str(tmp_path / "none.npz")]) == 2
    assert "none.npz" in capsys.readouterr().err


def test_fractions_are_judged_exactly() -> None:
    """By hand: p = (1/3, 2/3), q = (2/3, 1/3).  A third of the drafts is refused, all of them token 0; drawn from p, a third
    of these is token 0 again: TV 1/9."""
    p = np.array([[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 7), Fraction(6, 7)]])
    q = np.array([[Fraction(2, 3), Fraction(1, 3)]])
    settings = {"confirmed": 500, "diagnose": False}
    assert exact(samplers.speculative, pairs=[Pair("thirds", p, q)], **settings).verdict is Verdict.LOSSLESS
    report = exact(samplers.fresh, pairs=[(p, q)], **settings)
    assert (report.verdict, str(report.first.emitted.facts.tv)) == (Verdict.BIASED, "1/9")
    assert report.first.pair.name == "pair 1"
    assert (
        audit(speculative, pairs=[(p, q), (np.eye(2, dtype=int), np.eye(2, dtype=int)[:1])], calls=500).exit_status == 3
    )


@pytest.mark.parametrize("laws", ["uneven", (1, 2), (P,), (P, Q, Q, Q), None, np.array([["a", "b"]])])
def test_what_is_no_pair_of_arrays_is_refused(laws) -> None:
    for judge in (audit, exact):
        with pytest.raises(ValueError, match="expected a simspec.audit.Pair of a name and arrays p and q"):
            judge(lambda a, b, c, d: None, pairs=[laws])


def test_objects_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="a mass is nan"):
        audit(speculative, pairs=[(np.array([["a", None]], dtype=object), P[:0])])


@pytest.mark.parametrize(("contexts", "gamma", "most"), [(5, 2, 3), (4, 4, 0), (2, 5, 0)])
def test_a_bank_with_too_few_rows_says_how_many_pairs_it_has(contexts, gamma, most) -> None:
    bank = SimpleNamespace(contexts=contexts, name="small")
    with pytest.raises(ValueError, match=f"rows: 8; expected at most {most}, .* with {gamma} draft tokens in small"):
        pairs_of_bank(bank, 8, gamma)


def test_arrays_of_a_safetensors_file_are_pairs_as_those_of_an_npz_are(tmp_path) -> None:
    tensors = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "mypair.safetensors"
    tensors.save_file({"p": P, "q": Q}, path)
    (pair,) = pairs_of_file(path)
    assert pair.name == "mypair.safetensors" and np.array_equal(pair.p, P) and np.array_equal(pair.q, Q)
    assert cli.main(["audit", REFERENCE, "--bank", str(path), "--calls", "100"]) == 3


def test_a_file_of_one_array_gets_the_cure_as_the_rates_of_it_do(tmp_path, capsys) -> None:
    path = tmp_path / "p.npy"
    np.save(path, P)
    for command in (["rates", "--bank"], ["audit", REFERENCE, "--bank"]):
        assert cli.main([*command, str(path)]) == 2
        assert "holds one array; expected two named arrays: np.savez('pairs.npz', p=p, q=q)" in capsys.readouterr().err
