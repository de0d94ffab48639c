"""The site as `make site` builds it: no warning, no dead link, no network, and the same page in a browser."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from simspec.figures.gallery import links
from simspec.report import render
from tests.report.sample import sample
from tests.requirements import require
from tests.site.pages import dead, fetched, read

require("site")

ROOT = Path(__file__).parents[2]
SEE = """<script>
addEventListener("load", () => setTimeout(() => {
  const out = document.createElement("pre");
  const size = element => element.getBoundingClientRect();
  out.id = "seen";
  out.textContent = JSON.stringify({
    formulas: [...document.querySelectorAll("math")].slice(0, 200).map(m => Math.min(size(m).width, size(m).height)),
    found: document.querySelectorAll("#search-results li").length,
    outside: performance.getEntriesByType("resource").map(e => e.name).filter(n => !n.startsWith("file:")),
  });
  document.body.append(out);
}, 1500));
</script>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, with a report of a few claims."""
    folder = tmp_path_factory.mktemp("site")
    report = folder / "report"
    report.mkdir()
    verdicts = sample()
    for claim in verdicts["claims"]:
        claim["proof"] = None  # those of the sample are on no page
    (report / "index.html").write_text(render(verdicts, links(ROOT / "report")), encoding="utf-8")
    (report / "proofs.html").write_text("<p>none", encoding="utf-8")
    command = "-m sphinx -q -W --keep-going -c docs -D".split()
    done = subprocess.run(
        [sys.executable, *command, f"report={report}", ".", folder / "out"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "out"


def pages(site: Path, pattern: str = "*.html") -> list[Path]:
    return sorted(site.rglob(pattern))


def test_every_page_of_the_repository_is_there(site) -> None:
    found = {p.relative_to(site).with_suffix("").as_posix() for p in pages(site)}
    written = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("**/*.md"),
        *(ROOT / n / "README.md" for n in ("figures", "notebooks")),
    ]
    assert {p.relative_to(ROOT).with_suffix("").as_posix() for p in written} <= found
    assert {"index", "docs/explore", "report/index", "report/proofs", "docs/api/index", "search"} <= found


def test_every_link_leads_somewhere(site) -> None:
    assert len(pages(site)) > 40
    assert {page.relative_to(site): found for page in pages(site) if (found := dead(page))} == {}


def test_nothing_is_fetched_from_elsewhere(site) -> None:
    everything = [*pages(site), *pages(site, "*.css")]
    assert {page.relative_to(site): found for page in everything if (found := fetched(page))} == {}


def test_each_public_name_of_the_first_layers_is_described(site) -> None:
    for layer in ("laws", "logits", "methods", "audit", "report"):
        module = import_module(f"simspec.{layer}")
        wanted = {f"simspec.{layer}.{n}" for n in module.__all__ if callable(getattr(module, n))}
        told = read(site / "docs" / "api" / f"{layer}.html").anchors
        assert wanted <= told


def test_a_browser_shows_formulas_and_finds_words_without_a_network(site) -> None:
    require("browser")
    from tests.report.test_browser import browse

    proofs = site / "docs" / "proofs" / "sd.html"
    seen, complaints = browse(proofs.read_text(encoding="utf-8"), proofs.parent, script=SEE)
    assert complaints == [] and seen["outside"] == []
    assert len(seen["formulas"]) > 30 and min(seen["formulas"]) > 2
    search = (site / "search.html").read_text(encoding="utf-8")
    seen, complaints = browse(search, site, "?q=lossless", script=SEE)
    assert complaints == [] and seen["outside"] == [] and seen["found"] > 5
