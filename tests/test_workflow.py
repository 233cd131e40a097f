"""The chain as a user calls it, on the smallest study, in a folder of its own."""

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STUDY = "car-steady-circle"

pytestmark = pytest.mark.slow


def snakemake(
    folder: Path, *options: str, config: tuple[str, ...] = (f"studies={STUDY}",)
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    command += ["--directory", str(folder), *options, "--config", *config]
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


def jobs(dry_run: str) -> dict[str, int]:
    """Jobs by rule, from Snakemake's own table."""
    table = re.search(r"^job +count\n[- ]+\n(.*?)^total", dry_run, re.MULTILINE | re.DOTALL)
    return {rule: int(count) for rule, count in re.findall(r"^(\w+) +(\d+)$", table[1], re.M)}


def digests(results: Path) -> dict[str, str]:
    """Digest of every result; logs and timings are no results."""
    return {
        path.relative_to(results).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(results.rglob("*"))
        if path.is_file() and not {"logs", "benchmarks"} & set(path.parts)
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    run = snakemake(folder, "--cores", "2")
    assert run.returncode == 0, run.stdout
    return folder


def test_finished_study_has_nothing_to_do(finished: Path) -> None:
    again = snakemake(finished, "-n")
    assert again.returncode == 0, again.stdout
    assert "Nothing to be done" in again.stdout


def test_dry_run_tells_runs_and_jobs(tmp_path: Path) -> None:
    dry = snakemake(tmp_path, "-n")
    assert re.search(rf"^{STUDY}: \d+ runs? in \d+ chunks?$", dry.stdout, re.MULTILINE), dry.stdout
    assert jobs(dry.stdout)["simulate"] >= 1
    assert not (tmp_path / "results").exists()


def test_removed_result_is_remade_alone(finished: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(finished, copy)
    (copy / "results" / STUDY / "checks.nc").unlink()
    assert jobs(snakemake(copy, "-n").stdout) == {"check": 1, "all": 1}


def test_results_do_not_depend_on_the_number_of_cores(finished: Path, tmp_path: Path) -> None:
    run = snakemake(tmp_path, "--cores", "1")
    assert run.returncode == 0, run.stdout
    expected = digests(finished / "results" / STUDY)
    assert expected
    assert digests(tmp_path / "results" / STUDY) == expected


def test_wrong_key_is_told_before_any_job(tmp_path: Path) -> None:
    studies = tmp_path / "studies"
    shutil.copytree(ROOT / "studies" / STUDY, studies / "wrong")
    study = studies / "wrong" / "study.yaml"
    text = study.read_text(encoding="utf-8")
    study.write_text(re.sub(r"^time:", "tiem:", text, flags=re.MULTILINE), encoding="utf-8")
    run = snakemake(tmp_path, "--cores", "1", config=(f"studies_dir={studies}", "studies=wrong"))
    assert run.returncode != 0
    assert "tiem" in run.stdout
    assert "Traceback" not in run.stdout
    assert "Job stats" not in run.stdout
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("config", "hint"), [("studies=car-steady-cirle", STUDY), (f"study={STUDY}", "studies")]
)
def test_unknown_name_gets_the_nearest(tmp_path: Path, config: str, hint: str) -> None:
    run = snakemake(tmp_path, "-n", config=(config,))
    assert run.returncode != 0
    assert f"did you mean '{hint}'" in run.stdout
