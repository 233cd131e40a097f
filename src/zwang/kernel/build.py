"""kernel.c to a shared library, by the compiler of the system; libraries are kept by content."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

RUNTIME = Path(__file__).parent
# No fast-math: the same operations in the same order everywhere; products and sums contract to FMA.
FLAGS = ("-std=gnu11", "-O3", "-fPIC", "-shared", "-ffp-contract=fast", "-Wno-psabi")


class NoCompiler(RuntimeError):
    """No C compiler on this machine."""


class CompilerFailed(RuntimeError):
    """The compiler refused the kernel."""


@cache
def compiler() -> str:
    """Return the path of the C compiler: $CC, else cc, gcc or clang."""
    for name in (os.environ.get("CC"), "cc", "gcc", "clang"):
        found = shutil.which(name) if name else None
        if found:
            return found
    raise NoCompiler(
        "no C compiler found (looked for $CC, cc, gcc, clang). Install one (Debian: "
        "apt install gcc; macOS: xcode-select --install), or use the slow engine that needs "
        'none: engine="scipy", in a study file `engine: scipy`'
    )


@cache
def machine_flags() -> tuple[str, ...]:
    """Return the flags for this processor's vector unit."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return ()
    try:
        features = Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return ()
    return ("-mavx2", "-mfma") if {"avx2", "fma"} <= set(features) else ()


@cache
def compiler_version() -> str:
    """Return the compiler's first line about itself and the flags, for the provenance."""
    line = subprocess.run(
        [compiler(), "--version"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]
    return " ".join([line, *FLAGS, *machine_flags()])


def compile_library(source: str, out: Path) -> None:
    """Compile kernel.c's text to a library at `out`, atomically."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent) as folder:
        c_file, library = Path(folder) / "kernel.c", Path(folder) / "kernel.so"
        c_file.write_text(source, encoding="utf-8")
        command = [
            compiler(),
            *FLAGS,
            *machine_flags(),
            f"-I{RUNTIME}",
            "kernel.c",
            "-o",
            "kernel.so",
            "-lm",
        ]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CompilerFailed(f"{command[0]} failed on the kernel:\n{done.stderr[-2000:]}")
        os.replace(library, out)


def cached_library(source: str) -> Path:
    """Return the library of this source, compiled if it is not in the user's cache."""
    digest = hashlib.sha256()
    for text in [source, compiler_version(), *(p.read_text() for p in sorted(RUNTIME.glob("*.h")))]:
        digest.update(text.encode())
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    path = Path(base) / "zwang" / f"{digest.hexdigest()[:32]}.so"
    if not path.exists():
        compile_library(source, path)
    return path


def load(path: Path) -> ctypes.CDLL:
    """Return the loaded library."""
    return ctypes.CDLL(str(path.resolve()))
