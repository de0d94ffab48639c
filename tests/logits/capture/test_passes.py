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
