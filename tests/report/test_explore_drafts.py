"""Greedy certificates and the parallel draft on the explorable page, in a real browser, against the package.

Random and degenerate laws go through `exploreGreedy` and `exploreParallel`, which the page exposes; a reader's steps go
through the page's own inputs.  Fractions must be equal, divergences within rounding.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
from fractions import Fraction as F
from functools import cache
from math import lcm, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simspec.certificates import (
    kl_divergence,
    kl_radius,
    rejects_additive,
    rejects_beyond_top,
    rejects_multiplicative,
    tv_radius,
)
from simspec.claims.block.parts import accepted
from simspec.claims.greedy.parts import likeliest
from simspec.claims.relaxed.certificate_additive import level
from simspec.claims.texts import markov
from simspec.laws import exact
from simspec.methods.parallel import best_draft, excess, marginal, optimality_gap, product_acceptance
from simspec.methods.stop import told_verifier
from simspec.methods.verifier.verifier import by_rows, outcomes
from simspec.report.explore import render
from simspec.report.explore.counterexamples import fragment
from simspec.report.explore.drafts import CRITERIA, DRAFT_DIALS
from simspec.report.explore.rules import DIALS
from tests.requirements import require

require("browser")

from tests.report.test_browser import browse  # noqa: E402  it needs one too

State = dict[str, Any]
COUNT = 60
"""Random states of each part."""
REJECTS = {
    "likeliest": lambda p, state: rejects_beyond_top(p, state["likeliest"]),
    "additive": lambda p, state: rejects_additive(p, state["margin"]),
    "multiplicative": lambda p, state: rejects_multiplicative(p, state["ratio"]),
}
GREEDY_EDGES: tuple[State, ...] = (
    {"p": [1, 1], "q": [1, 1]},  # a tie of p: both radii are 0
    {"p": [1, 0], "q": [1, 0]},  # the same point mass twice
    {"p": [1, 0], "q": [0, 1]},  # KL is infinite
    {"p": [1, 0], "q": [1, 1]},  # q is the nearest law that fails: a distance equal to the radius
    {"p": [3, 1], "q": [1, 1]},
    {"p": [6, 3, 2, 1], "q": [9, 9, 4, 2]},  # equal to the radius again, with a third token
    {"p": [5, 5, 2], "q": [5, 6, 1], "likeliest": 2},
    {"p": [5, 4, 3], "q": [1, 1, 1], "likeliest": 3},  # nothing is rejected
    {"p": [5, 4, 3], "q": [1, 0, 1], "likeliest": 8},  # nothing is rejected, and KL is infinite
    {"p": [4, 2, 0, 0], "q": [1, 1, 2, 2], "likeliest": 2},  # the likeliest rejected token has no mass
    {"p": [4, 2, 2], "q": [1, 2, 2], "criterion": "additive", "margin": F(1, 4)},  # p(x) = max p − τ is accepted
    {"p": [4, 2, 2], "q": [1, 2, 2], "criterion": "multiplicative", "ratio": F(1, 2)},
    {"p": [4, 2, 0], "q": [1, 2, 9], "criterion": "multiplicative", "ratio": F(0)},
    {"p": [9999, 1], "q": [1, 9998]},
)
PARALLEL_EDGES: tuple[State, ...] = (
    {
        "first": [3, 1],
        "rows": [[1, 0], [0, 1]],
    },  # by hand: 7/4 accepted of two with the best law, 13/8 with the marginal
    {"first": [1, 1], "rows": [[1, 0], [0, 1]]},  # every law is as good
    {"first": [1, 0], "rows": [[1, 2], [1, 0]]},  # one first token only
    {"first": [1, 2, 3], "rows": [[1, 2, 3]] * 3},  # independent
    {"first": [3, 1], "rows": [[1, 0], [0, 1]], "dependence": F(0)},
    {"first": [1, 1, 1, 1], "rows": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "dependence": F(1, 3)},
    {"first": [0, 0, 1], "rows": [[0, 0, 1], [0, 1, 0], [1, 0, 0]]},
)


def weights(rng: random.Random, size: int) -> list[int]:
    """Whole weights with ties and zeros, at times of one token only."""
    if rng.random() < 0.1:
        token = rng.randrange(size)
        return [int(place == token) for place in range(size)]
    drawn = [max(0, rng.randint(-2, 7)) for _ in range(size)]
    return drawn if any(drawn) else [1] * size


@cache
def greedy_states() -> tuple[State, ...]:
    """Edge cases, then random pairs under every criterion; the second law is often near the first."""
    rng = random.Random(42)
    states = [{"criterion": "likeliest", "likeliest": 1} | edge for edge in GREEDY_EDGES]
    for number in range(COUNT):
        size = rng.randint(2, 8)
        p = weights(rng, size)
        near = [8 * mass + rng.randint(0, 3) for mass in p]
        numbers = {
            "likeliest": rng.randint(1, size),
            "margin": F(rng.randint(0, 30), 60),
            "ratio": F(rng.randint(0, 20), 20),
        }
        criterion = list(CRITERIA)[number % len(CRITERIA)]
        chosen = {"criterion": criterion, CRITERIA[criterion].dial: numbers[CRITERIA[criterion].dial]}
        states.append({"p": p, "q": rng.choice([near, weights(rng, size)]), **chosen})
    return tuple(states)


@cache
def parallel_states() -> tuple[State, ...]:
    """Edge cases, then random joint laws of two to four tokens at random dependence."""
    rng = random.Random(43)
    states = [{"dependence": F(1)} | edge for edge in PARALLEL_EDGES]
    for _ in range(COUNT):
        size = rng.randint(2, 4)
        rows = [weights(rng, size) for _ in range(size)]
        states.append({"first": weights(rng, size), "rows": rows, "dependence": F(rng.randint(0, 20), 20)})
    return tuple(states)


def law(masses: list[int]) -> Any:
    return exact([F(mass, sum(masses)) for mass in masses])


def texts(masses: Any) -> list[str]:
    return [str(F(mass)) for mass in masses]


def is_nearer(p: Any, q: Any, rejected: Any) -> bool:
    """KL(p‖q) < radius, decided on fractions: Π (q/nearest)^p > 1, nearest with the level of the claims."""
    if any(mass and not other for mass, other in zip(p, q, strict=True)):
        return False
    if not rejected.any():
        return True
    height, members = level(p, likeliest(p, rejected))
    nearest = np.where(members, height, p)
    common = lcm(*(F(mass).denominator for mass in p))
    triples = zip(p, q, nearest, strict=True)
    return prod(((F(b) / F(c)) ** int(a * common) for a, b, c in triples if a), start=F(1)) > 1


def greedy_wanted(state: State) -> State:
    """What the package says of a pair under a criterion: fractions as texts, the rest as it is."""
    p = law(state["p"])
    q = law(state["q"])
    rejected = REJECTS[state["criterion"]](p, state)
    ranked = sorted(p, reverse=True)
    variation = F(abs(p - q).sum()) / 2
    radius = tv_radius(p, rejected).item()
    drafted = int(q.argmax())
    return {
        "rejected": rejected.tolist(),
        "margin": str(ranked[0] - ranked[1]),
        "tv": str(variation),
        "tvRadius": str(radius),
        "certifiedTv": bool(variation < radius),
        "certifiedKl": is_nearer(p, q, rejected),
        "drafted": drafted,
        "accepted": not rejected[drafted],
    }


def floats_wanted(state: State) -> tuple[float, float]:
    """KL(p‖q) and its radius."""
    p = law(state["p"])
    rejected = REJECTS[state["criterion"]](p, state)
    return (
        float(kl_divergence(p.astype(float), law(state["q"]).astype(float))),
        float(kl_radius(p.astype(float), rejected)),
    )


def joint(state: State) -> tuple[Any, Any]:
    first = law(state["first"])
    own = np.stack([law(row) for row in state["rows"]])
    return first, state["dependence"] * own + (1 - state["dependence"]) * marginal(first, own)


def drafted_wanted(first: Any, rows: Any, draft: Any) -> State:
    """What the package says of one law of the second token; accepted drafts by verification of both, token by token."""
    more, no_less = excess(first, rows, draft)
    endings = outcomes(told_verifier(), markov(np.stack([first, *rows])), by_rows(np.stack([first, draft])), 2)
    return {
        "law": texts(draft),
        "more": texts(more),
        "noLess": texts(no_less),
        "gap": str(F(optimality_gap(first, rows, draft))),
        "acceptance": str(F(product_acceptance(first, rows, draft))),
        "accepted": str(accepted(endings)),
    }


def parallel_wanted(state: State) -> State:
    first, rows = joint(state)
    best = best_draft(first, rows)
    return {
        "first": texts(first),
        "rows": [texts(row) for row in rows],
        "level": str(F(best.level)),
        "marginal": drafted_wanted(first, rows, marginal(first, rows)),
        "best": drafted_wanted(first, rows, best.law),
    }


def output(code: str) -> list[str]:
    """Lines that a snippet prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "snippet", "exec"), {})
    return out.getvalue().splitlines()


