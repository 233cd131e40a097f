"""The sentence that offers the nearest known name for an unknown one."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint: the known name closest to a wrong one, and all known names."""
    known = sorted(known)
    close = [item for item in known if item.casefold() == name.casefold()][:1]
    close = close or get_close_matches(name, known, n=1, cutoff=0.5)
    if not close:
        folded = {item.casefold(): item for item in known}
        close = get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
        close = [folded[item] for item in close]
    hint = f"did you mean {close[0]}? " if close else ""
    return f"{hint}known: {', '.join(known) or 'none'}"
