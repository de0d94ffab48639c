"""Small runs of the empirical claims, and artificial evidence: what a finding decides must follow from the intervals alone."""

from functools import cache

from simspec.claims.claim import Evidence
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import CONTROL_PASSES, judge
from simspec.engine.row_values import gather
from simspec.engine.study import Result
from simspec.studies.rdk.pruning import synthetic_pruning
from tests.claims.cases import get
from tests.engine.fakes import FakeBank


def on_banks(effort: str = "quick", **banks: FakeBank) -> Data:
    """A run on small banks in memory, of which the main one decides; corpus texts of its models stand beside, as on SmolLM2."""
    small = {name: bank for name, bank in banks.items() if name not in ("main", "texts")}
    texts = {name: bank for name, bank in banks.items() if name == "texts"}
    beside = property(lambda data: small if data.shipped else {})
    fields = {"realistic": banks["main"], "small": beside, **banks, "texts": texts}
    return type("FakeData", (Data,), fields)(effort=effort)


def _answers(vocab: int, contexts: int, noise: float = 1.0) -> FakeBank:
    return FakeBank(vocab, contexts, noise, kind="answers")


def _texts(vocab: int) -> FakeBank:
    return FakeBank(vocab, 15, noise=0.5, kind="texts")


LINKS = on_banks(main=_answers(300, 30), texts=_texts(300))
SMALL = {
    "rdk": on_banks(main=_answers(300, 30), texts=_texts(300), stories=FakeBank(vocab=80, contexts=12)),
    "ears": on_banks("default", main=_answers(300, 45), texts=_texts(300), stories=FakeBank(vocab=80, contexts=30)),
    "pad": on_banks(main=_answers(60, 48, noise=2.0), texts=_texts(60)),
    "sqs": LINKS,
    "csqs": LINKS,
    "coupling": on_banks(main=_answers(300, 12), texts=_texts(300)),
    "tasc": Data(effort="quick"),
    "greedy": on_banks(main=_answers(60, 60), texts=_texts(60)),
    "numerics": Data(effort="quick"),  # what ships
}
ROWS = {"ears.gamma-accuracy.families": 12}
"""Rows of each cell where all that the study asks for are more than intervals need."""
SPARSE = ("sqs.target-in-top", "sqs.both-reduce.bits")
"""Claims of SQS that are decided on single contexts, not on links."""


@cache
def results(name: str) -> list[Result]:
    """What a small run of an empirical claim measures, run once in a session; claims about thin wires share one."""
    paper = name.split(".")[0]
    if name.startswith(("rdk.plateau", "rdk.figure7")):
        if name != "rdk.plateau-flat":
            return results("rdk.plateau-flat")
        return gather(synthetic_pruning(2000, logits=((10, 1), (30, 1)), rows=4, tuning=2))
    if name in ("rdk.long-tail", "rdk.frequent-quarter"):
        # the sentence is about vocabularies that have a tail; the fake one stands for such a one
        measured = gather(get(name).finding.study(SMALL[paper]))
        return [Result({**r.cell, "vocab": 49_152} if r.cell["bank"] == "main" else r.cell, r.values) for r in measured]
    if name in SPARSE:
        return gather(get(name).finding.study(LINKS))
    if SMALL[paper] is LINKS and name != "sqs.k-latency":
        return results("sqs.k-latency")
    return gather(get(name).finding.study(SMALL[paper]), rows=6 if SMALL[paper] is LINKS else ROWS.get(name))


def shifted(evidence: list[Evidence], by: float, step: float = 0.01) -> list[Evidence]:
    """The same evidence with every deciding interval well inside (by = 1), outside (-1) or across (0) its limit.

    Another reading of a ranking moves along, and a control that must fail does.
    """
    out, twin = [], "ranked by its own counts"
    for e in evidence:
        if judge(e) is not None:
            control = e.control or {}
            limit, sign = (control["must exceed"], 1) if "must exceed" in control else (control["must stay below"], -1)
            middle = limit + sign * by * step
            e = e._replace(estimate=middle, interval=(middle - 0.005, middle + 0.005))
            if twin in control:
                e = e._replace(control={**control, twin: middle})
            if CONTROL_PASSES in control:
                e = e._replace(control={**control, CONTROL_PASSES: limit - step})
        out.append(e)
    return out
