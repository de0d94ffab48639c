"""Rules of this package by name, judged by their own programs: lossless ones pass, the others are told biased."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit import Pair, Verdict, revealing
from simspec.audit.adapters import Adapted
from simspec.audit.adapters.judging import Asked, judge, subjects
from simspec.audit.adapters.ours import adapted_rule, as_array, as_nested, programs
from simspec.audit.uniforms.emitted import emitted
from simspec.cli import main
from simspec.methods.multi import iid, swor
from simspec.methods.registry import REGISTRY
from simspec.methods.tree import tree_of
from simspec.methods.verifier import by_rows, facts, outcomes
from simspec.methods.verifier.programs import siblings

NUMBERS = {"K": "2", "THRESHOLD": "0.3", "DELTA": "0.1"}
UNEVEN = Pair("uneven", np.array([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]]), np.array([[0.25, 0.75], [0.625, 0.375]]))

THREE = {pair.name: pair for gamma in (2, 1) for pair in revealing(gamma, 3, edges=False)}
WIDER = {"rrs-skip": THREE["two ways to recover"], "block-token-residual": revealing(2, 3, edges=False)[7]}
WIDER |= dict.fromkeys(("slem", "slrs"), revealing(2, 3, edges=False)[7]) | {"one-key": THREE["two ways to recover"]}
"""Biases, and texts read again, that two tokens do not show."""


def written(name: str) -> str:
    own = REGISTRY[name]
    return name + (":" + ",".join(NUMBERS[number] for number in own.numbers) if own.numbers else "")


def found(adapted: Adapted, pair: Pair) -> tuple[float, float]:
    """TV in the code of a rule, and its width; 500 random calls confirm the cells."""
    drawn = None if adapted.drawn is None else adapted.drawn(pair.q)
    of = emitted(adapted.with_uniforms, pair, adapted.uniforms(pair.gamma), drawn, confirmed=500)
    return float(of.facts.tv), of.width


@pytest.mark.parametrize("name", programs())
def test_its_own_code_is_lossless_or_biased_as_it_says(name) -> None:
    """The law found in the program's uniforms is that of the exact verifier."""
    own = programs()[name]
    adapted = adapted_rule(written(name))
    few = UNEVEN if adapted.most > 1 and not own.resolution else Pair("one draft", UNEVEN.p[:2], UNEVEN.q[:1])
    few = WIDER.get(name, few)
    drafting, verifier, _ = own.make(
        *(int(NUMBERS[n]) if n == "K" else float(NUMBERS[n]) for n in REGISTRY[name].numbers)
    )
    p, q = by_rows(few.p), by_rows(few.q)
    exact = facts(outcomes(verifier, p, q, few.gamma, drafting), p, few.gamma).tv
    assert (exact > 0.01) == own.summary.endswith("; biased") != own.summary.endswith("; lossless")
    tv, width = found(adapted, few)
    assert abs(tv - exact) <= width + adapted.resolution + 1e-12


@pytest.mark.parametrize(("text", "told"), [("sd", Verdict.LOSSLESS), ("ears:0.9", Verdict.BIASED)])
@pytest.mark.parametrize("exactly", [True, False])
def test_verdicts_on_rules_of_one_token(text, told, exactly) -> None:
    """Of 2000 calls a false alarm has probability 1e-6."""
    (subject,) = subjects(text)
    few, more = [Pair("one draft", UNEVEN.p[:2], UNEVEN.q[:1])], {"diagnose": False, "confirmed": 500}
    assert judge(subject, Asked(pairs=few, exact=exactly, calls=2000, tv_limit=0.2, more=more)).verdict is told


def test_what_narrow_cells_may_cost_is_no_bias_and_has_no_cause() -> None:
    """A TV within the resolution is told as lossless within it, and nothing is explained or mended."""
    one = Pair("one draft", UNEVEN.p[:2], UNEVEN.q[:1])
    (subject,) = subjects("mixture:0.01")
    coarse = subject._replace(adapted=subject.adapted._replace(resolution=0.01))
    asked = Asked(pairs=[one], exact=True, more={"confirmed": 500})
    report = judge(coarse, asked)
    assert report.verdict is Verdict.LOSSLESS and 0 < report.shown.tv[0] < 0.01
    assert report.diagnosis is None and report.price.repaired is None
    assert judge(subject, asked).verdict is Verdict.BIASED


def test_a_list_that_matches_goes_on() -> None:
    """A call with one candidate of a list is one of the Gumbel coupling: kept where the races have one winner."""
    one = Pair("one draft", UNEVEN.p[:2], UNEVEN.q[:1])
    (subject,) = subjects("gumbel-list:1")
    pace = judge(subject, Asked(pairs=[one], exact=True, more={"confirmed": 500})).price.as_is
    assert pace.acceptance == pytest.approx(0.5, abs=1e-3) and pace.length == pytest.approx(1.5, abs=1e-3)


def test_the_command_line(capsys) -> None:
    assert main(["audit", "match", "--exact", "--gamma", "1", "--vocab", "2", "--no-edges"]) == 0
    assert capsys.readouterr().out.startswith("match: lossless")


def test_drafts_are_limited_where_a_level_has_several(capsys) -> None:
    assert adapted_rule("rrs:2").most == 2 and adapted_rule("rrs:4").most == 1 and adapted_rule("block").most == 64
    (subject,) = subjects("rrs:4")
    with pytest.raises(ValueError, match="0 to 1 draft tokens"):
        judge(subject, Asked(pairs=[UNEVEN], exact=True))
    assert found(adapted_rule("rrs:1"), UNEVEN) == (0, 0)
    assert main(["audit", "--list"]) == 0 and "target-only:K" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["rrs", "rrs:0", "rrs:5", "rrs:two", "block:1", "cactus:x"])
def test_bad_numbers(text, capsys) -> None:
    assert main(["audit", text]) == 2 and text.partition(":")[0] in capsys.readouterr().err


@pytest.mark.parametrize("law", [iid, swor])
def test_drafts_as_arrays_and_back(law) -> None:
    for gamma in (0, 1, 2):
        for weight, tree in siblings(law, 2)(lambda x: [0.5, 0.25, 0.25], gamma):
            assert weight > 0 and as_nested(as_array(tree, gamma, 2)) == tree
            assert sum(1 for _ in _nodes(tree)) == 2 * gamma
    shape = tree_of([(1,), (0,), (1, 1), (1, 0), (0, 0)])
    assert as_nested(as_array(shape, 2, 2)) == shape
    assert np.unique(as_array(shape, 2, 2)).tolist() == [-1, 0, 1]


def _nodes(tree):
    for token, below in tree:
        yield token
        yield from _nodes(below)
