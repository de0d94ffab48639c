"""The study that claims about a model's answers share: what was measured on tasks with known answers, read once a run."""

from __future__ import annotations

from simspec.claims.measured import Data, Study, shared
from simspec.studies.pad.answered import answered

__all__ = ["answers_study"]


@shared
def answers_study(data: Data) -> Study:
    """Candidates and answers by rule, of the model that ships, whatever bank the claims are decided on."""
    return answered()
