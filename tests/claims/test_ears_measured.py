"""Evidence beside claims of EARS: rules on real laws, and long texts."""

from simspec.claims.data import Data
from simspec.claims.ears_measured import RULES, long_texts, side_by_side


def test_rules_side_by_side_on_real_laws() -> None:
    """No rule is above the frontier; on a nucleus EARS and mixtures write what the target excludes, lenience does not."""
    found = side_by_side(Data(effort="quick"))
    assert len(found) == 2 * len(RULES)
    outside, excluded = "mean probability of a token with p = 0", {}
    for e in found:
        control, name = dict(e.control or {}), e.data.rpartition(": ")[2].removesuffix(", mean acceptance")
        assert e.estimate <= control["the best of any rule at that TV"] + 1e-6
        if "nucleus" in e.data:
            excluded[name] = control[outside]
        else:
            assert control[outside] == 0
    assert excluded["EARS at 0.1"] > 0 and excluded["mixture with 0.1 of the draft"] > 0
    assert excluded["lenience 0.8"] == excluded["speculative decoding"] == excluded["typical acceptance"] == 0


def test_long_texts_lie_between_their_bounds() -> None:
    """Intervals of 32 texts (and half a point, for values that are all alike) meet the bounds; speculative decoding, without
    any distance, is the negative control."""
    found = long_texts(Data(effort="quick"))
    assert {e.data.rpartition(": ")[2].rpartition(" ")[0].rpartition(" ")[0] for e in found} >= {
        "SD",
        "ears",
        "typical",
    }
    for e in found:
        control = dict(e.control or {})
        low, high = e.interval or (0, 0)
        assert low <= min(control["root high"], control["disagreement"]) + 0.005 and high >= control["root low"] - 0.005
        assert ("SD" in e.data) == (e.estimate < 1e-6)
        if " 4 tokens" in e.data:
            longer = next(x for x in found if x.data == e.data.replace(" 4 tokens", " 64 tokens"))
            assert longer.estimate >= e.estimate
