"""What a reader trusts in the pages is executed: examples, commands, links, and the table of verdicts."""

from __future__ import annotations

import doctest
import re
import shlex
import sys
from pathlib import Path
from typing import get_args

import pytest

from benchmarks import __main__ as benchmarks
from simspec.claims import registry
from simspec.claims.claim import Verdict
from simspec.claims.deciding.verify import expected
from simspec.claims.printed import origins
from simspec.cli import main as main_cli
from simspec.cli import parser
from simspec.files import fill
from simspec.report.table import PART, main, table
from tests.requirements import require

ROOT = Path(__file__).parents[1]
TOURS = tuple(f"docs/tours/{p.name}" for p in sorted((ROOT / "docs" / "tours").iterdir()))
PAGES = ("README.md", "CONTRIBUTING.md", "docs/glossary.md", *TOURS)
TERMS = {
    "law": r"(?<!residual[ -])(?<!reported[ -])laws?",
    "target-step": r"(target|verification) steps?",
    "accepted-mass": r"accepted mass(es)?",
    "reported-law": r"reported (draft )?laws?",
    "mean-acceptance-length": r"mean acceptance lengths?",
    "residual-law": r"residual laws?",
    "uniforms": r"uniforms",
    "logit-bank": r"(logit )?banks?",
    "cell": r"cells?",
    "own-statement": r"own statements?",
}
"""Words of the glossary by their anchor; the first use on a page leads there."""


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """Fenced code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def console(page: str) -> list[tuple[str, str]]:
    """The commands of a page's console blocks, each after a `$`, with the output shown under it; `...` stands for lines cut."""
    parts = [part for block in blocks(read(page), "console") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)]
    return [(line, output) for line, _, output in (part.partition("\n") for part in parts if part)]


def shows(output: str, printed: str) -> bool:
    """Whether the output on a page is what a command printed; spaces at the ends of lines do not count."""
    return doctest.OutputChecker().check_output(output, printed, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)


def commands(page: str) -> list[str]:
    """Command lines a page shows: in shell and console blocks, and inline between backticks."""
    text = read(page)
    lines = [line.split(" #")[0].strip() for block in blocks(text, "sh") for line in block.splitlines()]
    lines += [line for line, _ in console(page)]
    inline = re.findall(
        r"`((?:make|simspec|python -m benchmarks) [^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    )
    return [line for line in lines + inline if line]


SHOWN = sorted({(page, line) for page in PAGES for line in commands(page)})


def failures(source: str, name: str) -> int:
    """Examples of a doctest source whose output differs from what is printed."""
    test = doctest.DocTestParser().get_doctest(source, {}, name, name, 0)
    return doctest.DocTestRunner(verbose=False).run(test, out=lambda text: print(text, end="")).failed


def write_files(page: str, folder: Path) -> list[str]:
    """Write the files that a page shows, blocks of Python that begin with their name, into a folder; returns the names."""
    found = [re.match(r"# ([\w/]+\.py)\n", block) for block in blocks(read(page), "python")]
    for block, name in zip(blocks(read(page), "python"), found, strict=True):
        if name:
            (folder / name[1]).write_text(block, encoding="utf-8")
    return [name[1] for name in found if name]


@pytest.mark.parametrize("page", PAGES)
def test_python_examples_give_the_output_they_show(page, tmp_path, monkeypatch) -> None:
    if write_files(page, tmp_path):
        monkeypatch.chdir(tmp_path)
    found = blocks(read(page), "pycon")
    assert found
    assert failures("\n".join(found), page) == 0


@pytest.mark.parametrize("page", [page for page in PAGES if "```pycon smollm2\n" in read(page)])
def test_examples_on_a_pretrained_model_give_the_output_they_show(page) -> None:
    """They go on from the other examples of the page, which are executed before them."""
    require("smollm2")
    assert failures("\n".join(blocks(read(page), "pycon") + blocks(read(page), "pycon smollm2")), page) == 0


def test_a_wrong_output_is_caught() -> None:
    assert failures(">>> 1 + 1\n3\n", "wrong") == 1


@pytest.mark.parametrize(("page", "line"), [(p, c) for p, c in SHOWN if c.startswith("simspec ")])
def test_simspec_commands_are_accepted(page, line) -> None:
    assert callable(parser().parse_args(shlex.split(line)[1:]).run)


@pytest.mark.parametrize(("page", "line", "output"), [(page, *shown) for page in PAGES for shown in console(page)])
def test_commands_print_the_output_that_a_page_shows(page, line, output, tmp_path, monkeypatch, capsys) -> None:
    write_files(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", sys.path[:])
    main_cli(shlex.split(line)[1:])
    printed = capsys.readouterr().out
    assert shows(output, printed), f"{page}: `{line}` prints\n{printed}"
    assert not shows(output + "a line that is not printed\n", printed)


def test_the_first_page_counts_claims_by_their_origin() -> None:
    count = f"{len(registry())} claims: {origins(registry().values())}"
    page = re.sub(r"\[(\w+)\]\([^)]*\)", r"\1", read("README.md"))
    assert count in " ".join(page.split()), f"README.md: write “{count}”"


@pytest.mark.parametrize(("page", "line"), [(p, c) for p, c in SHOWN if c.startswith("python ")])
def test_commands_of_the_benchmarks_are_accepted_and_others_are_those_of_make(page, line) -> None:
    words = shlex.split(line)
    if words[1:3] == ["-m", "simspec.logits.capture.smollm2"]:  # fetches the model: what `make smollm2` runs
        assert line in read("Makefile").replace("$(BIN)/", "") and words[3:] == []
        return
    assert words[1:3] == ["-m", "benchmarks"]
    benchmarks.parser().parse_args(words[3:])


def test_the_commands_of_ones_own_rule_and_claim_run(tmp_path, monkeypatch, capsys) -> None:
    """In the order of the page, in a folder that holds nothing but the file it shows."""
    page = "docs/tours/your-own.md"
    assert write_files(page, tmp_path) == ["mine.py"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", sys.path[:])
    lines = [line for block in blocks(read(page), "sh") for line in block.splitlines()]
    assert [main_cli(shlex.split(line)[1:]) for line in lines] == [0] * len(lines)
    assert "5 holds, 1 refuted; read" in capsys.readouterr().out
    for line in ("verify my_bound.py:MY_BOUND --effort quick", "study run my_study.py:my_study --rows 64"):
        assert main_cli(line.split()) == 0


@pytest.mark.parametrize(("page", "line"), [(p, c) for p, c in SHOWN if c.startswith("make ")])
def test_make_targets_exist(page, line) -> None:
    targets = set(re.findall(r"^([a-z0-9]+):", read("Makefile"), re.MULTILINE))
    wanted = [word for word in shlex.split(line)[1:] if "=" not in word]
    assert wanted and set(wanted) <= targets


def test_no_other_kind_of_command_goes_unchecked() -> None:
    starts = {line.split()[0] for _, line in SHOWN}
    assert starts <= {"make", "simspec", "pip", "python"}
    extras = {name for _, line in SHOWN for group in re.findall(r"\[(\w[\w,]*)\]", line) for name in group.split(",")}
    assert extras <= set(re.findall(r"^(\w+) = \[", read("pyproject.toml"), re.MULTILINE))


@pytest.mark.parametrize("page", [str(p.relative_to(ROOT)) for p in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))])
def test_links_inside_the_repository_lead_somewhere(page) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)", re.sub(r"`[^`]*`", "", read(page))):
        assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"


def prose(page: str) -> str:
    """The sentences of a page without code, headings, tables and comments; a link to the glossary becomes a mark."""
    text = re.sub(r"^(```.*?^```$|#.*?$|\|.*?$|<!--.*?$)", "", read(page), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\[([^\]]*)\]\([^)]*glossary\.md(#[\w-]+)?\)", r" §\2 ", text)
    return re.sub(r"`[^`]*`|\]\([^)]*\)", "", text)


