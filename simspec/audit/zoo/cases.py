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
from simspec.audit.zoo.table import COMMON, MOST, RUNS, Price, Row, settings_of, table, told_part
from simspec.files import write_text
from simspec.laws import exact

__all__ = [
    "decimal",
    "file_name",
    "index",
    "law_table",
    "laws_of",
    "main",
    "number",
    "page",
    "seen",
    "source_of",
]

KINDS = {
    "fault": "Published faults",
    "report": "Right tokens, wrong number",
    "honest": "Honest rules that were taken for faults",
    "lossy": "Lossy by declaration",
}
ONE = {
    "fault": "Published fault",
    "report": "Right tokens, wrong number",
    "honest": "Honest rule, taken for a fault",
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
    lines = [f"| text | target | as it is | {_last(member)} | as it is, less target |", "|---|---:|---:|---:|---:|"]
    for text in texts[:MOST_TEXTS]:
        masses = [law.get(text, 0) for law in (member_facts.target, member_facts.law, mended.law)]
        off = masses[1] - masses[0]
        signed = f"{'+' if off > 0 else ''}{number(off)}" if off else ""
        lines.append(f"| {' '.join(map(str, text))} | {' | '.join(map(number, masses))} | {signed} |")
    if len(texts) > MOST_TEXTS:
        lines.append(f"\nand {len(texts) - MOST_TEXTS} more.")
    return lines


def _last(member: Member) -> str:
    return "repaired" if member.kind in ("fault", "report") else "beside it"


def seen(row: Row) -> str:
    """What an audit says of a member, in a sentence."""
    if row.calls is None:
        return f"An audit of {MOST:,} calls there sees nothing, in any of {RUNS} runs at false alarm 10⁻⁶."
    calls = f"{row.calls:,} call{'' if row.calls == 1 else 's'}"
    return f"As a black box it is seen there after {calls} (median of {RUNS} audits at false alarm 10⁻⁶)."


def _prices(row: Row) -> Iterator[str]:
    last = _last(row.member)
    rows: tuple[tuple[str, str, Price], ...] = (
        ("these", "as it is", row.here),
        ("these", last, row.mended_here),
        ("common", "as it is", row.common),
        ("common", last, row.mended_common),
    )
    yield "| laws | rule | a draft is accepted | tokens of a call |"
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
    member = row.member
    smallest = member.kind in ("fault", "lossy")
    yield "## The smallest laws that show it" if smallest else "## Laws on which it looks most suspicious"
    yield from ("", *laws_of(member.laws), "")
    of = "of two calls together " if member.frozen else ""
    yield f"Total variation {of}from the target: **{decimal(row.tv)}**. {seen(row)}"
    yield from ("", *law_table(member))
    if audited_part := told_part(member):
        how = "that two batches are copies" if member.frozen else "what it emits on laws made to separate causes"
        yield f"\nAn audit that does not know it tells the part from {how}: **{audited_part}**."
    if member.reports:
        reported, right = rates(member, exact(member.laws.p), exact(member.laws.q))
        yield f"\nReported acceptance rate: **{decimal(reported)}**; accepted drafts of all drafts: **{decimal(right)}**."


def _settings(member: Member) -> Iterator[str]:
    if not member.settings:
        return
    yield from (
        "## Other settings",
        "",
        "| setting | TV on these laws | TV on the common laws | a draft is accepted | tokens of a call |",
    )
    yield "|---|---:|---:|---:|---:|"
    for words, tv, common_tv, common in settings_of(member):
        yield f"| {words} | {' | '.join(map(number, (tv, common_tv, *common)))} |"
    yield from ("", "Acceptance and tokens are those on the common laws.", "")


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
            else ["Speculative decoding, with a generator that begins anew each time."]
        ),
        "",
        *_laws(row),
        "",
        f"## {title}",
        "",
        f"{'Repair' if member.kind in ('fault', 'report') else 'Beside it'}: {member.repair.words}.",
        "",
        *_prices(row),
        "",
        f"The common laws have {COMMON.gamma} drafts and {COMMON.vocab} tokens.",
        f"Total variation of the rule as it is there: {decimal(row.common_tv)}.",
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
        "Samplers that an audit must judge, each rebuilt in a few lines from its published description; none is anybody's code.",
        "Total variation (TV) is exact, on the smallest laws that show it; calls are what an audit of a black box needs there at",
        f"false alarm 10⁻⁶, the median of {RUNS}. Acceptance and tokens of a call are those on common laws: as it is → repaired;",
        "for rules that are no faults, → the rule beside them, which is named on the page.",
        "[How to audit a sampler of your own](../tours/audit.md); [what an audit says of an honest one](honest.md).",
        "",
        "Rules are programs: `chance.keep(part, whole)` is yes with probability min(1, part / whole), `chance.draw(weights)`",
        "is a place drawn by its weight. The exact law comes from every way in which they can answer, the black box",
        "from uniforms. Most rules on one path of drafts use these two:",
        "",
        "```python",
        f"{source_of(rules.tested)}\n\n\n{source_of(residual)}",
        "```",
        "",
    ]
    for kind, title in KINDS.items():
        rows = [row for row in rows_of_table if row.member.kind == kind]
        lines += [f"## {title}", "", "| | case | part | TV | calls | a draft is accepted | tokens of a call |"]
        lines += ["|---|---|---|---:|---:|---:|---:|"]
        lines += [_row(row) for row in rows]
        lines += [""]
    return "\n".join(lines)


def _row(row: Row) -> str:
    member = row.member
    calls = "never seen" if row.calls is None else f"{row.calls:,}"
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
