"""The benchmark of synthetic pairs validates before it times, hides no peer, and writes what it measured."""

import json
import math

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import synthetic
from tests.benchmarks.fakes import absent

SMALL = synthetic.Case("pairs", 200, 50, math.inf, 2.0)


def test_a_peer_of_another_law_is_found_out():
    """The control of the statistical check: normal draws are not Student-t ones, nor is an independent draft a copy."""
    case = synthetic.QUICK[1]._replace(rows=200)
    error, expected, tolerance = synthetic._expectation(case)
    assert error <= synthetic.EXACT
    assert abs(synthetic._numpy(case, 2, synthetic._numpy_closed)() - expected) < tolerance
    for wrong in (case._replace(df=math.inf), case._replace(rho=0.3)):
        mean = synthetic._numpy(wrong, 2, synthetic._numpy_closed)()
        assert mean.shape == (1,) and abs(mean - expected) > tolerance


@pytest.mark.parametrize("vocab", [1, 1001])
def test_closed_form_gives_so_many_normal_draws(vocab):
    """Their law is checked with every run; here an odd number, and two draws that share a radius but not more."""
    draws = synthetic._numpy_closed(np.random.default_rng(1), SMALL._replace(vocab=vocab))
    assert draws.shape == (vocab,) and draws.dtype == np.float32 and len(np.unique(draws)) == vocab


def test_rows_are_shared_out_over_the_threads():
    shares = []
    call = synthetic._spread(SMALL, 3, lambda thread, rows: shares.append(rows) or float(rows))
    assert call().tolist() == [1.0]
    assert sorted(shares) == [66, 67, 67]


def test_quick_run_writes_every_peer(tmp_path, capsys):
    path = tmp_path / "new" / "synthetic.json"
    assert benchmarks.main(["synthetic", "--quick", "--repeats", "2", "--json", str(path)]) == 0
    document = json.loads(path.read_text())
    assert len(document["cases"]) == len(synthetic.QUICK)
    for case, expected in zip(document["cases"], synthetic.QUICK, strict=True):
        assert (case["rows"], case["vocab"]) == (expected.rows, expected.vocab)
        assert case["row_error"] <= synthetic.EXACT
        assert [r["name"] for r in case["results"]] == [peer.name for peer in synthetic.candidates()]
        for result in case["results"]:
            assert result["status"] == "ok" or result["status"].startswith("not installed"), result
        assert case["results"][0]["status"] == "ok" and len(case["results"][0]["seconds"]) == 2
    assert document["environment"]["packages"]["numpy"] == np.__version__
    assert "roofline" in capsys.readouterr().out


def test_a_wrong_kernel_fails_the_run(monkeypatch, capsys):
    right = synthetic._rows
    monkeypatch.setattr(synthetic, "_rows", lambda case, rows, **options: right(case, rows, **options) + 1e-3)
    monkeypatch.setattr(synthetic, "_torch_library", absent)
    monkeypatch.setattr(synthetic, "_jax", lambda case, library: absent(case, 1))
    monkeypatch.setattr(synthetic, "QUICK", (SMALL,))
    monkeypatch.setenv("COLUMNS", "140")
    assert benchmarks.main(["synthetic", "--quick", "--repeats", "1"]) == 1
    assert "not installed (absent)" in capsys.readouterr().out
