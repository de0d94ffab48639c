"""Acceptance of heads from recorded laws: by hand, and beside every way in which verification can end."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from simspec.laws import exact
from simspec.methods.heads import draft_bound, head_acceptance, head_survival, survival_bounds
from simspec.methods.parallel import best_draft, marginal, optimality_gap, product_acceptance
from simspec.methods.stop import told_verifier
from simspec.methods.verifier.verifier import by_rows, outcomes

FIRST = exact([Fraction(3, 4), Fraction(1, 4)])
REPEATS = np.array([exact([1, 0]), exact([0, 1])])


def recorded(target, draft, gamma):
    """Every text of the target with its probability, and what would be recorded of it: laws, heads, tokens."""
    weights = []
    laws = []
    heads = []
    texts = []
    for text in product(range(len(target(()))), repeat=gamma):
        rows = np.array([target(text[:at]) for at in range(gamma)])
        weight = np.prod([rows[at][token] for at, token in enumerate(text)])
        if weight > 0:
            weights.append(weight)
            laws.append(rows)
            heads.append([draft(text[:at]) for at in range(gamma)])
            texts.append(text)
    return np.array(weights), np.array(laws), np.array(heads), np.array(texts)


def test_a_target_that_repeats_its_first_token_by_hand() -> None:
    """Heads (1/2, 1/2) and (3/4, 1/4).  The first is accepted with 3/4: token 0 with 1/2, token 1 with 1/4.

    Then the second is accepted with 3/4 and 1/4: 1/2·3/4 + 1/4·1/4 = 7/16, where independence has 3/4·5/8 = 15/32.
    """
    q = np.array([exact([Fraction(1, 2)] * 2), FIRST])
    weights, p, heads, tokens = recorded(lambda text: REPEATS[text[0]] if text else FIRST, by_rows(q), 2)
    assert (weights @ head_acceptance(p, heads)).tolist() == [Fraction(3, 4), Fraction(5, 8)]
    assert (weights @ head_survival(p, heads, tokens)).tolist() == [Fraction(3, 4), Fraction(7, 16)]


@pytest.mark.parametrize("reads_drafts", [False, True])
def test_survival_is_that_of_every_way_in_which_verification_ends(reads_drafts: bool) -> None:
    """Of heads that see no drafted token, and of heads that read the drafts before them; exactly, and on floats."""
    rng = np.random.default_rng(0)
    for _ in range(5):
        target_laws, draft_laws = (
            np.array([exact(row) / row.sum() for row in rng.integers(1, 9, (13, 2))]) for _ in "pq"
        )

        def target(text, laws=target_laws):
            return laws[3 * len(text) + sum(text)]

        def draft(text, laws=draft_laws):
            return laws[3 * len(text) + (sum(text) if reads_drafts else 0)]

        weights, p, heads, tokens = recorded(target, draft, 3)
        endings = outcomes(told_verifier(), target, draft, 3)
        expected = [sum(e.probability for e in endings if e.accepted >= i) for i in (1, 2, 3)]
        survival = weights @ head_survival(p, heads, tokens)
        assert survival.tolist() == expected
        lowest, highest = survival_bounds(weights @ head_acceptance(p, heads))
        assert (lowest <= survival).all() and (survival <= highest).all()
        floats = weights.astype(float) @ head_survival(p.astype(float), heads.astype(float), tokens)
        np.testing.assert_allclose(floats, np.array(expected, dtype=float), rtol=1e-14)
        # planted errors: heads of which one stands a position too early, and the text of a uniform model
        assert (weights @ head_survival(p, heads[:, ::-1], tokens)).tolist() != expected
        assert (head_survival(p, heads, tokens).mean(axis=0)).tolist() != expected


def test_bounds_are_attained() -> None:
    """Targets that repeat the first token; the head is sure of a token that the first accepts always, or seldom."""
    first = exact([Fraction(1, 2)] * 2)
    sure = exact([1, 0])
    for second, end in ((sure, 1), (exact([0, 1]), 0)):
        draft = by_rows([sure, second])
        weights, p, heads, tokens = recorded(lambda text: REPEATS[text[0]] if text else first, draft, 2)
        bounds = survival_bounds(weights @ head_acceptance(p, heads))
        assert (weights @ head_survival(p, heads, tokens))[1] == bounds[end][1]


def test_a_text_that_the_target_cannot_draw_is_refused() -> None:
    p = np.array([[[0.5, 0.5], [1.0, 0.0]]])
    with pytest.raises(
        ValueError, match="tokens: the target gives token 1 at row 0, position 2, no mass; expected a text"
    ):
        head_survival(p, p, np.array([[0, 1]]))


def test_a_bound_certifies_the_best_draft_on_fractions_and_on_floats() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        counts = rng.integers(1, 9, size=(4, 3))
        rows = np.array([exact(row) / row.sum() for row in counts])
        first = exact(counts[:, 0]) / counts[:, 0].sum()
        best = best_draft(first, rows)
        assert draft_bound(first, rows, best.level) == best.acceptance
        assert product_acceptance(first, rows, marginal(first, rows)) <= best.acceptance
        # a planted error: another level bounds too and certifies nothing
        assert draft_bound(first, rows, best.level + Fraction(1, 3)) > best.acceptance
        floats = rng.dirichlet(np.full(6, 0.3), size=7)
        weights = rng.dirichlet(np.ones(7))
        best = best_draft(weights, floats)
        assert 0 <= draft_bound(weights, floats, best.level) - best.acceptance + 1e-12 < 1e-11


def test_rounding_moves_the_bound_by_its_size_and_the_gap_by_anything() -> None:
    """A best law with 1e-12 of its mass on another token: its distance to the bound is that size, its gap one half."""
    first = np.array([0.75, 0.25])
    rows = np.eye(2)
    best = best_draft(first, rows)
    draft = np.array([1 - 1e-12, 1e-12])
    assert 0 < draft_bound(first, rows, best.level) - product_acceptance(first, rows, draft) < 1e-12
    assert optimality_gap(first, rows, best.law) == 0 and optimality_gap(first, rows, draft) == 0.5
