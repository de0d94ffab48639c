"""What the titles of the figures on EARS say is in their stored rows."""

from __future__ import annotations

import numpy as np

from simspec.figures import rows


def test_two_rules_lie_below_the_envelope_and_the_others_on_it() -> None:
    found = rows("ears.front")
    for panel in found.panels():
        bound = found.of(panel, "envelope")
        for name in found.of(panel).series()[:-1]:
            own = found.of(panel, name)
            gap = np.interp(own.column("x"), bound.column("x"), bound.column("y")) - own.column("y")
            if name in ("typical", "EARS, fresh draw"):
                assert gap.min() > 0.05
            else:
                assert np.abs(gap).max() < 1e-9


def test_pardoned_tokens_lie_far_from_the_target_and_their_share_grows() -> None:
    found = rows("ears.pardon")
    shares = found.of("share of drafts pardoned")
    for laws in shares.series():
        assert (np.diff(shares.of(series=laws).column("y")) > 0).all()
        pardoned, standard = (found.of("divergence", f"{way}, {laws}") for way in ("pardoned", "standard"))
        assert min(pardoned.column("low")) > 5 * max(standard.column("high"))


def test_the_bias_of_every_relaxed_rule_grows_with_the_text() -> None:
    found = rows("ears.text-bias").of("rules")
    for name in found.series():
        own = found.of(series=name).column("y")
        assert np.max(own) < 1e-12 if name == "SD" else (np.diff(own) > 0).all()
