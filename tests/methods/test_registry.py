"""Rules by name: what they make, what they cost in bits, and what they refuse."""

import pickle
import sys
from dataclasses import replace
from fractions import Fraction
from functools import partial
from importlib.metadata import EntryPoint

import numpy as np
import pytest

from simspec import loading
from simspec.audit.adapters.ours import adapted_rule
from simspec.cli import completion, main
from simspec.laws import exact
from simspec.methods import SD, acceptance_rate, ears, lenience, output_law, tv
from simspec.methods import known as of_pair
from simspec.methods.block.lossy import share_of
from simspec.methods.known import Known
from simspec.methods.parameters import number
from simspec.methods.registry import REGISTRY, RuleKind, as_rule, kinds, register, rule, usages
from simspec.methods.sqs.payload import payload_bits
from simspec.tools.advise import Plan, advise
from simspec.tools.rates import rates
from simspec.tools.reading import Pairs

KNOWING = {kind.name: kind for kind in kinds("token") if kind.needs}
RULES = {kind.name: kind for kind in kinds("token") if not kind.needs}

P, Q = np.array([0.5, 0.3, 0.2, 0.0]), np.array([0.1, 0.2, 0.3, 0.4])
EXAMPLES = {
    "sd": "sd",
    "greedy": "greedy",
    "uniform": "uniform",
    "typical": "typical:0.1,0.3",
    "sqs": "sqs:2,10",
    "csqs": "csqs:0.25,10",
    "dense": "dense:10",
    "typical-argmax": "typical-argmax:0.1,0.3",
    "strict": "strict",
    "top": "top:2",
    "thresholds": "thresholds:0.9,0.95",
}


def test_lenience_by_hand() -> None:
    """Half of 0.5, 0.3 and 0.2 doubled, cut at q: 0.1 + 0.2 + 0.3, and nothing where p = 0."""
    assert float(acceptance_rate(rule("lenience:1/2").method, P, Q)) == pytest.approx(0.6)


@pytest.mark.parametrize("name", RULES)
def test_every_rule_emits_a_law(name) -> None:
    made = rule(EXAMPLES.get(name, f"{name}:0.5" if RULES[name].numbers else name))
    assert output_law(made.method, P, Q).sum() == pytest.approx(1)


def test_names_make_the_methods_they_name() -> None:
    assert rule("sd").method is SD
    np.testing.assert_array_equal(rule("ears:0.1").method.accept(P, Q), ears(0.1).accept(P, Q))
    np.testing.assert_array_equal(rule("lenience:0.8").method.accept(P, Q), lenience(0.8).accept(P, Q))
    assert not np.array_equal(rule("ears:0.2").method.accept(P, Q), ears(0.1).accept(P, Q))
    assert rule("ears-fresh:0.1").method.residual(P, Q) is P


def test_bits_of_the_rules_that_send_laws() -> None:
    batch = np.stack([Q, Q[::-1], [0.3, 0.3, 0.3, 0.1]])
    assert rule("sqs:2,10").bits(batch).tolist() == [payload_bits(4, 2, 10)] * 3
    kept = [2, 2, 3]  # at least a quarter
    assert rule("csqs:0.25,10").bits(batch).tolist() == [payload_bits(4, k, 10, adaptive=True) for k in kept]
    assert rule("ears:0.1").bits is None


SHARED = np.array([True, True, True, False])
MEAN = np.array([0.25, 0.25, 0.25, 0.25])
KNOWN = Known(SHARED, lambda: (P[None], Q[None]), MEAN, first=np.array([0, 1, 1, 3]))


@pytest.mark.parametrize("name", KNOWING)
def test_rules_that_need_a_bank_emit_the_target(name) -> None:
    np.testing.assert_allclose(output_law(rule(name, KNOWN).method, P, Q), P, atol=1e-12)


def test_greedy_and_tli_by_hand() -> None:
    """The draft's top token is 3, which p never says; on the first three tokens q is 1/6, 1/3, 1/2."""
    assert float(acceptance_rate(rule("greedy").method, P, Q)) == 0
    assert float(acceptance_rate(rule("greedy").method, P, Q[::-1])) == 0.5
    assert rule("greedy").bits(Q[None]).tolist() == [2]
    assert float(acceptance_rate(rule("tli", KNOWN).method, P, Q)) == pytest.approx(1 / 6 + 0.3 + 0.2)
    assert float(acceptance_rate(rule("unigram", KNOWN).method, P, Q)) == pytest.approx(0.7)


