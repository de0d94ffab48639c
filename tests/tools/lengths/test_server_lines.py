"""Which lines of a log hold a message, and what stands before it."""

from __future__ import annotations

import json

import pytest

from simspec.tools.lengths.records import Counts
from simspec.tools.lengths.remarks import Remarks
from simspec.tools.lengths.server_lines import Message, RepeatedLines, messages


@pytest.mark.parametrize(
    "prefix",
    [
        "",
        "  ",
        "INFO ",
        "x [metrics.py:1] ",
        "id  0 | task 3 | ",
        "0.01.000.100 I ",
        "spec common_specu: ",
        "10:00:00 ",
        "a > ",
    ],
)
def test_a_message_after_what_logs_write_before_it(prefix) -> None:
    assert list(messages(f"other\n{prefix}mark: 1\n", "mark:")) == [Message(2, prefix, "mark: 1")]


@pytest.mark.parametrize("prefix", ["'", '"', "`", "see the ", "prompt: 'a] ", '{"text": "a ', "x" * 500 + "] "])
def test_a_message_that_is_quoted_is_none(prefix) -> None:
    assert list(messages(f"{prefix}mark: 1", "mark:")) == []


@pytest.mark.parametrize("name", ["log", "message", "msg", "MESSAGE"])
def test_lines_that_a_driver_wrapped(name) -> None:
    line = json.dumps({name: "INFO mark: 1\nINFO mark: 2\n", "time": "now"})
    assert [m.text for m in messages(f"a\n{line}", "mark:")] == ["mark: 1", "mark: 2"]
    assert {m.number for m in messages(f"a\n{line}", "mark:")} == {2}
    assert not list(messages(json.dumps({"prompt": "mark: 1"}), "mark:"))
    assert not list(messages('{"log": "mark: 1', "mark:"))  # cut off: no JSON, and quoted


def test_the_first_of_several_marks_begins_the_message() -> None:
    assert [m.text for m in messages("I second: 1, first: 2\nI first: 3", "first:", "second:")] == [
        "second: 1, first: 2",
        "first: 3",
    ]


def test_lines_repeat_only_with_their_time() -> None:
    repeated = RepeatedLines()
    timed = Message(1, "10:00:00 ", "mark: 1")
    assert [repeated.is_repeated(m) for m in (timed, timed._replace(number=2), timed._replace(text="mark: 2"))] == [
        False,
        True,
        False,
    ]
    bare = Message(4, "", "mark: 1")
    assert not repeated.is_repeated(bare) and not repeated.is_repeated(bare)
    assert repeated.notes() == ["lines repeated word for word, with their time, are counted once: 1 left out"]


def test_a_remark_is_made_once() -> None:
    remarks = Remarks("records")
    remarks.add("first", "record 1")
    for number in (2, 3):
        remarks.add("second", f"record {number}")
    assert remarks.notes() == ["first (record 1)", "second (record 2; 2 records)"]


def test_a_rate_that_no_convention_gives_is_refused_with_what_each_would_be() -> None:
    """10 steps accept 11 of 30 drafts: 11/30, or 21/40 where each step counts its own token among both."""
    counts = Counts(10, 11, 30)
    with pytest.raises(ValueError, match=r"record 1: rate is 0.9; expected 0.366667, .* \(or 0.525, where each step"):
        Remarks("records").add_rate("record 1", "rate", 0.9, counts, 0.001)
    remarks = Remarks("records")
    remarks.add_rate("record 1", "rate", 11 / 30, counts, 0.001)
    assert remarks.notes() == []
    remarks.add_rate("record 1", "rate", 0.525, counts, 0.001)
    assert "record 1 says 0.525 = (11 + 10)/(30 + 10), and 11/30 is 0.367" in remarks.notes()[0]


def test_a_length_that_no_convention_gives_is_refused_with_what_each_would_be() -> None:
    with pytest.raises(ValueError, match=r"record 1: length is 3; expected 2.1, .* \(or 1.1 without the bonus token\)"):
        Remarks("records").add_length("record 1", "length", 3, Counts(10, 11), 0.001)
