"""How a cascade is shown: in a terminal, in a sentence, and as JSON."""

from __future__ import annotations

import json
import sys

import numpy as np

from simspec.engine.estimates.clusters import too_few
from simspec.engine.estimates.halves import too_few_to_halve
from simspec.engine.estimates.intervals import Interval
from simspec.html.escaping import escaped
from simspec.tools.cascades.compute import Cascade
from simspec.tools.kinds import kind_facts, kind_sentence
from simspec.tools.rates.show import cell_text, clusters_of, count_text, plain_interval

__all__ = ["advice_sentence", "gain_text", "json_text", "print_cascade"]


def advice_sentence(cascade: Cascade) -> str:
    """Whether the middle model pays beside its fastest rival, and how sure that is.

    >>> from simspec.tools.cascades import CascadePlan, cascade_advice
    >>> even = np.full((200, 2), 0.5)
    >>> plan = CascadePlan(cost=0.125, middle_cost=0.25, gammas=(2,), rounds=(2,))
    >>> print(advice_sentence(cascade_advice({"p": even, "q": even}, even, plan)))
    The middle model does not pay: its cascade gains -0.50 (95 % interval -0.95 to -0.10) over its fastest rival, the draft alone.
    """
    verdict = {True: "pays", False: "does not pay", None: "is not shown to pay"}[cascade.pays]
    gain = gain_text(cascade.gains[cascade.rival])
    return f"The middle model {verdict}: its cascade gains {gain} over its fastest rival, the {cascade.rival}."


def gain_text(gain: Interval) -> str:
    """A difference of speed-ups, with its interval where it has one.

    >>> gain_text(Interval(0.5, 0.25, 1.0, 0.95))
    '+0.50 (95 % interval +0.25 to +1.00)'
    """
    ends = f" ({100 * gain.level:g} % interval {gain.low:+.2f} to {gain.high:+.2f})" if np.isfinite(gain.low) else ""
    return f"{gain.estimate:+.2f}{ends}"


def print_cascade(cascade: Cascade) -> None:
    """Rates, the fastest schedules, and whether the middle model pays, as `simspec advise --middle` prints them."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from simspec.engine.show.columns import print_fitting

    pairs = cascade.pairs
    count, vocab = pairs.p.shape
    title = (
        f"{escaped(pairs.source)}: a middle model on {count_text(count, 'context')} over {count_text(vocab, 'token')}"
    )
    listed = Table(title=Text(title, "table.title"), box=None)
    listed.add_column("drafting")
    for name in ("gamma", "rounds", "tokens", "speedup"):
        listed.add_column(name, justify="right")
    for row in cascade.schedules:
        cells = [str(row.gamma), str(row.rounds or ""), f"{row.tokens:.3f}", cell_text(row.speedup, "speedup")]
        listed.add_row(row.kind, *cells)
    console = Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else 160)
    print_fitting(console, listed)
    rates = ", ".join(f"{name} {cell_text(rate, name)}" for name, rate in cascade.acceptance.items())
    units, noun = clusters_of(pairs)
    level = cascade.plan.level
    of_rates = too_few(units, noun) or f"± the longer side of the {level:.0%} interval over {count_text(units, noun)}"
    of_schedules = too_few_to_halve(units, noun) or (
        f"chosen on one half of {count_text(units, noun)}, judged with {level:.0%} intervals on the other"
    )
    plan = cascade.plan
    gains = ", ".join(f"over {name} {gain_text(gain)}" for name, gain in cascade.gains.items())
    verify = f", verify cost = {plan.verify:g}" if plan.verify else ""
    lines = (
        f"  acceptance: {rates}; {of_rates}",
        "  rounds: passes of the middle model, each over gamma draft tokens, for one target step",
        "  tokens, speedup: of independent steps at these rates, with the fastest gamma and rounds of those tried,",
        f"  {of_schedules}",
        f"  gains: {gains}; intervals that hold together",
        "  alone: tried with up to as many tokens as all rounds of the cascade",
        f"  cost = {plan.cost:g}, middle cost = {plan.middle_cost:g}{verify}",
        *([f"  {sentence}"] if (sentence := kind_sentence(pairs.kind)) else []),
        advice_sentence(cascade),
    )
    for line in lines:
        console.print(line, soft_wrap=True, markup=False)


def json_text(cascade: Cascade) -> str:
    """Rates, schedules and the gains as JSON.

    >>> from simspec.tools.cascades import cascade_advice
    >>> json.loads(json_text(cascade_advice({"p": [[1, 0]], "q": [[1, 0]]}, [[1, 0]])))["pays"] is None
    True
    """
    facts = {
        "source": cascade.pairs.source,
        **kind_facts(cascade.pairs.kind),
        "cost": cascade.plan.cost,
        "middle_cost": cascade.plan.middle_cost,
        "verify_cost": cascade.plan.verify,
        "acceptance": {name: plain_interval(rate) for name, rate in cascade.acceptance.items()},
        "schedules": [row._asdict() | {"speedup": plain_interval(row.speedup)} for row in cascade.schedules],
        "gains": {name: plain_interval(gain) for name, gain in cascade.gains.items()},
        "judged_on_other_documents": cascade.is_judged,
        "pays": cascade.pays,
    }
    return json.dumps(facts, indent=1)
