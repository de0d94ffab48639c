"""Records of Coq that are kept while what they are about changes: what all scripts share, and a claim's own words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from simspec.claims import find
from simspec.claims.deciding import in_coq, outside
from simspec.claims.deciding.in_coq import word
from tests.proofs_check.attacks.attack import Attack, NotProved
from tests.proofs_check.attacks.promised import WORDS

__all__ = ["KEPT"]

FAMILY = "what changes while its record is kept"
CLAIM = "folk.lean-residual-corrected"
"""A claim that is proved by its derivation alone."""
TEXTS = in_coq.texts_in
SUM = "Definition Sum (lo hi : Z) (f : Z -> R) : R :="


def _word(name: str = CLAIM, **changes: Any) -> str:
    """The word for a claim, with changes of it, by the record as it is."""
    for cache in (in_coq._answers, in_coq.library_hash):
        cache.cache_clear()
    try:
        said = word(outside.entries(replace(find([name])[0], **changes)))
    finally:
        for cache in (in_coq._answers, in_coq.library_hash):
            cache.cache_clear()
    if said != "proved":
        raise NotProved(f"the word is {said}")
    return said


def _with_prelude(change: Callable[[str], str]) -> str:
    """The word while the prelude of all scripts is another."""

    def texts(folder: str, ending: str) -> Mapping[str, str]:
        found = TEXTS(folder, ending)
        return {**found, "prelude": change(found["prelude"])} if "prelude" in found else found

    with patch.object(in_coq, "texts_in", texts):
        return _word()


def _unchanged() -> str:
    return _with_prelude(lambda text: text)


def _changed(before: str, after: str) -> Callable[[], str]:
    def change(text: str) -> str:
        if before not in text:
            raise KeyError(before)
        return text.replace(before, after, 1)

    return lambda: _with_prelude(change)


DERIVED = "the word is derived"
KEPT = [
    Attack(f"kept_{name}", FAMILY, says, way, beyond, twin, by)
    for name, says, way, beyond, twin, by in (
        (
            "sum",
            "Every sum is 0 by its definition, with the answers of before",
            _changed(SUM, f"{SUM} 0 *"),
            "",
            _unchanged,
            DERIVED,
        ),
        (
            "axiom",
            "An axiom more in what all scripts share, with the answers of before",
            _changed("Open Scope R_scope.", "Open Scope R_scope.\nAxiom wrong : 0 = 1."),
            "",
            _unchanged,
            DERIVED,
        ),
        (
            "power",
            "A power is 1 by its definition, with the answers of before",
            _changed("b ^ Z.to_nat n.", "1."),
            "",
            _unchanged,
            DERIVED,
        ),
        (
            "words",
            "A claim whose words say another thing than its formulas",
            lambda: _word(statement="Every drafter is free, and every text is the target's."),
            WORDS,
            _word,
            "",
        ),
    )
]
