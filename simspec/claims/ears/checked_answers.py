"""What claims about answers written under EARS share: the study, its cells, and the words for how it was measured."""

from __future__ import annotations

from simspec.claims.measured import Data, Result, Results, Study, shared
from simspec.studies.ears.answers import ALL, answered

__all__ = ["ALL", "ANSWERED", "answers_study", "by_draft"]

ANSWERED = (
    "SmolLM2-135M-Instruct, and as drafts the same model with weights rounded to 3 and to 4 bits, at temperature 0.9, the "
    "paper's, on sums, two sums in steps, products and copies asked after four examples, whose answers are checked exactly. "
    "All rules share their random numbers, so that answers part only where a draft is pardoned, and the answers to a task are "
    "paired. "
)


@shared
def answers_study(data: Data) -> Study:
    """Answers by speculative decoding and EARS, of the model that ships, whatever bank the claims are decided on."""
    return answered()


def by_draft(results: Results) -> list[dict[tuple[float, int], Result]]:
    """The cells of each draft, by tolerance and drafts of a call."""
    drafts = dict.fromkeys(str(result.cell["draft"]) for result in results)
    return [
        {(result.cell["beta"], result.cell["gamma"]): result for result in results if result.cell["draft"] == draft}
        for draft in drafts
    ]
