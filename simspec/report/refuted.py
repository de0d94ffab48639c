"""What does not hold, and what holds instead: every refuted statement, by the weight of its fault.

The weight is a reading of what the corrected claim had to change; the verdicts and the corrections are those on record.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from simspec.claims import PAPERS, registry
from simspec.claims.claim import Claim
from simspec.claims.deciding.verify import expected
from simspec.claims.printed import counted
from simspec.claims.references import cited
from simspec.claims.showing import instance_text
from simspec.files import write_text

__all__ = ["WEIGHTS", "main", "page"]

_MEANINGS = {
    "false as a whole": "The idea itself fails. The statement that holds instead says something else.",
    "missing assumption": "The statement is true under a condition that the paper does not state.",
    "wrong constant or term": "The form is right, but a constant, an order, a norm or a term is wrong.",
    "misprint": "The intended statement is true and easy to infer. The printed one is not true.",
}

_TREES = {
    "false as a whole": ("tree.speed-of-light-tight", "tree.exact-match.seen"),
    "missing assumption": (
        *("tree.target-only", "tree.traversal-over-rrs", "tree.traversal-full.swor", "tree.eagle-best.any"),
        "tree.over-chain",
    ),
}
"""Of trees."""

_THIRD_LIST = {
    "false as a whole": ("rdk.project-logits", "rdk.mean-probability.concentrated"),
    "missing assumption": ("rdk.gaussian-advantage.vanilla", "rdk.perturbations-harmless"),
    "wrong constant or term": ("ears.other-uncertainty.same-tokens", "pad.abstract-speedup"),
}
"""Of RDK, EARS and PAD, of sentences that were read last."""

_SENTENCES = {
    "false as a whole": ("sqs.resolution-at-equal-bits", "tasc.suffix-suppression", "tasc.spiky"),
    "missing assumption": ("csqs.alpha-reduces-k.average", "tasc.bpe.as-printed", "tasc.task-over-domain.any-row"),
    "wrong constant or term": ("sqs.deviation-from-dense",),
}
"""Of sentences of SQS, C-SQS and TASC between their formulas."""

_OWN_THEORY = {
    "false as a whole": (
        *("relaxed.text-greedy", "rdk.best-affinity.one-target", "rdk.best-affinity.means"),
        *("pad.envelope.target-path", "csqs.tokens-lost.constant", "sqs.best-size.every-law"),
    ),
    "missing assumption": ("relaxed.allocation.early", "relaxed.tolerance.constant", "relaxed.tolerance.uncertain"),
    "wrong constant or term": ("pad.envelope.union",),
}
"""Of own statements on texts, codes and affinities."""

_AROUND = {
    "false as a whole": (
        *("loss.kl-best", "loss.kl-orders", "loss.reuse", "metrics.rate-falls.long-run", "metrics.rate-ranks"),
        *("parallel.marginal-best", "parallel.told-conditional", "parallel.block.gains-more", "parallel.depth"),
        *("cascade.order", "cascade.pays.folk", "cascade.told-draft", "numerics.greedy-identical"),
        *("watermark.fresh-coins.one-key", "watermark.fresh-coins.strength", "process.bonus", "process.stale"),
        *("process.residual-only", "process.mask-law", "process.order.top-p", "process.logprobs", "process.usage"),
        *("process.stop-string", "process.seed.batch", "process.shared-drafts.batch", "select.accepted-share"),
        *("select.matches.greedy", "select.matches.sampled", "select.relaxed", "stop.schedule.after"),
    ),
    "missing assumption": ("cascade.accepts-less.equality", "greedy.nested.strict", "loss.mixture"),
    "wrong constant or term": (
        *("greedy.margin-square", "greedy.tree-margin.limit", "numerics.kl-half", "process.order.min-p"),
    ),
}
"""Of certificates, numerics, losses, parallel drafts, cascades, watermarks, processors and the choice of a draft."""

WEIGHTS: dict[str, tuple[str, ...]] = {
    "false as a whole": (
        *_AROUND["false as a whole"],
        *_OWN_THEORY["false as a whole"],
        *_SENTENCES["false as a whole"],
        *_TREES["false as a whole"],
        *_THIRD_LIST["false as a whole"],
        *("ears.fidelity.residual", "ears.fidelity.fresh", "ears.beta-zero.fresh", "ears.support"),
        *("ears.critical-path", "rdk.no-extra-data", "sqs.k-no-significance", "ears.beta-optimal", "pad.single-token"),
        *("ears.other-uncertainty", "rdk.any-drafter", "rdk.approximator-available.target", "sd.inverse-proportional"),
        *("pad.accepted-not-pivot", "pad.replacement-law", "pad.guardrail.every", "pad.flip-utility"),
        *("csqs.beyond-one", "tasc.conditioning", "tasc.task-entropy", "tasc.added-tokens", "tasc.table5-gain"),
        *("metrics.pooled-order", "metrics.same-length-same-steps", "metrics.speed-tracks-length"),
        *("folk.block-one-hot", "folk.block-prefix", "folk.one-hot-vs-match", "folk.q-one", "folk.eagle-greedy"),
        *(
            "folk.match-bias.target",
            "folk.greedy-draft-match",
            "folk.same-token-or",
            "folk.told-raw",
            "folk.told-softmax",
        ),
        *("folk.noise-reuse", "folk.own-samples"),
        *("block.cumprod", "block.hsd-lossless.package", "block.hsd-more.capped", "block.hsd-laws", "block.whole"),
        *("multi.order.by-p", "multi.order.by-q", "multi.skip-duplicates", "multi.cover.rrs", "multi.kseq-under-rrsw"),
        *("relaxed.ensemble-pareto.unique", "relaxed.fsd-generalises", "relaxed.cactus-kl.output"),
        *("stop.dropped.told-q", "stop.entropy-bound", "coupling.list-over-rrs"),
    ),
    "missing assumption": (
        *_AROUND["missing assumption"],
        *_OWN_THEORY["missing assumption"],
        *_SENTENCES["missing assumption"],
        *_TREES["missing assumption"],
        *_THIRD_LIST["missing assumption"],
        *("rdk.minimise-kernel.l2", "rdk.small-overlap.draft", "rdk.tli-is-transport.fixed"),
        *("pad.utility-equal", "csqs.alpha-reduces-k.path", "pad.labels-suffice.recall"),
        *("rdk.never-worse", "rdk.gaussian-advantage", "pad.utility-preserved", "pad.utility-preserved.ties"),
        *("pad.utility-preserved.fresh", "pad.utility-preserved.guardrail", "pad.utility-preserved.tolerance"),
        *("pad.pathwise", "pad.better-classifier", "pad.acceptance-trajectory", "sqs.bandwidth", "sqs.positive-counts"),
        *("csqs.threshold-range.any-start", "tasc.entropy-monotone", "tasc.merge-reward.occurrences"),
        *("tasc.termination", "metrics.mean-of-positions", "metrics.conditional-monotone", "cost.every-gamma"),
        *("folk.block-gamma-two", "folk.argmax-draft.any", "folk.drop-probs", "folk.one-hot-better.enough"),
        *("coupling.attains.any", "coupling.list-exact"),
        *("folk.match-lossy-accept", "folk.residual-at-x", "folk.resample-p.every", "folk.residual-zero.float32"),
        *("block.strictly-more", "block.token-residual"),
        *("multi.order.rrsw-fixed", "multi.greedy-over-swor", "multi.spechub-over-rrs.always"),
        *("multi.spechub-over-rrs.top-safe", "multi.spechub-over-rrsw"),
        *("relaxed.typical-more", "relaxed.slem.text", "relaxed.cactus-chi2"),
    ),
    "wrong constant or term": (
        *_AROUND["wrong constant or term"],
        *_OWN_THEORY["wrong constant or term"],
        *_THIRD_LIST["wrong constant or term"],
        *_SENTENCES["wrong constant or term"],
        *("rdk.perturbed-target", "rdk.taylor-order-approximate", "ears.bias-bound.fresh", "pad.label-noise"),
        *("sqs.rejection-count", "csqs.average-dropped", "csqs.threshold-range.keep-top", "tasc.table8-speedup"),
        *("metrics.length.request", "metrics.rate-length.bonus", "metrics.alpha", "cost.accepts-over-cost"),
        *("folk.zero-coin", "folk.lean-residual"),
        *("block.example-ideal.one-token", "block.lossy-price"),
        *("relaxed.cactus-kl.step", "relaxed.fsd-law.residual"),
        *(
            "ears.drop-unit",
            "ears.threshold-proportional.literal",
            "pad.speedup-proportional",
            "rdk.memory",
            "sqs.horizon",
        ),
        *("sqs.rejection.drawn-from-q",),
        *("tasc.trainable-share", "tasc.cutoff-500", "tasc.settings", "tasc.epochs.three", "tasc.table5-diminishing"),
        *("tasc.table8-diminishing", "tasc.speedup-range.most", "tasc.speedup-range.slightly"),
    ),
    "misprint": (
        *("rdk.percentage", "rdk.affinity-rows", "sqs.algorithm-printed", "csqs.checkpoint", "csqs.telescoping"),
        *("tasc.table1-columns", "tasc.table6-order", "tasc.directional-rate", "tasc.eurlex-size"),
    ),
}
"""Refuted claims by weight, the heaviest first."""


def page() -> str:
    """The page in Markdown.

    >>> page().splitlines()[0]
    '# What does not hold, and what holds instead'
    """
    claims = registry()
    verdicts = expected()["verdicts"]
    missed = [c for c in claims.values() if verdicts[c.name] == "unsupported"]
    lines = [
        "# What does not hold, and what holds instead",
        "",
        "An exact counterexample refutes each statement below as it is printed (`simspec verify ID` prints it). The",
        "statements that hold instead follow it.  The heading is our judgement of what the correction had to change.",
        f"The page lists {counted(claims[name] for names in WEIGHTS.values() for name in names)}.",
        "",
        *_contents(),
    ]
    for weight, names in WEIGHTS.items():
        lines += ["", f"## {weight.capitalize()} ({len(names)})", "", _MEANINGS[weight]]
        for name in names:
            lines += [
                "",
                *_section(claims[name]),
                *(_instead(claims[n], verdicts[n]) for n in claims[name].corrected_by),
            ]
    lines += [
        "",
        f"## Measured, and not confirmed ({len(missed)})",
        "",
        "The data miss a criterion that was fixed before the run. On other",
    ]
    lines += ["data the answer may differ.", ""]
    return "\n".join([*lines, *(f"- `{c.name}` ({c.reference}): {c.statement}" for c in missed)]) + "\n"


def _contents() -> list[str]:
    """The refuted claims by paper, each with a link to where the page tells of it."""
    names = [name for weighted in WEIGHTS.values() for name in weighted]
    order = {name: place for place, name in enumerate(registry())}
    lines = []
    for paper, title in PAPERS.items():
        own = sorted((name for name in names if name.split(".")[0] == paper), key=order.__getitem__)
        links = [f"[`{name}`](#{name.replace('.', '')})" for name in own]
        if links:
            lines.append(f"- {title} ({len(links)}): {', '.join(links)}")
    return lines


def _section(claim: Claim) -> list[str]:
    work = cited(claim)[0].key
    return [
        f"### `{claim.name}`",
        "",
        f"{claim.reference} (`{work}`): {claim.statement}.",
        "",
        f"Why it fails: {claim.note}",
        "",
        *_within(claim),
    ]


def _within(claim: Claim) -> list[str]:
    within = [claim.within] if isinstance(claim.within, str) else [f"`{instance_text(i)}`" for i in claim.within]
    return [f"Within the paper's own range: {'; '.join(within)}.", ""] if within else []


def _instead(claim: Claim, verdict: str) -> str:
    return f"- instead, {verdict}: `{claim.name}`: {claim.statement}"


def main(argv: Sequence[str] | None = None) -> int:
    """Write the page to the file named on the command line (docs/refuted.md when none is)."""
    for name in (sys.argv[1:] if argv is None else argv) or ["docs/refuted.md"]:
        write_text(page(), Path(name))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
