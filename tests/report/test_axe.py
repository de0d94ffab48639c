"""What axe-core finds wrong with each page, run in the browser with everything unfolded, in light and in dark."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from simspec.claims.printed import sentences
from simspec.report import render
from simspec.report.explore import render as explore
from tests.report.sample import sample
from tests.report.test_browser import browse
from tests.report.test_proofs_browser import page as proofs
from tests.requirements import require

require("browser")
require("axe")

DARK = "--blink-settings=preferredColorScheme=0"
RUN = """<script>
addEventListener("load", async () => {
  document.querySelectorAll("#filter input[type=checkbox]").forEach((input, n) => { if (n < 2) input.click(); });
  document.querySelectorAll("details").forEach(d => { d.open = true; });
  const found = await axe.run(document);
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify({
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    passed: found.passes.map(v => v.id),
    wrong: found.violations.map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join("; ")}`),
  });
  document.body.append(out);
});
</script>"""


def report() -> str:
    """The sample with the sentences that the papers print."""
    return render(sample(), None, sentences())


def judged(html: str, folder: Path, extra: str = "") -> tuple[list[str], list[str], bool]:
    """Rules that a page breaks, rules that it was found to keep, and whether it was shown dark."""
    axe = resources.files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    script = f"<script>{axe.replace('</script', '<' + chr(92) + '/script')}</script>{RUN}"
    seen, complaints = browse(html, folder, extra=extra, script=script)
    assert complaints == []
    return seen["wrong"], seen["passed"], seen["dark"]


@pytest.mark.parametrize(
    ("made", "extra"),
    [(report, ""), (report, DARK), (proofs, DARK), (explore, ""), (explore, DARK)],
    ids=["report", "report, dark", "proofs, dark", "explore", "explore, dark"],
)
def test_no_page_breaks_a_rule(made, extra, tmp_path) -> None:
    wrong, passed, dark = judged(made(), tmp_path, extra)
    assert wrong == []
    assert {"color-contrast", "button-name", "html-has-lang"} <= {*passed}
    assert dark == bool(extra)


def test_faults_are_seen(tmp_path) -> None:
    faults = '<p style="color: #eee">pale</p><button><a href="#x">nested</a></button><img src="data:,">'
    wrong, _, _ = judged(
        f'<!DOCTYPE html><html lang="en"><title>x</title><body><main>{faults}</main></body></html>', tmp_path
    )
    assert {"color-contrast", "nested-interactive", "image-alt"} <= {w.split(":")[0] for w in wrong}
