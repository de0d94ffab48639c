"""Token laws by rank before and after enrichment, on texts whose tokens can be counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.logits.corpora import Corpus
from simspec.studies.tasc.task_tokens import prepare
from simspec.studies.tasc.token_laws import by_rank, token_laws


def _task():
    outputs = ("one two", "one two", "one two", "one three", "one two", "one two")
    return prepare([Corpus("count", tuple("abcdef"), outputs, "by hand")], share=0.4)


def test_masses_fall_with_the_rank_and_sum_to_one() -> None:
    (result,) = gather(token_laws(_task, ["count"], budgets=(0, 1), ranks=range(1, 40), n_max=2))
    for budget in (0, 1):
        mass = result.values[f"mass {budget}"][0]
        assert mass.sum() == pytest.approx(1) and (np.diff(mass) <= 0).all()
    assert result.values["vocab 1"] - result.values["vocab 0"] == 1


def test_a_new_token_takes_its_mass_from_those_it_is_made_of() -> None:
    same = Corpus("same", tuple("abcd"), ("one two",) * 4, "by hand")
    (result,) = gather(
        token_laws(lambda: prepare([same], share=0.5), ["same"], budgets=(0, 1), ranks=(1, 2, 3), n_max=2)
    )
    assert result.values["mass 0"].tolist() == [[0.5, 0.5, 0.0]]  # "one" and " two"
    assert result.values["mass 1"].tolist() == [[1.0, 0.0, 0.0]]


@pytest.mark.parametrize(("counts", "ranks"), [([0, 0], [1]), ([1], [0])])
def test_what_has_no_law_or_no_rank_is_named(counts, ranks) -> None:
    with pytest.raises(ValueError, match="counts, ranks"):
        by_rank(np.array(counts), ranks)
