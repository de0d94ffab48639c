"""Record the verdicts of a run as the expected ones: ``python -m simspec.claims.deciding.record report/verdicts.json``.

Do this only after reading why a verdict changed; ``simspec verify`` compares every later run with the record.  What each exact
counterexample was drawn from is recorded too: a later run draws and checks it again before it looks for others.  So is what
each empirical claim was decided on.

With ``--new`` the run may be of some claims only (``simspec verify PAPER``): those that have no recorded verdict are added, and
no recorded one changes; what the empirical ones among them were decided on is recorded anew.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simspec.claims import registry
from simspec.claims.deciding.evidence import decided_on
from simspec.claims.deciding.verify import python_of
from simspec.files import parse_json, plain, undigested, write_json

__all__ = ["choices_of", "decided_on_of", "main"]

EXPECTED = Path(__file__).parents[1] / "expected.json"


def main(argv: Sequence[str] | None = None) -> int:
    """Write both records from a verdicts.json at default effort with the shipped bank; exit status 0 or 2.

    The run is of all claims, or, after ``--new``, of some that have no recorded verdict.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    only_new = arguments[:1] == ["--new"]
    arguments = arguments[only_new:]
    if len(arguments) != 1:
        print("usage: python -m simspec.claims.deciding.record [--new] VERDICTS_JSON", file=sys.stderr)
        return 2
    try:
        run = undigested(parse_json(Path(arguments[0]).read_text(encoding="utf-8")))
    except (ValueError, AttributeError) as error:
        print(f"{arguments[0]}: not recorded: {error}", file=sys.stderr)
        return 2
    verdicts = {c["id"]: c["verdict"] for c in run["claims"]}
    wrong = [
        reason
        for reason, names in (
            ("a claim crashed", "error" in verdicts.values()),
            ("it does not hold every claim", not only_new and set(verdicts) != set(registry())),
            ("it holds a claim that there is not", not set(verdicts) <= set(registry())),
            ("its effort is not default", run["effort"] != "default"),
            ("its bank is not the shipped one", run["environment"]["bank"] != "shipped"),
        )
        if names
    ]
    if wrong:
        print(f"{arguments[0]}: not recorded: {'; '.join(wrong)}", file=sys.stderr)
        return 2
    about = {"seed": run["seed"], "effort": run["effort"], "python": python_of(run)}
    choices = choices_of(run["claims"])
    decided = decided_on_of(run["claims"])
    if only_new:
        return _add(about, verdicts, choices, decided)
    write_json({**about, "verdicts": verdicts, "decided on": decided}, EXPECTED)
    write_json(choices, EXPECTED.with_name("counterexamples.json"))
    return 0


def _add(
    about: Mapping[str, Any],
    verdicts: Mapping[str, str],
    choices: Mapping[str, str | None],
    decided: Mapping[str, str],
) -> int:
    """Add the verdicts of new claims to both records, in the order of the papers."""
    recorded = parse_json(EXPECTED.read_text(encoding="utf-8"))
    recorded_choices = parse_json(EXPECTED.with_name("counterexamples.json").read_text(encoding="utf-8"))
    if (seed := recorded["seed"]) != about["seed"]:
        print(f"not recorded: its seed is {about['seed']}; expected that of the record, {seed}", file=sys.stderr)
        return 2
    recorded_verdicts = recorded["verdicts"]
    all_verdicts = {**verdicts, **recorded_verdicts}
    all_choices = {
        **{name: drawing for name, drawing in choices.items() if name not in recorded_verdicts},
        **recorded_choices,
    }
    order = [name for name in registry() if name in all_verdicts]
    all_decided = {**recorded.get("decided on", {}), **decided}
    records = {
        "verdicts": {name: all_verdicts[name] for name in order},
        "decided on": {name: all_decided[name] for name in order if name in all_decided},
    }
    write_json({**recorded, **records}, EXPECTED)
    ordered_choices = {name: all_choices[name] for name in order if name in all_choices}
    write_json(ordered_choices, EXPECTED.with_name("counterexamples.json"))
    print(f"added: {', '.join(name for name in order if name not in recorded_verdicts) or 'none'}")
    return 0


def decided_on_of(claims: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The models or the data on which the empirical claims of a run were decided.

    >>> decided_on_of([{"id": "sd.acceptance", "evidence": None}, {"id": "ears.calibration", "evidence": None}])
    {'ears.calibration': 'nothing'}
    """
    claims_by_name = registry()
    return {c["id"]: decided_on(c) for c in claims if c["id"] in claims_by_name and claims_by_name[c["id"]].finding}


def choices_of(claims: Sequence[Mapping[str, Any]]) -> dict[str, str | None]:
    """What the counterexample of each refuted claim is drawn from, as text; None for one that the claim lists.

    A counterexample that was made from floating-point numbers is neither, and is left out.

    >>> choices_of([{"id": "sd.acceptance", "verdict": "proved"}, {"id": "t", "verdict": "refuted", "choices": [1, 0]}])
    {'t': '1 0'}
    """
    choices: dict[str, str | None] = {}
    for claim in (c for c in claims if c["verdict"] == "refuted"):
        if claim.get("choices") is not None:
            choices[claim["id"]] = " ".join(map(str, claim["choices"]))
        elif any(plain(instance) == claim["counterexample"] for instance in registry()[claim["id"]].against):
            choices[claim["id"]] = None
    return choices


if __name__ == "__main__":
    raise SystemExit(main())
