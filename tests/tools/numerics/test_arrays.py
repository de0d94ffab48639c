"""Two arrays of logits: cases by hand, the bounds on random input, and the command."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from simspec import cli
from simspec.tools.numerics import numerics, spacing


def test_a_case_by_hand() -> None:
    """Odds e^-0.2 and e^0.2 of two tokens: logits 0.2 apart after the shift reach the bound tanh(0.1)."""
    result = numerics([[0.2, 0.0]], [[0.0, 0.2]])
    assert result.epsilon == pytest.approx(0.2) and result.flips == 1 and result.near == 1
    assert result.tv_bound == pytest.approx(math.tanh(0.1)) == pytest.approx(result.tv_largest)
    assert result.largest_flipped_margin == pytest.approx(0.2)


def test_a_shift_of_a_row_is_no_difference() -> None:
    result = numerics([[1.0, 2.0, 3.0]], [[6.0, 7.0, 8.0]])
    assert result.verdict == "equal" and result.tv_largest == pytest.approx(0)


def test_the_bounds_hold_at_every_temperature() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        a = rng.normal(size=(5, 7)) * rng.choice([0.1, 1, 10])
        b = a + rng.uniform(-1, 1, size=a.shape) * rng.choice([1e-3, 0.1, 2])
        result = numerics(a, b, temperature=float(rng.choice([0.2, 1, 3])))
        assert result.tv_largest <= result.tv_bound + 1e-12
        assert result.flips <= result.near
        assert result.largest_flipped_margin <= 2 * result.epsilon + 1e-12


def test_a_bound_of_half_would_fail() -> None:
    """The negative control: tanh(eps/4) is exceeded by the case by hand."""
    result = numerics([[0.2, 0.0]], [[0.0, 0.2]])
    assert result.tv_largest > math.tanh(result.epsilon / 4)


def test_one_row_of_a_fault_is_named() -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=(50, 20))
    b = a + rng.normal(size=a.shape) * 1e-3
    b[17] += rng.normal(size=20)
    result = numerics(a, b, rounding=0.01)
    assert result.outliers == result.beyond == (17,) and result.verdict == "fault"
    assert numerics(np.delete(a, 17, 0), np.delete(b, 17, 0), rounding=0.01).verdict == "numerics"


def test_spacings_are_those_of_numpy() -> None:
    for value in (0.3, 1.0, 1.5, 20.0, -100.0):
        assert spacing("float32", value) == np.spacing(np.float32(abs(value)))
        assert spacing("float16", value) == np.spacing(np.float16(abs(value)))


@pytest.mark.parametrize(
    ("first", "second", "more", "words"),
    [
        ([[1.0, 2.0]], [[1.0, 2.0, 3.0]], {}, "expected (1, 2)"),
        ([[1.0]], [[1.0]], {}, "two tokens"),
        ([[1.0, math.inf]], [[1.0, 2.0]], {}, "not finite"),
        ([["a", "b"]], [[1.0, 2.0]], {}, "first"),
        ([[1.0, 2.0]], [[1.0, 2.0]], {"temperature": 0.0}, "temperature: 0.0"),
        ([[1.0, 2.0]], [[1.0, 2.0]], {"rounding": -1.0}, "rounding: -1.0"),
    ],
)
def test_bad_input(first, second, more, words) -> None:
    with pytest.raises(ValueError, match=words.replace("(", r"\(").replace(")", r"\)")) as caught:
        numerics(first, second, **more)
    assert "expected" in str(caught.value)


def test_the_command(tmp_path, capsys) -> None:
    paths = [str(tmp_path / name) for name in ("a.npy", "b.npy")]
    np.save(paths[0], np.array([[2.0, 1.0], [0.0, 0.1]]))
    np.save(paths[1], np.array([[2.0, 1.0], [0.2, 0.1]]))
    assert cli.main(["numerics", *paths]) == 0
    assert capsys.readouterr().out.startswith("measured: logits differ by 0.1 at most")
    assert cli.main(["numerics", *paths, "--rounding", "0.01", "--json", "-"]) == 1
    assert json.loads(capsys.readouterr().out)["beyond"] == [1]
    assert cli.main(["numerics", *paths, "--rounding", "0.5", "--json", str(tmp_path / "n.json")]) == 0
    assert json.loads((tmp_path / "n.json").read_text())["verdict"] == "numerics"
    (tmp_path / "a.npy").write_text("no array")
    assert cli.main(["numerics", *paths]) == 2
    assert "expected a .npy file" in capsys.readouterr().err
    np.savez(tmp_path / "c.npz", target=np.ones((2, 2)))
    assert cli.main(["numerics", str(tmp_path / "c.npz"), paths[1]]) == 2
    assert "arrays by name, target; expected a .npy file of one" in capsys.readouterr().err
