"""Formulas: every construct the claims use becomes MathML, and what is not LaTeX is refused by name."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from simspec.claims import registry
from simspec.html.formulas import mathml, to_html

CONSTRUCTS = {
    r"a = b": "<mi>a</mi><mo>=</mo><mi>b</mi>",
    r"\alpha": "<mi>α</mi>",
    r"\frac{a}{2}": "<mfrac><mrow><mi>a</mi></mrow><mrow><mn>2</mn></mrow></mfrac>",
    r"\sum_{i=0}^{\gamma} x": "<msubsup><mo>∑</mo>",
    r"\lVert k \rVert_1": '<mo lspace="0" rspace="0" stretchy="false">‖</mo><mi>k</mi><msub>',
    r"\mathrm{TV}(p, q)": '<mi mathvariant="normal">TV</mi>',
    r"\min(p, q)": '<mo lspace="0" rspace="0">min</mo>',
    r"\max_x p_x": '<msub><mo lspace="0" rspace="0.167em">max</mo><mi>x</mi></msub>',
    r"\operatorname{norm}(p)": ">norm</mo>",
    r"\hat r_j": "^</mo></mover><mi>j</mi></msub>",
    r"\tilde q \bar L": "<mover><mi>L</mi>",
    r"M^\top q'": "<mo>⊤</mo></msup><msup><mi>q</mi>",
    r"\lceil \log_2 \binom{n}{k} \rceil": '<mfrac linethickness="0">',
    r"\lfloor \ell q + \tfrac12 \rfloor": "<mfrac><mn>1</mn><mn>2</mn></mfrac>",
    r"\mathcal T": "<mi>𝒯</mi>",
    r"\mathbb{E}_{X \sim p}": "<mi>𝔼</mi>",
    r"\Pr[\alpha \ge 0]": ">Pr</mo>",
    r"T^{-1/2}": "<msup><mi>T</mi>",
    r"\sqrt{T}": "<msqrt>",
    r"1{,}319": '<mn>1</mn><mrow><mo lspace="0" rspace="0">,</mo></mrow><mn>319</mn>',
    r"\text{a<b & c}": "<mtext>a&lt;b\xa0&amp;\xa0c</mtext>",
    r"95\,\%": "<mi>%</mi>",
    r"\{0, \dots, L^t\}": "<mo>…</mo>",
    r"\left[1 + \frac{s}{\tau}\right]": 'stretchy="true"',
    r"\begin{cases} 1 & x < 0 \\ 0 & x = 0 \end{cases}": "<mtable>",
    r"\varepsilon \le \eta \Rightarrow p \in \varnothing": "<mo>⇒</mo>",
}

WRONG = {
    r"\foo{x}": r"unknown command \\foo",
    r"\frac{1}": "argument is missing",
    r"\frac{1}{\foo}": r"unknown command \\foo",
    r"{a": "braces do not balance",
    r"a}{b": "braces do not balance",
    r"a_": "MissingSuperScriptOrSubscript",
    r"\left( a": "ExtraLeftOrMissingRight",
    r"a & b": "& outside an array",
    "": "empty",
}


def test_by_hand() -> None:
    assert mathml("p < 1") == "<math><mi>p</mi><mo>&lt;</mo><mn>1</mn></math>"


@pytest.mark.parametrize("latex", CONSTRUCTS)
def test_construct(latex: str) -> None:
    html = mathml(latex)
    assert CONSTRUCTS[latex] in html
    assert "\\" not in html
    ET.fromstring(f"<p>{html.replace('<wbr>', '')}</p>")


@pytest.mark.parametrize("latex", WRONG)
def test_wrong_latex_is_refused_with_the_formula(latex: str) -> None:
    with pytest.raises(ValueError, match=WRONG[latex]) as caught:
        mathml(latex)
    assert f"${latex}$" in str(caught.value)


def test_text_is_escaped_and_dollars_must_pair() -> None:
    assert to_html("R&D < all: $a$") == "R&amp;D &lt; all: <math><mi>a</mi></math>"
    assert to_html(r"costs 3 \$") == "costs 3 $"
    with pytest.raises(ValueError, match="not closed"):
        to_html("a $b")


def test_a_long_formula_may_break_after_its_relations_only() -> None:
    html = mathml(r"\alpha = \sum_x \min(p_x, q_x) = 1 - \mathrm{TV}(p, q) = 1 - (a = b)")
    assert html.count("<wbr>") == 3
    for part in html.split("<wbr>")[:-1]:
        assert part.endswith('<mo form="infix">=</mo></math>')
    assert "<wbr>" not in mathml("a = b")


def test_every_text_of_the_registry_renders() -> None:
    for name, claim in registry().items():
        for text in (claim.statement, claim.note, claim.reference, *claim.assumes):
            shown = re.sub(r"<[^>]*>", "", to_html(text))
            assert "\\" not in shown and "$" not in shown, f"{name}: {text}"