@pytest.mark.parametrize("page", [*(page for page in PAGES if page != "docs/glossary.md"), "docs/design.md"])
def test_the_first_use_of_a_word_leads_to_the_glossary(page) -> None:
    text = prose(page)
    for anchor, word in TERMS.items():
        before = text.partition(f"§#{anchor} ")[0]
        use = re.search(rf"(?i)\b{word}\b", before)
        assert use is None, f"{page}: link “{use[0]}” to glossary.md#{anchor}: …{before[: use.end()][-60:]}"


def test_links_into_the_glossary_name_its_headings() -> None:
    headings = {
        line[4:].lower().replace(" ", "-") for line in read("docs/glossary.md").splitlines() if line.startswith("### ")
    }
    assert set(TERMS) <= headings
    for page in ROOT.glob("**/*.md"):
        if not {".venv", "build"} & set(page.relative_to(ROOT).parts):
            linked = set(re.findall(r"glossary\.md#([\w-]+)\)", page.read_text(encoding="utf-8")))
            assert linked <= headings, page


def test_the_first_page_is_short() -> None:
    assert len(read("README.md").splitlines()) <= 150


def test_files_named_in_the_recipes_exist() -> None:
    for name in re.findall(r"`((?:simspec|tests|proofs_check)/[\w/.]+\.\w+)`", read("CONTRIBUTING.md")):
        assert (ROOT / name).exists(), f"CONTRIBUTING.md names {name}"


def test_the_verdict_table_is_current() -> None:
    page = read("docs/verdicts.md")
    assert fill(page, PART, table(registry().values(), expected()["verdicts"])) == page, "run: make readme"


def test_every_claim_has_a_recorded_verdict_and_no_other_is_recorded() -> None:
    assert set(expected()["verdicts"]) == set(registry())


def test_every_verdict_word_is_explained() -> None:
    page = read("docs/verdicts.md")
    assert [word for word in get_args(Verdict) if f"\n| {word} | " not in page] == []


def test_rewriting_a_page(tmp_path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- verdicts:begin -->\nan old line\n<!-- verdicts:end -->\nafter\n", encoding="utf-8")
    assert main([str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n<!-- verdicts:begin -->\n{len(registry())} claims (")
    assert text.endswith("\n<!-- verdicts:end -->\nafter\n")
    assert "an old line" not in text and "| `sd.acceptance` | identity |" in text


def test_the_citation_has_what_its_format_requires_with_values_of_the_right_type() -> None:
    """Version 1.2.0 of the Citation File Format: four required keys; a software has a version and authors with names."""
    lines = read("CITATION.cff").splitlines()
    fields = dict(line.split(": ", 1) for line in lines if ": " in line and not line.startswith(" "))
    assert {"cff-version", "message", "title"} <= set(fields) and "authors:" in lines
    assert fields["cff-version"] == "1.2.0" and fields["type"] == "software"
    assert lines[lines.index("authors:") + 1].startswith("  - name: ")
    allowed = {"abstract", "cff-version", "license", "message", "title", "type", "version"}
    assert set(fields) <= allowed and all(value.strip() for value in fields.values())


def test_the_version_is_the_same_everywhere() -> None:
    import simspec

    assert f'\n__version__ = "{simspec.__version__}"\n' in read("simspec/version.py")
    assert f"\nversion: {simspec.__version__}\n" in read("CITATION.cff")
    assert f"\n## {simspec.__version__}" in read("CHANGELOG.md")
