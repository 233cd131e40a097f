"""The chain as a user calls it, on the smallest study, in a folder of its own."""

import hashlib
import os
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
    folder: Path,
    *options: str,
    config: tuple[str, ...] = (f"studies={STUDY}",),
    project: Path = ROOT,
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(project / "Snakefile")]
    command += ["--directory", str(folder), *options, "--config", *config]
    return subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(project / "src")},
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


@pytest.mark.parametrize(
    ("module", "rules"),
    [
        ("figures/reactions.py", {"draw": 1}),
        ("thresholds.py", {"analyse": 1, "check": 1, "draw": 1}),
        ("stages/gather.py", {"gather": 1, "analyse": 1, "check": 1, "draw": 1}),
    ],
)
def test_an_edited_module_reruns_exactly_its_dependants(
    tmp_path: Path, finished: Path, module: str, rules: dict[str, int]
) -> None:
    """The project is copied, so that the edit is not done to the sources under test."""
    project = tmp_path / "project"
    for name in ("src", "workflow", "studies", "profiles"):
        shutil.copytree(ROOT / name, project / name)
    shutil.copy(ROOT / "Snakefile", project)
    run = snakemake(project, "--cores", "2", project=project)
    assert run.returncode == 0, run.stdout
    assert digests(project / "results" / STUDY) == digests(finished / "results" / STUDY)
    edited = project / "src" / "zwang" / module
    edited.write_text(edited.read_text(encoding="utf-8") + "\nEDITED = True\n", encoding="utf-8")
    assert jobs(snakemake(project, "-n", project=project).stdout) == {**rules, "all": 1}


def test_a_result_that_is_not_as_expected_stops_the_chain(tmp_path: Path) -> None:
    studies = tmp_path / "studies"
    shutil.copytree(ROOT / "studies" / STUDY, studies / STUDY)
    expected = studies / STUDY / "expected.yaml"
    text = expected.read_text(encoding="utf-8")
    expected.write_text(text.replace("value: u_0\n", "value: 1.001*u_0\n"), encoding="utf-8")
    config = (f"studies={STUDY}", f"studies_dir={studies}")
    run = snakemake(tmp_path, "--cores", "2", config=config)
    assert run.returncode != 0
    said = re.search(
        r"u_end at .*: got (\S+), expected (\S+) = (.*), error .*; source: (.+)", run.stdout
    )
    assert said, run.stdout
    assert float(said[2]) == pytest.approx(1.001 * float(said[1]), rel=1e-9)
    assert "energy" in said[4]
    assert not (tmp_path / "results" / STUDY / "checks.nc").exists()


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
    assert f"did you mean {hint}?" in run.stdout
