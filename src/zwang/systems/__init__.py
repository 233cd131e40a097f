"""The systems of the sources, one file each."""

from collections.abc import Callable

from zwang.nearest import nearest
from zwang.system import System
from zwang.systems.car import car

CATALOGUE: dict[str, Callable[[], System]] = {"car": car}


def load(name: str) -> System:
    """Return the system of this name."""
    if name not in CATALOGUE:
        raise ValueError(f"no system {name!r}; {nearest(name, CATALOGUE)}")
    return CATALOGUE[name]()


__all__ = ["CATALOGUE", "car", "load"]
