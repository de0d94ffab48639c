"""The optimum beside every rule: shares by hand, rules for whole drafts, real vocabularies, names that are refused."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F

import numpy as np
import pytest

from simspec.audit.adapters import ours
from simspec.claims.deciding.recorded import expected
from simspec.cli import main
from simspec.laws import exact, overlap
from simspec.methods.block.hierarchical import hierarchical_naive
from simspec.methods.known import Known
from simspec.methods.registry import REGISTRY, kinds, rule
from simspec.methods.verifier import by_rows, facts, from_method, outcomes
from simspec.tools.advise import Plan, advise
from simspec.tools.rates import rates
from simspec.tools.reading import Pairs, load

KNOWING = {kind.name: kind for kind in kinds("token") if kind.needs}
RULES = {kind.name: kind for kind in kinds("token") if not kind.needs}
SEVERAL = {kind.name: kind for kind in kinds("siblings")}
ROWWISE = {kind.name: kind for kind in kinds("context")}
JOINT = {kind.name: kind for kind in kinds("path")}

HALF, THREE_QUARTERS = np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]])
ONE = Pairs(HALF, THREE_QUARTERS, np.array([0]), "by hand")
MANY = Pairs(np.repeat(HALF, 400, axis=0), np.repeat(THREE_QUARTERS, 400, axis=0), np.arange(400), "lasting")


def found(pairs: Pairs, name: str, **options) -> dict:
    (made,) = rates(pairs, [name], **options)
    return {k: None if v is None else v.estimate for k, v in made.values.items()}


@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("sd", 1),
        ("greedy", 1),  # of its own drafts
        ("mixture:0.5", 1),  # it pays the least for what it gains
        ("lenience:0.5", 1),
        ("match", 0.5 / 0.75),
        ("match-fresh", 0.5 / 0.875),  # bias 1/2 (3/8 - 1/8): 1/8
        ("ears-fresh:1", 1),  # nothing is rejected
        ("target-only:1", 1),
        ("certain:2", 1),
        ("sample:2", 0.5 * (15 / 16 + 7 / 16) / (0.5 + 7 / 16)),  # the set of token 0: 1/2 + 1 - 9/16
        ("traversal:2", 13 / 15),  # recursive rejection: 3/4, and a quarter of the rest
        ("gumbel-list:2", 41 / 48 / (15 / 16)),
    ],
)
def test_shares_of_one_step_by_hand(name, share) -> None:
    """p = (1/2, 1/2), q = (3/4, 1/4): one draft is kept with 3/4 at best, and for t more at the distance t."""
    assert found(ONE, name)["share"] == pytest.approx(share)


def test_naive_hierarchical_verification_pays_for_what_it_writes() -> None:
    """S = 3/4, 11/16: two tokens, with all drafts kept three, so 43/16 a round; with none kept, 1/4, another target call.

    Tokens a call are 43/20; the time of a round is 1.5, and 1.25 for the other call with its draft.  25,600 draws: the
    tolerance is more than 8 standard errors.
    """
    naive = found(MANY, "hsd-naive", gamma=2, cost=0.25)
    assert naive["tokens"] == pytest.approx(43 / 20, abs=0.03) and naive["share"] == 1
    assert naive["speedup"] == pytest.approx(43 / 16 / (1.5 + 1.25 / 4), abs=0.03)


def test_capped_is_block_and_token_keeps_less() -> None:
    """E[τ] is 3/4 + 9/16 token by token, 3/4 + 5/8 by the block; the same draws for all."""
    token, block, capped = (found(MANY, name, gamma=2) for name in ("token", "block", "hsd-capped"))
    assert block == capped and block["share"] == 1
    assert token["share"] == pytest.approx(21 / 22, abs=0.02) and token["tokens"] < block["tokens"]
    assert found(ONE, "hsd-naive", gamma=0)["tokens"] == found(ONE, "block", gamma=0)["tokens"] == 1


def test_the_meaning_of_a_share_names_its_claims(tmp_path, capsys) -> None:
    np.savez(tmp_path / "laws.npz", p=HALF, q=THREE_QUARTERS)
    assert main(["rates", str(tmp_path / "laws.npz"), "--rule", "block", "--rule", "hsd-naive"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert (
        "share of block: accepted drafts per target step / the highest number" in out
        and "(claims block.optimal, block.off-path)" in out
    )
    assert "block.lossy-price-corrected" in out


def test_claims_that_shares_rest_on_are_proved() -> None:
    names = {name for kind in JOINT.values() for name in kind.along.why.split(", ")}
    assert {expected()["verdicts"][name] for name in names} <= {"proved", "derived"}


def test_naive_hierarchical_verification_keeps_all_that_prefixes_share() -> None:
    """Which is the bound of `block.lossy-price-corrected` at no distance: exact, with laws that differ from place to place."""
    p, q = (
        exact([["1/3", "2/3"], ["1/4", "3/4"], ["1/2", "1/2"]]),
        exact([["2/3", "1/3"], ["1/2", "1/2"], ["1/5", "4/5"]]),
    )
    of = facts(outcomes(hierarchical_naive, by_rows(p), by_rows(q), 2), by_rows(p), 2)
    both = np.minimum(np.multiply.outer(p[0], p[1]), np.multiply.outer(q[0], q[1])).sum()
    assert of.tv == 0 and of.accepted == overlap(p[0], q[0]) + both


def test_drafts_of_another_vocabulary(tmp_path) -> None:
    """All draft tokens but the last are read as token 0: ψ = (3/4, 1/4), whatever the draft says of them."""
    laws = {"p": [[0.5, 0.25, 0.25]], "q": [[0.25, 0.5, 0.25]]}
    np.savez(tmp_path / "read.npz", **laws, first=[0, 0, 1])
    pairs = load(tmp_path / "read.npz")
    assert found(pairs, "slrs")["acceptance"] == 0.75 and found(pairs, "slem")["acceptance"] == 0.75 * 0.5 + 0.25 * 0.25
    assert found(pairs, "slrs")["tv"] == found(pairs, "slem")["tv"] == 0
    for wrong in ([0, 0], [0, 0, 3], [0.0, 0.0, 1.0]):
        np.savez(tmp_path / "wrong.npz", **laws, first=wrong)
        with pytest.raises(ValueError, match="first: .*expected a token from 0 to 2 for each of 3"):
            load(tmp_path / "wrong.npz")


def test_a_real_vocabulary() -> None:
    """128,256 tokens, drafts that are the target's shifted by one token, on one row: every name, each with its share."""
    vocab = 128_256
    p = np.random.default_rng(0).dirichlet(np.full(vocab, 0.01))[None]
    q = np.roll(p, 1, axis=1)
    texts, tokens = [[1, 2, 3, 1, 2]], np.arange(vocab)
    known = Known(tokens % 2 == 0, lambda: (p, q), p[0], texts, lambda: texts, tokens % 9 == 0, np.roll(tokens, 1))
    names = [_written(name, shape.numbers) for name, shape in RULES.items()]
    names += [_written(name, kind.numbers) for name, kind in SEVERAL.items()] + [*JOINT, *KNOWING, *ROWWISE]
    made = {row.rule: row.values for row in rates(Pairs(p, q, np.array([0]), "wide", known), names)}
    assert len(made) == len(names) > 60
    assert made["slrs"]["acceptance"].estimate == pytest.approx(1)  # read again, the drafts are the target's
    for name, values in made.items():
        kept, share, tv = (values[column].estimate for column in ("acceptance", "share", "tv"))
        assert 0 <= kept <= 1 + 1e-9 and 0 <= share <= 1 + 1e-9 and 0 <= tv <= 1, name
        assert kept == 0 or share > 0, name


