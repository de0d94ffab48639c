"""What is wrong in a user's file of claims is told with the file and the line of theirs, never with one of this package."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from simspec import cli

BEGIN = """
from fractions import Fraction

import numpy as np

from simspec.claims.authoring import bound, law
from simspec.laws import tv


def pair(draw):
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


def yielding(p):
    yield p


HALF = {"p": law("1/2", "1/2"), "q": law("1/2", "1/2")}
words = {"statement": "", "reference": "", "instances": pair, "lhs": lambda p: 0, "rhs": lambda: 1}
CLAIM = bound(**{**words, "name": "own.wrong", {}})
"""
"""The claim is in line 21."""
WRONG = {
    '"lhs": lambda p, r: 0': "an instance has no 'r'; expected some of 'p', 'q'",
    '"lhs": lambda p: "a"': "lhs returned a str; expected a number, or an array of numbers",
    '"lhs": lambda p: None': "lhs returned a NoneType",
    '"lhs": lambda p: float("nan")': "slack: an element is not finite",
    '"lhs": lambda p: Fraction(1, 3) ** 0.5': "is a float on an exact instance",
    '"lhs": lambda p: np.zeros(7, int), "rhs": lambda: np.zeros(3, int)': "could not be broadcast together",
    '"lhs": lambda p: tv(2 * p, p)': "p: row () sums to 2",
    '"lhs": lambda p: __import__("nosuchmodule")': "No module named 'nosuchmodule'",
    '"lhs": yielding': "lhs is a generator (mine.py:15); expected a function that returns, not yields",
    '"rhs": 3': "rhs is a int; expected a function of named values",
    '"instances": lambda draw: [1]': "instances returned a list; expected values by name",
    '"instances": lambda draw: draw.lawn(3)': "has no attribute 'lawn'",
    '"instances": HALF': "instances is a dict; expected a function",
    '"instances": None': "no instances were tried",
    '"assumes": {"a": lambda p: False}': "most of its instances violate its assumption 'a'",
    '"assumes": {"a": lambda p: p[0] == 1}, "tight": [HALF]': "a listed instance breaks the assumption 'a'",
    '"assumes": {"a": lambda p: True}, "outside": {"a": HALF}': "assumptions not shown to be necessary: a",
    '"assumes": ["a"]': "assumes is a list; expected a dictionary",
    '"against": [{"q": law("1")}]': "an instance has no 'p'",
    '"sources": ("exakt",)': "sources hold 'exakt', the nearest is exact; expected some of exact, float, real",
    '"relation": lambda a, b: "x"': "bad operand type for abs(): 'str'",
    '"lsh": len': "unexpected keyword argument 'lsh'",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_the_line_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys, wrong) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    Path("mine.py").write_text(BEGIN.replace("{}", wrong), encoding="utf-8")
    assert cli.main(["verify", "mine.py", "--effort", "quick"]) == 2
    said = capsys.readouterr().err.splitlines()[-1].partition("; rerun: ")[0]
    assert WRONG[wrong] in said
    assert "mine.py:21" in said and set(re.findall(r"(\w+\.py):\d", said)) == {"mine.py"}
