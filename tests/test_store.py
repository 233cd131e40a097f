"""Files hold what was written, in equal bytes, and say what is wrong with them."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from synthetic import attributes, runs
from zwang import store

HERE = Path(__file__).resolve().parent


def test_written_dataset_comes_back_identical(tmp_path: Path) -> None:
    path = tmp_path / "runs.nc"
    data = runs()
    data["message"] = xr.Variable(
        ("u_0",), np.array([f"ganz schön μ {k}" for k in range(25)]), {"long_name": "message"}
    )
    data["end"] = store.variable((), 5.0, "s", "end of the runs", "t_e")
    data["A"] = store.variable((), 40.0, "N*m", "", "A")  # a constant without a meaning
    store.write(data, path)
    xr.testing.assert_identical(store.read(path), data)
    assert [p.name for p in tmp_path.iterdir()] == ["runs.nc"]


def test_rewriting_what_was_read_gives_the_same_bytes(tmp_path: Path) -> None:
    store.write(runs(), tmp_path / "a.nc")
    store.write(store.read(tmp_path / "a.nc"), tmp_path / "b.nc")
    assert (tmp_path / "a.nc").read_bytes() == (tmp_path / "b.nc").read_bytes()


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; import synthetic; from zwang import store;"
        "data = synthetic.runs(); data['message'] = ('u_0', ['schön ' * k for k in range(25)],"
        " {'long_name': 'message'}); store.write(data, Path(sys.argv[1]))"
    )
    digests = set()
    for seed in ("1", "2"):
        path = tmp_path / f"{seed}.nc"
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": _paths()}
        subprocess.run([sys.executable, "-c", program, str(path)], check=True, env=environment)
        digests.add(hashlib.sha256(path.read_bytes()).hexdigest())
    assert len(digests) == 1


@pytest.mark.parametrize("share", [0.3, 0.9, 0.999])
def test_truncated_file_says_what_to_do(tmp_path: Path, share: float) -> None:
    path = tmp_path / "runs.nc"
    store.write(runs(), path)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(store.StoreError, match=r"runs\.nc: \d+ bytes .* delete it and run again"):
        store.read(path)


def test_flipped_bit_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "runs.nc"
    rng = np.random.default_rng(0)
    data = xr.Dataset(
        {"x": store.variable("i", rng.random(4096), "m", "position", "x")},
        attrs=attributes("noise"),
    )
    store.write(data, path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1  # inside the compressed values
    path.write_bytes(bytes(content))
    with pytest.raises(store.StoreError, match="delete it and run again"):
        store.read(path)


def test_missing_foreign_and_strange_files_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(store.StoreError, match="no such file"):
        store.read(tmp_path / "nothing.nc")
    (tmp_path / "text.nc").write_text("not a dataset")
    with pytest.raises(store.StoreError, match="13 bytes that are not a whole NetCDF-4 file"):
        store.read(tmp_path / "text.nc")
    xr.Dataset({"a": ("i", [1.0])}).to_netcdf(tmp_path / "other.nc")
    with pytest.raises(store.StoreError, match="variable a lacks units, long_name, symbol"):
        store.read(tmp_path / "other.nc")


@pytest.mark.parametrize(
    ("attrs", "sentence"),
    [
        ({"units": "m", "long_name": "position"}, "variable x lacks symbol"),
        ({"long_name": "mode", "flag_values": [0, 1]}, "variable x lacks flag_meanings"),
        (
            {"long_name": "mode", "flag_values": [0, 1], "flag_meanings": "held"},
            "2 flag_values, 1 flag_meanings",
        ),
    ],
)
def test_variable_without_meaning_is_refused(
    tmp_path: Path, attrs: dict[str, object], sentence: str
) -> None:
    data = xr.Dataset({"x": ("i", [1, 2], attrs)}, attrs=attributes("x"))
    with pytest.raises(store.StoreError, match=sentence):
        store.write(data, tmp_path / "x.nc")
    assert not list(tmp_path.iterdir())


def test_provenance_holds_versions_and_nothing_that_changes() -> None:
    attrs = store.provenance("t", "Juschkov", "text", "d", "s", tolerance=1e-12)
    assert attrs["Conventions"] == "CF-1.11"
    assert attrs["tolerance"] == 1e-12
    assert f"numpy {np.__version__}" in attrs["packages"]
    for name in ("history", "title"):
        with pytest.raises((store.StoreError, TypeError), match=name):
            store.provenance("t", "Juschkov", "text", "d", "s", **{name: "now"})


def test_status_attributes_follow_the_table() -> None:
    attrs = store.status_attrs()
    assert attrs["flag_values"].tolist() == list(range(10))
    assert attrs["flag_meanings"].split()[6] == "singular_chart"
    for _, sentence in store.STATUS.values():
        assert "1.5 s" in sentence.format(time=1.5, detail="")


def test_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "note.txt"
    store.atomic_text(path, "first — μ\n")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        store.atomic_text(path, "second")
    assert path.read_text(encoding="utf-8") == "first — μ\n"
    assert [p.name for p in tmp_path.iterdir()] == ["note.txt"]


def _paths() -> str:
    return os.pathsep.join([str(HERE), str(Path(store.__file__).resolve().parents[1])])
