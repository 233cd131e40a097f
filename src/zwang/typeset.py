"""A name in code as a LaTeX symbol: omega_1 gives ω with the index 1."""

_GREEK = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau
    upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"""
GREEK = frozenset(_GREEK.split())


def symbol_of(name: str) -> str:
    r"""LaTeX of a name: Greek letters as commands, all after the first underscore as an index.

    `omega` gives `\omega`, `t_brake` gives `t_{\mathrm{brake}}`, `A` stays.
    """
    head, _, index = name.partition("_")
    letter = rf"\{head}" if head in GREEK else head
    parts = [rf"\{p}" if p in GREEK else rf"\mathrm{{{p}}}" for p in index.split("_") if p]
    return f"{letter}_{{{','.join(parts)}}}" if parts else letter
