"""The translation of drafts between two vocabularies: the installed package's own class, and its repair."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simspec.audit import Pair, Verdict
from simspec.audit.adapters import FORMS
from simspec.audit.adapters.judging import Asked, Subject, judge
from tests.requirements import require

HAND = Pair("by hand", np.array([[1, 3], [3, 1]]) / 4, np.array([[3, 1]]) / 4)


@pytest.fixture
def installed():
    require("torch")
    from transformers.generation.candidate_generator import AssistantToTargetTranslator

    return AssistantToTargetTranslator


def judged(function, exact=True, pairs=None):
    """Exact on the pair by hand, or a black box on the default pairs of two tokens."""
    subject = Subject("translator", None, FORMS["transformers-translator"](function), {"confirmed": 500})
    return judge(subject, Asked(exact=exact, vocab=2, gamma=1, calls=2000, tv_limit=0.2, pairs=pairs))


def repaired(translator):
    """The translator, whose logits go to the target token of their place in the pruned head."""

    class Repaired(translator):  # type: ignore[valid-type, misc]
        def get_target_logits(self, assistant_logits):
            target_logits = super().get_target_logits(assistant_logits)
            target_logits[:] = self.FILTER_VALUE
            ids = self._assistant_to_target_input_ids[self.assistant_overlap_token_ids]
            target_logits[..., ids] = assistant_logits.to(target_logits.dtype)
            return target_logits

    return Repaired


def test_the_installed_translator_reports_permuted_probabilities(installed) -> None:
    """By hand: q = (3/4, 1/4) is reported as (1/4, 3/4) = p, so that every draft is kept, and TV is that of p and q, 1/2.

    The repair on the same pair is the control.  A version that is mended makes this test fail: then `docs/tours/audit.md`
    must say so.
    """
    report = judged(installed, pairs=[HAND])
    low, high = report.first.tv
    assert report.verdict is Verdict.BIASED and low <= 0.5 <= high and high - low < 1e-5
    assert judged(repaired(installed), pairs=[HAND]).verdict is Verdict.LOSSLESS


def test_as_a_black_box(installed) -> None:
    """False alarm 1e-6."""
    assert judged(installed, exact=False).verdict is Verdict.BIASED
    assert judged(repaired(installed), exact=False, pairs=[HAND]).verdict is Verdict.LOSSLESS


def test_the_repair_has_the_law_of_speculative_decoding(installed) -> None:
    facts = judged(repaired(installed), pairs=[HAND]).shown.emitted.facts
    assert abs(float(facts.acceptance) - Fraction(1, 2)) < 1e-5 and float(facts.tv) < 1e-5
