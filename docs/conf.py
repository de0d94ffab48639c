"""The site: every page of the repository, and the reference from the docstrings, as `make site` builds them with Sphinx.

Pages are read where they stand, as they are written for reading in the repository.  Formulas become MathML by the
package's own translation, so that a reader needs no network and no script; a file that a page links to is copied to
the place that it has in the repository.  The report is taken from the folder `report`.
"""

from __future__ import annotations

import gc
import re
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.osutil import relative_uri

import simspec
from simspec.html.formulas import mathml
from simspec.report.proofs import readable

ROOT = Path(__file__).parents[1]
CONTENTS = {
    "Tours": (
        *("docs/tours/audit", "docs/tours/advise", "docs/tours/laws", "docs/tours/installing", "docs/tours/*"),
        *("notebooks/README", "docs/glossary"),
    ),
    "Reading": (
        *(
            "docs/verdicts",
            "docs/printed",
            "docs/refuted",
            "docs/models",
            "figures/README",
            "docs/cases/README",
            "docs/design",
        ),
        *("docs/references", "docs/*", "docs/decisions/README", "CONTRIBUTING", "SECURITY", "CHANGELOG"),
    ),
    "Proofs and timings": ("docs/proofs/README", "docs/benchmarks/README"),
    "Reference": ("docs/api/index",),
}
"""The navigation, by its headings: pages, or patterns of them. Each page is listed once."""
WITHIN = ("docs/cases/README", "docs/decisions/README", "docs/proofs/README")
"""Pages under which those beside them stand."""

REPORT = """
```{raw} html
<p>The <a class="reference" href="report/index.html">report</a> has every claim with its evidence, and its
<a class="reference" href="report/proofs.html">proofs</a>, step by step.</p>
```
"""
"""Stands on the first page where there is a report to lead to."""

# trees of nodes, which stay: looking for garbage among them took an eighth of the time
gc.set_threshold(100_000, 50, 50)

project = "simspec"
author = "The simspec authors"
release = simspec.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "docs/*/*.md", "docs/api/*.rst", "figures/README.md", "notebooks/README.md"]

html_theme = "furo"
html_title = f"simspec {release}"
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # it would be fetched, which no page opened from disk may do
toc_object_entries = False
smartquotes = False
html_math_renderer = "mathml"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

autodoc_typehints = "signature"
autodoc_type_aliases = {"Array": "Array", "Scalar": "Scalar"}
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
default_role = "code"
suppress_warnings = [
    "myst.header",  # pages of proofs go from the first level of headings to the third
    "ref.python",  # a type of several modules, such as Study: each of them shows the same one
]


def formula(latex: str) -> str:
    """MathML of a formula: kept from when the proofs were checked, or translated now."""
    return str(readable()["formulas"].get(latex) or mathml(latex))


class Beside(SphinxTransform):
    """Links to files that are no pages: each leads to a copy at the file's own place; of links to folders the words stay."""

    default_priority = 870  # before the links to files are collected

    def _place(self, node: nodes.Element) -> Path:
        return Path(self.env.relfn2path(node["reftarget"], self.env.docname)[1])

    def apply(self, **_: Any) -> None:
        for node in list(self.document.findall(addnodes.pending_xref)):
            if node["reftype"] == "myst" and node["refdomain"] is None and self._place(node).is_dir():
                node.replace_self(node.children)
        for node in list(self.document.findall(addnodes.download_reference)):
            file = self._place(node).relative_to(ROOT).as_posix()
            self.env.metadata[self.env.docname].setdefault("copied", []).append(file)
            address = relative_uri(f"{self.env.docname}.html", file)
            node.replace_self(nodes.reference("", "", *node.children, internal=True, refuri=address))


def read(app: Sphinx, name: str, source: list[str]) -> None:
    """Formulas between dollar signs and backticks, as the pages of the proofs have them; the first page's contents."""
    source[0] = re.sub(r"\$`([^`]+)`\$", r"{math}`\1`", source[0])
    if name == root_doc:
        source[0] += REPORT if _report(app) else ""
        listed: list[str] = []
        for heading, patterns in CONTENTS.items():
            pages = [page for page in _pages(*patterns) if page not in listed]
            source[0] += _toctree(pages, heading)
            listed += pages
    if name in WITHIN:
        source[0] += _toctree([page for page in _pages(f"{Path(name).parent}/*") if page != name])


def _report(app: Sphinx) -> list[Path]:
    """Pages that `simspec verify` wrote; none where it has not been run."""
    return sorted((ROOT / app.config.report).glob("*.html"))


def _pages(*patterns: str) -> list[str]:
    """Pages of some patterns, each once."""
    found = (p for name in patterns for p in sorted(ROOT.glob(f"{name}.*")) if p.suffix in (".md", ".rst"))
    return list(dict.fromkeys(p.relative_to(ROOT).with_suffix("").as_posix() for p in found))


def _toctree(pages: list[str], heading: str = "") -> str:
    caption = [f":caption: {heading}"] if heading else []
    lines = ["", "```{toctree}", ":hidden:", ":titlesonly:", *caption, *(f"/{page}" for page in pages), "```", ""]
    return "\n".join(lines) if pages else ""


def described(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Docstrings as reStructuredText: sections by their underlines, arguments as a list of what each is."""
    told: list[str] = []
    listed = False
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        if after and not after.strip("-"):
            listed = line in ("Parameters", "Attributes")
            told += ["", f".. rubric:: {line}", ""]
        elif not line or line.strip("-"):
            listed = listed and (bool(before) or not line or line.startswith(" "))
            told += _argument(line, after) if listed and not line.startswith(" ") else [_plain(line)]
    lines[:] = told


def _argument(line: str, after: str) -> list[str]:
    """An argument's line: its kind beside it where what it means follows on lines of its own."""
    name, colon, kind = _plain(line).replace("*", r"\*").partition(" : ")
    if not colon or (after.startswith(" ") and ";" not in kind and len(kind) < 60):
        return ["", name + colon + kind]
    return ["", name, f"    {kind}"]


def _plain(line: str) -> str:
    """Bars are absolute values, not substitutions; examples stay as they are."""
    return line if line.lstrip().startswith((">>>", "...")) else line.replace("|", r"\|")


def skipped(app: Sphinx, what: str, name: str, thing: object, skip: bool, options: object) -> bool | None:
    """Fields of tuples are told of in their class's description."""
    return True if (getattr(thing, "__doc__", None) or "").startswith("Alias for field number") else None


def finish(app: Sphinx, error: Exception | None) -> None:
    """Copies of the linked files; the first page under the name that servers look for."""
    if error is not None:
        return
    for page in _report(app):
        (Path(app.outdir) / "report").mkdir(exist_ok=True)
        shutil.copyfile(page, Path(app.outdir) / "report" / page.name)
    for copied in {file for page in app.env.metadata.values() for file in page.get("copied", ())}:
        there = Path(app.outdir) / copied
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / copied, there)
    shutil.copyfile(Path(app.outdir) / f"{root_doc}.html", Path(app.outdir) / "index.html")


def inline(self: Any, node: nodes.math) -> None:
    """A formula in a line."""
    self.body.append(formula(node.astext()))
    raise nodes.SkipNode


def block(self: Any, node: nodes.math_block) -> None:
    """A formula on lines of its own."""
    self.body.append(f"<p>{formula(node.astext())}</p>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """What Sphinx is to do beside its own work."""
    app.add_config_value("report", "report", "html", str)
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.add_transform(Beside)
    app.connect("source-read", read)
    app.connect("autodoc-process-docstring", described)
    app.connect("autodoc-skip-member", skipped)
    app.connect("build-finished", finish)