def number(value: float | str) -> float:
    """A floating-point number of the page, which writes infinity as a word."""
    return float(value)


def way_faults(state: State, seen: State) -> list[str]:
    """Whether the stretches from p to q fit together, say what is drafted within them, and end where the certificate ends."""
    p = law(state["p"])
    q = law(state["q"])
    rejected = REJECTS[state["criterion"]](p, state)
    stretches = [(F(start), F(end), token) for start, end, token in seen["ways"]]
    faults = []
    if [start for start, _, _ in stretches] != [F(0), *(end for _, end, _ in stretches[:-1])] or stretches[-1][1] != 1:
        faults.append("a gap")
    for start, end, token in stretches:
        middle = (start + end) / 2
        faults += [] if ((1 - middle) * p + middle * q).argmax() == token else [f"drafted at {middle}"]
    for sign in (-1, 1):
        place = F(seen["end"]) + F(sign, 10**6)
        if 0 < place < 1:
            mixed = (1 - place) * p + place * q
            certified = abs(p - mixed).sum() / 2 < tv_radius(p, rejected).item() or is_nearer_float(p, mixed, rejected)
            faults += [] if certified == (sign < 0) else [f"certified at {place}"]
    return faults


def is_nearer_float(p: Any, q: Any, rejected: Any) -> bool:
    return bool(kl_divergence(p.astype(float), q.astype(float)) < kl_radius(p.astype(float), rejected))


