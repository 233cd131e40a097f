"""Constrained mechanics from one declaration: equations, reactions, thresholds, figures."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zwang import laws as laws
    from zwang import systems as systems
    from zwang.api import certify as certify
    from zwang.api import derive as derive
    from zwang.api import run_of as run_of
    from zwang.api import simulate as simulate
    from zwang.api import sweep as sweep

# Public names and where they live; imported when first used, so that a job that needs no
# symbols does not load sympy.
_HOMES = {
    "certify": "zwang.api",
    "derive": "zwang.api",
    "simulate": "zwang.api",
    "sweep": "zwang.api",
    "run_of": "zwang.api",
}
_MODULES = ("systems", "laws", "tables", "geometry", "quantities", "system")
__all__ = ["certify", "derive", "laws", "run_of", "simulate", "sweep", "systems"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"zwang.{name}")
    raise AttributeError(
        f"module 'zwang' has no attribute {name!r}; it offers {', '.join(__all__)}"
    )


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
