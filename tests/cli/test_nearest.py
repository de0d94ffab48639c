"""A name that is mistyped is answered with the nearest, wherever a user types a name from a list."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import simspec
from simspec import cli
from simspec.audit.drafting import drafts_named
from simspec.audit.endpoint.protocols.discovery import _model
from simspec.audit.settings import settled
from simspec.claims.chosen import choose, narrowed
from simspec.engine.estimates.statistics import Mean
from simspec.engine.estimates.stopping import HalfWidth
from simspec.engine.study import Study
from simspec.figures.gallery import find as find_figures
from simspec.figures.gallery import rerun
from simspec.figures.parameters import defaults
from simspec.logits.capture.drafts import parse_draft
from simspec.tools.lengths import Counts, Log, converted, lengths, synthetic
from simspec.tools.trees import trees

HALF = (np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]))
LENGTHS = lengths(Log("by hand", (Counts(2, 1),), by_request=False))
STUDY = Study(
    "heads",
    "How often?",
    ({},),
    lambda cell, rows, device: {"heads": np.ones(len(rows.numbers))},
    measures={"heads": Mean(0, 1)},
)


def _checked_bounds() -> None:
    from simspec.engine.cells import check_bounds

    check_bounds(STUDY, HalfWidth("haeds", 0.1))


@pytest.mark.parametrize(
    ("call", "nearest"),
    [
        (lambda: parse_draft("quantized:4"), "quantised"),
        (lambda: parse_draft("Quantised:4"), "quantised"),
        (lambda: parse_draft("layer:22"), "layers"),
        (lambda: parse_draft("ngrams:3"), "ngram"),
        (lambda: parse_draft("prune:0.5:frequency"), "pruned"),
        (lambda: trees(HALF, sizes=[1], rule="swr"), "swor"),
        (lambda: synthetic(LENGTHS, "vlm"), "vllm"),
        (lambda: synthetic(LENGTHS, "tensorrt"), "tensorrt-llm"),
        (lambda: converted(1.5, "token", "drafts"), "tokens"),
        (lambda: converted(1.5, "tokens", "mean-of-request"), "mean-of-requests"),
        (lambda: drafts_named("sibling:2"), "siblings"),
        (lambda: settled({"seeed": 1}), "seed"),  # type: ignore[typeddict-unknown-key]
        (lambda: narrowed(choose(["sd"]), kinds=["identify"]), "identity"),
        (lambda: narrowed(choose(["sd"]), verdicts=["refute"]), "refuted"),
        (lambda: rerun(find_figures(["rdk.pruning"])[0], effort="quik"), "quick"),
        (lambda: defaults(find_figures(["rdk.pruning"])[0], "depe"), "deep"),
        (_checked_bounds, "heads"),
        (lambda: simspec.open_bank("storis"), "stories"),
        (lambda: find_figures(["rdk.prunning"]), "rdk.pruning"),
    ],
)
def test_the_nearest_name_stands_in_the_error(call: Callable[[], Any], nearest: str) -> None:
    with pytest.raises((ValueError, TypeError), match=rf"the nearest is {nearest}(;|$)"):
        call()


@pytest.mark.parametrize(
    ("words", "nearest"),
    [
        ("lengths log.txt --engine vlm", "vllm"),
        ("trees wiki --rule idd", "iid"),
        ("figures rdk.pruning --format svgg", "svg"),
        ("figures rdk.pruning --effort quik", "quick"),
        ("pair smollm2 quantized:4 --chat CHAT --out OUT", "quantised"),
    ],
)
def test_the_nearest_name_stands_in_the_error_of_a_command(words, nearest, tmp_path, capsys) -> None:
    (tmp_path / "chat.jsonl").write_text('{"prompt": "What is 2 + 3?", "kind": "arithmetic"}\n')
    paths = {"CHAT": str(tmp_path / "chat.jsonl"), "OUT": str(tmp_path / "out")}
    try:
        status = cli.main([paths.get(word, word) for word in words.split()])
    except SystemExit as stopped:
        status = stopped.code
    assert status == 2 and f", the nearest is {nearest};" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_file_with_a_name_like_a_kind_of_draft_is_a_model(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "layer:22").mkdir()
    assert parse_draft("layer:22") is None


def test_a_name_like_none_has_no_nearest() -> None:
    with pytest.raises(ValueError, match=r"^engine: 'other'; expected one of vllm, sglang, tensorrt-llm, llama.cpp$"):
        synthetic(LENGTHS, "other")


def test_a_model_that_an_engine_does_not_serve_is_answered_with_the_nearest() -> None:
    """What the engine calls its models is escaped, the nearest name too."""
    exchange: Any = SimpleNamespace(url="http://127.0.0.1:8000")
    with pytest.raises(
        Exception, match=r"--model: llama-7 is not at http://127.0.0.1:8000, the nearest is llama-7\\x1bb; "
    ):
        _model(exchange, ["llama-7\x1bb", "gpt2"], "llama-7", "--model")
