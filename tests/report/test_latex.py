"""The verdicts as a LaTeX table: it nests, it escapes, and it says what is on record."""

from __future__ import annotations

import re

import pytest

from simspec.claims import find, registry
from simspec.claims.deciding.in_coq import sentence_of
from simspec.claims.deciding.verify import expected
from simspec.claims.references import works
from simspec.cli import main
from simspec.report.latex import escaped, table

SPECIAL = re.compile(r"\\(?:[a-zA-Z]+|.)|[{}&$%#_^~]", re.DOTALL)


def faults(line: str) -> list[str]:
    """What LaTeX would stop at in a line: braces or environments that do not nest, signs outside of formulas."""
    found: list[str] = []
    depth = 0
    formula = False
    for sign in SPECIAL.findall(line):
        depth += (sign == "{") - (sign == "}")
        formula ^= sign == "$"
        if depth < 0 or (sign in "%#" and len(sign) == 1) or (sign in "_^" and not formula):
            found.append(sign)
    begun, ended = (re.findall(rf"\\{word}\{{(\w+)\}}", line) for word in ("begin", "end"))
    return found + ["open"] * bool(depth or formula or begun != ended)


def rows(text: str) -> list[list[str]]:
    """Cells of the table's rows; what stands in an environment within a cell is taken out first."""
    inner = text.split(r"\endfoot")[1].split(r"\end{longtable}")[0]
    flat = re.sub(r"\\begin\{cases\}.*?\\end\{cases\}", "", inner, flags=re.DOTALL)
    return [re.split(r"(?<!\\)&", line) for line in flat.strip().splitlines()]


def test_every_claim_has_a_row_that_latex_reads() -> None:
    claims = list(registry().values())
    text = table(claims, expected()["verdicts"])
    body = text.split("\n", 9)[-1].split(r"\end{longtable}")[0]
    assert {line: found for line in body.splitlines() if (found := faults(line))} == {}
    made = rows(text)
    assert len(made) == len(claims) and {len(cells) for cells in made} == {4}
    assert [cells[2].strip() for cells in made] == [expected()["verdicts"].get(c.name, "not recorded") for c in claims]
    assert max(text) < "\u0250"  # accented letters at most
    (keys,) = re.findall(r"\\cite\{([^}]*)\}", text)
    assert {*keys.split(",")} <= {*works()}


@pytest.mark.parametrize("bad", ["50 % of", "a_b", "{x", "$a", "#1", r"\begin{cases} a $\end{array}$"])
def test_the_check_sees_what_latex_stops_at(bad) -> None:
    assert faults(bad) != []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("50 % of R&D", r"50 \% of R\&D"),
        (r"95 \% and 3 \$", r"95 \% and 3 \$"),
        ("a_b {c} #1 ~ ^ \\", r"a\_b \{c\} \#1 \textasciitilde{} \textasciicircum{} \textbackslash{}"),
        (r"$a_1 & b$ in β", r"$a_1 & b$ in $\beta$"),
        ("Šuba, “so”", "Šuba, ``so''"),
    ],
)
def test_escapes_by_hand(text, wanted) -> None:
    assert escaped(text) == wanted and (text.startswith("$") or faults(wanted) == [])


def test_a_letter_that_latex_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="holds ⊕"):
        escaped("a ⊕ b")


def test_what_coq_was_given_stands_below_the_statement() -> None:
    """The sentence of `simspec claims ID`, for each claim with a derivation; of a claim without one there is none."""
    claims = find(["sd.acceptance", "rdk.never-worse", "block.gain-when"])
    sentences = {claim.name: sentence_of(claim) for claim in claims}
    assert sentences["rdk.never-worse"] == "" and sentences["sd.acceptance"]
    text = table(claims, {}, sentences)
    for cells in rows(text):
        claim = next(c for c in claims if escaped(c.reference) == cells[0].strip())
        below = rf"\newline{{\footnotesize What Coq says: {escaped(sentences[claim.name])}.}}"
        assert cells[1].strip() == escaped(claim.statement) + (below if sentences[claim.name] else "")
        assert faults(cells[1]) == []
    odd = table(claims[:1], {}, {claims[0].name: "5 of 6 steps are lemmas; rules alone show sum_3, 100 % & more"})
    assert r"show sum\_3, 100 \% \& more.}" in odd and faults(odd.split(r"\endfoot")[1].split(r"\end{")[0]) == []


def test_the_command(capsys) -> None:
    assert main(["cite", "--latex", "rdk"]) == 0
    text = capsys.readouterr().out
    assert len(rows(text)) == len(find("rdk"))
    said = sum(sentence_of(claim) != "" for claim in find("rdk"))
    assert text.count(r"\newline{\footnotesize What Coq says: ") == said > 0
    assert main(["cite", "--latex", "nothing.at-all"]) == 2
    assert "nothing.at-all" in capsys.readouterr().err
