"""Progress of a capture."""

from __future__ import annotations

from simspec.logits.capture.passes import progress_bars


def test_a_title_is_shown_as_it_is(capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    with progress_bars(True) as advance:
        for title in ("wiki [dev]", "[/nope]", "[red]hot"):
            advance(title, 1)(1)
    err = capsys.readouterr().err
    assert "wiki [dev]" in err and "[/nope]" in err and "[red]hot" in err


def test_off_a_terminal_a_line_after_two_seconds_and_then_one_a_minute_says_what_is_left(capsys, monkeypatch) -> None:
    """Ten windows of 20 s: lines after the first, the fourth and the seventh, and one at the end."""
    clock = [0.0]
    monkeypatch.setattr("simspec.logits.capture.passes.time.monotonic", lambda: clock[0])
    with progress_bars(True) as advance:
        step = advance("evaluation", 10)
        for _ in range(10):
            clock[0] += 20
            step(1)
    assert capsys.readouterr().err.splitlines() == [
        "simspec: evaluation: 1 of 10, about 3 min left",
        "simspec: evaluation: 4 of 10, about 2 min left",
        "simspec: evaluation: 7 of 10, about 60 s left",
        "simspec: evaluation: 10 of 10",
    ]


def test_off_a_terminal_what_takes_long_to_begin_is_named(capsys, monkeypatch) -> None:
    """A model of some hundred megabytes is loaded in one step, of a minute."""
    monkeypatch.setattr("simspec.logits.capture.passes.QUIET", 0.0)
    with progress_bars(True) as advance:
        step = advance("loading models", 1)
        step.__self__.first_notice.join(60)
        assert capsys.readouterr().err == "simspec: loading models …\n"
        step(1)
    assert capsys.readouterr().err == "simspec: loading models: 1 of 1\n"
    monkeypatch.setattr("simspec.logits.capture.passes.QUIET", 60.0)
    with progress_bars(True) as advance:
        slow, quick = advance("slow", 1), advance("quick", 1)
        quick(1)
    for step in (slow, quick):  # both are over
        step.__self__.first_notice.join(30)
        assert not step.__self__.first_notice.is_alive()
    assert capsys.readouterr().err == "simspec: quick: 1 of 1\n"


def test_nothing_is_said_where_nothing_is_asked_for(capsys) -> None:
    with progress_bars(False) as advance:
        advance("evaluation", 1)(1)
    assert capsys.readouterr().err == ""
