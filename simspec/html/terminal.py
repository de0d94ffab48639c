r"""Text with LaTeX between dollar signs becomes Unicode for a terminal: ``$\alpha_1 \le \frac12$`` reads ``α₁ ≤ ½``.

It knows the commands that statements of claims use.  An unknown command stays as its name, without the backslash.
"""

from __future__ import annotations

import re

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
    **{"le": "≤", "ge": "≥", "ne": "≠", "approx": "≈", "sim": "∼", "propto": "∝", "in": "∈", "notin": "∉", "to": "→"},
    **{"Rightarrow": "⇒", "iff": "⇔", "mid": "|", "pm": "±", "cup": "∪", "cap": "∩", "times": "×", "cdot": "·"},
    **{"sum": "Σ", "prod": "∏", "infty": "∞", "top": "⊤", "dots": "…", "ldots": "…", "cdots": "…"},
    **{"lVert": "‖", "rVert": "‖", "Vert": "‖", "lvert": "|", "rvert": "|", "lfloor": "⌊", "rfloor": "⌋"},
    **{"lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩", "partial": "∂", "quad": "  "},
}
_SPACED = frozenset("≤≥≠≈∼∝∈∉→⇒⇔±∪∩×")
_PUNCTUATION = {",": " ", ";": " ", ":": " ", " ": " ", "!": "", "{": "{", "}": "}", "%": "%", "|": "‖", "\\": " "}
_OPENING = frozenset("lVert lvert lfloor lceil langle".split())
_AFTER_NAME = "([{^_ ),.;\n"
_SIZES = frozenset("left right big Big bigl bigr Bigl Bigr bigg displaystyle limits".split())
_FONTS = frozenset("mathrm mathbf mathcal mathsf mathbb text operatorname textbf mathit".split())
_ACCENTS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "dot": "\u0307"}
_FRACTIONS = frozenset("frac tfrac dfrac".split())
_HALVES = {"1/2": "½", "1/3": "⅓", "2/3": "⅔", "1/4": "¼", "3/4": "¾", "1/8": "⅛"}
_ABOVE = dict(zip("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", strict=True)) | {"⊤": "ᵀ", "′": "′"}
_BELOW = dict(zip("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
_SIMPLE = re.compile(r"[\w.′ᵀ₀-₉\u0300-\u0307]+|½|\(.*\)")


def to_text(text: str) -> str:
    r"""Text for a terminal, with its formulas in Unicode.

    >>> print(to_text(r"$\alpha = \sum_x \min(p_x, q_x) \ge \tfrac12$ at 99.46 \%, $\frac{1 - \alpha^{\gamma + 1}}{1 - \alpha}$"))
    α = Σₓ min(pₓ, qₓ) ≥ ½ at 99.46 %, (1 - α^(γ + 1))/(1 - α)
    """
    translated = _FORMULA.sub(lambda match: _formula(match[1]), text)
    return translated.replace("\\%", "%").replace("\\$", "$").replace("\\&", "&")


def _formula(latex: str) -> str:
    tokens = _TOKEN.findall(latex)
    parts, end = _group(tokens, 0)
    while end < len(tokens):  # a closing brace too many stays as it is
        more, end = _group(tokens, end + 1)
        parts += "}" + more
    return re.sub(r"\s+", " ", parts).strip()


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
    if name in _FRACTIONS:
        above, place = _argument(tokens, place + 1)
        below, place = _argument(tokens, place)
        fraction = f"{_grouped(above)}/{_grouped(below)}"
        return _HALVES.get(fraction, fraction), place
    if name == "binom":
        above, place = _argument(tokens, place + 1)
        below, place = _argument(tokens, place)
        return f"C({above}, {below})", place
    if name == "sqrt":
        inner, place = _argument(tokens, place + 1)
        return f"√{_grouped(inner)}", place
    if name in _ACCENTS:
        inner, place = _argument(tokens, place + 1)
        return inner + _ACCENTS[name], place
    if name in _FONTS:
        return _argument(tokens, place + 1)
    if name in _SIZES:
        return "", place + 1
    sign = _GREEK.get(name) or _SIGNS.get(name)
    if name in _OPENING and tokens[place + 1 : place + 2] == [" "]:
        place += 1  # no space after an opening bracket
    if sign is not None:
        return (f" {sign} " if sign in _SPACED else sign), place + 1
    if name in _PUNCTUATION:
        return _PUNCTUATION[name], place + 1
    following = tokens[place + 1 : place + 2]
    return name + (
        " " if following and following[0][0] not in _AFTER_NAME else ""
    ), place + 1  # log, min, argmax and their like


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