def greedy_faults(results: list[State]) -> list[str]:
    """States in which the page says something else of a certificate than the package."""
    faults = []
    for state, seen in zip(greedy_states(), results, strict=True):
        where = fragment(state)
        wanted = greedy_wanted(state)
        faults += [f"{where}: {name}" for name in wanted if seen[name] != wanted[name]]
        shown = [number(seen["kl"]), number(seen["klRadius"])]
        if shown != pytest.approx(floats_wanted(state), rel=1e-9, abs=1e-12):
            faults.append(f"{where}: divergences {shown}")
        if (seen["certifiedTv"] or seen["certifiedKl"]) and not seen["accepted"]:
            faults.append(f"{where}: certified and rejected")
        faults += [f"{where}: {fault}" for fault in way_faults(state, seen)]
    return faults


def parallel_faults(results: list[State]) -> list[str]:
    """States in which the page says something else of a parallel draft than the package."""
    faults = []
    for state, seen in zip(parallel_states(), results, strict=True):
        wanted = parallel_wanted(state)
        faults += [f"{fragment(state)}: {name}" for name in wanted if seen[name] != wanted[name]]
    return faults


@cache
def page() -> str:
    return render()


BULK = """<script>
addEventListener("load", () => {
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify({greedy: GREEDY.map(exploreGreedy), parallel: PARALLEL.map(exploreParallel)});
  document.body.append(out);
});
</script>"""


