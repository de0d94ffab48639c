"""Every claim that a bank can change, decided on this pair; a run that is killed goes on with the claims that are open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simspec.checks import check_extra
from simspec.claims.chosen import Chosen, choose, moved_by_bank
from simspec.claims.deciding.verify import verify
from simspec.claims.rdk.logits import STUDENT_BY
from simspec.tools.pair.folder import Folder

__all__ = ["decide", "open_claims"]


def open_claims() -> list[Chosen]:
    """Claims that a pair of one's own can change: measured ones, and those that real laws may still refute.

    Statements about one of the models that ship are none of them.

    >>> "rdk.student-t-logits" in (names := [choice.claim.name for choice in open_claims()])
    True
    >>> "rdk.student-t-logits.gpt2" in names
    False
    """
    of_shipped_models = {claim.name for claim in STUDENT_BY}
    return [choice for choice in choose(()) if moved_by_bank(choice) and choice.claim.name not in of_shipped_models]


def decide(
    folder: Folder, claims: list[Chosen] | None = None, step: Callable[[int], None] = lambda n: None
) -> dict[str, Any]:
    """Decide the claims and write the folder's part `verdicts`, after each claim what is decided so far.

    Parameters
    ----------
    folder : with a bank
    claims : those of `open_claims` by default
    step : is given the number of claims that are done, and then 1 after each
    """
    check_extra("simspec pair: deciding claims", "verify", "texts", "measure")
    choices = open_claims() if claims is None else claims
    names = [choice.claim.name for choice in choices]
    before = folder.read("verdicts") or {}
    records = {record["id"]: record for record in before.get("claims", []) if record["id"] in names}
    step(len(records))

    def keep(record: dict[str, Any]) -> None:
        records[record["id"]] = record
        folder.write("verdicts", {"claims": list(records.values()), "complete": False})
        step(1)

    how: dict[str, Any] = {
        "bank": str(folder.bank),
        "effort": folder.request.effort,
        "seed": folder.request.speech.seed,
    }
    verdicts = dict(verify(*choices, **how, known=dict(records), on_claim=keep))
    folder.write("verdicts", {**verdicts, "complete": True})
    return verdicts
