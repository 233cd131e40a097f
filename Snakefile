# The chain, for each case of each study:
#     study.yaml -derive-> kernel -compile-> library -simulate, gather-> runs -analyse-> thresholds; -trace-> trajectories
# for each study: -check-> checks, -quote-> numbers, verdicts, -draw-> figures; for each system: -certify-> equations, certificate
from snakemake.utils import min_version

min_version("9.20")


include: "workflow/rules/common.smk"
include: "workflow/rules/certify.smk"
include: "workflow/rules/derive.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/analyse.smk"
include: "workflow/rules/figures.smk"


rule all:
    default_target: True
    input:
        certificates=[
            f"results/systems/{system}/certificate.nc"
            for system in sorted(
                {case.system for study in STUDIES.values() for case in study.plan.cases.values()}
            )
        ],
        checks=[f"results/{name}/checks.nc" for name in STUDIES],
        numbers=[
            f"results/{name}/numbers.tex" for name, study in STUDIES.items() if study.plan.quoted
        ],
        verdicts=[
            f"results/{name}/verdicts.tex"
            for name, study in STUDIES.items()
            if any(case.limit for case in study.plan.cases.values())
        ],
        figures=[
            f"results/{name}/figures/{figure}.{kind}"
            for name, study in STUDIES.items()
            for figure in study.plan.figures
            for kind in ("pdf", "png")
        ],
    localrule: True
