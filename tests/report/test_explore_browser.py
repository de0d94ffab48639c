"""The explorable page in a real browser: its fractions, its Python and its inputs against the package.

Random laws under every rule go through `explore`, the function that the page exposes; a reader's steps go through the
page's own inputs.  What the page shows must equal what the package computes, fraction by fraction.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simspec.laws import exact
from simspec.methods import (
    SD,
    Method,
    affine,
    csqs,
    dense,
    dense_sqs,
    ears,
    fresh,
    lenience,
    levelled,
    mean_acceptance_length,
    mixture,
    normalised,
    pad,
    rdk,
    restricted,
    sqs,
    static,
    static_mixture,
    strict,
    tli,
    typical,
    uniform,
    unigram_mixture,
    variance,
)
from simspec.methods.method import one_step
from simspec.report.explore import render
from simspec.report.explore.counterexamples import counterexamples, fragment
from simspec.report.explore.rules import DIALS, SHOWN
from tests.requirements import require

require("browser")

from tests.report.test_browser import browse  # noqa: E402  it needs one too

EACH = 14
"""Random cases of each rule: 280 in one load of the page."""

Values = dict[str, Any]
METHODS: dict[str, Callable[[Values], Method]] = {
    "sd": lambda a: SD,
    "lenience": lambda a: lenience(a["factor"]),
    "mixture": lambda a: mixture(a["weight"]),
    "typical": lambda a: typical(a["epsilon"], a["delta"]),
    "ears": lambda a: ears(a["beta"]),
    "ears-variance": lambda a: ears(a["beta"], variance),
    "ears-constant": lambda a: ears(1, lambda p: np.broadcast_to(a["beta"], p.shape[:-1])),
    "pad": lambda a: pad(a["flags"], a["limit"], a["guardrail"]),
    "strict": lambda a: strict(a["flags"]),
    "tli": lambda a: tli(a["shared"]),
    "restricted": lambda a: restricted(a["shared"]),
    "unigram": lambda a: unigram_mixture(a["shared"], a["prior"], a["mix"]),
    "static": lambda a: static(a["shared"], static_mixture(a["p"], a["q"], a["shared"]).extra),
    "rdk": lambda a: rdk(a["shared"], dense(a["affinity"])),
    "rdk-affine": lambda a: rdk(a["shared"], affine(a["prior"], a["strength"], 1)),
    "rdk-normalised": lambda a: rdk(a["shared"], normalised(a["prior"], 2 * a["strength"], 2)),
    "sqs": lambda a: sqs(a["k"], a["resolution"]),
    "csqs": lambda a: csqs(a["threshold"], a["resolution"]),
    "dense": lambda a: dense_sqs(a["resolution"]),
    "uniform": lambda a: uniform(),
}


def draw(rng: random.Random, rule: str) -> Values:
    """A state as plain values: weights with ties and zeros, parameters on and off the grid of their slider."""
    V = rng.randint(2, 8)

    def weights(least: int = -3) -> list[int]:
        found = [max(0, rng.randint(least, 9)) for _ in range(V)]
        return found if any(found) else [1] * V

    state: Values = {"rule": rule, "p": weights(), "q": weights()}
    if rng.random() < 0.1:
        state["q"] = state["p"]
    for name in (*SHOWN[rule].dials, "residual", "gamma"):
        dial = DIALS[name]
        if dial.kind == "number":
            grain = rng.choice([20, 60, 7])
            state[name] = F(dial.low) + (F(dial.high) - F(dial.low)) * F(rng.randint(0, grain), grain)
        elif dial.kind == "whole":
            state[name] = rng.randint(int(dial.low), V if name == "k" else int(dial.high))
        elif dial.kind == "tokens":
            state[name] = [rng.random() < 0.6 for _ in range(V)]
            state[name][rng.randrange(V)] = True
        elif dial.kind == "matrix":
            state[name] = [weights() for _ in range(V)]
        else:
            state[name] = rng.choice(dial.options)[0]
    return state


@cache
def cases() -> tuple[Values, ...]:
    """The same states in every run."""
    rng = random.Random(16)
    return tuple(draw(rng, rule) for rule in SHOWN for _ in range(EACH))


def law(weights: list[Any]) -> Any:
    return exact(np.array(weights, dtype=object)) / sum(map(F, weights))


def method(state: Values) -> tuple[Method, Any, Any]:
    """The package's method in a state, built without the page's Python; and both laws."""
    p, q = law(state["p"]), law(state["q"])
    V = len(p)
    priors = {"falling": law([F(1, i + 1) for i in range(V)]), "uniform": law([1] * V), "target": p}
    values = {**state, "p": p, "q": q, "prior": priors[state.get("prior", "falling")]}
    values |= {name: np.array(state[name]) for name in ("flags", "shared") if name in state}
    if "affinity" in state:
        values["affinity"] = np.stack([law(row) for row in state["affinity"]])
    made = METHODS[state["rule"]](values)
    if state.get("residual") == "fresh":
        made = replace(made, residual=fresh)
    return levelled(made) if state.get("residual") == "levelled" else made, p, q


def words(masses: Any) -> list[str]:
    return [str(F(x)) for x in np.broadcast_to(masses, np.shape(masses)).tolist()]


def wanted(state: Values) -> Values | None:
    """What the package says of a state, in the page's words; None where it refuses the parameters."""
    try:
        made, p, q = method(state)
        step = one_step(made, p, q)
    except ValueError:
        return None
    alpha, bias = F(step.accepted.sum()), F(abs(step.output - p).sum()) / 2
    found = {"p": p, "q": q, "drafted": step.reported, "kept": step.accepted, "after a rejection": step.residual}
    return {
        **{name: words(masses) for name, masses in {**found, "comes out": step.output}.items()},
        "acceptance": str(alpha),
        "bias": str(bias),
        "lossless": bias == 0,
        "tokens per pass": str(F(mean_acceptance_length(alpha, state.get("gamma", 4)))),
    }


