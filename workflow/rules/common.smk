# Which studies run: --config studies=a,b variant=quick studies_dir=folder; all are checked before any job.
import re
import sys
from pathlib import Path
from typing import NamedTuple

import yaml
from snakemake.exceptions import WorkflowError

from zwang.nearest import nearest
from zwang.provenance import module_digest
from zwang.stages.plan import Plan, plan
from zwang.study import StudyError, chunks


class Selected(NamedTuple):
    """A study of this call: its file, the variant asked for, and what it will run."""

    path: Path
    variant: str | None
    plan: Plan


def one_of(name: str, known: list[str], what: str) -> str:
    """The name itself if it is known, otherwise a sentence with the nearest known one."""
    if name in known:
        return name
    raise WorkflowError(f"{what} {name!r} is not known; {nearest(name, known)}")


def counted(number: int, word: str) -> str:
    """`1 run`, `2 runs`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def in_default(path: Path) -> bool:
    """Whether a study runs without being named; an unreadable one does, so that it is reported."""
    try:
        return bool(yaml.safe_load(path.read_text(encoding="utf-8")).get("default", False))
    except (yaml.YAMLError, AttributeError, UnicodeDecodeError):
        return True


def selected_studies() -> dict[str, Selected]:
    """The studies to run by the name of their results folder; every fault in any of them is told."""
    for key in config:
        one_of(key, ["studies", "variant", "studies_dir"], "config key")
    folder = Path(config.get("studies_dir", Path(workflow.basedir) / "studies"))
    if folder.is_relative_to(Path.cwd()):
        folder = folder.relative_to(Path.cwd())
    files = {path.parent.name: path for path in sorted(folder.glob("*/study.yaml"))}
    if not files:
        raise WorkflowError(f"no study in {folder}: expected {folder}/<study>/study.yaml.")
    asked = config.get("studies")
    if asked is None:
        names = [name for name, path in files.items() if in_default(path)]
    else:
        listed = asked if isinstance(asked, list) else str(asked).split(",")
        names = [one_of(str(name).strip(), list(files), "study") for name in listed]
    if not names:
        raise WorkflowError(
            f"no study in {folder} says `default: true`; choose with --config studies=<study>. "
            f"Known: {', '.join(files)}."
        )
    variant = config.get("variant")
    variant = None if variant is None else str(variant)
    chosen, faults = {}, []
    for name in dict.fromkeys(names):
        try:
            planned = plan(study=files[name], variant=variant)
        except StudyError as fault:
            faults.append(str(fault))
        else:
            label = name if variant is None else f"{name}-{variant}"
            chosen[label] = Selected(files[name], variant, planned)
    if faults:
        raise WorkflowError("\n".join(faults))
    return chosen


try:
    STUDIES = selected_studies()
except WorkflowError as fault:
    # Not raised: Snakemake would add the lines of this file, which are not what is wrong.
    print(fault, file=sys.stderr)
    sys.exit(1)

if workflow.is_main_process:
    for name, study in STUDIES.items():
        print(
            f"{name}: {counted(study.plan.runs, 'run')} in {counted(study.plan.chunks, 'chunk')}",
            file=sys.stderr,
        )


wildcard_constraints:
    study="|".join(re.escape(name) for name in STUDIES),
    system=r"[a-z][a-z0-9_]*",
    chunk=r"\d+",
    figure=r"[a-z][a-z0-9_]*",


def study_file(wildcards):
    """Path of study.yaml."""
    return str(STUDIES[wildcards.study].path)


def variant_of(wildcards):
    """Name of the variant, or None."""
    return STUDIES[wildcards.study].variant


def library_of(wildcards):
    """The compiled kernel, or nothing where the study asks for the engine that needs no compiler."""
    if STUDIES[wildcards.study].plan.engine == "scipy":
        return []
    return f"results/{wildcards.study}/kernel.so"


def runs_of_chunk(wildcards):
    """Which runs a chunk holds, counted from one: `1-841 of 1681`."""
    runs = STUDIES[wildcards.study].plan.runs
    start, stop = chunks(runs)[int(wildcards.chunk)]
    return f"{start + 1}-{stop} of {runs}"


def chunks_of(wildcards):
    """Every chunk of the study, in order."""
    count = STUDIES[wildcards.study].plan.chunks
    return [f"results/{wildcards.study}/runs/{chunk}.nc" for chunk in range(count)]


def expected_file(wildcards):
    """expected.yaml beside study.yaml, where there is one."""
    path = STUDIES[wildcards.study].path.with_name("expected.yaml")
    return str(path) if path.exists() else []
