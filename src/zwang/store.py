"""Datasets as files: what every variable must say, atomic writing, and reading with a check."""

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import xarray as xr

CONVENTIONS = "CF-1.11"
PACKAGES = ("numpy", "scipy", "xarray", "netCDF4", "sympy")
# Time of day, place and person would make equal results differ in their bytes.
UNREPEATABLE = ("history", "date_created", "date_modified", "creator_name", "host", "user")

# code -> (name, sentence); {time} is the time reached, {detail} what the engine adds.
STATUS: Mapping[int, tuple[str, str]] = MappingProxyType(
    {
        0: ("ok", "the run reached its end at t = {time:.6g} s"),
        1: ("at_rest", "the system came to rest at t = {time:.6g} s and stays there"),
        2: (
            "slack",
            "a one-sided constraint that had gone slack is taut again at t = {time:.6g} s{detail}; "
            "the impact is not computed",
        ),
        3: ("lift_off", "a contact lost its normal load at t = {time:.6g} s{detail}"),
        4: (
            "not_unique",
            "none or several patterns of holding and sliding are consistent at "
            "t = {time:.6g} s{detail}",
        ),
        5: (
            "drive_exceeds_grip",
            "the driving force alone exceeds the friction circle at t = {time:.6g} s{detail}",
        ),
        6: (
            "singular_chart",
            "the velocities chosen became dependent at t = {time:.6g} s{detail}; "
            "choose quasi-velocities that are regular there",
        ),
        7: (
            "step_too_small",
            "the step size fell below its limit at t = {time:.6g} s{detail}; "
            "the motion may be singular there",
        ),
        8: ("non_finite", "a value that is not finite appeared at t = {time:.6g} s{detail}"),
        9: ("event_limit", "too many changes of mode up to t = {time:.6g} s{detail}"),
    }
)


class StoreError(ValueError):
    """A file or dataset that does not follow the conventions, in a sentence."""


def status_attrs() -> dict[str, Any]:
    """Attributes of the flag variable `status`."""
    return {
        "units": "1",
        "long_name": "how the run ended",
        "symbol": r"\mathrm{status}",
        "flag_values": np.array(list(STATUS), dtype=np.int8),
        "flag_meanings": " ".join(name for name, _ in STATUS.values()),
    }


def variable(
    dims: str | Sequence[Hashable],
    values: Any,  # noqa: ANN401 - whatever numpy accepts
    units: str,
    long_name: str,
    symbol: str,
    **attrs: Any,  # noqa: ANN401 - whatever NetCDF accepts
) -> xr.Variable:
    """A variable with its unit, meaning and LaTeX symbol (without dollar signs)."""
    return xr.Variable(
        dims, values, {"units": units, "long_name": long_name, "symbol": symbol, **attrs}
    )


def provenance(
    title: str,
    references: str | Sequence[str],
    study_text: str,
    study_digest: str,
    sources_digest: str,
    **more: Any,  # noqa: ANN401 - whatever NetCDF accepts
) -> dict[str, Any]:
    """Global attributes of a dataset: what it came from, without time, path or host."""
    attrs: dict[str, Any] = {
        "Conventions": CONVENTIONS,
        "title": title,
        "source": f"zwang {_version('zwang')}, sources {sources_digest}",
        "references": references if isinstance(references, str) else ", ".join(references),
        "packages": ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
        "study": study_text,
        "study_digest": study_digest,
    }
    for name, value in more.items():
        if name in attrs or name in UNREPEATABLE:
            raise StoreError(
                f"global attribute {name!r} came as an extra one; it is either set here already "
                "or not repeatable. Use another name, or leave it out"
            )
        attrs[name] = value
    return attrs


def write(dataset: xr.Dataset, path: str | Path) -> None:
    """Write `dataset` as NetCDF-4, all of it or nothing; equal datasets give equal bytes."""
    path = Path(path)
    _check(dataset, f"the dataset for {path.name}", "give it when the variable is made")
    plain = dataset.drop_encoding()
    encoding: dict[Hashable, dict[str, Any]] = {}
    for name, var in plain.variables.items():
        if _is_text(var):
            continue
        encoding[name] = {"_FillValue": np.nan} if var.dtype.kind == "f" else {}
        if name in plain.coords:  # CF allows no missing values in coordinates
            encoding[name] = {"_FillValue": None}
        if var.ndim:
            encoding[name] |= {"zlib": True, "complevel": 4, "shuffle": True, "fletcher32": True}
    with _replacing(path) as temporary:
        plain.to_netcdf(temporary, engine="netcdf4", format="NETCDF4", encoding=encoding)


def read(path: str | Path) -> xr.Dataset:
    """The dataset stored at `path`, in memory; the file is closed again."""
    path = Path(path)
    again = "delete it and run again"
    if not path.is_file():
        raise StoreError(
            f"{path}: no such file; a dataset was expected. Run the step that makes it"
        )
    try:
        with xr.open_dataset(
            path, engine="netcdf4", decode_times=False, decode_timedelta=False
        ) as file:
            dataset = file.load()
    except (OSError, RuntimeError, ValueError) as error:
        reason = str(error).replace(str(path.resolve()), path.name)
        raise StoreError(
            f"{path}: {path.stat().st_size} bytes that are not a whole NetCDF-4 file ({reason}); "
            f"a dataset was expected. If the file is a result, {again}"
        ) from error
    _check(dataset, str(path), f"if the file is a result, {again}")
    return dataset


def atomic_bytes(path: str | Path, content: bytes) -> None:
    """Write `content` to `path`, all of it or nothing."""
    with _replacing(Path(path)) as temporary:
        temporary.write_bytes(content)


def atomic_text(path: str | Path, text: str) -> None:
    """Write `text` as UTF-8 to `path`, all of it or nothing; line ends stay as they are."""
    atomic_bytes(path, text.encode("utf-8"))


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block succeeds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"


def _is_text(var: xr.Variable) -> bool:
    return var.dtype.kind in "OSTU"


def _check(dataset: xr.Dataset, what: str, remedy: str) -> None:
    """Raise a sentence that lists every breach of the conventions."""
    breaches = []
    if not str(dataset.attrs.get("Conventions", "")).startswith("CF-"):
        breaches.append(f"global attribute Conventions should be {CONVENTIONS!r}")
    if "title" not in dataset.attrs:
        breaches.append("global attribute title is missing")
    breaches += [
        f"global attribute {n} is not repeatable" for n in UNREPEATABLE if n in dataset.attrs
    ]
    for name, var in dataset.variables.items():
        flags = [key for key in ("flag_values", "flag_meanings") if key in var.attrs]
        needed = ["long_name"] if _is_text(var) else ["units", "long_name", "symbol"]
        if flags:
            needed = ["long_name", "flag_values", "flag_meanings"]
        missing = [key for key in needed if key not in var.attrs]
        if missing:
            breaches.append(f"variable {name} lacks {', '.join(missing)}")
        elif flags:
            values = np.atleast_1d(var.attrs["flag_values"])
            meanings = str(var.attrs["flag_meanings"]).split()
            if len(values) != len(meanings):
                breaches.append(
                    f"variable {name} has {len(values)} flag_values, {len(meanings)} flag_meanings"
                )
    if breaches:
        raise StoreError(f"{what}: {'; '.join(breaches)}. Expected as zwang writes them; {remedy}")