@cache
def all_wanted() -> tuple[Values | None, ...]:
    """What is wanted of each of the states."""
    return tuple(map(wanted, cases()))


@cache
def printed(code: str) -> Values | None:
    """What a snippet prints, by the words before the numbers; None where it raises a ValueError."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(code, "snippet", "exec"), {})
    except ValueError:
        return None
    lines = [re.fullmatch(r"([a-z ]+?) ((?:-?\d[\d/ ]*)|True|False)", line) for line in out.getvalue().splitlines()]
    return {m[1]: m[2] for m in lines if m}


def faults(seen: list[Values]) -> list[str]:
    """States in which the page, or its Python, says something else than the package."""
    found = []
    for expected, page in zip(all_wanted(), seen, strict=True):
        if page.get("tie"):
            continue
        where = page["address"]
        if (expected is None) != ("refused" in page):
            found.append(f"{where}: refused by one")
        elif expected is not None and {name: page[name] for name in expected} != expected:
            found.append(f"{where}: other fractions")
        said = printed(page["snippet"])
        if (said is None) != (expected is None):
            found.append(f"{where}: the Python fails")
        elif expected is not None:
            told = {n: " ".join(v) if isinstance(v, list) else str(v) for n, v in expected.items() if n not in "pq"}
            found += [f"{where}: the Python prints other fractions"] if said != told else []
    return found


BULK = """<script>
addEventListener("load", () => {
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify({results: ADDRESSES.map(explore)});
  document.body.append(out);
});
</script>"""


def computed(html: str, folder: Path) -> tuple[list[Values], list[str]]:
    addresses = json.dumps([fragment(state) for state in cases()])
    seen, complaints = browse(html, folder, script=BULK.replace("ADDRESSES", addresses))
    return seen["results"], complaints


@pytest.fixture(scope="module")
def bulk(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Values], list[str]]:
    return computed(render(), tmp_path_factory.mktemp("bulk"))


def test_every_rule_has_a_maker() -> None:
    assert set(METHODS) == set(SHOWN)


def test_the_fractions_and_the_python_are_those_of_the_package(bulk: tuple[list[Values], list[str]]) -> None:
    seen, complaints = bulk
    assert complaints == [] and len(seen) >= 200
    assert faults(seen) == []
    assert sum(bool(page.get("tie")) for page in seen) <= 2  # typical acceptance where p meets the limit
    assert 0 < sum("refused" in page for page in seen) < 20  # the affine form beyond its range
    assert {page["lossless"] for page in seen if "lossless" in page} == {True, False}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("least(y, div(p[i], factor))", "least(y, mul(p[i], factor))"),
        ("order(masses[j], masses[i]) || i - j", "order(masses[j], masses[i]) || j - i"),
        ("`F(${x.n}, ${x.d})`", "`F(${x.n}, ${x.d} + 1)`"),
    ],
)
def test_a_broken_rule_is_noticed(right: str, wrong: str, tmp_path: Path) -> None:
    html = render()
    assert html.count(right) == 1
    seen, _ = computed(html.replace(right, wrong), tmp_path)
    assert 0 < len(faults(seen)) < len(cases())


def test_an_address_is_read_as_it_is_written(bulk: tuple[list[Values], list[str]]) -> None:
    """Each state's address says the state: the rule, and every parameter that is not the default."""
    for state, page in zip(cases(), bulk[0], strict=True):
        given = dict(part.split("=") for part in page["address"].split("&"))
        asked = dict(part.split("=") for part in fragment(state).split("&"))
        assert {n: v for n, v in asked.items() if n in given and n not in ("p", "q", "affinity")} == {
            n: v for n, v in given.items() if n not in ("p", "q", "affinity")
        }


