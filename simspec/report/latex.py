"""Verdicts as a LaTeX table: the paper's number, the statement, the verdict, and what holds in its place.

Below a statement with a proof stands what Coq was given of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from simspec.claims.claim import Claim
from simspec.claims.references import cited

__all__ = ["PACKAGES", "escaped", "table"]

PACKAGES = ("amsmath", "amssymb", "booktabs", "longtable")
"""What a document that holds the table loads."""
_FORMULA = re.compile(r"((?<!\\)\$.*?(?<!\\)\$)", re.DOTALL)
_TEXT = {
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", '"': "''"},
    **{sign: f"\\{sign}" for sign in "&%#_{}$"},
    **{"<": "$<$", ">": "$>$", "|": "$|$"},
    **{"“": "``", "”": "''", "’": "'", "–": "--", "—": "---", "…": r"\dots{}"},
    **{
        "≤": r"$\le$",
        "≥": r"$\ge$",
        "−": "$-$",
        "×": r"$\times$",
        "½": r"$\tfrac12$",
        "ℓ": r"$\ell$",
        "∞": r"$\infty$",
    },
    **{"α": r"$\alpha$", "β": r"$\beta$", "γ": r"$\gamma$", "δ": r"$\delta$", "ε": r"$\varepsilon$", "η": r"$\eta$"},
    **{
        "θ": r"$\theta$",
        "λ": r"$\lambda$",
        "μ": r"$\mu$",
        "π": r"$\pi$",
        "ρ": r"$\rho$",
        "σ": r"$\sigma$",
        "τ": r"$\tau$",
    },
    **{"φ": r"$\varphi$", "χ": r"$\chi$", "ω": r"$\omega$", "Δ": r"$\Delta$", "Ω": r"$\Omega$"},
}
_LATIN = "\u024f"
"""The last letter with an accent; LaTeX reads these as they are."""


def escaped(text: str) -> str:
    r"""Text with formulas between dollar signs as LaTeX: what is special in LaTeX is escaped outside of the formulas.

    Raises ValueError for a letter that LaTeX does not know.

    >>> print(escaped(r"R&D of 95 % in β: $\alpha_1 \le 5\,\%$"))
    R\&D of 95 \% in $\beta$: $\alpha_1 \le 5\,\%$
    """
    return "".join(piece if n % 2 else _plain(piece) for n, piece in enumerate(_FORMULA.split(text)))


def _plain(text: str) -> str:
    text = text.replace(r"\$", "$").replace(r"\%", "%")
    if unknown := sorted({c for c in text if c > _LATIN and c not in _TEXT}):
        raise ValueError(f"text: {text[:60]!r} holds {' '.join(unknown)}, for which there is no LaTeX here")
    return "".join(_TEXT.get(c, c) for c in text)


def table(claims: Sequence[Claim], verdicts: Mapping[str, str], sentences: Mapping[str, str] | None = None) -> str:
    r"""A ``longtable`` with a row for each claim, under a comment that says which packages it needs.

    Parameters
    ----------
    claims : claims, in the order of the rows
    verdicts : {id: verdict}
        a claim without one is shown as "not recorded".
    sentences : {id: what Coq was given of its proof, and what it said}, None for nothing
        one of `simspec.claims.deciding.in_coq.sentence_of` stands in small type below the statement.

    Examples
    --------
    >>> from simspec.claims import find
    >>> print(table(find("rdk.percentage")[:1], {"rdk.percentage": "refuted"}).splitlines()[-2][:42])
    RDK 6.2 & 500 of 200,000 tokens is 0.00025
    >>> said = {"rdk.percentage": "Coq 8.16.1 accepts the whole derivation: 1 lemma"}
    >>> r"\newline{\footnotesize What Coq says: Coq 8.16.1 accepts" in table(find("rdk.percentage")[:1], {}, said)
    True
    """
    keys = list(dict.fromkeys(cited(claim)[0].key for claim in claims))
    lines = [
        f"% needs \\usepackage{{{','.join(PACKAGES)}}} and the entries that `simspec cite` prints",
        r"\begin{longtable}{@{}p{0.17\linewidth}p{0.45\linewidth}p{0.12\linewidth}p{0.18\linewidth}@{}}",
        rf"\caption{{Statements of \cite{{{','.join(keys)}}} and their verdicts (proved: in Coq; derived: by other rules).}}\\",
        r"\toprule",
        r"source & statement & verdict & instead, or sharper \\",
        r"\midrule",
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
    ]
    rows = (_row(claim, verdicts, (sentences or {}).get(claim.name, "")) for claim in claims)
    return "\n".join([*lines, *rows, r"\end{longtable}"])


def _row(claim: Claim, verdicts: Mapping[str, str], sentence: str) -> str:
    instead = ", ".join(rf"\texttt{{{_breaking(name)}}}" for name in claim.corrected_by)
    in_coq = rf"\newline{{\footnotesize What Coq says: {escaped(sentence)}.}}" if sentence else ""
    cells = (
        escaped(claim.reference),
        escaped(claim.statement) + in_coq,
        verdicts.get(claim.name, "not recorded"),
        instead,
    )
    return " & ".join(cells) + r" \\"


def _breaking(name: str) -> str:
    """An id that may be broken after a dot or a hyphen."""
    return re.sub(r"([.-])", r"\1\\allowbreak{}", escaped(name))
