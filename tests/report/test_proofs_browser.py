"""The page of proofs in a real browser: folded, searched by words of a step, and a way to the claim and back."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from simspec.report import render_proofs
from tests.report.test_proofs import ENTRY, RECORD, STEP, one, run
from tests.requirements import require

require("browser")

from tests.report.test_browser import browse  # noqa: E402  it needs one too

OBSERVE = """<script>
addEventListener("load", async () => {
  const wait = () => new Promise(done => setTimeout(done, 60));
  const size = element => element.getBoundingClientRect();
  const visible = () => [...document.querySelectorAll(".claim")].filter(c => size(c).height > 0).map(c => c.id);
  const box = document.getElementById("text"), seen = {};
  await wait();
  seen.open = [...document.querySelectorAll(".claim[open]")].map(c => c.id);
  seen.top = size(document.getElementById("sd.two")).top;
  seen.bar = size(document.getElementById("filter")).bottom;
  seen.stuck = size(document.getElementById("filter")).top;
  const link = document.querySelector('[id="sd.two"] a[href^="index.html"]');
  seen.back = link.getAttribute("href");
  seen.reachable = size(link).height > 0;
  const type = async text => {
    box.value = text;
    box.dispatchEvent(new Event("input", {bubbles: true}));
    await wait();
    return visible();
  };
  seen.all = await type("");
  seen.typed = await type("strange words");
  seen.address = location.search;
  await type("");
  document.querySelector("input[value=refuted]").click(); await wait();
  seen.refuted = visible();
  document.getElementById("clear").click(); await wait();
  seen.cleared = visible();
  seen.fetched = performance.getEntriesByType("resource").map(e => e.name);
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
</script>"""


def page() -> str:
    """Two statements among many, so that the page scrolls, one with a step of its own words."""
    record: dict[str, Any] = copy.deepcopy(RECORD)
    record["proofs"]["sd.many"] = [{**RECORD["proofs"]["sd.one"][0], "steps": [STEP] * 40}]
    record["proofs"]["sd.odd"] = [{**RECORD["proofs"]["sd.one"][0], "steps": [["strange words", "definition", "a"]]}]
    two = one() | {"id": "sd.two", "verdict": "refuted", "proof": record["proofs"]["sd.two"]}
    others = [one() | {"id": name} for name in ("sd.many", "sd.odd")]
    last = [one() | {"id": f"rdk.n{n}", "proof": [{**ENTRY, "whole": False}]} for n in range(30)]
    return render_proofs(run(one(), *others, two, *last), record)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found, complaints = browse(page(), tmp_path_factory.mktemp("proofs"), "#sd.two", script=OBSERVE)
    assert complaints == [] and found["fetched"] == []
    return found


def test_only_what_the_address_names_is_unfolded_and_lies_below_the_bar(seen) -> None:
    assert seen["open"] == ["sd.two"]
    assert seen["stuck"] == 0  # the bar sticks: the page is scrolled
    assert seen["bar"] <= seen["top"] < seen["bar"] + 40


def test_a_way_back(seen) -> None:
    assert seen["back"] == "index.html#sd.two" and seen["reachable"]


def test_words_of_a_step_find_their_proof(seen) -> None:
    assert len(seen["all"]) == 34
    assert seen["typed"] == ["sd.odd"] and seen["address"] == "?q=strange+words"


def test_how_far_a_proof_goes_chooses(seen) -> None:
    assert seen["refuted"] == ["sd.two"] and seen["cleared"] == seen["all"]