# ---- the page's own inputs ----

READER = """<script>
addEventListener("load", async () => {
  const wait = (ms = 20) => new Promise(done => setTimeout(done, ms)), at = id => document.getElementById(id);
  const seen = {steps: []};
  Object.defineProperty(navigator, "clipboard", {value: {writeText: async words => { seen.copied = words; }}});
  const row = (name, n) => [...at("masses").tBodies[0].rows].map(r => r.cells[n].firstChild.textContent);
  const look = async what => {
    await wait(200);
    const words = id => at(id).firstChild.textContent;
    seen.steps.push({what, hash: location.hash.slice(1), code: at("code").textContent,
      callout: at("callout").hidden ? "" : at("callout-title").textContent,
      kept: row("kept", 4), out: row("out", 7), acceptance: words("acceptance"), bias: words("bias"),
      length: words("length"), drafted: row("drafted", 3), bars: document.querySelectorAll("#chart-o rect.kept").length,
      now: [...document.querySelectorAll("#chart-p [role=slider]")].map(s => s.getAttribute("aria-valuetext"))});
  };
  const set = (id, value, kind = "change") => { at(id).value = value; at(id).dispatchEvent(new Event(kind, {bubbles: true})); };
  const press = (id, key, times = 1) => { for (let n = 0; n < times; n++) {
    at(id).focus(); at(id).dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true})); } };
  const pointer = (kind, id, height, type) => {
    const box = at(id).ownerSVGElement.getBoundingClientRect();
    at(id).dispatchEvent(new PointerEvent(kind, {bubbles: true, cancelable: true, button: 0, pointerId: 7, pointerType: type,
      clientX: box.left + 9, clientY: box.top + box.height * (168 - 150 * height) / 190}));
  };
  await look("start");
  press("p-0", "ArrowUp", 7); await look("keys up");
  press("p-0", "ArrowDown", 7); await look("keys back");
  press("p-2", "End"); await look("end"); press("p-2", "Home"); await look("home");
  press("p-1", "PageUp", 2); await look("page up");
  seen.focus = document.activeElement.id;
  for (const type of ["mouse", "touch"]) {
    pointer("pointerdown", "q-1", .2, type); pointer("pointermove", "q-1", .75, type); pointer("pointerup", "q-1", .75, type);
    await look(type); pointer("pointermove", "q-1", .1, type); await look(type + " let go"); at("swap").click();
  }
  set("rule", "lenience"); set("factor-range", "3", "input"); await look("slider");
  set("factor-box", "3/7"); await look("box"); set("factor-box", "nonsense"); await look("nonsense");
  set("residual-choice", "levelled"); await look("levelled");
  set("type-p", "1/7 2/7 0 4/7"); await look("typed"); set("type-p", "1 -1 2 3");
  seen.invalid = at("type-p").getAttribute("aria-invalid"); await look("typed badly");
  set("vocab", "6"); press("q-5", "ArrowUp", 9); await look("vocabulary");
  set("rule", "pad"); at("flags-0").click(); at("flags-1").click(); await look("pivots");
  set("rule", "rdk"); at("shared-4").click(); set("affinity-0-3", "5"); await look("affinity");
  set("vocab", "3"); set("rule", "sqs"); set("k-box", "8"); await look("clamped");
  [...document.querySelectorAll("#rules a")].find(a => a.textContent === "C-SQS").click(); await look("link");
  at("copy").click(); await wait(); seen.said = at("copied").textContent; seen.code = at("code").textContent;
  at("link").click(); await wait(); seen.link = seen.copied; at("copy").click(); await wait();
  at("random").click(); await look("random");
  set("rule", "rdk-affine"); set("strength-box", "16"); await wait();
  seen.refused = [at("refused").hidden, at("numbers").hidden, at("refused").textContent];
  at("again").click(); await look("again");
  for (const option of [...at("claim").options].slice(1)) { set("claim", option.value); await look("claim " + option.value); }
  press("p-0", "ArrowUp"); await look("changed"); at("close").click(); await look("closed");
  seen.tie = explore("rule=typical&p=1,1,0&q=1,2,1&epsilon=1&delta=1");
  seen.garbage = ["", "%", "p=", "p=1,2,3&q=1,2", "p=0,0", "p=1,2&q=1,-1", "p=1e9,1",
    "rule=__proto__", "claim=constructor",
    "rule=ears&beta=1/0", "rule=ears&beta=x", "rule=rdk&affinity=1,2", "rule=rdk&affinity=0,0;1,1&p=1,1",
    "gamma=999", "rule=pad&flags=2"].map(explore);
  const named = e => e.labels?.length || e.getAttribute("aria-label") || e.textContent.trim();
  const things = document.querySelectorAll("button, input, select, a, [role=slider], [role=img], [role=region]");
  seen.nameless = [...things].filter(e => !named(e)).length;
  seen.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  seen.fetched = performance.getEntriesByType("resource").map(e => e.name);
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
</script>"""


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> tuple[Values, list[str]]:
    return browse(render(), tmp_path_factory.mktemp("visit"), extra="--virtual-time-budget=60000", script=READER)


