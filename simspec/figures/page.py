"""The page of the gallery, ``figures/README.md``: every picture with its caption, paper by paper."""

from __future__ import annotations

from simspec.figures.gallery import PAPERS, caption, find, stored

__all__ = ["page"]

TITLES = {
    "rdk": "RDK: out-of-vocabulary drafting",
    "ears": "EARS: relaxed acceptance",
    "pad": "PAD: pivot-aware acceptance",
    "sqs": "SQS, K-SQS and C-SQS: sparse quantised drafts",
    "tasc": "TASC: n-gram drafters and enriched tokens",
    "theory": "The theory of 2026: certificates, numerics, parallel drafts, cascades, watermarks",
    "all": "All papers together",
}

HEAD = """# The gallery

Look up the papers' figures and tables, reproduced on synthetic and real logits, and what the papers do not show.
`simspec figures` draws each picture from stored rows. The caption names the command that simulates the rows again.
Shaded bands and whiskers are intervals. The [glossary](../docs/glossary.md) explains the words."""


def page() -> str:
    """Markdown of the whole gallery, from the stored manifests.

    >>> page().startswith("# The gallery")
    True
    """
    lines = [HEAD]
    for paper in PAPERS:
        figures = [f for f in find() if f.name.split(".")[0] == paper]
        lines += ["", f"## {TITLES[paper]}"] if figures else []
        for figure in figures:
            lines += ["", f"### {figure.name}", "", f"![{figure.title}]({figure.file}.png)", ""]
            lines += [caption(figure, stored(figure)[1])]
    return "\n".join(lines) + "\n"
