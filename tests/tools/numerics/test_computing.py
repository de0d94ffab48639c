"""One model computed in several ways: a right one differs by rounding only, a cache that is off by one position is seen."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simspec import cli
from simspec.logits.capture.models import LanguageModel, load_model
from simspec.studies.numerics.measurement import FORMATS, PAIRS, Measurement, read_measurement, save_measurement
from simspec.tools.numerics.computing import measured_numerics
from simspec.tools.numerics.show import pairs_of, plain, summary
from tests.logits import tiny
from tests.requirements import require

PROMPTS = ("one two three", "the sea", "a boat")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    require("torch")
    folder = tmp_path_factory.mktemp("models")
    tiny.gpt2(folder / "target")
    return load_model(str(folder / "target"), "model", "cpu")


@pytest.fixture(scope="module")
def measurement(model: LanguageModel) -> Measurement:
    return measured_numerics(model, PROMPTS, length=5)


def test_shapes_in_float32_differ_by_rounding_and_bfloat16_by_more(measurement: Measurement) -> None:
    largest = {row["pair"]: row["largest"] for row in pairs_of(measurement)}
    assert set(largest) == set(PAIRS)
    assert float(largest["float32: prefill and decode"]) < 1e-4 < float(largest["prefill: float32 and bfloat16"])
    assert (measurement.common[0] == measurement.lengths).all()
    assert (measurement.tv <= np.tanh(measurement.epsilon / 2) + 1e-12).all()
    assert not measurement.flips[measurement.margin > 2 * measurement.epsilon].any()


def test_a_cache_that_forgets_a_position_is_no_rounding(model: LanguageModel) -> None:
    """The planted fault: decoding reads every token as if nothing had been read before."""

    class Forgetful(LanguageModel):
        def read_on(self, ids, cache=None):
            return super().read_on(ids)

    broken = Forgetful(**{name: getattr(model, name) for name in model.__dataclass_fields__})
    row = next(pairs_of(measured_numerics(broken, PROMPTS, length=5, formats=FORMATS[:1])))
    assert row["pair"] == "float32: prefill and decode" and float(row["largest"]) > 1e-3


def test_formats_that_are_not_measured_are_left_out(model: LanguageModel) -> None:
    steps: list[int] = []
    partial = measured_numerics(model, PROMPTS, length=3, formats=FORMATS[:1], step=steps.append)
    assert {row["pair"] for row in pairs_of(partial)} == {PAIRS[0], PAIRS[3]}
    assert "bfloat16" not in summary(partial)
    assert sum(steps) == 2 * len(PROMPTS)


def test_a_measurement_is_read_as_it_was_saved(measurement: Measurement, tmp_path: Path) -> None:
    path = tmp_path / "numerics.npz"
    save_measurement(measurement, path)
    again = read_measurement(path)
    assert np.allclose(again.epsilon, measurement.epsilon) and (again.flips == measurement.flips).all()
    assert (again.common == measurement.common).all() and again.facts == measurement.facts
    np.savez(path, epsilon=np.zeros(1))
    with pytest.raises(ValueError, match="has no common"):
        read_measurement(path)


@pytest.mark.parametrize(
    ("prompts", "length", "message"),
    [
        (("one",), 5, "expected at least 2"),
        (PROMPTS, 10**6, "expected a shorter prompt or --length"),
    ],
)
def test_what_cannot_be_measured_is_refused(model: LanguageModel, prompts, length, message) -> None:
    limited = replace(model, limit=1000)
    with pytest.raises(ValueError, match=message):
        measured_numerics(limited, prompts, length)


def test_the_command_measures_a_model(model: LanguageModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tiny.gpt2(tmp_path / "target")
    saved = tmp_path / "n.npz"
    prompts = tmp_path / "prompts.txt"
    prompts.write_text("\n".join(PROMPTS))
    command = ["numerics", str(tmp_path / "target"), "--prompts", str(prompts), "--length", "4", "--device", "cpu"]
    assert cli.main([*command, "--save", str(saved), "--json", "-"]) == 0
    assert (
        json.loads(capsys.readouterr().out) == json.loads(json.dumps(plain(read_measurement(saved)))) or saved.is_file()
    )
    assert cli.main(command) == 0
    assert "bfloat16: prefill and decode" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.npy"], "expected the array to compare 'a.npy' with"),
        (["model", "--rounding", "0.1"], "expected with two arrays"),
        (["model", "--length", "0"], "expected at least 1 token"),
        (["model", "--save", "n.txt"], "expected a name that ends in .npz"),
    ],
)
def test_bad_usage_is_named(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["numerics", *arguments]) == 2
    assert message in capsys.readouterr().err
