"""Both schemes reduce the resampling rate against dense quantisation.

`sqs.both-reduce`, at equal resolution and at equal bits: SQS, abstract and concluding remarks.
"""

from __future__ import annotations

from simspec.claims.claim import Evidence, Printed
from simspec.claims.measured import (
    ON_ANSWERS,
    Found,
    Results,
    decides,
    empirical,
    level_of,
    measured,
    model_of,
)
from simspec.claims.sqs.link import (
    MOVING,
    by_data,
    chosen_scheme,
    difference_of,
    evidence_of,
    link_claim,
    top_k_schemes,
)
from simspec.claims.sqs.sparse import HELD, contexts, gap_of, sizes_of


def _at_resolution(results: Results) -> list[Evidence]:
    """Evidence a temperature and scheme: resampling less that of the dense scheme, in all and per draft."""
    blocks = by_data(results)
    temperatures = sorted({r.cell["temperature"] for r in results})
    level = level_of(2 * len(blocks) * len(temperatures))
    evidence = []
    for data, block in blocks:
        for t in temperatures:
            for names in (top_k_schemes(block), MOVING):
                name = chosen_scheme(block, t, names)
                gap = difference_of(block, "resampling", t, name, "dense")
                text = f"T = {t:g}: resampling of {name} less dense"
                evidence.append(evidence_of(data, text, gap, level, quantity="resampling"))
                drafted = difference_of(block, "per draft", t, name, "dense")
                text = f"T = {t:g}: resampled per draft, {name} less dense"
                evidence.append(evidence_of(data, text, drafted, level, None))
    return evidence


SENTENCE = Printed(
    place="SQS 4, concluding remarks",
    text="Both K-SQS and C-SQS significantly reduce latency, and resampling rate",
    read="The resampling rate, against dense quantisation: at one resolution, and per draft at equal bits.",
)

AT_RESOLUTION = link_claim(
    "sqs.both-reduce.resolution",
    "Both schemes reduce the resampling rate, rejected and resampled tokens over batches, against dense quantisation at one "
    "resolution",
    "SQS, abstract and concluding remarks, at equal ℓ",
    _at_resolution,
    "at every temperature the K-SQS and the C-SQS of least latency on the even links each have, on the odd links, a lower "
    "resampling rate than the dense scheme.",
    "Sparsifying never brings the drafted law nearer to q at one resolution (sqs.dense-closest), and longer batches, "
    "which its "
    "fewer bits allow, have more chances of a rejection: the rate is per batch.",
    printed=SENTENCE,
)


def _at_bits(results: Results) -> Found:
    level = level_of(sum(len(sizes_of(r)) + 1 for r in results if decides(r)))
    for result in results:
        v = result.values
        at = f"{result.cell['data']}, T = {result.cell['temperature']:g}"
        for name, text in [*((str(k), f"K-SQS, K = {k}") for k in sizes_of(result)), ("β", f"C-SQS, β = {HELD:g}")]:
            gap = gap_of(result, f"rejected {name}", f"dense {name}", level)
            facts = {"rejected": float(v[f"rejected {name}"].mean()), "dense": float(v[f"dense {name}"].mean())}
            label = f"{at}: rejection of {text} less that of a dense law of no more bits"
            below = 0.0 if decides(result) else None
            yield measured(label, model_of(result), len(v["document"]), gap, facts, below=below)


AT_BITS = empirical(
    name="sqs.both-reduce.bits",
    statement="Both schemes reduce the rate at which drafts are rejected and resampled, against dense quantisation at "
    "equal bits",
    reference="SQS, abstract and concluding remarks, at equal bits",
    note="At the bits of K tokens the dense lattice has few units, and what it rounds to zero is much of the law. Per "
    "draft, so that "
    "the number of drafts in a batch does not enter.",
    study=contexts,
    estimate=_at_bits,
    criterion="Of each context the probability that a draft is rejected, TV(q̂, p), at ℓ = 100 for each K and for a "
    "threshold held at "
    f"{HELD:g}, less that of the finest dense lattice that takes no more bits. Supported when all of these means lie "
    f"below zero, at "
    "both temperatures, by document-bootstrap intervals that hold together at 95 %; unsupported when one lies at or "
    f"above zero. Decided on the most realistic bank with each of its drafts; the small pairs stand beside. {ON_ANSWERS}",
    printed=SENTENCE,
)
