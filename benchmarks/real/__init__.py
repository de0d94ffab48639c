"""What a user of a real model waits for: tools on real vocabularies, capture, `simspec verify` on a bank, `simspec pair`.

`--case` chooses; by default all cases but `pair` run, which takes many minutes.  What a case needs and is not here, the model,
PyTorch or the shipped bank, is said in a sentence, and the case is recorded as skipped.  The cases are in the modules of this
package: `tools`, `rules`, `capturing`, `commands`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.cases import Bench, Done
from benchmarks.real import capturing, commands, rules, tools

__all__ = ["BENCH", "CASES", "chosen"]

CASES = {
    "tools": "rates, advise and trees on synthetic banks, over reading the bank once",
    "rules": "rates of all rules of one token on the bank smollm2, over reading its whole rows once",
    "capture": "capture of SmolLM2 and a draft, over the forward passes alone",
    "verify": "simspec verify --bank smollm2 of all claims",
    "pair": "simspec pair on SmolLM2, 60 prompts of 64 positions, 200 measured tokens a setting",
}
"""Names of the cases, and what each times."""
UNASKED = ("tools", "rules", "capture", "verify")
"""Cases that run where none is named."""


def chosen(args: argparse.Namespace, repeats: int) -> Iterator[Callable[[], Done]]:
    """What times each case that is asked for, in the order of `CASES`."""
    names = args.case or UNASKED
    works: dict[str, list[Callable[[], Done]]] = {
        "tools": [
            partial(tools.measure, case, args.seed, repeats) for case in (tools.QUICK if args.quick else tools.CASES)
        ],
        "rules": [partial(rules.measure, args.quick, args.seed, repeats)],
        "capture": [
            partial(capturing.measure, case, args.seed, repeats)
            for case in (capturing.QUICK if args.quick else capturing.CASES)
        ],
        "verify": [partial(commands.measure_verify, args.quick)],
        "pair": [partial(commands.measure_pair, args.quick)],
    }
    for name in CASES:
        if name in names:
            yield from works[name]


def _add_case(parser: argparse.ArgumentParser) -> None:
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in CASES.items())
    text = f"run only this case; may be repeated (default: all but pair). {meanings}"
    parser.add_argument("--case", action="append", choices=CASES, metavar="NAME", help=text)


BENCH = Bench(
    name="real",
    summary="rates, advise and trees on vocabularies of real models; capture, verify and pair on SmolLM2",
    repeats=3,
    quick="small cases",
    cases=chosen,
    seed="logits",
    more=_add_case,
)
