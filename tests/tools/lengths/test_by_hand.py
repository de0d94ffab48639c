"""By hand: conversions at their bounds, where no draft is accepted or every one, and what the command prints of a log."""

from __future__ import annotations

import io

import pytest

from simspec.cli import main
from simspec.tools.lengths import Counts, Log, lengths
from simspec.tools.lengths.conventions import converted
from simspec.tools.lengths.remarks import Remarks


@pytest.mark.parametrize(("tokens", "drafts", "rate"), [(1.0, 0.0, 0.0), (2.0, 1.0, 0.5), (3.0, 2.0, 1.0)])
def test_none_half_and_all_of_two_drafts(tokens, drafts, rate) -> None:
    values = {"tokens": tokens, "drafts": drafts, "rate": rate}
    for source, value in values.items():
        assert {target: converted(value, source, target, gamma=2) for target in values} == values
    assert converted(tokens, "tokens", "drafts") == drafts  # without the number of drafts there is no upper bound


@pytest.mark.parametrize(
    ("value", "source", "gamma", "bound"),
    [(0.5, "tokens", None, "gamma"), (0.5, "tokens", 2, "2"), (2.5, "drafts", 2, "2"), (1.25, "rate", 4, "4")],
)
def test_the_bound_of_accepted_drafts_is_named(value, source, gamma, bound) -> None:
    target = "tokens" if source == "drafts" else "drafts"
    with pytest.raises(
        ValueError, match=f"value: {value} as {source}; expected 0 to {bound} accepted draft tokens per step"
    ):
        converted(value, source, target, gamma)


COUNTERS = """vllm:spec_decode_num_drafts_total 8
vllm:spec_decode_num_draft_tokens_total 16
vllm:spec_decode_num_accepted_tokens_total 10
vllm:spec_decode_num_accepted_tokens_per_pos_total{position="0"} 6
vllm:spec_decode_num_accepted_tokens_per_pos_total{position="1"} 4
"""
"""Eight steps of two drafts: 10 of 16 drafts are accepted, 2 1/4 tokens a step."""


def test_the_page_of_a_log(capsys, monkeypatch) -> None:
    """At a cost of 1/4: (1 + 3/4) / 1.25 tokens in the time of a target step at one draft, 2.25 / 1.5 at two."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(COUNTERS.encode())))
    assert main(["lengths", "-", "--cost", "0.25"]) == 0
    page = capsys.readouterr().out
    lines = page.splitlines()
    assert " 2.250 " in next(line for line in lines if line.startswith("acceptance length"))
    assert next(line for line in lines if "without bonus" in line).split()[-1] == "1.250"
    assert " 0.625 " in next(line for line in lines if line.startswith("acceptance rate"))
    assert any("gamma 1:" in line and "1.750" in line and "1.400" in line for line in lines)
    assert any("gamma 2:" in line and "2.250" in line and "1.500, the fastest" in line for line in lines)


def test_the_interval_of_a_length_holds_the_length() -> None:
    """Forty requests that accept none, one or two of two drafts: 1 + 1 tokens a step, and not far beyond the two ends."""
    found = lengths(Log("by hand", tuple(Counts(4, 4 * n, 8) for n in (0, 1, 2, 1) * 10), by_request=True))
    low, high = found.length.low, found.length.high
    assert found.length.value == 2 and low is not None and high is not None
    assert 1.5 < low < 2 < high < 2.5


@pytest.mark.parametrize("level", ["0", "1", "-0.5", "95"])
def test_a_level_is_between_zero_and_one(tmp_path, capsys, level) -> None:
    (tmp_path / "log").write_text(COUNTERS, encoding="utf-8")
    assert main(["lengths", str(tmp_path / "log"), "--level", level]) == 2
    assert "--level: " in capsys.readouterr().err


def test_a_rate_and_a_length_that_are_no_quotient_are_told_what_they_should_be() -> None:
    """11 of 30 drafts in 10 steps: 0.367, or 21 of 40 with each step's own token; 2.1 tokens a step, or 1.1 drafts."""
    remarks = Remarks("records")
    counts = Counts(10, 11, 30)
    with pytest.raises(ValueError, match=r"expected 0.366667, as its counts say \(or 0.525, where each step"):
        remarks.add_rate("line 1", "rate", 0.9, counts, 0.001)
    with pytest.raises(ValueError, match=r"expected 2.1, as its counts say \(or 1.1 without the bonus token"):
        remarks.add_length("line 1", "length", 3.0, counts, 0.001)
    remarks.add_rate("line 1", "rate", 0.367, counts, 0.001)
    remarks.add_rate("line 1", "rate", 0.5, Counts(10, 0, 0), 0.001)  # without drafts there is no rate to compare with
    remarks.add_length("line 1", "length", 2.1, counts, 0.001)
    assert remarks.notes() == []
    remarks.add_rate("line 2", "rate", 0.525, counts, 0.001)
    remarks.add_length("line 2", "length", 1.1, counts, 0.001)
    assert [note.split(" (line 2")[0] for note in remarks.notes()] == [
        "rate is (accepted + steps)/(drafted + steps), not accepted/drafted, which is used here",
        "length is accepted/steps, without the bonus token, which is added here",
    ]