def test_nothing_is_complained_of_or_fetched(visit: tuple[Values, list[str]]) -> None:
    seen, complaints = visit
    assert complaints == [] and seen["fetched"] == [] and seen["nameless"] == 0 and seen["wide"] == 0


def test_what_a_reader_sees_is_what_the_python_prints(visit: tuple[Values, list[str]]) -> None:
    for step in visit[0]["steps"]:
        said = printed(step["code"])
        assert said is not None, step["what"]
        shown = {"kept": step["kept"], "comes out": step["out"], "drafted": step["drafted"]}
        told = {name: " ".join(masses) for name, masses in shown.items()}
        told |= {"acceptance": step["acceptance"], "bias": step["bias"], "tokens per pass": step["length"]}
        assert {name: said[name] for name in told} == told, step["what"]
        assert said["lossless"] == str(step["bias"] == "0")


def test_bars_move_by_keyboard_mouse_and_touch(visit: tuple[Values, list[str]]) -> None:
    at = {step["what"]: step for step in visit[0]["steps"]}
    assert at["start"]["now"] == ["1/2 = 0.5", "1/4 = 0.25", "1/6 ≈ 0.1667", "1/12 ≈ 0.08333"]
    assert at["keys up"]["now"][0] == "37/60 ≈ 0.6167" and at["keys back"]["now"] == at["start"]["now"]
    assert [v[0] for v in at["end"]["now"]] == ["0", "0", "1", "0"] and at["home"]["now"][2] == "0"
    assert visit[0]["focus"] == "p-1"
    for kind in ("mouse", "touch"):
        weights = [int(w) for w in dict(p.split("=") for p in at[kind]["hash"].split("&"))["q"].split(",")]
        assert F(weights[1], sum(weights)) == F(3, 4), kind
        assert at[f"{kind} let go"]["hash"] == at[kind]["hash"]


