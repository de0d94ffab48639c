"""``python -m proofs_check.coq.evaluated``: compute both sides of exported conclusions in Coq, and keep what came of it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from proofs_check.coq.check import save, version
from proofs_check.coq.evaluated.readings import Readings
from proofs_check.coq.evaluated.record import KINDS, RECORD, header, kept, outcome, recorded, summary
from simspec.claims import find
from simspec.claims.deciding.proved import as_written

EACH = 10
"""After so many answers the record is written."""


def line(entry: Mapping[str, Any]) -> str:
    """What an entry says.

    >>> line({"claim": "sd.acceptance", "agree": 4})
    'sd.acceptance: agree at 4'
    """
    kind = next(kind for kind in KINDS if kind in entry)
    words_of_kind = {
        "agree": "agree at {}",
        "enclosed": "within enclosures at {}",
        "not": "not computed: {}",
        "differ": "DIFFER: {}",
    }
    return f"{entry['claim']}: {words_of_kind[kind].format(entry[kind])}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the conclusions of some claims or all; 1 where Coq and Python differ."""
    parser = argparse.ArgumentParser(
        prog="python -m proofs_check.coq.evaluated",
        description="Compute both sides of exported conclusions in Coq, on instances that the claims draw, and keep what came "
        "of it in evaluated.json. Derivations whose answer on record is about what they are now are not asked about again.",
    )
    parser.add_argument("ids", metavar="ID", nargs="*", help="ids or prefixes of claims; all where there are none")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--again", action="store_true", help="ask about answered ones, too")
    ways.add_argument("--carried", action="store_true", help="do not ask Coq: print what is on record")
    parser.add_argument("--dry", action="store_true", help="leave the record as it is")
    options = parser.parse_args(arguments)
    if options.carried:
        names = {claim.name for claim in find(options.ids)}
        entries: list[Mapping[str, Any]] = [e for e in recorded().values() if e["claim"] in names]
        print("\n".join(map(line, entries)))
    else:
        entries = _asked(options.ids, options.again, options.dry)
    print(summary(entries))
    return 1 if any("differ" in e for e in entries) else 0


def _asked(ids: Sequence[str], again: bool, is_dry: bool) -> list[Mapping[str, Any]]:
    """Entries of what Coq was asked, which are written as they come, and of what it needed not be asked."""
    about = header(version())
    old = as_written(RECORD.name)
    entries = recorded() if all(old.get(key) == value for key, value in about.items()) else {}
    names = {claim.name for claim in find(list(ids))}

    def write() -> None:
        if not is_dry:
            save({**about, "derivations": kept(entries)}, RECORD)

    with Readings() as readings:
        try:
            for number, entry in enumerate(outcome(ids, readings, dict(entries), again), 1):
                entries[entry["file"], entry["place"]] = entry
                print(line(entry), flush=True)
                if number % EACH == 0:
                    write()
        finally:
            write()
    return [e for e in kept(entries) if e["claim"] in names]


if __name__ == "__main__":
    raise SystemExit(main())