def computed(html: str, folder: Path) -> tuple[State, list[str]]:
    addresses = [json.dumps([fragment(state) for state in states()]) for states in (greedy_states, parallel_states)]
    return browse(html, folder, script=BULK.replace("GREEDY", addresses[0]).replace("PARALLEL", addresses[1]))


@pytest.fixture(scope="module")
def bulk(tmp_path_factory: pytest.TempPathFactory) -> tuple[State, list[str]]:
    return computed(page(), tmp_path_factory.mktemp("bulk"))


def test_parameters_have_names_of_their_own() -> None:
    assert not set(DIALS) & set(DRAFT_DIALS)
    assert {criterion.dial for criterion in CRITERIA.values()} | {"criterion", "dependence"} == set(DRAFT_DIALS)
    assert set(CRITERIA) == set(REJECTS)


def test_certificates_are_those_of_the_package(bulk: tuple[State, list[str]]) -> None:
    results, complaints = bulk
    assert complaints == []
    assert greedy_faults(results["greedy"]) == []
    kinds = {(seen["certifiedTv"], seen["certifiedKl"], seen["accepted"]) for seen in results["greedy"]}
    assert {(True, True, True), (False, False, True), (False, False, False), (True, False, True)} <= kinds


def test_a_certificate_by_hand(bulk: tuple[State, list[str]]) -> None:
    """p = (3/4, 1/4): the nearest law that fails is (1/2, 1/2), a quarter away, and is not certified."""
    seen = bulk[0]["greedy"][[*GREEDY_EDGES].index({"p": [3, 1], "q": [1, 1]})]
    assert (seen["tv"], seen["tvRadius"], seen["margin"], seen["nearest"]) == ("1/4", "1/4", "1/2", ["1/2", "1/2"])
    assert not seen["certifiedTv"] and not seen["certifiedKl"] and seen["accepted"]  # the first of equals is drafted
    assert "Not certified" in seen["words"] and "several likeliest tokens" in seen["words"]


def test_parallel_drafts_are_those_of_the_package(bulk: tuple[State, list[str]]) -> None:
    results = bulk[0]["parallel"]
    assert parallel_faults(results) == []
    assert {seen["best"]["gap"] for seen in results} == {"0"}
    gains = [F(seen["best"]["acceptance"]) - F(seen["marginal"]["acceptance"]) for seen in results]
    assert min(gains) == 0 < max(gains)
    by_hand = results[0]
    assert (by_hand["best"]["accepted"], by_hand["marginal"]["accepted"], by_hand["level"]) == ("7/4", "13/8", "3/4")


def test_the_python_prints_what_is_shown(bulk: tuple[State, list[str]]) -> None:
    for seen in bulk[0]["greedy"]:
        variation, divergence, drafted = output(seen["snippet"])
        assert variation == f"total variation {seen['tv']} radius {seen['tvRadius']}", seen["address"]
        values = [float(word) for word in divergence.split()[1::2]]
        assert values == pytest.approx([number(seen["kl"]), number(seen["klRadius"])], rel=1e-9, abs=1e-12)
        assert drafted == f"drafted {seen['drafted']} accepted {seen['accepted']}"
    for seen in bulk[0]["parallel"]:
        lines = output(seen["snippet"])
        expected = []
        for name in ("marginal", "best"):
            draft = seen[name]
            expected.append(" ".join([name, *draft["law"]]))
            expected.append(f"accepted of two {draft['accepted']} gap {draft['gap']}")
        assert lines == [*expected, f"level {seen['level']}"], seen["address"]


PLANTED = {
    "a pool with every token above b": (
        "if (!less(mass, mul(fraction(members.length), p[i]))) break;",
        "if (!less(mass, p[i])) break;",
    ),
    "a certificate at the radius": ("return left > right;", "return left >= right;"),
    "slopes without ties": (
        "total(first.filter((_, x) => !less(rows[x][token], mass)))",
        "total(first.filter((_, x) => less(mass, rows[x][token])))",
    ),
    "more in place of no less": (
        "noLess = chance((x, mass) => !less(x, mass))",
        "noLess = chance((x, mass) => less(mass, x))",
    ),
}


