"""Digests of the code behind a stage: a result is remade when, and only when, it changed."""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent  # the folder that holds the package


def module_digest(module: str, *extra: str, root: Path = SOURCES) -> str:
    """Sixteen hex digits over `module`, all it imports from its own package, and `extra` files.

    `extra` are glob patterns relative to `root`, the folder that holds the package. Imports under
    `if TYPE_CHECKING:` do not count, nor does the `__init__` of a package of which only a
    submodule is imported.
    """
    files = {_source(root, name) for name in reached(module, root=root)}
    for pattern in extra:
        found = {path for path in root.glob(pattern) if path.is_file()}
        if not found:
            raise ValueError(
                f"no file matches {pattern!r} under the sources; expected a pattern like "
                "'package/folder/*.h': correct it or leave it out"
            )
        files |= found
    digest = hashlib.sha256()
    for name, path in sorted((path.relative_to(root).as_posix(), path) for path in files):
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def reached(module: str, *, root: Path = SOURCES) -> frozenset[str]:
    """Names of `module` and of every module of its package that it imports, directly or not."""
    if _source(root, module) is None:
        raise ValueError(
            f"module {module!r} has no source file under the package folder; "
            "give the dotted name of an existing module"
        )
    names: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in names:
            names.add(name)
            waiting.extend(_imported(root, name))
    return frozenset(names)


@cache
def _imported(root: Path, module: str) -> frozenset[str]:
    """Names of the modules of the same package that the source of `module` names in imports."""
    path = _source(root, module)
    assert path is not None
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    top = module.partition(".")[0]
    names: set[str] = set()
    for node in _run_time_nodes(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = _origin(node, package)
            for alias in node.names:
                inner = f"{origin}.{alias.name}"
                names.add(inner if _source(root, inner) else origin)
    own = (name for name in names if name.partition(".")[0] == top)
    return frozenset(name for name in own if _source(root, name))


def _origin(node: ast.ImportFrom, package: str) -> str:
    """The absolute dotted name after `from`; each leading dot beyond the first goes up one."""
    if node.level == 0:
        return node.module or ""
    parts = package.split(".")
    parts = parts[: len(parts) - (node.level - 1)]
    return ".".join([*parts, node.module] if node.module else parts)


def _run_time_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Every node below `node`, without the bodies of `if TYPE_CHECKING:`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for other in child.orelse:
                yield other
                yield from _run_time_nodes(other)
        else:
            yield child
            yield from _run_time_nodes(child)


@cache
def _source(root: Path, module: str) -> Path | None:
    """The file of a dotted name: the module, or the `__init__` of the package, or None."""
    path = root.joinpath(*module.split("."))
    for candidate in (path.with_name(path.name + ".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None
