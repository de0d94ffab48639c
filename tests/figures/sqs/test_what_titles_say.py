"""What the titles of the figures on SQS and C-SQS say is in their stored rows."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.figures import rows


@pytest.mark.parametrize("resolution", [100, 1000])
def test_the_codec_sends_the_bits_of_the_formula(resolution) -> None:
    found = rows("sqs.bits")
    for panel in found.panels():
        sent, formula = (found.of(panel, f"{kind}, ℓ = {resolution}") for kind in ("sent", "formula"))
        assert len(sent) > 5 and sent.column("y") == formula.column("y")


def test_mean_dropped_mass_comes_to_its_target_within_the_certificates() -> None:
    found = rows("sqs.threshold-paths")
    for panel in found.panels():
        above, below = (found.of(panel, f"certificate, {side}").column("y") for side in ("above", "below"))
        for text in (1, 2, 3):
            own = found.of(panel, f"text {text}").column("y")
            assert (own <= np.maximum(above, below)).all() and own[-1] < 1e-3


def test_no_more_is_rejected_than_the_bound_on_each_pair_of_laws() -> None:
    found = rows("sqs.terms")
    names = ["Gaussian logits", "wiki bank", "SmolLM2, 3-bit draft", "SmolLM2, 4-bit draft"]
    assert found.panels() == rows("sqs.bits").panels() == names
    for panel in names:
        *terms, measured = found.of(panel).series()
        bound = np.sum([found.of(panel, term).column("y") for term in terms], axis=0)
        assert (np.array(found.of(panel, measured).column("y")) <= bound).all()


@pytest.mark.parametrize("name", ["sqs.temperature", "sqs.parameters", "sqs.step-size", "sqs.adaptivity"])
def test_each_quantity_has_a_panel_for_each_kind_of_laws(name) -> None:
    kinds = {"wiki bank", "SmolLM2, 3-bit draft", "SmolLM2, 4-bit draft", "Student-t logits"}
    panels = rows(name).panels()
    quantities = {panel.partition(", ")[0] for panel in panels}
    assert len(quantities) == 2 and {f"{what}, {kind}" for what in quantities for kind in kinds} == set(panels)


def test_a_draft_that_is_accepted_more_often_sends_a_token_in_less_time() -> None:
    found = rows("sqs.temperature")
    coarse, fine = (found.of(f"latency, SmolLM2, {bits}-bit draft", "dense").column("y") for bits in (3, 4))
    assert all(b < a for a, b in zip(coarse, fine, strict=True))


def test_texts_of_three_kinds_of_laws_have_a_panel_for_each_step_size() -> None:
    panels = rows("sqs.threshold-paths").panels()
    assert len(panels) == 9 and {name.rpartition(", ")[0] for name in panels[6:]} == {"SmolLM2, 3-bit draft"}
