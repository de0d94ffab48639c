"""Recorded proofs in notebooks: every step that is on record is shown, in both forms."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from simspec.report import show_proof
from simspec.report.proofs import readable


def test_every_step_on_record_is_shown() -> None:
    name = "rdk.never-worse-corrected"
    (proof,) = readable()["proofs"][name]
    shown = show_proof(name)
    items = list(ET.fromstring(shown.html.replace("<wbr>", "")).iter("li"))
    assert len(items) == len(proof["steps"]) > 2
    for item, (words, rule, latex) in zip(items, proof["steps"], strict=True):
        said = "".join(item.itertext())
        assert said.startswith(words) and f"({rule})" in said
        assert (item.find("math") is not None) == bool(latex)
        assert f"{words}: {latex} ({rule})" in repr(shown)


@pytest.mark.parametrize(
    ("name", "message"), [("sd.nonsense", "is no claim"), ("rdk.real-pruning", "no recorded proof")]
)
def test_a_claim_without_a_proof_is_refused(name, message) -> None:
    with pytest.raises(ValueError, match=message):
        show_proof(name)
