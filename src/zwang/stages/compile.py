"""The kernel as a shared library."""

from pathlib import Path

from zwang.kernel.build import compile_library


def compile_(kernel: str | Path, library: str | Path) -> None:
    """Write the library of kernel.c."""
    compile_library(Path(kernel).read_text(encoding="utf-8"), Path(library))
