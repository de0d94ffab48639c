"""Random mutants of verifiers, their exact laws, and the search for pairs that show them."""

from __future__ import annotations

import json
from importlib import resources

import numpy as np
import pytest

from simspec.audit.pairs import SEARCHED, fine, for_exact, searched
from simspec.audit.uniforms.emitted import emitted
from simspec.audit.zoo.mutants import FAMILIES, PARTS, Mutant, by_uniforms, drafts_of_family, law_of, mutants, tv_of
from simspec.audit.zoo.pair_search import SHOWS, candidate, chosen, further, main, searched_for

HONEST = tuple(forms[0] for forms in PARTS.values())
ALL = [family for families in FAMILIES.values() for family in families]


def a_pair(family, vocab: int = 3, seed: int = 0):
    return fine(candidate(family.gamma, vocab, np.random.default_rng(seed)))


def exact_law(mutant, pair, confirmed=500):
    drawn = drafts_of_family(mutant.family)
    drafts = None if drawn is None else drawn(pair.q)
    return emitted(by_uniforms(mutant), pair, mutant.family.uniforms, drafts, confirmed=confirmed)


@pytest.mark.parametrize("family", ALL, ids=lambda family: family.name)
def test_without_a_change_every_family_is_lossless(family) -> None:
    for seed in range(3):
        assert tv_of(Mutant(family, HONEST), a_pair(family, seed=seed)) < 1e-12


@pytest.mark.parametrize("kind", ["chains", "siblings"])
def test_the_law_found_in_code_is_the_law_of_the_program(kind) -> None:
    for mutant in mutants(kind, 8, seed=3):
        pair = a_pair(mutant.family)
        found, right = exact_law(mutant, pair, 50_000).ends, law_of(mutant, pair)
        off = max(abs(float(found.get(ending, 0)) - right.get(ending, 0)) for ending in {**found, **right})
        assert off < 1e-9, mutant.name


@pytest.mark.parametrize("kind", ["chains", "siblings", "trees"])
def test_mutants_that_show_on_some_pair_are_found_at_the_defaults(kind) -> None:
    """Mutants that the search did not see; the negative control is the honest verifier of each family, above."""
    for mutant in mutants(kind, 2 if kind == "trees" else 8, seed=11):
        if max(tv_of(mutant, a_pair(mutant.family, seed=seed)) for seed in range(3)) < SHOWS:
            continue
        tried = for_exact(mutant.family.gamma, 3)
        assert any(exact_law(mutant, pair).tv[0] > 0 for pair in tried), mutant.name


def test_few_candidates_are_chosen_that_show_all_that_show() -> None:
    search = searched_for(2, 3, 6, 5, seed=1)
    shows = search.tv >= SHOWS
    few = chosen(search.tv)
    assert len(few) < 6 and (shows[:, few].any(axis=1) == shows.any(axis=1)).all()
    enough = np.minimum(shows.sum(axis=1), 2)
    assert (shows[:, few].sum(axis=1) >= enough).all()
    again = searched_for(2, 3, 6, 5, seed=1)
    assert (again.tv == search.tv).all() and chosen(again.tv) == few


def test_the_shipped_pairs_are_candidates_of_the_search() -> None:
    shipped = json.loads(resources.files("simspec.audit").joinpath(SEARCHED).read_text(encoding="utf-8"))
    steps = []
    for gamma, vocab in ((2, 3), (1, 5)):
        rng = np.random.default_rng([shipped["seed"], gamma, vocab])
        for _ in range(shipped["candidates"]):
            pair = fine(candidate(gamma, vocab, rng))
            steps.append([(laws * 2**16).astype(int).tolist() for laws in (pair.p, pair.q)])
    assert all([laws["p"], laws["q"]] in steps for laws in shipped["pairs"])
    assert shipped["shown"] + len(shipped["not_shown"]) == shipped["mutants"] == 180


def test_single_changes_that_random_mutants_left_out_are_shown_by_further_pairs() -> None:
    """Three siblings whose last token is drawn with the last test's uniform: no other pair shows it, the last two do."""
    at = list(PARTS).index("uniforms")
    forms = (*HONEST[:at], "last test's for the last token", *HONEST[at + 1 :])
    family = next(family for family in FAMILIES["siblings"] if family.name == "repeats:3")
    shown = [tv_of(Mutant(family, forms), pair) >= SHOWS for pair in for_exact(1, 3) if pair.gamma == 1]
    assert shown[-2:] == [True, True] and not any(shown[:-2])
    of_five = [pair for pair in searched(1) if pair.vocab == 5]
    again = further(24, 0, of_five[:-2])
    assert [(pair.p.tolist(), pair.q.tolist()) for pair in again] == [
        (pair.p.tolist(), pair.q.tolist()) for pair in of_five[-2:]
    ]


def test_the_search_writes_a_file(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("simspec.audit.zoo.pair_search.document", lambda number, of_kind: {"pairs": [number, of_kind]})
    assert main([str(tmp_path / "pairs.json")]) == 0
    assert json.loads((tmp_path / "pairs.json").read_text()) == {"pairs": [24, 60]}
