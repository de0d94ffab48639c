"""Pictures of a step: kept, rejected, redrawn and emitted mass of each token, for every rule that has a name."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from simspec.laws import exact
from simspec.methods import SD, Method, dense, ears, pad, rdk, show_step, tli, typical
from simspec.methods.registry import rule
from simspec.notebook import html

P, Q = exact(np.array([0.5, 0.25, 0.25])), exact(np.array([0.25, 0.25, 0.5]))
BAD = '<s> & "t"'


def rows(html):
    return [["".join(cell.itertext()) for cell in row] for row in ET.fromstring(html).iter("tr")][1:]


def test_a_step_by_hand() -> None:
    shown = show_step(SD, P, Q, labels=["a", "b", BAD])
    assert rows(shown.html) == [
        ["a", "1/2", "1/4", "1/4", "1/4", "0", "1/4", "1/2", ""],
        ["b", "1/4", "1/4", "1/4", "1/4", "0", "0", "1/4", ""],
        [BAD, "1/4", "1/2", "1/2", "1/4", "1/4", "0", "1/4", ""],
    ]
    assert "accepted 3/4; total variation of what is emitted from the target 0" in shown.html
    assert repr(shown).splitlines()[-1] in shown.html


def test_what_a_rule_pays_is_shown() -> None:
    shown = show_step(ears(Fraction(1, 2)), P, Q)
    assert repr(shown).splitlines()[-1] == "accepted 7/8; total variation of what is emitted from the target 1/8"
    floats = show_step(SD, *(np.array([0.1, 0.2, 0.7]), np.array([0.3, 0.3, 0.4])))
    assert repr(floats).splitlines()[-1].endswith(("target 0", "target 0 to rounding"))


def test_the_bars_are_kept_rejected_and_redrawn_mass() -> None:
    made = ET.fromstring(show_step(SD, P, Q).html)
    first, _, last = made.iter("svg")
    a, b = ([float(r.get("width")) for r in svg.iter("rect")] for svg in (first, last))
    assert a[1] == 0  # nothing of the first token is rejected
    assert a[3] == a[0] == a[2]  # as much of it is redrawn as was kept
    assert b[0] == b[1] == b[2] > b[3] == 0


NAMED = ["sd", "ears:0.1", "lenience:0.5", "mixture:0.25", "typical:0.3,0.09", "sqs:3,10", "dense:20", "uniform"]


@pytest.mark.parametrize("name", NAMED)
def test_every_named_rule_shows_its_maps(name) -> None:
    found = rows(html(rule(name).method))
    assert len(found) >= 2
    for line in found:
        assert len(line) == 9


@pytest.mark.parametrize(
    ("method", "vocab"),
    [
        (tli(np.array([True, False, True])), 3),
        (rdk(np.array([True] * 6), dense(np.eye(6))), 6),
        (pad(np.array([True, False])), 2),
        (typical(0.3, 0.09), 4),
    ],
)
def test_a_method_for_one_vocabulary_is_shown_on_it(method, vocab) -> None:
    assert len(rows(html(method))) == vocab


def test_a_method_that_fits_no_example_says_how_to_show_one() -> None:
    shown = html(tli(np.array([True] * 40)))
    assert "show_step(method, p, q)" in shown
    assert rows(shown) == []


def test_a_batch_is_refused() -> None:
    with pytest.raises(ValueError, match="expected one law"):
        show_step(SD, np.array([P, P]), np.array([Q, Q]))


def test_text_of_a_method_names_its_maps_and_holds_no_address() -> None:
    assert repr(SD) == "SD"
    assert repr(Method(*SD.maps)) == "Method(_same, _accept, leftover.<locals>.residual)"
