"""The pages of `docs/cases`: one for each member of the zoo, and an index.  Every number on them is computed here.

`python -m simspec.audit.zoo.cases docs/cases` writes them.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import Any

from simspec.audit.pairs import Pair
from simspec.audit.zoo import Member, exact_facts, rules
from simspec.audit.zoo.member import rates, residual
from simspec.audit.zoo.table import COMMON, MOST, RUNS, Price, Row, part_named, settings_of, table
from simspec.files import write_text
from simspec.laws import exact

__all__ = [
    "decimal",
    "detection",
    "file_name",
    "index",
    "law_table",
    "laws_of",
    "main",
    "number",
    "page",
    "source_of",
]

KINDS = {
    "fault": "Published faults",
    "report": "Right tokens, wrong number",
    "honest": "Correct rules that were taken for faults",
    "lossy": "Lossy by declaration",
}
ONE = {
    "fault": "Published fault",
    "report": "Right tokens, wrong number",
    "honest": "Correct rule, taken for a fault",
    "lossy": "Lossy by declaration",
}
MOST_TEXTS = 12
"""Most rows of a table of texts."""


def number(x: Any) -> str:
    """A figure in words: a fraction as it is where it is short or a power of two, else four decimals.

    >>> number(Fraction(1, 12)), number(Fraction(1785999, 1048576)), number(0.25), number(Fraction(1, 2**24))
    ('1/12', '1.7033', '0.2500', '2^-24')
    """
    if isinstance(x, int | Fraction):
        fraction = Fraction(x)
        if fraction.denominator <= 256:
            return str(x)
        if fraction.numerator == 1 and fraction.denominator.bit_count() == 1:
            return f"2^-{fraction.denominator.bit_length() - 1}"
    return f"{float(x):.4f}"


def decimal(x: Any) -> str:
    """A figure with its decimals.

    >>> decimal(Fraction(1, 12)), decimal(Fraction(1, 2)), decimal(Fraction(2))
    ('1/12 ≈ 0.0833', '1/2', '2')
    """
    text = number(x)
    return text if "." in text or not (x * 10000) % 1 else f"{text} ≈ {float(x):.4f}"


def file_name(member: Member) -> str:
    """Name of a member's page.

    >>> from simspec.audit.zoo import MEMBERS
    >>> file_name(MEMBERS["zero_coin"])
    'f07-zero-coin.md'
    """
    return f"{member.number.lower()}-{member.name.replace('_', '-')}.md"


def source_of(function: Callable[..., Any]) -> str:
    """The lines of a function, without its docstring.

    >>> print(source_of(number).splitlines()[0])
    def number(x: Any) -> str:
    """
    function = function.func if isinstance(function, partial) else function
    text = dedent(inspect.getsource(function))
    return re.sub(r'\n    """.*?"""(\n(?=\n))?', "", text, count=1, flags=re.DOTALL).rstrip()


def laws_of(pair: Pair) -> list[str]:
    """Laws as a table, a row for each position."""
    head = "| | " + " | ".join(f"token {t}" for t in range(pair.vocab)) + " |"
    lines = [head, "|---|" + "---:|" * pair.vocab]
    for name, laws in (("target", pair.p), ("draft", pair.q)):
        for i, law in enumerate(laws.tolist()):
            lines.append(f"| {name}, position {i + 1} | " + " | ".join(number(Fraction(mass)) for mass in law) + " |")
    return lines


def law_table(member: Member) -> list[str]:
    """The law of the texts as it is and repaired, beside the target's; the texts that differ most first."""
    p = exact(member.laws.p)
    q = exact(member.laws.q)
    member_facts = exact_facts(member, p, q)
    mended = exact_facts(member.repaired(), p, q)
    texts = sorted({**member_facts.target, **member_facts.law, **mended.law})
    texts.sort(key=lambda t: -abs(member_facts.law.get(t, 0) - member_facts.target.get(t, 0)))
    lines = [f"| text | target | as it is | {_last(member)} | as it is minus target |", "|---|---:|---:|---:|---:|"]
    for text in texts[:MOST_TEXTS]:
        masses = [law.get(text, 0) for law in (member_facts.target, member_facts.law, mended.law)]
        off = masses[1] - masses[0]
        signed = f"{'+' if off > 0 else ''}{number(off)}" if off else ""
        lines.append(f"| {' '.join(map(str, text))} | {' | '.join(map(number, masses))} | {signed} |")
    if len(texts) > MOST_TEXTS:
        lines.append(f"\nand {len(texts) - MOST_TEXTS} more.")
    return lines