def test_tuned_rules_do_no_worse_where_they_were_tuned() -> None:
    """More is gained than TLI where the shared token is rarely wanted: p = (0.2, 0.8) and only token 0 is shared."""
    p, q = np.array([[0.2, 0.8]]), np.array([[1.0, 0.0]])
    known = Known(np.array([True, False]), lambda: (p, q), np.array([0.5, 0.5]), first=np.array([1, 1]))
    rates = {name: float(acceptance_rate(rule(name, known).method, p, q)[0]) for name in KNOWING}
    assert rates["tli"] == pytest.approx(0.2) and rates["static-mixture"] == pytest.approx(1)
    assert rates["slrs"] == rates["slem"] == 0.8  # its text begins with the other token
    assert rates["unigram-mixture"] == pytest.approx(0.6)  # the largest weight of its grid: 0.2 + 0.4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tli", "'tli' needs to know which tokens both models have"),
        ("static-mixture", "needs to know .* and laws of other contexts"),
        ("rdk:1", "expected rdk, without numbers"),
        ("pad", "'pad' needs to know which tokens change the answer"),
        ("block", "'block' verifies several drafts jointly.*simspec rates"),
        ("hsd-naive", "'hsd-naive' verifies several drafts jointly.*`simspec rates` takes it"),
        ("rrs-skip:2", "'rrs-skip:2' has a sampling program only.*`simspec audit` takes this one"),
        ("tree-top", "is a tree of drafts; .*`simspec advise` chooses"),
        ("ngram", "simspec texts"),
        ("ngram:4", "expected ngram, without numbers"),
    ],
)
def test_what_cannot_apply_is_said_in_words(text, message) -> None:
    with pytest.raises(ValueError, match=message):
        rule(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fast", "rule: 'fast' is not known; expected one of sd, ears:BETA"),
        ("eers:0.1", "rule: 'eers:0.1' is not known; did you mean ears:BETA? expected one of sd"),
        ("optimun:2", "did you mean optimum:K? expected"),
        ("ears", "rule: 'ears'; expected ears:BETA"),
        ("sqs:8", "rule: 'sqs:8'; expected sqs:K,RESOLUTION"),
        ("ears:much", "'much' is not a number; expected a decimal or a fraction"),
        ("ears:1/0", "'1/0' is not a number"),
        ("ears:-1", "tolerance: -1"),
        ("sqs:2.5,10", "K: 2.5; expected an integer"),
        ("lenience:0", "factor: 0"),
    ],
)
def test_bad_rules_are_refused(text, message) -> None:
    with pytest.raises(ValueError, match="^.*" + message.replace("(", r"\(").replace("?", r"\?")):
        rule(text)