@pytest.mark.parametrize("error", PLANTED)
def test_a_planted_error_is_seen(error: str, tmp_path: Path) -> None:
    """The part that holds the error differs from the package, and the other part does not."""
    right, wrong = PLANTED[error]
    html = page()
    assert html.count(right) == 1
    results, _ = computed(html.replace(right, wrong), tmp_path)
    faults = (greedy_faults(results["greedy"]), parallel_faults(results["parallel"]))
    in_greedy = list(PLANTED).index(error) < 2
    assert (faults[0] != [], faults[1] != []) == (in_greedy, not in_greedy)


READER = """<script>
addEventListener("load", async () => {
  const wait = (ms = 20) => new Promise(done => setTimeout(done, ms)), at = id => document.getElementById(id);
  const seen = {steps: {}};
  const set = (id, value, kind = "change") => { at(id).value = value; at(id).dispatchEvent(new Event(kind, {bubbles: true})); };
  const press = (id, key, times = 1) => { for (let n = 0; n < times; n++) {
    at(id).focus(); at(id).dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true})); } };
  const values = id => [...document.querySelectorAll(`[id^="${id}-"][role=slider]`)].map(s => s.getAttribute("aria-valuetext"));
  const live = () => [at("words"), at("greedy-words")].map(e => e.getAttribute("aria-live"));
  const count = selector => document.querySelectorAll(selector).length;
  const cells = id => [...at(id).tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent));
  const look = async what => {
    await wait(200);
    const shown = id => at(id).firstChild.textContent;
    seen.steps[what] = {hash: location.hash.slice(1), p: [values("p"), values("greedy-p")], live: live(),
      code: at("parallel-code").textContent, radii: cells("radii"), optimality: cells("optimality"),
      certified: at("certified").textContent, drafted: at("drafted").textContent,
      accepted: [shown("marginal-accepted"), shown("best-accepted")], gaps: [shown("marginal-gap"), shown("best-gap")],
      figures: count("#joint figure"), marks: count("#joint .wanted[visibility=visible]"), dots: count("#chart-dependence .dot")};
  };
  await look("start");
  press("greedy-p-0", "ArrowUp", 7); await look("greedy keys");
  press("p-0", "ArrowDown", 7); await look("board keys");
  set("criterion-choice", "additive"); set("margin-box", "1/3"); await look("criterion");
  at("criterion-choice").focus(); set("criterion-choice", "multiplicative"); seen.focus = document.activeElement.id;
  set("ratio-range", "20", "input"); await look("ratio");
  set("dependence-range", "10", "input"); await look("half");
  press("row-1-0", "End"); await look("row end");
  set("type-row-0", "1/2 1/4 1/4"); await look("row typed"); set("type-row-0", "<b>1</b> 2 3");
  seen.invalid = at("type-row-0").getAttribute("aria-invalid"); await look("row typed badly");
  set("joint-vocab", "4"); await look("four");
  set("joint-vocab", "2"); at("joint-repeats").click(); set("type-first", "3 1"); await look("repeats");
  at("joint-random").click(); await look("random"); at("joint-again").click(); await look("again");
  location.hash = "#parallel"; await wait(); seen.followed = location.hash;
  seen.scrolled = Math.abs(at("parallel").getBoundingClientRect().top) < innerHeight;
  press("q-0", "ArrowUp"); await look("after a link");
  const garbage = ["first=<img src=x>&rows=<b>", "first=1,2&rows=1,2", "first=1,2,3,4,5&rows=1,2;3,4", "rows=0,0;1,1&first=1,1",
    "criterion=__proto__", "criterion=additive&margin=x", "likeliest=99", "dependence=7/0", "dependence=-3"];
  seen.garbage = garbage.map(fragment => [exploreGreedy(fragment).address, exploreParallel(fragment).best.gap]);
  const named = e => e.labels?.length || e.getAttribute("aria-label") || e.textContent.trim();
  const things = document.querySelectorAll("button, input, select, a, [role=slider], [role=img], [role=region]");
  seen.nameless = [...things].filter(e => !named(e)).length;
  seen.doubled = [...document.querySelectorAll("[id]")].map(e => e.id).filter((id, n, all) => all.indexOf(id) !== n);
  seen.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
</script>"""


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> tuple[State, list[str]]:
    return browse(page(), tmp_path_factory.mktemp("visit"), extra="--virtual-time-budget=60000", script=READER)


