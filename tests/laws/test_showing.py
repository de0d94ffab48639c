"""Pictures of laws: each number and each bar is that of its token, and what is no single law is refused."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from simspec.html import WIDTH
from simspec.laws import exact, show

BAD = '<s> & "t"'


def rows(shown):
    return [["".join(cell.itertext()) for cell in row] for row in ET.fromstring(shown.html).iter("tr")]


def test_fractions_stand_beside_their_tokens() -> None:
    shown = show(exact(np.array([0.75, 0.25])), exact(np.array([0.5, 0.5])), labels=["a", BAD], names=("p", "q"))
    assert rows(shown) == [["token", "p", "q", ""], ["a", "3/4", "1/2", ""], [BAD, "1/4", "1/2", ""]]
    widths = [float(r.get("width")) for r in ET.fromstring(shown.html).iter("rect")]
    assert widths == [
        WIDTH,
        pytest.approx(WIDTH * 2 / 3, abs=0.01),
        *[pytest.approx(w * WIDTH, abs=0.01) for w in (1 / 3, 2 / 3)],
    ]
    assert "3/4" in repr(shown)
    assert BAD in repr(shown)


def test_of_a_large_vocabulary_the_largest_are_shown_and_the_rest_is_added_up() -> None:
    law = np.full(100, 0.005)
    law[[7, 40]] = 0.3, 0.21
    found = rows(show(law))[1:]
    assert [line[0] for line in found[:2]] == ["7", "40"]
    assert [line[:2] for line in found[-1:]] == [["88 others", "0.44"]]
    assert len(found) == 13


def test_exact_rests_stay_exact() -> None:
    law = np.array([Fraction(1, 20)] * 20)
    assert rows(show(law))[-1][:2] == ["8 others", "2/5"]


@pytest.mark.parametrize(
    ("laws", "more", "message"),
    [
        ((), {}, "laws: 0; expected at least one"),
        (([0.5, 0.5],) * 5, {}, "laws: 5; expected at least one, and a name for each"),
        (([[0.5, 0.5]],), {}, "p: shape (1, 2); expected one law, (V,), over one vocabulary: choose a row"),
        (([0.5, 0.5], [1.0]), {}, "q: shape (1,); expected one law"),
        (([0.5, 0.6],), {}, "p: row () sums to 1.1"),
        (([0.5, 0.5],), {"labels": ["a"]}, "labels: 1; expected one for each of 2 tokens"),
    ],
)
def test_what_is_no_single_law_is_refused(laws, more, message) -> None:
    with pytest.raises(ValueError) as caught:
        show(*laws, **more)
    assert message in str(caught.value)
