"""Fixed masses and the mixture, each judged on the other half of the documents."""

from typing import Any

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.logits.bank import MissingPart
from simspec.studies.rdk.static_halves import _judged, static_halves
from tests.engine.fakes import FakeBank


def test_two_contexts_by_hand() -> None:
    """p = (1/2, 1/2) and (0, 1), only the first token shared.

    Of the second context all mass belongs outside, which gives the first 1/2; of the first context half of it or none is
    best alike, between which each fit chooses: on the second context its own weight on the token outside."""
    p = np.array([[0.5, 0.5], [0.0, 1.0]])
    found = _judged(p, p, np.array([True, False]), np.array([0.5, 0.5]), np.array([True, False]))
    assert found["tli"].tolist() == [0.5, 0.0]
    assert found["static"][0] == pytest.approx(0.5) and found["mixture"][0] == pytest.approx(0.5)
    assert found["static"][1] == pytest.approx(0.5)


def test_a_bank_of_two_levels() -> None:
    results = gather(static_halves(FakeBank(vocab=60, contexts=12), "a bank", (0.1, 0.05)))
    assert [r.cell["kept"] for r in results] == [6, 3]
    for result in results:
        assert {len(v) for v in result.values.values()} == {12}
        assert all((result.values[name] <= 1 + 1e-12).all() for name in ("tli", "static", "mixture"))


def test_a_bank_is_refused_by_what_it_lacks() -> None:
    without_draft: Any = FakeBank(draft=False)
    without_statistics: Any = FakeBank(statistics=False)
    without_both: Any = FakeBank(draft=False, statistics=False)
    refusals = {
        r"no draft; expected it too \(capture it with --draft MODEL\)": without_draft,
        r"no statistics; expected them too \(capture it with --statistics N\)": without_statistics,
        r"no draft and no statistics; expected them too \(capture it with --draft MODEL and --stat": without_both,
    }
    for words, bank in refusals.items():
        with pytest.raises(MissingPart, match=words):
            static_halves(bank, "a bank", (0.1,))