def _last(member: Member) -> str:
    return "repaired" if member.kind in ("fault", "report") else "reference"


def detection(row: Row) -> str:
    """What an audit says of a member, in a sentence."""
    if row.calls is None:
        return f"In {RUNS} audits of {MOST:,} calls each on these distributions, none detects it, at false alarm 10⁻⁶."
    calls = f"{row.calls:,} call{'' if row.calls == 1 else 's'}"
    return (
        f"An audit of the black box detects it after {calls} on these distributions (median of {RUNS} "
        "audits, false alarm 10⁻⁶)."
    )


def _prices(row: Row) -> Iterator[str]:
    last = _last(row.member)
    rows: tuple[tuple[str, str, Price], ...] = (
        ("these", "as it is", row.here),
        ("these", last, row.mended_here),
        ("common", "as it is", row.common),
        ("common", last, row.mended_common),
    )
    yield "| distributions | rule | acceptance | tokens per call |"
    yield "|---|---|---:|---:|"
    for laws, rule, (acceptance, length) in rows:
        yield f"| {laws} | {rule} | {decimal(acceptance)} | {decimal(length)} |"


def _threads(member: Member) -> str:
    papers = [thread for thread in member.threads if thread.startswith("arXiv")]
    read = [thread for thread in member.threads if thread not in papers]
    sources = [f"{'; '.join(read)} (read)", f"{'; '.join(member.second_hand)} (second-hand)", "; ".join(papers)]
    parts = (bool(read), bool(member.second_hand), bool(papers))
    return f"Published: {'; '.join(text for text, there in zip(sources, parts, strict=True) if there)}."


def _laws(row: Row) -> Iterator[str]:
    """The lines on the distributions that show a member: TV, the law of its texts, and the part that an audit names."""
    member = row.member
    smallest = member.kind in ("fault", "lossy")
    yield (
        "## The smallest distributions that show it"
        if smallest
        else "## Distributions on which it looks most suspicious"
    )
    yield from ("", *laws_of(member.laws), "")
    of = "of two calls together " if member.frozen else ""
    yield f"Total variation {of}from the target: **{decimal(row.tv)}**. {detection(row)}"
    yield from ("", *law_table(member))
    if audited_part := part_named(member):
        how = (
            "the fact that two batches are copies"
            if member.frozen
            else "what it emits on distributions made to separate causes"
        )
        yield f"\nAn audit that does not know this case derives the part from {how}: **{audited_part}**."
    if member.reports:
        reported, right = rates(member, exact(member.laws.p), exact(member.laws.q))
        yield (
            f"\nReported acceptance rate: **{decimal(reported)}**; accepted drafts / all drafts: **{decimal(right)}**."
        )


def _settings(member: Member) -> Iterator[str]:
    if not member.settings:
        return
    yield from (
        "## Other settings",
        "",
        ("| setting | TV on these distributions | TV on the common distributions | acceptance | tokens per call |"),
    )
    yield "|---|---:|---:|---:|---:|"
    for words, tv, common_tv, common in settings_of(member):
        yield f"| {words} | {' | '.join(map(number, (tv, common_tv, *common)))} |"
    yield from ("", "Acceptance and tokens are on the common distributions.", "")