def test_inputs_do_what_they_say(visit: tuple[Values, list[str]]) -> None:
    seen = visit[0]
    at = {
        step["what"]: dict(part.split("=") for part in step["hash"].split("&"))
        for step in seen["steps"]
        if step["hash"]
    }
    assert at["slider"]["factor"] == "1/5" and at["box"]["factor"] == at["nonsense"]["factor"] == "3/7"
    assert at["levelled"]["residual"] == "levelled" and at["typed"]["p"] == at["typed badly"]["p"] == "1,2,0,4"
    assert seen["invalid"] == "true"
    assert len(at["vocabulary"]["q"].split(",")) == 6 and at["pivots"]["flags"] == "110100"
    assert at["affinity"]["shared"] == "111001" and at["affinity"]["affinity"].startswith("1,1,0,5,0,0;")
    assert at["clamped"]["k"] == "3" and at["link"]["rule"] == "csqs"
    assert (
        seen["said"] == "Copied." and seen["copied"] == seen["code"] and seen["link"].endswith(step_hash(seen, "link"))
    )
    assert seen["refused"][:2] == [False, True] and "no law" in seen["refused"][2]


def step_hash(seen: Values, what: str) -> str:
    return next(f"#{step['hash']}" for step in seen["steps"] if step["what"] == what)


def test_every_counterexample_loads(visit: tuple[Values, list[str]]) -> None:
    steps = {s["what"].removeprefix("claim "): s for s in visit[0]["steps"] if s["what"].startswith("claim ")}
    views = [state for claim in counterexamples() for _, state in claim["views"]]
    assert list(steps) == list(dict.fromkeys(views))
    for state, step in steps.items():
        claim = dict(part.split("=") for part in step["hash"].split("&"))["claim"]
        assert f"claim={claim}&" in state and step["callout"] == f"Counterexample to {claim}"
    outs = [steps[state]["out"] for state in views if "rdk.approximator-available" in state]
    drafts = [steps[state]["drafted"] for state in views if "rdk.approximator-available" in state]
    assert len(outs) == 2 and drafts[0] != drafts[1]
    changed, closed = visit[0]["steps"][-2:]
    assert changed["callout"].endswith(", changed") and "claim=" in changed["hash"]
    assert closed["callout"] == "" and "claim=" not in closed["hash"]


def test_a_draw_and_nonsense_have_an_answer(visit: tuple[Values, list[str]]) -> None:
    """Where p meets the limit of typical acceptance exactly, the page rejects; what it cannot read is a default."""
    assert visit[0]["tie"]["tie"] and visit[0]["tie"]["kept"] == ["0", "0", "0"]
    for page in visit[0]["garbage"]:
        assert "refused" not in page and sum(map(F, page["comes out"])) == sum(map(F, page["p"])) == 1


def test_nothing_sticks_out_on_a_phone(tmp_path: Path) -> None:
    frame = tmp_path / "inner.html"
    frame.write_text(
        render().replace("</body>", "<script>addEventListener('load', () => parent.postMessage("
                         "document.documentElement.scrollWidth - document.documentElement.clientWidth, '*'))</script></body>"),
        encoding="utf-8",
    )  # fmt: skip
    eight = "rule=rdk&p=1,2,3,4,5,6,7,8&q=8,7,6,5,4,3,2,1"
    outer = (
        f'<body><iframe src="inner.html#{eight}" style="width:360px;height:900px;border:0"></iframe>'
        "<script>addEventListener('message', e => { const p = document.createElement('pre'); p.id = 'seen'; "
        "p.textContent = JSON.stringify({wide: e.data}); document.body.append(p); })</script></body>"
    )
    assert browse(outer, tmp_path, script="")[0] == {"wide": 0}


def contrast(one: str, other: str) -> float:
    """Contrast of two colours written #rrggbb, as WCAG 2 has it.

    >>> contrast("#000000", "#ffffff")
    21.0
    """

    def light(colour: str) -> float:
        parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(one), light(other)))
    return round((high + 0.05) / (low + 0.05), 6)


def test_words_can_be_read() -> None:
    """AA: 4.5 to 1 for every colour of words on every ground, in the light and in the dark style."""
    assert contrast("#000000", "#ffffff") == 21 and contrast("#777777", "#ffffff") < 4.5
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", style))
        for style in render().split("@media (prefers-color-scheme: dark)")[:2]
    )
    for colours, bright in ((light, "#ffffff"), (dark, dark["field"])):
        for word in ("ink", "soft", "link", "bad", "good"):
            for ground in (colours["paper"], colours["tint"], bright):
                assert contrast(colours[word], ground) >= 4.5, word
