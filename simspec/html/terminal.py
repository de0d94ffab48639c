r"""Text with LaTeX between dollar signs becomes Unicode for a terminal: ``$\alpha_1 \le \frac12$`` reads ``α₁ ≤ ½``.

It knows the commands that statements of claims use.  An unknown command stays as its name, without the backslash.

The package pylatexenc is not used: its text of a fraction or a power has no parentheses (``\frac{1-a}{2}`` becomes ``1-a/2``,
``x^{a+b}`` becomes ``x^a+b``), which states another formula, and it has no letters above or below the line.  Every rule for
fractions, roots, powers and indices would have to be written all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["to_text"]

_FORMULA = re.compile(r"\$\$?(.+?)(?<!\\)\$\$?", re.DOTALL)
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_]|\s+|[^\\{}^_\s]", re.DOTALL)

_GREEK = dict(
    zip(
        "alpha beta gamma delta epsilon varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi varphi chi psi "
        "omega Gamma Delta Theta Lambda Pi Sigma Phi Psi Omega ell".split(),
        "αβγδεεζηθκλμνξπρστφφχψωΓΔΘΛΠΣΦΨΩℓ",
        strict=True,
    )
)
_SIGNS = {
    **{
        "le": "≤",
        "ge": "≥",
        "ne": "≠",
        "approx": "≈",
        "sim": "\u223c",
        "propto": "∝",
        "in": "∈",
        "notin": "∉",
        "to": "→",
    },
    **{"Rightarrow": "⇒", "iff": "⇔", "mid": "|", "pm": "±", "cup": "\u222a", "cap": "∩", "times": "×", "cdot": "·"},
    **{"sum": "Σ", "prod": "∏", "infty": "∞", "top": "⊤", "dots": "…", "ldots": "…", "cdots": "…"},
    **{"lVert": "‖", "rVert": "‖", "Vert": "‖", "lvert": "|", "rvert": "|", "lfloor": "⌊", "rfloor": "⌋"},
    **{"lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩", "partial": "∂", "quad": "  "},
}
_PUNCTUATION: dict[str, str] = {
    ",": " ",
    ";": " ",
    ":": " ",
    " ": " ",
    "!": "",
    "{": "{",
    "}": "}",
    "%": "%",
    "|": "‖",
    "\\": " ",
}
_SIZES = "left right big Big bigl bigr Bigl Bigr bigg displaystyle limits".split()
_PLAIN = {**_GREEK, **_PUNCTUATION, **dict.fromkeys(_SIZES, "")}
_SPACED = frozenset("≤≥≠≈\u223c∝∈∉→⇒⇔±\u222a∩×")
_OPENING = frozenset("lVert lvert lfloor lceil langle".split())
_AFTER_NAME = "([{^_ ),.;\n"
_FONTS = frozenset("mathrm mathbf mathcal mathsf mathbb text operatorname textbf mathit".split())
_ACCENTS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "dot": "\u0307"}
_HALVES = {"1/2": "½", "1/3": "⅓", "2/3": "⅔", "1/4": "¼", "3/4": "¾", "1/8": "⅛"}
_ABOVE = dict(zip("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", strict=True)) | {"⊤": "ᵀ", "′": "′"}
_BELOW = dict(zip("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
_SIMPLE = re.compile(r"[\w.′ᵀ₀-₉\u0300-\u0307]+|½|\(.*\)")


def to_text(text: str) -> str:
    r"""Text for a terminal, with its formulas in Unicode.

    >>> print(to_text(r"$\alpha = \sum_x \min(p_x, q_x) \ge \tfrac12$ at 5 \%, $\frac{1 - \alpha^{\gamma + 1}}{1 - \alpha}$"))
    α = Σₓ min(pₓ, qₓ) ≥ ½ at 5 %, (1 - α^(γ + 1))/(1 - α)
    """
    translated = _FORMULA.sub(lambda match: _formula(match[1]), text)
    return translated.replace("\\%", "%").replace("\\$", "$").replace("\\&", "&")


def _formula(latex: str) -> str:
    tokens = _TOKEN.findall(latex)
    parts, end = _group(tokens, 0)
    while end < len(tokens):  # a closing brace too many stays as it is
        more, end = _group(tokens, end + 1)
        parts += "}" + more
    return re.sub(r"\s+(?=[⌋⌉⟩])", "", re.sub(r"\s+", " ", parts)).strip()


def _group(tokens: list[str], place: int) -> tuple[str, int]:
    """Unicode of tokens up to the brace that closes the group, and where that brace stands."""
    parts: list[str] = []
    while place < len(tokens) and tokens[place] != "}":
        if tokens[place] in "^_" and tokens[place]:
            inner, next_place = _argument(tokens, place + 1)
            parts.append(_script(inner, tokens[place]))
            place = next_place
        else:
            part, place = _argument(tokens, place, spaces=True)
            previous = parts[-1][-1:] if parts else ""
            is_name = len(part) > 1 and part.isalpha()  # a word such as min beside a letter
            if is_name and previous.isalnum():
                part = " " + part
            parts.append(part)
    return "".join(parts), place


def _argument(tokens: list[str], place: int, spaces: bool = False) -> tuple[str, int]:
    """Unicode of one token, or of one group with its command, and the place after it."""
    while not spaces and place < len(tokens) and tokens[place].isspace():
        place += 1
    if place >= len(tokens):
        return "", place
    token = tokens[place]
    if token == "{":
        inner, end = _group(tokens, place + 1)
        return inner, end + 1
    if not token.startswith("\\"):
        return ("′" if token == "'" else token), place + 1
    name = token[1:]
    if name in _TWO_ARGUMENTS:
        above, place = _argument(tokens, place + 1)
        below, place = _argument(tokens, place)
        return _TWO_ARGUMENTS[name](above, below), place
    if name in _ONE_ARGUMENT:
        inner, place = _argument(tokens, place + 1)
        return _ONE_ARGUMENT[name](inner), place
    following = tokens[place + 1] if place + 1 < len(tokens) else ")"
    if name in _OPENING and following.isspace():
        place += 1  # no space after an opening bracket
    return _word(name, following), place + 1


def _word(name: str, following: str) -> str:
    """Unicode of a command that takes no argument: a letter, a sign, or a name such as ``log``, apart from what follows."""
    if name in _PLAIN:
        return _PLAIN[name]
    if name in _SIGNS:
        sign = _SIGNS[name]
        return f" {sign} " if sign in _SPACED else sign
    return name if following[0] in _AFTER_NAME else f"{name} "


def _fraction(above: str, below: str) -> str:
    fraction = f"{_grouped(above)}/{_grouped(below)}"
    return _HALVES.get(fraction, fraction)


def _grouped(text: str) -> str:
    """Text in parentheses, where an operator of its own would be misread."""
    return text if _SIMPLE.fullmatch(text) else f"({text})"


def _script(text: str, kind: str) -> str:
    """What is raised or lowered: by its own letters where Unicode has all of them, else after ^ or _."""
    letters = _ABOVE if kind == "^" else _BELOW
    stripped = text.strip()
    if stripped and all(letter in letters for letter in stripped.replace(" ", "")):
        return "".join(letters[letter] for letter in stripped.replace(" ", ""))
    return kind + (stripped if len(stripped) == 1 else f"({stripped})")


_TWO_ARGUMENTS: dict[str, Callable[[str, str], str]] = {
    **dict.fromkeys(("frac", "tfrac", "dfrac"), _fraction),
    "binom": "C({}, {})".format,
}
_ONE_ARGUMENT: dict[str, Callable[[str], str]] = {
    **dict.fromkeys(_FONTS, str),
    **{name: f"{{}}{accent}".format for name, accent in _ACCENTS.items()},
    "sqrt": lambda inner: f"√{_grouped(inner)}",
}
"""What commands with arguments become."""