def _written(name: str, numbers: Sequence[str]) -> str:
    """A rule with numbers that it takes."""
    values = {"K": "2", "COUNT": "2", "RESOLUTION": "1000", "THRESHOLD": "0.01", "T_SINGLE": "0.9"}
    return name + (":" + ",".join(values.get(number, "0.5") for number in numbers) if numbers else "")


@pytest.mark.parametrize("name", sorted({*RULES, *ours.programs()} - {"ears-entropy"}))
def test_every_rule_is_exact_on_fractions(name) -> None:
    """Two drafts, laws by level: probabilities of outcomes are fractions that add up to one; ears-entropy refuses fractions."""
    p, q = (
        by_rows([exact(row.split()) for row in rows])
        for rows in (("1/2 1/3 1/6", "1/5 2/5 2/5", "1 0 0"), ("1/4 1/4 1/2", "3/5 0 2/5"))
    )
    values = {"K": 2, "COUNT": 2, "RESOLUTION": 10, "T_SINGLE": F(9, 10)}
    kind = REGISTRY[name]
    given = [values.get(number, F(3, 10)) for number in kind.numbers]
    drafting, verifier = (
        kind.program.make(*given)[:2] if kind.program is not None else from_method(kind.parts(*given)[0])
    )
    ends = outcomes(verifier, p, q, 2, drafting)
    assert sum(end.probability for end in ends) == 1
    assert all(isinstance(end.probability, F | int) for end in ends)
    said = (kind.program or kind).summary
    if "; lossless" in said or ", lossless" in said:
        assert facts(ends, p, 2).tv == 0


def test_every_rule_of_the_audit_is_measured_or_refused_with_its_command() -> None:
    """And of those that `simspec rates` names each is audited, needs more than laws, or is a bound."""
    measured = {*RULES, *SEVERAL, *JOINT, *KNOWING}
    for name in ours.programs().keys() - measured:
        with pytest.raises(ValueError, match="`simspec audit` takes this one"):
            rates(ONE, [name])
    alone = measured - ours.programs().keys() - RULES.keys() - KNOWING.keys()
    assert alone == {"optimum", "optimum-swor"}
    for name in (*alone, *KNOWING.keys() - ours.programs().keys(), *ROWWISE):
        with pytest.raises(ValueError, match="use `simspec rates`"):
            ours.adapted_rule(name)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("block:2", "expected block, without numbers"),
        ("hsd-naive:1", "without numbers"),
        ("tree-iid", "simspec advise"),
    ],
)
def test_what_rates_cannot_take_is_said_in_words(name, said) -> None:
    with pytest.raises(ValueError, match=said):
        rates(ONE, [name])


def test_advice_leaves_out_what_it_cannot_weigh() -> None:
    for name, said in (("hsd-naive", "`simspec rates` takes it"), ("optimum:2", "a bound, not a rule")):
        with pytest.raises(ValueError, match=said):
            advise(ONE, Plan(rules=(name,)))
    assert advise(ONE, Plan(rules=("hsd-capped",), gammas=(1,)))[0].gamma == 1


def test_the_list_has_a_line_for_each_name(capsys) -> None:
    assert main(["rates", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = {line.split()[0].partition(":")[0] for line in lines}
    assert names >= {*RULES, *SEVERAL, *JOINT, *KNOWING} and all(len(line.split(maxsplit=1)) == 2 for line in lines)
    assert rule("match").name == "match"
