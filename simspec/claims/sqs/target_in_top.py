"""At low temperature the target's token is typically among the draft's K most likely ones.

`sqs.target-in-top`: SQS 4, results at low temperature.
"""

from __future__ import annotations

from simspec.claims.authoring import chosen_here
from simspec.claims.claim import Printed
from simspec.claims.measured import (
    ON_ANSWERS,
    Found,
    Results,
    decides,
    documents,
    empirical,
    level_of,
    measured,
    model_of,
)
from simspec.claims.sqs.link import LOW
from simspec.claims.sqs.sparse import contexts, sizes_of

TYPICAL = 0.9
"""Mass that counts as typically."""


def _inside(results: Results) -> Found:
    pairs = {result.cell["bank"] for result in results if decides(result)}
    level = level_of(len(pairs) * len(sizes_of(results[0])))
    for result in results:
        low = result.cell["temperature"] == LOW
        v = result.values
        for k in sizes_of(result):
            share = documents(v[f"mass {k}"], v["document"], level)
            control = {"in the target's own top K": float(v[f"own mass {k}"].mean())}
            label = f"{result.cell['data']}, T = {result.cell['temperature']:g}: target's mass in the draft's top {k}"
            exceed = TYPICAL if low and decides(result) else None
            yield measured(label, model_of(result), len(v["document"]), share, control, exceed=exceed)


TARGET_IN_TOP = empirical(
    name="sqs.target-in-top",
    statement="At low temperature the target token typically falls within the draft's top K, for each K",
    reference="SQS 4, results",
    note="A sharply peaked draft is not enough: where the two models peak at different tokens, a top K holds the "
    "target's only if "
    "K is large. The same mass in the target's own top K stands beside.",
    study=contexts,
    estimate=_inside,
    criterion=chosen_here("the share that is typical and the sizes K")
    + f"Typically: with probability above {TYPICAL:g} under the target, on average over the contexts of the "
    f"most realistic bank, at T = "
    f"{LOW:g}. Supported when that holds for every K with each of its drafts by document-bootstrap intervals that hold "
    "together at 95 %; unsupported when "
    f"one interval lies at or below. T = 1 and the small pairs stand beside. {ON_ANSWERS}",
    printed=Printed(
        place="SQS 4",
        text="the draft distribution is sharply peaked, so the target token typically falls within the top-K "
        "set for a fixed K",
        read="With probability above nine tenths under the target, for each K.",
    ),
)
