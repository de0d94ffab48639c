"""Text with LaTeX between dollar signs becomes HTML with MathML; no network, no fonts, no scripts.

latex2mathml does the translation.  It passes unknown commands and missing arguments through in silence, so its result
is checked here, and put right where browsers need MathML Core.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from xml.etree import ElementTree as ET

__all__ = ["mathml", "to_html"]

_ARGUMENTS = {
    "mfrac": 2, "msub": 2, "msup": 2, "msubsup": 3, "mover": 2, "munder": 2, "munderover": 3, "mroot": 2
}  # fmt: skip
_BARS = frozenset("|‖")
_SPACE = "0.167em"
_RELATIONS = frozenset("=≤≥<>≠≈∝≡⇒⟹⟺⇔→")
_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")
_LONG = 10


@lru_cache(maxsize=4096)
def mathml(latex: str) -> str:
    r"""MathML of one inline formula; a long one is cut after its relations, so that a line can end there.

    Parameters
    ----------
    latex : str
        a formula without its dollar signs.

    Returns
    -------
    str
        one or more ``<math>…</math>``, safe to place in HTML.

    Raises
    ------
    ValueError
        for an unknown command, unbalanced braces or a missing argument; the message shows the formula.

    Examples
    --------
    >>> mathml(r"\alpha < 1")
    '<math><mi>α</mi><mo>&lt;</mo><mn>1</mn></math>'
    """
    from latex2mathml.converter import convert
    from latex2mathml.exceptions import NoAvailableTokensError

    _check_braces(latex)
    try:
        text = convert(re.sub(r"(\\math(?:cal|scr|bb|frak))\s+([A-Za-z])", r"\1{\2}", latex))
    except NoAvailableTokensError as error:
        raise ValueError(f"formula ${latex}$: it is empty or an argument is missing") from error
    except Exception as error:  # the library raises bare exceptions of many classes, some without a message
        raise ValueError(f"formula ${latex}$: {type(error).__name__} {error}".rstrip()) from error
    text = re.sub(r"&(?!#x[0-9A-F]+;)", "&amp;", text)  # the library leaves < and & of \text{…} as they are
    text = re.sub(r"<(?!/?m[a-z]+[\s/>])", "&lt;", text)
    root = ET.fromstring(re.sub(r' xmlns="[^"]*"', "", text, count=1))
    _check(root, latex)
    _mend(root)
    while len(root) == 1 and root[0].tag == "mrow":
        root[:] = list(root[0])
    return "<wbr>".join(ET.tostring(line, encoding="unicode") for line in _lines(list(root)))


def to_html(text: str) -> str:
    r"""Escaped HTML of a text whose formulas stand between dollar signs; ``\$`` is a dollar sign.

    Raises
    ------
    ValueError
        for an odd number of dollar signs or a formula that cannot be translated.

    Examples
    --------
    >>> to_html("p < q & $a$")
    'p &lt; q &amp; <math><mi>a</mi></math>'
    """
    parts = re.split(r"(?<!\\)\$", text)
    if len(parts) % 2 == 0:
        raise ValueError(f"text {text!r}: a formula is opened with $ and not closed")
    return "".join(mathml(p) if n % 2 else escape(p.replace(r"\$", "$"), quote=False) for n, p in enumerate(parts))


def _check_braces(latex: str) -> None:
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", latex):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            break
    if depth:
        raise ValueError(f"formula ${latex}$: braces do not balance")


def _check(root: ET.Element, latex: str) -> None:
    for element in root.iter():
        text = element.text or ""
        if "\\" in text:
            raise ValueError(f"formula ${latex}$: unknown command {text.strip()}")
        if element.tag == "mi" and text == "&":
            raise ValueError(f"formula ${latex}$: & outside an array; write \\& or a word")
        arity = _ARGUMENTS.get(element.tag)
        if arity is not None and len(element) != arity:
            raise ValueError(f"formula ${latex}$: an argument is missing ({element.tag} has {len(element)} of {arity})")


def _mend(parent: ET.Element) -> None:
    """Spacing and upright names as TeX sets them: words such as min and log, norm bars, commas within numbers."""
    _join_upright(parent)
    for child in list(parent):
        _mend(child)
    if parent.tag == "mrow" and len(parent) == 1 and parent[0].tag == "mo":
        parent[0].attrib |= {"lspace": "0", "rspace": "0"}  # {,} is no separator
    for n, child in enumerate(parent):
        text = child.text or ""
        if child.tag == "mo" and text in _BARS:
            child.attrib |= {"lspace": "0", "rspace": "0", "stretchy": "false"}
        elif _is_word(child):
            follower = parent[n + 1] if n + 1 < len(parent) else None
            opens = follower is not None and follower.tag == "mo" and follower.text in _OPENING
            core = child[0] if len(child) else child
            lead = _SPACE if n and parent.tag in ("mrow", "math") and not _opens(parent[n - 1]) else "0"
            core.tag, core.attrib = "mo", {"lspace": lead, "rspace": "0" if opens else _SPACE}


def _lines(children: list[ET.Element]) -> list[ET.Element]:
    """The formula in parts that end after a relation outside brackets: browsers do not break lines within one."""
    parts = [ET.Element("math")]
    depth = 0
    inner = range(1, len(children) - 1) if len(children) > _LONG else range(0)
    for n, child in enumerate(children):
        parts[-1].append(child)
        text = child.text or ""
        last = child[0].text or "" if len(child) and child[0].tag == "mo" else text  # a closing bracket with an index
        depth += (text in _OPENING) - (last in _CLOSING)
        if n in inner and child.tag == "mo" and text in _RELATIONS and depth == 0:
            child.set("form", "infix")
            parts.append(ET.Element("math"))
    return parts


def _opens(element: ET.Element) -> bool:
    """Whether what follows needs no space of its own: after brackets, bars, signs and relations."""
    text = element.text or ""
    return element.tag == "mo" and (text in _OPENING or text in _BARS or text in _RELATIONS or text in ("−", "+"))


def _is_word(element: ET.Element) -> bool:
    """Whether the element is the name of an operator, perhaps with an index: min, log₂, max over x."""
    if element.tag in ("msub", "msup", "msubsup", "munder") and len(element):
        element = element[0]
    elif element.tag not in ("mi", "mo"):
        return False
    if element.tag not in ("mi", "mo") or "mathvariant" in element.attrib:
        return False
    return re.fullmatch(r"[A-Za-z]{2,}", element.text or "") is not None


def _join_upright(parent: ET.Element) -> None:
    r"""Neighbouring upright letters, as \mathrm makes them, become one name."""
    n = 0
    while n + 1 < len(parent):
        a = parent[n]
        b = parent[n + 1]
        if a.tag == b.tag == "mi" and a.attrib == b.attrib == {"mathvariant": "normal"}:
            a.text = (a.text or "") + (b.text or "")
            parent.remove(b)
        else:
            n += 1
