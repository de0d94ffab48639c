"""Drafts from common noise have more accepted drafts per bit on the wire than any SQS scheme.

`coupling.zero-bits`: drafting without a law on the wire, beside SQS on real laws (own).
"""

from __future__ import annotations

from simspec.claims.measured import (
    ON_ANSWERS,
    Data,
    Found,
    Result,
    Results,
    Study,
    decides,
    documents,
    empirical,
    level_of,
    measured,
    model_of,
    on_each,
    rows_for,
    shared,
)
from simspec.studies.sqs.link_schemes import FIRST, SIZES
from simspec.studies.sqs.zero_bit import zero_bit

__all__ = ["schemes"]

TEMPERATURES = (0.25, 1.0)
RESOLUTIONS = (10, 100)
HELD = FIRST[1]
ALL = f"K-SQS at K = {', '.join(str(k) for k in (1, *SIZES))} and C-SQS at β = {HELD:g}, at ℓ = 10 and ℓ = 100 (K = 1 has no ℓ)"


@shared
def _contexts(data: Data) -> Study:
    """Whole rows of the pairs that decide and of the controls, at a low and at a high temperature."""
    rows = rows_for(data, 30, 300, 300)
    return on_each(
        data.all_pairs,
        lambda bank: zero_bit(bank, data.describe(bank), (1, *SIZES), HELD, TEMPERATURES, RESOLUTIONS, rows),
    )


def schemes(result: Result) -> list[str]:
    """The names of the SQS schemes of a cell."""
    return sorted(
        name.removeprefix("bits ") for name in result.values if name.startswith("bits ") and "coupling" not in name
    )


def _per_bit(results: Results) -> Found:
    level = level_of(sum(len(schemes(r)) for r in results if decides(r)))
    for result in results:
        v = result.values
        at = f"{result.cell['data']}, T = {result.cell['temperature']:g}"
        coupled_per_bit = v["accepted coupling"] / v["bits coupling"]
        for name in schemes(result):
            scheme_per_bit = v[f"accepted {name}"] / v[f"bits {name}"]
            gap = documents(coupled_per_bit - scheme_per_bit, v["document"], level)
            facts = {"per bit, coupling": float(coupled_per_bit.mean()), "per bit, SQS": float(scheme_per_bit.mean())}
            label = f"{at}: accepted drafts per bit without a law less those of {name}"
            yield measured(
                label, model_of(result), len(coupled_per_bit), gap, facts, exceed=0.0 if decides(result) else None
            )


def _accepted(results: Results) -> Found:
    """Evidence a setting and scheme: acceptance of the coupling, which sends no law, less that of the scheme."""
    level = level_of(sum(len(schemes(r)) for r in results if decides(r)))
    for result in results:
        v = result.values
        at = f"{result.cell['data']}, T = {result.cell['temperature']:g}"
        coupled_acceptance = v["accepted coupling"]
        exact = v["exact"]
        for name in schemes(result):
            gap = documents(coupled_acceptance - v[f"accepted {name}"], v["document"], level)
            facts = {
                **{"coupling": float(coupled_acceptance.mean()), "SQS": float(v[f"accepted {name}"].mean())},
                **{"with the whole law": float(exact.mean()), "minhash": float((exact / (2 - exact)).mean())},
                "bits of a draft by SQS": float(v[f"bits {name}"].mean()),
            }
            label = f"{at}: acceptance without a law less that of {name}"
            yield measured(
                label, model_of(result), len(coupled_acceptance), gap, facts, exceed=0.0 if decides(result) else None
            )


PER_BIT = empirical(
    name="coupling.zero-bits.per-bit",
    statement="Drafts from common noise, whose law is not sent, have more accepted drafts per bit on the wire than any SQS "
    "scheme, a draft's own bits included",
    reference="own statement (zero-bit drafting), after Daliri et al. 2024",
    note="What is sent is the drafted token alone. K-SQS with one token sends no more: its law is the draft's most likely token.",
    study=_contexts,
    estimate=_per_bit,
    criterion="Acceptance over the bits of a draft and its law, in each context of the most realistic bank, with each of its "
    "drafts, for the coupling (the token "
    f"among V) less that of {ALL} (the law, and the token among those kept). Supported when all of these means lie above zero at "
    "both temperatures, by document-bootstrap intervals that hold together at 95 %; unsupported when one lies at or below "
    f"zero. The small pairs stand beside. {ON_ANSWERS}",
)

ACCEPTS = empirical(
    name="coupling.zero-bits.accepts",
    statement="Drafts from common noise, whose law is not sent, are accepted more often than those of any SQS scheme",
    reference="own statement (zero-bit drafting), after Daliri et al. 2024",
    note="The coupling's loss against the whole law, at most that from 1 − TV to (1 − TV)/(1 + TV), is set against what a "
    "scheme loses by dropping and rounding.",
    study=_contexts,
    estimate=_accepted,
    criterion=f"The coupling's acceptance less that of {ALL}, in each context of the most realistic bank, with "
    "each of its drafts. Supported when all of these means lie "
    "above zero, at both temperatures, by document-bootstrap intervals that hold together at 95 %; unsupported when one "
    "lies at or below zero. Acceptance with the whole law, that of the minhash coupling and the small pairs stand beside. "
    + ON_ANSWERS,
)
