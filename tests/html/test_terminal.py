"""LaTeX for a terminal: the commands that statements use, and no backslash in any of them."""

import pytest

from simspec.claims import registry
from simspec.html.terminal import to_text


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"no formula, 5 \%", "no formula, 5 %"),
        (r"$\lVert M^\top q' - p\rVert_1 \le \varepsilon/2$", "‖Mᵀ q′ - p‖₁ ≤ ε/2"),
        (r"$\tfrac12 \le \frac{a + b}{c}$", "½ ≤ (a + b)/c"),
        (r"$\sqrt{x}$ and $\sqrt{x + 1}$", "√x and √(x + 1)"),
        (r"$\binom{\ell + k}{k}$", "C(ℓ + k, k)"),
        (r"$\alpha_{\mathrm{EARS}}$", "α_(EARS)"),
        (r"$e^{-\beta n}$", "e^(-β n)"),
        (r"$x \notin \{1, \dots, V\}$", "x ∉ {1, …, V}"),
        (r"$p \log q$, $\log_2 k$", "p log q, log₂ k"),
        (r"$\hat r$", "r\u0302"),
        (r"$\mathrm{TV}(\text{output}, p)$", "TV(output, p)"),
        (r"$a} + b$", "a} + b"),
        (r"\$5", "$5"),
    ],
)
def test_by_hand(latex, expected) -> None:
    assert to_text(latex) == expected


def test_no_statement_or_note_keeps_latex() -> None:
    """Neither a backslash nor a dollar sign is left, and no command's name without its sign."""
    for name, claim in registry().items():
        for text in (claim.statement, claim.note, claim.finding.criterion if claim.finding else ""):
            shown = to_text(text)
            assert "\\" not in shown, (name, shown)
            if "$" in text:
                assert "$" not in shown, (name, shown)
            assert not any(word in shown for word in ("mathrm", "tfrac", "varepsilon", "lVert", "operatorname")), (
                name,
                shown,
            )
