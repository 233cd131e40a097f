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
            planned = plan(files[name], variant)
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

# What runs is a case of a study: `study/case`, or the study itself where it has no cases.
CASES = {
    f"{label}/{case}" if case else label: (label, case)
    for label, study in STUDIES.items()
    for case in study.plan.cases
}
KINDS = ("thresholds", "limits", "runs", "trajectories")  # datasets of a case, in order of search

if workflow.is_main_process:
    for name, (label, case) in CASES.items():
        planned = STUDIES[label].plan.cases[case]
        print(
            f"{name}: {counted(planned.runs, 'run')} in {counted(planned.chunks, 'chunk')}",
            file=sys.stderr,
        )


wildcard_constraints:
    study="|".join(re.escape(name) for name in STUDIES),
    case="|".join(re.escape(name) for name in CASES),
    system=r"[a-z][a-z0-9_]*",
    chunk=r"\d+",
    figure=r"[A-Za-z][A-Za-z0-9_]*",


def study_file(wildcards):
    """Path of study.yaml."""
    return str(STUDIES[wildcards.study].path)


def variant_of(wildcards):
    """Name of the variant, or None."""
    return STUDIES[wildcards.study].variant


def expected_file(wildcards):
    """expected.yaml beside study.yaml, where there is one."""
    path = STUDIES[wildcards.study].path.with_name("expected.yaml")
    return str(path) if path.exists() else []


def folders_of(wildcards):
    """Folder of each case's results."""
    own = [name for name, (label, _) in CASES.items() if label == wildcards.study]
    return {CASES[name][1]: f"results/{name}" for name in own}


def results_of_study(wildcards):
    """Every dataset of every case."""
    cases = STUDIES[wildcards.study].plan.cases
    return [
        f"{folder}/{kind}.nc"
        for case, folder in folders_of(wildcards).items()
        for kind in KINDS
        if kind != "limits" or cases[case].limit
    ]


def case_of(wildcards):
    """What the plan says of a case."""
    label, case = CASES[wildcards.case]
    return STUDIES[label].plan.cases[case]


def name_of_case(wildcards):
    """Name of the case within its study; empty where the study has no cases."""
    return CASES[wildcards.case][1]


def study_of_case(wildcards):
    """Path of study.yaml; what counts of it is the digest of the case."""
    return str(STUDIES[CASES[wildcards.case][0]].path)


def tables_of_case(wildcards):
    """Files of measured inputs beside study.yaml."""
    folder = Path(study_of_case(wildcards)).parent
    return [str(folder / file) for file in case_of(wildcards).files]


def variant_of_case(wildcards):
    """Name of the variant, or None."""
    return STUDIES[CASES[wildcards.case][0]].variant


def digest_of_case(wildcards):
    """Digest of all the file says about this case."""
    return case_of(wildcards).digest


def library_of(wildcards):
    """The compiled kernel, or nothing where the study asks for the engine that needs no compiler."""
    if case_of(wildcards).engine == "scipy":
        return []
    return f"results/{wildcards.case}/kernel.so"


def runs_of_chunk(wildcards):
    """Which runs a chunk holds, counted from one: `1-841 of 1681`."""
    runs = case_of(wildcards).runs
    start, stop = chunks(runs)[int(wildcards.chunk)]
    return f"{start + 1}-{stop} of {runs}"


def chunks_of(wildcards):
    """Every chunk of the case, in order."""
    count = case_of(wildcards).chunks
    return [f"results/{wildcards.case}/runs/{chunk}.nc" for chunk in range(count)]


def beside(wildcards, case):
    """Results folder of another case of the same study."""
    return f"results/{CASES[wildcards.case][0]}/{case}"


def runs_against(wildcards):
    """Runs of the case this one is compared with, where there is one."""
    other = case_of(wildcards).against
    return [] if other is None else f"{beside(wildcards, other)}/runs.nc"


def trajectories_of_targets(wildcards):
    """Trajectories of the cases that a family approaches."""
    cases = case_of(wildcards).references
    return [f"{beside(wildcards, other)}/trajectories.nc" for other in cases]


def figure_of(wildcards):
    """What the plan says of a figure."""
    return STUDIES[wildcards.study].plan.figures[wildcards.figure]


def datasets_of_figure(wildcards):
    """The datasets a figure draws, in the order of its needs."""
    folders = folders_of(wildcards)
    return [f"{folders[case]}/{kind}.nc" for case, kind in figure_of(wildcards).needs]


def titles_of_figure(wildcards):
    """Titles of the cases a figure draws."""
    titles = STUDIES[wildcards.study].plan.titles
    return {case: titles[case] for case, _ in figure_of(wildcards).needs}
