"""What the titles of the figures on the theory around the test say is in their stored rows."""

from __future__ import annotations

from itertools import pairwise

from simspec.figures.gallery import rows


def test_the_marginal_is_not_the_best_law_and_at_least_half_as_good() -> None:
    stored = rows("theory.parallel")
    best, marginal = (stored.of(series=name).column("y") for name in ("best law", "marginal of the target"))
    assert best[0] == marginal[0] == 1 or abs(best[0] - marginal[0]) < 1e-9
    assert all(a > b and 1 - b <= 2 * (1 - a) for a, b in zip(best[1:], marginal[1:], strict=True))


def test_a_middle_model_pays_at_high_acceptance_and_costs_at_low() -> None:
    stored = rows("theory.cascades")
    assert len(stored.panels()) == 2
    for panel in stored.panels():
        gains = {(p.x, p.y): p.z for p in stored.of(panel)}
        assert gains[0.95, 0.95] > 1 > gains[0.5, 0.5]
    cheap, dear = ({(p.x, p.y): p.z for p in stored.of(panel)} for panel in stored.panels())
    assert all(cheap[at] >= dear[at] for at in cheap)


def test_keys_cost_acceptance_and_gumbel_keys_stay_above_their_bound() -> None:
    stored = rows("theory.watermarks")
    plain, gumbel, quantile = (
        stored.of(series=name).column("y") for name in ("without keys", "Gumbel keys", "quantile keys")
    )
    tv = stored.of(series="without keys").column("x")
    apart = [i for i, x in enumerate(tv) if x > 1e-9]
    assert len(apart) >= 5
    assert all(plain[i] > gumbel[i] > quantile[i] for i in apart)
    assert all(gumbel[i] >= (1 - tv[i]) / (1 + tv[i]) for i in apart)


def test_the_rate_falls_while_the_speed_rises() -> None:
    stored = rows("theory.rate-falls")
    rate, speed = stored.panels()
    for name in stored.of(rate).series():
        assert all(a > b for a, b in pairwise(stored.of(rate, name).column("y")))
    fast = stored.of(speed).series()[-1]
    assert all(a < b for a, b in pairwise(stored.of(speed, fast).column("y")))
