"""What the titles of the figures on EARS say is in their stored rows."""

from __future__ import annotations

import numpy as np

from simspec.figures import rows
from simspec.figures.gallery import figures


def test_two_rules_lie_below_the_envelope_and_the_others_on_it() -> None:
    found = rows("ears.front")
    for panel in found.panels():
        bound = found.of(panel, "envelope")
        for name in found.of(panel).series()[:-1]:
            own = found.of(panel, name)
            gap = np.interp(own.column("x"), bound.column("x"), bound.column("y")) - own.column("y")
            if name in ("typical", "EARS, fresh draw"):
                assert gap.min() > 0.02
            else:
                assert np.abs(gap).max() < 1e-9


def test_pardoned_tokens_lie_far_from_the_target_and_their_share_grows() -> None:
    found = rows("ears.pardon")
    shares = found.of("share of drafts pardoned")
    for laws in shares.series():
        assert (np.diff(shares.of(series=laws).column("y")) > 0).all()
        pardoned, standard = (found.of("divergence", f"{way}, {laws}") for way in ("pardoned", "standard"))
        assert min(pardoned.column("low")) > 5 * max(standard.column("high"))


def test_each_pair_of_laws_has_its_panel_and_smollm2_gains_less_than_the_others() -> None:
    names = ["Gaussian logits", "wiki bank", "SmolLM2, 3-bit draft", "SmolLM2, 4-bit draft"]
    assert rows("ears.front").panels() == rows("ears.tolerance").panels() == names
    assert rows("ears.pardon").of("share of drafts pardoned").series() == names
    longest = [max(rows("ears.tolerance").of(name).column("y")) for name in names]
    assert max(longest[2:]) < min(longest[:2])
    assert longest[0] > 2 * longest[2]


def test_every_recorded_position_of_smollm2_has_its_mark_and_the_variance_ranks_better() -> None:
    found = rows("ears.calibration")
    assert found.panels()[2:] == ["SmolLM2, its answers", "SmolLM2, corpus texts"]
    assert [len(found.of(name, "variance")) for name in found.panels()] == [300, 300, 1008, 336]
    for panel in found.panels():
        largest, variance = (found.of(panel, name)[0].label for name in ("one minus max", "variance"))
        assert float(largest.split()[2]) < float(variance.split()[2]) < 1


def test_the_bias_of_every_relaxed_rule_grows_with_the_text() -> None:
    found = rows("ears.text-bias")
    assert found.panels() == ["rules", "bounds", "SmolLM2, 3-bit draft", "SmolLM2, 4-bit draft"]
    for panel in ("rules", *found.panels()[2:]):
        for name in found.of(panel).series():
            own = found.of(panel, name).column("y")
            assert np.max(own) < 1e-12 if name == "SD" else (np.diff(own) > 0).all()
    for panel in found.panels()[2:]:
        assert {p.x for p in found.of(panel)} == {1, 2, 4, 8, 12}


def test_the_words_say_which_texts_of_smollm2_are_followed() -> None:
    words = figures()["ears.text-bias"].data
    assert "84 runs of 12 consecutive positions" in words and "no corpus texts" in words
