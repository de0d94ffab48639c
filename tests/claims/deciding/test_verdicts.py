"""What `verify` returns: the dictionary of before, and a table of it."""

from __future__ import annotations

import io
import json
import pickle

import pytest

from simspec import verify
from simspec.claims.deciding.verdicts import Verdicts
from simspec.notebook import html, plot


def claim(name: str, verdict: str = "holds", **other) -> dict:
    about = {"id": name, "kind": "bound", "source": "Theorem <1>", "verdict": verdict, "seconds": 0.5}
    rest = {"evidence": None, "slacks": None, "counterexample": None, "corrected_by": None, "message": None}
    return {**about, **rest, "statement": "s", **other}


FOUND = [
    {"data": name, "model": None, "n": 9, "estimate": 0.5, "interval": [0.25, 0.75], "level": 0.95} for name in "ab"
]
MADE = Verdicts(
    effort="quick",
    seed=3,
    claims=[
        claim("x.slack", slacks=[0.5, 0.125]),
        claim("x.wrong", "refuted", slacks=[-2.0], counterexample={"p": ["1"]}, corrected_by=["x.right"]),
        claim("x.seen", "supported", evidence=FOUND),
    ],
)


def test_it_is_the_dictionary_of_before() -> None:
    assert isinstance(MADE, dict) and MADE["claims"][0]["id"] == "x.slack" and dict(MADE) == MADE
    assert json.loads(json.dumps(MADE)) == dict(MADE) and pickle.loads(pickle.dumps(MADE)) == MADE
    assert repr(MADE) == (
        "Verdicts(3 claims (3 by other works): 1 holds, 1 refuted, 1 supported; effort quick, seed 3)"
    )


def test_a_row_for_each_claim_and_each_estimate(tmp_path) -> None:
    pd = pytest.importorskip("pandas")
    frame = MADE.frame()
    assert frame["id"].tolist() == ["x.slack", "x.wrong", "x.seen", "x.seen"]
    assert frame.loc[2, ["data", "estimate", "low", "high", "level", "n"]].tolist() == ["a", 0.5, 0.25, 0.75, 0.95, 9]
    assert frame["worst_slack"].tolist()[:2] == [0.125, -2.0]
    assert frame.loc[1, "corrected_by"] == "x.right" and frame.loc[1, "counterexample"] == {"p": ["1"]}
    assert MADE.to_csv(tmp_path / "verdicts.csv") is None
    text = (tmp_path / "verdicts.csv").read_text()
    assert text == MADE.to_csv() and ",9,0.5," in text  # counts stay integers where a row has none
    assert pd.read_csv(io.StringIO(text)).equals(pd.read_csv(io.StringIO(frame.to_csv(index=False))))


def test_a_notebook_shows_a_line_for_each_claim() -> None:
    shown = html(MADE)
    assert shown is not None
    assert shown.count("<tr>") == 4 and "Theorem &lt;1&gt;" in shown and "[0.25, 0.75]" in shown and "−2" in shown


def test_the_picture_has_what_was_measured_and_what_was_tried() -> None:
    picture = plot(MADE)
    measured, tried = picture.figure.axes
    assert [t.get_text() for t in measured.get_yticklabels()] == ["x.seen (a)", "x.seen (b)"]
    assert [t.get_text() for t in tried.get_yticklabels()] == ["x.slack", "x.wrong"]
    assert picture._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="no claim was measured"):
        plot(Verdicts(effort="quick", seed=0, claims=[claim("x.none")]))


def test_verify_returns_it() -> None:
    pytest.importorskip("pandas")
    found = verify("sd.acceptance", effort="quick")
    assert isinstance(found, Verdicts) and found.frame()["id"].tolist() == ["sd.acceptance"]
