"""What the page on soundness says of conclusions that Coq has computed, from the record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proofs_check.coq.check import number
from proofs_check.coq.evaluated.record import ENUMERATION, RECORD, recorded
from simspec.claims.deciding.proved import as_written

__all__ = ["section"]

COMPUTED = """\
`python -m proofs_check.coq.evaluated` has Coq compute both sides of the conclusions of each derivation, at instances that the
claim draws: the text of each side as it stands in the script for Coq, with the names in it as the instance has them. What Coq
computes is compared with what the proof's sides are in Python, and with what the claim's own code says. Where all numbers are
fractions, the text is read over fractions ([rational.v](../proofs_check/coq/evaluated/rational.v)), and both have to be the
same; logarithms, exponentials and roots are read over enclosures ([enclosures.v](../proofs_check/coq/evaluated/enclosures.v)),
which have to overlap Python's and be narrow. That each operation over either is that of the real numbers is proved in
[transfer.v](../proofs_check/coq/evaluated/transfer.v). `--carried` prints the record, claim by claim, without Coq."""


def section() -> Iterator[str]:
    """Heading and text of the section."""
    entries = [*recorded().values()]
    others = [e for e in entries if e.get("not") not in (None, ENUMERATION)]
    agreeing = [e["agree"] for e in entries if "agree" in e]
    enclosed = [e["enclosed"] for e in entries if "enclosed" in e]
    differing = [e["claim"] for e in entries if "differ" in e]
    enumerations = sum(e.get("not") == ENUMERATION for e in entries)
    statements = sum(e["transfer"] for e in entries if isinstance(e.get("transfer"), int))
    apart = [e["claim"] for e in entries if isinstance(e.get("transfer"), str)]
    without = f", but for {', '.join(apart)}" if apart else ""
    named = f" ({', '.join(differing)})" if differing else ""
    yield "## Conclusions computed in Coq"
    yield COMPUTED
    yield (
        f"Recorded with Coq {as_written(RECORD.name)['coq']}: of {number()} proofs, {len(agreeing)} agree as fractions, at "
        f"{sum(agreeing):,} places, {len(enclosed)} within enclosures, at {sum(enclosed):,}; {len(differing)} differ"
        f"{named}; {enumerations} enumerations have no statement that is exported, "
        f"and {len(others)} are not computed. Of each of their {statements} statements, whatever its names stand for, Coq proves "
        f"that what it computes is what the script says of the real numbers{without}. Not computed are:"
    )
    yield "\n".join(map(_item, others))


def _item(entry: Mapping[str, Any]) -> str:
    return f"- `{entry['claim']}`: {entry['not'].replace('_', chr(92) + '_').replace('*', chr(92) + '*')}"
