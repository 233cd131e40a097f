"""A digest changes exactly when something the module reaches changes."""

from pathlib import Path

import pytest

from zwang.provenance import module_digest, reached

TREE = {
    "pack/__init__.py": "import pack.unrelated",
    "pack/entry.py": "import os\nfrom pack.tower import part\nfrom pack import direct",
    "pack/direct.py": "from pack.names import letter",
    "pack/names/__init__.py": "letter = 'a'",
    "pack/tower/__init__.py": "from pack import unrelated",
    "pack/tower/part.py": "def late():\n    from .. import deep\n    from .sibling import x",
    "pack/tower/sibling.py": "x = 1",
    "pack/tower/data.h": "int x;",
    "pack/deep.py": "import pack.entry",
    "pack/unrelated.py": "",
    "pack/typed.py": (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import pack.unrelated\nelse:\n    import pack.names"
    ),
}


def plant(root: Path, changes: dict[str, str] | None = None) -> Path:
    for name, text in (TREE | (changes or {})).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_reached_follows_imports_at_any_depth_and_ends_on_a_circle(tmp_path: Path) -> None:
    names = {"entry", "direct", "names", "tower.part", "tower.sibling", "deep"}
    assert reached("pack.entry", root=plant(tmp_path)) == {f"pack.{name}" for name in names}


def test_package_counts_where_the_import_names_it(tmp_path: Path) -> None:
    root = plant(tmp_path, {"pack/user.py": "import pack.tower"})
    assert reached("pack.user", root=root) == {"pack.user", "pack.tower", "pack.unrelated"}


def test_imports_for_type_checking_do_not_count(tmp_path: Path) -> None:
    assert reached("pack.typed", root=plant(tmp_path)) == {"pack.typed", "pack.names"}


@pytest.mark.parametrize(
    ("changed", "counts"),
    [
        ("pack/entry.py", True),
        ("pack/tower/sibling.py", True),
        ("pack/names/__init__.py", True),
        ("pack/tower/data.h", True),
        ("pack/__init__.py", False),
        ("pack/tower/__init__.py", False),
        ("pack/unrelated.py", False),
    ],
)
def test_digest_changes_with_what_is_reached_only(
    tmp_path: Path, changed: str, counts: bool
) -> None:
    before = plant(tmp_path / "before")
    after = plant(tmp_path / "after", {changed: TREE[changed] + "\n# changed"})
    digests = [module_digest("pack.entry", "pack/tower/*.h", root=root) for root in (before, after)]
    assert (digests[0] != digests[1]) is counts
    assert all(len(digest) == 16 and int(digest, 16) >= 0 for digest in digests)


def test_unknown_module_or_pattern_is_named(tmp_path: Path) -> None:
    root = plant(tmp_path)
    with pytest.raises(ValueError, match=r"pack\.absent"):
        module_digest("pack.absent", root=root)
    with pytest.raises(ValueError, match=r"pack/\*\.c"):
        module_digest("pack.entry", "pack/*.c", root=root)
