"""Where a statement in Coq is nearly always true its truth value says little: both its sides are the package's, too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq.algorithm.compiled import compiled, joined, sources  # noqa: E402
from proofs_check.coq.instances.library import FOLDER, term, written  # noqa: E402
from simspec.claims import registry  # noqa: E402
from simspec.claims.claim import Instance  # noqa: E402
from simspec.claims.draw import ExactDraw  # noqa: E402
from simspec.claims.rdk.gaussian_advantage import not_worse  # noqa: E402

EACH = 4
OFTEN = {"pad.envelope.union": 40, "pad.envelope.target-path": 400, "tasc.added-tokens": 100}
"""Instances of each claim, drawn at random, and of some at which little happens most times; what is compared is exact."""
MODELS = "let p := block.markov {p:matrix} in let q := block.markov {q:matrix} in let g := {gamma:nat} in "
TREES = (
    "let p := tree.by_length {target:matrix} in let q := tree.by_length {draft:matrix} in let r := {replace:bool} in "
    "expect (tree <- tree.drawn q r [] {shape:shape} ;; "
)
TEXT = (
    "let p := {p:matrix} in let sends := sqs.sent_at {q:matrix} {k:nat} {resolution:nat} in "
    "let next := sqs.on {q:matrix} {step_size:option Q} {dropped_target:option Q} in let start := (O, {threshold:option Q}) in "
)
LOSSY = MODELS + "let rule := block.ended (hierarchical.either p q {shares:option law} {w:Q}) q g in "
PRICED = LOSSY + "let price := hierarchical.apart (length (row {p:matrix} 0)) (g + 1) p rule in "
TOLERANCES = (
    "let w := {w:law} in let p := {p:matrix} in let q := {q:matrix} in let t := relaxed.uncertain {beta:Q} p in "
)
LATTICES = "let q := {q:law} in let V := length q in let k := {k:nat} in let resolution := {resolution:nat} in "
MATCHED = "coupling.listed_match {p:law} {q:law} {drafts:nat}"
PROCESS = (
    "{target:matrix} {draft:matrix} {step:list (list nat)} {utility:law} {horizon:nat} {flags:list (list (list bool))}"
)
WAY = f"pad.on_target_path {{target:matrix}} {{step:list (list nat)}} (pad.step_loses {PROCESS}) {{horizon:nat}} 0 0"
PIECES = "whole (length (merging.{} {{merges:list (list text)}} {}{{text:text}}))"
SIDES = {
    "tree.traversal-over-rrs": (
        TREES + "tree.up p q r [] 1 tree) tree.counted",
        TREES + "tree.down p q r [] tree) whole",
    ),
    "sqs.rejection-count": (
        TEXT + "expect (sqs.rejected p sends next {gamma:nat} {length:nat} 0 start) whole",
        TEXT + "sqs.distances p p sends next {length:nat} start",
    ),
    "coupling.list-exact": (MATCHED, "coupling.lemma_bound {p:law} {q:law} {drafts:nat}"),
    "coupling.list-over-rrs": (MATCHED, "multi.acceptance (multi.rrs {drafts:nat} {p:law} {q:law})"),
    "block.lossy-price": (
        LOSSY + "block.mean_kept rule",
        PRICED + "hierarchical.keeps block.block p q g + whole g * price",
    ),
    "block.optimal": (
        MODELS + "hierarchical.keeps (hierarchical.sharing {shares:list Q}) p q g",
        MODELS + "hierarchical.keeps block.block p q g",
    ),
    "relaxed.tolerance.uncertain": (
        TOLERANCES + "relaxed.as_given w p q t",
        TOLERANCES + "relaxed.all_alike w p q t",
    ),
    "relaxed.allocation.early": (
        "relaxed.gained {rates:list Q} {first:nat} {paid:Q}",
        "relaxed.gained {rates:list Q} {second:nat} {paid:Q}",
    ),
    "sqs.best-size.every-law": (
        LATTICES + "tv q (sqs.dense q (sqs.finest V V (sqs.words V k resolution)))",
        LATTICES + "tv q (sqs.sparse q k resolution)",
    ),
    "pad.envelope.union": (
        f"pad.text_loses {PROCESS}",
        f"1 - power (1 - pad.most_lost {PROCESS}) {{horizon:nat}}",
    ),
    "pad.envelope.target-path": (f"pad.text_loses {PROCESS}", WAY),
    "pad.label-noise": ("pad.called_pivot {value:Q} {value:Q} {rollouts:nat} {ratio:Q}", "1 # 20"),
    "rdk.best-affinity.means": (
        "rdk.accepted {w:law} {p:matrix} {q:matrix} {M:matrix}",
        "rdk.accepted {w:law} {p:matrix} {q:matrix} {other:matrix}",
    ),
    "rdk.best-affinity.one-target": (
        "rdk.best_single {w:law} {p:matrix} {q:matrix}",
        "rdk.accepted {w:law} {p:matrix} {q:matrix} {M:matrix}",
    ),
    "tasc.task-over-domain.any-row": (
        "tasc.pooled_variance (tasc.grouped true {column:text} {left_out:text})",
        "tasc.pooled_variance (tasc.grouped false {column:text} {left_out:text})",
    ),
    "tasc.trainable-share": ("distance (tasc.rise {reading:text} {tokens:Q} {rank:Q}) (6 # 100)", "1 # 200"),
    "tasc.added-tokens": (
        PIECES.format("enriched", "{added:list text} "),
        PIECES.format("encoded", ""),
    ),
}
"""Both sides of claims, with the quantities of an instance and their types in braces; of several rows the first."""
_QUANTITY = re.compile(r"\{(\w+):([\w ()]+)\}")


def filled(sides: Iterable[str], instance: Instance) -> str:
    """A list of sides at an instance; each quantity is written once."""
    text = "; ".join(sides)
    quantities = {name: term(instance[name], kind) for name, kind in _QUANTITY.findall(text)}
    given = "".join(f"let its_{name} := {value} in " for name, value in quantities.items())
    return given + "[" + _QUANTITY.sub(r"its_\1", text) + "]"


def numbers(asked: Iterable[str], folder: Path) -> list[Fraction]:
    """What Coq computes, of lists of numbers, one after another."""
    lines = [f"Eval vm_compute in map (fun number => (Qnum number, Qden number)) ({each})." for each in asked]
    said = compiled("\n".join([written({}), *lines]), folder, "asked")
    found = re.findall(r"\(\(?(-?\d+)\)?%Z,\s*(\d+)%positive\)", said)
    return [Fraction(int(above), int(below)) for above, below in found]


@pytest.fixture(scope="module")
def folder(compiled_once) -> Path:
    """Where the statements are compiled."""
    return compiled_once("instances", lambda place: compiled(joined(sources(FOLDER)), place, "instances"))


def test_both_sides_are_the_packages(folder) -> None:
    rng = np.random.default_rng(7)
    asked, places, expected = [], [], []
    for claim, sides in SIDES.items():
        for n in range(OFTEN.get(claim, EACH)):
            instance = registry()[claim].draw(ExactDraw(rng=rng))
            expected += [Fraction(np.ravel(side)[0]) for side in registry()[claim].sides(instance)]
            asked.append(filled(sides, instance))
            places += [f"{claim} {n} {at}" for at in range(len(sides))]
    found = numbers(asked, folder)
    assert dict(zip(places, found, strict=True)) == dict(zip(places, expected, strict=True))
    assert len({*found}) > 2 * len(SIDES)


def test_another_rule_is_noticed(folder) -> None:
    """Recursive rejection in the place of traversal accepts another number of drafts, in the counterexample of both."""
    claim = registry()["tree.traversal-over-rrs"]
    right, _ = claim.sides(claim.against[0])
    traversal, rejection = numbers([filled(SIDES[claim.name], claim.against[0])], folder)
    assert traversal == right and rejection != right


def downward(case: Instance, up: Fraction, kept: int) -> Instance:
    """The same with a draft that is even, all shared; of what M sent up a share stays, of what it sent down all or nothing.

    The rest goes to the last token.
    """
    above, d, M = case["above"], 0 * case["d"], case["M"].copy()
    d[above:] = Fraction(1, len(d) - above)
    M[:, :above], M[:, above:] = up * M[:, :above], kept * M[:, above:]
    M[:, -1] += 1 - M.sum(axis=1)
    return {**case, "d": d, "M": M, "share": Fraction(1)}


def test_a_likely_event_is_stated_where_the_package_sees_it(folder) -> None:
    """For some interval of masses RDK accepts no less, in Coq and in the package: the event of the Gaussian claims."""
    claim, rng = registry()["rdk.gaussian-advantage.vanilla"], np.random.default_rng(11)
    drawn = [claim.draw(ExactDraw(rng=rng)) for _ in range(300)]
    down = [downward(case, Fraction(n % 3, 16), n % 2) for n, case in enumerate(drawn[100:])]
    cases = [claim.against[0], *drawn[:100], *down]
    event = "if rdk.somewhere_no_worse {above:nat} {d:law} {M:matrix} {share:Q} then 1 else 0"
    seen = [int(bool(not_worse(*(case[name] for name in ("above", "d", "M", "share"))))) for case in cases]
    assert numbers([filled([event], case) for case in cases], folder) == seen
    assert min(seen.count(0), seen.count(1)) >= 10