def page(row: Row) -> str:
    """The page of one member, in Markdown.

    >>> from simspec.audit.zoo import MEMBERS
    >>> from simspec.audit.zoo.table import row
    >>> print(page(row(MEMBERS["zero_coin"])).splitlines()[0])
    # F07: zero_coin
    """
    member = row.member
    repair = {"fault": "The repair and its price", "report": "The repair and its price"}
    title = repair.get(member.kind, "The price")
    assert member.repair is not None
    code = "\n\n\n".join(source_of(function) for function in member.shown)
    lines = [
        f"# {member.number}: {member.name}",
        "",
        f"{ONE[member.kind]} · part: {member.part} · [all cases](README.md)",
        "",
        f"{member.summary[0].upper()}{member.summary[1:]}.",
        "",
        member.why,
        "",
        _threads(member),
        "",
        "## The rule",
        "",
        *(
            ["```python", code, "```"]
            if code
            else ["Speculative decoding, with a generator that starts again in each batch."]
        ),
        "",
        *_laws(row),
        "",
        f"## {title}",
        "",
        f"{'Repair' if member.kind in ('fault', 'report') else 'Reference rule'}: {member.repair.words}.",
        "",
        *_prices(row),
        "",
        f"The common distributions have {COMMON.gamma} draft tokens and {COMMON.vocab} tokens.",
        f"Total variation of the rule on them: {decimal(row.common_tv)}.",
        "",
        *_settings(member),
        "## Try it",
        "",
        "```sh",
        f"simspec audit simspec.audit.zoo.boxes:{member.name}",
        "```",
        "",
    ]
    return "\n".join(lines)


def index(rows_of_table: Sequence[Row]) -> str:
    """The index of all pages, in Markdown."""
    lines = [
        "# Cases",
        "",
        "This page lists known sampler bugs, and correct rules that look like bugs. Each sampler is written anew in a few lines",
        "from its published description. To audit your own sampler, see [the tour](../tours/audit.md).",
        "[A correct sampler](honest.md) shows the output for a sampler without a bug,",
        "and [faults of a running engine](engines.md) what an audit says of a server with each.",
        "",
        "The total variation (TV) is exact, on the smallest distributions that show the bug. `calls` is the number of calls that",
        f"an audit of the black box needs on them at false alarm 10⁻⁶ (median of {RUNS} audits). Acceptance and tokens per call",
        "are measured on common distributions: as it is → repaired, or → a reference rule if there is nothing to repair.",
        "",
        "Rules are programs. `chance.keep(part, whole)` is true with probability min(1, part / whole). `chance.draw(weights)`",
        "draws a place with these weights. The exact law comes from enumerating all answers, the black box from random numbers.",
        "Most rules for one path of drafts use these two functions:",
        "",
        "```python",
        f"{source_of(rules.tested)}\n\n\n{source_of(residual)}",
        "```",
        "",
    ]
    for kind, title in KINDS.items():
        rows = [row for row in rows_of_table if row.member.kind == kind]
        lines += [f"## {title}", "", "| | case | part | TV | calls | acceptance | tokens per call |"]
        lines += ["|---|---|---|---:|---:|---:|---:|"]
        lines += [_row(row) for row in rows]
        lines += [""]
    return "\n".join(lines)


def _row(row: Row) -> str:
    member = row.member
    calls = "never detected" if row.calls is None else f"{row.calls:,}"
    prices = zip(row.common, row.mended_common, strict=True)
    changes = " | ".join(f"{number(was)} → {number(now)}" for was, now in prices)
    case = f"[{member.name}]({file_name(member)}): {member.summary}"
    return f"| {member.number} | {case} | {member.part} | {number(row.tv)} | {calls} | {changes} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages into a folder.

    >>> main([])
    usage: python -m simspec.audit.zoo.cases FOLDER
    2
    """
    paths = sys.argv[1:] if arguments is None else arguments
    if len(paths) != 1:
        print("usage: python -m simspec.audit.zoo.cases FOLDER")
        return 2
    folder = Path(paths[0])
    rows = table()
    folder.mkdir(parents=True, exist_ok=True)
    for table_row in rows:
        write_text(page(table_row), folder / file_name(table_row.member))
    write_text(index(rows), folder / "README.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