OWN = """
from dataclasses import replace

import numpy as np
from simspec.laws import ratio
from simspec.methods import SD
from simspec.methods.registry import Rule


def soft(exponent=0.5, factor=1):
    return replace(SD, accept=lambda p, d: d * np.minimum(factor * ratio(p, d), 1) ** exponent)


LAZY = replace(SD, accept=lambda p, d: np.minimum(p, d) / 2)
SENT = Rule("sent", SD, bits=lambda q: np.full(q.shape[:-1], 7))
BROKEN = replace(SD, accept=lambda p, d: nothing)
GREEDY = replace(SD, accept=lambda p, d: 2 * d)
NUMBER = 3
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", sys.path[:])


def test_rules_of_ones_own_by_place(own) -> None:
    rate = {
        text: float(acceptance_rate(rule(text).method, P, Q))
        for text in ("own.py:soft", "own.py:soft:1", "own.py:LAZY")
    }
    assert (
        rate["own.py:soft:1"]
        == pytest.approx(float(acceptance_rate(SD, P, Q)))
        == pytest.approx(2 * rate["own.py:LAZY"])
    )
    assert rate["own.py:soft"] == pytest.approx(
        0.3 + np.sqrt(0.2 * 0.3)
    )  # 0.1, 0.2, √(0.2 · 0.3), and nothing where p = 0
    assert float(acceptance_rate(rule("own.py:soft:1,1/2").method, P, Q)) == pytest.approx(0.1 + 0.15 + 0.1)
    sent = rule("own.py:SENT")
    assert (sent.name, sent.method, sent.bits(Q).tolist()) == ("own.py:SENT", SD, 7)


def test_rules_that_a_package_has_registered(own, monkeypatch) -> None:
    point = EntryPoint("gentle", "own:soft", "simspec.rules")
    monkeypatch.setattr(loading, "entry_points", lambda group: [point] if group == "simspec.rules" else [])
    same = [rule(text).method.accept(P, Q) for text in ("gentle:1/4", "own.py:soft:0.25")]
    np.testing.assert_array_equal(*same)
    with pytest.raises(ValueError, match="expected one of sd, .*, gentle, FILE.py:NAME or module:NAME"):
        rule("rough")
    del sys.modules["own"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("own.py:NUMBER", "rule: 'own.py:NUMBER' is a int; expected a Method or Rule, such as own.py:SD"),
        ("own.py:missing", "rule: 'own.py:missing' is not there; expected a Method or Rule, such as own.py:SD"),
        ("own.py:LAZY:2", "rule: 'own.py:LAZY' is a Method; expected a function of 1 numbers"),
        ("own.py:soft:x", "rule: 'own.py:soft:x': 'x' is not a number"),
        ("own.py:soft:1,2,3", r"rule: 'own.py:soft'(1, 2, 3) fails (TypeError: soft() takes"),
        ("none.py:soft", "rule: no file none.py; expected FILE.py:NAME"),
    ],
)
def test_what_is_no_rule_is_refused(own, text, message) -> None:
    with pytest.raises(ValueError) as error:
        rule(text)
    assert str(error.value).startswith(message)


def test_faults_of_ones_own_rule_name_it_and_the_line(own) -> None:
    pairs = Pairs(P[None], Q[None], np.zeros(1), "by hand")
    with pytest.raises(ValueError) as error:
        rates(pairs, [rule("own.py:BROKEN")])
    assert str(error.value) == "rule: 'own.py:BROKEN' fails (NameError: name 'nothing' is not defined (own.py:16))"
    with pytest.raises(ValueError, match=r"^rule: 'own.py:GREEDY': accept\(p, d\): row"):
        rates(pairs, [rule("own.py:GREEDY")])


def test_lists_of_drafts_are_measured_and_no_rule_of_one_draft() -> None:
    """Of (1/2, 1/2) and (3/4, 1/4) two drafts match with 41/48, one with 3/4; there is no chain of them."""
    pairs = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    two, one = (row.values for row in rates(pairs, ["gumbel-list:2", "gumbel"]))
    assert two["acceptance"].estimate == pytest.approx(41 / 48) and one["acceptance"].estimate == pytest.approx(0.75)
    assert two["tv"].estimate == 0 and two["tokens"] is None is two["speedup"] and one["tokens"] is not None
    for text, why in (
        ("gumbel-list:2", "drafts several tokens for a position"),
        ("gumbel-list", "expected gumbel-list:K"),
    ):
        with pytest.raises(ValueError, match=why):
            rule(text, several=text == "gumbel-list")
    with pytest.raises(ValueError, match="drafts"):
        rule("gumbel-list:0", several=True)


def test_a_rule_stands_where_a_method_does() -> None:
    p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    assert acceptance_rate(rule("sd"), p, q) == acceptance_rate(SD, p, q) == 0.75
    assert output_law(rule("mixture:1/2"), p, q).tolist() == output_law(rule("mixture:1/2").method, p, q).tolist()


def test_what_is_no_method_of_one_draft_is_refused_by_name() -> None:
    p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    with pytest.raises(ValueError, match=r"^method: 'fast' is not known; expected one of sd, ears:BETA"):
        acceptance_rate("fast", p, q)
    with pytest.raises(ValueError, match=r"^method: None is a NoneType; expected a Method"):
        tv(None, p, q)
    with pytest.raises(
        ValueError, match=r"rule: 'optimum:2' drafts several tokens .*; measure it with `simspec.rates`"
    ):
        acceptance_rate(rule("optimum:2", several=True), p, q)
    with pytest.raises(ValueError, match=r"rule: 'pad' depends on the context; .* `.at\(rows, q\)\[0\]`"):
        output_law(rule("pad", Known(pivots=np.array([True, False]))), p, q)


@pytest.mark.parametrize("left", [0.25, 0.5])
def test_linear_time_rdk_leaves_the_stated_mass_to_the_uniform_law(monkeypatch, left) -> None:
    """On the context that it is tuned on; the prior has what is not left."""
    monkeypatch.setattr(of_pair, "WEIGHTS", (left,))
    prior, q = np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])
    tuning = prior[None], q[None]
    known = Known(mean=prior, shared=np.array([True, True, False]), tuning=lambda: tuning)
    assert rule("rdk", known).method.propose(q) == pytest.approx(left / 3 + (1 - left) * prior)


# --- the registry is the only table -----------------------------------------------------------------------------------

NUMBERS = {"BETA": "0.1", "FACTOR": "0.5", "WEIGHT": "0.5", "EPSILON": "0.3", "DELTA": "0.1", "K": "2", "COUNT": "2"}
NUMBERS |= {"RESOLUTION": "8", "THRESHOLD": "0.1", "ALPHA": "0.5", "MARGIN": "0.1", "T_ACC": "0.9", "T_SINGLE": "0.95"}
OF_ONE_DRAFT = [kind for kind in kinds("token") if not kind.needs]


def written(kind: RuleKind) -> str:
    """A rule with numbers that it takes."""
    return kind.name + (":" + ",".join(NUMBERS[name] for name in kind.numbers) if kind.numbers else "")


@pytest.mark.parametrize("kind", OF_ONE_DRAFT, ids=lambda kind: kind.name)
def test_names_rules_and_methods_are_taken_alike(kind) -> None:
    text = written(kind)
    rates_of_each = [acceptance_rate(given, P, Q) for given in (text, rule(text), rule(text).method)]
    assert rates_of_each[0] == rates_of_each[1] == rates_of_each[2]
    assert kind.parts(*(float(NUMBERS[name]) for name in kind.numbers))[0] == rule(text).method


@pytest.mark.parametrize("kind", [*kinds("token", "siblings"), *kinds("path")], ids=lambda kind: kind.name)
def test_a_rule_prints_compares_and_pickles(kind) -> None:
    text = written(kind)
    made = as_rule(text, KNOWN, ("siblings", "path"))
    back = pickle.loads(pickle.dumps(made))
    assert repr(made) == f"Rule({text!r})" and made == back == as_rule(text, KNOWN, ("siblings", "path"))
    assert hash(made) == hash(back) and made != replace(made, name="another") and made.kind is kind


@pytest.mark.parametrize("kind", [*kinds("token")], ids=lambda kind: kind.name)
def test_lossless_is_what_the_registry_says(kind) -> None:
    """On ten random pairs of distributions, half of them alike; a rule that is not lossless misses the target on one of them."""
    rng = np.random.default_rng(5)
    p, q = rng.dirichlet(np.full(4, 0.7), (2, 10))
    q[5:] = 0.9 * p[5:] + 0.1 * q[5:]
    text = written(kind).replace("typical:0.3,0.1", "typical:0.3,0.9")
    assert (tv(rule(text, KNOWN), p, q).max() < 1e-12) == kind.lossless
    assert not kind.summary.endswith("; lossless") or kind.lossless


def half_of(share):
    return replace(SD, accept=lambda p, d: number(share, p) * np.minimum(p, d)).made_by(half_of, share)


@pytest.fixture
def halved():
    kind = register(RuleKind("halved", "token", "keeps a share of what sd keeps", half_of, ("SHARE",)))
    yield kind
    REGISTRY.pop("halved")


def test_a_rule_that_is_registered_is_known_everywhere(halved, capsys) -> None:
    """By hand: sd keeps 0.1 + 0.2 + 0.2 of these laws, a half of it is 0.25."""
    pairs = Pairs(P[None], Q[None], np.zeros(1), "by hand")
    assert float(acceptance_rate("halved:1/2", P, Q)) == pytest.approx(0.25)
    assert rates(pairs, ["halved:1/2"])[0].values["acceptance"].estimate == pytest.approx(0.25)
    assert advise(pairs, Plan(rules=("halved:1/2",), gammas=(1,)))[0].acceptance.estimate == pytest.approx(0.25)
    assert usages()["halved:SHARE"] == halved.summary
    p, q = exact(["1/2", "1/2"]), exact(["3/4", "1/4"])  # sd keeps 3/4
    assert share_of("halved:1/2", lambda x: p, lambda x: q, 1).accepted == Fraction(3, 8)
    adapted = adapted_rule("halved:1/2")
    assert adapted is not None and adapted.with_uniforms is not None
    assert "halved" in completion._known()["rules"]
    assert main(["rates", "--list"]) == 0 and "halved:SHARE" in capsys.readouterr().out
    with pytest.raises(ValueError, match="did you mean halved:SHARE"):
        rule("halvd:1/2")


def test_what_is_registered_is_checked(halved) -> None:
    with pytest.raises(ValueError, match="name: 'halved' is already the name of a rule .*; expected another name"):
        register(halved)
    with pytest.raises(ValueError, match="form: 'other'; expected one of token, context"):
        register(RuleKind("another", "other", ""))
    with pytest.raises(
        ValueError, match="make: None; expected a function that returns the method of the rule 'another'"
    ):
        register(RuleKind("another", "token", ""))


def test_a_method_that_nothing_named_prints_its_maps_as_a_rule() -> None:
    given = partial(half_of, 0.5)()
    assert repr(as_rule(given)) == "Rule('half_of(0.5)')"
    with pytest.raises(ValueError, match="rule: 3 is a int; expected a Method, a rule or its name"):
        as_rule(3)
