"""The page in a real browser, opened from disk: it shows, filters, links, and asks the network for nothing.

A script added to the page does what a reader does, and writes what it saw into the document; Chromium prints that
document and its console.  No driver is needed.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from simspec.claims import PAPERS
from simspec.report import render
from tests.report.sample import many, sample
from tests.requirements import require

require("browser")

FLAGS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync --disable-dev-shm-usage --enable-logging=stderr --window-size=1000,900 --virtual-time-budget=8000"
)

OBSERVE = """<script>
addEventListener("load", async () => {
  const wait = () => new Promise(done => setTimeout(done, 60));
  const size = element => element.getBoundingClientRect();
  const visible = () => [...document.querySelectorAll(".claim")].filter(c => size(c).height > 0).map(c => c.id);
  const box = document.getElementById("text"), seen = {};
  const type = async text => {
    box.value = text;
    box.dispatchEvent(new Event("input", {bubbles: true}));
    await wait();
    return visible();
  };
  const toggle = async name => {
    document.querySelector(`input[value=${name}]`).click();
    await wait();
    return visible();
  };
  await wait();
  seen.start = visible();
  seen.bar = size(document.getElementById("filter")).bottom;
  seen.open = [...document.querySelectorAll(".claim[open]")].map(c => c.id);
  seen.top = seen.open.map(id => size(document.getElementById(id)).top);
  seen.typed = await type("kernel RDK");
  seen.nothing = await type("no such words");
  seen.status = document.getElementById("shown").textContent;
  await type("");
  const order = async name => {
    document.querySelector(`input[value=${name}][name=order]`).click();
    await wait();
    return visible();
  };
  seen.ordered = await order("refuted");
  seen.address = location.search;
  seen.inOrder = await order("paper");
  seen.refuted = await toggle("refuted");
  seen.refutedIdentity = await toggle("identity");
  seen.filtered = location.search;
  document.getElementById("clear").click(); await wait();
  seen.cleared = visible();
  document.getElementById("open").click(); await wait();
  seen.formulas = [...document.querySelectorAll("math")].map(m => Math.min(size(m).width, size(m).height));
  const fraction = document.querySelector("mfrac");
  seen.fraction = size(fraction).height / size(fraction.firstElementChild).height;
  seen.dots = [...document.querySelectorAll("circle")].every(c => size(c).width > 0);
  seen.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  Object.defineProperty(navigator, "clipboard", {value: {writeText: async () => {}}});  // a busy machine's takes any time
  document.querySelector(".copy").click();
  for (let n = 0; n < 50 && document.querySelector(".copy").textContent === "Copy"; n++) await wait();
  seen.copied = document.querySelector(".copy").textContent;
  document.getElementById("close").click(); await wait();
  await toggle("proved");
  document.querySelector('a[href="#paper-rdk"]').click(); await wait(); await wait();
  seen.followed = visible();
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true, cancelable: true}));
  seen.focus = document.activeElement.id;
  dispatchEvent(new Event("beforeprint"));
  seen.printed = document.querySelectorAll(".claim[open]").length;
  dispatchEvent(new Event("afterprint"));
  seen.after = document.querySelectorAll(".claim[open]").length;
  seen.fetched = performance.getEntriesByType("resource").map(e => e.name);
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
</script>"""


def browse(
    html: str, folder: Path, anchor: str = "", extra: str = "", script: str = OBSERVE
) -> tuple[dict[str, Any], list[str]]:
    """What the observing script saw, and what the console complained of."""
    page = folder / "page.html"
    page.write_text(html.replace("</body>", script + "</body>"), encoding="utf-8")
    program = next(p for p in ("chromium", "chromium-browser", "google-chrome") if shutil.which(p))
    command = [program, *FLAGS.split(), *extra.split(), f"--user-data-dir={folder / 'profile'}", "--dump-dom"]
    done = subprocess.run([*command, f"{page.as_uri()}{anchor}"], capture_output=True, text=True, timeout=900)
    complaints = re.findall(r"CONSOLE.*", done.stderr)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    return (json.loads(unescape(found.group(1))) if found else {}), complaints


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[str]]:
    return browse(render(sample()), tmp_path_factory.mktemp("page"), "#rdk.worst-case")


def ids(**wanted: str) -> list[str]:
    return [c["id"] for c in sample()["claims"] if all(c[k] == v for k, v in wanted.items())]


def test_no_complaint_and_nothing_fetched(visit: tuple[dict[str, Any], list[str]]) -> None:
    seen, complaints = visit
    assert complaints == []
    assert seen["fetched"] == []


def test_a_deep_link_opens_its_claim(visit: tuple[dict[str, Any], list[str]]) -> None:
    seen, _ = visit
    assert seen["start"] == ids()
    assert seen["open"] == ["rdk.worst-case"]
    assert 0 <= seen["top"][0] < 400


def test_filter(visit: tuple[dict[str, Any], list[str]]) -> None:
    seen, _ = visit
    assert seen["typed"] == ["sd.acceptance"]
    assert seen["nothing"] == [] and seen["status"] == "0 of 10 claims"
    assert seen["refuted"] == ids(verdict="refuted")
    assert seen["refutedIdentity"] == ids(verdict="refuted", kind="identity")
    assert seen["cleared"] == ids()
    assert seen["followed"] == ids()  # a link to what the filter hides lifts the filter


def test_formulas_and_plots_have_a_size(visit: tuple[dict[str, Any], list[str]]) -> None:
    seen, _ = visit
    assert len(seen["formulas"]) > 30 and min(seen["formulas"]) > 2
    assert seen["fraction"] > 1.5  # numerator above denominator: the fraction is set, not spelt
    assert seen["dots"]


def test_copy_keyboard_and_print(visit: tuple[dict[str, Any], list[str]]) -> None:
    seen, _ = visit
    assert seen["copied"] == "Copied"
    assert seen["focus"] == "text"
    assert seen["printed"] == len(ids()) and seen["after"] == 0


def test_nothing_sticks_out(visit: tuple[dict[str, Any], list[str]], tmp_path: Path) -> None:
    assert visit[0]["wide"] == 0
    frame = tmp_path / "inner.html"
    frame.write_text(
        render(sample()).replace('<details class="claim"', '<details open class="claim"')
        .replace("</body>", "<script>addEventListener('load', () => parent.postMessage("
                 "document.documentElement.scrollWidth - document.documentElement.clientWidth, '*'))</script></body>")
    )  # fmt: skip
    outer = (
        '<body><iframe src="inner.html" style="width:360px;height:900px;border:0"></iframe>'
        "<script>addEventListener('message', e => { const p = document.createElement('pre'); p.id = 'seen'; "
        "p.textContent = JSON.stringify({wide: e.data}); document.body.append(p); })</script>"
    )
    seen, _ = browse(outer, tmp_path)
    assert seen == {"wide": 0}


def test_160_claims(tmp_path: Path) -> None:
    seen, complaints = browse(render(many(160)), tmp_path)
    assert complaints == [] and len(seen["start"]) == 160


def test_the_console_check_sees_faults(tmp_path: Path) -> None:
    faults = {
        "undefinedName": "<script>undefinedName()</script>",
        "http://127.0.0.1:9/x.js": '<script src="http://127.0.0.1:9/x.js"></script>',
        "missing.png": '<img src="missing.png">',
    }
    _, complaints = browse(render(sample()).replace("<main>", "<main>" + "".join(faults.values())), tmp_path)
    assert len(complaints) >= len(faults)
    for word in faults:
        assert any(word in said for said in complaints), complaints


def test_a_deep_link_lands_below_the_bar(visit: tuple[dict[str, Any], list[str]]) -> None:
    seen, _ = visit
    assert seen["top"][0] >= seen["bar"] - 1


def test_refuted_first_within_each_paper(visit: tuple[dict[str, Any], list[str]]) -> None:
    seen, _ = visit
    rank = {"refuted": 0, "unsupported": 1, "error": 2, "inconclusive": 3}
    claims = sample()["claims"]
    papers = list(dict.fromkeys(c["id"].split(".")[0] for c in claims))
    wanted = [
        c["id"]
        for paper in [p for p in PAPERS if p in papers]
        for c in sorted((c for c in claims if c["id"].split(".")[0] == paper), key=lambda c: rank.get(c["verdict"], 9))
    ]
    assert seen["ordered"] == wanted != seen["inOrder"] == seen["start"]


def test_the_address_holds_the_filter(visit, tmp_path) -> None:
    seen, _ = visit
    assert seen["address"] == "?order=refuted"
    assert seen["filtered"] == "?verdict=refuted&kind=identity"
    again, complaints = browse(render(sample()), tmp_path, "?verdict=refuted&kind=identity")
    assert complaints == [] and again["start"] == ids(verdict="refuted", kind="identity")