def given(step: State) -> dict[str, str]:
    return dict(part.split("=") for part in step["hash"].split("&"))


def test_both_views_of_the_laws_move_together_and_only_that_in_use_is_read_aloud(
    visit: tuple[State, list[str]],
) -> None:
    seen, complaints = visit
    steps = seen["steps"]
    assert complaints == [] and seen["nameless"] == 0 and seen["wide"] == 0 and seen["doubled"] == []
    assert all(step["p"][0] == step["p"][1] for step in steps.values())
    assert steps["greedy keys"]["p"][0][0] == "37/60 ≈ 0.6167" and steps["greedy keys"]["live"] == ["off", "polite"]
    assert steps["board keys"]["p"] == steps["start"]["p"] and steps["board keys"]["live"] == ["polite", "off"]


def test_a_criterion_is_chosen(visit: tuple[State, list[str]]) -> None:
    """Where the start draft is rejected by greedy decoding, a margin of a third accepts it without a certificate."""
    steps = visit[0]["steps"]
    assert (steps["start"]["certified"], steps["start"]["drafted"]) == ("not certified", "token 1: rejected")
    assert steps["criterion"]["drafted"] == "token 1: accepted"
    assert given(steps["criterion"])["criterion"] == "additive" and given(steps["criterion"])["margin"] == "1/3"
    assert visit[0]["focus"] == "criterion-choice"
    assert given(steps["ratio"])["ratio"] == "1" and steps["ratio"]["radii"][0][1:] == [
        "1/3 ≈ 0.3333",
        "1/8 = 0.125",
        "no",
    ]


def test_a_joint_law_is_edited(visit: tuple[State, list[str]]) -> None:
    steps = visit[0]["steps"]
    assert given(steps["half"])["dependence"] == "1/2" and steps["half"]["marks"] == 9 and steps["start"]["marks"] == 0
    assert given(steps["row end"])["rows"].split(";")[1] == "1,0,0"
    assert (
        given(steps["row typed"])["rows"].split(";")[0]
        == given(steps["row typed badly"])["rows"].split(";")[0]
        == "2,1,1"
    )
    assert visit[0]["invalid"] == "true"
    assert steps["four"]["figures"] == 5 and len(given(steps["four"])["first"].split(",")) == 4
    assert steps["repeats"]["accepted"] == ["13/8", "7/4"] and steps["repeats"]["gaps"] == ["1/2", "0"]
    assert steps["repeats"]["optimality"][1][4] == "no" and {row[-1] for row in steps["repeats"]["optimality"]} == {
        "yes"
    }
    assert "first" not in given(steps["again"]) and all(step["dots"] == 3 for step in steps.values())
    for step in steps.values():
        lines = output(step["code"])
        assert [line.split()[3] for line in lines[1:4:2]] == step["accepted"]
        assert [line.split()[-1] for line in lines[1:4:2]] == step["gaps"]


def test_a_link_to_a_part_keeps_the_state(visit: tuple[State, list[str]]) -> None:
    seen = visit[0]
    assert seen["followed"] == "#parallel" and seen["scrolled"]
    assert given(seen["steps"]["after a link"])["criterion"] == "multiplicative"


def test_what_cannot_be_read_is_the_default(visit: tuple[State, list[str]]) -> None:
    for address, gap in visit[0]["garbage"]:
        assert gap == "0" and "<" not in address and "first=" not in address and "criterion=__proto__" not in address
