"""Files of the project that must agree with each other."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_both_lists_of_pins_agree() -> None:
    *pins, last = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert last == "-e ."
    assert pins == PROJECT["tool"]["uv"]["constraint-dependencies"]


def test_every_dependency_is_pinned_exactly() -> None:
    def plain(requirement: str) -> str:
        return re.split(r"[=<>\[; ]", requirement)[0].lower().replace("_", "-")

    project = PROJECT["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    pins = PROJECT["tool"]["uv"]["constraint-dependencies"]
    assert all("==" in pin for pin in pins)
    assert {plain(name) for name in wanted} <= {plain(pin) for pin in pins}


def test_no_registry_host_and_no_path_of_a_machine_in_any_file() -> None:
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout, so there is no list of files")
    # Written in pieces, so that this file does not find itself.
    hosts = "|".join(("py" + r"pi\.", "python" + r"hosted\.", "ana" + r"conda\.", "np" + r"mjs\."))
    machine = "/" + "(?:root|work|home|farm)" + "/[a-z]"
    forbidden = re.compile(rf"{hosts}|(?<![\w.]){machine}", re.IGNORECASE)
    found = []
    for name in filter(None, listing.stdout.decode().split("\0")):
        path = ROOT / name
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="ignore")
            found += [f"{name}: {hit.group()}" for hit in forbidden.finditer(text)]
    assert found == []


def test_data_of_the_package_is_installed() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["zwang"]
    package = ROOT / "src" / "zwang"
    listed = {path for pattern in patterns for path in package.glob(pattern)}
    data = {
        path
        for path in package.rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"} and path.name != "py.typed"
    }
    assert data <= listed
